"""Does another package add an environment, an agent, doses and a protocol through entry points?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parents[1] / "examples" / "plugin"


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--target", str(target), str(PLUGIN)], check=True)
    return target


def run(where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(where), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment, cwd=where)


def python(where: Path, code: str) -> str:
    ended = run(where, "-c", code)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_the_environment_is_made_and_has_a_table(installed):
    code = """
        import sys, mohs
        assert "mohs_corridor" not in " ".join(sys.modules)
        env = mohs.make("corridor", length=4, delay=1)
        env.reset(seed=0)
        print([env.step(1)[1] for _ in range(3)])
        print(mohs.table("corridor", length=4), mohs.table("corridor", slip=0.5).deterministic)
        print(mohs.table("corridor", length=4, sticky_actions=0.25).states)
        print(mohs.make_vec("corridor", num_envs=3).reset(seed=0)[0].tolist())
        task = mohs.Task.make("corridor", slip=0.1)
        print(mohs.Task.from_json(task.to_json()) == task, task.environment.place)
    """
    assert python(installed, "\n".join(line.strip() for line in code.splitlines())).splitlines() == [
        "[0.0, 0.0, 1.0]",  # what is pending is paid at the end
        "<deterministic table: 4 states × 2 actions, horizon 50> False",
        "6",
        "[0, 0, 0]",
        "True wrapper",
    ]


def test_the_table_is_what_is_played(installed):
    code = """
import numpy as np, mohs
from mohs.exact.references import return_score
task = mohs.Task.make("corridor", length=4, slip=0.3, max_episode_steps=6)
env, rng = mohs.make(task), np.random.default_rng(0)
returns = []
for episode in range(4000):
    env.reset(seed=0 if episode == 0 else None)
    gain, over = 0.0, False
    while not over:
        _, reward, terminated, truncated, _ = env.step(int(rng.integers(2)))
        gain, over = gain + reward, terminated or truncated
    returns.append(gain)
print(np.mean(returns) - return_score(task).low.value)
"""
    assert abs(float(python(installed, code))) < 0.03


def test_the_command_line_lists_it(installed):
    listed = json.loads(run(installed, "-m", "mohs", "envs", "--json").stdout)
    (entry,) = [entry for entry in listed if entry["id"] == "corridor"]
    assert entry["table"]
    assert entry["parameters"]["length"]["default"] == 8
    assert "delay" in entry["parameters"]


def test_its_agent_is_diagnosed_with_its_doses(installed):
    agents = json.loads(run(installed, "-m", "mohs", "agents", "--json").stdout)
    assert {"name": "walker", "text": "walks in the direction that paid last"} in agents
    asked = "diagnose walker --env corridor --seeds 3 --budget 400 --workers 1 --param length=4 --keep-going --json"
    ended = run(installed, "-m", "mohs", *asked.split())
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["study"]["doses"] == [["delay", [0, 2, 4]], ["sticky_actions", [0.0, 0.25]]]
    assert "optimal policy, exact" in found["references"]["1"]
    assert found["vanilla"]["mean"]["normalised_eval"]["value"] == pytest.approx(1.0)


def test_its_doses_are_tried_in_another_environment(installed):
    code = "from mohs.protocols.diagnose.batteries import known_doses as k; print(k('CartPole-v1', 'quick')"
    assert python(installed, f"{code}['observation_noise'])").strip() == "(0.0, 0.1, 0.3)"


def test_its_protocol_is_a_command_with_all_that_commands_have(installed):
    words = [
        "reach",
        "walker",
        "--seeds",
        "3",
        "--budget",
        "300",
        "--workers",
        "1",
        "--out",
        "reached",
        "--store",
        "sqlite:///reach.db",
    ]
    ended = run(installed, "-m", "mohs", *words, "--json")
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["headline"] == ["walker learns corridors up to length=16."]
    assert {path.name for path in (installed / "reached").iterdir()} == {
        "report.html",
        "verdict.json",
        "frame.csv",
        "means.csv",
    }
    listed = json.loads(run(installed, "-m", "mohs", "status", "--json", "--store", "sqlite:///reach.db").stdout)
    assert [(study["protocol"], study["done"]) for study in listed] == [("reach", 9)]
    again = run(installed, "-m", "mohs", "report", "--store", "sqlite:///reach.db", "--out", "again", "--json")
    assert json.loads(again.stdout)["mean"] == found["mean"]


def test_a_broken_plugin_is_skipped_with_one_warning(tmp_path):
    about = tmp_path / "broken_plugin-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-plugin\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[mohs.environments]\nabsent = no_such_module:environments\nodd = broken_plugin:environments\n"
    )
    (tmp_path / "broken_plugin.py").write_text("def environments():\n    return [1 / 0]\n")
    ended = run(tmp_path, "-c", "import mohs\nfor _ in range(2): print(mohs.Task.make('CartPole-v1'))")
    assert ended.stdout.splitlines() == ["CartPole-v1 seed=0"] * 2
    assert ended.stderr.count("RuntimeWarning") == 2
    assert "the plugin 'absent' of the package broken-plugin is skipped" in ended.stderr
    assert "the plugin 'odd' of the package broken-plugin is skipped" in ended.stderr
    assert "ZeroDivisionError" in ended.stderr


BROKEN = """
from mohs.agents.entry import AgentEntry
from mohs.protocols.protocol import Protocol

odd = 1
half = Protocol("half", "Is it whole?", page="absent:page", summary="absent:summary", ask="absent:ask")
thief = Protocol("diagnose", "Whose is it?", page="absent:page", summary="absent:summary")
late = Protocol("late", "Who is first?", page="absent:page", summary="absent:tables", commands={"report": "os:getcwd"})
imposter = AgentEntry("dqn", "not that one", maker="absent:make")


def agents():
    return [AgentEntry("fine", "a good one", maker="absent:make"), 7]
"""


def test_broken_protocols_and_agents_are_skipped_and_every_command_works(tmp_path):
    about = tmp_path / "broken_plugin-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-plugin\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[mohs.protocols]\nabsent = no_such_module:PROTOCOL\nodd = broken_plugin:odd\nhalf = broken_plugin:half\n"
        "thief = broken_plugin:thief\nlate = broken_plugin:late\n"
        "[mohs.agents]\nnone = no_such_module:agents\nseven = broken_plugin:agents\nimposter = broken_plugin:imposter\n"
    )
    (tmp_path / "broken_plugin.py").write_text(BROKEN)
    ended = run(tmp_path, "-m", "mohs", "agents", "--json")
    assert ended.returncode == 0
    texts = {agent["name"]: agent["text"] for agent in json.loads(ended.stdout)}
    assert texts["dqn"] != "not that one"
    for name, reason in {
        "absent": "No module named 'no_such_module'",
        "odd": "1 is not a Protocol",
        "half": "No module named 'absent'",
        "thief": "diagnose is a protocol of mohs",
        "late": "the command `mohs report`, which exists already",
        "none": "No module named 'no_such_module'",
        "seven": "7 is not an AgentEntry",
        "imposter": "dqn is an agent of mohs",
    }.items():
        (line,) = [line for line in ended.stderr.splitlines() if f"the plugin {name!r} of the package" in line]
        assert "broken-plugin is skipped" in line
        assert reason in line
    shown = run(tmp_path, "-m", "mohs", "--help").stdout
    assert "diagnose" in shown
    assert "half" not in shown


def test_import_mohs_loads_no_plugin(installed):
    assert python(installed, "import sys, mohs; print('mohs_corridor' in sys.modules)").strip() == "False"
