"""Dials of hardness for any Gymnasium environment: `inject` for one, `inject_vec` for a vector of them.

`setting` reads the dials; `actions`, `observations`, `irrelevant` and `simulators` are the parts that they act on;
`wrapper` and `vector` put them together. What happens to actions and rewards is the law of `engines.injection`.
"""

from __future__ import annotations

from mohs.envs.inject.vector import InjectVec, inject_vec
from mohs.envs.inject.wrapper import Inject, inject

__all__ = ["Inject", "InjectVec", "inject", "inject_vec"]
