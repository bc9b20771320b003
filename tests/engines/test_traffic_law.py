"""Is the compiled intersection the one in plain Python, and does it keep what is known of traffic signals?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from traffic_reference import LEFT, THROUGH, Signal

import mohs
from mohs import Task, UsageError
from mohs.engines import loops
from mohs.engines.traffic import discharge
from mohs.engines.traffic.arrivals import PROFILES, arrivals, factors
from mohs.engines.traffic.fixed_time import lost_time, play_fixed, webster
from mohs.engines.traffic.fleet import TrafficFleet, aligned, fleet
from mohs.engines.traffic.junction import junction

ID = "traffic/intersection"
HOUR = 3600


def drawn_params(rng: np.random.Generator, **fixed: Any) -> dict[str, Any]:
    left, _, right = rng.dirichlet([1, 3, 1]).tolist()
    return {
        "lanes": int(rng.integers(2, 9)),
        "speed": float(rng.uniform(10, 70)),
        "length": float(rng.uniform(20, 400)),
        "inflow": float(rng.uniform(0, 1500)),
        "left_lanes": int(rng.integers(3)),
        "right_lanes": int(rng.integers(3)),
        "left_share": left,
        "right_share": right,
        "profile": str(rng.choice(PROFILES)),
        "decision": float(rng.choice([5.0, 10.0, 17.0])),
        "yellow": float(rng.choice([0.0, 0.2, 3.0])),
        "all_red": float(rng.choice([0.0, 1.0])),
        "observation": str(rng.choice(["lanes", "movements"])),
        "reward": str(rng.choice(["wait", "queue", "pressure", "delay"])),
        "max_episode_steps": 60,
        **fixed,
    }


def drawn_actions(rng: np.random.Generator, phases: int, steps: int) -> list[int]:
    """Phases that last for two decisions on average."""
    actions = [0]
    while len(actions) < steps:
        actions.append(int(rng.integers(phases)) if rng.random() < 0.5 else actions[-1])
    return actions


class Played:
    """Fleets stepped by hand."""

    def __init__(self, tasks: Sequence[Task], keys: Sequence[int]) -> None:
        self.fleet: TrafficFleet = fleet(tasks)
        self.fleet.seed(np.array(keys, dtype=np.uint64))
        n = len(tasks)
        self.seen, self.rewards = self.fleet.new_observations(), np.empty(n)
        self.ended, self.cut = np.empty(n, dtype=bool), np.empty(n, dtype=bool)
        loops.begin_fleet(self.fleet.memory, np.ones(n, dtype=bool), self.seen)

    def step(self, *actions: int) -> None:
        chosen = np.array(actions, dtype=np.int64)[:, None]
        assert loops.step_fleet(
            self.fleet.memory, chosen, self.seen, self.rewards, self.ended, self.cut, self.seen, False
        ) == -1  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_every_decision_is_that_of_plain_python(seed: int) -> None:
    rng = np.random.default_rng(seed)
    task = Task.make(ID, **drawn_params(rng))
    key = int(rng.integers(2**63))
    played, plain = Played([task], [key]), Signal(task.values, key)
    for action in drawn_actions(rng, played.fleet.spaces[2], 60):
        played.step(action)
        assert played.rewards[0] == pytest.approx(plain.step(action), rel=1e-7, abs=1e-7)
        np.testing.assert_allclose(played.seen[0], plain.observation(), rtol=1e-5, atol=1e-5)
    assert played.cut[0]
    for name, value in plain.metrics().items():
        assert played.fleet.metrics()[name][0] == pytest.approx(value), name


def test_conflicting_vehicles_never_cross_together() -> None:
    """Paths are chords of a circle with an entry and an exit for each approach, clockwise from the north.

    Vehicles of protected streams are apart by yellow and all-red. A left turn is taken in a gap, or in the yellow.
    """

    def conflict(one: tuple[int, int], other: tuple[int, int]) -> bool:
        (a, b), (c, d) = ((2 * approach, (2 * (approach + 1 + m) + 1) % 8) for approach, m in (one, other))
        return one[0] != other[0] and (b == d or (min(a, b) < c < max(a, b)) != (min(a, b) < d < max(a, b)))

    assert conflict((0, THROUGH), (2, LEFT))
    assert conflict((0, THROUGH), (1, THROUGH))
    assert not conflict((0, LEFT), (2, LEFT))
    rng, pairs, turns = np.random.default_rng(0), 0, 0
    for left_lanes in (0, 1):
        params = drawn_params(rng, left_lanes=left_lanes, inflow=900.0, yellow=3.0, all_red=1.0, left_share=0.3)
        task = Task.make(ID, **params | {"right_share": 0.2, "length": 300.0, "profile": "flat"})
        for phase in junction(task.values).phases:
            assert not any(conflict(*pair) for pair in combinations(phase.protected, 2))
        plain = Signal(task.values, 1)
        for action in drawn_actions(rng, 4 if left_lanes else 2, 60):
            plain.step(action)
        gap = 5.3 if left_lanes else 1.8  # behind an oncoming left turn, a vehicle of a shared lane may follow sooner
        for (time, *one), (later, *other) in combinations(plain.crossings, 2):  # in the order of events
            if later - time < 3.6 and conflict(tuple(one), tuple(other)):
                pairs += 1
                assert (one[0] - other[0]) % 2 == 0  # of one street only: a left turn and oncoming traffic
                assert LEFT in (one[1], other[1])
                assert one[1] != LEFT or later - time >= gap
            turns += one[1] == LEFT and later == plain.crossings[-1][0]
    assert pairs > 10
    assert turns > 50


@pytest.mark.parametrize("seed", range(4))
def test_no_vehicle_is_lost_and_arrivals_are_those_of_the_function(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    task = Task.make(ID, **drawn_params(rng, reward="delay"))
    key, built = int(rng.integers(2**63)), junction(task.values)
    played = Played([task], [key])
    total = 0.0
    for t, action in enumerate(drawn_actions(rng, len(built.phases), 60)):
        played.step(action)
        total += played.rewards[0]
        expected = arrivals(built, task["profile"], key, 0, (t + 1) * task["decision"])
        inst = played.fleet.instances[0]
        lanes = played.fleet.cars(0)
        assert len(expected) == inst["crossed"] + inst["outside"] + sum(map(len, lanes))
        assert all(len(lane) <= task["length"] / discharge.SPACE for lane in lanes)
        known = {(a, m): expected["speed_factor"][(expected["approach"] == a) & (expected["movement"] == m)]
                 for a in range(4) for m in range(3)}  # fmt: skip
        for lane, cars in zip(built.lanes, lanes, strict=True):
            for car in cars:
                assert car["movement"] in lane.movements
                assert np.isclose(
                    known[lane.approach, int(car["movement"])], (car["speed"] + discharge.DAWDLE) / built.speed
                ).any()
    assert total == pytest.approx(-played.fleet.metrics()["delay"][0])


def test_vehicles_enter_when_they_arrive_where_there_is_room() -> None:
    task = Task.make(ID, length=1500.0)
    played = Played([task], [9])
    for _ in range(6):
        played.step(0)
    cars = np.concatenate(played.fleet.cars(0))
    expected = arrivals(junction(task.values), "flat", 9, 0, 60.0)
    np.testing.assert_allclose(np.sort(cars["due"] - 1500 / cars["speed"]), expected["time"])


def test_arrivals_are_poisson_and_follow_the_hours() -> None:
    task = Task.make(ID, inflow=1200.0, left_share=0.2, right_share=0.05)
    built = junction(task.values)
    assert factors("day").mean() == pytest.approx(1)
    for profile in PROFILES:
        found = arrivals(built, profile, 5, 3, 24 * HOUR)
        counts = np.histogram(found["time"], np.arange(25) * HOUR)[0]
        expected = 2400 * factors(profile)
        assert (np.abs(counts - expected) < 4.5 * np.sqrt(expected)).all()
        shares = np.bincount(found["movement"]) / len(found)
        np.testing.assert_allclose(shares, [0.2, 0.75, 0.05], atol=0.01)
        np.testing.assert_allclose(np.bincount(found["approach"]) / len(found), 0.25, atol=0.01)
        assert 0.8 == found["speed_factor"].min() < found["speed_factor"].max() == 1.2
        assert found["speed_factor"].mean() == pytest.approx(1, abs=0.002)
    gaps = np.diff(arrivals(built, "flat", 5, 0, 100 * HOUR)["time"])
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.01)  # of an exponential distribution
    first, longer = (arrivals(built, "day", 7, 0, hours * HOUR) for hours in (1, 3))
    np.testing.assert_array_equal(first, longer[: len(first)])
    assert not np.array_equal(first["time"][:10], arrivals(built, "day", 8, 0, HOUR)["time"][:10])
    assert len(arrivals(junction(Task.make(ID, inflow=1e-300).values), "day", 0, 0, HOUR)) == 0


@pytest.mark.parametrize(
    ("shares", "phase", "headway"),
    [((1.0, 0.0), 1, 2.48), ((0.0, 0.0), 0, 1.37 + 7.5 / 15.6464), ((0.0, 1.0), 0, 2.40)],
    ids=["left", "through", "right"],
)
def test_saturation_flow_of_each_movement(shares: tuple[float, float], phase: int, headway: float) -> None:
    """An hour of green for more vehicles than can pass."""
    left, right = shares
    params = {"lanes": 2, "left_lanes": 1, "right_lanes": 1, "left_share": left, "right_share": right}
    task = Task.make(ID, inflow=6000.0, **params)
    found = play_fixed(fleet([task] * 4), [[phase]] * 4)
    assert found["throughput"].mean() == pytest.approx(2 * HOUR / headway, rel=0.02)


def test_permissive_left_turns_find_as_many_gaps_as_there_are() -> None:
    """Harders' capacity with gaps of 5.3 s, and 2.48 s (moving) to 3.77 s (from rest) for each vehicle that follows."""
    params = {"lanes": 2, "left_lanes": 1, "right_share": 0.0, "max_episode_steps": 1440}
    for inflow in (2400.0, 3600.0):
        task = Task.make(ID, inflow=inflow, left_share=0.6, **params)
        found = play_fixed(fleet([task] * 4), [[0]] * 4)
        coming = 0.4 * inflow / 2 / HOUR
        turned = found["throughput"].mean() / 4 / HOUR / 2 - coming
        low, high = (coming * math.exp(-5.3 * coming) / (1 - math.exp(-coming * next_one)) for next_one in (3.77, 2.48))
        assert 0.97 * low < turned < 1.03 * min(high, 0.6 * inflow / 2 / HOUR), (low, turned, high)


