"""What is registered of the challenge? Its parameters, and where its realisations are found."""

from __future__ import annotations

from typing import Any

from mohs.core.domain import Choice, Custom, Integer
from mohs.core.errors import invalid
from mohs.core.registry import Environment, Parameter
from mohs.envs.entries.common import dial_parameters


def _id(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise invalid(name, value, _ID.text)
    return value


_ID = Custom(_id, "the id of an MDP of the catalogue (mohs challenge list)")

CHALLENGE = Environment(
    id="challenge",
    gym_id="mohs/Challenge-v0",
    title="puzzles and games of the Effective Horizon Challenge, as complete tables",
    parameters={
        "mdp": Parameter(_ID, "hanoi-3", "The id of the MDP (mohs challenge list)."),
        "observation": Parameter(
            Choice(("flat", "planes", "cells", "state")),
            "flat",
            "The board one-hot, as one vector or a plane for each code; the codes of its cells; or the state's number.",
        ),
        **dial_parameters("challenge", ("sticky_actions",)),
        "max_episode_steps": Parameter(
            Integer(1, 2**28), 100, "The episode is truncated after this many steps; if not given, the MDP's horizon."
        ),
    },
    check="mohs.tables.challenge.parameters:check",
    face="mohs.envs.challenge:ChallengeEnv",
    vector_face="mohs.envs.challenge:ChallengeVectorEnv",
    spaces="mohs.tables.challenge.parameters:spaces",
    fleet="mohs.engines.table.fleet:fleet",
    table="mohs.tables.challenge.parameters:challenge_table",
    score="mohs.exact.challenge:return_score",
    renderer="mohs.envs.render.challenge:picture",
    noise=("sticky_actions",),
    implied=("max_episode_steps",),
)
