"""How fast are the toys of MDP Playground and its dials on other environments, beside mdp-playground 1.0.0?

    python -m benchmarks.playground [--json] [--quick]

Measured as in `benchmarks.toy_discrete`: CPU seconds of one thread, uniformly random actions, transitions counted and
resets paid for, compilation excluded, the sides taking turns, the median of the ratios of neighbours. The peer has no
vector environments of its own: a fleet of ours stands beside one environment of the peer. Images are 100 × 100.

Injected dials are also measured as multiples of the bare environment's step (`benchmarks.injection`), where less is
better; the peer's wrapper on CartPole beside them is measured in the same way in its own process.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from dataclasses import dataclass
from typing import Any

from benchmarks.peer import ONE_THREAD, Peer, python_of

os.environ.update(ONE_THREAD)

import gymnasium
import numpy as np

import mohs
from benchmarks import injection
from benchmarks.measure import WORDS, Side, asked, compare, data, lines, single, vector
from benchmarks.toy_discrete import COMMON, FLEET, PEER, peer_config

IMAGES = 128  # instances whose images fit into the cache
DIALS = {"delay": 4, "transition_noise": 0.1, "reward_noise": 1.0}
DENSE = {"make_denser": True}
SHOWN = {"image_representations": True}
MOVED = {
    "image_transforms": "shift,scale,rotate,flip",
    "image_sh_quant": 1,
    "image_ro_quant": 1,
    "image_scale_range": (0.5, 1.5),
}
# What the peer must be told beside the parameters that both share; these are the defaults of mohs.
PEER_WORDS: dict[str, dict[str, Any]] = {
    "toy/discrete": peer_config(COMMON),
    "toy/continuous": {
        "state_space_type": "continuous",
        "action_space_type": "continuous",
        "state_space_dim": 2,
        "action_space_dim": 2,
        "state_space_max": 10,
        "action_space_max": 1,
        "reward_function": "move_to_a_point",
        "target_point": [0, 0],
        "target_radius": 0.05,
        "seed": 0,
    },
    "toy/grid": {
        "state_space_type": "grid",
        "action_space_type": "discrete",
        "grid_shape": [8, 8],
        "reward_function": "move_to_a_point",
        "target_point": [7, 7],
        "seed": 0,
    },
}


@dataclass(frozen=True)
class Case:
    """One configuration on both sides, and the steps that fill about a tenth of a second on each."""

    name: str
    target: float | None
    env: str
    params: dict[str, Any]
    instances: int | None
    steps: int
    peer_steps: int


CASES = (
    Case("continuous_vector", 5000, "toy/continuous", DENSE, FLEET, 600, 200),
    Case("continuous_vector_dials", None, "toy/continuous", {**DENSE, **DIALS}, FLEET, 300, 200),
    Case("continuous_single", None, "toy/continuous", DENSE, None, 40_000, 200),
    Case("continuous_images", 60, "toy/continuous", {**DENSE, **SHOWN}, IMAGES, 400, 150),
    Case("discrete_images", 50, "toy/discrete", SHOWN, IMAGES, 1500, 800),
    Case("discrete_images_transformed", 30, "toy/discrete", {**SHOWN, **MOVED}, IMAGES, 400, 300),
    Case("grid_vector", None, "toy/grid", DENSE, FLEET, 1600, 800),
    Case("grid_images", None, "toy/grid", {**DENSE, **SHOWN}, IMAGES, 400, 300),
)


def actions_of(space: gymnasium.Space[Any], count: int) -> np.ndarray:
    """[count, ...] uniformly random actions."""
    rng = np.random.default_rng(0)
    if isinstance(space, gymnasium.spaces.Box):
        return rng.uniform(space.low, space.high, size=(count, *space.shape)).astype(space.dtype)
    assert isinstance(space, gymnasium.spaces.Discrete)
    return rng.integers(space.n, size=count)


def ours(case: Case, share: float) -> Side:
    steps = int(case.steps * share)
    if case.instances is None:
        env = mohs.make(case.env, **case.params).unwrapped
        return single(env, actions_of(env.action_space, steps))
    envs = mohs.make_vec(case.env, num_envs=case.instances, **case.params)
    return vector(envs, actions_of(envs.single_action_space, 2 * case.instances), steps)


def theirs(case: Case, share: float, peer: Peer) -> Side:
    config = {**PEER_WORDS[case.env], **case.params}
    return asked(peer, {"case": case.name, "config": config, "steps": int(case.peer_steps * share)})


def injected(share: float) -> Side:
    """CartPole with the three dials."""
    env = gymnasium.make("CartPole-v1").unwrapped
    return single(mohs.inject(env, **DIALS), actions_of(env.action_space, int(6_000 * share)).tolist())


def wrapped(share: float, peer: Peer) -> Side:
    """CartPole with the same dials in the peer's wrapper."""
    config = {**DIALS, "state_space_type": "discrete", "seed": 0}
    request = {"case": "cartpole_wrapped", "wraps": "CartPole-v1", "config": config, "steps": int(200 * share)}
    return asked(peer, request)


def bare(share: float, peer: Peer) -> Side:
    """CartPole as it is, in the peer's process."""
    request = {"case": "cartpole_bare", "wraps": "CartPole-v1", "config": None, "steps": int(6_000 * share)}
    return asked(peer, request)


def multiples(quick: bool, peer_multiple: float) -> dict[str, dict[str, Any]]:
    """Steps with dials as multiples of the bare environment's step: ours, and the peer's wrapper beside them."""
    rows = injection.measured(quick)
    rows["cartpole_peer"] = {"ratio": round(peer_multiple, 2), "target": None, "met": None}
    return {name: {key: row[key] for key in ("ratio", "target", "met")} for name, row in rows.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter repeats")
    options = parser.parse_args()

    peer = Peer(python_of("mdp-playground", PEER), "peer_mdp_playground.py")
    repeats, share = (9, 0.5) if options.quick else (31, 1.0)
    measured = {
        case.name: compare(ours(case, share), theirs(case, share, peer), case.target, repeats) for case in CASES
    }
    measured["cartpole_dials"] = compare(injected(share), wrapped(share, peer), None, repeats)
    peer_multiple = compare(bare(share, peer), wrapped(share, peer), None, repeats).ratio
    peer.close()
    times = multiples(options.quick, peer_multiple)
    result: dict[str, Any] = {
        **data(measured),
        "times_the_bare_step": times,
        "versions": {
            "mohs": mohs.__version__,
            "peer": PEER,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "gymnasium": gymnasium.__version__,
        },
    }
    if options.json:
        print(json.dumps(result))
        return
    print(*lines(measured), sep="\n")
    print(f"\n{'dials injected':<32}{'times the bare step':>36}{'target':>10}")
    for name, row in times.items():
        target = "" if row["target"] is None else f"≤ {row['target']}"
        print(f"{name:<32}{row['ratio']:>36.2f}{target:>10}  {WORDS[row['met']]}".rstrip())


if __name__ == "__main__":
    main()