def free_delay(task: Task) -> float:
    """Seconds that drivers lose to each other under a green that lasts: of the approaches that have it."""
    built = fleet([task] * 16)
    play_fixed(built, [[0]] * 16)
    return float((built.instances["lost"] / built.instances["crossed"]).mean())


@pytest.mark.parametrize("half", [4, 6])
@pytest.mark.parametrize("inflow", [300.0, 600.0, 900.0, 1280.0])
def test_delay_of_a_fixed_plan_is_websters(inflow: float, half: int) -> None:
    """One lane an approach, no turns: the formula of Webster (1958) for random arrivals, below saturation."""
    task = Task.make(ID, lanes=2, left_share=0.0, right_share=0.0, inflow=inflow, max_episode_steps=1440)
    built = junction(task.values)
    found = play_fixed(fleet([task] * 16), [[0] * half + [1] * half] * 16)["delay"].mean()
    found -= free_delay(task)
    cycle, flow = 20.0 * half, inflow / 2 / HOUR
    green = (cycle / 2 - lost_time(built, 3.0, 1.0)) / cycle
    x = flow / (green * discharge.saturation_flow(built.speed, THROUGH))
    assert x <= 0.8
    delay = cycle * (1 - green) ** 2 / (2 * (1 - green * x)) + x**2 / (2 * flow * (1 - x))
    delay -= 0.65 * (cycle / flow**2) ** (1 / 3) * x ** (2 + 5 * green)
    assert found == pytest.approx(delay, rel=0.1)


