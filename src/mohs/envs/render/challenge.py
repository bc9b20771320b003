"""What does a puzzle or a game look like? Its board, the steps that are left, and how it ended.

When a game is over its state shows nothing any more, so the last board is shown with the result.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mohs.envs.render import canvas as c
from mohs.envs.render import frame as f
from mohs.envs.render.boards import BOARDS
from mohs.envs.render.episode import Episode
from mohs.tables.challenge.cache import END, Stored, stored
from mohs.tables.challenge.grid import Kind, candidate

_RESULTS = {1: "won", 0: "drawn", -1: "lost"}


def picture(episode: Episode) -> npt.NDArray[np.uint8]:
    """A state of the episode is its number."""
    task = episode.task
    mdp, about = stored(task["mdp"]), candidate(task["mdp"])
    draw, signs = BOARDS[about.source]
    canvas, (panel,) = f.frame(episode, 1, signs)
    states = [int(state[0]) for state in episode.states]
    over, game = is_end(mdp, states[-1]), about.kind == Kind.GAME
    if over and game:
        f.aside(canvas, "game", _RESULTS[int(np.sign(round(episode.total)))])
    elif over:
        f.aside(canvas, "puzzle", "solved")
    else:
        f.aside(canvas, "steps left", str(max(0, task["max_episode_steps"] - episode.step)))
    if over and game and len(states) > 1:
        states.pop()
        canvas.text((panel.centre[0], panel.top + f.SIDE - 12), "before the last move", 12, c.MUTED)
    draw(canvas, panel, mdp.cells[states[-1]].reshape(mdp.shape))
    return canvas.finished()


def is_end(mdp: Stored, state: int) -> bool:
    """Whether a state is terminal: its actions lead to itself, which is the end."""
    return bool(mdp.entries["next"][state * mdp.actions] == np.uint32(state) | END)
