"""Where a game does not say what can be earned, is chance taken for learning?"""

from __future__ import annotations

import numpy as np

from mohs.core.cell import Agent
from mohs.core.task import Task
from mohs.protocols.lcd.conditions import PIXELS
from mohs.protocols.lcd.study import PROBE, RANDOM, LcdStudy, plan
from mohs.protocols.lcd.verdict import Challenge, LcdVerdict, verdict
from mohs.runs.results import Results

GAME = "MinAtar/Breakout-v1"
CHANCE, NOISE = 0.5, 0.05


def judged(seed: int, **earned: tuple[float, float]) -> LcdVerdict:
    """A verdict on agents that earn so much in the semantic view and in pixels, whatever the reward."""
    task = Task.make(GAME, max_episode_steps=100)
    asked = LcdStudy.make([Agent.make(name) for name in earned], {GAME: task}, seeds=5, steps=1000, controls=False)
    rng, steps, curves = np.random.default_rng(seed), np.array(asked.at), {}
    for track in plan(asked).tracks:
        at = np.zeros(1, dtype=int) if track.agent == RANDOM else steps
        mean = CHANCE if track.agent == RANDOM else earned[track.agent][PIXELS in track.point]
        curves[track] = tuple(
            {f"{PROBE}/{name}": (at, mean + NOISE * rng.standard_normal(len(at))) for name in ("return", "length")}
            for _ in range(asked.seeds)
        )
    return verdict(asked, Results(asked.seeds, curves, len(curves) * asked.seeds, 0))


def test_chance_is_no_learning() -> None:
    told = [judged(seed, ppo=(CHANCE, CHANCE)).results[0].challenge for seed in range(60)]
    assert sum(kind is not Challenge.UNKNOWN for kind in told) <= 4
    assert "not clearly better than the random policy" in judged(1, ppo=(CHANCE, CHANCE)).sentences[0]


def test_what_is_learnt_is_judged_and_has_no_ceiling() -> None:
    (found,) = judged(0, ppo=(5.0, 2.0)).results
    assert found.challenge is Challenge.PERCEPTION
    (same,) = judged(0, ppo=(5.0, 5.0)).results
    assert same.challenge is Challenge.NEITHER


def test_all_agents_of_a_game_have_one_scale() -> None:
    found = judged(0, ppo=(5.0, 2.0), a2c=(9.0, 2.0), dqn=(CHANCE, CHANCE))
    assert len({r.runs.score.high.value for r in found.results}) == 1
    assert "a2c" in found.results[0].runs.score.high.source
    assert [r.challenge for r in found.results][-1] is Challenge.UNKNOWN
