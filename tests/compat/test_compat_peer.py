"""Does a configuration of MDP Playground mean here what it means there, but for what docs/compat.md lists?

MDP Playground runs in a process of its own, where it is installed (.peers/mdp-playground).
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from peer_cases import (
    AHEAD,
    CELLS,
    CONTINUOUS,
    DENSER,
    DIFFERENT,
    FAR,
    GATED,
    GRID,
    IMAGES,
    LATE,
    MISSPELT,
    NOISY,
    NONE,
    ROUNDED,
    SAME,
    SMALL,
    SWITCH,
)

import mohs
from mohs import Task, UsageError
from mohs.compat import GymEnvWrapper, RLToyEnv
from mohs.compat.configuration import task_of

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".peers" / "mdp-playground" / "bin" / "python"
pytestmark = pytest.mark.skipif(not PYTHON.exists(), reason="MDP Playground is not installed in .peers/mdp-playground")


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What MDP Playground answered to all cases, in one run."""
    cases = SAME | DIFFERENT
    script = Path(__file__).with_name("peer_side.py")
    run = subprocess.run(
        [str(PYTHON), str(script)], input=json.dumps(list(cases.values())), capture_output=True, text=True,
        cwd=tmp_path_factory.mktemp("peer"),
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-2000:]
    return dict(zip(cases, json.loads(run.stdout.splitlines()[-1]), strict=True))


def task_with(case: dict[str, Any], answer: dict[str, Any]) -> Task:
    """The task of a configuration; what MDP Playground draws at random is as it has drawn it."""
    task = task_of(case["config"])
    if "start" in case:
        return task.replace(start_point=case["start"])
    if "sequences" not in answer:
        return task
    drawn = ("diameter", "reward_density", "reward_dist", "terminal_state_density")
    kept = {name: value for name, value in task.params if name not in drawn}
    own = [pair for pair in answer["sequences"] if len(pair[0]) == task["sequence_length"]]
    return Task.make(
        "toy/discrete", task.seed, **kept, transition_function=answer["transitions"],
        rewardable_sequences=own, terminal_states=answer["terminals"],
        init_state_dist=np.eye(len(answer["transitions"]))[answer["start"]],
    )  # fmt: skip


def played(case: dict[str, Any], answer: dict[str, Any]) -> dict[str, list[Any]]:
    """States, rewards and ends of the same actions here."""
    env = RLToyEnv(**case["config"])
    env.task = task_with(case, answer)
    env.toy = env.task.environment.realisation("face")(source=env.task)
    env.reset(seed=0)
    found: dict[str, list[Any]] = {"states": [], "rewards": [], "over": []}
    for action in case["actions"][: max(len(answer["rewards"]), 1)]:
        state, reward, terminated, truncated, info = env.step(action)
        assert not truncated
        assert np.array_equal(info["curr_state"], state)
        found["states"].append(np.asarray(state).tolist())
        found["rewards"].append(reward)
        found["over"].append(bool(terminated))
    return found


@pytest.mark.parametrize("name", SAME)
def test_the_same_actions_earn_the_same_rewards(name: str, peer: dict[str, Any]) -> None:
    answer = peer[name]
    found = played(SAME[name], answer)
    assert found["over"] == answer["over"]
    assert np.allclose(found["states"], answer["states"], atol=1e-5)
    assert found["rewards"] == pytest.approx(answer["rewards"], abs=1e-5)
    assert any(answer["rewards"])


def test_the_cases_reach_ends_and_delays(peer: dict[str, Any]) -> None:
    ended = [name for name in SAME if peer[name]["over"][-1]]
    assert {"dense", "terminal cube", "grid"} < set(ended)
    assert sum(name.startswith("custom") for name in ended) >= 3
    assert peer["custom P and R"]["rewards"] == [0, 2, 2, 6, 6, 2, 0, 2, 6, 2, 2]


def test_the_gate_closes_when_a_sequence_finishes_not_when_it_is_paid(peer: dict[str, Any]) -> None:
    """All sequences of two different states are rewardable: finished at odd steps (there) or even ones (here)."""
    answer = peer["gate"]
    states = [answer["start"], *answer["states"]]
    here, there = played(GATED, answer)["rewards"], answer["rewards"]
    finished = [t >= 2 and states[t] != states[t - 1] for t in range(len(states))]
    for t in range(2, len(states)):
        assert there[t - 1] == float(finished[t - 1] and t % 2 == 0)
        assert here[t - 1] == float(finished[t - 1] and (t - 1) % 2 == 0)
    assert sum(here) > 5
    assert sum(there) > 5


def test_parts_of_sequences_pay(peer: dict[str, Any]) -> None:
    answer = peer["denser"]
    here, there = np.array(played(DENSER, answer)["rewards"]), np.array(answer["rewards"])
    whole = {tuple(states) for states, _ in answer["sequences"] if len(states) == 3}
    seen = answer["states"]
    for t in range(len(seen)):
        parts = sum(
            length / 3 for length in (1, 2, 3)
            if length <= t + 1 and any(s[:length] == tuple(seen[t + 1 - length : t + 1]) for s in whole)
        )  # fmt: skip
        assert here[t] == pytest.approx(parts)
    assert set(there) <= {0.0, 1.0}
    assert here.sum() > there.sum() + 5


