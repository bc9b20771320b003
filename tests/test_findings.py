"""Are the paper's findings decided as the page says? Made-up verdicts for every outcome; nothing is trained here."""

from __future__ import annotations

import importlib
import re
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from mohs.agents.registry import agent, learner
from mohs.core.cell import Agent, Cell, Segment
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.protocols.experiment.study import Axis, Evaluation, Experiment, Level, StudyAgent, plan
from mohs.protocols.experiment.verdict import ExperimentVerdict, verdict
from mohs.runs.results import Results

ROOT = Path(__file__).resolve().parent.parent
SEEDS = 10
NOISE = np.random.default_rng(0).normal(size=(4, SEEDS))  # of each level and seed
NOISE -= NOISE.mean(axis=1, keepdims=True)  # so that means are the ones that a test asks for


@pytest.fixture(autouse=True)
def root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


@pytest.fixture
def claims() -> ModuleType:
    return importlib.import_module("benchmarks.findings.claims")


@pytest.fixture
def catalogue() -> ModuleType:
    return importlib.import_module("benchmarks.findings.catalogue")


def study(levels: int, seeds: int = SEEDS, agents: tuple[str, ...] = ("q_learning",), name: str = "s") -> Experiment:
    return Experiment(
        name, "quick", "Does it work?", "–", "grid", seeds,
        tuple(StudyAgent(label, Agent.make("q_learning"), 1000) for label in agents),
        "toy/discrete", (), (Axis("delay", tuple(Level(i, (("delay", i),)) for i in range(levels))),),
        Evaluation(1, 5), ("auc",),
    )  # fmt: skip


def concluded(asked: Experiment, scores: dict[str, Any]) -> ExperimentVerdict:
    return verdict(asked, Results.of(plan(asked), scores))


def made_up(means: list[float], spread: float = 1.0, seeds: int = SEEDS) -> dict[str, Any]:
    """A study whose runs have these mean returns at its levels."""
    asked = study(len(means), seeds)
    scores = {}
    for cell in plan(asked).cells:
        level = cell.segments[0].source["delay"]
        value = means[level] + spread * NOISE[level, cell.seed]
        steps = np.arange(100, 1001, 100)
        scores[cell.key] = {
            "train/return": (steps, np.full(10, value)), "train/length": (steps, np.full(10, 50.0)),
            "eval/return": (steps[-1:], np.array([value])), "eval/length": (steps[-1:], np.array([50.0])),
        }  # fmt: skip
    return {"s": concluded(asked, scores)}


def decided(claims: ModuleType, claim: Any, verdicts: dict[str, Any]) -> bool | None:
    (found,) = claims.check([claim], "q_learning", verdicts)
    assert all(e.n == verdicts["s"].experiment.seeds for e in found.numbers)
    return found.holds


@pytest.mark.parametrize(
    ("means", "spread", "seeds", "holds"),
    [
        ([50, 30], 1.0, SEEDS, True),
        ([50, 49], 0.1, SEEDS, True),  # small, but sure
        ([50, 50], 1.0, SEEDS, False),  # no room for an effect of 10
        ([30, 50], 1.0, SEEDS, False),
        ([50, 45], 20.0, SEEDS, None),
        ([50, 30], 1.0, 2, None),  # too few runs for an interval
    ],
)
def test_more(claims, means, spread, seeds, holds):
    claim = claims.More("", (claims.At("auc", (0,), "s"),), (claims.At("auc", (1,), "s"),), least=10)
    assert decided(claims, claim, made_up(means, spread, seeds)) is holds


@pytest.mark.parametrize(("means", "spread", "holds"), [([40], 1, True), ([20], 1, False), ([25], 9, None)])
def test_more_than_a_bound(claims, means, spread, holds):
    claim = claims.More("", (claims.At("auc", (0,), "s"),), over=25.0)
    assert decided(claims, claim, made_up(means, spread)) is holds


@pytest.mark.parametrize(
    ("means", "spread", "holds"), [([50, 53], 1, True), ([50, 30], 1, False), ([30, 50], 1, False), ([50, 41], 9, None)]
)
def test_flat(claims, means, spread, holds):
    claim = claims.Flat("", claims.At("auc", (0,), "s"), claims.At("auc", (1,), "s"), 10)
    assert decided(claims, claim, made_up(means, spread)) is holds


