"""What is a finite MDP? A table: every state, every action, where it leads and what it pays."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.domain import Integer, Optional, Real
from mohs.tables.checks import check

Float = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A finite MDP as arrays. Row `state · actions + action` leads to the entries `indptr[row] : indptr[row + 1]`.

    In a deterministic table `indptr` and `prob` are None and row r has the one entry r. Terminal states end the
    episode: nothing is earned after entering one. `observation` is what an agent sees in a state, `reward` the
    expected reward of an entry. `several` has observations in place of which one of so many is seen, from it on.
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
    several: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "actions", Integer(0).parse("actions", self.actions))
        object.__setattr__(self, "horizon", Optional(Integer(1)).parse("horizon", self.horizon))
        object.__setattr__(self, "discount", Real(0, 1).parse("discount", self.discount))
        check(self)

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
        """See `mohs.tables.gymnasium_table.from_gymnasium`."""
        from mohs.tables.gymnasium_table import from_gymnasium

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
