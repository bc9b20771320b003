"""How are dials injected into a vector of environments? By the same law, over all instances at once.

An instance does what it would do alone: its stream is that of `inject` under its own seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from mohs.core.arguments import checked_late
from mohs.core.dial import Applies
from mohs.core.errors import UsageError
from mohs.core.kernel import entry
from mohs.engines.injection import kernels
from mohs.engines.injection.fleet import injection
from mohs.engines.injection.layout import DISABLED, NEXT_STEP, SAME_STEP
from mohs.envs.inject.actions import Actions, check, components, kernel_of
from mohs.envs.inject.irrelevant import Companions
from mohs.envs.inject.observations import shows_images, sight
from mohs.envs.inject.setting import Setting, cannot, read
from mohs.envs.inject.wrapper import Info, injection_key

_MODES = {
    AutoresetMode.NEXT_STEP: NEXT_STEP,
    AutoresetMode.SAME_STEP: SAME_STEP,
    AutoresetMode.DISABLED: DISABLED,
}
_BEFORE = "to be injected before the environments are vectorised"


@checked_late
def inject_vec(envs: VectorEnv[Any, Any, Any], /, **dials: Any) -> InjectVec:
    """Injects dials of hardness into every instance of a Gymnasium vector environment.

    Instance i does exactly what `inject` does to a single environment with the same seed.

    Args:
        envs: The vector environment.
        **dials: Dials by name. Dials that need the simulator are refused: inject them before vectorising.

    Returns:
        One wrapper for all dials. Its attribute `dials` holds those that are on.

    Raises:
        UsageError: A dial is unknown, its value is not allowed, or it cannot act on this environment.

    Example:
        >>> import gymnasium, mohs
        >>> envs = mohs.inject_vec(gymnasium.make_vec("CartPole-v1", num_envs=2), delay=1)
        >>> observations, infos = envs.reset(seed=0)
        >>> actions = envs.action_space.sample()
        >>> [envs.step(actions)[1].tolist() for _ in range(2)]
        [[0.0, 0.0], [1.0, 1.0]]
    """
    return InjectVec(envs, **dials)


class InjectVec(VectorWrapper[Any, Any, Any, Any, Any]):
    """A vector environment with dials injected. `dials` are those that are on."""

    def __init__(self, envs: VectorEnv[Any, Any, Any], **dials: Any) -> None:
        if not isinstance(envs, VectorEnv):
            raise UsageError(f"inject_vec takes a Gymnasium vector environment, not {type(envs).__name__}; see inject.")
        super().__init__(envs)
        name = envs.spec.id if envs.spec is not None else type(envs.unwrapped).__name__
        mode = envs.metadata.get("autoreset_mode")
        if mode not in _MODES:
            raise UsageError(f"the metadata of {name} must say its autoreset_mode, so that episodes are told apart.")
        self._mode = _MODES[mode]
        seen, acted = envs.single_observation_space, envs.single_action_space
        kinds: tuple[Applies, ...] = ("wrapper", "image wrapper") if shows_images(seen) else ("wrapper",)
        self._setting = read(dials, name, kinds)
        values = self._setting.values
        self._actions = components(acted)
        noise = _noise(self._setting, self._actions, name)
        check(self._actions, acted, values["sticky_actions"], noise, name)
        if values["action_repeat"] > 1:
            raise cannot("action_repeat", name, _BEFORE)
        if noise == 0 and values["sticky_actions"] == 0:
            self._actions = None  # they pass as they are
        limits = None if self._actions is None else self._actions.limits
        self.injections = 1 + _injections(envs)
        self._injection = injection(self.num_envs, values, noise, False, limits)
        self._rows = np.arange(self.num_envs)
        self._sight = sight(seen, values, name)
        if self._sight is not None:
            self._set_observation_space(self._sight.space)
        parameters = self._setting.on.get("irrelevant_features")
        self._toys: Companions | None = None
        if parameters is not None:
            given = {} if parameters is True else dict(parameters)
            self._toys = Companions(given, self.single_observation_space, acted, self.num_envs, name)
            self._set_observation_space(self._toys.observation_space)
            self.single_action_space = self._toys.action_space
            self.action_space = batch_space(self._toys.action_space, self.num_envs)
        self._shape = (self.num_envs, *(acted.shape or ()))
        self._idle, self._pays = not self._setting.on, self._setting.pays
        self._started = False
        self._bind()

    def _bind(self) -> None:
        """What a step calls."""
        self._memory = self._injection.memory
        ends = np.zeros(self.num_envs, dtype=np.bool_)
        self._pay = entry(kernels.pay_fleet, self._memory, ends, ends, np.zeros(self.num_envs), 0)
        self._act = None if self._actions is None else kernel_of(self._actions, self._memory)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_memory", "_pay", "_act")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    @property
    def dials(self) -> Mapping[str, Any]:
        return dict(self._setting.on)

    def _set_observation_space(self, space: Any) -> None:
        self.single_observation_space = space
        self.observation_space = batch_space(space, self.num_envs)

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: Info | None = None) -> tuple[Any, Info]:
        chosen = np.ones(self.num_envs, dtype=np.bool_)
        if options and options.get("reset_mask") is not None:
            chosen = np.array(options["reset_mask"], dtype=np.bool_)
        observations, info = self.env.reset(seed=seed, options=options)  # type: ignore[arg-type]
        seeds: Sequence[int | None]
        if seed is None or isinstance(seed, int | np.integer):
            seeds = [None if seed is None else int(seed) + i for i in range(self.num_envs)]
        else:
            seeds = seed
        for i, one in enumerate(seeds):
            if chosen[i] and (one is not None or not self._started):
                self._injection.seed(i, injection_key(one, self.injections))
        self._started = True
        self._injection.begin(chosen)
        if self._toys is not None:
            self._toys.begin(self._injection, chosen)
        return self._seen(observations, self._rows), info

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, Info]:
        if self._idle:
            return self.env.step(actions)
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset() before step().")
        if self._toys is not None:
            actions, aside = self._toys.split(actions, self.action_space.shape or ())
        if self._act is not None:
            actions = self._acted(self._act, actions)
        if self._toys is not None:
            self._toys.step(aside)  # after what may refuse the actions
        observations, earned, terminated, truncated, info = self.env.step(actions)
        if self._injection.noise is not None:
            self._injection.draw_noise()
        paid = np.array(earned, dtype=np.float64)
        ended, cut_short = np.asarray(terminated, np.bool_, "C"), np.asarray(truncated, np.bool_, "C")
        self._pay(self._memory, ended, cut_short, paid, self._mode)
        if self._sight is not None or self._toys is not None:
            observations = self._seen_later(observations, info)
        return observations, paid if self._pays else earned, terminated, truncated, info

    def _acted(self, act: Callable[..., int], actions: Any) -> npt.NDArray[Any]:
        """The actions that are taken."""
        assert self._actions is not None
        taken = self._actions.copied(actions, self._shape)
        wrong = act(self._memory, taken.ravel())
        if wrong >= 0:
            raise self._actions.outside(np.asarray(actions)[wrong])
        return taken.astype(self._actions.space.dtype, copy=False)

    def _seen_later(self, observations: Any, info: Info) -> Any:
        """Observations after a step, with which new episodes may have begun."""
        begun = self._injection.t == 0
        over = info.get("_final_obs")
        if over is not None:
            finals = np.full(self.num_envs, None, dtype=object)
            for i in np.flatnonzero(over):
                one = np.asarray(info["final_obs"][i])[None]
                finals[i] = self._seen(one, self._rows[i : i + 1], final=True)[0]
            info["final_obs"] = finals
        if self._toys is not None and begun.any():
            self._toys.begin(self._injection, begun)
        return self._seen(observations, self._rows)

    def _seen(self, observations: Any, rows: npt.NDArray[np.int64], final: bool = False) -> Any:
        if self._sight is not None:
            observations = self._sight(np.asarray(observations), self._injection, rows, final)
        if self._toys is not None:
            observations = self._toys.join(observations, rows)
        return observations


def _noise(setting: Setting, actions: Actions | None, name: str) -> float:
    """The transition noise of actions; what would go into a simulator's state is refused."""
    noise, target = setting.values["transition_noise"], setting.values["transition_noise_on"]
    continuous = actions is not None and actions.continuous
    if target == "state" or (noise > 0 and continuous and target == "auto"):
        dial = "transition_noise" if noise > 0 else "transition_noise_on"
        raise cannot(
            dial, name, f"{_BEFORE}, because it may go into the simulator's state, or transition_noise_on='action'"
        )
    return float(noise)


def _injections(envs: Any) -> int:
    """How many times dials were injected below: into the vector, and into what it is made of."""
    if isinstance(envs, VectorWrapper):
        below = _injections(envs.env)
        return int(envs.injections) if isinstance(envs, InjectVec) else below
    if hasattr(envs, "call") and any(envs.call("has_wrapper_attr", "injections")):
        return max(map(int, envs.get_attr("injections")))
    return 0
