"""Curricula: those that are shipped, those that are generated, and how alike their tasks are."""

from __future__ import annotations

import numpy as np
import pytest

import mohs
from mohs import Task, UsageError
from mohs.core.data_files import shipped
from mohs.protocols.lifelong import variations
from mohs.protocols.lifelong.curriculum import SHIPPED, Block, Curriculum, read_curriculum
from mohs.protocols.lifelong.similarity import similarities
from mohs.tables.ctgraph.similarity import nested_depths, shared_decisions, shared_observations

SMALL = {"a": Task.make("ctgraph", goal=(1, 1)), "b": Task.make("ctgraph", depth=3, goal=(1, 1, 2))}


@pytest.mark.parametrize("name", shipped(SHIPPED))
def test_shipped_curricula_can_be_played_by_one_agent(name):
    made = read_curriculum(name)
    assert made == Curriculum.from_json(made.to_json())
    assert made.boundaries[-1] == sum(block.steps for block in made.blocks)
    spaces = {str(mohs.make(task).observation_space) for _, task in made.tasks}
    assert len(spaces) == 1


def test_what_the_paper_asks_for_is_shipped():
    assert {"su_goals", "near_goals", "far_goals", "growing_depth", "eight_goals", "interleaved_depths", "image_sets",
            "one_transition", "held_out"} == set(shipped(SHIPPED))  # fmt: skip
    assert len(read_curriculum("eight_goals").blocks) == 8
    assert read_curriculum("held_out").held_out == ("121", "222")
    depths = [task["depth"] for _, task in read_curriculum("growing_depth").tasks]
    assert depths == [2, 3, 4, 5]


def test_spaces_are_made_as_large_as_the_largest():
    made = Curriculum.make("c", SMALL, ["a", ["b", 7], Block("a", 3)], steps=5)
    assert [task["num_observations"] for _, task in made.tasks] == [32, None]
    assert made.blocks == (Block("a", 5), Block("b", 7), Block("a", 3))
    assert made.boundaries == (0, 5, 12, 15)
    assert made.learnt == ("a", "b")


def test_files_name_the_tasks_of_any_environment(tmp_path):
    path = tmp_path / "toys.toml"
    path.write_text(
        'steps = 100\nblocks = ["easy", ["hard", 300], "easy"]\n[base]\nenv = "toy/discrete"\nseed = 3\n'
        "[tasks]\neasy = {}\nhard = {delay = 2}\n"
    )
    made = read_curriculum(str(path))
    assert made.task("hard") == Task.make("toy/discrete", seed=3, delay=2)
    assert [block.steps for block in made.blocks] == [100, 300, 100]
    assert similarities(made) == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('blocks = ["c"]\n[tasks.a]\nenv = "ctgraph"', "unknown task of the curriculum 'c'"),
        ('blocks = []\n[tasks.a]\nenv = "ctgraph"', "no blocks"),
        ('blocks = ["a"]\n[tasks.a]\ndepth = 2', "names no env"),
        ('blokcs = ["a"]', "blocks"),
        ('blocks = [["a", 0]]\n[tasks.a]\nenv = "ctgraph"', "steps of a block of a is 0"),
        ('blocks = [["a"]]\n[tasks.a]\nenv = "ctgraph"', r"\[name, steps\]"),
        ('blocks = ["a"]\n[tasks]\na = 3', "table of parameters"),
        ('blocks = ["a"]\n[tasks.a]\nenv = "ctgraph"\n[tasks.b]\nenv = "ctgraph"\nbranching = 3', "same spaces"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(tmp_path, text, says):
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=says):
        read_curriculum(str(path))


def test_unknown_curricula_are_answered_with_the_nearest():
    with pytest.raises(UsageError, match="growing_depth"):
        read_curriculum("growing_depths")
    with pytest.raises(UsageError, match="there is no curriculum file"):
        read_curriculum("nowhere.toml")


def test_variations_of_reward_input_and_graph():
    base = Task.make("CT-SU-B1")
    every = variations.goals(base)
    assert [task["goal"] for _, task in every.tasks] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    some = variations.goals(Task.make("ctgraph", depth=4), 5, seed=1)
    assert len({task["goal"] for _, task in some.tasks}) == 5
    images = variations.image_sets(Task.make("ctgraph", observation="image"), 3)
    assert [task["image_set"] for _, task in images.tasks] == [0, 1, 2]
    deeper = variations.depths(Task.make("ctgraph", seed=2), (2, 3, 4))
    found = [mohs.make(task).reset(seed=0)[1]["goal"] for _, task in deeper.tasks]
    assert found[2][:3] == found[1]
    toys = variations.vary("delays", Task.make("toy/discrete"), "delay", (0, 2))
    assert toys.names == ("delay=0", "delay=2")


def test_similarity_is_measured_on_the_tasks():
    def graph(**params):
        return Task.make("ctgraph", **params)

    a, b, c = (graph(depth=3, goal=goal) for goal in ((1, 1, 1), (1, 1, 2), (2, 1, 1)))
    assert shared_decisions(a, a) == 1
    assert shared_decisions(a, b) == pytest.approx(2 / 3)
    assert shared_decisions(a, c) == 0
    shallow = graph(depth=2, goal=(1, 1))
    assert shared_decisions(a, shallow) == pytest.approx(2 / 3)
    assert nested_depths(a, shallow) == pytest.approx(2 / 3)
    assert nested_depths(a, graph(depth=3, branching=3)) == 0
    assert shared_observations(a, b) == 1
    assert shared_observations(a, shallow) == pytest.approx(16 / 32)
    seen = [graph(observation="image", image_set=s) for s in (0, 1)]
    assert shared_observations(*seen) == 0
    found = similarities(read_curriculum("su_goals"))
    assert found["decisions"].shape == (4, 4)
    np.testing.assert_array_equal(found["decisions"], found["decisions"].T)
    np.testing.assert_array_equal(np.diag(found["decisions"]), 1)
    assert (found["observations"] == 1).all()
    moving = Curriculum.make("moving", {"a": graph(goal_every=3), "b": graph()}, ["a"])
    assert similarities(moving) == {}
    toys = Curriculum.make("toys", {"a": Task.make("toy/discrete")}, ["a"])
    assert similarities(toys) == {}
