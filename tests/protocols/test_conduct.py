"""How a study becomes a verdict: call and command agree, failures are told, stored studies are only read."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import mohs
from mohs import MohsError, Task, UsageError
from mohs.agents.registry import agent
from mohs.cli import main
from mohs.protocols.conduct import carry_out, find_study, load_verdict, planned, stored_verdict
from mohs.protocols.diagnose.study import DiagnosisStudy
from mohs.protocols.experiment.files import read_study
from mohs.protocols.lifelong.curriculum import Curriculum, read_curriculum
from mohs.protocols.lifelong.study import LifelongStudy
from mohs.protocols.protocol import Study, protocol_of
from mohs.report.data import json_text
from mohs.runs.execution import Execution
from mohs.runs.store import open_store

FAILING = """
class Unlucky:
    def __init__(self, luck):
        self.luck = luck

    def train(self, env, steps):
        if not self.luck:
            raise ArithmeticError("out of luck")
        env.reset()
        for _ in range(steps):
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            if terminated or truncated:
                env.reset()

    def act(self, observation, memory, deterministic):
        return 0 if self.luck == "plain" else [0, 0], memory


def always(env, seed):
    return Unlucky("")


def with_irrelevant_features(env, seed):
    return Unlucky("" if hasattr(env.observation_space, "nvec") else "plain")
"""


def test_the_call_and_the_command_find_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = mohs.Task.make("toy/discrete", action_space_size=6)
    found = mohs.diagnose(
        "q_learning",
        task,
        dials=["delay"],
        seeds=3,
        budget=1000,
        store=f"sqlite:///{tmp_path}/call.db",
        workers=0,
        keep_going=True,
    )
    words = ["diagnose", "q_learning", "--param", "action_space_size=6", "--dials", "delay", "--seeds", "3", "--json"]
    words += ["--keep-going"]
    with pytest.raises(SystemExit) as ended:
        main([*words, "--budget", "1000", "--store", f"sqlite:///{tmp_path}/command.db", "--out", str(tmp_path)])
    assert ended.value.code == 0
    printed = json.loads(capsys.readouterr().out)
    del printed["report"]
    assert printed == json.loads((mohs.write_report(found, tmp_path).parent / "verdict.json").read_text())


def test_what_the_store_holds_is_not_run_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for steps in ("500", "0"):
        mohs.diagnose(
            "random", doses={"delay": [0, 1]}, dials=["delay"], seeds=1, budget=250, workers=0, progress="plain",
            store=f"sqlite:///{tmp_path}/store.db",
        )  # fmt: skip
        assert f"{steps} steps to run" in capsys.readouterr().err


def unlucky(tmp_path: Path, function: str) -> mohs.Verdict:
    (tmp_path / "unlucky.py").write_text(FAILING)
    return mohs.diagnose(
        f"{tmp_path}/unlucky.py:{function}", dials=["irrelevant_features"], seeds=3, budget=250, workers=0,
        progress="silent", store=f"sqlite:///{tmp_path}/store.db", keep_going=True,
    )  # fmt: skip


def test_where_all_runs_fail_the_call_raises_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(MohsError, match="6 of 6 runs failed: 6 × ArithmeticError: out of luck") as error:
        unlucky(tmp_path, "always")
    assert not isinstance(error.value, UsageError)


def test_where_some_runs_fail_the_call_warns_with_the_reason_and_concludes_from_the_others(tmp_path: Path) -> None:
    with pytest.warns(RuntimeWarning, match="3 of 6 runs failed: 3 × ArithmeticError: out of luck"):
        found = unlucky(tmp_path, "with_irrelevant_features")
    assert found.missing == 3
    assert [dose.missing for dose in found.dials[0].doses] == [0, 3]
    assert found.sentences[-1] == "3 runs failed: ArithmeticError: out of luck."
    assert load_verdict(store=f"sqlite:///{tmp_path}/store.db").sentences == found.sentences


def test_an_agent_that_cannot_play_is_named_with_the_point_before_anything_is_trained(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^sac at vanilla: .*continuous actions"):
        mohs.diagnose("sac", dials=["delay"], store=f"sqlite:///{tmp_path}/store.db")
    assert not (tmp_path / "store.db").exists()


def experiment(tmp_path: Path) -> Study:
    path = tmp_path / "sweep.toml"
    path.write_text(
        'question = "?"\nmode = "sweep"\nseeds = 3\nbudget = 300\n[agents.q_learning]\n[agents.random]\n'
        '[task]\nenv = "toy/discrete"\n[axes]\ndelay = [0, 2]\nreward_noise = [0, 1]\n'
    )
    return read_study(str(path))


def diagnosis(tmp_path: Path) -> Study:
    return DiagnosisStudy.make(agent("random"), env="CartPole-v1", dials=["delay", "reward_noise"], seeds=3, budget=300)


def lifelong(tmp_path: Path) -> Study:
    return LifelongStudy.make(read_curriculum("near_goals"), [agent("random")], seeds=3, steps=100)


def lifelong_on_cartpole(tmp_path: Path) -> Study:
    tasks = {"plain": Task.make("CartPole-v1"), "late": Task.make("CartPole-v1", delay=2)}
    return LifelongStudy.make(Curriculum.make("cart", tasks, ("plain", "late"), steps=100), [agent("random")], seeds=3)


def challenge(tmp_path: Path) -> Study:
    from mohs.protocols.challenge.study import ChallengeStudy

    return ChallengeStudy.make(["q_learning"], mdps=["hanoi-3"], budget=2000, seeds=2)


STUDIES = [experiment, diagnosis, lifelong, lifelong_on_cartpole, challenge]


def carried_out(study: Study, tmp_path: Path) -> tuple[str, str]:
    """The URL of a store with its results, and the verdict as text."""
    how = Execution(f"sqlite:///{tmp_path}/store.db", workers=0, progress="silent")
    return how.store, json_text(carry_out(study, planned(study, how), how).verdict.to_json())


@pytest.mark.parametrize("make", STUDIES)
def test_the_stored_verdict_is_that_of_the_run(make, tmp_path: Path) -> None:
    study = make(tmp_path)
    url, said = carried_out(study, tmp_path)
    with open_store(url, create=False) as store:
        for name in (study.name, None):
            found = stored_verdict(store, find_study(store, name))
            assert found.protocol == protocol_of(study).name
            assert json_text(found.to_json()) == said


@pytest.mark.parametrize("make", STUDIES)
def test_a_study_that_an_older_version_stored_gives_the_same_verdict(make, tmp_path: Path) -> None:
    """Its options are the study itself, without tracks, and each of its cells has one position."""
    url, said = carried_out(make(tmp_path), tmp_path)
    with sqlite3.connect(tmp_path / "store.db") as db:
        ((key, options),) = db.execute("SELECT key, options FROM mohs_study")
        db.execute("UPDATE mohs_study SET options = ?", [json.dumps(json.loads(options)["study"])])
        first = "SELECT min(position) FROM mohs_study_cell GROUP BY cell"
        db.execute(f"DELETE FROM mohs_study_cell WHERE position NOT IN ({first})")
        db.execute("DROP TABLE mohs_seal")
        db.execute("UPDATE mohs_meta SET value = '1' WHERE name = 'schema'")
    with open_store(url, create=False) as store:
        assert store.study(key).tracks == ()
        assert json_text(stored_verdict(store, key).to_json()) == said


def test_a_stored_verdict_is_loaded_by_name_agent_or_key(tmp_path: Path) -> None:
    study = diagnosis(tmp_path)
    url, said = carried_out(study, tmp_path)
    with open_store(url, create=False) as store:
        ((name, key),) = [(stored.name, stored.key) for stored in store.studies()]
    for word in (None, name, "random", key, key[:4]):
        assert json_text(load_verdict(word, store=url).to_json()) == said
    with pytest.raises(UsageError, match="unknown study 'sarsa'"):
        load_verdict("sarsa", store=url)


def test_a_study_of_a_derived_class_has_the_protocol_of_its_base() -> None:
    class Mine(DiagnosisStudy):
        pass

    assert protocol_of(Mine.make(agent("random"), dials=["delay"])).name == "diagnose"
    with pytest.raises(UsageError, match="int is not the study of any protocol"):
        protocol_of(3)


def test_the_protocol_of_a_study_is_found_without_importing_the_others() -> None:
    code = """
