"""Is what SUMO simulates the intersection, the vehicles and the signal that were asked for?"""

from __future__ import annotations

import subprocess
from itertools import pairwise, product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from sumo_files import crossing, foes, grid

import mohs
from mohs.core.task import Task
from mohs.engines.traffic.arrivals import arrivals
from mohs.engines.traffic.discharge import saturation_flow
from mohs.engines.traffic.junction import LEFT, RIGHT, THROUGH, junction
from mohs.envs.fleets import stream_key
from mohs.envs.traffic.sumo import workers
from mohs.envs.traffic.sumo.env import ARGUMENTS, SumoEnv
from mohs.envs.traffic.sumo.package import surroundings, tool
from mohs.envs.traffic.sumo.scene import NET_FILE, scene
from mohs.envs.traffic.sumo.states import change, green_phases, share
from mohs.envs.traffic.sumo.trips import trips

ID = "traffic/sumo"
SHAPES = [
    {},
    {"lanes": 2},
    {"lanes": 5, "left_lanes": 1},
    {"lanes": 3, "left_lanes": 2, "right_lanes": 2, "inflow": 2000.0},
    {"lanes": 8, "right_lanes": 1, "speed": 55.0, "length": 60.0},
    {"lanes": 2, "left_lanes": 2, "right_lanes": 1},
    {"lanes": 4, "left_lanes": 2},
]


def inner(**params: Any) -> SumoEnv:
    env = mohs.make(ID, **params).unwrapped
    assert isinstance(env, SumoEnv)
    return env


def conflicts(state: str, crossed: dict[int, set[int]]) -> list[tuple[int, int]]:
    """Links that cross each other and both have a protected green."""
    green = {i for i, letter in enumerate(state) if letter == "G"}
    return [(i, other) for i in green for other in crossed.get(i, set()) & green]


@pytest.mark.parametrize("params", SHAPES)
def test_the_network_is_the_intersection(params: dict[str, Any]) -> None:
    task = Task.make(ID, **params)
    built, net = junction(task.values), scene(task).net
    assert len(net.lanes) == len(built.lanes)
    assert len(net.phases) == len(built.phases)
    served = {lane: sorted(link.exit_edge for link in net.links if link.lane == lane) for lane in net.lanes}
    for approach, name in enumerate("NESW"):
        for i, lane in enumerate(reversed(built.of(approach))):
            exits = sorted("NESW"[(approach + m + 1) % 4] + "_out" for m in lane.movements)
            assert served[f"{name}_in_{i}"] == exits
    for link in net.links:  # two links of one approach never lead to the same lane
        assert not any(o.edge == link.edge and o.exit == link.exit and o is not link for o in net.links)


def test_no_conflicting_links_ever_have_a_protected_green(tmp_path: Path) -> None:
    for params in (*SHAPES, grid(tmp_path), crossing(tmp_path)):
        found = scene(Task.make(ID, **params))
        crossed = foes(found.files[NET_FILE], found.net.tls)
        assert set(crossed) == {link.index for link in found.net.links}
        assert all(crossed.values())
        for now in found.net.phases:
            assert conflicts(now, crossed) == []
            for then in found.net.phases:
                for state in change(now, then, found.keep):
                    assert conflicts(state, crossed) == []
    assert conflicts("G" * 20, crossed)


@pytest.mark.slow
def test_no_conflicting_greens_in_any_shape() -> None:
    numbers = product(range(2, 9), range(3), range(3), (20.0, 250.0), (10.0, 70.0))
    for lanes, left, right, length, speed in numbers:
        task = Task.make(ID, lanes=lanes, left_lanes=left, right_lanes=right, length=length, speed=speed)
        found = scene(task)
        crossed = foes(found.files[NET_FILE], found.net.tls)
        assert not any(conflicts(state, crossed) for state in found.net.phases), str(task)


