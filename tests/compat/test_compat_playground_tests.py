"""Does `RLToyEnv` keep what MDP Playground's own tests of its toys check, with the draws of mohs?

One test here for each of the twenty there, in the same order; `benchmarks/playground_tests.py` runs theirs unmodified.
"""

from __future__ import annotations

import importlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from configurations import CONTINUOUS, DISCRETE, GRID

from mohs import UsageError
from mohs.compat import RLToyEnv

ROOT = Path(__file__).parents[2]
LINE = {**CONTINUOUS, "state_space_dim": 4, "reward_function": "move_along_a_line", "sequence_length": 5}
ENDLESS = {**DISCRETE, "terminal_state_density": 0.0}
LEFT, RIGHT, DOWN, UP = [-1, 0], [1, 0], [0, -1], [0, 1]


def floats(*numbers: float) -> Any:
    return np.array(numbers, dtype=np.float32)


def rewards(env: RLToyEnv, actions: Any) -> list[float]:
    return [env.step(action)[1] for action in actions]


def along(env: RLToyEnv, *states: int) -> list[int]:
    """The actions that lead through these states from the present one."""
    path = [env.augmented_state[-1], *states]
    matrix = env.transition_matrix.tolist()
    return [matrix[here].index(there) for here, there in pairwise(path)]


def reached(env: RLToyEnv, steps: int, step: float) -> list[float]:
    """Where so many steps of a length lead from the start, in every dimension."""
    return [float(x) + steps * step for x in env.curr_state]


def test_continuous_custom_functions_are_refused_with_advice() -> None:
    with pytest.raises(UsageError, match=r"mohs\.inject"):
        RLToyEnv(**CONTINUOUS, use_custom_mdp=True, transition_function=lambda s, a: s + a)


def test_continuous_dynamics_move_along_a_line() -> None:
    """Straight moves earn nothing, others are punished; delay shifts rewards, walls stop the mass."""
    straight, bent = [floats(-0.1, -0.2, -0.1, 0.1)] * 12, np.random.default_rng(0).uniform(-1, 1, (12, 4))
    punished = rewards(RLToyEnv(**LINE), bent.astype(np.float32))
    assert np.allclose(rewards(RLToyEnv(**LINE), straight), 0, atol=1e-6)
    assert punished[:4] == [0] * 4
    assert max(punished[4:]) < -0.1
    assert rewards(RLToyEnv(**LINE, delay=2), bent.astype(np.float32)) == [0, 0, *punished[:-2]]
    other = {**LINE, "state_space_dim": 5, "relevant_indices": [0, 1, 3, 4]}
    mixed = np.insert(np.array(straight), 2, bent[:, 0], axis=1).astype(np.float32)
    assert np.allclose(rewards(RLToyEnv(**other), mixed), 0, atol=1e-6)
    walled = RLToyEnv(**{**LINE, "state_space_max": 2})
    rewards(walled, [floats(-1, -1, -1, -1)] * 5)
    assert walled.curr_state.tolist() == [-2] * 4


def test_continuous_dynamics_order() -> None:
    """Third order: derivatives and position follow the Taylor sum, given the range that the actions need."""
    env = RLToyEnv(
        **{**LINE, "state_space_dim": 2, "state_space_max": 1, "action_space_max": 2}, transition_dynamics_order=3,
        inertia=2.0, time_unit=0.01,
    )  # fmt: skip
    for factors in ((1 / 6, 1 / 2, 1), (7 / 6, 3 / 2, 1)):
        before = env.state_derivatives
        env.step(floats(2, 1))
        for k, factor in enumerate(factors):
            moved = env.state_derivatives[k] - before[k]
            assert moved == pytest.approx(factor * np.array([1, 0.5]) * 0.01 ** (3 - k), rel=1e-6)
        assert env.augmented_state[-2] == pytest.approx(before[0], abs=1e-6)
    with pytest.raises(UsageError, match="outside"):
        RLToyEnv(**CONTINUOUS).step(floats(2, 1))


