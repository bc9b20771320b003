"""What is registered of the CT-graph? Its parameters, named configurations, and where its realisations are found."""

from __future__ import annotations

from typing import Any

from mohs.core.domain import Choice, Each, Either, Integer, Optional, Real
from mohs.core.images import IMAGES
from mohs.core.registry import Environment, Parameter
from mohs.envs.entries.common import max_episode_steps

_IDS = Either((Choice(("unique",)), Each(Integer(0), 2)))


def _ids(kind: str) -> Parameter:
    return Parameter(
        _IDS, "unique",
        f"What is seen of {kind}: \"unique\", each as itself, or (first, last), one of these observations at random.",
    )  # fmt: skip


CTGRAPH = Environment(
    id="ctgraph",
    gym_id="mohs/CTGraph-v0",
    title="the configurable tree graph",
    parameters={
        "depth": Parameter(Integer(1, 23), 2, "Decisions on the way from home to an end."),
        "branching": Parameter(Integer(2, 4000), 2, "Branches at a decision; there is one action more, to wait."),
        "wait_probability": Parameter(Real(0, 1), 0.0, "The probability of staying in a wait state."),
        "goal": Parameter(
            Optional(Each(Integer(1))), None, "The decisions that lead to the reward, from 1 on; None: drawn."
        ),
        "goal_every": Parameter(
            Either((Integer(0, 2**31 - 1), Each(Integer(1, 2**31 - 1), 2))),
            0,
            "Episodes after which a new goal is drawn, or (fewest, most) of them; 0: never.",
        ),
        "reward": Parameter(
            Choice(("needle", "gradient", "linear")),
            "needle",
            "Only the goal pays, or ends pay the more the nearer they are (equation 10, or the authors' linear code).",
        ),
        "high_r": Parameter(Real(), 1.0, "What the goal pays."),
        "fail_r": Parameter(Real(), 0.0, "What failing pays."),
        "step_r": Parameter(Real(), 0.0, "What every step pays."),
        "reward_noise": Parameter(Real(0), 0.0, "The standard deviation of what an end pays."),
        "swapped": Parameter(
            Optional(Each(Integer(0), 3)), None, "A decision node and two of its decisions, which change places."
        ),
        "home_ids": _ids("the home state"),
        "wait_ids": _ids("wait states"),
        "decision_ids": _ids("decision states"),
        "end_ids": _ids("ends"),
        "fail_ids": _ids("the fail state"),
        "observation": Parameter(
            Choice(("integer", "one_hot", "image")), "integer", "Observations as numbers, one-hot, or as images."
        ),
        "num_observations": Parameter(
            Optional(Integer(1)), None, "The size of the space of observations, where it is to be larger than needed."
        ),
        "image_size": Parameter(Integer(4, 1024), 12, "The height and width of images, in pixels."),
        "image_set": Parameter(Integer(0), 0, "The seed of the images."),
        "image_noise": Parameter(Integer(0, 254), 0, "How much brighter a pixel may be each time it is seen."),
        "image_rotation": Parameter(Integer(0, 180), 0, "Degrees by which an image may be turned, either way."),
        "image_similarity": Parameter(Real(0, 1), 0.0, "The share that images of one kind of states have in common."),
        "images": Parameter(
            Optional(IMAGES),
            None,
            "A directory of images, or an array of them or its file .npy, in place of generated ones.",
        ),
        "max_episode_steps": max_episode_steps(10_000),
    },
    check="mohs.tables.ctgraph.graph:check",
    face="mohs.envs.ctgraph:CTGraphEnv",
    vector_face="mohs.envs.ctgraph:CTGraphVectorEnv",
    spaces="mohs.tables.ctgraph.graph:spaces",
    table="mohs.tables.ctgraph.graph:ctgraph_table",
    score="mohs.exact.references:return_score",
    similarity="mohs.tables.ctgraph.similarity:MEASURES",
    align="mohs.tables.ctgraph.alignment:aligned",
    formulas="mohs.exact.ctgraph:formulas",
    renderer="mohs.envs.render.ctgraph:picture",
    noise=("reward_noise",),
    levels="seed",
)

# Home, fail and ends have one observation each; those of decision and wait states are the paper's.
_SURJECTIVE: dict[str, Any] = {
    "home_ids": (0, 0), "fail_ids": (1, 1), "decision_ids": (2, 2), "wait_ids": (3, 3), "end_ids": (4, 4),
}  # fmt: skip
# Section 3 of the paper.
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "CT-FO-B1": {"depth": 2},
    "CT-FO-B2": {"depth": 3, "wait_probability": 0.5},
    "CT-SU-B1": {"depth": 2, **_SURJECTIVE},
    "CT-CO-B1": {"depth": 2, **_SURJECTIVE, "wait_ids": (3, 102), "end_ids": (103, 103)},
    "CT-POSR-B1": {"depth": 2, "wait_probability": 0.5, **_SURJECTIVE},
}
