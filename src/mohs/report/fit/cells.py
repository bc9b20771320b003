"""What can be written into the cells of a map when they get narrow? The interval breaks, shrinks, and goes last."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mohs.report.fit import texts

SIZE, SMALLEST = 12.0, 6.5
_INTERVAL = re.compile(r"\[([^\],]+), ([^\],]+)\]")
_BOLD = re.compile(r"<b>.*?</b>")


def fit_cells(written: Sequence[Sequence[str]], room: float) -> tuple[list[list[str]], float]:
    """The texts of a map whose cells are `room` pixels wide, and the height that a cell needs."""
    whole = [[str(text) for text in row] for row in written]
    broken = [[_broken(text) for text in row] for row in whole]
    small = [[text.replace("font-size:10px", "font-size:8px") for text in row] for row in broken]
    values = [[_value(text) for text in row] for row in whole]
    for found in (whole, broken, small, values):
        if all(texts.width(text, SIZE) <= room - 4 for row in found for text in row):
            break
    else:
        share = (room - 4) / max(texts.width(text, SIZE) for row in values for text in row)
        if SIZE * share < SMALLEST:  # nobody could read it; colours and hover texts tell
            return [[""] * len(row) for row in values], 0.0
        found = [[f"<span style='font-size:{SIZE * share:.0f}px'>{text}</span>" for text in row] for row in values]
    return found, 10 + max(texts.height(text, SIZE) for row in found for text in row)


def _broken(text: str) -> str:
    """Its interval on two lines, in the size that a tag sets for both."""
    return _INTERVAL.sub(r"[\1,<br>\2]", text)


def _value(text: str) -> str:
    found = _BOLD.search(text)
    return found.group(0) if found else text
