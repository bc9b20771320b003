"""A study answers by differences that are paired by seed, with intervals that hold together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mohs.core.cell import Agent
from mohs.protocols.experiment.contrasts import contrast_sentences
from mohs.protocols.experiment.page import differences_csv
from mohs.protocols.experiment.study import Axis, Evaluation, Experiment, Level, StudyAgent, plan
from mohs.protocols.experiment.verdict import ExperimentVerdict, verdict
from mohs.runs.results import Results
from mohs.stats import estimate

STEPS = np.arange(100, 1001, 100)


def judged(
    agents: tuple[str, ...], delays: tuple[int, ...], returns: Callable[[str, int, int], float], seeds: int = 6
) -> ExperimentVerdict:
    levels = tuple(Level(delay, (("delay", delay),)) for delay in delays)
    asked = Experiment(
        "small", "", "Which is better?", "–", "grid", seeds,
        tuple(StudyAgent(name, Agent.make(name), 1000) for name in agents),
        "toy/discrete", (), (Axis("delay", levels),), Evaluation(), ("auc", "length"),
    )  # fmt: skip
    scores = {}
    for cell in plan(asked).cells:
        curve = np.full(10, float(returns(cell.agent.name, cell.segments[0].source["delay"], cell.seed)))
        flat = {"train/return": curve, "train/length": curve, "eval/return": curve, "eval/length": curve}
        scores[cell.key] = {name: (STEPS, values) for name, values in flat.items()}
    return verdict(asked, Results.of(plan(asked), scores))


def test_agents_are_subtracted_seed_by_seed() -> None:
    """Seeds differ by far more than agents do, and the pairs show the difference all the same."""
    noise = {("sarsa", 8, seed): 0.1 * (-1) ** seed for seed in range(6)}

    def returns(agent: str, delay: int, seed: int) -> float:
        lost = 5.0 if agent == "sarsa" and delay == 8 else 0.0
        return 20.0 + 8 * seed - lost + noise.get((agent, delay, seed), 0.0)

    found = judged(("q_learning", "sarsa"), (0, 8), returns)
    (contrasts,) = found.contrasts
    assert [(row.first, row.second, contrasts.where(row)) for row in contrasts.rows] == [
        ("sarsa", "q_learning", "delay = 0"), ("sarsa", "q_learning", "delay = 8"),
    ]  # fmt: skip
    row = contrasts.rows[1]
    alone = estimate([-5 + 0.1 * (-1) ** seed for seed in range(6)], comparisons=2)
    assert (row.difference.value, row.difference.low, row.difference.high) == pytest.approx(
        (alone.value, alone.low, alone.high)
    )
    assert row.certain
    assert found.sentences[0].startswith("At delay = 8 sarsa scores 5.00 [4.")
    assert "less than q_learning (AUC, n = 6)" in found.sentences[0]
    assert "Of 2 points it is certainly higher at 0 and lower at 1" in found.sentences[0]
    assert len(found.to_json()["differences"]) == 2
    assert len(differences_csv(found).splitlines()) == 3
    drawn = found.figures()["compared-1"].data
    assert [trace.name for trace in drawn] == ["q_learning", "sarsa", "sarsa − q_learning"]


def test_one_agent_is_held_against_vanilla_wherever_that_stands() -> None:
    found = judged(("q_learning",), (4, 0, 8), lambda _, delay, seed: 50 - 3 * delay + 0.1 * (seed % 3))
    (contrasts,) = found.contrasts
    assert {row.second for row in contrasts.rows} == {"delay = 0"}
    assert [row.difference.value for row in contrasts.rows] == pytest.approx([-12, -24])
    assert found.sentences[0].startswith("At delay = 8 q_learning scores 24.0 [24.0, 24.0] less than at delay = 0")


def test_what_is_not_certain_says_how_many_runs_would_decide() -> None:
    rng = np.random.default_rng(0)
    drawn = {(agent, seed): 30 + 3 * rng.standard_normal() for agent in ("q_learning", "sarsa") for seed in range(6)}
    found = judged(("q_learning", "sarsa"), (0,), lambda agent, _, seed: drawn[agent, seed])
    assert "do not certainly differ" in found.sentences[0]
    assert "runs would decide" in found.sentences[0]


def test_two_runs_are_too_few_and_said_to_be() -> None:
    found = judged(("q_learning", "sarsa"), (0, 1), lambda *_: 3.0, seeds=2)
    assert contrast_sentences(found.contrasts[0]) == (
        "sarsa and q_learning: too few pairs of runs for a difference in AUC, n = 2.",
    )
