"""What does the discrete toy look like to Gymnasium? Two thin faces on the compiled fleet."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from mohs.core.domain import Choice, Integer
from mohs.core.errors import UsageError
from mohs.core.task import Source, Task
from mohs.engines.discrete import law
from mohs.engines.discrete.fleet import Fleet, fleet

Info = dict[str, Any]


def _space(relevant: int, irrelevant: int) -> spaces.Space[Any]:
    return spaces.MultiDiscrete([relevant, irrelevant]) if irrelevant else spaces.Discrete(relevant)


def _key(seed: int) -> int:
    """The key of the random stream that a seed of `reset` stands for."""
    return int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])


class DiscreteEnv(gymnasium.Env[Any, Any]):
    """The discrete toy. `seed` decides what is generated; `reset(seed=)` seeds start states and noise.

    `info` holds `history`, the last delay + sequence_length + 1 N-states, oldest first, -1 before the start, and
    `augmented_state`, the M-state: the N-states of one sequence length that ended `delay` steps ago.
    Truncation is left to Gymnasium's `TimeLimit`.
    """

    metadata = {"render_modes": ["ansi"]}

    def __init__(self, *, seed: int = 0, render_mode: str | None = None, **params: Any) -> None:
        self.task = Task.make("toy/discrete", seed=seed, **params)
        if render_mode is not None:
            Choice(("ansi",)).parse("render_mode", render_mode)
        self.render_mode = render_mode
        self.fleet = fleet([self.task], history=True)
        states, self._actions, irrelevant_states, self._irrelevant_actions = self.fleet.spaces
        self.observation_space = _space(states, irrelevant_states)
        self.action_space = _space(self._actions, self._irrelevant_actions)
        self._length: int = self.task["sequence_length"]
        self._span = len(self.fleet.ints) - 1, int(self.fleet.instances["trace_length"][0])
        self._bind()

    def _bind(self) -> None:
        """Views into the fleet that a step reads."""
        self._arrays = self.fleet.arrays
        start, size = int(self.fleet.instances["trace"][0]), int(self.fleet.instances["trace_length"][0])
        self._trace = self.fleet.ints[start : start + size]
        self._size = size
        # Row r reads a ring that was last written at place r, oldest first.
        self._order = (np.arange(size)[None, :] + np.arange(size)[:, None] + 1) % size
        self._t = 0
        self._started = False

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for name in ("_arrays", "_trace"):
            del state[name]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        t, started = self._t, self._started
        self._bind()
        self._t, self._started = t, started

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        super().reset(seed=seed)
        if seed is not None or not self._started:
            if seed is None:
                _ = self.np_random  # Gymnasium chooses a seed where none was ever given
            assert self.np_random_seed is not None
            self.fleet.seed(_key(self.np_random_seed))
            self._started = True
        law.begin_one(*self._arrays)
        self._t = 0
        inst = self.fleet.instances[0]
        return self._observe(int(inst["state"]), int(inst["irrelevant"])), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        if self._irrelevant_actions:
            first, second = index(action[0]), index(action[1])
            if not 0 <= second < self._irrelevant_actions:
                raise UsageError(f"the irrelevant action is {second}, but must be 0 to {self._irrelevant_actions - 1}.")
        else:
            first, second = index(action), 0
        if not 0 <= first < self._actions:
            raise UsageError(f"the action is {first}, but must be 0 to {self._actions - 1}.")
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset() before step().")
        if self.fleet.noise:
            self.fleet.draw_noise()
        state, irrelevant, reward, terminated = law.step_one(*self._arrays, first, second)
        self._t += 1
        if self._irrelevant_actions:
            return np.array([state, irrelevant]), reward, terminated, False, self._info()
        return state, reward, terminated, False, self._info()

    def _observe(self, state: int, irrelevant: int) -> Any:
        return np.array([state, irrelevant]) if self._irrelevant_actions else state

    def _info(self) -> Info:
        history = self._trace[self._order[self._t % self._size]]
        return {"history": history, "augmented_state": history[1 : self._length + 1]}

    @property
    def augmented_state(self) -> npt.NDArray[np.int32]:
        """The M-state."""
        state: npt.NDArray[np.int32] = self._info()["augmented_state"]
        return state

    def render(self) -> str | None:  # type: ignore[override]
        if self.render_mode is None:
            gymnasium.logger.warn("render() was called without a render_mode; make the environment with 'ansi'.")
            return None
        inst = self.fleet.instances[0]
        return f"step {inst['t']}: state {inst['state']}, last N-states {self._info()['history'].tolist()}"


class DiscreteVectorEnv(VectorEnv[Any, Any, Any]):
    """Many discrete toys stepped by one kernel. Instances may play different tasks with the same spaces."""

    def __init__(
        self,
        *,
        num_envs: int = 1,
        sources: Sequence[Source] | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        history: bool = False,
        render_mode: str | None = None,
        seed: int = 0,
        **params: Any,
    ) -> None:
        if sources is None:
            count = Integer(1, 2**24).parse("num_envs", num_envs)
            sources = [Task.make("toy/discrete", seed=seed, **params)] * count
        if render_mode is not None:
            raise UsageError("a fleet of toys has no render mode; render a single environment.")
        modes = {"NextStep": AutoresetMode.NEXT_STEP, "SameStep": AutoresetMode.SAME_STEP}
        if not isinstance(autoreset_mode, AutoresetMode):
            autoreset_mode = modes[Choice(tuple(modes)).parse("autoreset_mode", autoreset_mode)]
        if autoreset_mode not in modes.values():
            raise UsageError(f"autoreset_mode must be one of {', '.join(modes)}.")
        self._same_step = autoreset_mode is AutoresetMode.SAME_STEP
        self.metadata = {"autoreset_mode": autoreset_mode}
        self.render_mode = None
        self.fleet: Fleet = fleet(sources, history=history)
        self._history = history
        states, actions, irrelevant_states, irrelevant_actions = self.fleet.spaces
        self.num_envs = len(sources)
        self.single_observation_space = _space(states, irrelevant_states)
        self.single_action_space = _space(actions, irrelevant_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._width = 2 if irrelevant_actions else 1
        self._started = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Info | None = None
    ) -> tuple[Any, Info]:
        chosen = np.ones(self.num_envs, dtype=np.bool_)
        if options and options.get("reset_mask") is not None:
            chosen = np.asarray(options["reset_mask"], dtype=np.bool_)
            if chosen.shape != (self.num_envs,):
                raise UsageError(f"reset_mask has shape {chosen.shape}, but must have one value for each environment.")
        if seed is None and not self._started:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint32)[0])
        if seed is not None:
            seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int | np.integer) else list(seed)
            if len(seeds) != self.num_envs:
                raise UsageError(f"{len(seeds)} seeds were given for {self.num_envs} environments.")
            for i, one in enumerate(seeds):
                if one is not None and chosen[i]:
                    self.fleet.seed(_key(int(one)), i)
        self._started = True
        observations = np.empty((self.num_envs, self._width), dtype=np.int64)
        law.begin_fleet(*self.fleet.arrays, chosen, observations)
        return self._shaped(observations), self._info()

    def step(self, actions: Any) -> tuple[Any, npt.NDArray[np.float64], Any, Any, Info]:
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset() before step().")
        given = np.asarray(actions)
        if given.shape != ((self.num_envs,) if self._width == 1 else (self.num_envs, 2)) or given.dtype.kind not in "iu":
            raise UsageError(f"actions must be integers of shape {self.action_space.shape}, not {given.dtype} {given.shape}.")
        if self.fleet.noise:
            self.fleet.draw_noise()
        n = self.num_envs
        observations = np.empty((n, self._width), dtype=np.int64)
        final = np.empty((n, self._width), dtype=np.int64) if self._same_step else observations
        rewards = np.empty(n)
        terminated, truncated = np.empty(n, dtype=np.bool_), np.empty(n, dtype=np.bool_)
        wrong = law.step_fleet(
            *self.fleet.arrays, given.reshape(n, self._width), observations, rewards, terminated, truncated, final,
            self._same_step,
        )
        if wrong >= 0:
            raise UsageError(f"the action of environment {wrong} is {given[wrong]}, outside {self.single_action_space}.")
        info = self._info()
        if self._same_step:
            self._add_final(info, final, terminated | truncated)
        return self._shaped(observations), rewards, terminated, truncated, info

    def _shaped(self, observations: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return observations[:, 0] if self._width == 1 else observations

    def _info(self) -> Info:
        if not self._history:
            return {}
        instances, tasks = self.fleet.instances, self.fleet.tasks
        size = instances["trace_length"].max()
        history = np.full((self.num_envs, size), -1, dtype=np.int64)
        augmented = np.full((self.num_envs, tasks["length"].max()), -1, dtype=np.int64)
        for i, inst in enumerate(instances):
            ring = inst["trace"] + (inst["t"] + 1 + np.arange(inst["trace_length"])) % inst["trace_length"]
            task = tasks[inst["task"]]
            own = self.fleet.ints[ring][-(task["delay"] + task["length"] + 1) :]
            history[i, size - len(own) :] = own
            augmented[i, : task["length"]] = own[1 : task["length"] + 1]
        there = np.ones(self.num_envs, dtype=np.bool_)
        return {"history": history, "_history": there, "augmented_state": augmented, "_augmented_state": there}

    def _add_final(self, info: Info, final: npt.NDArray[np.int64], over: npt.NDArray[np.bool_]) -> None:
        if over.any():
            observations = np.full(self.num_envs, None, dtype=object)
            for i in np.flatnonzero(over):
                observations[i] = final[i] if self._width > 1 else final[i, 0]
            info["final_obs"], info["_final_obs"] = observations, over
            info["final_info"], info["_final_info"] = {}, over
