"""A study file is read whole or refused with one sentence that names the file and the key."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
import yaml

from mohs.core.data_files import shipped
from mohs.core.errors import UsageError
from mohs.protocols.experiment.files import SHIPPED, describe, read_study
from mohs.protocols.experiment.study import plan

EXAMPLE = Path(__file__).parents[3] / "examples" / "study.toml"
SMALL = """
question = "Does it work?"
seeds = 3
budget = 1000
[agents.q_learning]
[task]
env = "toy/discrete"
[axes]
delay = [0, 4]
"""
SIZED = """
question = "Does it work?"
budget = 20_000
mode = "sweep"
[agents.dqn]
preset = "mdp_playground"
[agents.slow]
agent = "dqn"
budget = 150_000
learning_rate = 1e-5
[agents.q]
agent = "q_learning"
[task]
env = "toy/discrete"
terminal_state_density = 0.25
[axes]
delay = [0, 1, 2]
agent.gamma = [0.9, 0.99]
[axes.kind]
plain = {}
noisy = {transition_noise = 0.1, reward_noise = 1}
[evaluation]
points = 4
noise_free = true
[sizes.paper]
seeds = 100
[sizes.quick]
seeds = 2
budget = 1000
set = {gamma = 0.5}
agents.slow = {budget = 2000, hidden = [16]}
agents.q = false
axes = {delay = [0, 2], kind = ["noisy"]}
task = {terminal_state_density = 0.125}
evaluation = {points = 1}
"""


def written(tmp_path, text, name="mine.toml"):
    path = tmp_path / name
    path.write_text(text)
    return str(path)


def test_a_small_file_is_enough(tmp_path):
    found = read_study(written(tmp_path, SMALL))
    assert (found.label, found.size, found.name, found.seeds) == ("mine", "", "mine", 3)
    assert [level.value for level in found.axes[0].levels] == [0, 4]
    assert found.figures == ("auc_paper",)


def test_yaml_and_json_say_the_same_as_toml(tmp_path):
    data = tomllib.loads(SIZED)
    for size in ("paper", "quick"):
        expected = read_study(written(tmp_path, SIZED), size)
        assert read_study(written(tmp_path, yaml.safe_dump(data, sort_keys=False), "mine.yaml"), size) == expected
        assert read_study(written(tmp_path, json.dumps(data), "mine.json"), size) == expected


def test_a_size_changes_what_it_names_and_nothing_else(tmp_path):
    file = written(tmp_path, SIZED)
    paper, quick = read_study(file, "paper"), read_study(file)
    assert [(c.label, c.agent.name, c.budget) for c in paper.agents] == [
        ("dqn", "dqn", 20_000), ("slow", "dqn", 150_000), ("q", "q_learning", 20_000),
    ]  # fmt: skip
    assert [(c.label, c.budget) for c in quick.agents] == [("dqn", 1000), ("slow", 2000)]
    assert dict(quick.agents[1].agent.params) == {"learning_rate": 1e-5, "gamma": 0.5, "hidden": (16,)}
    assert [len(axis.levels) for axis in paper.axes] == [3, 2, 2]
    assert [len(axis.levels) for axis in quick.axes] == [2, 2, 1]
    assert dict(paper.params) == {"terminal_state_density": 0.25}
    assert dict(quick.params) == {"terminal_state_density": 0.125}
    assert (paper.evaluation.points, quick.evaluation.points) == (4, 1)
    assert quick.evaluation.noise_free
    assert quick.figures == ("auc_paper", "noise_free")


def test_named_levels_set_several_things(tmp_path):
    found = read_study(written(tmp_path, SIZED), "paper")
    noisy = found.axes[2].levels[1]
    assert noisy.value == "noisy"
    assert found.task([noisy])["reward_noise"] == 1.0
    assert found.task([noisy])["transition_noise"] == 0.1


WRONG = [
    (("seeds = 3", "sedes = 3"), "unknown key 'sedes'. Did you mean 'seeds'?"),
    (("seeds = 3", ""), "seeds is missing: it must be an integer in"),
    (("budget = 1000", ""), "budget of agents.q_learning is missing: it must be an integer ≥ 200"),
    (("seeds = 3", "seeds = 'many'"), "seeds is 'many'"),
    (("budget = 1000", "budget = 10"), "budget of agents.q_learning is 10, but must be an integer ≥ 200"),
    (('question = "Does it work?"', ""), "question is missing"),
    (("[agents.q_learning]", "[agents.q_lerning]"), "agents.q_lerning: unknown agent 'q_lerning'. Did you mean"),
    (("[agents.q_learning]", "[agents.q_learning]\nalpha = 1"), "agents.q_learning: unknown hyperparameter"),
    (("[agents.q_learning]", "[agents.mine]\nname = 'q_learning'"), "agents.mine.name is no key"),
    (("[agents.q_learning]", "[agents]"), "agents is missing"),
    (('env = "toy/discrete"', ""), "task.env is missing"),
    (('env = "toy/discrete"', 'env = "toy/discrte"'), "Did you mean 'toy/discrete'?"),
    (('env = "toy/discrete"', 'env = "toy/discrete"\nseed = 3'), "task.seed cannot be set"),
    (('env = "toy/discrete"', 'env = "toy/discrete"\ndelay = 3'), "delay is both in task and in axes"),
    (('env = "toy/discrete"', 'env = "toy/discrete"\ndelya = 3'), "unknown parameter of toy/discrete 'delya'"),
    (("delay = [0, 4]", "delay = [0, -4]"), "axes.delay is -4"),
    (("delay = [0, 4]", "delay = 4"), "axes.delay is 4, but must be a list of values, or a table of named levels"),
    (("delay = [0, 4]", "delay = []"), "axes.delay has no values"),
    (("delay = [0, 4]", "delay = [0, 0.0]"), "axes.delay has the value 0 twice"),
    (("delay = [0, 4]", ""), "axes is missing"),
    (("delay = [0, 4]", "agent.alpha = [0, 4]"), "agent.alpha = 0: unknown hyperparameter of q_learning 'alpha'"),
    (("delay = [0, 4]", "x.a = 3"), "axes.x.a is 3, but must be a table"),
    (("delay = [0, 4]", "delay = [0, 4]\nx = {a = {delay = 3}}"), "axes.x and axes.delay both set delay"),
    (("[axes]", "[evaluation]\nepisode = 3\n[axes]"), "unknown key of evaluation 'episode'"),
    (("[axes]", "[evaluation]\npoints = 0\n[axes]"), "evaluation.points is 0"),
    (("[axes]", "[evaluation]\npoints = 5000\n[axes]"), "evaluation.points is more than the 1000 steps"),
    (("[axes]", "[report]\nfigures = ['acu']\n[axes]"), "unknown measure in report.figures 'acu'. Did you mean 'auc'?"),
    (("[axes]", "[report]\nfigures = ['noise_free']\n[axes]"), "unknown measure in report.figures 'noise_free'"),
    (("[axes]", "mode = 3\n[axes]"), "mode"),
    (("seeds = 3", "mode = 'all'\nseeds = 3"), "mode is 'all', but must be one of 'grid', 'sweep'"),
    (("[axes]", "[sizes.quick]\nseed = 3\n[axes]"), "unknown key of sizes.quick 'seed'"),
    (("[axes]", "[sizes.quick]\naxes = {dealy = [1]}\n[axes]"), "unknown axis in sizes.quick.axes 'dealy'"),
    (("[axes]", "[sizes.quick]\nagents.dqn = false\n[axes]"), "unknown agent in sizes.quick.agents 'dqn'"),
    (("[axes]", "[sizes.quick]\nagents.q_learning = 3\n[axes]"), "sizes.quick.agents.q_learning is 3, but must be"),
    (("[axes]", "[sizes]\nquick = 3\n[axes]"), "sizes.quick is 3, but must be a table"),
    (("delay = [0, 4]", "x = {a = {delay = 1}}\n[sizes.quick]\naxes = {x = [['a']]}"), "unknown level in sizes.quick"),
    (("[axes]", "[axes"), "cannot be read"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "sentence"), WRONG, ids=[sentence[:40] for _, sentence in WRONG])
def test_what_is_wrong_is_one_sentence(tmp_path, change, sentence):
    before, after = change
    assert before in SMALL
    with pytest.raises(UsageError) as error:
        read_study(written(tmp_path, SMALL.replace(before, after, 1)))
    assert "mine.toml" in str(error.value)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_a_study_that_is_not_there_and_a_size_that_is_not(tmp_path):
    with pytest.raises(UsageError, match=r"unknown study 'dleay'\. Did you mean 'delay'"):
        read_study("dleay")
    with pytest.raises(UsageError, match="no study file"):
        read_study(str(tmp_path / "none.toml"))
    with pytest.raises(UsageError, match="unknown size 'huge'"):
        read_study(written(tmp_path, SIZED), "huge")
    with pytest.raises(UsageError, match="say which size: --size paper or large"):
        read_study(written(tmp_path, SIZED.replace("[sizes.quick]", "[sizes.large]")))


def is_toy(name):
    return describe(name)["env"].startswith("toy/")


def sized(*names):
    return [(name, size) for name in names for size in describe(name)["sizes"]]


@pytest.mark.parametrize(("name", "size"), sized(*filter(is_toy, shipped(SHIPPED))))
def test_every_shipped_toy_study_can_be_planned(name, size):
    asked = read_study(name, size)
    assert asked.label == name
    assert len(plan(asked).cells) >= 2 * asked.seeds


@pytest.mark.slow
@pytest.mark.parametrize(("name", "size"), sized(*(name for name in shipped(SHIPPED) if not is_toy(name))))
def test_every_other_shipped_study_can_be_planned(name, size):
    assert plan(read_study(name, size)).cells


def test_the_toy_studies_of_the_paper_come_in_two_sizes():
    for name in filter(is_toy, shipped(SHIPPED)):
        assert describe(name)["sizes"] == ["paper", "quick"]


def test_the_example_is_a_study():
    assert len(plan(read_study(str(EXAMPLE), "full")).cells) == 2 * 12 * 20
    assert len(plan(read_study(str(EXAMPLE))).cells) == 2 * 4 * 5


def test_the_docs_list_every_study_and_show_the_example():
    text = (EXAMPLE.parents[1] / "docs" / "studies.md").read_text()
    for name in shipped(SHIPPED):
        found = describe(name)
        assert f"| `{name}` | {found['question']} | {found['source']} |" in text
    rows = [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")]
    listed = [name for name in rows if name in shipped(SHIPPED)]
    assert listed == sorted(listed)
    assert EXAMPLE.read_text().strip() in text
