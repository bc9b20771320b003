"""A mean return lies between those of the worst and of the best policy, whoever learns."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

import mohs
from mohs.core.task import Task
from mohs.exact.references import return_range
from mohs.protocols.ranges import UNKNOWN, known_range
from mohs.protocols.scale import own_references
from mohs.stats import estimate

SCALE = own_references("toy/discrete")


def test_without_noise_the_best_is_the_reference() -> None:
    task = Task.make("toy/discrete", delay=4, seed=3)
    assert known_range("eval", [task], SCALE) == (0.0, 96.0)
    assert known_range("auc_paper", [task], SCALE) == pytest.approx((0.0, 100.0))
    low, high = known_range("normalised_auc", [task], SCALE)
    assert (low < 0, high) == (True, pytest.approx(1.0))
    assert known_range("length", [task], SCALE) == (0.0, 100.0)


def test_transition_noise_lowers_what_can_be_evaluated_but_not_what_an_episode_may_pay() -> None:
    task = Task.make("toy/discrete", transition_noise=0.1)
    assert known_range("eval", [task], SCALE)[1] == pytest.approx(29.8, abs=0.1)
    assert known_range("auc", [task], SCALE) == (0.0, 100.0)
    assert known_range("noise_free", [task], SCALE) == (0.0, pytest.approx(100.0))


def test_reward_noise_moves_no_mean() -> None:
    assert return_range(Task.make("toy/discrete", reward_noise=5.0)) == return_range(Task.make("toy/discrete"))


def test_where_the_delay_is_as_long_as_an_episode_every_policy_earns_the_same() -> None:
    task = Task.make("toy/discrete", delay=5, max_episode_steps=5)
    assert known_range("eval", [task], SCALE) == (0.0, 0.0)
    assert known_range("auc_paper", [task], SCALE) == UNKNOWN
    found = estimate([0.0, 0.0, 0.0], bounds=known_range("eval", [task], SCALE))
    assert (found.low, found.high) == (0.0, 0.0)


def test_a_dose_without_the_papers_scaling_has_no_value_of_it_and_all_others(tmp_path) -> None:
    found = mohs.diagnose(
        "random", dials=["delay"], doses={"delay": [0, 2, 8]}, params={"max_episode_steps": 8}, seeds=3, budget=400,
        workers=0, progress="silent", store=f"sqlite:///{tmp_path}/store.db", keep_going=True,
    )  # fmt: skip
    at = {dose.value: dose for dose in found.dials[0].doses}
    assert [math.isnan(at[delay].means["auc_paper"].value) for delay in (0, 2, 8)] == [False, False, True]
    assert [at[8].means[name].value for name in ("auc", "final", "eval")] == [0, 0, 0]
    assert found.summary()
    assert found.page().figures
    json.dumps(found.to_json(), allow_nan=False)


def test_several_tasks_have_the_range_of_all() -> None:
    tasks = [Task.make("toy/discrete", delay=delay) for delay in (0, 8)]
    assert known_range("eval", tasks, SCALE) == (0.0, pytest.approx(100.0))


@pytest.mark.parametrize("env", ["CartPole-v1", "toy/continuous"])
def test_what_is_not_solved_has_no_known_range(env: str) -> None:
    assert known_range("eval", [Task.make(env)], None) == UNKNOWN


@pytest.mark.parametrize("params", [{}, {"transition_noise": 0.25}, {"sequence_length": 2, "delay": 1}])
def test_what_agents_earn_lies_inside(params: dict[str, float], tmp_path) -> None:
    study = mohs.diagnose(
        "optimal", dials=["delay"], doses={"delay": [0, 1]}, params=params, seeds=3, budget=2000, workers=0,
        progress="silent", store=f"sqlite:///{tmp_path}/store.db", keep_going=True,
    )  # fmt: skip
    for name in ("auc", "final", "length", "noise_free"):
        samples = study.vanilla.samples[name]
        tasks = [replace(study.study.task({}), seed=seed) for seed in range(3)]
        low, high = known_range(name, tasks, study.scale)
        assert math.isfinite(high)
        assert low - 1e-9 <= samples.min() <= samples.max() <= high + 1e-9
