"""How is a table written? As data, for the terminal and for a notebook alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class TextTable:
    """A title, the heads of the columns, and rows of texts."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def html(self) -> str:
        heads = "".join(f"<th>{escape(column)}</th>" for column in self.columns)
        lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self.rows)
        return f"<h4>{escape(self.title)}</h4><table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"
