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
from mohs.core.kernel import entry
from mohs.core.task import Source, Task, TaskSet
from mohs.engines.discrete import kernels
from mohs.engines.discrete.fleet import Fleet, fleet
from mohs.engines.discrete.law import begin_fleet

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

    metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012 – as Gymnasium declares it

    def __init__(
        self, *, seed: int = 0, source: Source | None = None, render_mode: str | None = None, **params: Any
    ) -> None:
        self.source = Task.make("toy/discrete", seed=seed, **params) if source is None else source
        if render_mode is not None:
            Choice(("ansi",)).parse("render_mode", render_mode)
        self.render_mode = render_mode
        self.fleet = fleet([self.source], history=True)
        states, self._actions, irrelevant_states, self._irrelevant_actions = self.fleet.spaces
        self.observation_space = _space(states, irrelevant_states)
        self.action_space = _space(self._actions, self._irrelevant_actions)
        self._started = False
        self._bind()
        self._augmented = self._m_state()
        self._varied = isinstance(self.source, TaskSet)

    def _bind(self) -> None:
        """What a step reads of the fleet."""
        self._memory = self.fleet.memory
        self._trace = self.fleet.traces[0]
        self._step_one = entry(kernels.step_one, self._memory, 0, 0)
        self._irrelevant = self.fleet.instances["irrelevant"]
        self._ready = self._started and not self.fleet.noise

    def __getstate__(self) -> dict[str, Any]:
        views = ("_memory", "_trace", "_irrelevant", "_step_one")
        return {name: value for name, value in self.__dict__.items() if name not in views}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        if seed is not None or not self._started:
            super().reset(seed=seed)
            _ = self.np_random  # Gymnasium chooses a seed where none was ever given
            assert self.np_random_seed is not None
            self.fleet.seed(_key(self.np_random_seed))
            self._started = True
            self._ready = not self.fleet.noise
        state = kernels.begin_one(self._memory)
        if self._varied:
            self._augmented = self._m_state()
        history = self._trace.copy()
        info = {"history": history, "augmented_state": history[self._augmented]}
        return (np.array([state, self._irrelevant[0]]) if self._irrelevant_actions else state), info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        # Written flat, because a call or two would be a tenth of the whole.
        if self._irrelevant_actions:
            return self._step_both(action)
        try:
            chosen = index(action)
        except TypeError:
            raise self._outside(action) from None
        if not 0 <= chosen < self._actions:
            raise self._outside(action)
        if not self._ready:
            self._make_ready()
        state, reward, terminated = self._step_one(self._memory, chosen, 0)
        history = self._trace.copy()
        return state, reward, terminated, False, {"history": history, "augmented_state": history[self._augmented]}

    def _step_both(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        """A step with a relevant and an irrelevant action."""
        try:
            chosen, other = map(index, action)
        except (TypeError, ValueError):
            raise self._outside(action) from None
        if not (0 <= chosen < self._actions and 0 <= other < self._irrelevant_actions):
            raise self._outside(action)
        if not self._ready:
            self._make_ready()
        state, reward, terminated = self._step_one(self._memory, chosen, other)
        history = self._trace.copy()
        info = {"history": history, "augmented_state": history[self._augmented]}
        return np.array([state, self._irrelevant[0]]), reward, terminated, False, info

    def _m_state(self) -> slice:
        """Where in the history the M-state of the task that is being played lies."""
        task = self.fleet.tasks[self.fleet.instances["task"][0]]
        first = len(self._trace) - int(task["delay"] + task["length"])
        return slice(first, first + int(task["length"]))

    def _make_ready(self) -> None:
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset() before step().")
        self.fleet.draw_noise()

    def _outside(self, action: Any) -> UsageError:
        allowed = f"an integer from 0 to {self._actions - 1}"
        if self._irrelevant_actions:
            allowed = f"two integers, from 0 to {self._actions - 1} and from 0 to {self._irrelevant_actions - 1}"
        return UsageError(f"the action is {action!r}, but must be {allowed}.")

    @property
    def augmented_state(self) -> npt.NDArray[np.int32]:
        """The M-state."""
        state: npt.NDArray[np.int32] = self._trace[self._augmented].copy()
        return state

    def render(self) -> str | None:
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset() before render().")
        if self.render_mode is None:
            gymnasium.logger.warn("render() was called without a render_mode; make the environment with 'ansi'.")
            return None
        inst = self.fleet.instances[0]
        return f"step {inst['t']}: state {inst['state']}, last N-states {self._trace.tolist()}"


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

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: Info | None = None) -> tuple[Any, Info]:
        chosen = np.ones(self.num_envs, dtype=np.bool_)
        if options and options.get("reset_mask") is not None:
            chosen = np.asarray(options["reset_mask"], dtype=np.bool_)
            if chosen.shape != (self.num_envs,):
                raise UsageError(f"reset_mask has shape {chosen.shape}, but must have one value for each environment.")
            if not self._started and not chosen.all():
                raise UsageError("reset_mask must choose every environment the first time.")
        for i, one in enumerate(self._seeds(seed)):
            if chosen[i] and one is not None:
                self.fleet.seed(_key(one), i)
        self._started = True
        observations = np.empty((self.num_envs, self._width), dtype=np.int64)
        begin_fleet(*self.fleet.arrays, chosen, observations)
        return self._shaped(observations), self._info()

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """One seed for each environment; None goes on in its stream, and is drawn where there is none yet."""
        given: Any = [None] * self.num_envs if seed is None else seed
        if isinstance(given, int | np.integer):
            given = [int(given) + i for i in range(self.num_envs)]
        if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray) or len(given) != self.num_envs:
            raise UsageError(f"the seed is {seed!r}, but must be an integer ≥ 0 or {self.num_envs} of them.")
        seeds = [None if one is None else Integer(0).parse("a seed", one) for one in given]
        if not self._started:
            seeds = [np.random.SeedSequence().generate_state(1)[0].item() if one is None else one for one in seeds]
        return seeds

    def step(self, actions: Any) -> tuple[Any, npt.NDArray[np.float64], Any, Any, Info]:
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset() before step().")
        given = np.asarray(actions)
        if given.shape != self.action_space.shape or given.dtype.kind not in "iu":
            raise UsageError(
                f"actions must be integers of shape {self.action_space.shape}, not {given.dtype} of {given.shape}."
            )
        if self.fleet.noise:
            self.fleet.draw_noise()
        n = self.num_envs
        # One type and layout, so that one kernel is compiled.
        chosen = np.ascontiguousarray(given, dtype=np.int64).reshape(n, self._width)
        observations = np.empty((n, self._width), dtype=np.int64)
        final = np.zeros((n, self._width), dtype=np.int64) if self._same_step else observations
        rewards = np.empty(n)
        terminated, truncated = np.empty(n, dtype=np.bool_), np.empty(n, dtype=np.bool_)
        before = self._keep() if self._same_step and self._history else None
        wrong = kernels.step_fleet(
            self.fleet.memory, chosen, observations, rewards, terminated, truncated, final, self._same_step
        )
        if wrong >= 0:
            raise UsageError(
                f"the action of environment {wrong} is {given[wrong]}, outside {self.single_action_space}."
            )
        info = self._info()
        if self._same_step:
            self._add_final(info, final, terminated | truncated, before)
        return self._shaped(observations), rewards, terminated, truncated, info

    def _shaped(self, observations: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return observations[:, 0] if self._width == 1 else observations

    def _info(self) -> Info:
        return self._histories(*self._keep(), np.ones(self.num_envs, dtype=np.bool_)) if self._history else {}

    def _keep(self) -> tuple[Any, Any]:
        """The tasks that are being played, and their histories."""
        return self.fleet.tasks[self.fleet.instances["task"]], self.fleet.traces.copy()

    def _histories(self, task: Any, traces: npt.NDArray[np.int32], there: npt.NDArray[np.bool_]) -> Info:
        """The histories, right-aligned, and the M-states, left-aligned, where tasks differ in length."""
        length, span = task["length"], task["delay"] + task["length"] + 1
        width = traces.shape[1]
        history = np.where(np.arange(width) >= width - span[:, None], traces, -1)
        place = np.arange(self.fleet.tasks["length"].max())
        source = np.minimum(width - span[:, None] + 1 + place, width - 1)
        augmented = np.where(place < length[:, None], np.take_along_axis(traces, source, axis=1), -1)
        return {"history": history, "_history": there, "augmented_state": augmented, "_augmented_state": there.copy()}

    def _add_final(
        self, info: Info, final: npt.NDArray[np.int64], over: npt.NDArray[np.bool_], before: tuple[Any, Any] | None
    ) -> None:
        """What Gymnasium reports of the step that ended an episode, before the new one began."""
        if not over.any():
            return
        observations = np.full(self.num_envs, None, dtype=object)
        if self._width == 1:
            observations[over] = final[over, 0]
        else:
            for i in np.flatnonzero(over):
                observations[i] = final[i]
        info["final_obs"], info["_final_obs"] = observations, over
        ended = {}
        if before is not None:
            task, traces = before
            ended = self._histories(task, np.hstack([traces[:, 1:], final[:, :1].astype(traces.dtype)]), over)
        info["final_info"], info["_final_info"] = ended, over.copy()
