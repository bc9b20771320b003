"""How does Gymnasium play the arcade? Two environments for each game, on one compiled engine.

`info` holds the number of the level; that of a vector environment does with `history`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.engines import loops
from mohs.engines.arcade.boards import CELLS, SIDE
from mohs.engines.arcade.fleet import ArcadeFleet, classes, fleet
from mohs.engines.arcade.layout import ACTIONS
from mohs.envs.fleets import Face, FleetVectorEnv, Info, Spaces
from mohs.envs.single import FleetEnv
from mohs.envs.views.arcade import arcade_view


def _spaces(built: ArcadeFleet) -> Spaces:
    return spaces.Discrete(256), spaces.Discrete(ACTIONS)  # the first one is that of bytes: what is seen is a view


def _face(game: str) -> Face:
    return Face(f"arcade/{game}", fleet, _spaces, arcade_view)


class ArcadeEnv(FleetEnv):
    """One game. Each has a subclass."""

    fleet: ArcadeFleet

    def _info(self) -> Info:
        return {"level": self.fleet.instances["level"].item(0)}

    def _look(self) -> npt.NDArray[Any]:
        states = self.fleet.new_observations()
        loops.begin_fleet(self.fleet.memory, np.zeros(1, dtype=np.bool_), states)  # begins none
        return np.asarray(states[0])

    def _text(self) -> str:
        rows = self._look()[:CELLS].reshape(SIDE, SIDE).tolist()
        names = (".", *classes(self.task).names)
        width = max(map(len, names)) + 1
        lines = ["".join(names[code].ljust(width) for code in row).rstrip() for row in rows]
        return "\n".join([f"step {self.fleet.instances['t'][0]} of level {self._info()['level']}", *lines])


class ArcadeVectorEnv(FleetVectorEnv):
    """Many instances of one game stepped by one kernel. Each game has a subclass."""

    fleet: ArcadeFleet

    def _info(self) -> Info:
        return _levels(self._keep(), np.ones(self.num_envs, dtype=np.bool_)) if self._history else {}

    def _keep(self) -> npt.NDArray[np.int64]:
        return np.array(self.fleet.instances["level"])

    def _final_info(self, before: Any, final: npt.NDArray[Any], over: npt.NDArray[np.bool_]) -> Info:
        return {} if before is None else _levels(before, over.copy())


def _levels(levels: npt.NDArray[np.int64], there: npt.NDArray[np.bool_]) -> Info:
    return {"level": np.where(there, levels, 0), "_level": there}


class CollectEnv(ArcadeEnv):
    face = _face("collect")


class CollectVectorEnv(ArcadeVectorEnv):
    face = CollectEnv.face


class AvoidEnv(ArcadeEnv):
    face = _face("avoid")


class AvoidVectorEnv(ArcadeVectorEnv):
    face = AvoidEnv.face


class ChaseEnv(ArcadeEnv):
    face = _face("chase")


class ChaseVectorEnv(ArcadeVectorEnv):
    face = ChaseEnv.face


class MazeEnv(ArcadeEnv):
    face = _face("maze")


class MazeVectorEnv(ArcadeVectorEnv):
    face = MazeEnv.face


class CrossEnv(ArcadeEnv):
    face = _face("cross")


class CrossVectorEnv(ArcadeVectorEnv):
    face = CrossEnv.face


class ShootEnv(ArcadeEnv):
    face = _face("shoot")


class ShootVectorEnv(ArcadeVectorEnv):
    face = ShootEnv.face


class CueEnv(ArcadeEnv):
    face = _face("cue")


class CueVectorEnv(ArcadeVectorEnv):
    face = CueEnv.face


class DigEnv(ArcadeEnv):
    face = _face("dig")


class DigVectorEnv(ArcadeVectorEnv):
    face = DigEnv.face
