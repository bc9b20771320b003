"""Do the parameters of a family's points take effect, and which points have equal dynamics? Their steps say so.

All points are played from the same starts with the same actions, and their observations, rewards and ends are compared.
Equal dynamics may differ in the last bits (a cart and a force ten times as large), so steps are compared with a
tolerance; what agrees is played again from other starts, and longer where it agrees to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from mohs.core.dials import DIALS
from mohs.core.errors import UsageError
from mohs.core.family import Family
from mohs.core.places import CONTEXT, SEED, changed
from mohs.core.point import AGENT, Point
from mohs.core.seeding import child, seed_of
from mohs.core.task import Task
from mohs.envs.make import make, make_vec

Floats = npt.NDArray[np.float64]
TOLERANCE = 1e-6  # relative to the largest value of a component: observations are often in single precision
# Starts from reset with their steps, and starts from given states: enough to meet a limit of speed or a goal.
_EPISODES, _STEPS, _LONG = 4, 30, 300
_STATES, _STEPS_OF_STATES = 192, 2
_DECADES = (-2.0, 2.0)  # magnitudes of a state whose range is not known
_BOUNDED = 1e3  # a space that reaches farther is taken as unbounded


@dataclass(frozen=True)
class Inert:
    """A point at which a value has no effect: the default in its place gives the same dynamics.

    Attributes:
        point: The name of the point.
        axis: The axis.
        value: The value on it.
    """

    point: str
    axis: str
    value: Any


@dataclass(frozen=True)
class Effects:
    """What the dynamics of a family's points say.

    Attributes:
        inert: Values that have no effect where they are.
        duplicates: Groups of points with equal dynamics, by name.
        distinct: The number of different dynamics among the members of the family.
        points: The number of members.

    Example:
        >>> import mohs
        >>> effects = mohs.effects(mohs.Family.grid("control/cartpole", masscart=[1, 10], force_mag=[10, 100]))
        >>> effects.distinct, effects.inert
        (4, ())
    """

    inert: tuple[Inert, ...]
    duplicates: tuple[tuple[str, ...], ...]
    distinct: int
    points: int

    def check(self) -> None:
        """Raises an error for the first value without an effect.

        Raises:
            UsageError: A value has no effect.

        Example:
            >>> import mohs
            >>> mohs.effects(mohs.Family.grid("control/cartpole", length=[0.5, 1.0])).check()
        """
        if self.inert:
            first = self.inert[0]
            axes = sorted({one.axis for one in self.inert})
            count = len({one.point for one in self.inert})
            raise UsageError(
                f"{first.axis}={first.value} has no effect at the point {first.point!r}: every step is the one with "
                f"the default value; in all, {', '.join(axes)} has none at {count} of {self.points} points."
            )


def effects(family: Family) -> Effects:
    """Plays the points of a family side by side and compares their steps.

    Points that differ in a dial, a hyperparameter of the agent or the time limit are different; they are not compared.

    Args:
        family: The family. What a value is compared with is the family's default point, or else the environment's own
            default.

    Returns:
        The values without an effect, and the groups of points with equal dynamics.

    Raises:
        UsageError: A context names what its environment does not have.

    Example:
        >>> import mohs
        >>> family = mohs.Family.grid("control/cartpole", masscart=[1, 10], masspole=[0.1, 1], force_mag=[10, 100])
        >>> mohs.effects(family).duplicates
        (('masscart=1 masspole=0.1 force_mag=10', 'masscart=10 masspole=1 force_mag=100'),)
    """
    put_back = {(p.name, axis): task for p in family for axis, task in _put_back(family, p)}
    tasks = list(dict.fromkeys([*(p.task for p in family), *put_back.values()]))
    group = {task: number for number, tasks in enumerate(equal_dynamics(tasks)) for task in tasks}
    inert = tuple(
        Inert(name, axis, dict(family[name].at)[axis])
        for (name, axis), task in put_back.items()
        if group[task] == group[family[name].task]
    )
    alike: dict[Hashable, list[str]] = {}
    for p in family:
        alike.setdefault((group[p.task], *p.hyperparameters.items()), []).append(p.name)
    members = {p.name for p in family.members}
    distinct = sum(bool(members & set(names)) for names in alike.values())
    duplicates = tuple(tuple(names) for names in alike.values() if len(names) > 1)
    return Effects(inert, duplicates, distinct, len(members))


def equal_dynamics(tasks: Sequence[Task]) -> list[list[Task]]:
    """The tasks in groups of equal dynamics."""
    kinds: dict[Hashable, list[Task]] = {}
    for task in tasks:
        kinds.setdefault(_declared(task), []).append(task)
    return [group for kind in kinds.values() for group in _groups(kind)]


def _put_back(family: Family, p: Point) -> Iterable[tuple[str, Task]]:
    """The tasks of a point with one axis at its default, for the axes that may have no effect."""
    default = family.default
    for axis, value in p.at:
        if axis.startswith(AGENT) or axis in DIALS or axis in (SEED, "max_episode_steps"):
            continue
        plain = dict(default.at).get(axis) if default is not None else None
        task = _without(p.task, axis) if plain is None else changed(p.task, {axis: plain})
        if task != p.task and plain != value:
            yield axis, task


def _without(task: Task, axis: str) -> Task:
    """The task with what its environment has on an axis by default."""
    parameters = task.environment.parameters
    if axis in parameters:
        return task.replace(**{axis: parameters[axis].default})
    return task.replace(**{CONTEXT: {name: value for name, value in task[CONTEXT] if name != axis}})


def _declared(task: Task) -> Hashable:
    """What tells tasks apart without being played, and what must be the same for them to be played side by side."""
    apart = tuple((name, value) for name, value in task.params if name in DIALS or name == "max_episode_steps")
    return task.env, task.environment.realisation("spaces")(task), apart


def _groups(tasks: Sequence[Task]) -> list[list[Task]]:
    """Candidates by a first set of steps; those that another set tells apart are apart."""
    if len(tasks) == 1:
        return [list(tasks)]
    found = []
    for group in _alike(tasks, _played(tasks, "first", _STEPS)):
        if len(group) == 1:
            found.append(group)
            continue
        first = _played(group, "first", _STEPS)
        same_bits = all(np.array_equal(first[0], row, equal_nan=True) for row in first[1:])
        found += _alike(group, _played(group, "again", _LONG if same_bits else _STEPS))
    return found


def _alike(tasks: Sequence[Task], played: npt.NDArray[np.float64]) -> list[list[Task]]:
    """Groups of rows that are equal within the tolerance. `played` is [tasks, steps, components]."""
    rows = np.nan_to_num(played, nan=-1.0, posinf=1e300, neginf=-1e300)
    scale = np.abs(rows).max(axis=1)  # [tasks, components]
    # A sum over the steps is near where all steps are near, so that only neighbours in its order are compared.
    middle = scale.max(axis=0)
    place = (rows.mean(axis=1) / np.where(middle > 0, middle, 1.0)).sum(axis=1)
    reach = 4 * TOLERANCE * rows.shape[2]
    groups: list[list[int]] = []
    open_groups: list[list[int]] = []
    for i in np.argsort(place, kind="stable").tolist():
        open_groups = [group for group in open_groups if place[i] - place[group[0]] <= reach]
        for group in open_groups:
            first = group[0]
            limit = TOLERANCE * np.maximum(scale[i], scale[first])
            if (np.abs(rows[i] - rows[first]) <= limit).all():
                group.append(i)
                break
        else:
            groups.append([i])
            open_groups.append(groups[-1])
    return [[tasks[i] for i in sorted(group)] for group in sorted(groups, key=min)]


def _played(tasks: Sequence[Task], batch: str, steps: int) -> Floats:
    """What is observed, paid and ended by the same actions from the same starts: [tasks, steps, components]."""
    play = _play_singly if tasks[0].environment.third_party else _play_fleet
    return play(tasks, batch, steps)


def _play_fleet(tasks: Sequence[Task], batch: str, steps: int) -> Floats:
    envs: Any = make_vec(tasks[0], tasks=tasks)
    count, actions = len(tasks), _actions(envs.single_action_space, batch)
    found: list[Floats] = []

    def play(options: dict[str, Any] | None, address: tuple[Any, ...], length: int) -> None:
        envs.reset(seed=[seed_of(child(0, batch, *address))] * count, options=options)
        playing = np.ones(count, dtype=np.bool_)
        for t in range(length):
            seen, paid, terminated, truncated, _ = envs.step(np.stack([actions(*address, t)] * count))
            row = np.column_stack([np.asarray(seen).reshape(count, -1), paid, terminated, truncated]).astype(np.float64)
            row[~playing] = 0.0  # an episode that is over says no more
            found.append(row)
            playing &= ~(terminated | truncated)

    for episode in range(_EPISODES):
        play(None, ("episode", episode), steps)
    if envs.fleet.state_fields:
        for i, state in enumerate(_states(envs.single_observation_space, len(envs.fleet.state_fields), batch)):
            play({"state": state}, ("state", i), _STEPS_OF_STATES)
    envs.close()
    return np.stack(found, axis=1)


def _play_singly(tasks: Sequence[Task], batch: str, steps: int) -> Floats:
    return np.stack([_play_one(task, batch, steps) for task in tasks])


def _play_one(task: Task, batch: str, steps: int) -> Floats:
    env = make(task)
    actions, found = _actions(env.action_space, batch), []
    bare: Any = env.unwrapped
    width = 0

    def play(address: tuple[Any, ...], length: int) -> None:
        over = False
        for t in range(length):
            if over:
                found.append(np.zeros(width))
                continue
            seen, paid, terminated, truncated, _ = env.step(actions(*address, t))
            over = terminated or truncated
            flat = np.asarray(gymnasium.spaces.flatten(env.observation_space, seen), dtype=np.float64).reshape(-1)
            found.append(np.array([*flat, float(paid), terminated, truncated]))

    width = gymnasium.spaces.flatdim(env.observation_space) + 3
    for episode in range(_EPISODES):
        env.reset(seed=seed_of(child(0, batch, "episode", episode)))
        play(("episode", episode), steps)
    if type(bare).__module__.startswith("gymnasium.envs.classic_control."):
        plain = np.asarray(bare.state)
        for i, state in enumerate(_states(env.observation_space, len(plain), batch)):
            env.reset(seed=0)
            bare.state = state.astype(plain.dtype)
            play(("state", i), _STEPS_OF_STATES)
    env.close()
    return np.stack(found)


def _actions(space: Any, batch: str) -> Callable[..., Any]:
    """The action of a step, the same for all tasks: over the whole range, at its ends half of the time."""

    def action(*address: Any) -> Any:
        generator = np.random.default_rng(child(0, batch, "action", *address))
        space.seed(int(generator.integers(2**31)))
        drawn = space.sample()
        if isinstance(space, gymnasium.spaces.Box) and generator.random() < 0.5 and space.is_bounded():
            return np.where(generator.random(space.shape) < 0.5, space.low, space.high).astype(space.dtype)
        return drawn

    return action


def _states(space: Any, size: int, batch: str) -> Floats:
    """States to start from: uniform in the space where it shows the state, or else of all magnitudes."""
    generator = np.random.default_rng(child(0, batch, "states"))
    signs = np.where(generator.random((_STATES, size)) < 0.5, -1.0, 1.0)
    drawn = signs * 10 ** generator.uniform(*_DECADES, (_STATES, size))
    if isinstance(space, gymnasium.spaces.Box) and space.shape == (size,):
        low, high = space.low.astype(np.float64), space.high.astype(np.float64)
        bounded = (low > -_BOUNDED) & (high < _BOUNDED)
        uniform = generator.random((_STATES, size))
        inside = np.where(bounded, low, 0) + np.where(bounded, high - low, 0) * uniform
        drawn = np.where(bounded, inside, drawn)
    return drawn
