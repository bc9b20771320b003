"""Does the environment of a configuration behave as MDP Playground's users expect, and answer to its names?"""

from __future__ import annotations

import copy
import warnings
from itertools import product
from typing import Any

import gymnasium
import numpy as np
import pytest
from configurations import CONTINUOUS, CUSTOM, DISCRETE, GRID, P
from gymnasium.utils.env_checker import check_env

import mohs
from mohs import UsageError
from mohs.compat import RLToyEnv
from mohs.tables.toys.toy import toy


def steps(env: RLToyEnv, count: int = 50) -> list[Any]:
    found = []
    for _ in range(count):
        state, reward, terminated, _, _ = env.step(env.action_space.sample())
        found.append((np.asarray(state).tolist(), reward, terminated))
        if terminated:
            found.append(np.asarray(env.reset()[0]).tolist())
    return found


NOISY = {"transition_noise": 0.3, "reward_noise": 1.0}


@pytest.mark.parametrize("config", [DISCRETE, CONTINUOUS, GRID], ids=["discrete", "continuous", "grid"])
def test_the_seed_of_a_configuration_decides_everything(config: dict[str, Any]) -> None:
    one, two, same = (RLToyEnv(**{**config, **NOISY, "seed": seed}) for seed in (4, 5, {"env": 4, "state_space": 9}))
    first = steps(one)
    assert steps(same) == first != steps(two)
    unseeded = [RLToyEnv(**{**config, "seed": None}).task.seed for _ in range(3)]
    assert len(set(unseeded)) == 3
    one.reset(seed=8)
    two.reset(seed=8)
    one.action_space.seed(0), two.action_space.seed(0)
    if config is not DISCRETE:  # whose dynamics are drawn
        assert steps(one) == steps(two)


def test_episodes_are_not_truncated_unless_asked_for() -> None:
    env = RLToyEnv(**DISCRETE, terminal_state_density=0.0)
    assert not any(env.step(0)[2] or env.step(0)[3] for _ in range(200))
    finite = gymnasium.make("RLToyFiniteHorizon-v0", **DISCRETE, terminal_state_density=0.0)
    finite.reset()
    assert [finite.step(0)[3] for _ in range(100)] == [False] * 99 + [True]
    assert gymnasium.make("RLToy-v0").unwrapped.task.env == "toy/discrete"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "config",
    [DISCRETE, CONTINUOUS, GRID, {**DISCRETE, "irrelevant_features": True, "action_space_size": [8, 3]},
     {**GRID, "irrelevant_features": True}, {**DISCRETE, "image_representations": True},
     {**CONTINUOUS, "image_representations": True, "transition_dynamics_order": 2}],
    ids=["discrete", "continuous", "grid", "irrelevant", "irrelevant grid", "images", "continuous images"],
)  # fmt: skip
def test_the_environments_keep_gymnasiums_contract(config: dict[str, Any]) -> None:
    env = RLToyEnv(**config)  # without delay, since the checker takes nan, of which histories have some, for unequal
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env, skip_render_check=True)
    again = copy.deepcopy(env)
    assert steps(env, 20) == steps(again, 20)


def test_the_markov_state() -> None:
    env = RLToyEnv(**DISCRETE, delay=1, sequence_length=2, terminal_state_density=0.0)
    seen = [env.curr_state]
    kept = env.get_markov_state()["augmented_state"]
    assert kept[-1] == seen[0]
    assert np.isnan(kept[:-1]).all()
    for action in (1, 5, 2, 7, 7):
        state, _, _, _, info = env.step(action)
        seen.append(state)
        assert info == env.get_markov_state() == env.get_augmented_state()
        assert info["curr_state"] == info["curr_obs"] == state
        last = seen[-4:]
        assert info["augmented_state"][-len(last) :] == last
        assert len(info["augmented_state"]) == 4
    assert kept[-1] == seen[0]  # what was handed out stays as it was

    hidden = RLToyEnv(**{**DISCRETE, "action_space_size": [8, 3]}, irrelevant_features=True, image_representations=True)
    assert hidden.curr_obs.dtype == np.uint8
    assert hidden.curr_state.shape == (2,)
    grid = RLToyEnv(**GRID, image_representations=True)
    assert grid.augmented_state[-1] == grid.curr_state.tolist()
    mass = RLToyEnv(**CONTINUOUS, transition_dynamics_order=2)
    mass.step(np.array([1, 0.5], dtype=np.float32))
    position, speed = mass.get_markov_state()["state_derivatives"]
    assert position == pytest.approx(mass.curr_state, abs=1e-5)
    assert speed == pytest.approx([1, 0.5])


