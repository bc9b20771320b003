"""The names and configurations of MDP Playground and of the CT-graph's code, for users who move to mohs.

Importing this registers MDP Playground's ids, RLToy-v0 and RLToyFiniteHorizon-v0, unless it has done so itself.
"""

from __future__ import annotations

import gymnasium

from mohs.compat.ctgraph import ctgraph_task
from mohs.compat.mujoco import get_mujoco_wrapper
from mohs.compat.toy import RLToyEnv
from mohs.compat.wrapper import GymEnvWrapper

__all__ = ["GymEnvWrapper", "RLToyEnv", "ctgraph_task", "get_mujoco_wrapper"]

for _id, _steps in (("RLToy-v0", None), ("RLToyFiniteHorizon-v0", 100)):
    if _id not in gymnasium.registry:
        gymnasium.register(_id, entry_point="mohs.compat.toy:RLToyEnv", max_episode_steps=_steps)
