"""What is the table of a Gymnasium environment? Its `P` where it has one; else the result of a search."""

from __future__ import annotations

import copy
import math
import sys
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker, RecordEpisodeStatistics, TimeLimit

from mohs.core.domain import Each, Integer
from mohs.core.errors import UsageError
from mohs.tables.gymnasium.search import explore
from mohs.tables.gymnasium.state import Env, Key, own_key
from mohs.tables.merging import merged
from mohs.tables.table import Table

# Wrappers that change neither observations nor rewards; the time limit becomes the table's horizon.
_WATCHING = (TimeLimit, OrderEnforcing, PassiveEnvChecker, RecordEpisodeStatistics)


def from_gymnasium(
    env: str | Env,
    *,
    key: Key | None = None,
    clock: str | None = None,
    limit: int = 100_000,
    horizon: int | None = None,
    seed: int = 0,
    seeds: Sequence[int] | None = None,
    **kwargs: Any,
) -> Table:
    """Makes the table of a Gymnasium environment with a Discrete action space.

    An environment that exposes its dynamics as `P[state][action]`, as Gymnasium's toy texts do, is read from it unless
    `key`, `clock` or `seeds` is given. Any other one must be deterministic; it is explored breadth-first by stepping it
    (`mohs.tables.gymnasium.search`). A truncation by the environment itself ends the episode.

    Args:
        env: An environment, or the id of one.
        key: A function of the environment that identifies its state, or "observation". By default the environment's
            `state_key()` or `clone_state()`, else a digest of all its attributes; equivalent states are then merged.
        clock: The name of an attribute of the unwrapped environment that counts steps. It is held constant, so that
            the table does not depend on time.
        limit: The largest number of states.
        horizon: The horizon; by default the time limit of the wrappers.
        seed: The seed of `reset`, which gives the start state.
        seeds: Several such seeds; their start states are equally likely.
        **kwargs: Parameters of `gymnasium.make`, with an id.

    Returns:
        The table.

    Raises:
        UsageError: The environment has no Discrete action space, is not deterministic, has more than `limit` states, or
            hides part of its state.
    """
    if isinstance(env, str):
        made = _made(env, kwargs)
    elif isinstance(env, gymnasium.Env) and not kwargs:
        made = env
    else:
        raise UsageError(f"from_gymnasium takes an id with its parameters or an environment without, not {env!r}.")
    limit = Integer(1).parse("limit", limit)
    bare, steps = _without_watchers(made), _time_limit(made) if horizon is None else horizon
    if not isinstance(bare.action_space, Discrete):
        raise UsageError(f"{bare} has the action space {bare.action_space}, but a table needs a Discrete one.")
    explored = not (key is None and clock is None and seeds is None)
    # A wrapper has no P, because P would know nothing of what it does.
    if not explored and hasattr(bare, "P") and hasattr(bare, "initial_state_distrib"):
        table = _from_dynamics(bare, steps)
        if table.states > limit:
            raise UsageError(f"{bare} has {table.states:,} states, more than the limit of {limit:,}; raise limit.")
    else:
        starts = [seed] if seeds is None else list(seeds)
        table = _from_search(bare, key, clock, limit, steps, list(Each(Integer(0)).parse("seeds", starts)))
    if isinstance(env, str):
        made.close()
    return table


def _made(env: str, kwargs: dict[str, Any]) -> Env:
    try:
        return gymnasium.make(env, disable_env_checker=True, **kwargs)
    except (gymnasium.error.Error, TypeError) as error:
        raise UsageError(f"{env!r} cannot be made: {error}") from error


def _without_watchers(env: Env) -> Env:
    """The environment without the wrappers that only watch or count; the others are copied, not changed."""
    while isinstance(env, _WATCHING):
        env = env.env
    if not isinstance(env, gymnasium.Wrapper):
        return env
    wrapper = copy.copy(env)
    wrapper.env = _without_watchers(env.env)
    return wrapper


