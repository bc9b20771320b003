"""What does an agent see? One screen of every game, the same moment in all views, and in the masks of a front-end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.core.errors import MohsError
from mohs.core.task import Task, members
from mohs.core.views import Encoding
from mohs.envs.entries.custom import CUSTOM
from mohs.envs.make import make
from mohs.protocols.lcd.conditions import FIGURE_GROUND, PIXELS, SEMANTIC, Remedy, held_out
from mohs.protocols.lcd.verdict import LcdVerdict
from mohs.report.figures.looks import short
from mohs.report.theme import LIGHT, dress, heading

Bytes = npt.NDArray[np.uint8]
STEPS = 12  # of random play before the screen is taken
MOST, SIDE = 8, 210  # games, and pixels of a screen
VIEWS = (PIXELS, FIGURE_GROUND, SEMANTIC)
GROUND, *COLOURS = ([int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in (LIGHT.ink, *LIGHT.actions))


@dataclass(frozen=True, eq=False)
class Screens:
    """Pictures [height, width, 3], game by game and column by column."""

    title: str
    columns: tuple[str, ...]
    games: tuple[str, ...]
    pictures: tuple[tuple[Bytes, ...], ...]


def screens(verdict: LcdVerdict) -> Screens | None:
    """None where no environment can be made here."""
    found = _pictured(verdict, lambda task: tuple(screen(task, view) for view in VIEWS))
    columns = tuple(view.replace("_", "/") for view in VIEWS)
    return Screens("what the agent sees: pixels, figure and ground, classes", columns, *found) if found else None


def masks(verdict: LcdVerdict) -> Screens | None:
    """Held-out levels as the pretrained front-ends see them, and the true figures; None where there is none."""
    if Remedy.MOTION not in verdict.study.remedies:
        return None
    from mohs.agents.deep.front_end.pictures import PANELS, panels
    from mohs.agents.deep.front_end.pretrain import pretrained

    def seen(task: Task) -> tuple[Bytes, ...] | None:
        front_end, held = pretrained(task), members(held_out(task))[0][0]
        return None if front_end is None else panels(front_end, screen(held, PIXELS), _figure(held))

    found = _pictured(verdict, seen)
    title = "what the front-end sees on held-out levels, beside the true figures"
    return Screens(title, PANELS, *found) if found else None


def _pictured(
    verdict: LcdVerdict, draw: Callable[[Task], tuple[Bytes, ...] | None]
) -> tuple[tuple[str, ...], tuple[tuple[Bytes, ...], ...]] | None:
    """The games that can be made here, and their pictures; what a user's file defines is not imported for them."""
    found: dict[str, tuple[Bytes, ...]] = {}
    for name, task in verdict.study.games[:MOST]:
        if CUSTOM.find(task.env) is not None:
            continue
        try:
            pictures = draw(task)
        except MohsError:
            continue
        if pictures is not None:
            found[name] = pictures
    return (tuple(found), tuple(found.values())) if found else None


def screen(task: Task, view: str) -> Bytes:
    """The screen after a few random steps; classes in colours, over a dark ground."""
    seen, top = _look(task, view)
    return seen if view == PIXELS else _coloured(seen / top)


def _look(task: Task, view: str) -> tuple[Bytes, int]:
    """What is observed in a view, with planes of classes, and the largest value of it."""
    env: Any = make(task.replace(view=view, view_encoding=str(Encoding.ONE_HOT)))
    seen, _ = env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(STEPS):
        seen, _, terminated, truncated, _ = env.step(int(rng.integers(env.action_space.n)))
        if terminated or truncated:
            seen, _ = env.reset()
    env.close()
    return np.asarray(seen, dtype=np.uint8), int(env.observation_space.high.max())


def _figure(task: Task) -> npt.NDArray[np.bool_]:
    """What is figure [height, width] on that screen: at least half of what a pixel stands for."""
    planes, top = _look(task, FIGURE_GROUND)
    figure: npt.NDArray[np.bool_] = 2 * planes.sum(0, dtype=np.int64) >= top
    return figure


def _coloured(shares: npt.NDArray[np.float64]) -> Bytes:
    """Classes [classes, height, width] in colours, as far as they cover a pixel; those in sight differ most."""
    there = shares[shares.any((1, 2))]
    colours = np.array([COLOURS[i % len(COLOURS)] for i in range(len(there))]).reshape(-1, 3)
    ground = (1 - there.sum(0))[..., None] * GROUND
    picture: Bytes = np.rint(ground + np.einsum("khw,kc->hwc", there, colours)).astype(np.uint8)
    return picture


def screen_figure(data: Screens) -> go.Figure:
    """A row for each game, a column for each kind of picture."""
    rows, columns = len(data.games), len(data.columns)
    figure = make_subplots(rows=rows, cols=columns, horizontal_spacing=0.02, vertical_spacing=0.24 / max(rows, 2))
    dress(figure, 90 + (SIDE + 40) * rows, data.title)
    figure.update_layout(margin={"t": 70, "b": 16, "l": 16, "r": 16})
    for i, (game, pictures) in enumerate(zip(data.games, data.pictures, strict=True)):
        for j, (column, picture) in enumerate(zip(data.columns, pictures, strict=True)):
            number = i * columns + j
            axis = "" if number == 0 else str(number + 1)
            figure.add_trace(go.Image(z=picture, hoverinfo="skip"), row=i + 1, col=j + 1)
            title = short(game) if j == 0 else column
            figure.add_annotation(heading(title, 0, 1, f"x{axis} domain", f"y{axis} domain"))
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return figure
