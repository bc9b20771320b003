"""What does an agent see in each view? One screen of every game, the same moment in all views."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.core.errors import MohsError
from mohs.core.task import Task
from mohs.core.views import Encoding
from mohs.envs.entries.custom import CUSTOM
from mohs.envs.make import make
from mohs.protocols.lcd.conditions import FIGURE_GROUND, PIXELS, SEMANTIC
from mohs.protocols.lcd.verdict import LcdVerdict
from mohs.report.figures.looks import short
from mohs.report.theme import LIGHT, dress, heading

Bytes = npt.NDArray[np.uint8]
STEPS = 12  # of random play before the screen is taken
MOST, SIDE = 8, 210  # games, and pixels of a screen
VIEWS = (PIXELS, FIGURE_GROUND, SEMANTIC)


@dataclass(frozen=True, eq=False)
class Screens:
    """Pictures [height, width, 3], game by game and view by view."""

    games: tuple[str, ...]
    pictures: tuple[tuple[Bytes, ...], ...]


def screens(verdict: LcdVerdict) -> Screens | None:
    """None where no environment can be made here; what a user's file defines is not imported for a picture."""
    found: dict[str, tuple[Bytes, ...]] = {}
    for name, task in verdict.study.games[:MOST]:
        if CUSTOM.find(task.env) is not None:
            continue
        try:
            found[name] = tuple(screen(task, view) for view in VIEWS)
        except MohsError:
            continue
    return Screens(tuple(found), tuple(found.values())) if found else None


def screen(task: Task, view: str) -> Bytes:
    """The screen after a few random steps; ids in colours."""
    seen_as = task.replace(view=view, view_encoding=str(Encoding.SCALAR))
    env: Any = make(seen_as)
    seen, _ = env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(STEPS):
        seen, _, terminated, truncated, _ = env.step(int(rng.integers(env.action_space.n)))
        if terminated or truncated:
            seen, _ = env.reset()
    env.close()
    picture = np.asarray(seen, dtype=np.uint8)
    return picture if view == PIXELS else _coloured(picture[..., 0])


def _coloured(shades: Bytes) -> Bytes:
    """Every shade in a colour of its own; the ground is dark."""
    palette = [LIGHT.ink, *LIGHT.actions]
    colours = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in palette], dtype=np.uint8)
    known = np.unique(shades)
    ranks = np.searchsorted(known, shades) + (0 if known[0] == 0 else 1)
    return colours[np.where(ranks == 0, 0, 1 + (ranks - 1) % (len(palette) - 1))]


def screen_figure(data: Screens) -> go.Figure:
    """A row for each game, a column for each view."""
    rows, columns = len(data.games), len(VIEWS)
    figure = make_subplots(rows=rows, cols=columns, horizontal_spacing=0.02, vertical_spacing=0.24 / max(rows, 2))
    dress(figure, 90 + (SIDE + 40) * rows, "what the agent sees: pixels, figure and ground, classes")
    figure.update_layout(margin={"t": 70, "b": 16, "l": 16, "r": 16})
    for i, (game, pictures) in enumerate(zip(data.games, data.pictures, strict=True)):
        for j, (view, picture) in enumerate(zip(VIEWS, pictures, strict=True)):
            number = i * columns + j
            axis = "" if number == 0 else str(number + 1)
            figure.add_trace(go.Image(z=picture, hoverinfo="skip"), row=i + 1, col=j + 1)
            title = short(game) if j == 0 else view.replace("_", "/")
            figure.add_annotation(heading(title, 0, 1, f"x{axis} domain", f"y{axis} domain"))
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return figure
