"""Names and configurations of others, for those who come from there: MDP Playground and the CT-graph.

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
