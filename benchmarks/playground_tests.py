"""Which of MDP Playground's own tests of its toys does `mohs.compat.RLToyEnv` pass, and why not the others?

    python -m benchmarks.playground_tests [--source URL] [--json]

The repository is cloned into `.peers/` at one commit, and its test file runs unmodified: `RLToyEnv` is imported from
modules that stand in for the peer's. It runs three times: with mohs, with mohs playing what the peer has drawn (start,
dynamics, rewardable sequences, terminal states; not its noise), and with the peer. Most tests compare with numbers that
the peer's random generators gave. The exit code is 1 if a test passes or fails other than `REASONS` says.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import importlib
import importlib.util
import io
import json
import logging
import subprocess
import sys
import unittest
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np

from benchmarks.peer import ROOT
from mohs.compat import RLToyEnv
from mohs.core.task import Task

SOURCE, COMMIT = "https://github.com/automl/mdp-playground", "37c8c3bde9b0d652f46afd0fd07a36cd62f23b77"
MODULE = "mdp_playground.envs.rl_toy_env"
DRAWN = "compares with the peer's draws"
# Of each test that mohs does not pass. docs/compat.md has the same list.
REASONS = {
    "test_continuous_custom_P_R": f"{DRAWN} (the start); custom functions of continuous toys are refused",
    "test_continuous_dynamics_move_along_a_line": f"{DRAWN} (the start); leaves the range ±10 of Table 1",
    "test_continuous_dynamics_order": "takes actions of 2 without action_space_max; Table 1 has the range ±1",
    "test_continuous_dynamics_target_point_dense": f"{DRAWN} (the start); plays on beyond the target (section 4.2)",
    "test_continuous_dynamics_target_point_sparse": f"{DRAWN} (the start); plays on beyond the target (section 4.2)",
    "test_continuous_image_representations": f"{DRAWN} (the start) and with the pixels of its images",
    "test_discrete_diameter": f"{DRAWN} (start, dynamics, sequences)",
    "test_discrete_dynamics": f"{DRAWN} (start, dynamics)",
    "test_discrete_image_representations": f"{DRAWN} (noise) and with the pixels of its images",
    "test_discrete_irr_features": f"{DRAWN} (start, dynamics, sequences)",
    "test_discrete_multiple_meta_features": f"{DRAWN} (start, dynamics, sequences, noise)",
    "test_discrete_p_noise": f"{DRAWN} (noise)",
    "test_discrete_r_dist": f"{DRAWN} (start, dynamics, sequences and their rewards)",
    "test_discrete_r_noise": f"{DRAWN} (noise)",
    "test_discrete_reward_delay": f"{DRAWN} (start, dynamics, sequences)",
    "test_discrete_reward_every_n_steps": f"{DRAWN}; pays every 2 steps at length 3, section 4.1 every 3",
    "test_discrete_rewardable_sequences": f"{DRAWN} (start, dynamics, sequences)",
    "test_grid_env": f"{DRAWN} (the start); moves [0, 0], and on beyond the target",
    "test_grid_image_representations": f"{DRAWN} (the start) and with the pixels of its images",
}


def cloned(source: str) -> Path:
    """The repository at the commit that the reasons are about."""
    home = ROOT / ".peers" / "mdp-playground-source"
    if not home.exists():
        subprocess.run(["git", "clone", "-q", source, str(home)], check=True)
    subprocess.run(["git", "-C", str(home), "checkout", "-q", COMMIT], check=True)
    return home


@contextlib.contextmanager
def standing_in(env: type) -> Iterator[None]:
    """The peer's modules for the time of an import: they hold nothing but `RLToyEnv`."""
    names = ("mdp_playground", "mdp_playground.envs", MODULE)
    modules = {name: ModuleType(name) for name in names}
    for module in modules.values():
        vars(module)["RLToyEnv"] = env
    with mock.patch.dict(sys.modules, modules):
        yield


