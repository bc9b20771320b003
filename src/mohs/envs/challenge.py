"""How does Gymnasium play the puzzles and games of the challenge? Two environments on the fleet of tables.

`info` holds the number of the state. Every action is a legal one: see `tables/puzzles` and `tables/games` for what the
others stand for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.engines.table.fleet import TableFleet, fleet
from mohs.envs.fleets import Face, FleetVectorEnv, Info, Spaces
from mohs.envs.single import FleetEnv
from mohs.envs.views.boards import board_view
from mohs.tables.challenge.cache import stored


def _spaces(built: TableFleet) -> Spaces:
    states, actions = built.sizes
    return spaces.Discrete(states), spaces.Discrete(actions)


FACE = Face("challenge", fleet, _spaces, board_view)


class ChallengeEnv(FleetEnv):
    """A puzzle or a game against a fixed opponent, played from its complete table."""

    face = FACE
    fleet: TableFleet
    action_space: spaces.Discrete

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        chosen = self._choice(action, self._actions)
        state, reward, terminated = self._step_one(self._memory, (chosen,))
        seen = state if self.view is None else self.view(np.array([[state]]), self._address)[0]
        return seen, reward, terminated, False, {"state": state}

    def _bind(self) -> None:
        super()._bind()
        self._actions = self.fleet.spaces[0]

    def _info(self) -> Info:
        return {"state": self.fleet.instances["state"].item(0)}

    def _look(self) -> npt.NDArray[np.int32]:
        return self.fleet.instances["state"].copy()

    def _text(self) -> str:
        inst, mdp = self.fleet.instances[0], stored(self.task["mdp"])
        rows = mdp.cells[inst["state"]].reshape(mdp.shape)
        lines = ("".join(mdp.codes[code] for code in row) for row in rows)
        return "\n".join([f"step {inst['t']}: state {inst['state']}", *lines])


class ChallengeVectorEnv(FleetVectorEnv):
    """Many puzzles or games stepped by one kernel; with `history`, `info` holds the numbers of the states."""

    face = FACE
    fleet: TableFleet

    def _info(self) -> Info:
        if not self._history:
            return {}
        return {"state": self.fleet.instances["state"].copy(), "_state": np.ones(self.num_envs, dtype=np.bool_)}

    def _final_info(self, before: Any, final: npt.NDArray[Any], over: npt.NDArray[np.bool_]) -> Info:
        return {"state": final[:, 0].copy(), "_state": over.copy()} if self._history else {}