@pytest.mark.parametrize("dense", [True, False])
def test_continuous_dynamics_target_point(dense: bool) -> None:
    """Towards a target in equal steps; the last one reaches it and ends the episode, with all that is delayed."""
    slow = {**CONTINUOUS, "inertia": 2.0, "time_unit": 0.1, "make_denser": dense, "reward_scale": 2.0}
    there = {**slow, "target_point": reached(RLToyEnv(**slow), 20, -0.025)}
    step = 2 * 0.025 * np.sqrt(2) if dense else 0.0
    for delay in (0, 10):
        env = RLToyEnv(**there, target_radius=0.03, delay=delay)
        found = [env.step(floats(-0.5, -0.5)) for _ in range(20)]
        assert [over for _, _, over, _, _ in found] == [False] * 19 + [True]
        last = (delay + 1) * step if dense else 2.0
        assert [r for _, r, *_ in found] == pytest.approx([0] * delay + [step] * (19 - delay) + [last], abs=1e-5)
    more = {**slow, "state_space_dim": 5, "relevant_indices": [1, 2]}
    start = RLToyEnv(**more)
    env = RLToyEnv(**more, target_point=reached(start, 20, -0.025)[1:3], target_radius=0.03)
    assert rewards(env, [floats(*[-0.5] * 5)] * 19) == pytest.approx([step] * 19, abs=1e-5)


@pytest.mark.parametrize("config", [CONTINUOUS, DISCRETE, GRID], ids=["continuous", "discrete", "grid"])
def test_image_representations(config: dict[str, Any]) -> None:
    """The same rewards and states with images, which differ where states do."""
    plain, seen = RLToyEnv(**config), RLToyEnv(**config, image_representations=True)
    images: dict[str, bytes] = {str(seen.curr_state): seen.curr_obs.tobytes()}
    for _ in range(12):
        action = plain.action_space.sample()
        _, reward, over, _, info = plain.step(action)
        image, same, also, _, behind = seen.step(action)
        assert image.dtype == np.uint8
        assert image.shape[:2] == (seen.image_height, seen.image_width) == (100, 100)
        assert (same, also) == (reward, over)
        assert np.array_equal(behind["curr_state"], info["curr_state"])
        assert images.setdefault(str(behind["curr_state"]), image.tobytes()) == image.tobytes()
        if over:
            plain.reset(), seen.reset()
    assert len(set(images.values())) == len(images) > 3


def test_transformed_images() -> None:
    moved = {"image_transforms": "shift,scale,rotate,flip", "image_scale_range": (0.5, 1.5)}
    env = RLToyEnv(**ENDLESS, image_representations=True, **moved)
    seen = {env.step(env.transition_matrix[env.curr_state].tolist().index(3))[0].tobytes() for _ in range(20)}
    assert len(seen) > 15  # of one state


def test_grid_env() -> None:
    """Rewards are the distance gained, scaled; an end adds its own; an irrelevant grid changes nothing."""
    grid = {**GRID, "grid_shape": (8, 8), "target_point": [5, 5], "make_denser": True, "reward_scale": 3.0}
    ends = [[x, y] for x in range(8) for y in range(8) if [x, y] not in ([5, 5], [6, 6], [6, 5], [7, 6])]
    for delay in (0, 1):
        env = RLToyEnv(**grid, terminal_states=ends, term_state_reward=-0.25, delay=delay)
        while env.curr_state.tolist() != [6, 6]:
            env.reset()
        found = rewards(env, [RIGHT, LEFT, UP])  # away, back, and into the terminal cell above
        expected = [-3, 3, -3 - 0.75] if delay == 0 else [0, -3, 3 - 3 - 0.75]  # what waits is paid at the end
        assert found == expected
    one, two = RLToyEnv(**grid), RLToyEnv(**grid, irrelevant_features=True)
    two.toy.reset(seed=two.task.seed)
    route = [LEFT, DOWN, LEFT, UP]
    assert rewards(one, route) == rewards(two, [move + RIGHT for move in route])


def test_discrete_dynamics() -> None:
    """Steps follow the matrix and end in terminal states only."""
    env = RLToyEnv(**DISCRETE, sequence_length=3, make_denser=True)
    assert type(env.curr_state) is int
    for action in np.random.default_rng(0).integers(8, size=100).tolist():
        expected = env.transition_matrix[env.curr_state, action]
        state, _, over, _, _ = env.step(action)
        assert state == expected
        assert over == env.is_terminal_state(state)
        if over:
            env.reset()


