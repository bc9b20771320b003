"""How does Gymnasium play a fleet? The vector environment that all compiled engines share.

An engine moves *states*. An observation is the state itself or a *view* of it, such as an image.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from mohs.core.domain import Choice, Integer
from mohs.core.errors import UsageError, invalid, unknown
from mohs.core.task import Source, Task
from mohs.engines import loops

Info = dict[str, Any]
_MODES = {"NextStep": AutoresetMode.NEXT_STEP, "SameStep": AutoresetMode.SAME_STEP}


class Address(NamedTuple):
    """Which task every instance plays, and where in its random stream it is: draws are addressed by these."""

    task: npt.NDArray[np.int32]
    key: npt.NDArray[np.uint64]
    episode: npt.NDArray[np.int32]
    t: npt.NDArray[np.int32]

    @classmethod
    def of(cls, instances: npt.NDArray[Any]) -> Address:
        return cls(*(instances[name].copy() for name in cls._fields))

    def next(self) -> Address:
        """The address of the step after this one."""
        return self._replace(t=self.t + 1)

    def where(self, chosen: npt.NDArray[np.bool_]) -> Address:
        return Address(self.task[chosen], self.key[chosen], self.episode[chosen], self.t[chosen])


Spaces = tuple[spaces.Space[Any], spaces.Space[Any]]


class View(Protocol):
    """How states are observed: a space and a function of the states [N, width] and their addresses."""

    space: spaces.Space[Any]

    def __call__(self, states: npt.NDArray[Any], address: Address) -> npt.NDArray[Any]: ...


def _no_view(fleet: Any) -> View | None:
    return None


@dataclass(frozen=True)
class Face:
    """What the single and the vector environment of an engine have in common.

    Args:
        environment: The id of the environment.
        fleet: Builds a fleet of sources; with the flag `history`, it keeps what `info` reports.
        spaces: The observation space and the action space of one instance of a fleet.
        view: How states are observed, or None where they are observed as they are.
    """

    environment: str
    fleet: Callable[[Sequence[Source], bool], Any]
    spaces: Callable[[Any], Spaces]
    view: Callable[[Any], View | None] = _no_view

    def seen(self, fleet: Any) -> tuple[View | None, Any, Any]:
        """The view, the observation space and the action space of one instance."""
        view = self.view(fleet)
        observation, action = self.spaces(fleet)
        return view, observation if view is None else view.space, action


def as_numbers(given: Any, shape: tuple[int, ...]) -> npt.NDArray[np.float32] | None:
    """Actions of one type and layout, so that one kernel is compiled; None where they are no numbers of this shape."""
    read = np.asarray(given)
    if read.shape != shape or read.dtype.kind not in "fiu":
        return None
    if read.dtype == np.float32 and read.flags.carray:
        return read
    with np.errstate(over="ignore"):  # what is too large for a float32 is infinite, and out of every range
        return np.require(read, np.float32, ("C", "W"))


def check_options(options: Info | None, valid: Sequence[str] | None) -> None:
    """A mistyped option of `reset` is an error: it would otherwise have no effect. None is valid where any may be."""
    if not isinstance(options, Mapping | None):
        raise invalid("options of reset", options, "a mapping or None")
    for name in options or {}:
        if valid is not None and name not in valid:
            raise unknown("option of reset", name, valid)


def begun(fleet: Any, chosen: npt.NDArray[np.bool_], options: Info | None = None) -> npt.NDArray[Any]:
    """Starts an episode in the chosen instances, in the state that the options give if they do; the states of all."""
    states: npt.NDArray[Any] = fleet.new_observations()
    loops.begin_fleet(fleet.memory, chosen, states)
    if fleet.state_fields and options and options.get("state") is not None:
        fleet.set_states(options["state"], chosen)
        loops.begin_fleet(fleet.memory, np.zeros_like(chosen), states)  # begins none, and observes all again
    return states


def stream_key(seed: int) -> int:
    """The key of the random stream that a seed of `reset` stands for."""
    return int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])


def autoreset(mode: str | AutoresetMode) -> AutoresetMode:
    """When an episode that is over begins anew: in the next step, or in the same."""
    if not isinstance(mode, AutoresetMode):
        mode = _MODES[Choice(tuple(_MODES)).parse("autoreset_mode", mode)]
    if mode not in _MODES.values():
        raise UsageError(f"autoreset_mode must be one of {', '.join(_MODES)}.")
    return mode


class FleetVectorEnv(VectorEnv[Any, Any, Any]):
    """Many instances stepped by one kernel. They may play different tasks with the same spaces.

    A subclass names its `face`. It may add options of `reset` and what `info` holds.
    """

    face: ClassVar[Face]
    fleet: Any

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
        environment = self.face.environment
        if sources is None:
            count = Integer(1, 2**24).parse("num_envs", num_envs)
            sources = [Task.make(environment, seed=seed, **params)] * count
        if render_mode is not None:
            raise UsageError("a vector environment has no render mode; render a single environment.")
        mode = autoreset(autoreset_mode)
        self._same_step = mode is AutoresetMode.SAME_STEP
        self.metadata = {"autoreset_mode": mode}
        self.render_mode = None
        self.num_envs = len(sources)
        self._history = history
        self._started = False
        self.fleet = self.face.fleet(sources, history)
        strange = [task for task in self.fleet.numbers if task.env != environment]
        if strange:
            raise UsageError(f"this is a fleet of {environment}, in which {strange[0]} cannot be played.")
        self.view, self.single_observation_space, self.single_action_space = self.face.seen(self.fleet)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def _read(self, actions: Any) -> npt.NDArray[Any]:
        """Actions as kernels take them, [N, components]; an error where they have another type or shape."""
        given, shape = np.asarray(actions), self.action_space.shape
        assert shape is not None
        if isinstance(self.single_action_space, spaces.Box):
            numbers = as_numbers(given, shape)
            if numbers is not None:
                return numbers
        elif given.shape == shape and given.dtype.kind in "iu":
            return np.ascontiguousarray(given, dtype=np.int64).reshape(self.num_envs, -1)
        kind = "numbers" if isinstance(self.single_action_space, spaces.Box) else "integers"
        raise UsageError(f"actions must be {kind} of shape {shape}, not {given.dtype} of {given.shape}.")

    def _shown(self, states: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """States as observations, where they are observed as they are."""
        return states if self.single_observation_space.shape else states[:, 0]

    def _info(self) -> Info:
        return {}

    def _final_info(self, before: Any, final: npt.NDArray[Any], over: npt.NDArray[np.bool_]) -> Info:
        """What `_info` would have held for the step that ended an episode; `before` is what `_keep` kept."""
        return {}

    def _keep(self) -> Any:
        """What `_final_info` needs from before the step."""
        return None

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: Info | None = None) -> tuple[Any, Info]:
        if self.fleet.state_fields:
            check_options(options, ("state", "reset_mask"))
        chosen = np.ones(self.num_envs, dtype=np.bool_)
        if options and options.get("reset_mask") is not None:
            chosen = np.asarray(options["reset_mask"], dtype=np.bool_)
            if chosen.shape != (self.num_envs,):
                raise UsageError(f"reset_mask has shape {chosen.shape}, but must have one value for each environment.")
            if not self._started and not chosen.all():
                raise UsageError("reset_mask must choose every environment the first time.")
        for i, one in enumerate(self._seeds(seed)):
            if chosen[i] and one is not None:
                self.fleet.seed(stream_key(one), i)
        self._started = True
        states = begun(self.fleet, chosen, options)
        return self._observed(states), self._info()

    def begin(self, chosen: npt.NDArray[np.bool_], keys: npt.NDArray[np.uint64]) -> npt.NDArray[Any]:
        """Starts an episode in the chosen instances, in new streams with these keys; the observations of all."""
        self.fleet.seed(keys, chosen)
        self._started = True
        return self._observed(begun(self.fleet, chosen))

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """One seed for each environment; None continues its stream, and is drawn where there is none yet."""
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
        chosen = self._read(actions)
        if self.fleet.noise:
            self.fleet.draw_noise(chosen)
        n = self.num_envs
        states = self.fleet.new_observations()
        final = np.zeros_like(states) if self._same_step else states
        rewards = np.empty(n)
        terminated, truncated = np.empty(n, dtype=np.bool_), np.empty(n, dtype=np.bool_)
        ended_at = Address.of(self.fleet.instances).next() if self._same_step and self.view is not None else None
        before = self._keep() if self._same_step and self._history else None
        memory, same_step = self.fleet.memory, self._same_step
        wrong = loops.step_fleet(memory, chosen, states, rewards, terminated, truncated, final, same_step)
        if wrong >= 0:
            given = np.asarray(actions)[wrong].tolist()
            raise UsageError(f"the action of environment {wrong} is {given}, outside {self.single_action_space}.")
        info = self._info()
        if self._same_step:
            over = terminated | truncated
            if over.any():
                self._add_final(info, final, over, ended_at)
                info["final_info"], info["_final_info"] = self._final_info(before, final, over), over.copy()
        return self._observed(states), rewards, terminated, truncated, info

    def _observed(self, states: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return self._shown(states) if self.view is None else self.view(states, Address.of(self.fleet.instances))

    def _add_final(
        self, info: Info, final: npt.NDArray[Any], over: npt.NDArray[np.bool_], ended_at: Address | None
    ) -> None:
        """What Gymnasium reports of the step that ended an episode, before the new one began."""
        if self.view is None:
            seen = self._shown(final)[over]
        else:
            assert ended_at is not None
            seen = self.view(final[over], ended_at.where(over))
        observations = np.full(self.num_envs, None, dtype=object)
        if seen.ndim == 1:
            observations[over] = seen
        else:
            for i, one in zip(np.flatnonzero(over), seen, strict=True):
                observations[i] = one
        info["final_obs"], info["_final_obs"] = observations, over
