"""How do several agents look in every figure? One colour and symbol each, names that fit a phone."""

from __future__ import annotations

import math
import textwrap

import plotly.graph_objects as go

from mohs.report.figures.marks import escaped
from mohs.report.theme import LIGHT, blank

COLOURS = (LIGHT.accent, LIGHT.second, *(LIGHT.actions[i] for i in (2, 3, 1, 6, 7, 4)))
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star", "triangle-down", "hexagon", "cross")
DASHES = ("solid", "dot", "dash", "dashdot", "longdash")
LONGEST = 24  # characters of a name in a figure
LINE = 140  # characters of a note that fit beside each other; narrow figures break it anew
LEGEND_COLUMNS = 2  # names beside each other in 400 pixels


def colour(agent: int) -> str:
    return COLOURS[agent % len(COLOURS)]


def symbol(agent: int) -> str:
    return SYMBOLS[agent % len(SYMBOLS)]


def dash(agent: int) -> str:
    return DASHES[agent % len(DASHES)]


def short(name: str, longest: int = LONGEST) -> str:
    """A name as figures show it: both ends of a long one."""
    head = longest // 2
    return escaped(name if len(name) <= longest else f"{name[:head]}…{name[head + 1 - longest :]}")


def letter(agent: int) -> str:
    """A, B, ... Z, A1, B1, ..."""
    return chr(ord("A") + agent % 26) + (str(agent // 26) if agent >= 26 else "")


def rim(highest: float) -> float:
    """The end of an axis of scores from 0 to 1: the next quarter above the highest."""
    return min(1.0, max(0.25, math.ceil(4 * highest) / 4))


def broken(note: str) -> str:
    """A note in lines that fit a wide figure."""
    return "<br>".join(textwrap.wrap(note, LINE, break_long_words=False))


def narrow(height: int, note: str, *, legend: int = 0, bottom: int = 46, left: int = 16) -> go.Figure:
    """An empty figure with a note, and room for a legend of so many names."""
    text = broken(note)
    top, below = 28 + 16 * (1 + text.count("<br>")), bottom + 22 * -(-legend // LEGEND_COLUMNS)
    figure = blank(top + height + below, text)
    figure.update_layout(title={"x": 0, "xref": "container", "pad": {"t": 20, "l": 14}})
    figure.update_layout(margin={"t": top, "b": below, "l": left, "r": 16})
    return figure
