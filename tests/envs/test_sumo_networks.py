"""Can a user's network, routes and map be played, and is what is wrong with them said in one sentence?"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sumo_files import MAP, ROUTES, VEHICLES, crossing, grid

import mohs
from mohs import Task, UsageError
from mohs.agents.traffic.fixed import Fixed, FixedConfig
from mohs.agents.traffic.max_pressure import MaxPressure
from mohs.core.values import canonical_json

ID = "traffic/sumo"


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return grid(tmp_path_factory.mktemp("grid"))


def episode(env: Any, agent: Any) -> tuple[float, dict[str, float]]:
    """The return of an episode, and its metrics."""
    seen, _ = env.reset(seed=0)
    memory, paid, over, info = None, 0.0, False, {}
    while not over:
        action, memory = agent.act(seen, memory, True)
        seen, reward, _, over, info = env.step(action)
        assert seen in env.observation_space
        paid += reward
    return paid, info["metrics"]


@pytest.mark.parametrize("observation", ["lanes", "movements"])
def test_controllers_play_a_network(net: dict[str, str], observation: str) -> None:
    env = mohs.make(ID, observation=observation, reward="delay", max_episode_steps=60, **net)
    signal = env.unwrapped.signal  # type: ignore[attr-defined]
    assert signal.junction is None
    assert signal.greens.shape == (2, 20)
    assert len(signal.permits) == {"lanes": 8, "movements": 16}[observation]
    assert signal.permits.any(axis=0).all()
    for agent in (MaxPressure(env, 0), Fixed(env, 0, FixedConfig(plan="untuned"))):
        paid, metrics = episode(env, agent)
        assert metrics["throughput"] == VEHICLES  # all arrive within ten minutes
        assert metrics["inside"] == 0
        assert paid == pytest.approx(-metrics["delay"], rel=1e-3)


def test_pressure_counts_vehicles_behind_the_junction(net: dict[str, str]) -> None:
    """Roads to another signal are looked at; on a map with one signal, all roads lead away."""
    low = mohs.make(ID, observation="movements", **net).observation_space.low.reshape(-1, 4)  # type: ignore[attr-defined]
    assert (low[:, :3] == 0).all()
    assert (low[:, 3] < 0).all()
    env = mohs.make(ID, observation="movements", max_episode_steps=60, reward="pressure", **net)
    signal = env.unwrapped.signal  # type: ignore[attr-defined]
    env.reset(seed=0)
    behind = []
    for _ in range(30):
        seen = env.step(0)[0]
        queue, approaching, pressure = (signal.read(seen, name) for name in ("queue", "approaching", "pressure"))
        behind.append(queue + approaching - pressure)
    assert np.min(behind) >= -1e-6
    assert np.max(behind) > 0
    env.close()


def test_begin_moves_the_episode(net: dict[str, str]) -> None:
    counts = []
    for begin in (0.0, 150.0, 1000.0):
        env = mohs.make(ID, begin=begin, max_episode_steps=60, **net)
        counts.append(episode(env, MaxPressure(env, 0))[1]["throughput"])
    assert counts[0] == VEHICLES
    assert 0.3 * VEHICLES < counts[1] < 0.7 * VEHICLES
    assert counts[2] == 0


def test_packed_networks_are_read(net: dict[str, str], tmp_path: Path) -> None:
    packed = tmp_path / "grid.net.xml.gz"
    packed.write_bytes(gzip.compress(Path(net["net"]).read_bytes()))
    one, other = (mohs.make(ID, **{**net, "net": name}) for name in (net["net"], str(packed)))
    assert one.observation_space == other.observation_space


def test_a_map_is_played(tmp_path: Path) -> None:
    """With random trips, which a seed repeats, and with routes."""
    params = crossing(tmp_path)
    found = []
    for seed in (0, 0, 1):
        env: Any = mohs.make(ID, inflow=600.0, max_episode_steps=30, **params)
        env.reset(seed=seed)
        found.append([float(env.step(t // 3 % 2)[1]) for t in range(29)])
        *_, info = env.step(0)
        assert 20 < info["metrics"]["throughput"] + info["metrics"]["inside"] < 90
    assert found[0] == found[1] != found[2]
    assert env.unwrapped.signal.greens.shape[0] == 2
    edges = sorted(env.unwrapped._scene.net.edges)
    link = env.unwrapped._scene.net.links[0]
    (tmp_path / "map.rou.xml").write_text(
        f'<routes><vehicle id="v" depart="3"><route edges="{link.edge} {link.exit_edge}"/></vehicle></routes>'
    )
    assert {link.edge, link.exit_edge} <= set(edges)
    env = mohs.make(ID, max_episode_steps=20, routes=str(tmp_path / "map.rou.xml"), **params)
    assert episode(env, MaxPressure(env, 0))[1]["throughput"] == 1


def test_a_task_is_of_its_files_as_they_were(tmp_path: Path) -> None:
    params = grid(tmp_path)
    task = Task.make(ID, **params)
    assert Task.from_json(canonical_json(task.to_json())) == task
    Path(params["routes"]).write_text(ROUTES.replace('number="25"', 'number="26"'))
    edited = Task.make(ID, **params)
    assert edited.key != task.key
    assert task.replace(yellow=4.0)["files"] == task["files"]
    with pytest.raises(UsageError, match="have changed since the task was made: make the task again"):
        mohs.make(task)
    mohs.make(edited)
    Path(params["routes"]).unlink()
    assert Task.from_json(canonical_json(task.to_json())) == task  # a stored study needs no files
    with pytest.raises(UsageError, match=r"routes is .*, which cannot be read: No such file"):
        mohs.make(ID, **params)


def trip(**attributes: str) -> str:
    """A route file with one trip."""
    written = {"id": "t", "depart": "5", "from": "left0A0", "to": "B0right0", **attributes}
    return f"<routes><trip {' '.join(f'{name}={value!r}' for name, value in written.items())}/></routes>"


def play(params: dict[str, str]) -> None:
    """Ten minutes."""
    env = mohs.make(ID, **params)
    env.reset(seed=0)
    for _ in range(60):
        env.step(0)
    env.close()


@pytest.mark.parametrize(
    ("routes", "message"),
    [
        (trip(to="nowhere"), r"^the route file .* uses the edge nowhere, which the network does not have\.$"),
        (trip(id="t")[:-12], r"^the route file .* is not well-formed XML: "),
        ("<net/>", r"^the route file .* must have the root <routes>, but has <net>\.$"),
        ('<routes><flow id="f" vehsPerHour="x"/></routes>', r"^the route file .* has a malformed <flow> \(f\): "),
        (trip(type="nothing"), r"^SUMO cannot simulate .*: The vehicle type 'nothing' for vehicle 't' is not known\.$"),
        (trip(depart="soon"), r"^SUMO cannot simulate .*: Invalid departure time for vehicle 't'\.$"),
        (
            '<routes><vehicle id="v" depart="305"><route edges="left0A0 B1B0"/></vehicle></routes>',
            r"^SUMO cannot simulate .*: Vehicle 'v' has no valid route. No connection between edge 'left0A0' and edge",
        ),
    ],
)
def test_wrong_routes_are_named(net: dict[str, str], tmp_path: Path, routes: str, message: str) -> None:
    (tmp_path / "wrong.rou.xml").write_text(routes)
    with pytest.raises(UsageError, match=message):
        play({**net, "routes": str(tmp_path / "wrong.rou.xml")})
    sound = mohs.make(ID, **net)  # an environment that follows is none the worse
    sound.reset(seed=0)
    sound.step(0)
    sound.close()


def test_wrong_networks_are_named(net: dict[str, str], tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.net.xml"
    text = Path(net["net"]).read_text()
    for written, message in (
        (text[:2000], "is not well-formed XML"),
        ("<routes/>", "must have the root <net>, but has <routes>"),
        ("<net/>", "has no traffic light"),
        (
            '<net><tlLogic id="A0"><phase state="Gr"/><phase state="rG"/></tlLogic></net>',
            "signal A0 .* controls no lanes",
        ),
        (text.replace("GGGgg", "GGGg"), "must have a letter for each link in each phase"),
        (text.replace(' linkIndex="0"', ' linkIndex="x"'), "is malformed"),
        (text.replace("GGGgg", "yyyyy"), "has 0 green phases, but must have 2"),
    ):
        wrong.write_text(written)
        with pytest.raises(UsageError, match=message):
            mohs.make(ID, **{**net, "net": str(wrong)})
    with pytest.raises(UsageError, match=r"has 12 traffic lights: say which one by tls= \(A0, A1, "):
        mohs.make(ID, net=net["net"], routes=net["routes"])
    with pytest.raises(UsageError, match=r"unknown traffic light of .* 'A9'\. Did you mean 'A"):
        mohs.make(ID, **{**net, "tls": "A9"})


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ('<osm version="0.6"/>', "netconvert cannot convert the map .*: No nodes loaded"),
        ("no map", "the map .* is not well-formed XML"),
        ("<net/>", "must have the root <osm>, but has <net>"),
        (MAP.replace("traffic_signals", "crossing"), "has no traffic light"),
    ],
)
def test_wrong_maps_are_named(tmp_path: Path, written: str, message: str) -> None:
    (tmp_path / "wrong.osm.xml").write_text(written)
    with pytest.raises(UsageError, match=message):
        mohs.make(ID, osm=str(tmp_path / "wrong.osm.xml"))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"net": "a", "osm": "b"}, "net and osm are both given"),
        ({"routes": "a"}, "routes is given without net or osm"),
        ({"tls": "A0"}, "tls is given without net or osm"),
        ({"net": "a"}, "net needs routes"),
        ({"net": "a", "routes": "b", "lanes": 4}, "lanes describes the intersection that is built, and net brings"),
        ({"osm": "a", "routes": "b", "inflow": 4}, "inflow describes the intersection that is built, and osm brings"),
        ({"osm": "a"}, "osm is 'a', which cannot be read: No such file or directory"),
        ({"net": 3}, "net is 3, but must be the path of a file"),
        ({"yellow": 0.33}, r"multiples of 0\.1 s in SUMO"),
        ({"decision": 5, "yellow": 5}, "each decision shows some green"),
        ({"left_share": 0.9, "right_share": 0.2}, "must be at most 1"),
        ({"nets": "a"}, "Did you mean 'net'"),
    ],
)
def test_parameters_that_contradict_each_other(params: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        mohs.make(ID, **params)
