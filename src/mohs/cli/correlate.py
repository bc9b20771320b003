"""How are toy studies held against a complex one? The command that correlates what the store holds of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mohs.cli.options import DEFAULT_STORE, REPORTS, AsJson, Png, StoreUrl
from mohs.cli.output import check_directory, print_json
from mohs.cli.studies import outcome_of
from mohs.core.errors import UsageError


def correlate(
    studies: Annotated[
        list[str], typer.Argument(help="Studies by name or key: one toy study or several, the complex one last.")
    ],
    measure: Annotated[
        str | None, typer.Option(help="What both are measured by; the first figure of each study by default.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Directory of the report.")] = REPORTS / "correlation",
    store: StoreUrl = DEFAULT_STORE,
    png: Png = False,
    as_json: AsJson = False,
) -> None:
    """Do toy studies order the doses as a complex one does? Rank correlations over doses paired by their order."""
    from mohs.protocols.correlate import correlate as find_correlation
    from mohs.report.correlations import HEAD, cells, write_correlation
    from mohs.report.terminal import show_table
    from mohs.runs.status import find
    from mohs.runs.store import open_store

    if len(studies) < 2:
        raise UsageError("two studies at least are correlated: toy studies, then the complex one.")
    check_directory(out)
    with open_store(store, create=False) as opened:
        *toys, complex_ = (outcome_of(opened, find(opened, name).key) for name in studies)
    found = find_correlation(toys, complex_, measure)
    path = write_correlation(found, out, png=png)
    if as_json:
        print_json({**found.to_json(), "report": str(path)})
        return
    print(found.headline)
    show_table("Rank correlations over doses, paired by their order", HEAD, [cells(row) for row in found.rows])
    print(f"Report: {path}")