import sys
from mohs.agents.registry import agent
from mohs.protocols.lifelong.curriculum import read_curriculum
from mohs.protocols.lifelong.study import LifelongStudy
from mohs.protocols.protocol import protocol_of
study = LifelongStudy.make(read_curriculum("near_goals"), [agent("random")], seeds=1, steps=100)
before = set(sys.modules)
assert protocol_of(study).name == "lifelong"
print([name for name in set(sys.modules) - before if name.endswith(".study")])
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"


READ = """
import sys
import gymnasium
import mohs.envs.make

def refuse(*_, **__):
    raise AssertionError("an environment was made")

gymnasium.make = gymnasium.make_vec = mohs.envs.make.make = mohs.envs.make.make_vec = refuse
from mohs.protocols.conduct import find_study, stored_verdict
from mohs.report.data import json_text
from mohs.runs.store import open_store

with open_store(sys.argv[1], create=False) as store:
    verdict = stored_verdict(store, find_study(store, None))
verdict.save(sys.argv[2])
sys.stdout.write(json_text(verdict.to_json()))
"""


@pytest.mark.parametrize("make", [diagnosis, lifelong, lifelong_on_cartpole])
def test_reading_a_stored_study_makes_no_environment(make, tmp_path: Path) -> None:
    """In a process of its own, where nothing is remembered of the environments that the run made."""
    url, said = carried_out(make(tmp_path), tmp_path)
    read = subprocess.run(
        [sys.executable, "-c", READ, url, str(tmp_path / "report")], capture_output=True, text=True, check=False
    )
    assert read.returncode == 0, read.stderr
    assert read.stdout == said
    assert (tmp_path / "report" / "report.html").is_file()
