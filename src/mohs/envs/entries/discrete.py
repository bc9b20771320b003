"""What is registered of the discrete toy? Its parameters, and where its realisations are found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mohs.core import images
from mohs.core.domain import Custom, Each, Integer, Optional, OrFunction, Real
from mohs.core.errors import UsageError, invalid
from mohs.core.registry import Environment, Parameter
from mohs.envs.entries.common import dial_parameters, max_episode_steps


def _transition(name: str, value: Any) -> Any:
    from mohs.tables.toys.toy_parameters import transition_array

    return transition_array(name, value)


def _sequences(name: str, value: Any) -> tuple[tuple[tuple[int, ...], float], ...]:
    """A mapping of state tuples to rewards, or pairs of them, in a canonical order."""
    pairs = list(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(pairs, list | tuple) or not pairs:
        raise invalid(name, value, _SEQUENCES.text)
    state, reward = Integer(0), Real()
    read: dict[tuple[int, ...], float] = {}
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not isinstance(pair[0], list | tuple) or not pair[0]:
            raise invalid(name, value, _SEQUENCES.text)
        states = tuple(state.parse(f"a state of {name}", s) for s in pair[0])
        if states in read:
            raise UsageError(f"{name} has the sequence {states} twice.")
        read[states] = reward.parse(f"a reward of {name}", pair[1])
    return tuple(sorted(read.items()))


_SEQUENCES = Custom(_sequences, "a mapping of state tuples of one length to rewards")
_TRANSITIONS = Custom(_transition, "an array of [S, A] next states or [S, A, S] probabilities")

_DIALS = (
    "delay", "delay_at_end", "sequence_length", "reward_density", "reward_every_n_steps", "make_denser", "reward_dist",
    "transition_noise", "reward_noise", "reward_scale", "reward_shift", "term_state_reward", "terminal_state_density",
    "action_space_size", "state_space_size", "diameter", "irrelevant_features", "image_representations",
    "image_transforms", "image_sh_quant", "image_ro_quant", "image_scale_range",
)  # fmt: skip

DISCRETE = Environment(
    id="toy/discrete",
    gym_id="mohs/Discrete-v0",
    title="the discrete toy of MDP Playground",
    parameters={
        **dial_parameters("discrete toy", _DIALS),
        "transition_function": Parameter(
            Optional(OrFunction(_TRANSITIONS, "(state, action) -> state or probabilities")),
            None,
            "Custom dynamics in place of generated ones.",
        ),
        "reward_function": Parameter(
            Optional(OrFunction(Each(Each(Real())), "(state, action) -> reward")),
            None,
            "Custom rewards [states, actions] in place of rewardable sequences.",
        ),
        "rewardable_sequences": Parameter(Optional(_SEQUENCES), None, "Custom rewardable sequences."),
        "init_state_dist": Parameter(
            Optional(Each(Real(0, 1))), None, "Probabilities of the start states; uniform over non-terminal ones."
        ),
        "terminal_states": Parameter(Optional(Each(Integer(0))), None, "Custom terminal states."),
        "max_episode_steps": max_episode_steps(100),
        **images.SIZE,
        **images.STYLE,
    },
    check="mohs.tables.toys.toy_parameters:check",
    face="mohs.envs.discrete:DiscreteEnv",
    vector_face="mohs.envs.discrete:DiscreteVectorEnv",
    spaces="mohs.tables.toys.toy_parameters:spaces",
    parts="mohs.tables.toys.toy:toy",
    fleet="mohs.engines.discrete.fleet:fleet",
    table="mohs.tables.toys.toy_table:toy_table",
    score="mohs.exact.references:return_score",
    place="discrete toy",
    batteries="mohs.envs.entries.batteries:DISCRETE",
    scaling="mohs.stats.curves:paper_scaling",
    renderer="mohs.envs.render.discrete:picture",
    noise=("transition_noise", "reward_noise"),
    levels="seed",
)
