"""How does Gymnasium play one instance? The single environment that all compiled engines share."""

from __future__ import annotations

from operator import index
from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.errors import UsageError
from mohs.core.kernel import entry
from mohs.core.task import Source, Task
from mohs.engines import loops
from mohs.envs.fleets import Address, Face, Info, as_numbers, begun, check_options, stream_key
from mohs.envs.render.show import Show, checked_mode

_ONE = np.ones(1, dtype=np.bool_)


class FleetEnv(gymnasium.Env[Any, Any]):
    """A fleet of one. `seed` decides what is generated; `reset(seed=)` seeds start states and noise.

    Truncation is left to Gymnasium's `TimeLimit`; `mohs.make` tells the engine of it. A subclass names its `face` and
    says what "ansi" and pictures show. It may add options of `reset` and what `info` holds.
    """

    face: ClassVar[Face]
    metadata = {"render_modes": ["ansi", "human", "rgb_array"], "render_fps": 4}  # noqa: RUF012 – as Gymnasium has it
    fleet: Any
    _history: ClassVar[bool] = False  # does the fleet keep one?
    _bound: ClassVar[tuple[str, ...]] = ()  # what `_bind` of a subclass sets and a copy must set anew

    def __init__(
        self, *, seed: int = 0, source: Source | None = None, render_mode: str | None = None, **params: Any
    ) -> None:
        self.source = Task.make(self.face.environment, seed=seed, **params) if source is None else source
        self.render_mode = checked_mode(render_mode, self.metadata)
        self._show = Show.of(self.render_mode, self.metadata, self._look)
        self._started = False
        self.fleet = self.face.fleet([self.source], self._history)
        self.view, self.observation_space, self.action_space = self.face.seen(self.fleet)
        self._room: Any = (self.fleet.width, self.fleet.observed)  # for the state
        self._single = self.fleet.law.number is not None and self.fleet.width == 1  # is the state one number?
        self._numbers = self.action_space.shape if isinstance(self.action_space, spaces.Box) else None
        self._bind()

    def _bind(self) -> None:
        """Sets what a step reads of the fleet."""
        self._memory = self.fleet.memory
        self._address = Address(*(self.fleet.instances[name] for name in Address._fields))
        action, state = self._example(), np.empty(*self._room)
        self._number = state  # written anew by each reset, where the state is one number
        self._begin_one = entry(loops.begin_one, self._memory, state)
        self._numbered = self.fleet.law.number is not None
        if self._numbered:
            self._kernel = entry(loops.step_number, self._memory, action)
        else:
            self._kernel = entry(loops.step_one, self._memory, action, state)
        self._step_one = self._kernel if self._show is None else self._filmed_step  # so only those who look pay for it

    def set_limit(self, steps: int) -> None:
        """Tells the engine when episodes are truncated: some engines pay in the last step what they held back."""
        self.fleet.tasks["horizon"] = steps

    def _example(self) -> Any:
        """An action as kernels take it: a tuple of integers, or an array of numbers."""
        if self._numbers is not None:
            return np.zeros(self._numbers, dtype=np.float32)
        return (0,) * (self.action_space.shape or (1,))[0]

    def _look(self) -> npt.NDArray[Any]:
        """What a picture shows of the state."""
        return np.array([self.fleet.instances[name][0] for name in self.fleet.state_fields])

    def _text(self) -> str:
        """What "ansi" shows of the state."""
        state = zip(self.fleet.state_fields, self._look().tolist(), strict=True)
        numbers = ", ".join(f"{name} {value:.4g}" for name, value in state)
        return f"step {self.fleet.instances['t'][0]}: {numbers}"

    def _begun(self) -> None:
        """What a subclass does where an episode has begun, perhaps of another task."""

    def _info(self) -> Info:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        anew = ("_memory", "_address", "_number", "_numbered", "_begin_one", "_kernel", "_step_one", *self._bound)
        return {name: value for name, value in self.__dict__.items() if name not in anew}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    def save(self) -> Any:
        """All that is needed to continue the episode, as plain data."""
        return self.fleet.save(0), self._started, self._np_random_seed

    def load(self, state: Any) -> None:
        """Continues an episode as it was saved in an environment of the same source."""
        instance, self._started, seed = state
        self.fleet.load(0, instance)
        if seed is not None:
            super().reset(seed=seed)  # Gymnasium's own stream, from which nothing but the seed is read
        self._bind()

    def _open_stream(self, seed: int | None) -> None:
        """Begins the random stream of a seed; without one the stream continues, or is chosen if there is none yet."""
        if seed is not None or not self._started:
            super().reset(seed=seed)
            _ = self.np_random  # Gymnasium chooses a seed where none was ever given
            assert self.np_random_seed is not None
            self.fleet.seed(stream_key(self.np_random_seed))
            self._started = True

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        self._open_stream(seed)
        if options is not None:
            check_options(options, ("state",) if self.fleet.state_fields else None)
        if options and self.fleet.state_fields:
            state = begun(self.fleet, _ONE, options)[0]
        else:
            state = self._number if self._single else np.empty(*self._room)
            self._begin_one(self._memory, state)
        self._begun()
        if self._show is not None:
            self._show.begin(self.task)
        return self._seen(state), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset() before step().")
        chosen = self._read(action)
        if self.fleet.noise:
            self.fleet.draw_noise(np.asarray(chosen)[None], unlimited=True)
        if self._numbered:
            number, reward, terminated = self._step_one(self._memory, chosen)
            return self._seen(np.array([number])), reward, terminated, False, self._info()
        state = np.empty(*self._room)
        allowed, reward, terminated = self._step_one(self._memory, chosen, state)
        if not allowed:
            raise UsageError(f"the action is {action!r}, outside {self.action_space}.")
        return self._seen(state), reward, terminated, False, self._info()

    def _read(self, action: Any) -> Any:
        """An action as kernels take it; an error where it has another type or shape."""
        if self._numbers is None:
            return (self._choice(action, self.action_space.n),)  # type: ignore[attr-defined]
        numbers = as_numbers(action, self._numbers)
        if numbers is None:
            raise UsageError(f"the action is {action!r}, but must be {self._numbers[0]} numbers.")
        return numbers

    def _choice(self, action: Any, actions: int) -> int:
        """An action that is one of so many."""
        try:
            chosen = index(action)
        except TypeError:
            chosen = -1
        if not 0 <= chosen < actions:
            raise UsageError(f"the action is {action!r}, but must be an integer from 0 to {actions - 1}.")
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset() before step().")
        return chosen

    def _seen(self, state: npt.NDArray[Any]) -> Any:
        """The observation of a state, where it is observed as it is or by the view."""
        if self.view is not None:
            return self.view(state[None], self._address)[0]
        return state.item() if self._single else state

    @property
    def task(self) -> Task:
        """The task that is being played: of a set, the one drawn for this episode."""
        played: Task = list(self.fleet.numbers)[self.fleet.instances["task"][0]]
        return played

    def _filmed_step(self, *arguments: Any) -> Any:
        """The step of the kernel, for those who watch."""
        stepped = self._kernel(*arguments)
        assert self._show is not None
        if stepped[0] is not False:  # an action that is not allowed is no step
            self._show.add(stepped[1])
        return stepped

    def render(self) -> Any:
        """Text for "ansi", a picture [height, width, 3] for "rgb_array"; a window shows itself after every step."""
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset() before render().")
        if self._show is not None:
            return self._show.render()
        if self.render_mode is None:
            gymnasium.logger.warn("render() was called without a render_mode; make the environment with one.")
            return None
        return self._text()

    def close(self) -> None:
        if self._show is not None:
            self._show.close()