def test_discrete_reward_delay() -> None:
    env = RLToyEnv(**DISCRETE, delay=3, make_denser=True)
    ((good,),) = env.rewardable_sequences
    poor = next(s for s in range(8) if s != good and not env.is_terminal_state(s))
    assert rewards(env, along(env, good, poor, poor, poor, good, poor, poor, poor)) == [0, 0, 0, 1, 0, 0, 0, 1]


def test_discrete_rewardable_sequences() -> None:
    for delay in (0, 2):
        env = RLToyEnv(**ENDLESS, sequence_length=3, reward_every_n_steps=1, delay=delay)
        states = list(env.rewardable_sequences)[7]
        assert rewards(env, along(env, *states, states[-1], states[-1]))[: 3 + delay] == [0] * (2 + delay) + [1]


def test_discrete_p_noise() -> None:
    """Nine steps of ten go astray, to each of the other states equally often."""
    env = RLToyEnv(**ENDLESS, transition_noise=0.9)
    counts = np.zeros(8)
    for _ in range(4000):
        counts[env.step(env.transition_matrix[env.curr_state].tolist().index(5))[0]] += 1
    expected = np.where(np.arange(8) == 5, 0.1, 0.9 / 7)
    assert counts / counts.sum() == pytest.approx(expected, abs=0.02)


def test_discrete_r_noise() -> None:
    plain, noisy = RLToyEnv(**ENDLESS), RLToyEnv(**ENDLESS, reward_noise=lambda s, a, rng: rng.normal(0, 0.5))
    actions = np.random.default_rng(0).integers(8, size=2000).tolist()
    noise = np.subtract(rewards(noisy, actions), rewards(plain, actions))
    assert (noise.mean(), noise.std()) == (pytest.approx(0, abs=0.04), pytest.approx(0.5, abs=0.03))


def test_discrete_multiple_meta_features() -> None:
    """(reward + noise) × scale + shift, of delayed rewards of sequences."""
    dials = {"reward_scale": 2.5, "reward_shift": -1.75, "reward_noise": lambda s, a, rng: 0.25}
    task = {**ENDLESS, "sequence_length": 3, "reward_every_n_steps": 1, "delay": 1}
    actions = np.random.default_rng(0).integers(8, size=100).tolist()
    plain = np.array(rewards(RLToyEnv(**task), actions))
    assert plain.any()
    assert rewards(RLToyEnv(**task, **dials), actions) == pytest.approx((plain + 0.25) * 2.5 - 1.75)


def test_discrete_irr_features() -> None:
    """The irrelevant part moves on its own and earns nothing; P moves both parts."""
    config = {**ENDLESS, "action_space_size": [8, 10], "state_space_size": [8, 10], "irrelevant_features": True}
    one, two = RLToyEnv(**config, delay=1), RLToyEnv(**config, delay=1)
    assert (one.action_space_size, one.state_space_size.tolist()) == ([8, 10], [8, 10])
    for action in np.random.default_rng(0).integers(8, size=50).tolist():
        expected = one.P(one.curr_state, (action, 9))
        assert expected[0] == one.P(one.curr_state[0], action)
        (a, here, *_), (b, there, *_) = one.step([action, 9]), two.step([action, 0])
        assert a.tolist() == expected.tolist()
        assert (a[0], here) == (b[0], there)
    assert one.P((3, 0), (2, 0)).shape == (2,)
    assert one.R([(3, 0), (1, 4)], (2, 0)) == one.R([3, 1], 2)


def test_discrete_reward_every_n_steps() -> None:
    """Sequences pay where they finish at a step divisible by their length (section 4.1), and at no other number."""
    env = RLToyEnv(**ENDLESS, sequence_length=3)
    states = next(iter(env.rewardable_sequences))
    assert env.reward_every_n_steps == 3
    assert rewards(env, along(env, *states)) == [0, 0, 1]
    assert rewards(env, along(env, states[0], *states)) == [0, 0, 0, 0]
    with pytest.raises(UsageError, match=r"must be 1 .* or sequence_length, 3"):
        RLToyEnv(**ENDLESS, sequence_length=3, reward_every_n_steps=2)