def test_true_closes_the_gate(peer: dict[str, Any]) -> None:
    """The switch of older configurations: Python takes True for 1, at which MDP Playground pays in every step."""
    answer = peer["switch"]
    here = played(SWITCH, answer)["rewards"]
    assert sum(here[0::2]) == 0
    assert here[1::2] == answer["rewards"][1::2]
    assert sum(answer["rewards"][0::2]) > 0


def test_what_is_delayed_is_paid_at_the_target(peer: dict[str, Any]) -> None:
    assert peer["late"]["rewards"] == pytest.approx([0, 0.5])
    assert played(LATE, peer["late"])["rewards"] == pytest.approx([0, 1.0])


def test_actions_out_of_range_are_errors(peer: dict[str, Any]) -> None:
    assert peer["far"]["states"] == [[1, 0]]
    with pytest.raises(UsageError, match="outside"):
        played(FAR, peer["far"])


def test_no_rewardable_sequence_is_an_error(peer: dict[str, Any]) -> None:
    assert len(peer["none"]["sequences"]) == 1
    with pytest.raises(UsageError, match="reward_density"):
        RLToyEnv(**NONE["config"])


def test_noise_stays_in_the_next_set(peer: dict[str, Any]) -> None:
    assert peer["noise"] > 50
    env = RLToyEnv(**NOISY)
    for _ in range(300):
        before = env.curr_state // 4
        assert env.step(0)[0] // 4 == (before + 1) % 3


def test_reseeding_is_whole(peer: dict[str, Any]) -> None:
    assert not peer["reseeding"]
    env = RLToyEnv(**NOISY)
    one, two = ([env.reset(seed=5)[0], *(env.step(1)[0] for _ in range(20))] for _ in range(2))
    assert one == two


def test_grids_are_started_inside(peer: dict[str, Any]) -> None:
    assert max(max(cell) for cell in peer["starts"]) == 3
    env = RLToyEnv(**SMALL)
    found = {tuple(env.reset()[0].tolist()) for _ in range(400)}
    assert found == {(x, y) for x in range(3) for y in range(3)} - {(1, 1)}


def test_grids_can_be_delayed(peer: dict[str, Any]) -> None:
    assert peer["delayed grid"] == "ValueError"
    plain, late = (RLToyEnv(**{**GRID, "delay": delay, "target_point": [4, 3]}) for delay in (0, 2))
    route = [[0, -1], [-1, 0], [0, -1], [-1, 0], [0, 1]]  # away from the target, and one step back
    one, two = ([env.step(move)[1] for move in route] for env in (plain, late))
    assert two == [0, 0, *one[:3]]
    assert any(one[:3])


def test_terminal_cells_end_the_episode(peer: dict[str, Any]) -> None:
    assert peer["cells"]["over"] == [False, False]
    here = played(CELLS, peer["cells"])
    assert here["states"] == peer["cells"]["states"] == [[1, 3], [2, 3]]
    assert here["over"] == [False, True]
    assert here["rewards"] == [2.0, 1.75]


def test_shares_are_decimal(peer: dict[str, Any]) -> None:
    assert peer["floor"] == 28
    env = RLToyEnv(**ROUNDED)
    assert sum(env.toy.fleet.ints[env.toy.fleet.tasks["terminal"][0] :][:100]) == 29


def test_unknown_keys_are_errors(peer: dict[str, Any]) -> None:
    assert peer["unknown"] is None
    with pytest.raises(UsageError, match="Did you mean 'delay'"):
        RLToyEnv(**MISSPELT)


def test_wrapped_episodes_end(peer: dict[str, Any]) -> None:
    assert peer["wrapper"] == "TypeError"
    env = GymEnvWrapper(gymnasium.make("CartPole-v1"), state_space_type="discrete", seed=0)
    env.reset(seed=0)
    total = 0.0
    while True:
        _, reward, terminated, _, _ = env.step(0)
        total += reward
        if terminated:
            break
    assert total >= 5


def test_images_can_be_vectorised(peer: dict[str, Any]) -> None:
    assert peer["images"] == "NotImplementedError"
    env = gymnasium.vector.SyncVectorEnv([lambda: RLToyEnv(**IMAGES)] * 2)
    assert env.reset(seed=0)[0].shape == (2, 100, 100, 1)
    assert mohs.make_vec(task_of(IMAGES), num_envs=2).reset(seed=0)[0].shape == (2, 100, 100, 1)


def test_transition_noise_stays_in_the_state(peer: dict[str, Any]) -> None:
    assert np.allclose(peer["pushed"], [[1, 0]] * 3)
    env = RLToyEnv(**{**CONTINUOUS, **AHEAD}, transition_noise=lambda state, action, rng: [1.0, 0.0])
    start = env.curr_state
    positions = [env.step(np.zeros(2, dtype=np.float32))[0] for _ in range(3)]
    expected = np.minimum(start[0] + np.arange(1, 4), 10.0)
    assert np.array(positions)[:, 0] == pytest.approx(expected, abs=1e-5)