@pytest.mark.parametrize("params", [{}, {"left_lanes": 1, "inflow": 900.0}, {"inflow": 1400.0}, {"right_share": 0.3}])
def test_websters_plan_is_among_the_good_ones(params: dict[str, Any]) -> None:
    task = Task.make(ID, **params)
    built = junction(task.values)
    rounds = range(1, 7)
    unit = [0, 1] if len(built.phases) == 2 else [0, 0, 1, 2, 2, 3]
    plans = [webster(built), *(np.repeat(unit, k).tolist() for k in rounds)]
    assert sorted(set(plans[0])) == list(range(len(built.phases)))
    delays = play_fixed(fleet([task] * 8 * len(plans)), [plan for plan in plans for _ in range(8)])["delay"]
    means = delays.reshape(len(plans), 8).mean(axis=1)
    assert means[0] < 1.3 * means[1:].min()


def test_a_full_approach_spills_back_and_blocks_no_other() -> None:
    """Without a green the lanes of a street fill up; the rest waits outside, and the other street does not notice."""
    task = Task.make(ID, lanes=2, length=75.0, inflow=1200.0)
    free = Played([task], [3])
    for _ in range(120):
        free.step(0)
    inst, lanes = free.fleet.instances[0], free.fleet.cars(0)
    assert [len(lane) for lane in lanes][1::2] == [10, 10]
    assert max(len(lane) for lane in lanes[::2]) < 10
    expected = arrivals(junction(task.values), "flat", 3, 0, 1200.0)
    stuck = expected[expected["approach"] % 2 == 1]
    assert inst["outside"] == len(stuck) - 20
    inside = sum(map(len, lanes[::2]))
    assert inst["crossed"] == len(expected) - len(stuck) - inside