def _time_limit(env: Env) -> int | None:
    limits = [] if env.spec is None or env.spec.max_episode_steps is None else [env.spec.max_episode_steps]
    while isinstance(env, gymnasium.Wrapper):
        if isinstance(env, TimeLimit):
            limits.append(env._max_episode_steps)
        env = env.env
    return min(limits, default=None)


def _from_search(
    env: Env, key: Key | None, clock: str | None, limit: int, horizon: int | None, seeds: list[int]
) -> Table:
    if not seeds:
        raise UsageError("seeds must name at least one seed.")
    if isinstance(key, str) and key != "observation":
        raise UsageError(f"key is {key!r}, but must be a function of the environment or 'observation'.")
    name = own_key(env) if key is None else key
    found = explore(env, name, clock, limit, seeds)
    table = Table(
        actions=len(found.succ[0]),
        succ=np.array(found.succ, dtype=np.int32).ravel(),
        reward=np.array(found.reward, dtype=np.float64).ravel(),
        terminal=np.array(found.over, dtype=np.bool_),
        initial=np.bincount(found.starts, minlength=len(found.succ)) / len(found.starts),
        observation=np.array(found.seen, dtype=np.int32),
        horizon=horizon,
    )
    return merged(table) if name is None else table


def _from_dynamics(env: Any, horizon: int | None) -> Table:
    """The table of an environment that exposes `P[state][action]`: (probability, next state, reward, over)."""
    if getattr(env, "fickle_passenger", False):
        raise UsageError("Taxi's P does not say that a passenger is fickle, so with fickle_passenger it has no table.")
    dynamics, start = env.P, np.asarray(env.initial_state_distrib, dtype=np.float64)
    actions = len(dynamics[0])
    # A state that ends the episode is another one than the same state passed through.
    order: dict[tuple[int, bool], int] = {(int(s), False): i for i, s in enumerate(np.flatnonzero(start))}
    indptr, succ, prob, reward = [0], [], [], []
    queue = list(order)
    for state, over in queue:
        for action in range(actions):
            shares: dict[tuple[int, bool, float], float] = {}
            for p, after, pay, done in dynamics[state][action] if not over else ():
                key = (int(after), bool(done), float(pay))
                shares[key] = shares.get(key, 0.0) + float(p)
            for (after, done, pay), p in shares.items():
                if (after, done) not in order:
                    order[after, done] = len(order)
                    queue.append((after, done))
                succ.append(order[after, done])
                prob.append(p)
                reward.append(pay)
            indptr.append(len(succ))
    initial = np.zeros(len(order))
    first = np.flatnonzero(start)
    initial[: len(first)] = start[first]
    ends = np.array([over for _, over in order])
    seen = np.array([state for state, _ in order], dtype=np.int32)
    arrays = np.array(succ, dtype=np.int32), np.array(reward, dtype=np.float64)
    return Table(
        actions, *arrays, ends, initial / initial.sum(), seen, horizon, indptr=np.array(indptr, dtype=np.int64),
        prob=np.array(prob, dtype=np.float64), action_names=_directions(env, actions), renderer=_grid(env),
    ).simplified()  # fmt: skip


def _directions(env: Env, actions: int) -> tuple[str, ...]:
    """The names of the actions, where the environment's module calls them UP, DOWN, LEFT and RIGHT."""
    constants = vars(sys.modules[type(env).__module__])
    names = {constants[name]: name.lower() for name in ("UP", "DOWN", "LEFT", "RIGHT") if name in constants}
    return tuple(names[action] for action in range(actions)) if set(names) == set(range(actions)) else ()


def _grid(env: Any) -> str:
    """How to show a state, where states are the cells of a map."""
    shape = getattr(env, "shape", np.shape(getattr(env, "desc", ())))
    cells = len(shape) == 2 and math.prod(shape) == len(env.P)
    return f"grid {shape[0]} {shape[1]}" if cells else ""
