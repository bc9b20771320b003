"""What can be typed after `mohs run` and `mohs studies`?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mohs.protocols.options import AsJson

if TYPE_CHECKING:
    from mohs.protocols.experiment.study import Experiment


def ask(
    study: Annotated[str, typer.Argument(help="A study file (TOML, YAML or JSON), or the name of a shipped study.")],
    size: Annotated[
        str | None, typer.Option(help="One of the study's sizes: quick where there is one, or paper.")
    ] = None,
) -> Experiment:
    """Carry out a study and write its report. The same command resumes it."""
    from mohs.protocols.experiment.files import read_study

    return read_study(study, size)


def studies(as_json: AsJson = False) -> None:
    """List the studies that come with mohs; `mohs run NAME` runs one."""
    from mohs.core.data_files import shipped
    from mohs.protocols.experiment.files import SHIPPED, describe
    from mohs.report.terminal import print_json, show_table

    found = [describe(name) for name in shipped(SHIPPED)]
    if as_json:
        print_json(found)
        return
    rows = [(f["name"], f["question"], ", ".join(f["agents"]), ", ".join(f["sizes"]), f["source"]) for f in found]
    show_table("Studies", ("study", "question", "agents", "sizes", "source"), rows)
