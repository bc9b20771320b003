"""What can be typed after `mohs correlate`, and what can be passed to `mohs.correlate`?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from mohs.core.arguments import checked
from mohs.core.errors import UsageError
from mohs.protocols.options import DEFAULT_STORE, AsJson, Out, Paper, Png, SingleFile, StoreUrl

if TYPE_CHECKING:
    from mohs.protocols.correlate.correlation import Correlation
    from mohs.protocols.experiment.verdict import ExperimentVerdict


def correlate_command(
    studies: Annotated[
        list[str], typer.Argument(help="Studies by name or key: one toy study or several, the complex one last.")
    ],
    measure: Annotated[
        str | None, typer.Option(help="What both are measured by; the first figure of each study by default.")
    ] = None,
    out: Out = None,
    store: StoreUrl = DEFAULT_STORE,
    png: Png = False,
    paper: Paper = None,
    single_file: SingleFile = False,
    as_json: AsJson = False,
) -> None:
    """Do toy studies order the doses as a complex one does? Rank correlations over doses paired by their order."""
    from mohs.protocols.output import Output, deliver

    output = Output.of(out, f"{' and '.join(studies)} correlated", png, as_json, paper, single_file)
    output.check()
    deliver(correlate(studies, measure=measure, store=store), output)


@checked
def correlate(
    studies: Sequence[str | ExperimentVerdict], *, measure: str | None = None, store: str = DEFAULT_STORE
) -> Correlation:
    """Rank correlations of what agents scored in toy studies and in a complex one, dose by dose.

    Args:
        studies: verdicts of study files, or the names or keys of such studies in the store; the complex one last.
        measure: what all are measured by; by default the first figure of each study.
        store: URL of the database of results.

    Returns:
        One rank correlation for each agent and axis that both have, with intervals.

    Raises:
        UsageError: one is not the verdict of a study file or is not there, or they have no agent and axis in common.

    Example:
        >>> import json, mohs, pathlib, tempfile
        >>> directory = pathlib.Path(tempfile.mkdtemp())
        >>> asked = {"question": "Does a delay cost?", "seeds": 3, "budget": 500, "agents": {"q_learning": {}}}
        >>> asked |= {"task": {"env": "toy/discrete"}, "axes": {"delay": [0, 2, 4]}}
        >>> written = (directory / "toy.json").write_text(json.dumps(asked))
        >>> toy = mohs.run(
        ...     mohs.read_study(str(directory / "toy.json")), workers=0, progress="silent",
        ...     store=f"sqlite:///{directory}/results.db",
        ... )
        >>> {round(row.correlation.value) for row in mohs.correlate([toy, toy]).rows}
        {1}
    """
    from mohs.core.values import sealed
    from mohs.protocols.conduct import find_study, stored_verdict
    from mohs.protocols.correlate.correlation import correlate_studies
    from mohs.protocols.experiment.study import PROTOCOL
    from mohs.protocols.experiment.verdict import ExperimentVerdict
    from mohs.runs.store import open_store

    def found(study: object) -> ExperimentVerdict:
        if isinstance(study, str):
            with open_store(store, create=False) as opened:
                study = stored_verdict(opened, find_study(opened, study, PROTOCOL))
        if not isinstance(study, ExperimentVerdict):
            raise UsageError(f"a study must be the verdict of a study file, or the name or key of one, not {study!r}.")
        return study

    if isinstance(studies, str) or not isinstance(studies, Sequence) or len(studies) < 2:
        raise UsageError("studies must be a list of two or more: toy studies, then the complex one.")
    *toys, complex_ = map(found, studies)
    if not any(study.stored for study in (*toys, complex_)):
        return correlate_studies(toys, complex_, measure)
    with sealed():
        return correlate_studies(toys, complex_, measure).read_only()