@pytest.mark.parametrize("functions", [False, True])
def test_discrete_custom_functions(functions: bool) -> None:
    rng = np.random.default_rng(2)
    matrix, paid = rng.integers(6, size=(6, 4)), rng.integers(4, size=(6, 4))
    config = {**DISCRETE, "state_space_size": 6, "action_space_size": 4, "use_custom_mdp": True, "reward_scale": 2.0}
    parts = (lambda s, a: matrix[s, a], lambda s, a: paid[s[-2], a]) if functions else (matrix, paid)
    env = RLToyEnv(**config, delay=2, transition_function=parts[0], reward_function=parts[1])
    expected, state = [0.0, 0.0], env.curr_state
    actions = rng.integers(4, size=10).tolist()
    for action in actions:
        expected.append(2.0 * paid[state, action])
        state = matrix[state, action]
    assert rewards(env, actions) == expected[:-2]
    assert env.curr_state == state
    assert np.array_equal(env.transition_matrix, matrix)
    assert np.array_equal(env.reward_matrix, paid)


def test_discrete_r_dist() -> None:
    """Every sequence has a reward of its own, and the shift is added to each."""
    dist = {"reward_density": 0.5, "reward_shift": 1.0, "reward_dist": lambda rng, found: rng.normal(0, 0.5)}
    env = RLToyEnv(**ENDLESS, **dist)
    of = env.rewardable_sequences
    assert len(set(of.values())) == len(of) == 4
    assert rewards(env, along(env, *range(8))) == pytest.approx([1 + of.get((s,), 0) for s in range(8)])


@pytest.mark.parametrize(("length", "density"), [(3, 0.05), (5, 0.01)])
def test_discrete_diameter(length: int, density: float) -> None:
    """Sequences lead from set to set, as equally many from each as can be, through no terminal state."""
    env = RLToyEnv(
        **DISCRETE, state_space_size=24, diameter=3, sequence_length=length, reward_density=density,
        reward_every_n_steps=1,
    )  # fmt: skip
    size, found = env.action_space_size[0], list(env.rewardable_sequences)
    possible = 3 * np.prod([6 - i // 3 for i in range(length)])
    assert (size, env.state_space_size.tolist(), env.num_terminal_states) == (8, [24], 2)
    assert len(found) == int(density * possible)
    starts = np.bincount([states[0] // size for states in found])
    assert starts.max() - starts.min() <= 1
    for states in found:
        assert len(set(states)) == length
        assert not any(env.is_terminal_state(s) for s in states)
        assert all((a // size + 1) % 3 == b // size for a, b in pairwise(states))
    assert env.config["relevant_init_state_dist"].sum() == pytest.approx(1)
    states = next(states for states in found if states[0] // size == (env.curr_state // size + 1) % 3)
    assert rewards(env, along(env, *states))[-1] == 1


def test_the_script_that_runs_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unmodified tests import mohs under the peer's name; what is said of each is also in the docs."""
    monkeypatch.syspath_prepend(str(ROOT))
    script = importlib.import_module("benchmarks.playground_tests")
    path = tmp_path / "theirs.py"
    path.write_text(
        "import unittest\nfrom mdp_playground.envs.rl_toy_env import RLToyEnv\n"
        "class Tests(unittest.TestCase):\n"
        "    def test_good(self):\n        self.assertEqual(RLToyEnv(action_space_size=8, delay=2,"
        " state_space_type='discrete').delay, 2)\n"
        "    def test_poor(self):\n        self.assertEqual(RLToyEnv.__module__, 'mdp_playground')\n"
    )
    found = script.outcomes(path, RLToyEnv)
    assert found["test_good"] is None
    assert "mohs.compat.toy" in found["test_poor"]
    page = (ROOT / "docs" / "compat.md").read_text(encoding="utf-8")
    assert len(script.REASONS) == 19
    for name in script.REASONS:
        assert f"`{name.removeprefix('test_')}`" in page
