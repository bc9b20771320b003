"""What is registered of the continuous toy? Its parameters, and where its realisations are found."""

from __future__ import annotations

from mohs.core import images
from mohs.core.domain import Choice, Each, Integer, Optional, Real
from mohs.core.registry import Environment, Parameter
from mohs.envs.entries.common import dial_parameters, max_episode_steps

_DIALS = (
    "delay", "delay_at_end", "sequence_length", "make_denser", "action_loss_weight", "transition_noise", "reward_noise",
    "reward_scale", "reward_shift", "term_state_reward", "transition_dynamics_order", "inertia", "time_unit",
    "target_radius", "term_state_edge", "state_space_dim", "state_space_max", "action_space_max",
    "irrelevant_dimensions", "image_representations",
)  # fmt: skip

CONTINUOUS = Environment(
    id="toy/continuous",
    gym_id="mohs/Continuous-v0",
    title="the continuous toy of MDP Playground",
    parameters={
        **dial_parameters("continuous toy", _DIALS),
        "reward_function": Parameter(
            Choice(("move_to_a_point", "move_along_a_line")), "move_to_a_point", "What is rewarded."
        ),
        "target_point": Parameter(
            Optional(Each(Real())), None, "The point to reach, one number for each relevant dimension; the origin."
        ),
        "terminal_states": Parameter(
            Each(Each(Real())), (), "Centres of cubes that end the episode, over the relevant dimensions."
        ),
        "relevant_indices": Parameter(
            Optional(Each(Integer(0))), None, "The dimensions that earn and end; all of state_space_dim."
        ),
        "start_point": Parameter(
            Optional(Each(Real())), None, "Where episodes start, at rest; uniform where it is not terminal."
        ),
        "max_episode_steps": max_episode_steps(100),
        **images.SIZE,
    },
    check="mohs.engines.continuous.parameters:check",
    face="mohs.envs.continuous:ContinuousEnv",
    vector_face="mohs.envs.continuous:ContinuousVectorEnv",
    spaces="mohs.engines.continuous.parameters:signature",
    score="mohs.engines.continuous.references:return_score",
    place="continuous toy",
    batteries="mohs.envs.entries.batteries:CONTINUOUS",
    renderer="mohs.envs.render.continuous:picture",
    noise=("transition_noise", "reward_noise"),
    refused={
        "image_transforms": "a shift of the image could not be told from a move (section 4.2 of MDP Playground).",
    },
)