def test_greens_and_changes() -> None:
    assert green_phases(["GGrr", "yyrr", "rrGg", "rruu", "rrrr", "GGrr", "GyGr"]) == ("GGrr", "rrGg")
    assert change("GGgr", "GrGG", keep=True) == ("Gygr", "Grgr")
    assert change("GGgr", "GrGG", keep=False) == ("yyyr", "rrrr")
    assert change("yrGr", "rGrr", keep=True) == ("yryr", "rrrr")
    assert list(map(share, "GgyrO")) == [1.0, 0.5, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("own", [False, True])
def test_yellow_comes_before_every_change(own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked of SUMO, on its way; and SUMO shows the last of it."""
    shown: list[tuple[str, float]] = []
    show = workers.Run.show

    def spied(run: workers.Run, plan: list[tuple[str, float]]) -> dict[str, Any]:
        shown.extend(plan)
        seen = show(run, plan)
        assert seen["state"] == plan[-1][0]
        return seen

    monkeypatch.setattr(workers.Run, "show", spied)
    params = grid(tmp_path) if own else {"left_lanes": 1}
    env = inner(yellow=4.0, all_red=2.0, max_episode_steps=30, **params)
    env.reset(seed=0)
    actions = np.random.default_rng(0).integers(env.action_space.n, size=30)
    for action in actions:
        env.step(action)
    env.close()
    times = [0.0, *(until for _, until in shown)]
    lasts = [b - a for a, b in pairwise(times)]
    states = [state for state, _ in shown]
    assert times[-1] == 300
    for i, (now, then) in enumerate(pairwise(states)):
        for old, new in zip(now, then, strict=True):
            if old in "Gg" and new == "r":
                pytest.fail("a green link turned red without a yellow")
            if new in "Gg" and old == "y":
                pytest.fail("a yellow link turned green without a red")
        if "y" in then:
            assert lasts[i + 1] == 4
            assert lasts[i + 2] == 2
    assert sum("y" in state for state in states) == np.count_nonzero(np.diff(np.concatenate([[0], actions])))


def test_both_simulators_see_the_same_vehicles() -> None:
    params: dict[str, Any] = {"inflow": 1200.0, "profile": "morning", "max_episode_steps": 60, "left_share": 0.3}
    env, other = inner(**params), mohs.make("traffic/intersection", **params).unwrapped
    built = junction(env.task.values)
    for episode in range(2):
        for one in (env, other):
            one.reset(seed=5 if episode == 0 else None)
        (_, text), *_ = env._scene.vehicles(env._key, env._episode, 60)[0].items()
        found = ElementTree.fromstring(text)
        inst = other.fleet.instances[0]
        assert (inst["key"], inst["episode"]) == (env._key, env._episode) == (stream_key(5), episode)
        expected = arrivals(built, "morning", inst["key"], inst["episode"], 600)
        assert len(found) == len(expected) > 150
        for vehicle, arrival in zip(found, expected, strict=True):
            assert arrival["time"] <= float(vehicle.get("depart")) < arrival["time"] + 1
            assert float(vehicle.get("speedFactor")) == arrival["speed_factor"]
            start, end = vehicle.find("route").get("edges").split()
            assert start == "NESW"[arrival["approach"]] + "_in"
            assert end == "NESW"[(arrival["approach"] + 1 + arrival["movement"]) % 4] + "_out"
        for one in (env, other):
            for t in range(60):
                *_, info = one.step(t // 3 % 2)
            if one is env:
                metrics = info["metrics"]
        assert metrics["throughput"] + metrics["inside"] == len(expected)
        assert other.fleet.metrics()["throughput"][0] + other.fleet.metrics()["inside"][0] == len(expected)


def test_the_interface_changes_nothing(tmp_path: Path) -> None:
    """SUMO by itself, with the same plan as a static program, gives the same trips; metrics are means of these."""
    env = inner(inflow=1400.0, max_episode_steps=60)
    env.reset(seed=3)
    found, files = env._scene, env._scene.vehicles(env._key, 0, 60)[0]
    for name, data in {**found.files, **files}.items():
        (tmp_path / name).write_bytes(data)
    first, second = found.net.phases
    (yellow, red), (back, wait) = change(first, second, False), change(second, first, False)
    plan = [(yellow, 3), (red, 1), (second, 26), (back, 3), (wait, 1), (first, 26)]  # after 30 s of the first phase
    text = "".join(f'<phase duration="{time}" state="{state}"/>' for state, time in plan)
    logic = f'<tlLogic id="C" type="static" programID="plan" offset="30">{text}</tlLogic>'
    (tmp_path / "plan.add.xml").write_text(f"<additional>{logic}</additional>")
    seed = int(np.random.SeedSequence([env._key, 0]).generate_state(1)[0] >> 1)
    command = [tool("sumo"), "-n", "sumo.net.xml", "-r", "sumo.rou.xml", "-a", "plan.add.xml", "--seed", str(seed)]
    options = ["--end", "600", "--tripinfo-output", "trips.xml", *ARGUMENTS]
    subprocess.run([*command, *options], cwd=tmp_path, env=surroundings(), check=True, capture_output=True)
    for t in range(60):
        *_, info = env.step(t // 3 % 2)
    alone = trips((tmp_path / "trips.xml").read_bytes())
    metrics = info["metrics"]
    assert metrics["delay"] == pytest.approx(np.mean([t.lost + t.waited for t in alone]), rel=1e-9)
    assert metrics["co2"] == pytest.approx(np.mean([t.co2 for t in alone if t.entered]), rel=1e-9)
    assert metrics["throughput"] + metrics["inside"] == len(alone)


@pytest.mark.parametrize("inflow", [800.0, 4000.0])
def test_the_return_of_the_reward_delay_is_minus_the_delay(inflow: float) -> None:
    env = inner(inflow=inflow, reward="delay", max_episode_steps=60)
    env.reset(seed=1)
    paid = 0.0
    for t in range(60):
        _, reward, _, truncated, info = env.step(t // 2 % 2)
        paid += reward
    assert truncated
    assert paid == pytest.approx(-info["metrics"]["delay"], rel=1e-4)


@pytest.mark.parametrize(
    ("movement", "params", "phase"),
    [
        (THROUGH, {"left_share": 0.0, "right_share": 0.0}, 0),
        (LEFT, {"left_share": 1.0, "right_share": 0.0, "left_lanes": 2}, 1),
        (RIGHT, {"left_share": 0.0, "right_share": 1.0, "right_lanes": 2}, 0),
    ],
    ids=["through", "left", "right"],
)
def test_queues_leave_at_the_saturation_flow(movement: int, params: dict[str, Any], phase: int) -> None:
    """Vehicles that cross in the second half minute of a green, on four lanes of two approaches.

    How fast they turn depends on the width of the junction, so for turns the flow of the compiled engine is a lower
    bound and that of through traffic an upper one.
    """
    crossed = []
    for greens in (1, 2):
        env = inner(lanes=4, length=600.0, inflow=6000.0, decision=30.0, max_episode_steps=6 + greens, **params)
        env.reset(seed=0)
        red = env.action_space.n - 1
        for t in range(6 + greens):
            *_, info = env.step(red if t < 6 else phase)
        crossed.append(info["metrics"]["throughput"])
    speed, found = junction(env.task.values).speed, crossed[1] - crossed[0]
    most, least = (4 * 30 * saturation_flow(speed, m) for m in (THROUGH, movement))
    if movement == THROUGH:
        assert found == pytest.approx(most, rel=0.03)
    else:
        assert 0.97 * least < found < most
