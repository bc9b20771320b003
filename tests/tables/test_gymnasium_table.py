"""The tables of Gymnasium environments are what playing them shows; what has none is refused."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import pytest
import small_envs
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit, TransformReward
from hypothesis import given, settings
from random_tables import assert_same, entries, restricted, tables

import mohs
from mohs import Table, UsageError
from mohs.exact.values.solve import returns, values
from mohs.tables.gymnasium import search as gymnasium_search
from mohs.tables.merging import merged

BRIDGE = Path(os.environ.get("MOHS_BRIDGE_DIR", Path(__file__).parents[3] / "shared" / "oracles" / "bridge"))

# The lock by hand: no digit is right (0 was entered last); one is; two are; none (1 was entered last); it is open.
LOCK = replace(
    Table.from_arrays([[0, 1], [2, 3], [0, 4], [0, 1], [4, 4]], np.eye(5)[2, :, None] * [0.0, 1.0], terminal=[4]),
    observation=np.array([0, 1, 0, 1, 1], dtype=np.int32),
)


@pytest.mark.parametrize(("name", "horizon"), [("FrozenLake-v1", 100), ("CliffWalking-v1", 30), ("Taxi-v4", 200)])
def test_gymnasium_environments_step_as_their_tables_say(name, horizon):
    env = gymnasium.make(name)
    table = Table.from_gymnasium(env)
    rng = np.random.default_rng(0)
    for episode in range(20):
        observation, _ = env.reset(seed=episode)
        (state,) = np.flatnonzero((table.initial > 0) & (table.observation == observation))
        for _ in range(horizon):
            action = int(rng.integers(table.actions))
            observation, reward, terminated, truncated, _ = env.step(action)
            found = {int(table.observation[s]): (s, r) for s, _, r in entries(table, int(state), action)}
            state, expected = found[int(observation)]
            assert reward == expected
            assert terminated == table.terminal[state]
            if terminated or truncated:
                break


def test_cliff_walking_takes_thirteen_steps():
    assert returns(Table.from_gymnasium("CliffWalking-v1"), horizon=50).optimal == -13


@pytest.mark.parametrize("name", ["FrozenLake-v1", "CliffWalking-v1"])
def test_playing_finds_what_the_dynamics_say(name):
    options = {"is_slippery": False}
    assert_same(Table.from_gymnasium(name, seeds=[0], **options), Table.from_gymnasium(name, **options))


def test_taxi_from_one_start():
    """The part of the whole table that can be reached; the state of a taxi is what it shows."""
    whole = Table.from_gymnasium("Taxi-v4")
    first, _ = gymnasium.make("Taxi-v4").reset(seed=3)
    (start,) = np.flatnonzero((whole.observation == first) & ~whole.terminal)
    part = restricted(replace(whole, initial=(np.arange(whole.states) == start).astype(float)))
    assert 100 < part.states < whole.states
    for key in ("observation", lambda env: int(env.unwrapped.s)):
        assert_same(Table.from_gymnasium("Taxi-v4", seed=3, key=key), part)


@settings(max_examples=25)
@given(tables(stochastic=False, starts=1))
def test_playing_a_table_gives_it_back(table):
    """But for what cannot be reached or told apart."""
    expected = merged(restricted(table))
    assert_same(Table.from_gymnasium(small_envs.Played(table), horizon=table.horizon), expected)
    assert_same(Table.from_gymnasium(small_envs.Played(table, 5), horizon=table.horizon), expected)
    by_name = Table.from_gymnasium(small_envs.Played(table), key=lambda env: env.state, horizon=table.horizon)
    assert_same(by_name, restricted(table))


@pytest.mark.parametrize("trials", [0, 200])
@pytest.mark.parametrize(
    "kind",
    ["Lock", "Forgetful", "ForgetfulUnseeded", "Uncopied", "SharedMemory", "SharedState", "CountsEpisodes"],
)
def test_hidden_state_is_found_however_it_is_kept(kind, trials, monkeypatch):
    """Also without the trials, which would find out in the end that copies are not what they should be."""
    monkeypatch.setattr(gymnasium_search, "TRIALS", trials)
    env = getattr(small_envs, kind)()
    assert_same(Table.from_gymnasium(env), LOCK)
    assert_same(Table.from_gymnasium(env, key=lambda env: env.entered), LOCK)


def test_a_state_that_all_copies_share(monkeypatch):
    monkeypatch.setattr(gymnasium_search, "TRIALS", 0)
    table = Table.from_gymnasium(small_envs.SharedSwitch())
    assert (table.succ.tolist(), table.reward.tolist()) == ([1, 0, 1, 1], [0, 0, 0, 1])


def test_bookkeeping_that_cannot_be_copied_needs_a_key():
    env = small_envs.CountsEpisodesUncopied()
    with pytest.raises(UsageError, match=r"the same 0 actions after reset\(seed=0\) led elsewhere; .* give a key"):
        Table.from_gymnasium(env)
    assert_same(Table.from_gymnasium(env, key=lambda env: env.entered), LOCK)


@pytest.mark.parametrize("kind", ["Named", "Cloned"])
def test_an_environment_may_name_its_own_state(kind):
    env = getattr(small_envs, kind)()
    assert_same(Table.from_gymnasium(env), LOCK)
    doubled = replace(LOCK, reward=2 * LOCK.reward)
    assert_same(Table.from_gymnasium(TransformReward(env, lambda reward: 2 * reward)), doubled)
    with_state = Table.from_gymnasium(small_envs.EveryOther(env))
    assert_same(merged(with_state), Table.from_gymnasium(small_envs.EveryOther(small_envs.Lock())))
    assert with_state.states > LOCK.states


def test_state_that_cannot_be_read_needs_a_key():
    with pytest.raises(UsageError, match=r"cannot be read \(.guard: _thread.lock\): give a key"):
        Table.from_gymnasium(small_envs.Unreadable())
    assert_same(Table.from_gymnasium(small_envs.Unreadable(), key=lambda env: env.entered), LOCK)


def test_what_the_key_does_not_tell_is_noticed():
    with pytest.raises(UsageError, match="is not its whole state"):
        Table.from_gymnasium(small_envs.Lock(), key="observation")
    with pytest.raises(UsageError, match="the key gives one name to different states"):
        Table.from_gymnasium(small_envs.Lock(), key=lambda env: env.entered // 2)
    with pytest.raises(UsageError, match="the key gives one name to different states"):
        Table.from_gymnasium(small_envs.LongLock(), key=lambda env: env.entered // 2)
    with pytest.raises(UsageError, match="is not its whole state"):
        Table.from_gymnasium(mohs.make("toy/discrete", delay=2), key="observation")


@pytest.mark.parametrize("source", ["gymnasium", "own", "global", "module"])
@pytest.mark.parametrize("kind", ["Slippery", "RareReward"])
def test_chance_is_noticed_wherever_it_comes_from(kind, source):
    with pytest.raises(UsageError, match="is not deterministic"):
        Table.from_gymnasium(getattr(small_envs, kind)(source))
    with pytest.raises(UsageError, match=r"is not deterministic|the key gives one name"):
        Table.from_gymnasium(getattr(small_envs, kind)(source), key=lambda env: env.entered)


def test_draws_without_effect_are_no_chance():
    assert_same(Table.from_gymnasium(small_envs.Slippery(chance=0.0)), LOCK)


@pytest.mark.parametrize(
    ("env", "options"),
    [
        ("FrozenLake-v1", {"seeds": [0]}),
        ("Blackjack-v1", {}),
        (small_envs.AnyStart(), {}),
        (small_envs.AnyView(), {}),
        (small_envs.AnyView(), {"key": lambda env: env.entered}),
    ],
)
def test_environments_of_chance_have_no_table(env, options):
    with pytest.raises(UsageError, match="is not deterministic"):
        Table.from_gymnasium(env, **options)


def test_an_environment_that_counts_its_steps():
    """With the count in the state there are more states and no horizon; the optimum is the same, as is random play."""
    counted = Table.from_gymnasium(small_envs.Counting())
    held = Table.from_gymnasium(small_envs.Counting(), clock="steps", horizon=5)
    assert_same(held, replace(LOCK, horizon=5))
    assert counted.states > held.states
    assert returns(counted, horizon=99) == returns(held)
    # Paid less the later it opens, which only a state that knows the time can say.
    hurried = Table.from_gymnasium(small_envs.Counting(hurried=True))
    assert returns(hurried, horizon=99).optimal == pytest.approx(0.7)
    with pytest.raises(UsageError, match="the key gives one name"):
        Table.from_gymnasium(small_envs.Counting(hurried=True), key=lambda env: env.entered)
    with pytest.raises(UsageError, match=r"more than 30 states .* raise limit, name the attribute that counts steps"):
        Table.from_gymnasium(small_envs.Counting(steps=1_000), limit=30)


def test_time_limits_become_the_horizon():
    lake = {"id": "FrozenLake-v1", "is_slippery": False}
    assert Table.from_gymnasium("FrozenLake-v1", max_episode_steps=7).horizon == 7
    assert Table.from_gymnasium(gymnasium.make(**lake), horizon=9).horizon == 9
    assert Table.from_gymnasium(gymnasium.make(**lake)).horizon == 100
    assert Table.from_gymnasium(gymnasium.make(**lake).unwrapped).horizon is None
    assert_same(Table.from_gymnasium(TimeLimit(small_envs.Lock(), 2)), replace(LOCK, horizon=2))
    stacked = RecordEpisodeStatistics(TransformReward(TimeLimit(small_envs.Lock(), 4), lambda reward: reward))
    assert_same(Table.from_gymnasium(stacked), replace(LOCK, horizon=4))
    assert isinstance(stacked.env.env, TimeLimit)  # taken off for the search alone


def test_wrappers_count_where_they_change_something():
    """P knows nothing of a wrapper, so the wrapped environment is played."""
    plain = Table.from_gymnasium("FrozenLake-v1", is_slippery=False)
    lake = TransformReward(gymnasium.make("FrozenLake-v1", is_slippery=False), lambda reward: 3 * reward)
    assert_same(Table.from_gymnasium(lake), replace(plain, reward=3 * plain.reward))
    slippery = TransformReward(gymnasium.make("FrozenLake-v1"), lambda reward: 3 * reward)
    with pytest.raises(UsageError, match="is not deterministic"):
        Table.from_gymnasium(slippery)


def test_several_seeds_are_a_start_distribution():
    table = Table.from_gymnasium(small_envs.SeededStart(), seeds=[0, 3, 1, 5])
    one = [Table.from_gymnasium(small_envs.SeededStart(), seed=seed) for seed in (0, 3, 1, 5)]
    assert sorted(table.initial[table.initial > 0]) == [0.25, 0.25, 0.5]
    for horizon in range(1, 6):
        mean = np.mean([returns(single, horizon=horizon).random for single in one])
        assert returns(table, horizon=horizon).random == pytest.approx(mean)


def test_a_seed_is_no_state():
    assert_same(Table.from_gymnasium(small_envs.Lock(), seeds=range(9), limit=LOCK.states), LOCK)


def test_our_own_toy_by_playing_it():
    """The vanilla toy shows its state, so playing it and building its table give the same values."""
    found = Table.from_gymnasium(mohs.make("toy/discrete"), key="observation", seeds=range(12))
    built = merged(mohs.table("toy/discrete"))
    assert (found.states, found.horizon) == (built.states, built.horizon)
    for rule in ("best", "mean", "worst"):
        ours, theirs = (
            dict(zip(t.observation.tolist(), values(t, rule, horizon=9), strict=True)) for t in (found, built)
        )
        assert ours == pytest.approx(theirs)


@pytest.mark.parametrize(
    ("env", "options", "message"),
    [
        ("CartPole-v1", {"limit": 100}, "more than 100 states"),
        ("FrozenLake-v1", {"limit": 3}, "16 states, more than the limit of 3"),
        ("CartPoll-v1", {}, "cannot be made"),
        ("FrozenLake-v1", {"wet": True}, "cannot be made"),
        ("Taxi-v4", {"fickle_passenger": True}, "fickle"),
        ("Pendulum-v1", {}, "needs a Discrete one"),
        (7, {}, "takes an id with its parameters or an environment"),
        (small_envs.Lock(), {"is_slippery": True}, "takes an id with its parameters or an environment"),
        (small_envs.Lock(), {"key": "state"}, "key is 'state'"),
        (small_envs.Lock(), {"key": lambda env: [env.entered]}, "must give something hashable"),
        (small_envs.Lock(), {"clock": "steps"}, "clock is 'steps', but .* has no such attribute"),
        (small_envs.Lock(), {"limit": 0}, "limit is 0"),
        (small_envs.Lock(), {"seed": -1}, "seeds\\[0\\] is -1"),
        (small_envs.Lock(), {"seeds": []}, "at least one seed"),
        (small_envs.Lock(), {"horizon": 0}, "horizon is 0"),
        (TransformReward(small_envs.Lock(), lambda reward: np.nan), {}, "reward of nan"),
    ],
)
def test_what_has_no_table(env, options, message):
    with pytest.raises(UsageError, match=message):
        Table.from_gymnasium(env, **options)


def test_minigrid():
    """Eight free cells and four directions; the goal, in the corner, is entered to the right or downwards."""
    pytest.importorskip("minigrid", reason="MiniGrid is not installed")
    table = Table.from_gymnasium("MiniGrid-Empty-5x5-v0", clock="step_count", horizon=100)
    assert (table.states, np.count_nonzero(table.terminal)) == (8 * 4 + 2, 2)
    # Two steps, a turn, two steps: the last pays, and four steps are too few.
    assert returns(table, horizon=4).optimal == 0
    assert returns(table, horizon=5).optimal == pytest.approx(1 - 0.9 / 100)
    with pytest.raises(UsageError, match="the key gives one name"):  # what is paid depends on time
        Table.from_gymnasium(
            "MiniGrid-Empty-5x5-v0", key=lambda env: (*env.unwrapped.agent_pos, env.unwrapped.agent_dir)
        )


@pytest.mark.slow
@pytest.mark.skipif(not BRIDGE.is_dir(), reason="the BRIDGE files are not there (MOHS_BRIDGE_DIR names their folder)")
def test_minigrid_as_bridge_has_it():
    """BRIDGE pays 1 whenever the goal is reached and leaves out the action "done"; but for pictures it is the same."""
    wrappers = pytest.importorskip("minigrid.wrappers", reason="MiniGrid is not installed")
    env = TransformReward(wrappers.FullyObsWrapper(gymnasium.make("MiniGrid-KeyCorridorS3R1-v0")), np.sign)
    env.action_space = gymnasium.spaces.Discrete(6)
    found = Table.from_gymnasium(env, clock="step_count", horizon=100)
    theirs = Table.load(BRIDGE / "MiniGrid-KeyCorridorS3R1-v0.npz", horizon=100)
    blind = [replace(table, observation=np.zeros(table.states, dtype=np.int32)) for table in (found, theirs)]
    one, other = (restricted(merged(table)) for table in blind)
    assert one.states == 157
    assert_same(one, other)


def test_a_map_says_how_to_show_its_states():
    lake, cliff, taxi = (Table.from_gymnasium(name) for name in ("FrozenLake-v1", "CliffWalking-v1", "Taxi-v4"))
    assert (lake.renderer, lake.action_names) == ("grid 4 4", ("left", "down", "right", "up"))
    assert (cliff.renderer, cliff.action_names) == ("grid 4 12", ("up", "right", "down", "left"))
    assert (taxi.renderer, taxi.action_names) == ("", ())
