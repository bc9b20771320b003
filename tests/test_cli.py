"""What is typed and what comes back: data, reports, one-sentence errors, exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import mohs
from mohs.cli import main

EXAMPLE = str(Path(__file__).parents[1] / "examples" / "my_agent.py") + ":make_agent"
CEM = str(Path(__file__).parents[1] / "examples" / "cem.py") + ":make_agent"
PLAYED = [("random", "CartPole-v1"), (CEM, "toy/continuous"), (CEM, "CartPole-v1")]
SLUG = "card-toy-discrete-max_episode_steps-5-seed-0"
SMALL = ["--dials", "delay", "--seeds", "3", "--budget", "1000", "--keep-going"]


@pytest.fixture
def mohs_run(capsys, tmp_path, monkeypatch):
    """Runs a command in an empty directory: (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        with pytest.raises(SystemExit) as stop:
            main(list(words))
        captured = capsys.readouterr()
        return stop.value.code or 0, captured.out, captured.err

    return run


def test_envs_and_dials_as_text_and_json(mohs_run):
    code, out, _ = mohs_run("dials", "--json")
    dials = json.loads(out)
    assert code == 0
    assert {"name", "domain", "vanilla", "off", "harder", "touches", "applies", "text"} <= set(dials[0])
    assert "delay" in mohs_run("dials")[1]
    listed = {env["id"]: env for env in json.loads(mohs_run("envs", "--json")[1])}
    assert {"toy/discrete", "toy/grid"} <= set(listed)
    assert listed["toy/discrete"]["parameters"]["delay"]["default"] == 0
    assert "toy/discrete" in mohs_run("envs")[1]


def test_families_are_listed_shown_and_written(mohs_run, tmp_path):
    listed = {family["name"]: family for family in json.loads(mohs_run("families", "--json")[1])}
    assert (listed["cartpole"]["points"], listed["cartpole"]["env"]) == (576, "control/cartpole")
    assert "Jayawardana et al. 2022, Table 5" in mohs_run("families")[1]
    code, out, _ = mohs_run("families", "cartpole", "--csv", "points.csv")
    assert code == 0
    assert "564 of 576" in out
    assert "force_mag=10 gravity=9.8 (not a member)" in " ".join(out.split())
    assert mohs.Family.from_csv(tmp_path / "points.csv") == mohs.read_family("cartpole")
    shown = json.loads(mohs_run("families", "points.csv", "--json")[1])
    assert (shown["distinct"], len(shown["points"]), shown["marks"]["default"]) == (564, 577, ["default"])
    assert mohs_run("families", "cartpol")[0] == 2
    assert "Did you mean 'cartpole'" in mohs_run("families", "cartpol")[2]
    assert "--csv needs the name of a family" in mohs_run("families", "--csv", "x.csv")[2]


def test_lists_are_short_and_details_come_by_name(mohs_run):
    for words in (["dials"], ["envs"], ["agents"]):
        lines = mohs_run(*words)[1].splitlines()
        assert len(lines) < 60
        assert max(map(len, lines)) <= 80
    assert "an integer in [0, 10000]" in mohs_run("dials", "delay")[1]
    assert json.loads(mohs_run("dials", "delay", "--json")[1])["name"] == "delay"
    assert "sequence_length = 1" in mohs_run("envs", "toy/discrete")[1]
    assert json.loads(mohs_run("envs", "toy/discrete", "--json")[1])["id"] == "toy/discrete"
    assert "learning_rate" in mohs_run("agents", "dqn")[1]
    for kind, wrong, near in (
        ("dials", "dellay", "delay"),
        ("envs", "toy/discret", "toy/discrete"),
        ("agents", "dqm", "dqn"),
    ):
        code, _, error = mohs_run(kind, wrong)
        assert code == 2
        assert f"Did you mean {near!r}?" in error


def test_from_diagnosis_to_comparison(mohs_run, tmp_path):
    code, out, _ = mohs_run("diagnose", "q_learning", *SMALL, "--workers", "0", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["dials"][0]["name"] == "delay"
    assert found["vanilla"]["mean"]["normalised_auc"]["n"] == 3
    assert Path(found["report"]).is_file()

    code, out, _ = mohs_run("diagnose", "q_learning", *SMALL, "--workers", "0")
    assert (code, "delay" in out, "Report:" in out) == (0, True, True)

    assert mohs_run("diagnose", "sarsa", *SMALL, "--workers", "0")[0] == 0
    studies = json.loads(mohs_run("status", "--json")[1])
    assert [(s["name"], s["done"], s["failed"]) for s in studies] == [
        ("q_learning", 15, 0),
        ("sarsa", 15, 0),
    ]
    compared = json.loads(mohs_run("compare", "q_learning", "sarsa", "--json")[1])
    assert 0 <= compared["pairs"][0]["probability_of_improvement"]["value"] <= 1
    assert re.fullmatch(r"mohs-report/q_learning-against-sarsa-\w{8}/report\.html", compared["report"])
    assert Path(compared["report"]).is_file()
    assert "Probability that q_learning is better" in mohs_run("compare", "q_learning", "sarsa")[1]
    assert json.loads(mohs_run("report", "sarsa", "--json")[1])["study"]["agent"]["name"] == "sarsa"

    assert mohs_run("export", "--csv", "a.csv", "--parquet", "a.parquet")[0] == 0
    header, first, *_ = Path("a.csv").read_text().splitlines()
    assert header == "cell,task,agent,seed,metric,step,value"
    assert first.count(",") >= 6
    frame = mohs.load("sqlite:///mohs.db")
    assert {"cell", "task", "agent", "seed", "metric", "step", "value"} <= set(frame.columns)
    assert len(frame) == len(Path("a.csv").read_text().splitlines()) - 1
    assert mohs_run("export", "--study", "sarsa", "--csv", "b.csv")[0] == 0
    assert len(mohs.load("sqlite:///mohs.db", "sarsa")) == len(Path("b.csv").read_text().splitlines()) - 1
    assert {row["agent"] for row in json.loads(mohs_run("export", "--study", "sarsa", "--json")[1])} == {"sarsa"}
    code, _, err = mohs_run("export", "--study", "sarssa", "--csv", "c.csv")
    assert (code, "Did you mean 'sarsa'" in err, Path("c.csv").exists()) == (2, True, False)


def test_cards_alone_and_side_by_side(mohs_run):
    small = ["toy/discrete", "max_episode_steps=5", "--runs", "20"]
    code, out, _ = mohs_run("card", *small, "--sticky", "0.25", "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["states"], found["min_k"], found["sticky"]["probability"]) == (9, 1, 0.25)
    assert found["sticky"]["states"] > found["states"]
    assert Path(found.pop("report")) == Path(f"mohs-report/{SLUG}/report.html")
    assert json.loads(Path(f"mohs-report/{SLUG}/verdict.json").read_text()) == found
    assert Path(f"mohs-report/{SLUG}/report.html").is_file()

    code, out, _ = mohs_run("card", "toy/discrete", "delay=1", "CartPole-v1", "--horizon", "5", "--out", "both")
    assert code == 0
    assert "Effective horizon" in out
    assert any(line.startswith("CartPole-v1") and "it has no table" in line for line in out.splitlines())
    both = json.loads(Path("both/verdict.json").read_text())
    assert [card["exact"] for card in both["cards"]] == [True, False]


@pytest.mark.parametrize(("name", "env"), PLAYED, ids=lambda word: Path(word).stem)
def test_other_environments_end_to_end_and_again(mohs_run, name, env):
    """One seed first, then both, in this process; both at once, in two others: the same bytes."""
    command = ["diagnose", name, "--env", env, "--doses", "delay=0,3", "--dials", "delay", "--budget", "400"]
    one, two = (["--store", f"sqlite:///{file}.db"] for file in ("one", "two"))
    assert mohs_run(*command, "--seeds", "1", "--workers", "0", *one)[0] == 0
    code, out, err = mohs_run(*command, "--seeds", "2", "--workers", "0", *one, "--json")
    found = json.loads(out)
    assert code == 0, err
    assert found["study"]["env"] == env
    assert [dose["value"] for dose in found["dials"][0]["doses"]] == [0, 3]
    assert found["missing"] == 0
    assert mohs_run(*command, "--seeds", "2", "--workers", "2", *two)[0] == 0
    for file, store in (("one.csv", one), ("two.csv", two)):
        assert mohs_run("export", *store, "--csv", file)[0] == 0
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()
    report = json.loads(mohs_run("report", f"{name} on {env}", *two, "--json")[1])
    assert report["references"] == found["references"]
    assert report["dials"] == found["dials"]


def test_parameters_of_the_base_task_and_doses_with_commas(mohs_run):
    command = ["diagnose", "random", "--env", "CartPole-v1", "--seeds", "1", "--budget", "200", "--workers", "0"]
    command += ["--param", "max_episode_steps=50", "--param", "sutton_barto_reward=yes", "--dials", "reward_clip"]
    code, out, err = mohs_run(*command, "--doses", "reward_clip=[null, [0, 0.5]]", "--json")
    assert code == 0, err
    study = json.loads(out)["study"]
    assert study["params"] == {"max_episode_steps": 50, "sutton_barto_reward": True}
    assert [dose["value"] for dose in json.loads(out)["dials"][0]["doses"]] == [None, [0.0, 0.5]]


def test_help_is_light():
    code = "import sys, mohs.cli; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numba", "plotly", "scipy", "sqlalchemy", "pandas"} & set(loaded)


def test_two_runs_of_the_same_plan_export_the_same_file(mohs_run):
    for store, workers in (("one", "0"), ("two", "2")):
        args = ["--store", f"sqlite:///{store}.db", "--workers", workers, "--out", store]
        assert mohs_run("diagnose", "double_q_learning", *SMALL, *args)[0] == 0
        assert mohs_run("export", "--store", f"sqlite:///{store}.db", "--csv", f"{store}.csv")[0] == 0
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()


def test_a_custom_agent(mohs_run):
    code, out, _ = mohs_run("diagnose", EXAMPLE, *SMALL, "--workers", "0", "--set", "epsilon=0.2", "--json")
    assert code == 0
    assert json.loads(out)["study"]["agent"]["params"] == {"epsilon": 0.2}


def test_a_failing_agent_is_shown_and_the_rest_continues(mohs_run, tmp_path):
    (tmp_path / "broken.py").write_text(
        Path(EXAMPLE.rpartition(":")[0]).read_text()
        + "\n\nclass Unlucky(MonteCarloAgent):\n"
        + "    def train(self, env, steps):\n        raise RuntimeError('no luck')\n"
        + "\n\ndef make(env, seed):\n    return (Unlucky if seed % 2 else MonteCarloAgent)(env, seed)\n"
    )
    code, out, err = mohs_run("diagnose", "broken.py:make", *SMALL, "--workers", "0")
    assert code == 1
    assert "RuntimeError: no luck" in err
    assert "Report:" in out
    (study,) = json.loads(mohs_run("status", "--json")[1])
    assert study["failed"] > 0
    assert study["done"] > 0


BAD = [
    (["diagnose", "q_lerning"], "Did you mean 'q_learning'"),
    (["diagnose"], "Missing argument"),
    (["diagnos"], "diagnose"),
    (["diagnose", "q_learning", "--batery", "quick"], "batery"),
    (["diagnose", "q_learning", "--battery", "quik"], "Did you mean 'quick'"),
    (["diagnose", "q_learning", "--dials", "dealy"], "Did you mean 'delay'"),
    (["diagnose", "q_learning", "--pairs", "delay"], "two dials as a:b"),
    (["diagnose", "q_learning", "--pairs", "delay:delay"], "two different dials"),
    (["diagnose", "q_learning", "--seeds", "0"], "seeds is 0"),
    (["diagnose", "q_learning", "--seeds", "many"], "valid integer"),
    (["diagnose", "q_learning", "--budget", "3"], "budget is 3"),
    (["diagnose", "q_learning", "--workers", "-1"], "workers is -1"),
    (["diagnose", "q_learning", "--set", "rate"], "name=value"),
    (["diagnose", "q_learning", "--set", "rate=1"], "unknown hyperparameter"),
    (["diagnose", "random", "--env", "CartPol-v1"], "Did you mean 'CartPole-v1'"),
    (["diagnose", "random", "--env", "CartPole-v1", "--dials", "dealy"], "Did you mean 'delay'"),
    (["diagnose", "random", "--env", "CartPole-v1", "--dials", "diameter"], "diameter is no dial of CartPole-v1"),
    (["diagnose", "random", "--env", "CartPole-v1", "--dials", "time_unit"], "time_unit is no dial of CartPole-v1"),
    (["diagnose", "random", "--env", "CartPole-v1", "--dials", "reward_clip,image_transforms"], "image"),
    (["diagnose", "random", "--env", "CartPole-v1", "--doses", "delay=-1"], "delay is -1"),
    (["diagnose", "random", "--env", "CartPole-v1", "--doses", "delay=0"], "a dose other than vanilla's"),
    (["diagnose", "random", "--env", "CartPole-v1", "--dials", "delay_at_end"], "delay_at_end has no default doses"),
    (["diagnose", "random", "--env", "FrozenLake-v1", "--dials", "observation_noise"], "observation_noise"),
    (["diagnose", "random", "--doses", "delay"], "name=v1,v2,..."),
    (["diagnose", "random", "--doses", "delay=1", "--doses", "delay=2"], "--doses sets delay twice"),
    (["diagnose", "random", "--param", "delay"], "name=value"),
    (["diagnose", "random", "--param", "delai=1"], "Did you mean 'delay'"),
    (["diagnose", "q_learning", "--env", "CartPole-v1"], "q_learning keeps a table of states"),
    (["diagnose", "optimal", "--env", "toy/continuous"], "optimal keeps a table of states"),
    (["diagnose", "gorp", "--env", "Pendulum-v1"], "finitely many actions"),
    (["diagnose", "nothing.py:make_agent"], "no file"),
    (["diagnose", "math:sinn"], "Did you mean 'sin'"),
    (["diagnose", "q_learning", "--store", "mysql://x"], "store"),
    (["diagnose", "q_learning", "--store", "results.db"], "sqlite:///"),
    (["diagnose", "q_learning", "--store", "sqlite:///file/x.db"], "file"),
    (["diagnose", "q_learning", "--out", "file/report"], "cannot be written"),
    (["status", "--store", "sqlite:///none.db"], "none.db"),
    (["status", "--store", "sqlite:///file"], "file"),
    (["report", "--store", "sqlite:///none.db"], "none.db"),
    (["export"], "say where to export"),
    (["card"], "Missing argument"),
    (["card", "toy/discrte"], "Did you mean 'toy/discrete'"),
    (["card", "toy/discrete", "delai=2"], "Did you mean 'delay'"),
    (["card", "toy/discrete", "delay=-1"], "delay is -1"),
    (["card", "delay=1"], "no task comes before it"),
    (["card", "none.npz"], "none.npz cannot be read"),
    (["card", "file.npz"], "file.npz cannot be read"),
    (["card", "CliffWalking-v1"], "has no horizon"),
    (["card", "toy/discrete", "--gamma", "1.5"], "gamma is 1.5"),
    (["card", "toy/discrete", "--horizon", "0"], "horizon is 0"),
    (["card", "toy/discrete", "--sticky", "2"], "sticky is 2"),
    (["card", "toy/discrete", "--out", "file/card"], "cannot be written"),
    (["export", "--store", "sqlite:///none.db", "--csv", "x.csv"], "none.db"),
    (["compare", "a", "b", "--store", "sqlite:///none.db"], "none.db"),
]


@pytest.mark.parametrize(("words", "message"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_commands_get_one_sentence_and_exit_code_2(mohs_run, tmp_path, words, message):
    (tmp_path / "file").write_text("not a database, nor a directory")
    (tmp_path / "file.npz").write_text("not a table")
    code, out, err = mohs_run(*words)
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1
    assert out == ""
    assert (tmp_path / "file").read_text() == "not a database, nor a directory"
    assert {path.name for path in tmp_path.iterdir()} <= {"file", "file.npz", "mohs.db"}


def test_the_command_of_the_readme_works(mohs_run):
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    assert "mohs diagnose examples/my_agent.py:make_agent" in readme
    code, _, err = mohs_run("diagnose", EXAMPLE, "--seeds", "1", "--budget", "400", "--workers", "0")
    assert code == 0, err


def test_undefined_values_are_null(mohs_run):
    mohs_run("diagnose", "optimal", "--dials", "delay", "--seeds", "1", "--budget", "250", "--workers", "0")
    code, out, _ = mohs_run("export", "--json")
    assert code == 0
    assert all(row["value"] is None or isinstance(row["value"], float) for row in json.loads(out))


def test_nothing_is_left_behind_by_bad_input(mohs_run, tmp_path):
    for words in (["diagnose", "random", "--workers", "-1"], ["report"], ["compare", "a", "b"], ["status"]):
        assert mohs_run(*words)[0] == 2
    assert list(tmp_path.iterdir()) == []


def test_version_and_help(mohs_run):
    assert mohs_run("--version")[1].strip() == mohs.__version__
    code, out, _ = mohs_run()
    assert code == 0
    assert "diagnose" in out


def test_an_unknown_study_names_the_ones_there_are(mohs_run):
    mohs_run("diagnose", "random", *SMALL, "--workers", "0")
    code, _, err = mohs_run("report", "randm")
    assert code == 2
    assert "Did you mean 'random'" in err


def test_ctrl_c_says_how_to_resume(tmp_path):
    command = [sys.executable, "-m", "mohs", "diagnose", "q_learning", "--dials", "delay", "--seeds", "4"]
    command += ["--budget", "40000000", "--workers", "1"]
    started = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env={**os.environ})
    time.sleep(12)
    started.send_signal(signal.SIGINT)
    _, err = started.communicate(timeout=60)
    assert started.returncode == 130
    assert re.search(r"mohs: interrupted with \d+ of \d+ cells done; run the same command to resume\.$", err.strip())
    assert (tmp_path / "mohs.db").is_file()
