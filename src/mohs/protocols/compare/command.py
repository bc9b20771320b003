"""What can be typed after `mohs compare`, and what can be passed to `mohs.compare`?"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from mohs.core.arguments import checked
from mohs.core.errors import UsageError, invalid
from mohs.protocols.options import DEFAULT_STORE, AsJson, Out, Paper, Png, SingleFile, StoreUrl

if TYPE_CHECKING:
    from mohs.protocols.compare.comparison import Comparison
    from mohs.protocols.diagnose.verdict import Diagnosis

EXIT_WORSE = 1


def compare_command(
    studies: Annotated[
        list[str],
        typer.Argument(help="Two diagnoses or more, each by its label, its name, its key or its agent; yours first."),
    ],
    fail_if_worse: Annotated[
        bool,
        typer.Option("--fail-if-worse", help="Exit with 1 if the first is certainly worse than any other, for CI."),
    ] = False,
    margin: Annotated[
        float | None,
        typer.Option(help="With --fail-if-worse: a loss up to this size is allowed, in units of the score."),
    ] = None,
    out: Out = None,
    store: StoreUrl = DEFAULT_STORE,
    png: Png = False,
    paper: Paper = None,
    single_file: SingleFile = False,
    as_json: AsJson = False,
) -> int:
    """Compare diagnosed agents on the same cells: ranks, probability of improvement and differences with intervals."""
    from mohs.core.values import content_hash
    from mohs.protocols.output import Output, deliver

    if margin is not None and not fail_if_worse:
        raise UsageError("--margin is the loss that --fail-if-worse allows: give both.")
    if margin is not None and not margin >= 0:
        raise invalid("margin", margin, "a number ≥ 0")
    first, *others = studies
    name = f"{first} against {' and '.join(others)}"
    output = Output.of(out, name, png, as_json, paper, single_file)
    output.check()
    found = compare(studies, store=store)
    key = content_hash([diagnosis.study.to_json() for diagnosis in found.diagnoses])
    deliver(found, Output.of(out, name, png, as_json, paper, single_file, key=key))
    return _verdict_for_ci(found, margin or 0.0) if fail_if_worse else 0


@checked
def compare(
    *studies: str | Diagnosis | Sequence[str | Diagnosis],
    store: str = DEFAULT_STORE,
) -> Comparison:
    """Compares two diagnoses or more on the tasks and seeds that all have.

    Where a name fits several stored studies, those are taken that match: the same task and budget, if possible the
    same doses and seeds, and of these the newest. `notes` of the comparison says which.

    Args:
        *studies: diagnoses, or the labels, names, keys or agents of stored ones; as a list or one by one.
        store: URL of the database of results.

    Returns:
        Mean ranks, probabilities of improvement, paired differences and aggregates, with intervals.

    Raises:
        UsageError: one is not a diagnosis or is not there, two are the same study, or they have nothing in common.

    Example:
        >>> import mohs, tempfile
        >>> options = dict(
        ...     dials=["delay"], seeds=3, budget=500, workers=0, progress="silent", keep_going=True,
        ...     store=f"sqlite:///{tempfile.mkdtemp()}/results.db",
        ... )
        >>> agents = ["q_learning", "sarsa", "random"]
        >>> found = mohs.compare([mohs.diagnose(agent, **options) for agent in agents])
        >>> [0 <= pair.overall.value <= 1 for pair in found.pairs]
        [True, True, True]
        >>> found.agents[0].rank.n
        3
    """
    from mohs.core.values import sealed
    from mohs.protocols.compare.choose import choose
    from mohs.protocols.compare.comparison import compare_diagnoses
    from mohs.protocols.conduct import stored_verdict
    from mohs.protocols.diagnose.verdict import Diagnosis
    from mohs.runs.store import open_store

    listed = len(studies) == 1 and isinstance(studies[0], Sequence) and not isinstance(studies[0], str)
    given: list[object] = list(studies[0]) if listed else list(studies)  # type: ignore[arg-type]
    for side in given:
        if not isinstance(side, str | Diagnosis):
            raise UsageError(
                f"what is compared must be a diagnosis, or the label, name, key or agent of one, not {side!r}."
            )
    if len(given) < 2:
        raise UsageError("a comparison needs two studies or more.")
    words = [side for side in given if isinstance(side, str)]
    notes: tuple[str, ...] = ()
    if words:
        with open_store(store, create=False) as opened:
            chosen = choose(opened, words)
            found = dict(zip(words, (stored_verdict(opened, key) for key in chosen.keys), strict=True))
        notes = chosen.notes
        given = [found[side] if isinstance(side, str) else side for side in given]
    sides = [side for side in given if isinstance(side, Diagnosis)]
    if not any(side.stored for side in sides):
        return compare_diagnoses(sides, notes)
    with sealed():
        return compare_diagnoses(sides, notes).read_only()


def _verdict_for_ci(found: Comparison, margin: float) -> int:
    """Says whether the first agent is certainly worse than another; the exit code."""
    from mohs.protocols.words import joined
    from mohs.report import numbers

    candidate, worse = found.names[0], found.worse_than(margin)
    allowed = f" by more than {numbers.number(margin)}" if margin else ""
    if worse:
        print(f"mohs: {candidate} is worse than {joined(worse)}{allowed}.", file=sys.stderr)
        return EXIT_WORSE
    known = found.against(1).known
    certain = "" if known else ", because too few seeds ran everywhere for an interval"
    print(f"mohs: {candidate} is not certainly worse{allowed}{certain}.", file=sys.stderr)
    return 0
