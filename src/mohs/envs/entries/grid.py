"""What is registered of the grid? Its parameters, and where its realisations are found."""

from __future__ import annotations

from mohs.core import images
from mohs.core.domain import Each, Integer, Optional
from mohs.core.registry import Environment, Parameter
from mohs.envs.entries.common import dial_parameters, max_episode_steps

_CELL = Each(Integer(0))
_DIALS = (
    "delay", "delay_at_end", "make_denser", "reward_noise", "reward_scale", "reward_shift", "term_state_reward",
    "transition_noise", "irrelevant_features", "image_representations",
)  # fmt: skip

GRID = Environment(
    id="toy/grid",
    gym_id="mohs/Grid-v0",
    title="the grid of MDP Playground",
    parameters={
        **dial_parameters("grid toy", _DIALS),
        "grid_shape": Parameter(Each(Integer(1, 1_000_000)), (8, 8), "The number of cells along each dimension."),
        "target_point": Parameter(
            Optional(_CELL), None, "The cell to reach; entering it ends the episode. None is the last cell."
        ),
        "terminal_states": Parameter(Each(_CELL), (), "Cells that end the episode without being the target."),
        "start_point": Parameter(
            Optional(_CELL), None, "The cell to start from; uniform over those that do not end the episode."
        ),
        "max_episode_steps": max_episode_steps(100),
        **images.SIZE,
    },
    check="mohs.tables.toys.grid_parameters:check",
    face="mohs.envs.grid:GridEnv",
    vector_face="mohs.envs.grid:GridVectorEnv",
    spaces="mohs.tables.toys.grid_parameters:spaces",
    parts="mohs.tables.toys.grid:grid",
    fleet="mohs.engines.discrete.fleet:fleet",
    table="mohs.tables.toys.toy_table:toy_table",
    score="mohs.exact.references:return_score",
    place="grid toy",
    batteries="mohs.envs.entries.batteries:GRID",
    renderer="mohs.envs.render.grid:picture",
    noise=("transition_noise", "reward_noise"),
)