def outcomes(path: Path, env: type) -> dict[str, str | None]:
    """For each test of a file what its failure says first, or None where it passed, with `env` as `RLToyEnv`."""
    spec = importlib.util.spec_from_file_location("playground_tests_of_the_peer", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with standing_in(env):
        spec.loader.exec_module(module)
    found: dict[str, str | None] = {}
    for suite in unittest.defaultTestLoader.loadTestsFromModule(module):
        assert isinstance(suite, unittest.TestSuite)
        for test in suite:
            result = unittest.TestResult()
            with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                test.run(result)
            said = [line for _, text in (*result.failures, *result.errors) for line in text.splitlines()[1:]]
            found[test.id().split(".")[-1]] = next((line for line in said if not line.startswith(" ")), None)
    return found


def with_draws_of(peer: type) -> type:
    """An `RLToyEnv` that plays what the peer has drawn for the same configuration."""

    class Drawn(RLToyEnv):
        def __init__(self, **config: Any) -> None:
            super().__init__(**config)
            own = {name: value for name, value in config.items() if name != "log_filename"}
            self.task = redrawn(self.task, peer(**copy.deepcopy(own)))
            self.toy = self.task.environment.realisation("face")(source=self.task)
            self.reset(seed=0)

    return Drawn


def redrawn(task: Task, peer: Any) -> Task:
    """The task with the start of the peer and, of generated discrete dynamics, all that the peer has generated."""
    if task.env == "toy/continuous":
        return task.replace(start_point=np.asarray(peer.curr_state, dtype=np.float64))
    start = np.atleast_1d(peer.curr_state).astype(int)
    if task.env == "toy/grid":
        return task.replace(start_point=start[: len(task["grid_shape"])])
    if task["transition_function"] is not None:
        return task.replace(init_state_dist=np.eye(task["state_space_size"])[start[0]])
    generated = ("diameter", "reward_density", "reward_dist", "terminal_state_density")
    length, matrix = task["sequence_length"], np.asarray(peer.transition_matrix, dtype=int)
    return Task.make(
        task.env, task.seed, **{name: value for name, value in task.params if name not in generated},
        transition_function=matrix, terminal_states=np.asarray(peer.config["terminal_states"], dtype=int),
        rewardable_sequences={
            tuple(map(int, states)): float(reward)
            for states, reward in peer.rewardable_sequences.items() if len(states) == length
        },
        init_state_dist=np.eye(len(matrix))[start[0]],
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", default=SOURCE, help="the repository to clone on first use (a URL or a path)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()

    logging.disable()  # the peer logs a good deal
    home = cloned(options.source)
    sys.path.insert(0, str(home))
    with contextlib.redirect_stdout(io.StringIO()):
        peer: type = importlib.import_module(MODULE).RLToyEnv
    sides = {"mohs": RLToyEnv, "with the peer's draws": with_draws_of(peer), "the peer": peer}
    found = {side: outcomes(home / "tests" / "test_mdp_playground.py", env) for side, env in sides.items()}

    tests = sorted(found["mohs"])
    passed = {side: [name for name in tests if of[name] is None] for side, of in found.items()}
    surprises = [name for name in tests if (found["mohs"][name] is None) == (name in REASONS)]
    if options.json:
        print(json.dumps({"commit": COMMIT, "passed": passed, "reasons": REASONS, "surprises": surprises}))
    else:
        for name in tests:
            marks = "".join(f"{'passes' if of[name] is None else 'fails':<8}" for of in found.values())
            print(f"{name:<46}{marks}{REASONS.get(name, '')}".rstrip())
        print(*(f"{side}: {len(names)} of {len(tests)}" for side, names in passed.items()), sep="\n")
        for name in surprises:
            print(f"not as expected: {name}: {found['mohs'][name] or 'passes'}")
    raise SystemExit(bool(surprises))


if __name__ == "__main__":
    main()
