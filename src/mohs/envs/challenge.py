"""What do the puzzles and games of the challenge look like to Gymnasium? Two thin faces on the fleet of tables.

`info` holds the number of the state. Every action is a legal one: see `tables/puzzles` and `tables/games` for what the
others stand for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.kernel import entry
from mohs.core.task import Source
from mohs.engines.table import kernels
from mohs.engines.table.fleet import Fleet, fleet
from mohs.envs.fleets import Address, FleetVectorEnv, Info
from mohs.envs.single import FleetEnv
from mohs.envs.views.boards import board_view
from mohs.tables.challenge.cache import stored


class ChallengeEnv(FleetEnv):
    """A puzzle or a game against a fixed opponent, played from its complete table."""

    environment = "challenge"
    fleet: Fleet
    _bound = ("_memory", "_kernel", "_step_one", "_address")

    def _build(self) -> None:
        self.fleet = fleet([self.source])
        self._actions = self.fleet.spaces[0]
        self.view = board_view(self.fleet)
        self.observation_space = spaces.Discrete(self.fleet.sizes[0])
        self.action_space = spaces.Discrete(self._actions)

    def _bind(self) -> None:
        self._memory = self.fleet.memory
        self._kernel = entry(kernels.step_one, self._memory, 0)
        self._step_one = self._kernel if self._show is None else self._filmed_step
        self._address = Address(*(self.fleet.instances[name] for name in Address._fields))

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        self._open_stream(seed)
        state = kernels.begin_one(self._memory)
        if self._show is not None:
            self._show.begin(self.task)
        return self._seen(state), {"state": state}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        state, reward, terminated = self._step_one(self._memory, self._choice(action, self._actions))
        return self._seen(state), reward, terminated, False, {"state": state}

    def _seen(self, state: int) -> Any:
        return state if self.view is None else self.view(np.array([state]), self._address)[0]

    def _look(self) -> npt.NDArray[np.int32]:
        return self.fleet.instances["state"].copy()

    def _text(self) -> str:
        inst, mdp = self.fleet.instances[0], stored(self.task["mdp"])
        rows = mdp.cells[inst["state"]].reshape(mdp.shape)
        lines = ("".join(mdp.codes[code] for code in row) for row in rows)
        return "\n".join([f"step {inst['t']}: state {inst['state']}", *lines])


class ChallengeVectorEnv(FleetVectorEnv):
    """Many puzzles or games stepped by one kernel; with `history`, `info` holds the numbers of the states."""

    environment = "challenge"
    fleet: Fleet

    def _build(self, sources: Sequence[Source]) -> None:
        self.fleet = fleet(sources)
        self.view = board_view(self.fleet)
        states, actions = self.fleet.sizes
        self.single_observation_space = spaces.Discrete(states)
        self.single_action_space = spaces.Discrete(actions)

    def _new_states(self) -> npt.NDArray[np.int64]:
        return np.empty(self.num_envs, dtype=np.int64)

    def _begin(self, chosen: npt.NDArray[np.bool_], states: npt.NDArray[np.int64]) -> None:
        kernels.begin_fleet(self.fleet.memory, chosen, states)

    def _read(self, actions: Any) -> npt.NDArray[np.int64]:
        return self._integers(actions)

    def _advance(self, actions: npt.NDArray[Any], states: Any, final: Any, rewards: Any, over: tuple[Any, Any]) -> int:
        return int(kernels.step_fleet(self.fleet.memory, actions, states, rewards, *over, final, self._same_step))

    def _info(self) -> Info:
        if not self._history:
            return {}
        return {"state": self.fleet.instances["state"].copy(), "_state": np.ones(self.num_envs, dtype=np.bool_)}

    def _final_info(self, before: Any, final: npt.NDArray[Any], over: npt.NDArray[np.bool_]) -> Info:
        return {"state": final.copy(), "_state": over.copy()} if self._history else {}