@pytest.mark.parametrize(
    ("means", "spread", "holds"),
    [
        ([10, 30, 20, 10], 1.0, True),
        ([40, 30, 20, 10], 1.0, False),  # the smaller the better
        ([10, 20, 30, 40], 1.0, False),
        ([10, 12, 11, 10], 9.0, None),
        ([30, 30, 30, 10], 1.0, None),  # as good at an end as between
    ],
)
def test_an_optimum_inside(claims, means, spread, holds):
    assert decided(claims, claims.Inside("", "auc", "s"), made_up(means, spread)) is holds


def test_an_optimum_is_compared_with_the_best_between(claims):
    (found,) = claims.check([claims.Inside("", "auc", "s")], "q_learning", made_up([10, 20, 30, 15]))
    assert [e.value for e in found.numbers] == pytest.approx([20, 15])


def test_sides_are_sums_of_weighted_runs(claims):
    at = [claims.At("auc", (i,), "s", times=times) for i, times in ((0, 1.0), (1, 0.5), (2, 2.0))]
    (found,) = claims.check([claims.More("", (at[0], at[1]), (at[2],))], "q_learning", made_up([50, 40, 30]))
    assert found.numbers[0].value == pytest.approx(50 + 20 - 60)


def test_intervals_of_a_finding_hold_together(claims):
    flat = claims.Flat("", claims.At("auc", (0,), "s"), claims.At("auc", (1,), "s"), 10)
    found = claims.check([flat, claims.Inside("", "auc", "s")], "q_learning", made_up([1, 2, 3, 4]))
    assert {e.level for c in found for e in c.numbers} == {1 - 0.05 / 5}  # one pair, and two levels with two ends


@pytest.mark.parametrize(
    ("holds", "outcome"),
    [
        ((True, True), "reproduced"),
        ((True, None), "open"),
        ((None, None), "open"),
        ((True, False), "different"),
        ((True, False, None), "different"),
        ((False, None), "not reproduced"),
        ((False, False), "not reproduced"),
    ],
)
def test_outcomes(claims, holds, outcome):
    assert claims.outcome([claims.Check("", (), each) for each in holds]) == outcome


@pytest.mark.parametrize(("mean", "holds"), [(60, True), (2, None)])
def test_what_is_not_learnt_leaves_a_finding_open(claims, mean, holds):
    """Equal returns deny a cost, but only where there was something to lose."""
    at = [claims.At("auc", (i,), "s") for i in (0, 1)]
    needed, cost = claims.Learnt("", (0,), "s"), claims.More("", (at[0],), (at[1],), least=10)
    found = claims.check([needed, cost], "q_learning", made_up([mean, mean]))
    assert [c.holds for c in found] == [holds, False]
    assert claims.outcome(found) == ("not reproduced" if holds else "open")


def invented(asked: Experiment, hard: bool) -> dict[str, Any]:
    """Returns that fall by 10 from level to level, or not at all."""
    order = {level.value: i for i, level in enumerate(asked.axes[0].levels)}
    scores = {}
    for cell in plan(asked).cells:
        fall = 10.0 * order[cell.segments[0].source[asked.axes[0].name]] if hard else 0.0
        value = 80.0 - fall + NOISE[0, cell.seed % SEEDS]
        steps = np.arange(1000, cell.steps + 1, 1000)
        scores[cell.key] = {
            "train/return": (steps, np.full(len(steps), value)), "train/length": (steps, np.full(len(steps), 90.0)),
            "eval/return": (steps[-1:], np.array([value])), "eval/length": (steps[-1:], np.array([90.0])),
        }  # fmt: skip
    return scores


@pytest.mark.parametrize(
    ("name", "hard", "outcome"),
    [
        ("delay", True, "reproduced"),
        ("delay", False, "not reproduced"),
        ("density", False, "reproduced"),
        ("density", True, "not reproduced"),  # ends are 20 apart
    ],
)
def test_a_finding_is_judged_from_its_study(catalogue, name, hard, outcome):
    judge = importlib.import_module("benchmarks.findings.judge")
    (finding,) = catalogue.chosen([name])
    asked = {study: catalogue.experiment(study, "quick") for study in finding.studies}
    verdicts = {study: concluded(e, invented(e, hard)) for study, e in asked.items()}
    (found,) = judge.judge([finding], verdicts)
    assert {judged.agent: judged.outcome for judged in found.judged} == dict.fromkeys(
        ("dqn", "rainbow", "a2c"), outcome
    )
    assert found.judged[0].n == asked[finding.studies[0]].seeds
    assert found.to_json()["outcome"] == outcome


