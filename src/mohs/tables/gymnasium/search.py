"""Which states of a Gymnasium environment can be reached, and by which actions? Breadth-first search by stepping it.

A state is identified by a key and its observation. By default the key is a digest of all that the environment object
holds (`fingerprint.py`), without random generators, spaces and spec. To act in a state once more, a copy of the
environment that was left there is stepped; where copies cannot be made, or are not what they were copied from, the
episode is reset and its actions are played again.

Two checks look for faults of the table. Every action is taken twice or, if it draws from a random
generator, more often, each time with the generators stirred: the outcomes must be the same. And TRIALS episodes go to
some state and on from there at random: they must go as the table says. This finds stochastic transitions and
state that the key does not cover, unless they are so rare that neither check meets them.
"""

from __future__ import annotations

import copy
import math
from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete

from mohs.core.errors import UsageError
from mohs.tables.gymnasium.fingerprint import Generators, Reading, positions, read, stir
from mohs.tables.gymnasium.state import Env, Key, constants, read_env

REPEATS = 4  # of an action that draws from a random generator
STIRRED = 7_919  # the first seed of stirred generators: not one that users are likely to reset with
TRIALS, STEPS = 200, 50  # episodes that are compared with the table, and random steps of each


@dataclass(frozen=True)
class Explored:
    """The states in the order in which they were reached; an ended state leads back to itself for nothing."""

    succ: list[list[int]]
    reward: list[list[float]]
    over: list[bool]
    seen: list[int]  # the number of what is observed in a state
    starts: list[int]  # of each seed


_Name = tuple[Hashable, int, bool]  # the key, the number of what is seen, and whether the episode is over


@dataclass(frozen=True)
class _Place:
    """A state that was reached; `env`, if copies are made, is the environment that was left there."""

    name: _Name
    reading: Reading
    env: Env | None


class _CopyError(Exception):
    """A copy cannot be made, or is not what it was copied from, or may not be."""


def explore(env: Env, key: Key | None, clock: str | None, limit: int, seeds: list[int]) -> Explored:
    """All that can be reached from the states after reset(seed). `clock` names an attribute that is held still."""
    try:
        return _Search(env, key, clock, limit, copies=True).run(seeds)
    except _CopyError:
        return _Search(env, key, clock, limit, copies=False).run(seeds)


