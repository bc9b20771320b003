"""What is in the replay buffer of a recurrent learner? A ring of moments, from which sequences are drawn.

A moment is what was seen, done and earned, and what the network remembered when it saw it. The last frame of an episode
takes a slot of its own in which nothing is done, so the slot after such a one begins an episode. A sequence is any run
of slots, drawn uniformly; it may go from one episode into the next (R2D2, Kapturowski et al. 2019, stops there).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mohs.agents.deep.draws import Draws
from mohs.agents.deep.frames import frames
from mohs.agents.stage import Array

NAMES = ("_actions", "_rewards", "_memories", "_acts", "_lives")


class Sequences(NamedTuple):
    """Sequences of moments [cells, batch, time] and the memory [cells, batch, ...] before the first of them.

    `acts` says where something was done, which earned `reward`; `lives` where the next moment's value counts too.
    `last_action` and `last_reward` are those of the moment before, which mean nothing where an episode begins.
    """

    frame: Array
    begins: npt.NDArray[np.bool_]
    last_action: Array
    last_reward: npt.NDArray[np.float32]
    action: Array
    reward: npt.NDArray[np.float32]
    acts: npt.NDArray[np.bool_]
    lives: npt.NDArray[np.bool_]
    memory: npt.NDArray[np.float32]


class SequenceReplay:
    """The replay buffers of a pack. `frame` is the shape and type of a stored frame, `memory` the width of a
    stored recurrent state; with `memory` 0 none is stored, and sequences start from zeros.
    """

    def __init__(self, cells: int, capacity: int, frame: tuple[Sequence[int], npt.DTypeLike], memory: int) -> None:
        slots = capacity + 2  # one for the frame after the newest, one for the last of an episode
        self._slots = slots
        self._frames = frames(cells, slots, *frame)
        self._actions = np.zeros((cells, slots), dtype=np.int64)
        self._rewards = np.zeros((cells, slots), dtype=np.float32)
        self._memories = np.zeros((cells, slots, memory), dtype=np.float32)
        self._acts = np.zeros((cells, slots), dtype=np.bool_)
        self._lives = np.zeros((cells, slots), dtype=np.bool_)
        self._head = np.zeros(cells, dtype=np.int64)  # the slot to write next; the frame after the newest is there
        self._size = np.zeros(cells, dtype=np.int64)
        self._rows = np.arange(cells)

    def add(
        self,
        before: Array,
        memory: npt.NDArray[np.float32],
        action: npt.NDArray[np.int64],
        reward: npt.NDArray[Any],
        after: Array,
        terminated: npt.NDArray[np.bool_],
        truncated: npt.NDArray[np.bool_],
    ) -> None:
        """Stores a step of every cell; frames as they are stored."""
        here = self._rows, self._head
        # Elsewhere the frame lies there already: it came after the last step.
        begins = np.flatnonzero(~self._acts[self._rows, self._head - 1])
        self._frames.put(begins, self._head[begins], before[begins])
        self._memories[here] = memory[:, : self._memories.shape[2]]
        self._actions[here], self._rewards[here] = action, reward
        self._acts[here], self._lives[here] = True, ~terminated
        self._move(np.ones(len(self._rows), dtype=np.int64))
        self._frames.put(self._rows, self._head, after)
        self._move((terminated | truncated).astype(np.int64))

    def cut(self) -> None:
        """What comes next does not follow from what came last."""
        self._move(self._acts[self._rows, self._head - 1].astype(np.int64))

    def sample(self, draws: Draws, batch: int, steps: int) -> Sequences:
        """Sequences of this many steps and the moment after them."""
        first = self._head - self._size
        places = self._size - steps + 1
        drawn = (draws.uniform(batch).astype(np.float64) * places[:, None]).astype(np.int64)
        start = first[:, None] + drawn
        at = (start[..., None] + np.arange(steps + 1)) % self._slots
        rows, before = self._rows[:, None, None], (at - 1) % self._slots
        seen = self._frames.take(at.reshape(len(at), -1))
        return Sequences(
            frame=seen.reshape(*at.shape, *seen.shape[2:]),
            # The slot before the oldest is the head, where nothing has been done either.
            begins=~self._acts[rows, before],
            last_action=self._actions[rows, before],
            last_reward=self._rewards[rows, before],
            action=self._actions[rows, at],
            reward=self._rewards[rows, at],
            acts=self._acts[rows, at],
            lives=self._lives[rows, at],
            memory=self._memories[rows[..., 0], at[..., 0]],
        )

    def save(self, i: int) -> dict[str, Any]:
        kept = self._kept(i)
        arrays = {name: getattr(self, name)[i, kept] for name in NAMES}
        return {"head": self._head[i], "size": self._size[i], "frames": self._frames.save(i, kept), **arrays}

    def load(self, i: int, state: dict[str, Any]) -> None:
        self._head[i], self._size[i] = state["head"], state["size"]
        kept = self._kept(i)
        self._frames.load(i, kept, state["frames"])
        for name in NAMES:
            getattr(self, name)[i] = 0
            getattr(self, name)[i, kept] = state[name]

    def _kept(self, i: int) -> npt.NDArray[np.int64]:
        """The slots in use and the head."""
        kept: npt.NDArray[np.int64] = self._head[i] - self._size[i] + np.arange(self._size[i] + 1)
        return kept % self._slots

    def _move(self, by: npt.NDArray[np.int64]) -> None:
        """Heads go on by one slot or none, and nothing is done yet where they stand."""
        self._head = (self._head + by) % self._slots
        self._size = np.minimum(self._size + by, self._slots - 1)
        self._acts[self._rows, self._head] = False
