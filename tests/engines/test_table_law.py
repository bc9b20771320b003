"""The engine of complete tables beside a plain player, its own single face, and the exact table with sticky actions."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
from table_reference import Player

import mohs
from mohs import Task, TaskSet, UsageError
from mohs.engines.table.address import address_of
from mohs.engines.table.fleet import fleet
from mohs.envs.fleets import stream_key
from small_mdps import install, random_mdp

STEPS = 80


@pytest.fixture
def mdps(monkeypatch):
    """Three MDPs with boards of one size, and one with another number of actions."""
    made = [random_mdp(f"small-{i}", seed=i, horizon=9 + i) for i in range(3)] + [random_mdp("wide-0", 9, actions=5)]
    install(monkeypatch, *made)
    return {mdp.id: mdp for mdp in made}


def task(mdp="small-0", **params):
    return Task.make("challenge", mdp=mdp, **params)


def some_sources():
    """Different MDPs, horizons and chances to stick, and a set that draws one of them for every episode."""
    plain = [task(f"small-{i}", sticky_actions=p) for i, p in ((0, 0.0), (1, 0.3), (2, 1.0))]
    return [*plain, task("small-1", max_episode_steps=4), TaskSet.make(plain[:2]), plain[1]]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_every_step_is_that_of_a_plain_player(mdps, mode):
    sources = some_sources()
    env = mohs.make_vec(task(), tasks=sources, autoreset_mode=mode, history=True)
    players = [
        Player(source.tasks if isinstance(source, TaskSet) else [source], stream_key(5 + i), mdps)
        for i, source in enumerate(sources)
    ]
    seen, info = env.reset(seed=5)
    states = [player.begin() for player in players]
    over = [False] * len(players)
    rng = np.random.default_rng(0)
    ends = cuts = 0
    for _ in range(STEPS):
        np.testing.assert_array_equal(info["state"], states)
        for row, player in zip(seen, players, strict=True):
            board = player.mdp.cells[player.state]
            np.testing.assert_array_equal(row.reshape(6, 3), np.eye(3, dtype=np.int8)[board])
        actions = rng.integers(3, size=len(players))
        seen, rewards, terminated, truncated, info = env.step(actions)
        for i, player in enumerate(players):
            if over[i]:  # NextStep: this step has begun an episode
                states[i], over[i] = player.begin(), False
                assert (rewards[i], terminated[i], truncated[i]) == (0.0, False, False)
                continue
            states[i], reward, end, cut = player.step(int(actions[i]))
            assert (rewards[i], terminated[i], truncated[i]) == (reward, end, cut)
            ends, cuts = ends + end, cuts + cut
            if end or cut:
                if mode == "SameStep":
                    assert info["final_info"]["state"][i] == states[i]
                    board = player.mdp.cells[states[i]]
                    np.testing.assert_array_equal(info["final_obs"][i].reshape(6, 3), np.eye(3, dtype=np.int8)[board])
                    states[i] = player.begin()
                else:
                    over[i] = True
    assert min(ends, cuts) > 10


def test_a_single_environment_is_one_of_a_fleet(mdps):
    sources = some_sources()
    env = mohs.make_vec(task(), tasks=sources, autoreset_mode="SameStep")
    rng = np.random.default_rng(1)
    actions = rng.integers(3, size=(STEPS, len(sources)))
    first, _ = env.reset(seed=list(range(len(sources))))
    fleets = [(first, None, None, None)] + [env.step(chosen)[:4] for chosen in actions]
    for i, source in enumerate(sources):
        if isinstance(source, TaskSet):
            continue  # its tasks have different time limits, which one environment cannot have
        single = mohs.make(source)
        seen, _ = single.reset(seed=i)
        for t, chosen in enumerate(actions[:, i].tolist()):
            np.testing.assert_array_equal(seen, fleets[t][0][i])
            seen, *others, _ = single.step(chosen)
            assert others == [part[i] for part in fleets[t + 1][1:]]
            if others[1] or others[2]:
                seen, _ = single.reset()


def test_what_sticks_is_what_the_table_says(monkeypatch):
    """Frequencies of what follows a state, the last action and the chosen one, beside the exact probabilities."""
    mdp = random_mdp("small-0", 4, states=12, ends=0.0)
    rng = np.random.default_rng(2)
    mdp.entries["next"] = np.array([rng.permutation(12)[:3] for _ in range(12)]).ravel()  # no two actions lead to one
    install(monkeypatch, mdp)
    played, many, p = task(sticky_actions=0.3, observation="state"), 2000, 0.3
    table = mohs.table(played)
    assert set(table.prob.round(12)) == {p, 1 - p, 1.0}
    env = mohs.make_vec(played, num_envs=many, autoreset_mode="SameStep")
    env.reset(seed=3)
    start = int(np.flatnonzero(table.initial)[0])
    places, counts = np.full(many, start), np.zeros(len(table.succ))
    for _ in range(50):
        actions = rng.integers(3, size=many)
        states, rewards, _, truncated, info = env.step(actions)
        if truncated.any():
            states[truncated] = info["final_obs"][truncated].astype(np.int64)
        for i, row in enumerate(places * table.actions + actions):
            (entry,) = (e for e in range(*table.indptr[row : row + 2]) if table.observation[table.succ[e]] == states[i])
            assert table.reward[entry] == rewards[i]
            counts[entry] += 1
            places[i] = start if truncated[i] else table.succ[entry]
    visits = np.repeat(np.add.reduceat(counts, table.indptr[:-1]), np.diff(table.indptr))
    often = visits > 400
    assert often.sum() > 50
    off = counts[often] / visits[often] - table.prob[often]
    assert (np.abs(off) < 4.5 * np.sqrt(p * (1 - p) / visits[often])).all()


def test_the_table_is_what_is_played(mdps):
    played = task("small-2", max_episode_steps=7)
    table, mdp = mohs.table(played), mdps["small-2"]
    assert (table.states, table.actions, table.horizon) == (mdp.states, mdp.actions, 7)
    np.testing.assert_array_equal(table.succ, mdp.entries["next"] & np.uint32(2**31 - 1))
    np.testing.assert_array_equal(table.reward, mdp.entries["reward"])
    with pytest.raises(UsageError, match="up to 160 states, more than the 100"):
        mohs.table(played, sticky_actions=0.5, limit=100)


def test_copies_find_the_tables_again_and_go_on_alike(mdps):
    env = mohs.make_vec(task(), tasks=some_sources(), history=True)
    env.reset(seed=1)
    env.step(np.zeros(6, dtype=np.int64))
    single = mohs.make(task("small-1", sticky_actions=0.5))
    single.reset(seed=2)
    for made in (copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))):
        played = made(env.fleet)
        lost = made(env.fleet)
        lost.tasks["entries"] = 0  # an address of another process
        again = made(lost)
        for one in (played, again):
            assert one.tasks["entries"].tolist() == env.fleet.tasks["entries"].tolist()
            np.testing.assert_array_equal(one.instances, env.fleet.instances)
        other, twin = made(single), made(single)
        for action in (0, 1, 2, 1, 0):
            a, b = other.step(action), twin.step(action)
            np.testing.assert_array_equal(a[0], b[0])
            assert a[1:] == b[1:]
    assert len(pickle.dumps(env.fleet)) < 5000


def test_tables_are_neither_copied_nor_let_go(monkeypatch):
    kept = []

    def opened(name):
        mdp = random_mdp(name, 0, states=50_000)
        kept.append(weakref.ref(mdp))
        return mdp

    install(monkeypatch, random_mdp("small-0", 0, states=50_000))
    monkeypatch.setattr("mohs.engines.table.fleet.stored", opened)
    built = fleet([task(observation="state")] * 10)
    gc.collect()
    (mdp,) = [ref() for ref in kept if ref() is not None]
    assert built.tasks["entries"][0] == address_of(mdp.entries)
    assert built.memory.nbytes < 1000
    del built, mdp
    gc.collect()
    assert not any(ref() for ref in kept)


def test_an_instance_goes_on_in_another_fleet(mdps):
    sources = some_sources()
    env, other = (mohs.make_vec(task(), tasks=order, history=True) for order in (sources, sources[::-1]))
    env.reset(seed=3)
    other.reset(seed=99)
    rng = np.random.default_rng(0)
    for _ in range(15):
        env.step(rng.integers(3, size=6))
    for i in range(6):
        other.fleet.load(5 - i, env.fleet.save(i))
    for _ in range(30):
        actions = rng.integers(3, size=6)
        one, two = env.step(actions), other.step(actions[::-1])
        for a, b in zip(one[:4], two[:4], strict=True):
            np.testing.assert_array_equal(a, b[::-1])


def test_an_action_out_of_range_moves_nothing(mdps):
    env = mohs.make_vec(task(), num_envs=4)
    env.reset(seed=0)
    before = env.fleet.memory.copy()
    for wrong in (-1, 3, 2**40):
        with pytest.raises(UsageError, match=f"environment 2 is {wrong}"):
            env.step(np.array([0, 1, wrong, 2]))
    np.testing.assert_array_equal(env.fleet.memory, before)
    single = mohs.make(task()).unwrapped
    single.reset(seed=0)
    for wrong in (-1, 3, 0.5, None):
        with pytest.raises(UsageError, match="an integer from 0 to 2"):
            single.step(wrong)


def test_mdps_of_different_spaces_cannot_share_a_fleet(mdps):
    with pytest.raises(UsageError, match="must have the same spaces"):
        mohs.make_vec(task(), tasks=[task("small-0"), task("wide-0")])
    with pytest.raises(UsageError, match="must have the same spaces"):
        mohs.make_vec(task(), tasks=[task("small-0"), task("small-0", observation="planes")])


def test_episodes_last_as_long_as_is_listed_unless_told_otherwise(mdps):
    assert [task(f"small-{i}")["max_episode_steps"] for i in range(3)] == [9, 10, 11]
    assert task("small-0").replace(mdp="small-2") == task("small-2")
    assert task("small-0", max_episode_steps=5).replace(mdp="small-2")["max_episode_steps"] == 5
    assert task("small-0", max_episode_steps=9) == task("small-0")
    assert Task.from_json(task("small-1").to_json()) == task("small-1")


def test_only_arrays_in_one_piece_have_an_address():
    with pytest.raises(UsageError, match="in one piece"):
        address_of(np.zeros((4, 4))[:, 1])
