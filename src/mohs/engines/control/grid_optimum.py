"""What return can a control problem with two state variables give? That of dynamic programming on a grid.

The engine itself steps from every point of a grid under a few actions (`tabulate`). Backward induction over the
episode, with bilinear interpolation between points, gives values. The policy that looks one step ahead with these
values is then played in the engine, so the return is one that a policy attains, not an interpolated number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mohs.core.kernel import kernel
from mohs.engines import loops
from mohs.engines.control.common import ControlFleet
from mohs.engines.play import returns

Float = npt.NDArray[np.float64]
DISCOUNT = 0.9999  # without one, a policy may put off for ever what costs something and can be done later
SWEEPS = 2000  # at most; of a longer episode, as many steps are looked ahead


@dataclass(frozen=True)
class Grid:
    """The states and actions that are looked at. The first state variable may be an angle, which has no ends.

    Attributes:
        low: The smallest value of both state variables.
        high: The largest one.
        points: How many values of each there are, their ends included.
        periodic: Whether the first variable is periodic over its range.
        actions: The actions, [A, 1].
    """

    low: tuple[float, float]
    high: tuple[float, float]
    points: tuple[int, int]
    periodic: bool
    actions: npt.NDArray[np.float32] | npt.NDArray[np.int64]

    @property
    def states(self) -> Float:
        """All points, [points of the first · points of the second, 2]."""
        axes = [np.linspace(a, b, n) for a, b, n in zip(self.low, self.high, self.points, strict=True)]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)

    def places(self, states: Float) -> Float:
        """Where states lie between the points, in units of their distance, [..., 2]; what is outside is at the edge."""
        low, high, last = np.array(self.low), np.array(self.high), np.array(self.points) - 1
        shares = (states - low) / (high - low)
        if self.periodic:
            shares[..., 0] %= 1.0
        return np.asarray(np.clip(shares, 0.0, 1.0) * last)


Build = Callable[[int], ControlFleet]
Finished = Callable[[ControlFleet], npt.NDArray[np.bool_]]


@dataclass(frozen=True)
class Lookahead:
    """What every action does in some states: places of the next states, rewards, and whether nothing follows."""

    places: Float
    rewards: Float
    over: npt.NDArray[np.bool_]


def tabulate(fleet: ControlFleet, grid: Grid, states: Float, finished: Finished | None = None) -> Lookahead:
    """One step of the engine from each state under each action, all [states, actions].

    Args:
        fleet: One instance for each state and action.
        grid: The actions, and the places of the next states.
        states: [states, 2].
        finished: Further instances after which all rewards are 0, beside those that have terminated.
    """
    count, many = len(states), len(grid.actions)
    size = count * many
    everywhere = np.ones(size, dtype=np.bool_)
    rewards, ended, cut = np.empty(size), np.empty(size, dtype=np.bool_), np.empty(size, dtype=np.bool_)
    seen = fleet.new_observations()
    loops.begin_fleet(fleet.memory, everywhere, seen)
    fleet.set_states(np.repeat(states, many, axis=0), everywhere)
    actions = np.tile(grid.actions, (count, 1))
    loops.step_fleet(fleet.memory, actions, seen, rewards, ended, cut, seen, False)
    after = np.stack([fleet.instances[name].astype(np.float64) for name in fleet.state_fields], axis=1)
    over = ended | finished(fleet) if finished is not None else ended
    shape = (count, many)
    return Lookahead(grid.places(after).reshape(*shape, 2), rewards.reshape(shape), over.reshape(shape))


@kernel
def look_ahead(places, rewards, over, values, discount, best, chosen):
    """The largest of reward + discount · value over the actions of every state, and the first action that has it."""
    rows, columns = values.shape
    for s in range(rewards.shape[0]):
        best[s] = -np.inf
        for a in range(rewards.shape[1]):
            worth = rewards[s, a]
            if not over[s, a]:
                x, y = places[s, a, 0], places[s, a, 1]
                i, j = min(int(x), rows - 2), min(int(y), columns - 2)
                fx, fy = x - i, y - j
                before = (1.0 - fy) * values[i, j] + fy * values[i, j + 1]
                after = (1.0 - fy) * values[i + 1, j] + fy * values[i + 1, j + 1]
                worth += discount * ((1.0 - fx) * before + fx * after)
            if worth > best[s]:
                best[s] = worth
                chosen[s] = a


def optimal_values(build: Build, grid: Grid, horizon: int, finished: Finished | None = None) -> Float:
    """The values of all points with so many steps to go, [points of the first, points of the second]."""
    ahead = tabulate(build(len(grid.states) * len(grid.actions)), grid, grid.states, finished)
    values, best = np.zeros(grid.points), np.empty(len(ahead.rewards))
    chosen = np.empty(len(best), dtype=np.int64)
    for _ in range(min(horizon, SWEEPS)):
        look_ahead(ahead.places, ahead.rewards, ahead.over, values, DISCOUNT, best, chosen)
        values = best.reshape(grid.points).copy()
    return values


def attained(build: Build, grid: Grid, values: Float, episodes: int, finished: Finished | None = None) -> Float:
    """The returns of the policy that looks one step ahead with these values, [episodes]."""
    played, trial = build(episodes), build(episodes * len(grid.actions))
    best, chosen = np.empty(episodes), np.empty(episodes, dtype=np.int64)

    def act() -> npt.NDArray[np.float32] | npt.NDArray[np.int64]:
        states = np.stack([played.instances[name].astype(np.float64) for name in played.state_fields], axis=1)
        ahead = tabulate(trial, grid, states, finished)
        look_ahead(ahead.places, ahead.rewards, ahead.over, values, DISCOUNT, best, chosen)
        return grid.actions[chosen]

    return returns(played, act)