def test_unlike_intersections_in_one_fleet_are_each_alone() -> None:
    rng = np.random.default_rng(7)
    tasks = [Task.make(ID, **drawn_params(rng, left_lanes=2, observation="lanes")) for _ in range(6)]
    tasks = [task.replace(max_episode_steps=int(rng.integers(5, 30))) for task in tasks]
    tasks = list(aligned({str(i): task for i, task in enumerate(tasks)}).values())
    keys = rng.integers(2**63, size=6).tolist()
    together, alone = Played(tasks, keys), [Played([t], [k]) for t, k in zip(tasks, keys, strict=True)]
    for _ in range(80):
        actions = rng.integers(4, size=6).tolist()
        together.step(*actions)
        for i, one in enumerate(alone):
            one.step(actions[i])
            np.testing.assert_array_equal(together.seen[i], one.seen[0])
            assert together.rewards[i] == one.rewards[0]
            assert together.cut[i] == one.cut[0]


def test_an_instance_continues_where_it_was_saved() -> None:
    task = Task.make(ID, inflow=1500.0, max_episode_steps=50)
    one, other = Played([task] * 2, [1, 2]), Played([task] * 2, [3, 4])
    for t in range(30):
        one.step(t % 2, 0)
        other.step(0, 1)
    other.fleet.load(1, one.fleet.save(0))
    for t in range(60):
        one.step(t // 3 % 2, 0)
        other.step(0, t // 3 % 2)
        np.testing.assert_array_equal(one.seen[0], other.seen[1])
        assert one.rewards[0] == other.rewards[1]


def test_padded_lanes_are_zero_and_change_nothing() -> None:
    plain, padded = (Played([Task.make(ID, lanes=3, observed_lanes=n)], [5]) for n in (0, 4))
    for t in range(40):
        plain.step(t // 2 % 2)
        padded.step(t // 2 % 2)
        own, more = plain.seen.reshape(4, 2, 5), padded.seen.reshape(4, 4, 5)
        np.testing.assert_array_equal(own, more[:, :2])
        assert not more[:, 2:].any()
        assert not own[2:, 1].any()  # S and W have one lane
        assert plain.rewards[0] == padded.rewards[0]


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"lanes": 1}, "lanes is 1, but must be an integer in [2, 8]."),
        ({"left_share": 0.7, "right_share": 0.4}, "left_share + right_share is 1.1, but must be at most 1."),
        ({"decision": 5, "yellow": 4, "all_red": 1}, "yellow + all_red is 5 s, but must be below decision = 5 s"),
        ({"observed_lanes": 1}, "observed_lanes is 1, but must be 0 or at least 2: an approach has that many lanes."),
        ({"profile": "night"}, "profile is 'night', but must be one of 'flat', 'morning', 'evening', 'day'."),
        ({"inflows": 3}, "unknown parameter of traffic/intersection 'inflows'. Did you mean 'inflow'?"),
        ({"reward": "speed"}, "reward is 'speed'"),
    ],
)
def test_bad_input_is_one_sentence(params: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as error:
        Task.make(ID, **params)
    assert words in str(error.value)
    assert str(error.value).count("\n") == 0


def test_unlike_spaces_do_not_share_a_fleet() -> None:
    tasks = [Task.make(ID, lanes=n) for n in (2, 4)]
    with pytest.raises(UsageError, match="same spaces"):
        mohs.make_vec(ID, tasks=tasks)
    mohs.make_vec(ID, tasks=list(aligned(dict(zip("ab", tasks, strict=True))).values()))
