"""What does a paper take from a report? Figures sized for a column, tables as LaTeX, methods and references."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import plotly.graph_objects as go

from mohs.core.errors import UsageError
from mohs.report.files import write
from mohs.report.methods import Methods
from mohs.report.pictures import find_browser, paper_pictures
from mohs.report.tables import TextTable

FOLDER = "paper"
COLUMN = 3.25  # inches of one column of most conferences; two are 6.75
NARROWEST, WIDEST = 2.0, 20.0


def check_paper(inches: float | None) -> None:
    """Raises UsageError where no such figures can be drawn: a width that no paper has, or no browser."""
    if inches is None:
        return
    if not NARROWEST <= inches <= WIDEST:
        raise UsageError(
            f"paper is {inches:g}, but must be the width of a figure in inches, {NARROWEST:g} to {WIDEST:g}: "
            f"{COLUMN} for one column, 6.75 for two."
        )
    find_browser()


def write_paper(
    figures: Mapping[str, go.Figure],
    tables: Mapping[str, TextTable],
    methods: Methods,
    directory: Path,
    inches: float = COLUMN,
) -> Path:
    """Writes `figures/`, `tables/`, `methods.tex`, `methods.txt` and `references.bib`; returns the directory."""
    check_paper(inches)
    for name, table in tables.items():
        write(directory / "tables" / f"{name}.tex", table.latex())
        write(directory / "tables" / f"{name}.csv", table.csv())
    write(directory / "methods.tex", methods.latex())
    write(directory / "methods.txt", f"{methods}\n")
    write(directory / "references.bib", methods.bibtex())
    paper_pictures(figures, directory / "figures", inches)
    return directory
