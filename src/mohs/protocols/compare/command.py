"""What can be typed after `mohs compare`, and what can be passed to `mohs.compare`?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mohs.core.errors import UsageError
from mohs.protocols.options import DEFAULT_STORE, AsJson, Out, Paper, Png, SingleFile, StoreUrl

if TYPE_CHECKING:
    from mohs.protocols.compare.comparison import Comparison
    from mohs.protocols.diagnose.verdict import Diagnosis


def compare_command(
    a: Annotated[str, typer.Argument(help="The first diagnosed agent, or the name or key of its diagnosis.")],
    b: Annotated[str, typer.Argument(help="The second diagnosed agent, or the name or key of its diagnosis.")],
    out: Out = None,
    store: StoreUrl = DEFAULT_STORE,
    png: Png = False,
    paper: Paper = None,
    single_file: SingleFile = False,
    as_json: AsJson = False,
) -> None:
    """Compare two diagnosed agents on the same cells: probability of improvement with intervals."""
    from mohs.protocols.output import Output, deliver

    output = Output.of(out, f"{a} against {b}", png, as_json, paper, single_file)
    output.check()
    deliver(compare(a, b, store=store), output)


def compare(a: str | Diagnosis, b: str | Diagnosis, *, store: str = DEFAULT_STORE) -> Comparison:
    """Compares two diagnoses on the doses and seeds that both have.

    Args:
        a: a diagnosis, or the agent, name or key of one in the store.
        b: the diagnosis that it is compared with, likewise.
        store: URL of the database of results.

    Returns:
        Probabilities of improvement, paired differences and rank correlations, with intervals.

    Raises:
        UsageError: one is not a diagnosis or is not there, or the two have nothing in common.

    Example:
        >>> import mohs, tempfile
        >>> options = dict(
        ...     dials=["delay"], seeds=3, budget=5000, workers=0, progress="silent",
        ...     store=f"sqlite:///{tempfile.mkdtemp()}/results.db",
        ... )
        >>> found = mohs.compare(mohs.diagnose("q_learning", **options), mohs.diagnose("sarsa", **options))
        >>> 0 <= found.overall.value <= 1
        True
    """
    from mohs.protocols.compare.comparison import compare_diagnoses
    from mohs.protocols.conduct import find_study, stored_verdict
    from mohs.protocols.diagnose.study import PROTOCOL
    from mohs.protocols.diagnose.verdict import Diagnosis
    from mohs.runs.store import open_store

    def found(side: object) -> Diagnosis:
        if isinstance(side, str):
            with open_store(store, create=False) as opened:
                side = stored_verdict(opened, find_study(opened, side, PROTOCOL))
        if not isinstance(side, Diagnosis):
            raise UsageError(f"what is compared must be a diagnosis, or the agent, name or key of one, not {side!r}.")
        return side

    return compare_diagnoses(found(a), found(b))
