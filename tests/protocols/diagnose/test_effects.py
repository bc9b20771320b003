"""Every word of a verdict follows from its rule, and from nothing less."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from mohs.core.cell import Agent
from mohs.protocols.diagnose.effects import SMALL, Effect, effect_of, is_learnt, why_identical
from mohs.protocols.diagnose.study import DiagnosisStudy
from mohs.stats import BreakingDose, BreakingStatus, Estimate, Side

RETURNS = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 2.5]])


def loss(low: float, high: float) -> Estimate:
    return Estimate((low + high) / 2, low, high, 10, 0.95, "mean", "t")


def crossing(status: BreakingStatus = BreakingStatus.REACHED, low: float = 2.0, high: float = 4.0) -> BreakingDose:
    return BreakingDose(status, 3.0, low, high, 10, 0.95)


REACHED = crossing()
BEYOND = crossing(high=math.inf)  # on average inside the tested doses, perhaps not
NOT_REACHED = crossing(BreakingStatus.NOT_REACHED, math.inf, math.inf)
NEARLY = crossing(BreakingStatus.NOT_REACHED, high=math.inf)  # not on average, but perhaps inside
NOT_LEARNT = crossing(BreakingStatus.NOT_LEARNT, math.nan, math.nan)
TOO_FEW = crossing(BreakingStatus.TOO_FEW, math.nan, math.nan)
UNORDERED = crossing(BreakingStatus.UNORDERED, math.nan, math.nan)


@pytest.mark.parametrize(
    ("breaking", "found", "effect"),
    [
        ([REACHED], loss(0.4, 0.6), Effect.BREAKS),
        ([NOT_REACHED, REACHED], loss(0.4, 0.6), Effect.BREAKS),  # one side is enough
        ([REACHED], loss(-0.1, 0.9), Effect.MAY_BREAK),  # the damage may be none
        ([REACHED], loss(0.0, 0.9), Effect.MAY_BREAK),
        ([BEYOND], loss(0.4, 0.6), Effect.MAY_BREAK),  # the crossing may lie outside
        ([crossing(low=-math.inf)], loss(0.4, 0.6), Effect.MAY_BREAK),
        ([NEARLY], loss(0.2, 0.4), Effect.MAY_BREAK),
        ([NOT_REACHED], loss(0.01, 0.3), Effect.COSTS),
        ([UNORDERED], loss(0.2, 0.9), Effect.COSTS),  # without an order there is no breaking dose
        ([NOT_REACHED], loss(-0.05, 0.09), Effect.SMALL),
        ([NOT_REACHED], loss(1e-16, 2e-16), Effect.SMALL),  # a rounding error
        ([NOT_REACHED], loss(0.01, 0.09), Effect.SMALL),  # so little harm does not count either
        ([NOT_REACHED], loss(-SMALL, SMALL), Effect.SMALL),
        ([NOT_REACHED], loss(-0.05, 0.11), Effect.UNCLEAR),
        ([NOT_REACHED], loss(-0.5, -0.2), Effect.HELPS),
        ([NOT_REACHED], loss(-0.05, -0.02), Effect.SMALL),  # so little help does not count
        ([TOO_FEW], loss(math.nan, math.nan), Effect.TOO_FEW),
        ([NOT_LEARNT], loss(0.4, 0.6), Effect.NOT_LEARNT),
        ([NOT_LEARNT], loss(math.nan, math.nan), Effect.NOT_LEARNT),
    ],
)
def test_the_rules(breaking, found, effect):
    assert effect_of(RETURNS, [1], NOT_LEARNT not in breaking, breaking, dict.fromkeys(Side, found)) == effect


def test_a_side_breaks_by_its_own_damage():
    up = replace(REACHED, side=Side.UP)
    losses = {Side.NONE: loss(-0.2, 0.3), Side.UP: loss(0.5, 0.7), Side.DOWN: loss(-0.9, -0.1)}
    assert effect_of(RETURNS, [0, 1], True, [up], losses) == Effect.BREAKS
    assert effect_of(RETURNS, [0, 1], True, [replace(up, side=Side.DOWN)], losses) == Effect.MAY_BREAK


def test_an_uncertain_vanilla_is_neither_learnt_nor_not():
    assert is_learnt(loss(0.2, 0.9)) is True
    assert is_learnt(replace(loss(-1.8, 1.7), value=0.67)) is None
    assert is_learnt(loss(-0.05, 0.15)) is False
    assert is_learnt(loss(math.nan, math.nan)) is None
    unknown = dict.fromkeys(Side, loss(math.nan, math.nan))
    assert effect_of(RETURNS, [1], None, [NOT_LEARNT], unknown) == Effect.UNCLEAR


def test_identical_runs_have_no_effect_whatever_the_intervals_say():
    same = np.array([[1.0, 2.0, np.nan], [1.0, 2.0, 3.0]])
    assert effect_of(same, [1], True, [REACHED], dict.fromkeys(Side, loss(0.4, 0.6))) == Effect.IDENTICAL
    assert effect_of(same, [1], False, [NOT_LEARNT], dict.fromkeys(Side, loss(0.4, 0.6))) == Effect.NOT_LEARNT


def test_without_a_harder_dose_nothing_is_said():
    assert effect_of(RETURNS, [], True, [REACHED], dict.fromkeys(Side, loss(0.4, 0.6))) == Effect.UNTESTED


def test_every_effect_has_been_made():
    made = {case[2] for mark in test_the_rules.pytestmark for case in mark.args[1]}
    assert made | {Effect.IDENTICAL, Effect.UNTESTED} == set(Effect)


def test_reasons_for_identical_runs():
    def study(**params):
        return DiagnosisStudy.make(Agent.make("q_learning"), dials=["delay"], params=params)

    assert why_identical(study(), "delay") == ""
    assert "paid when the episode terminates" in why_identical(study(delay_at_end="terminated"), "delay")
    assert "complete at once" in why_identical(study(), "make_denser")
    assert why_identical(study(sequence_length=2, reward_density=0.5), "make_denser") == ""