class _Search:
    """A search under way."""

    def __init__(self, env: Env, key: Key | None, clock: str | None, limit: int, copies: bool) -> None:
        self.env, self.key, self.clock, self.limit, self.copies = env, key, clock, limit, copies
        assert isinstance(env.action_space, Discrete)
        self.actions, self.first_action = int(env.action_space.n), int(env.action_space.start)
        self.shared = constants(env)
        self.numbers: dict[_Name, int] = {}
        self.observations: dict[bytes, int] = {}
        self.queue: deque[tuple[int, _Place]] = deque()
        self.ways: list[tuple[int, int]] = []  # to each state: the one before and the action, or -1 and the seed
        self.found = Explored([], [], [], [], [])

    def run(self, seeds: list[int]) -> Explored:
        for seed in seeds:
            observation = self.start(seed)
            env = self.copy(self.env)[0] if self.copies else self.env
            start = self.place(env, observation, False)
            if self.copies:
                self.check_copies(self.env, start.reading)
            self.found.starts.append(self.arrive(start, -1, seed))
        while self.queue:
            state, place = self.queue.popleft()
            for action in range(self.actions):
                after, reward = self.outcome(state, place, action)
                self.found.succ[state].append(self.arrive(after, state, action))
                self.found.reward[state].append(reward)
            if place.env is not None:
                self.check_copies(place.env, place.reading)
        self.try_out()
        return self.found

    def check_copies(self, env: Env, before: Reading) -> None:
        """An environment is what it was before its copies were stepped, and so is one more copy."""
        if not self.read(env).digest == self.read(self.copy(env)[0]).digest == before.digest:
            raise _CopyError

    def outcome(self, state: int, place: _Place, action: int) -> tuple[_Place, float]:
        """Where an action leads and what it pays, always."""
        env, generators = self.stand(state, place)
        before = positions(generators)
        observation, reward, over = self.step(env, action)
        after = self.place(env, observation, over)
        for again in range(REPEATS if positions(generators) != before else 1):
            env, generators = self.stand(state, place)
            stir(generators, STIRRED + again)
            observation, pay, over = self.step(env, action)
            if (self.name_of(env, observation, over), pay) != (after.name, reward):
                raise self.random(f"action {action}, taken {again + 2} times in one state, had different outcomes")
        return after, reward

    def arrive(self, place: _Place, before: int, by: int) -> int:
        """The number of a state, which is to be played from if it is new."""
        if place.name not in self.numbers:
            if len(self.numbers) >= self.limit:
                raise UsageError(
                    f"{self.env} has more than {self.limit:,} states ({len(self.queue):,} of these are still to be "
                    "played from); raise limit, name the attribute that counts steps (clock), or name the state (key)."
                )
            number = self.numbers[place.name] = len(self.numbers)
            _, seen, over = place.name
            self.found.over.append(over)
            self.found.seen.append(seen)
            self.found.succ.append([number] * self.actions if over else [])
            self.found.reward.append([0.0] * self.actions if over else [])
            self.ways.append((before, by))
            if not over:
                self.queue.append((number, place))
        return self.numbers[place.name]

    def try_out(self) -> None:
        """Plays on from states at random, and compares."""
        names, found = list(self.numbers), self.found
        rng = np.random.default_rng(0)
        for _ in range(TRIALS):
            at, seed, way = self.way_to(int(rng.integers(len(names))))
            observation = self.start(seed)
            if self.number_of(observation) != found.seen[at]:
                raise self.random(f"reset(seed={seed}) showed different states")
            for action in (*way, *rng.integers(self.actions, size=STEPS).tolist()):
                if found.over[at]:
                    break
                observation, reward, over = self.step(self.env, action)
                after = found.succ[at][action]
                expected = found.reward[at][action], found.over[after], found.seen[after]
                if (reward, over, self.number_of(observation)) != expected:
                    raise self.mixed_up(f"action {action} paid or showed something else")
                at = after
            # A digest may also hold what is left of other episodes.
            if self.key is not None and self.name_of(self.env, observation, found.over[at]) != names[at]:
                raise self.mixed_up("the same actions led elsewhere")

    def way_to(self, state: int) -> tuple[int, int, list[int]]:
        """A start, its seed, and the actions from there."""
        actions: list[int] = []
        while self.ways[state][0] >= 0:
            state, action = self.ways[state]
            actions.append(action)
        return state, self.ways[state][1], actions[::-1]

    def stand(self, state: int, place: _Place) -> tuple[Env, list[Generators]]:
        """The environment in some state, to be stepped once, and its random generators."""
        if place.env is not None:
            env, copies = self.copy(place.env)
            if not all(id(generator) in copies for generator in place.reading.generators):
                raise _CopyError
            return env, [copies[id(generator)] for generator in place.reading.generators]
        _, seed, way = self.way_to(state)
        observation = self.start(seed)
        for action in way:
            observation = self.step(self.env, action)[0]
        again = self.place(self.env, observation, False)
        if again.name != place.name:
            raise self.random(f"the same {len(way)} actions after reset(seed={seed}) led elsewhere")
        return self.env, list(again.reading.generators)

    def start(self, seed: int) -> Any:
        observation, _ = self.env.reset(seed=seed)
        if self.clock is not None and not hasattr(self.env.unwrapped, self.clock):
            raise UsageError(f"clock is {self.clock!r}, but {self.env} has no such attribute.")
        return observation

    def step(self, env: Env, action: int) -> tuple[Any, float, bool]:
        held = None if self.clock is None else getattr(env.unwrapped, self.clock)
        observation, reward, terminated, truncated, _ = env.step(self.first_action + action)
        if self.clock is not None:
            setattr(env.unwrapped, self.clock, held)
        if not math.isfinite(reward):
            raise UsageError(f"{self.env} paid a reward of {reward}, but a table must have finite ones.")
        return observation, float(reward), bool(terminated or truncated)

    def place(self, env: Env, observation: Any, over: bool) -> _Place:
        reading = self.read(env)
        return _Place(self.name_of(env, observation, over, reading), reading, env if self.copies else None)

    def name_of(self, env: Env, observation: Any, over: bool, reading: Reading | None = None) -> _Name:
        key: Hashable = None  # what is seen is part of the name in any case
        if self.key is None:
            key = (reading or self.read(env)).digest
        elif self.key != "observation":
            key = self.key(env)
        try:
            hash(key)
        except TypeError as error:
            raise UsageError(f"the key gave {key!r}, but must give something hashable.") from error
        return key, self.number_of(observation), over

    def read(self, env: Env) -> Reading:
        reading = read_env(env)
        if reading.hidden and self.key is None:
            raise UsageError(
                f"{self.env} keeps state that cannot be read ({reading.hidden[0]}): give a key, a function of the "
                "environment that names its state, or key='observation' if all of it is seen; a render_mode may be why."
            )
        if reading.hidden and self.copies:
            raise _CopyError
        return reading

    def number_of(self, observation: Any) -> int:
        """The number of what is seen: the observation itself if it is one, else in the order of appearance."""
        space = self.env.observation_space
        if isinstance(space, Discrete) and space.start >= 0 and space.start + space.n <= 2**31:
            return int(observation)
        reading = read(observation)
        if reading.hidden:
            raise UsageError(f"what {self.env} shows cannot be read ({reading.hidden[0]}).")
        return self.observations.setdefault(reading.digest, len(self.observations))

    def copy(self, env: Env) -> tuple[Env, dict[int, Any]]:
        """A copy of an environment, and those of its parts by the id of what they were copied from."""
        copies = dict(self.shared)
        try:
            return copy.deepcopy(env, copies), copies
        except Exception as error:  # whatever a class raises that cannot be copied
            raise _CopyError from error

    def random(self, what: str) -> Exception:
        """Not deterministic, as it seems; with copies it may be their fault."""
        if self.copies:
            return _CopyError()
        return UsageError(
            f"{self.env} is not deterministic: {what}; only deterministic environments, and those that expose P, have "
            "a table (if it only counts its episodes or the like, give a key)."
        )

    def mixed_up(self, what: str) -> Exception:
        """The state is more than its name, as it seems; with copies it may be their fault."""
        if self.key is None or self.copies:
            return self.random(f"in the same state {what}")
        if self.key == "observation":
            return UsageError(f"what is seen of {self.env} is not its whole state: {what} where all looked the same.")
        return UsageError(f"the key gives one name to different states of {self.env}: {what} in a state of that name.")