def test_transitions_and_rewards_can_be_asked_for() -> None:
    env = RLToyEnv(**DISCRETE, sequence_length=2, reward_every_n_steps=1, reward_dist=[0.5, 1.0])
    states: list[int] = [env.curr_state]
    for action in np.random.default_rng(1).integers(8, size=200).tolist():
        expected = env.transition_function(env.curr_state, action)
        state, reward, terminated, _, _ = env.step(action)
        states.append(state)
        assert state == expected == env.P(states[-2], action)
        assert reward == (env.reward_function(states[1:], action) if len(states) > 2 else 0)
        if terminated:
            states = [env.reset()[0]]
    assert env.rewardable_sequences == dict(
        zip(map(tuple, toy(env.task).sequences.tolist()), toy(env.task).sequence_rewards, strict=True)
    )
    custom = RLToyEnv(**CUSTOM)
    assert custom.R([4, 0], 2) == 14
    assert custom.P(4, 2) == P[4, 2]
    assert custom.rewardable_sequences == {}
    grid = RLToyEnv(**GRID, make_denser=True)
    assert grid.P([0, 0], [0, 1]).tolist() == [0, 1]
    assert grid.R([[0, 0], [0, 1]], [0, 1]) == grid.R([[0, 0], [0, 1]], 3) == 1
    with pytest.raises(UsageError, match="no tables"):
        RLToyEnv(**CONTINUOUS).transition_function([0, 0], [0, 0])


def test_moves_of_the_grid_are_numbers() -> None:
    one, two = RLToyEnv(**GRID), RLToyEnv(**GRID)
    moves = {0: [-1, 0], 1: [1, 0], 2: [0, -1], 3: (0, 1)}
    for number in np.random.default_rng(0).integers(4, size=30).tolist():
        a, b = one.step(number), two.step(moves[number])
        assert a[0].tolist() == b[0].tolist()
        assert a[1:4] == b[1:4]
        if a[2]:
            one.reset(), two.reset()
    for action in ([0, 0], [1, 1], [1, 2], [2, 0]):
        with pytest.raises(UsageError, match="a move must be −1 or 1 in one dimension"):
            one.step(action)
    with pytest.raises(UsageError, match="the action is"):
        one.step([0.5, -0.5])
    both, flat = (RLToyEnv(**GRID, irrelevant_features=True) for _ in range(2))
    assert both.step([3, 0])[0].tolist() == flat.step([0, 1, -1, 0])[0].tolist()
    with pytest.raises(UsageError, match="of each of the two grids"):
        both.step([0, 1, 0, 0])


def test_functions_in_place_of_arrays() -> None:
    """Custom dynamics, rewards and ends as MDP Playground calls them, against the arrays that they stand for."""
    functions = {
        "transition_function": lambda state, action: P[state, action],
        "reward_function": lambda states, action: 3 * states[-2] + action + 0.5 * states[-1],
        "terminal_states": lambda state: state in (2, 5),
    }
    arrays = {
        "reward_function": [[3 * s + a + 0.5 * P[s, a] for a in range(3)] for s in range(6)],
        "terminal_states": [2, 5],
    }
    one, two = RLToyEnv(**{**CUSTOM, **functions}), RLToyEnv(**{**CUSTOM, **arrays})
    assert steps(one) == steps(two)
    noisy = {"reward_function": lambda states, action: 3.0 * states[-2] + action, "transition_noise": 0.5}
    assert RLToyEnv(**{**CUSTOM, **noisy}).R([1, 4], 2) == 5.0
    cells = RLToyEnv(**GRID, terminal_states=lambda cell: cell[0] == 0)
    assert set(cells.task["terminal_states"]) == {(0, y) for y in range(4)}
    fixed = RLToyEnv(**DISCRETE, terminal_states=lambda state: state > 5)
    assert fixed.task["terminal_states"] == (6, 7)


def test_probabilities_of_custom_dynamics() -> None:
    probabilities = np.random.default_rng(0).dirichlet(np.ones(6), size=(6, 3))
    env = RLToyEnv(**{**CUSTOM, "transition_function": probabilities})
    for state, action in np.ndindex(6, 3):
        assert env.P(state, action) == pytest.approx(probabilities[state, action], abs=1e-12)
    env.P(0, 0)[:] = 0  # a copy
    assert env.P(0, 0).sum() == pytest.approx(1)


def test_a_density_makes_no_ends_in_custom_dynamics() -> None:
    with pytest.warns(UserWarning, match="custom terminal_states"):
        env = RLToyEnv(**CUSTOM, terminal_state_density=0.5)
    assert env.task["terminal_states"] == ()


def test_rewards_of_sequences_are_asked_for_one_by_one() -> None:
    known: list[dict[tuple[int, ...], float]] = []

    def dist(rng: np.random.Generator, sequences: dict[tuple[int, ...], float]) -> float:
        known.append(dict(sequences))
        return len(sequences) + rng.random()

    env = RLToyEnv(**DISCRETE, sequence_length=2, reward_dist=dist)
    rewards = env.rewardable_sequences
    assert [int(reward) for reward in rewards.values()] == list(range(len(rewards)))
    assert [len(seen) for seen in known] == list(range(len(rewards)))
    assert known[-1].items() <= rewards.items()
    assert list(rewards) == list(RLToyEnv(**DISCRETE, sequence_length=2).rewardable_sequences)


