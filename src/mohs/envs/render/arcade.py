"""What does a game of the arcade look like? What the agent sees as pixels, and what the classes are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mohs.core.task import Task
from mohs.engines.arcade.boards import CELLS, SIDE
from mohs.engines.arcade.fleet import classes
from mohs.engines.arcade.looks import GROUND, LOOKS
from mohs.envs.fleets import Address
from mohs.envs.render import frame as f
from mohs.envs.render.boards import EDGE
from mohs.envs.render.canvas import Canvas
from mohs.envs.render.episode import Episode
from mohs.envs.render.frame import Panel
from mohs.envs.views.arcade import Pixels


def picture(episode: Episode) -> npt.NDArray[np.uint8]:
    """A state of the episode is what the engine observes."""
    names, state = classes(episode.task).names, episode.states[-1]
    signs = [(f.box_sign(colour(name)), name.replace("_", " ")) for name in names]
    canvas, panels = f.frame(episode, 2, signs)
    f.aside(canvas, "steps left", str(max(0, episode.task["max_episode_steps"] - episode.step)))
    f.title(canvas, panels[1], "classes")
    _grid(canvas, panels[0], screen(episode.task, state))
    codes = np.array([GROUND, *(LOOKS[name][1] for name in names)])
    cells = codes[state[:CELLS]]
    _grid(canvas, panels[1], cells.reshape(SIDE, SIDE, 3))
    return canvas.finished()


def screen(task: Task, state: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The pixels of a state."""
    none = np.zeros(1, dtype=np.int32)
    view = Pixels(classes(task).names, [task])
    pixels = view(state[None], Address(none, none.astype(np.uint64), none, none))
    return np.asarray(pixels[0])


def colour(name: str) -> str:
    """The first colour of a thing in the first theme."""
    return "#{:02x}{:02x}{:02x}".format(*LOOKS[name][1])


def _grid(canvas: Canvas, panel: Panel, pixels: npt.NDArray[np.integer]) -> None:
    """Pixels [n, n, 3] as squares."""
    size = (f.SIDE - 2 * EDGE) / len(pixels)
    left, top = panel.left + EDGE, panel.top + EDGE
    for i, row in enumerate(pixels.tolist()):
        for j, channels in enumerate(row):
            at = (left + j * size, top + i * size)
            canvas.box(at, (at[0] + size, at[1] + size), "#{:02x}{:02x}{:02x}".format(*channels))
