"""What is a finite MDP? A table: the successors and rewards of every state and action."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.arguments import checked_record
from mohs.core.domain import Integer, Optional, Real
from mohs.tables.checks import check

Float = npt.NDArray[np.float64]


@checked_record
@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A finite MDP as arrays. Row `state · actions + action` has the entries `indptr[row] : indptr[row + 1]`.

    In a deterministic table `indptr` and `prob` are None, and row r has the single entry r. Rewards stop once a
    terminal state is entered. Build a table with `mohs.table`, `from_arrays`, `from_gymnasium` or `load`.

    Attributes:
        actions: The number of actions.
        succ: The next state of every entry.
        reward: The expected reward of every entry.
        terminal: Whether each state ends the episode.
        initial: The start distribution over states.
        observation: The observation of each state.
        horizon: The number of steps of an episode; None for an endless task.
        discount: The discount factor.
        indptr: The first entry of every row, and the number of entries; None in a deterministic table.
        prob: The probability of every entry; None in a deterministic table.
        action_names: The names of the actions; may be empty.
        renderer: The name of the renderer that can draw a state; may be empty.
        several: Pairs (first, n): instead of the observation `first`, one of the n observations from it on is drawn.

    Raises:
        UsageError: The arrays are not a finite MDP.

    Example:
        >>> import mohs
        >>> mohs.table("toy/grid", grid_shape=(3, 3))
        <deterministic table: 9 states × 4 actions, horizon 100>
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
        """Makes a table from arrays.

        Args:
            transitions: Next states [S, A], where -1 ends the episode, or probabilities [S, A, S].
            rewards: Rewards [S, A] or [S, A, S].
            **options: See `mohs.tables.loaders.from_arrays`: terminal, initial, horizon, discount, ...

        Returns:
            The table. With next states of -1 it has one more state, which is terminal.

        Raises:
            UsageError: The arrays are not a finite MDP.

        Example:
            >>> import mohs
            >>> mohs.Table.from_arrays([[0, 1], [1, -1]], [[0, 0], [1, 5]], horizon=4)
            <deterministic table: 3 states × 2 actions, horizon 4>
        """
        from mohs.tables.loaders import from_arrays

        return from_arrays(transitions, rewards, **options)

    @classmethod
    def from_gymnasium(cls, env: Any, **kwargs: Any) -> Table:
        """Makes a table from a Gymnasium environment with a Discrete action space.

        Args:
            env: An environment, or an id.
            **kwargs: Parameters of the id, and the options of `mohs.tables.gymnasium.table.from_gymnasium`.

        Returns:
            The table: from `env.P` where there is one, else explored breadth-first by stepping the environment.

        Raises:
            UsageError: The environment is not deterministic, has too many states, or hides part of its state.

        Example:
            >>> import mohs
            >>> mohs.Table.from_gymnasium("FrozenLake-v1", is_slippery=False)
            <deterministic table: 16 states × 4 actions, horizon 100>
        """
        from mohs.tables.gymnasium.table import from_gymnasium

        return from_gymnasium(env, **kwargs)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, horizon: int | None = None) -> Table:
        """Reads a table from an npz file, in the format of mohs or of the BRIDGE data set.

        Args:
            path: The path of the file.
            horizon: The horizon; overrides that of the file. BRIDGE files have none.

        Returns:
            The table.

        Raises:
            UsageError: The file cannot be read, or is not a table.

        Example:
            >>> import mohs, tempfile
            >>> with tempfile.TemporaryDirectory() as directory:
            ...     mohs.table("toy/grid", grid_shape=(3, 3)).save(f"{directory}/grid.npz")
            ...     mohs.Table.load(f"{directory}/grid.npz", horizon=20)
            <deterministic table: 9 states × 4 actions, horizon 20>
        """
        from mohs.tables.loaders import load

        return load(path, horizon=horizon)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the table to an npz file, atomically. `mohs.tables.loaders` describes the format.

        Args:
            path: The path of the file.

        Raises:
            UsageError: The file cannot be written.

        Example:
            >>> import mohs, tempfile
            >>> with tempfile.TemporaryDirectory() as directory:
            ...     mohs.table("toy/grid").save(f"{directory}/grid.npz")
        """
        from mohs.tables.loaders import save

        save(self, path)

    def simplified(self) -> Table:
        """Returns the deterministic form of the table if all probabilities are 1, else the table itself.

        Example:
            >>> import mohs
            >>> certain = [[[0.0, 1.0]], [[0.0, 1.0]]]
            >>> mohs.Table.from_arrays(certain, [[1.0], [0.0]], horizon=3).simplified().deterministic
            True
        """
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
        """The number of states.

        Example:
            >>> import mohs
            >>> mohs.table("toy/grid", grid_shape=(3, 3)).states
            9
        """
        return len(self.terminal)

    @property
    def deterministic(self) -> bool:
        """Whether every state and action has a single successor.

        Example:
            >>> import mohs
            >>> mohs.table("toy/discrete", transition_noise=0.1).deterministic
            False
        """
        return self.indptr is None

    @property
    def arrays(self) -> tuple[Any, ...]:
        """The first arguments of every kernel on tables: indptr, succ, prob, reward, terminal, actions.

        In a deterministic table indptr and prob are empty.

        Example:
            >>> import mohs
            >>> indptr, succ, *rest = mohs.table("toy/grid", grid_shape=(3, 3)).arrays
            >>> len(indptr), len(succ)
            (0, 36)
        """
        indptr = np.empty(0, dtype=np.int64) if self.indptr is None else self.indptr
        prob = np.empty(0) if self.prob is None else self.prob
        return indptr, self.succ, prob, self.reward, self.terminal, self.actions
