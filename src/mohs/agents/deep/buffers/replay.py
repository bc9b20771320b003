"""What is in the replay buffer? A ring of frames for each cell, from which n-step transitions are drawn.

Every frame is stored once: a transition starts in a slot and leads to a later one. Only where an episode is cut off
does its last frame take a slot of its own, from which no transition starts. A sample is drawn uniformly, or in
proportion to its priority (Schaul et al. 2016), from the stream of its cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mohs.agents.deep.buffers import replay_kernels as kernels
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.frames import frames
from mohs.agents.stage import Array, Step

_ARRAYS = ("_actions", "_rewards", "_ends")


class Batch(NamedTuple):
    """n-step transitions [cells, batch].

    `discount` is γ to the number of steps, and 0 where the episode had ended: then `after` is of another. `slot` is
    their place in the buffer, `weight` the importance weight of prioritised replay.
    """

    before: Array
    action: Array
    n_step_return: npt.NDArray[np.float32]
    after: Array
    discount: npt.NDArray[np.float32]
    slot: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float32]


class Replay:
    """The replay buffers of a pack. `frame` and `action` are the shape and type of what is stored of each.

    `capacity` counts slots: transitions, and last frames of truncated episodes.
    """

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
        # A step that is cut off takes two; the frame after the newest lies in one of its own.
        self._slots = slots = max(capacity, 2) + 1
        self._frames = frames(cells, slots, *frame)
        self._actions = np.zeros((cells, slots, *action[0]), dtype=action[1])
        self._rewards = np.zeros((cells, slots), dtype=np.float32)
        self._ends = np.full((cells, slots), kernels.NO_START, dtype=np.uint8)
        self._heads = np.zeros((cells, 2), dtype=np.int64)  # the slot to write next, and how many are in use
        self._alpha = alpha
        leaves = 1 << (slots - 1).bit_length()
        self._tree = np.zeros((cells, 2 * leaves if prioritised else 0))
        self._largest = np.ones(cells)
        self._cells = np.arange(cells)

    def add(self, before: Array, action: Array, step: Step) -> None:
        """Stores a step of every cell; `before` and `action` as they are stored, `step.after` too."""
        at = self._heads[:, 0].copy()
        # Elsewhere the frame lies there already: it came after the last step.
        begins = np.flatnonzero(self._ends[self._cells, at - 1] != kernels.WENT_ON)
        if len(begins):
            self._frames.put(begins, at[begins], before[begins])
        self._actions[self._cells, at] = action
        kernels.add(
            self._heads, self._rewards, self._ends, self._tree, self._largest, step.reward, step.terminated,
            step.truncated,
        )  # fmt: skip
        self._frames.put(self._cells, (at + 1) % self._slots, step.after)

    def cut(self) -> None:
        """What comes next does not follow from what came last."""
        kernels.cut(self._heads, self._ends, self._tree)

    def sample(self, draws: Draws, batch: int, n: int, gamma: float, beta: float = 1.0) -> Batch:
        shape = len(self._cells), batch
        slot, after = np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.int64)
        returns, discount = np.empty(shape, dtype=np.float32), np.empty(shape, dtype=np.float32)
        weight = np.ones(shape, dtype=np.float32)
        kernels.sample(
            draws.keys, draws.next(), self._heads, self._rewards, self._ends, self._tree, n, gamma, beta, slot,
            after, returns, discount, weight,
        )  # fmt: skip
        action = self._actions[self._cells[:, None], slot]
        return Batch(self._frames.take(slot), action, returns, self._frames.take(after), discount, slot, weight)

    def prioritise(self, slot: npt.NDArray[np.int64], error: npt.NDArray[Any]) -> None:
        """New priorities from the absolute errors of transitions."""
        priority = (np.abs(error) + 1e-6) ** self._alpha
        kernels.prioritise(self._tree, self._largest, slot, priority.astype(np.float64))

    def save(self, i: int) -> dict[str, Any]:
        kept = self._kept(i)
        leaves = self._tree.shape[1] // 2
        return {
            "head": self._heads[i].tolist(),
            "frames": self._frames.save(i, kept),
            "priorities": self._tree[i, leaves + kept] if leaves else None,
            "largest": self._largest[i],
            **{name: getattr(self, name)[i, kept] for name in _ARRAYS},
        }

    def load(self, i: int, state: dict[str, Any]) -> None:
        self._heads[i] = state["head"]
        kept = self._kept(i)
        self._ends[i] = kernels.NO_START
        self._frames.load(i, kept, state["frames"])
        for name in _ARRAYS:
            getattr(self, name)[i, kept] = state[name]
        self._largest[i] = state["largest"]
        if state["priorities"] is not None:
            kernels.fill_tree(self._tree[i], kept, state["priorities"])

    def _kept(self, i: int) -> npt.NDArray[np.int64]:
        """The slots in use, from the oldest to that of the frame after the newest."""
        head, size = self._heads[i].tolist()
        return np.array((head - size + np.arange(size + 1)) % self._slots, dtype=np.int64)
