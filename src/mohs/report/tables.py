"""How is a table written? As data, for the terminal, a notebook, a spreadsheet and a paper alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from mohs.report import latex
from mohs.report.data import csv_text
from mohs.report.files import slug


@dataclass(frozen=True)
class TextTable:
    """A title, the heads of the columns, and rows of texts.

    Example:
        >>> from mohs.report.tables import TextTable
        >>> table = TextTable("Scores", ("agent", "score"), [("dqn", "0.361 [0.340, 0.382]")])
        >>> print(table.csv(), end="")
        agent,score
        dqn,"0.361 [0.340, 0.382]"
        >>> r"\\toprule" in table.latex()
        True
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def html(self) -> str:
        """As an HTML table with its title."""
        heads = "".join(f"<th>{escape(column)}</th>" for column in self.columns)
        lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self.rows)
        return f"<h4>{escape(self.title)}</h4><table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"

    def latex(self) -> str:
        """As a floating LaTeX table, which needs the package booktabs."""
        return latex.table(self.title, self.columns, self.rows, f"tab:{slug(self.title.partition(',')[0]).lower()}")

    def csv(self) -> str:
        """As comma-separated values; a minus is the hyphen that programs read."""
        plain = [[cell.replace("−", "-") for cell in row] for row in self.rows]
        return csv_text(self.columns, plain)