def test_a_finding_without_comparisons_is_not_run_yet(catalogue):
    """The plain task alone, which other studies have too, shows nothing."""
    judge = importlib.import_module("benchmarks.findings.judge")
    (finding,) = catalogue.chosen(["delay"])
    asked = catalogue.experiment("delay", "quick")
    plain = {cell.key for cell in plan(asked).cells if cell.segments[0].source["delay"] == 0}
    scores = {key: curves for key, curves in invented(asked, True).items() if key in plain}
    for there in ({}, scores):
        (found,) = judge.judge([finding], {"delay": concluded(asked, there)})
        assert found.outcome == "not run yet"


def test_every_finding_claims_something_of_studies_that_are_there(catalogue, claims):
    assert len({finding.name for finding in catalogue.FINDINGS}) == len(catalogue.FINDINGS)
    asked = {s: catalogue.experiment(s, "quick") for finding in catalogue.FINDINGS for s in finding.studies}
    verdicts = {name: concluded(e, {}) for name, e in asked.items()}
    for finding in catalogue.FINDINGS:
        agents, made = finding.judged(asked), finding.claims(asked)
        assert agents[0] == finding.agents[0]
        found = claims.check(made, agents[0], verdicts)  # every point and measure exists
        assert found
        assert all(c.holds is None and all(e.n == 0 for e in c.numbers) for c in found)


def test_findings_are_chosen_by_figure_or_name(catalogue):
    def names(*words: str) -> list[str]:
        return [finding.name for finding in catalogue.chosen(words)]

    assert names("9") == ["delay", "sequence_length", "sequences_and_delays"]
    assert names("9a") == ["delay", "sequences_and_delays"]
    assert names("density", "16") == ["density", "broken_part"]
    assert names() == [finding.name for finding in catalogue.FINDINGS]
    with pytest.raises(UsageError, match="unknown finding 'desnity'"):
        names("desnity")


def test_the_page_keeps_its_prose(catalogue, tmp_path):
    page, judge = (importlib.import_module(f"benchmarks.findings.{name}") for name in ("page", "judge"))
    asked = {s: catalogue.experiment(s, "quick") for finding in catalogue.FINDINGS for s in finding.studies}
    results = judge.judge(catalogue.FINDINGS, judge.outcomes(asked, None))
    copy = tmp_path / "findings.md"
    copy.write_text(page.PAGE.read_text())
    page.write_page(results, judge.outcomes(asked, None), "quick", copy)
    once = copy.read_text()
    page.write_page(results, judge.outcomes(asked, None), "quick", copy)
    assert copy.read_text() == once
    assert once.count("Not run yet. It claims that\n\n- ") == len(catalogue.FINDINGS)
    assert once.split(page.BEGIN)[0] == page.PAGE.read_text().split(page.BEGIN)[0]
    with pytest.raises(UsageError, match="once each"):
        page.filled("prose alone", "part")


def test_the_page_has_every_number_that_decides(catalogue):
    page, judge = (importlib.import_module(f"benchmarks.findings.{name}") for name in ("page", "judge"))
    (finding,) = catalogue.chosen(["delay"])
    asked = {"delay": catalogue.experiment("delay", "quick")}
    verdicts = {"delay": concluded(asked["delay"], invented(asked["delay"], True))}
    results = judge.judge([finding], verdicts)
    text = page.generated(results, verdicts, "quick")
    n = asked["delay"].seeds
    row = f"| Figure 9a | Delays cost return. | dqn | **reproduced**, n = {n} | rainbow reproduced, a2c reproduced |"
    assert row in text
    assert len(re.findall(rf"\| dqn \| a delay of \d .* \| {n} \| holds \|", text)) == 4
    assert "![How much does a delay of rewards cost?](images/findings/delay.png)" in text
    assert page.figure(verdicts["delay"]).data


def test_the_broken_agent_is_rainbow_with_noise_that_is_too_loud():
    """Its last noisy layers do not scale their noise by the number of inputs; nothing else differs."""
    name = "benchmarks.findings.broken_rainbow:BROKEN_RAINBOW"
    cell = Cell(agent("rainbow"), 0, (Segment(Task.make("toy/discrete"), 20),))
    whole, broken = (learner([replace(cell, agent=agent(of))])._algorithm.parts for of in ("rainbow", name))
    for part in ("online", "target"):
        for stream in ("advantage", "value"):
            (own, last), (loud_own, loud) = (getattr(of[part], stream) for of in (whole, broken))
            np.testing.assert_allclose(loud.scale.detach(), last.inputs**0.5 * last.scale.detach(), rtol=1e-6)
            np.testing.assert_allclose(loud.bias_scale.detach(), last.inputs**0.5 * last.bias_scale.detach(), rtol=1e-6)
            assert torch.equal(loud.mean.weight, last.mean.weight)
            assert torch.equal(loud_own.layers[0].scale, own.layers[0].scale)
