"""Studies of lifelong learning: what is run, how it is judged, the exact ceiling, and what is written."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import mohs
from mohs import Task, UsageError
from mohs.agents.registry import agent
from mohs.core.cell import Agent
from mohs.protocols.conduct import carry_out, planned
from mohs.protocols.lifelong.ceiling import ceiling
from mohs.protocols.lifelong.curriculum import Curriculum, read_curriculum
from mohs.protocols.lifelong.figures import CEILING
from mohs.protocols.lifelong.l2logger import COLUMNS, write_logs
from mohs.protocols.lifelong.study import LifelongStudy, alone, plan, with_methods
from mohs.protocols.lifelong.verdict import verdict
from mohs.report.page import page_html
from mohs.runs.cost import cost
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.results import Results
from mohs.runs.store import open_store
from mohs.stats.lifelong import METRICS

GOALS = {"a": (1, 1), "b": (1, 2), "c": (2, 2)}


def course(blocks=("a", "b", "a"), steps=100, tasks="abc"):
    return Curriculum.make("small", {n: Task.make("ctgraph", goal=GOALS[n]) for n in tasks}, blocks, steps=steps)


def study_of(*methods, **options):
    agents = [agent("dqn", **({} if m == "finetune" else {"lifelong": m})) for m in methods or ("finetune",)]
    return LifelongStudy.make(course(), agents, **{"seeds": 4, **options})


def results_of(study, evaluated, trained=0.5, experts=0.5):
    """Results in which evaluations are `evaluated(seed, boundary, task)`."""
    found = {}
    for cell in plan(study).cells:
        steps = np.arange(cell.window, cell.steps + 1, cell.window)
        level = experts if len(cell.segments) == 1 else trained
        points = {"train/return": (steps, np.full(len(steps), level))}
        for i, probe in enumerate(cell.probes):
            at = np.array(probe.at)
            played = probe.name in ("expert", "random")
            values = (
                [experts * (probe.name == "expert")] if played else [evaluated(cell.seed, k, i) for k in range(len(at))]
            )
            points[f"{probe.name}/return"] = (at, np.array(values, dtype=float))
        found[cell.key] = points
    return found


def judged(study, results):
    return verdict(study, Results.of(plan(study), results))


def test_a_lifelong_run_has_a_segment_for_each_block_and_probes_of_all_tasks():
    study = study_of(task_id=True)
    run = study.lifelong_run(study.agents[0], 3)
    assert [s.steps for s in run.segments] == [100, 100, 100]
    assert all(s.task_id for s in run.segments)
    assert [p.name for p in run.probes] == ["0: a", "1: b", "2: c"]
    assert run.probes[0].at == (0, 100, 200, 300)
    expert = study.expert(study.agents[0], "a", 3)
    assert (expert.steps, expert.segments[0].task_id) == (200, True)
    assert [segment.steps for segment in expert.segments] == [
        200,
        0,
    ]  # the other is named, and never played
    assert LifelongStudy.from_json(json.loads(json.dumps(study.to_json(), sort_keys=True))) == study


def test_agents_that_differ_in_methods_share_experts():
    study = study_of("finetune", "ewc", "separate")
    cells = plan(study).cells
    assert len(cells) == study.seeds * (3 + 2)
    assert len({alone(a) for a in study.agents}) == 1
    assert study.labels == ("finetune", "ewc", "separate")
    assert study.name == "dqn (finetune, ewc, separate) on small"


def test_agents_that_differ_in_more_than_methods_have_labels_and_results_of_their_own():
    toys = {n: Task.make("toy/discrete", state_space_size=8, seed=i) for i, n in enumerate("ab")}
    toy_course = Curriculum.make("toys", toys, "ab", steps=100)
    for agents in (
        [agent("q_learning", gamma=0.9), agent("q_learning", gamma=0.5)],
        [agent("q_learning"), agent("sarsa")],
        [agent("dqn", lifelong="ewc", ewc_weight=1.0), agent("dqn", lifelong="ewc", ewc_weight=2.0)],
    ):
        study = LifelongStudy.make(toy_course, agents, seeds=2)
        assert study.labels == tuple(map(str, agents))
        assert study.name == f"{agents[0]}, {agents[1]} on toys"
        assert len(set(plan(study).tracks)) == 2 * (1 + 2)
        found = judged(study, {})
        assert [result.label for result in found.agents] == list(study.labels)
    changed = [Agent.make("mine.py:make", source) for source in ("before", "after")]
    with pytest.raises(UsageError, match=r"two agents are called mine\.py:make"):
        LifelongStudy.make(toy_course, changed)


def test_scores_are_what_everything_else_follows_from():
    study = study_of("finetune", "ewc")
    found = judged(study, results_of(study, lambda seed, k, task: (seed + 2 * k + task) / 10))
    assert found.scores.measures == ("start", "after_block_1", "after_block_2", "after_block_3")
    for result in found.agents:
        for i, name in enumerate(study.curriculum.names):
            performances = list(found.scores.samples(result.label, name).values())
            np.testing.assert_array_equal(result.evaluations[:, :, i].T, performances)
    assert len(found.scores.frame()) == 2 * 3 * study.seeds


def test_an_agent_that_never_forgets_scores_no_forgetting_and_an_expert_one():
    study = study_of()
    learnt_after = {0: 1, 1: 2}
    found = judged(study, results_of(study, lambda seed, k, task: float(k >= learnt_after.get(task, 9))))
    metrics = found.agents[0].metrics
    assert metrics["forgetting"].value == 0
    assert metrics["performance_maintenance"].value == 0
    assert metrics["relative_performance"].value == pytest.approx(1)
    assert metrics["average_performance"].value == 1
    assert {name: e.value for name, e in found.agents[0].gains.items()} == {"a": 0, "b": 0}
    assert found.missing == 0
    assert found.agents[0].matrix[0][0].value == 0
    assert found.agents[0].matrix[1][0].value == 1


def test_what_learning_one_task_does_to_another_is_told_apart_by_direction():
    study = study_of()
    worth = {(1, 0): 1.0, (2, 0): 0.25, (3, 0): 1.0, (1, 1): 0.5, (2, 1): 1.0}
    found = judged(study, results_of(study, lambda seed, k, task: worth.get((k, task), 0.0)))
    changes = {(t.learnt, t.other, t.forward): t.change.value for t in found.agents[0].transfers}
    assert changes["a", "b", True] == 0.5
    assert changes["b", "a", False] == -0.75
    assert changes["a", "b", False] == -1.0  # when a is learnt again
    assert {t.similarity["decisions"] for t in found.agents[0].transfers if {t.learnt, t.other} == {"a", "b"}} == {0.5}


def test_missing_runs_are_missing_and_not_zero():
    study = study_of()
    results = results_of(study, lambda *_: 1.0)
    del results[study.lifelong_run(study.agents[0], 2).key]
    del results[study.expert(study.agents[0], "b", 1).key]
    result = judged(study, results).agents[0]
    assert result.missing == 1
    assert judged(study, results).missing == 2
    assert result.metrics["average_performance"].n == 3
    assert math.isnan(result.samples["average_performance"][2])
    nothing = judged(study, {})
    assert nothing.agents[0].metrics["forgetting"].n == 0
    assert "no lifelong run has finished yet" in nothing.sentences[0]
    assert "missing" in page_html(nothing.page(), nothing.to_json())


def test_the_ceiling_without_the_task_id_is_exact():
    su = read_curriculum("su_goals")
    assert ceiling([task for _, task in su.tasks]) == pytest.approx(1 / 4)
    eight = read_curriculum("eight_goals")
    assert ceiling([task for _, task in eight.tasks]) == pytest.approx(1 / 8)
    same, other = Task.make("ctgraph", goal=(1, 1)), Task.make("ctgraph", goal=(1, 1), high_r=2.0)
    assert ceiling([same, other]) == pytest.approx(1)  # one way serves both
    images = [Task.make("ctgraph", goal=g, observation="image", image_set=i) for i, g in enumerate(((1, 1), (2, 2)))]
    assert ceiling(images) == pytest.approx(1)  # they look different
    seen = [Task.make("CT-SU-B1", goal=g, wait_ids=(3, w), end_ids=(200, 200)) for g, w in (((1, 1), 3), ((2, 2), 102))]
    assert ceiling(seen) == pytest.approx(1)  # some observations tell
    paid = [Task.make("ctgraph", goal=g, step_r=r) for g, r in (((1, 1), 0.0), ((2, 2), -0.01))]
    assert ceiling(paid) == pytest.approx(1)  # rewards on the way tell
    dense = [Task.make("ctgraph", goal=g, reward="gradient") for g in ((1, 1), (1, 2))]
    assert 0.5 < ceiling(dense) < 1
    assert ceiling([Task.make("toy/continuous")]) is None


def test_the_ceiling_is_the_best_of_all_policies_by_brute_force():
    """All ways through two goals of unequal worth, each as a share of its optimum, with a step that costs."""
    tasks = [Task.make("ctgraph", goal=g, high_r=h, step_r=-0.01) for g, h in (((1, 1), 1.0), ((2, 1), 3.0))]
    best = max(
        np.mean([(_walk(t, way) - _low(t)) / (_walk(t, t["goal"]) - _low(t)) for t in tasks])
        for way in ((1, 1), (1, 2), (2, 1), (2, 2), None)
    )
    assert ceiling(tasks) == pytest.approx(best)


def _walk(task, way):
    """The return of waiting where one must and deciding this way; failing at once without one."""

    env = mohs.make(task)
    env.reset(seed=0)
    total, over = 0.0, False
    actions = [0, 0, way[0], 0, way[1], 0] if way else [1]
    for action in actions:
        if not over:
            _, reward, ended, cut, _ = env.step(action)
            total, over = total + reward, ended or cut
    return total


def _low(task):
    return min(0.0, task.environment.realisation("score")(task).low.value)


def test_agents_that_observe_the_task_id_have_no_such_ceiling():
    study = study_of(task_id=True)
    assert judged(study, results_of(study, lambda *_: 1.0)).ceiling is None


def test_bad_studies_are_refused_in_a_sentence():
    with pytest.raises(UsageError, match="at least one agent"):
        LifelongStudy.make(course(), [])
    with pytest.raises(UsageError, match="mode"):
        study_of(mode="gredy")
    with pytest.raises(UsageError, match="steps"):
        study_of(steps=0)
    with pytest.raises(UsageError, match=r"sac: .*continuous actions"):
        planned(LifelongStudy.make(course(), [agent("sac")]), Execution())


def test_reports_and_logs_of_real_runs(tmp_path):
    course_ = Curriculum.make("tiny", {n: Task.make("ctgraph", goal=GOALS[n]) for n in "abc"}, ["a", "b"], steps=200)
    study = LifelongStudy.make(course_, [agent("dqn"), agent("dqn", lifelong="separate")], seeds=3, episodes=4)
    how = Execution(f"sqlite:///{tmp_path}/store.db", workers=0, progress="silent")
    found = carry_out(study, planned(study, how), how).verdict
    assert found.missing == 0
    assert found.agents[1].metrics["forgetting"].value == 0  # greedy play of the same networks, no chance in the graph
    page = found.save(tmp_path / "report").read_text()
    assert "What is kept, and what transfers?" in page
    assert "held out" in page
    data = json.loads((tmp_path / "report" / "verdict.json").read_text())
    assert data["agents"][0]["metrics"]["average_performance"]["n"] == 3
    assert (tmp_path / "report" / "matrix.csv").read_text().count("\n") == 1 + 2 * 3 * 3

    written = write_logs(found, tmp_path / "logs")
    assert len(written) == 2 * 3 * (1 + 2)
    one = tmp_path / "logs" / "finetune-seed0"
    assert json.loads((one / "logger_info.json").read_text())["metrics_columns"] == ["performance"]
    blocks = sorted(p.parent.name for p in one.rglob("data-log.tsv"))
    assert blocks == ["0-test", "1-train", "2-test", "3-train", "4-test"]
    rows = [line.split("\t") for line in (one / "worker-0" / "4-test" / "data-log.tsv").read_text().splitlines()]
    assert tuple(rows[0]) == COLUMNS
    assert [row[COLUMNS.index("task_name")] for row in rows[1:]] == ["a_0", "b_1", "c_2"]
    last = found.agents[0].evaluations[0, -1]
    assert [float(row[-1]) for row in rows[1:]] == pytest.approx((100 * last).tolist())


def test_tasks_without_exact_references_are_measured_by_random_play_and_experts():
    tasks = {n: Task.make("ctgraph", goal_every=5, fail_r=-1.0, depth=d) for n, d in (("x", 1), ("y", 2))}
    study = LifelongStudy.make(Curriculum.make("own", tasks, ["x", "y"], steps=105), [agent("dqn")], seeds=3)
    cells = plan(study).cells
    assert sum(cell.agent.name == "random" for cell in cells) == 2 * 3
    assert math.isnan(judged(study, {}).performance["x"].spread)
    found = judged(study, results_of(study, lambda seed, k, task: 0.25, experts=0.5))
    assert found.missing == 0
    assert found.performance["x"].high.value == 0.5
    assert "of what experts reach" in found.sentences[0]
    nothing = judged(study, results_of(study, lambda *_: 0.0, experts=0.0))
    assert "performance is not defined" in nothing.sentences[0]
    assert nothing.missing == 0


def test_points_whose_window_lies_in_two_blocks_belong_to_none():
    blocks = list(course(blocks=[["a", 105], ["b", 100]]).inside(np.arange(20, 206, 20), 20))
    assert [at.sum() for _, at in blocks] == [5, 4]  # not the one from step 100 to 120


def test_agents_that_cannot_do_what_is_asked_are_refused():
    with pytest.raises(UsageError, match="gorp cannot observe the task id"):
        LifelongStudy.make(course(), [agent("gorp")], task_id=True)
    with pytest.raises(UsageError, match="methods are for deep agents"):
        with_methods(agent("random"), ["finetune", "reset"])
    with pytest.raises(UsageError, match="methods names finetune twice"):
        with_methods(agent("dqn"), ["finetune", "ewc", "finetune"])


def test_a_lifelong_run_that_observes_the_task_id_begins_as_its_expert_does(tmp_path):
    study = study_of(task_id=True, seeds=1)
    with open_store(f"sqlite:///{tmp_path}/runs.db") as store:
        execute(plan(study), store, Execution(workers=0, progress="silent"))
        results = dict(store.results(plan(study).runs))
    whole, expert = (
        results[cell.key]["train/return"][1][:50]
        for cell in (study.lifelong_run(study.agents[0], 0), study.expert(study.agents[0], "a", 0))
    )
    np.testing.assert_array_equal(whole, expert)


def test_tasks_that_are_held_out_have_experts_where_nobody_knows_their_optimum():
    tasks = {"plain": Task.make("CartPole-v1"), "late": Task.make("CartPole-v1", delay=2)}
    study = LifelongStudy.make(Curriculum.make("cart", tasks, ("plain",), steps=100), [agent("dqn")], seeds=1)
    keys = {cell.key for cell in plan(study).cells}
    assert study.expert(study.agents[0], "late", 0).key in keys
    assert study.expert(study.agents[0], "late", 0).steps == 100


def test_a_run_shorter_than_a_rollout_is_refused_beforehand():
    with pytest.raises(UsageError, match="n_steps=2048 steps, but the run only 300"):
        planned(LifelongStudy.make(course(), [agent("sb3:PPO")], seeds=1), Execution())
    with pytest.raises(UsageError, match=r"expert at b: .* n_steps=128 steps, but the run only 100"):
        planned(LifelongStudy.make(course(), [agent("sb3:PPO", n_steps=128)], seeds=1), Execution())


def test_no_number_is_said_that_rests_on_too_few_runs():
    study = study_of(seeds=2)
    said = judged(study, results_of(study, lambda *_: 1.0)).sentences[0]
    assert said == "dqn: too few runs for a verdict, n = 2; 3 or more are needed."
    three = study_of(seeds=3)
    results = results_of(three, lambda *_: 1.0)
    for seed in range(3):
        del results[three.expert(three.agents[0], "a", seed).key]
        if seed < 2:
            del results[three.expert(three.agents[0], "b", seed).key]
    found = judged(three, results)
    assert found.agents[0].metrics["relative_performance"].n == 1
    assert "ends at 1.00 (95% interval 1.00 to 1.00) of the optimum" in found.sentences[0]
    assert "experts" not in found.sentences[0]


def test_the_ceiling_is_named_in_the_legend_where_no_line_can_cross_its_name():
    figure = judged(study_of(), results_of(study_of(), lambda *_: 0.4)).figures()["average"]
    (line,) = (trace for trace in figure.data if trace.name.startswith(CEILING))
    assert line.y == (0.5, 0.5)
    assert figure.layout.showlegend
    assert not any(CEILING in (note.text or "") for note in figure.layout.annotations)


def test_average_performance_has_no_neutral_value():
    found = judged(study_of(), results_of(study_of(), lambda *_: 1.0))
    figures = found.figures()
    lines = [shape for shape in figures["metrics"].layout.shapes if shape.line.dash == "dash"]
    drawn = sum(found.agents[0].metrics[name].n > 0 for name in METRICS)
    assert len(lines) == drawn - 1
    page = page_html(found.page(), found.to_json())
    row = page[page.index("<td>average performance</td>") :].partition("</tr>")[0]
    assert row.endswith("<td>–</td>")


def test_what_lifelong_runs_cost_is_known_beforehand():
    course_of_two = course(blocks=("a", "b"), steps=300, tasks="ab")
    for made in (agent("dqn"), agent("sb3:DQN"), agent("random")):
        study = LifelongStudy.make(course_of_two, [made], seeds=2)
        found = cost(plan(study).cells, 1)
        assert (found.cells, found.broken) == (len(plan(study).cells), 0)
        assert found.steps == 2 * (600 + 2 * 300)
        assert found.seconds > 0


def test_a_separate_network_for_each_task_is_not_bound_by_the_ceiling():
    study = study_of("finetune", "separate")
    said = " ".join(judged(study, results_of(study, lambda *_: 1.0)).sentences)
    assert "separate selects its network by the task id, and so observes it" in said
    assert "separate" not in " ".join(judged(study_of(), {}).sentences)
