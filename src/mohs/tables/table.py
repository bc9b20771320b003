"""What is a finite MDP? A table: every state, every action, where it leads and what it pays."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError

Float = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A finite MDP as arrays. Row `state · actions + action` leads to the entries `indptr[row] : indptr[row + 1]`.

    In a deterministic table `indptr` and `prob` are None and row r has the one entry r. Terminal states end the
    episode: nothing is earned after entering one. `observation` is what an agent sees in a state, `reward` the
    expected reward of an entry.
    """

    actions: int
    succ: npt.NDArray[np.int32]
    reward: Float
    terminal: npt.NDArray[np.bool_]
    initial: Float
    observation: npt.NDArray[np.int32]
    horizon: int | None = None
    discount: float = 1.0
    indptr: npt.NDArray[np.int64] | None = None
    prob: Float | None = None
    action_names: tuple[str, ...] = ()
    renderer: str = ""  # the name of what can show a state

    def __post_init__(self) -> None:
        states, rows = self.states, self.states * self.actions
        if self.actions < 1 or states < 1:
            raise UsageError("a table must have at least one state and one action.")
        if (self.indptr is None) != (self.prob is None):
            raise UsageError("a table has indptr and prob both (stochastic) or neither (deterministic).")
        entries = rows if self.indptr is None else int(self.indptr[-1])
        if self.indptr is not None and (len(self.indptr) != rows + 1 or np.any(np.diff(self.indptr) < 0)):
            raise UsageError(f"indptr must be {rows + 1} non-decreasing offsets, one more than states × actions.")
        for name, size in (("succ", entries), ("reward", entries), ("initial", states), ("observation", states)):
            if getattr(self, name).shape != (size,):
                raise UsageError(f"{name} has shape {getattr(self, name).shape}, but must have ({size},).")
        if entries and (self.succ.min() < 0 or self.succ.max() >= states):
            raise UsageError(f"succ must name states from 0 to {states - 1}.")
        if self.action_names and len(self.action_names) != self.actions:
            raise UsageError(f"{len(self.action_names)} action_names were given for {self.actions} actions.")
        if not np.all(np.isfinite(self.reward)):
            raise UsageError("reward must hold finite numbers.")
        if self.initial.min() < 0 or abs(self.initial.sum() - 1) > 1e-9:
            raise UsageError("initial must be probabilities that sum to 1.")
        if self.prob is not None and self.indptr is not None:
            live = np.repeat(~self.terminal, self.actions)
            sums = np.diff(np.concatenate([[0.0], np.cumsum(self.prob)])[self.indptr])
            if self.prob.min(initial=1.0) < 0 or np.abs(sums - 1)[live].max(initial=0.0) > 1e-6:
                raise UsageError("prob must be ≥ 0 and sum to 1 for every state and action.")

    def __repr__(self) -> str:
        kind = "deterministic" if self.deterministic else "stochastic"
        return f"<{kind} table: {self.states:,} states × {self.actions} actions, horizon {self.horizon}>"

    @classmethod
    def from_arrays(cls, transitions: Any, rewards: Any, **options: Any) -> Table:
        """See `mohs.tables.loaders.from_arrays`."""
        from mohs.tables.loaders import from_arrays

        return from_arrays(transitions, rewards, **options)

    @classmethod
    def from_gymnasium(cls, env: Any, **kwargs: Any) -> Table:
        """See `mohs.tables.loaders.from_gymnasium`."""
        from mohs.tables.loaders import from_gymnasium

        return from_gymnasium(env, **kwargs)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, horizon: int | None = None) -> Table:
        """See `mohs.tables.loaders.load`."""
        from mohs.tables.loaders import load

        return load(path, horizon=horizon)

    def save(self, path: str | os.PathLike[str]) -> None:
        """See `mohs.tables.loaders`, which describes the format."""
        from mohs.tables.loaders import save

        save(self, path)

    def simplified(self) -> Table:
        """The same table without probabilities where nothing is left to chance."""
        if self.prob is None or self.indptr is None or np.any(self.prob != 1.0):
            return self
        # In a deterministic table every row has an entry; those of terminal states lead back to themselves.
        live = np.repeat(~self.terminal, self.actions)
        succ = np.repeat(np.arange(self.states, dtype=np.int32), self.actions)
        reward = np.zeros(self.states * self.actions)
        entry = self.indptr[:-1][live]
        succ[live], reward[live] = self.succ[entry], self.reward[entry]
        return replace(self, succ=succ, reward=reward, indptr=None, prob=None)

    @property
    def states(self) -> int:
        return len(self.terminal)

    @property
    def deterministic(self) -> bool:
        return self.indptr is None

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What every kernel on tables takes first: indptr and prob are empty in a deterministic table."""
        indptr = np.empty(0, dtype=np.int64) if self.indptr is None else self.indptr
        prob = np.empty(0) if self.prob is None else self.prob
        return indptr, self.succ, prob, self.reward, self.terminal, self.actions
