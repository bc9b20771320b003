"""What does a fleet look like to Gymnasium? The vector face that all compiled engines share.

An engine moves *states*; what is seen of them may be the state itself or a *view* of it, such as an image.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from mohs.core.domain import Choice, Integer
from mohs.core.errors import UsageError
from mohs.core.task import Source, Task

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


class View(Protocol):
    """What is seen of states: a space and a function of the states [N, ...] and their addresses."""

    space: spaces.Space[Any]

    def __call__(self, states: npt.NDArray[Any], address: Address) -> npt.NDArray[Any]: ...


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

    A subclass names its environment and says how its fleet is built, begun and stepped.
    """

    environment: ClassVar[str]
    fleet: Any
    view: View | None = None

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
            sources = [Task.make(self.environment, seed=seed, **params)] * count
        if render_mode is not None:
            raise UsageError("a fleet of toys has no render mode; render a single environment.")
        mode = autoreset(autoreset_mode)
        self._same_step = mode is AutoresetMode.SAME_STEP
        self.metadata = {"autoreset_mode": mode}
        self.render_mode = None
        self.num_envs = len(sources)
        self._history = history
        self._started = False
        self._build(sources)
        strange = [task for task in self.fleet.numbers if task.env != self.environment]
        if strange:
            raise UsageError(f"this is a fleet of {self.environment}, in which {strange[0]} cannot be played.")
        if self.view is not None:
            self.single_observation_space = self.view.space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    @abstractmethod
    def _build(self, sources: Sequence[Source]) -> None:
        """Sets the fleet, the single spaces and, where states are not seen as they are, the view."""

    @abstractmethod
    def _new_states(self) -> npt.NDArray[Any]:
        """Room for the states of all instances."""

    @abstractmethod
    def _begin(self, chosen: npt.NDArray[np.bool_], states: npt.NDArray[Any]) -> None:
        """Starts an episode in the chosen instances and writes the states of all."""

    @abstractmethod
    def _read(self, actions: Any) -> npt.NDArray[Any]:
        """Actions as the kernel takes them; an error where they have another type or shape."""

    def _integers(self, actions: Any) -> npt.NDArray[np.int64]:
        """Actions that are integers, in one type and layout, so that one kernel is compiled."""
        given = np.asarray(actions)
        if given.shape != self.action_space.shape or given.dtype.kind not in "iu":
            raise UsageError(
                f"actions must be integers of shape {self.action_space.shape}, not {given.dtype} of {given.shape}."
            )
        return np.ascontiguousarray(given, dtype=np.int64)

    @abstractmethod
    def _advance(self, actions: npt.NDArray[Any], states: Any, final: Any, rewards: Any, over: tuple[Any, Any]) -> int:
        """One step of all instances: -1, or the first one whose action is out of range (then nothing has moved)."""

    def _shown(self, states: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """States as observations, where they are seen as they are."""
        return states

    def _info(self) -> Info:
        return {}

    def _final_info(self, before: Any, final: npt.NDArray[Any], over: npt.NDArray[np.bool_]) -> Info:
        """What `_info` would have said of the step that ended an episode; `before` is what `_keep` kept."""
        return {}

    def _keep(self) -> Any:
        """What `_final_info` needs from before the step."""
        return None

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
                self.fleet.seed(stream_key(one), i)
        self._started = True
        states = self._new_states()
        self._begin(chosen, states)
        return self._observed(states), self._info()

    def begin(self, chosen: npt.NDArray[np.bool_], keys: npt.NDArray[np.uint64]) -> npt.NDArray[Any]:
        """Starts an episode in the chosen instances, in new streams with these keys; what is seen of all."""
        self.fleet.seed(keys, chosen)
        self._started = True
        states = self._new_states()
        self._begin(chosen, states)
        return self._observed(states)

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
        chosen = self._read(actions)
        if self.fleet.noise:
            self.fleet.draw_noise(chosen)
        n = self.num_envs
        states = self._new_states()
        final = np.zeros_like(states) if self._same_step else states
        rewards = np.empty(n)
        terminated, truncated = np.empty(n, dtype=np.bool_), np.empty(n, dtype=np.bool_)
        ended_at = Address.of(self.fleet.instances).next() if self._same_step and self.view is not None else None
        before = self._keep() if self._same_step and self._history else None
        wrong = self._advance(chosen, states, final, rewards, (terminated, truncated))
        if wrong >= 0:
            raise UsageError(
                f"the action of environment {wrong} is {chosen[wrong].tolist()}, outside {self.single_action_space}."
            )
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