def test_small_toys_have_a_rewardable_sequence() -> None:
    """The default density, which the paper has for 8 states, gives one at least; another says what to set."""
    small = {**DISCRETE, "action_space_size": 3}
    assert len(RLToyEnv(**small).rewardable_sequences) == 1
    assert len(RLToyEnv(**small, reward_density=0.25).rewardable_sequences) == 1
    with pytest.raises(UsageError, match=r"must be at least 0\.334"):
        RLToyEnv(**small, reward_density=0.3)
    assert len(RLToyEnv(**small, reward_density=0.334).rewardable_sequences) == 1
    with pytest.raises(UsageError, match="sequence_length must be smaller"):
        RLToyEnv(**small, sequence_length=4)


def test_noise_reaches_connected_states_only() -> None:
    """So a reward_function may depend on the next state as long as it is the same for all that are connected."""
    pairs = np.array([[2, 3], [2, 3], [0, 1], [0, 1]])
    env = RLToyEnv(
        state_space_type="discrete", state_space_size=4, action_space_size=2, seed=0, use_custom_mdp=True,
        transition_function=pairs, reward_function=lambda states, action: float(states[-1] > 1), transition_noise=0.5,
    )  # fmt: skip
    for _ in range(200):
        before = env.curr_state
        state, reward, *_ = env.step(0)
        assert state in pairs[before]
        assert reward == float(state > 1)


def test_settings_are_attributes() -> None:
    env = RLToyEnv(**DISCRETE, delay=3, sequence_length=2, diameter=2, reward_noise=0.5)
    assert (env.delay, env.sequence_length, env.augmented_state_length, env.diameter) == (3, 2, 6, 2)
    assert (env.reward_every_n_steps, env.reward_noise, env.reward_density) == (2, 0.5, 0.25)
    assert (env.action_space_size, env.state_space_size.tolist(), env.num_terminal_states) == ([8], [16], 2)
    assert sum(map(env.is_terminal_state, range(16))) == 4
    mass = RLToyEnv(**CONTINUOUS, transition_dynamics_order=2, terminal_states=[[5, 5]], target_point=[1, 2])
    assert (mass.state_space_dim, mass.action_space_dim, mass.dynamics_order) == (2, 2, 2)
    assert (mass.state_space_max, mass.action_space_max, mass.target_point.tolist()) == (10, 1, [1, 2])
    assert [mass.is_terminal_state(at) for at in ([5.4, 4.6], [1, 2.01], [5.6, 5])] == [True, True, False]
    grid = RLToyEnv(**GRID, terminal_states=[[0, 0]])
    assert (grid.grid_shape, grid.target_point, grid.delay, grid.sequence_length) == ((5, 4), [3, 2], 0, 1)
    assert [grid.is_terminal_state(cell) for cell in ([0, 0], [3, 2], [1, 0])] == [True, True, False]
    two = RLToyEnv(**GRID, irrelevant_features=True)
    assert two.P([0, 0, 1, 1], [*[0, 1], *[1, 0]]).tolist() == [0, 1, 2, 1]
    assert two.P([0, 0], [0, 1]).tolist() == [0, 1]


def test_noise_of_the_situation() -> None:
    """Of cells and moves in the grid, of numbers in the discrete toy; older functions take the generator alone."""
    for config, action in product((DISCRETE, GRID), (1, 2)):
        seen: list[tuple[Any, Any]] = []

        def noise(state: Any, action: Any, rng: np.random.Generator, seen: Any = seen) -> float:
            seen.append((state, action))
            return rng.normal()

        env, plain = RLToyEnv(**config, reward_noise=noise), RLToyEnv(**config)
        older = RLToyEnv(**config, reward_noise=lambda rng: rng.normal())
        before = env.curr_state
        reward = env.step(action)[1]
        assert np.array_equal(seen[0][0], before)
        assert np.array_equal(seen[0][1], action if config is DISCRETE else {1: [1, 0], 2: [0, -1]}[action])
        assert reward == older.step(action)[1] != plain.step(action)[1]


def test_unbounded_spaces_are_said_to_be_bounded() -> None:
    with pytest.warns(UserWarning, match="_space_max is not given") as said:
        RLToyEnv(state_space_type="continuous", state_space_dim=2)
    assert len(said) == 2
    assert all(warning.filename == __file__ for warning in said)


def test_the_task_opens_the_rest_of_the_laboratory() -> None:
    from mohs.exact.values.solve import returns

    env = RLToyEnv(**DISCRETE, sequence_length=3, reward_every_n_steps=1)
    assert returns(mohs.table(env.task)).optimal == 98
    assert mohs.make_vec(env.task, num_envs=4).reset(seed=0)[0].shape == (4,)
