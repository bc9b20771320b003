"""What does a learner remember? A ring of frames for each cell, from which n-step transitions are drawn.

Every frame is stored once: a transition starts in a slot and leads to a later one. Only where an episode is cut off
does its last frame take a slot of its own, from which no transition starts. A sample is drawn uniformly, or in
proportion to its priority (Schaul et al. 2016), from the stream of its cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mohs.agents.deep import replay_kernels as kernels
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.stage import Array, Step


class Batch(NamedTuple):
    """Transitions [cells, batch]: what was seen, done, earned in n steps; what was seen then and what it counts.

    `discount` is γ to the number of steps, and 0 where the episode had ended. `slot` says where they lie and `weight`
    how much they count to make up for the way in which they were drawn.
    """

    before: Array
    action: Array
    gain: npt.NDArray[np.float32]
    after: Array
    discount: npt.NDArray[np.float32]
    slot: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float32]


class Replay:
    """The memories of a pack. `frame` and `action` are the shape and type of what is stored of each."""

    def __init__(
        self,
        cells: int,
        capacity: int,
        frame: tuple[Sequence[int], npt.DTypeLike],
        action: tuple[Sequence[int], npt.DTypeLike],
        *,
        prioritised: bool = False,
        alpha: float = 0.5,
    ) -> None:
        slots = capacity + 2  # one for the frame after the newest, one for a cut
        self._frames = np.zeros((cells, slots, *frame[0]), dtype=frame[1])
        self._actions = np.zeros((cells, slots, *action[0]), dtype=action[1])
        self._rewards = np.zeros((cells, slots), dtype=np.float32)
        self._ends = np.full((cells, slots), kernels.NO_START, dtype=np.uint8)
        self._heads = np.zeros((cells, 2), dtype=np.int64)  # the slot to write next, and how many are in use
        self._alpha = alpha
        leaves = 1 << (slots - 1).bit_length()
        self._tree = np.zeros((cells, 2 * leaves if prioritised else 0))
        self._largest = np.ones(cells)
        self._rows = np.arange(cells)[:, None]

    def __len__(self) -> int:
        """How many slots are in use in the emptiest memory."""
        return int(self._heads[:, 1].min())

    def add(self, before: Array, action: Array, step: Step) -> None:
        """Remembers a step of every cell; `before` and `action` as they are stored, `step.after` too."""
        kernels.add(
            self._heads, self._rewards, self._ends, self._tree, self._largest, step.reward, step.terminated,
            step.truncated,
        )  # fmt: skip
        here = self._heads[:, 0]
        rows = self._rows[:, 0]
        slots = self._frames.shape[1]
        cut = step.truncated & ~step.terminated
        at = (here - 1 - cut) % slots
        self._frames[rows, at] = before
        self._actions[rows, at] = action
        self._frames[rows, (at + 1) % slots] = step.after

    def cut(self) -> None:
        """What comes next does not follow from what came last."""
        kernels.cut(self._heads, self._ends, self._tree)

    def sample(self, draws: Draws, batch: int, n: int, discount: float, beta: float = 1.0) -> Batch:
        cells = len(self._frames)
        slot, after = np.empty((cells, batch), dtype=np.int64), np.empty((cells, batch), dtype=np.int64)
        gain, left = np.empty((cells, batch), dtype=np.float32), np.empty((cells, batch), dtype=np.float32)
        weight = np.ones((cells, batch), dtype=np.float32)
        kernels.sample(
            draws.keys, draws.next(), self._heads, self._rewards, self._ends, self._tree, n, discount, beta, slot,
            after, gain, left, weight,
        )  # fmt: skip
        rows = self._rows
        return Batch(
            self._frames[rows, slot], self._actions[rows, slot], gain, self._frames[rows, after], left, slot, weight
        )

    def prioritise(self, slot: npt.NDArray[np.int64], error: npt.NDArray[Any]) -> None:
        """New priorities from the absolute errors of transitions."""
        priority = (np.abs(error) + 1e-6) ** self._alpha
        kernels.prioritise(self._tree, self._largest, slot, priority.astype(np.float64))

    def save(self, i: int) -> dict[str, Any]:
        head, size = self._heads[i].tolist()
        kept = (head - size + np.arange(size + 1)) % self._frames.shape[1]  # and the frame after the newest
        names = ("_frames", "_actions", "_rewards", "_ends")
        state = {name: getattr(self, name)[i, kept] for name in names}
        leaves = self._tree.shape[1] // 2
        priorities = self._tree[i, leaves + kept] if leaves else None
        return {"head": (head, size), "priorities": priorities, "largest": self._largest[i], **state}

    def load(self, i: int, state: dict[str, Any]) -> None:
        head, size = self._heads[i] = state["head"]
        kept = (head - size + np.arange(size + 1)) % self._frames.shape[1]
        for name in ("_frames", "_actions", "_rewards", "_ends"):
            getattr(self, name)[i, kept] = state[name]
        self._largest[i] = state["largest"]
        if state["priorities"] is not None:
            kernels.fill_tree(self._tree[i], kept, state["priorities"])
