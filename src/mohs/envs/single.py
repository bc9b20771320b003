"""What does one instance of a fleet look like to Gymnasium? The single face that all compiled engines share."""

from __future__ import annotations

from abc import abstractmethod
from operator import index
from typing import Any, ClassVar

import gymnasium
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.task import Source, Task
from mohs.envs.fleets import Info, View, stream_key
from mohs.envs.render.show import Show, checked_mode


class FleetEnv(gymnasium.Env[Any, Any]):
    """A fleet of one. `seed` decides what is generated; `reset(seed=)` seeds start states and noise.

    Truncation is left to Gymnasium's `TimeLimit`. A subclass names its environment and says how its fleet is built,
    begun and stepped.
    """

    environment: ClassVar[str]
    metadata = {"render_modes": ["ansi", "human", "rgb_array"], "render_fps": 4}  # noqa: RUF012 – as Gymnasium has it
    fleet: Any
    _kernel: Any  # steps the fleet; see `_filmed_step`
    view: View | None = None
    _bound: ClassVar[tuple[str, ...]]  # what `_bind` sets and a copy must set anew

    def __init__(
        self, *, seed: int = 0, source: Source | None = None, render_mode: str | None = None, **params: Any
    ) -> None:
        self.source = Task.make(self.environment, seed=seed, **params) if source is None else source
        self.render_mode = checked_mode(render_mode, self.metadata)
        self._show = Show.of(self.render_mode, self.metadata, self._look)
        self._started = False
        self._build()
        if self.view is not None:
            self.observation_space = self.view.space
        self._bind()

    @abstractmethod
    def _build(self) -> None:
        """Sets the fleet, the spaces and, where states are not seen as they are, the view."""

    @abstractmethod
    def _bind(self) -> None:
        """Sets what a step reads of the fleet."""

    @abstractmethod
    def _look(self) -> npt.NDArray[Any]:
        """What a picture shows of the state."""

    @abstractmethod
    def _text(self) -> str:
        """What "ansi" shows of the state."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in self._bound}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    def _open_stream(self, seed: int | None) -> None:
        """Begins the random stream of a seed; without one the stream goes on, or is chosen where there is none yet."""
        if seed is not None or not self._started:
            super().reset(seed=seed)
            _ = self.np_random  # Gymnasium chooses a seed where none was ever given
            assert self.np_random_seed is not None
            self.fleet.seed(stream_key(self.np_random_seed))
            self._started = True

    @abstractmethod
    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]: ...

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

    @property
    def task(self) -> Task:
        """The task that is being played: of a set, the one drawn for this episode."""
        played: Task = list(self.fleet.numbers)[self.fleet.instances["task"][0]]
        return played

    def _filmed_step(self, *arguments: Any) -> Any:
        """The step of the kernel, for those who watch."""
        stepped = self._kernel(*arguments)
        assert self._show is not None
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
