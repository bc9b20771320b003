"""Do the parameters of a family's points take effect, and which points have equal dynamics? Their steps say so.

All points are played from the same starts with the same actions, and their observations, rewards and ends are compared.
Equal dynamics may differ in the last bits (a cart and a force ten times as large), so steps are compared with a
tolerance; what agrees is played again from other starts, and longer where it agrees to the bit.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from mohs.core.arguments import checked, checked_record
from mohs.core.dials import DIALS
from mohs.core.errors import UsageError
from mohs.core.family import Family
from mohs.core.places import SEED, changed
from mohs.core.point import AGENT, Point
from mohs.core.seeding import child, seed_of
from mohs.core.task import Task
from mohs.envs.make import make, make_vec
from mohs.envs.third_party import default_context
from mohs.tables.build import table

Floats = npt.NDArray[np.float64]
TOLERANCE = 1e-6  # relative to the largest value of a component: observations are often in single precision
# Starts from reset with their steps, and starts from given states: enough to meet a limit of speed or a goal.
_EPISODES, _STEPS, _LONG = 4, 30, 300
_STATES, _STEPS_OF_STATES = 192, 2
_TABLE = 20_000  # states of the largest table that is built to compare levels
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


@checked_record
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
                f"the default value; in all, {count} of {self.points} points have values without effect "
                f"({', '.join(axes)})."
            )


@checked
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
    others = {(name, axis): _others(family, family[name], axis) for name, axis in put_back if _implicit(family, axis)}
    tasks = list(dict.fromkeys([*(p.task for p in family), *put_back.values(), *itertools.chain(*others.values())]))
    group = {task: number for number, tasks in enumerate(equal_dynamics(tasks)) for task in tasks}
    inert = tuple(
        Inert(name, axis, dict(family[name].at)[axis])
        for (name, axis), task in put_back.items()
        if group[task] == group[family[name].task]
        and ((name, axis) not in others or any(group[other] == group[task] for other in others[name, axis]))
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
    """The tasks of a point with one axis at its default, where it has another value, for the axes that are played."""
    usual = dict(family.default.at) if family.default is not None else {}
    for axis, value in p.at:
        if axis.startswith(AGENT) or axis in DIALS or axis in (SEED, "max_episode_steps"):
            continue
        plain = changed(p.task, {axis: usual[axis]}) if axis in usual else _at_default(p.task, axis, value)
        if plain != p.task:
            yield axis, plain


def _at_default(task: Task, axis: str, value: Any) -> Task:
    """The task with what its environment has on an axis by itself."""
    parameters = task.environment.parameters
    if axis in parameters:
        return task.replace(**{axis: parameters[axis].default})
    if default_context(task.replace(context={}), axis) == value:
        return task
    return task.replace(context={name: kept for name, kept in task["context"] if name != axis})


def _implicit(family: Family, axis: str) -> bool:
    """Whether an axis has a default that no number names, such as the mode of an Atari game: one value may equal it."""
    parameters = family[0].task.environment.parameters
    return axis in parameters and parameters[axis].default is None


def _others(family: Family, p: Point, axis: str) -> list[Task]:
    """The tasks of a point with another value on an axis: all that the family has, or else one.

    Only one value can be an implicit default. If two give its steps, one of them has no effect.
    """
    rest = [(name, value) for name, value in p.at if name != axis]
    values = {dict(q.at)[axis]: None for q in family if axis in dict(q.at)}
    there = [
        q.task for q in family if q.task != p.task and axis in dict(q.at) and dict(q.at).items() >= dict(rest).items()
    ]
    return there or [changed(p.task, {axis: value}) for value in values if value != dict(p.at)[axis]][:1]


def _declared(task: Task) -> Hashable:
    """What tells tasks apart without being played, and what must be the same for them to be played side by side."""
    apart = tuple((name, value) for name, value in task.params if name in DIALS or name == "max_episode_steps")
    return task.env, task.environment.realisation("spaces")(task), apart, _generated(task)


def _generated(task: Task) -> Hashable:
    """The table of a task that is generated by its seed, which knows of rewards that few episodes find."""
    if task.environment.levels != SEED:
        return None
    try:
        found = table(task, limit=_TABLE)
    except UsageError:  # too large: another seed is another task
        return task.seed
    parts = found.succ, found.reward, found.terminal, found.initial, found.observation, found.prob
    return tuple(part.tobytes() if part is not None else None for part in parts)


def _groups(tasks: Sequence[Task]) -> list[list[Task]]:
    """Candidates by a first set of steps; those that another set tells apart are apart."""
    if len(tasks) == 1:
        return [list(tasks)]
    first = _played(tasks, "first", _STEPS)
    candidates = _alike(first)
    again = [i for group in candidates if len(group) > 1 for i in group]
    same_bits = [
        i for g in candidates if len(g) > 1 and all(np.array_equal(first[g[0]], first[i]) for i in g) for i in g
    ]
    for chosen, steps in ((again, _STEPS), (same_bits, _LONG)):
        if chosen:
            rows = dict(zip(chosen, _played([tasks[i] for i in chosen], f"again {steps}", steps), strict=True))
            candidates = [
                [group[i] for i in parts]
                for group in candidates
                for parts in (_alike(np.stack([rows[i] for i in group])) if group[0] in rows else [range(len(group))])
            ]
    return [[tasks[i] for i in group] for group in candidates]


def _alike(played: Floats) -> list[list[int]]:
    """The numbers of rows that are equal within the tolerance, in groups. `played` is [rows, steps, components]."""
    rows = np.nan_to_num(played, nan=-1.0, posinf=1e300, neginf=-1e300)
    scale = np.abs(rows).max(axis=1)  # [rows, components]
    # A mean over the steps is near where all steps are near, so that only neighbours in its order are compared.
    largest = scale.max(axis=0)
    place = (rows.mean(axis=1) / np.where(largest > 0, largest, 1.0)).sum(axis=1)
    reach = 2 * TOLERANCE * rows.shape[2]
    groups: list[list[int]] = []
    near: list[list[int]] = []
    for i in np.argsort(place, kind="stable").tolist():
        near = [group for group in near if place[i] - place[group[0]] <= reach]
        for group in near:
            limit = TOLERANCE * np.maximum(scale[i], scale[group[0]])
            if (np.abs(rows[i] - rows[group[0]]) <= limit).all():
                group.append(i)
                break
        else:
            groups.append([i])
            near.append(groups[-1])
    return sorted((sorted(group) for group in groups), key=min)


@dataclass(frozen=True)
class _Start:
    """Where all tasks start, by a seed or in a state, and the actions that follow."""

    seed: int
    state: Floats | None
    actions: list[Any]


def _starts(seen: Any, actions: Any, fields: int, batch: str, steps: int) -> list[_Start]:
    """The same for all tasks. States are given where they can be set, which is where they have `fields` numbers."""
    states = _states(seen, fields, batch) if fields else ()
    episodes = [_Start(seed_of(child(0, batch, i)), None, _drawn(actions, batch, i, steps)) for i in range(_EPISODES)]
    numbered = enumerate(states, _EPISODES)
    return episodes + [_Start(0, state, _drawn(actions, batch, i, _STEPS_OF_STATES)) for i, state in numbered]


def _drawn(space: Any, batch: str, number: int, steps: int) -> list[Any]:
    """Actions over the whole range, and at its ends half of the time."""
    generator = np.random.default_rng(child(0, batch, "actions", number))
    space.seed(int(generator.integers(2**31)))
    drawn = [space.sample() for _ in range(steps)]
    if isinstance(space, gymnasium.spaces.Box) and space.is_bounded():
        ends = [np.where(generator.random(space.shape) < 0.5, space.low, space.high) for _ in drawn]
        drawn = [a if generator.random() < 0.5 else b.astype(space.dtype) for a, b in zip(drawn, ends, strict=True)]
    return drawn


def _states(space: Any, size: int, batch: str) -> Floats:
    """States to start from: uniform in the space where it shows the state, or else of all magnitudes."""
    generator = np.random.default_rng(child(0, batch, "states"))
    signs = np.where(generator.random((_STATES, size)) < 0.5, -1.0, 1.0)
    drawn = signs * 10 ** generator.uniform(*_DECADES, (_STATES, size))
    if isinstance(space, gymnasium.spaces.Box) and space.shape == (size,):
        low, high = space.low.astype(np.float64), space.high.astype(np.float64)
        bounded = (low > -_BOUNDED) & (high < _BOUNDED)
        inside = np.where(bounded, low, 0) + np.where(bounded, high - low, 0) * generator.random((_STATES, size))
        drawn = np.where(bounded, inside, drawn)
    return drawn


def _played(tasks: Sequence[Task], batch: str, steps: int) -> Floats:
    """What is observed, paid and ended by the same actions from the same starts: [tasks, steps, components]."""
    play = _play_singly if tasks[0].environment.third_party else _play_fleet
    return play(tasks, batch, steps)


def _play_fleet(tasks: Sequence[Task], batch: str, steps: int) -> Floats:
    envs: Any = make_vec(tasks[0], tasks=tasks)
    count, every, found = len(tasks), np.ones(len(tasks), dtype=np.bool_), []
    fields = len(envs.fleet.state_fields)
    for start in _starts(envs.single_observation_space, envs.single_action_space, fields, batch, steps):
        envs.begin(every, np.full(count, start.seed, dtype=np.uint64))
        if start.state is not None:
            envs.fleet.set_states(start.state, every)
        playing = every.copy()
        for action in start.actions:
            seen, paid, terminated, truncated, _ = envs.step(np.stack([action] * count))
            row = np.column_stack([np.asarray(seen).reshape(count, -1), paid, terminated, truncated])
            found.append(np.where(playing[:, None], row, 0.0))  # an episode that is over says no more
            playing &= ~(terminated | truncated)
    envs.close()
    return np.stack(found, axis=1)


def _play_singly(tasks: Sequence[Task], batch: str, steps: int) -> Floats:
    first = make(tasks[0])
    first.reset(seed=0)
    fields = len(first.unwrapped.state) if _is_classic(first) else 0  # type: ignore[attr-defined]
    starts = _starts(first.observation_space, first.action_space, fields, batch, steps)
    first.close()
    return np.stack([_play_one(task, starts) for task in tasks])


def _play_one(task: Task, starts: Sequence[_Start]) -> Floats:
    env: Any = make(task)
    space, found = env.observation_space, []
    width = gymnasium.spaces.flatdim(space) + 3
    boxed = isinstance(space, gymnasium.spaces.Box)
    for start in starts:
        env.reset(seed=start.seed if start.state is None else None)
        if start.state is not None:
            env.unwrapped.state = start.state.astype(np.asarray(env.unwrapped.state).dtype)
        over = False
        for action in start.actions:
            row = np.zeros(width)  # an episode that is over says no more
            if not over:
                seen, paid, terminated, truncated, _ = env.step(action)
                flat: Any = seen if boxed else gymnasium.spaces.flatten(space, seen)
                row[:-3] = np.ravel(flat)
                row[-3:] = paid, terminated, truncated
                over = terminated or truncated
            found.append(row)
    env.close()
    return np.stack(found)


def _is_classic(env: Any) -> bool:
    """Is it one of Gymnasium's environments whose whole state is the attribute `state`?"""
    return type(env.unwrapped).__module__.startswith("gymnasium.envs.classic_control.")
