"""What can be typed after `mohs compare`, and what can be passed to `mohs.compare`?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mohs.protocols.options import DEFAULT_STORE, REPORTS, AsJson, Png, StoreUrl

if TYPE_CHECKING:
    from mohs.protocols.compare.comparison import Comparison
    from mohs.protocols.diagnose.verdict import Diagnosis


def compare_command(
    a: Annotated[str, typer.Argument(help="An agent or study key.")],
    b: Annotated[str, typer.Argument(help="Another one.")],
    out: Annotated[Path, typer.Option(help="Directory of the report.")] = REPORTS / "comparison",
    store: StoreUrl = DEFAULT_STORE,
    png: Png = False,
    as_json: AsJson = False,
) -> None:
    """Compare two diagnosed agents on the same cells: probability of improvement with intervals."""
    from mohs.protocols.output import Output, deliver

    output = Output(out, png, as_json)
    output.check()
    deliver(compare(a, b, store=store), output)


def compare(a: str | Diagnosis, b: str | Diagnosis, *, store: str = DEFAULT_STORE) -> Comparison:
    """Compares two diagnoses on the doses and seeds that both have.

    Args:
        a: a diagnosis, or the agent, name or key of one in the store.
        b: another one.
        store: URL of the database of results.

    Returns:
        Probabilities of improvement, paired differences and rank correlations, with intervals.

    Raises:
        UsageError: a study is not there, or the two have nothing in common.

    Example:
        >>> import mohs, tempfile
        >>> options = dict(
        ...     dials=["delay"], seeds=3, budget=500, workers=0, progress="silent",
        ...     store=f"sqlite:///{tempfile.mkdtemp()}/results.db",
        ... )
        >>> found = mohs.compare(mohs.diagnose("q_learning", **options), mohs.diagnose("sarsa", **options))
        >>> 0 <= found.overall.value <= 1
        True
    """
    from mohs.protocols.compare.comparison import compare_diagnoses
    from mohs.protocols.conduct import find_study, stored_verdict
    from mohs.protocols.diagnose.study import PROTOCOL
    from mohs.runs.store import open_store

    def found(side: str | Diagnosis) -> Diagnosis:
        if not isinstance(side, str):
            return side
        with open_store(store, create=False) as opened:
            verdict: Any = stored_verdict(opened, find_study(opened, side, PROTOCOL))
        return verdict  # type: ignore[no-any-return]

    return compare_diagnoses(found(a), found(b))
