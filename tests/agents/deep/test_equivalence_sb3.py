"""Do our agents learn as those of stable-baselines3 do? At 100 seeds by `python -m benchmarks.equivalence --seeds 100`.

The number of seeds is small here unless MOHS_SEEDS says otherwise. With few seeds an interval is too wide to show
equivalence; then it must at least not show a difference.
"""

from __future__ import annotations

import importlib
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mohs.agents.registry import agent
from mohs.agents.registry import config as config_of
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.store import open_store

SEEDS = int(os.environ.get("MOHS_SEEDS", "5"))
ENOUGH = 100  # seeds from which on equivalence must show
NAMES = (
    "toy_dqn", "cartpole_dqn", "cartpole_ppo", "cartpole_a2c", "pendulum_sac", "pendulum_td3", "pendulum_ddpg",
)  # fmt: skip


@pytest.fixture(scope="module")
def study():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[3]))
        yield importlib.import_module("benchmarks.equivalence")


def case_of(study, name):
    return next(case for case in study.CASES if case.name == name)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_means_do_not_differ_by_more_than_a_tenth_of_the_range(study, name, tmp_path):
    case = case_of(study, name)
    where = os.environ.get("MOHS_EQUIVALENCE_STORE", f"sqlite:///{tmp_path}/equivalence.db")
    with open_store(where) as store:
        summary = execute(study.plan([case], SEEDS), store, Execution(progress="silent"))
        found = study.rows(store, case, SEEDS)
    assert summary.failed == 0
    allowed = {"equivalent"} if SEEDS >= ENOUGH else {"equivalent", "open"}
    assert {row.verdict for row in found} <= allowed, "\n".join(study.lines(found))


@pytest.mark.parametrize("name", NAMES)
def test_both_sides_have_the_same_hyperparameters(study, name):
    case = case_of(study, name)
    ours, theirs = study.pair(case)
    config, kept = config_of(ours), dict(theirs.params)
    assert kept["learning_rate"] == config.learning_rate
    assert kept["gamma"] == config.gamma
    assert f'"net_arch": {list(config.hidden)}' in kept["policy_kwargs"]


def test_runs_accumulate_in_the_store_and_the_table_shows_those_that_both_sides_have(study, tmp_path):
    case = replace(case_of(study, "toy_dqn"), steps=400)
    with open_store(f"sqlite:///{tmp_path}/equivalence.db") as store:
        for seeds, new in ((2, 4), (3, 2)):
            before = store.statuses(cell.key for cell in study.plan([case], 3).cells)
            execute(study.plan([case], seeds), store, Execution(workers=0, progress="silent"))
            after = store.statuses(cell.key for cell in study.plan([case], 3).cells)
            done = [list(statuses.values()).count("done") for statuses in (before, after)]
            assert done[1] - done[0] == new
            found = study.rows(store, case, 3)
            assert {row.seeds for row in found} == {seeds}


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(-0.1, 0.1, "equivalent"), (-0.2, 0.0, "open"), (0.11, 0.3, "different"), (-0.3, -0.11, "different"),
     (np.nan, np.nan, "open")],
)  # fmt: skip
def test_a_verdict_is_about_the_interval(study, low, high, verdict):
    assert study.Row("case", "auc", 3, 0.0, 0.0, 0.0, low, high).verdict == verdict


def test_what_the_other_side_cannot_do_is_refused(study):
    module = importlib.import_module("benchmarks.same_agent")
    with pytest.raises(ValueError, match="double=False"):
        module.translated(agent("dqn", double=True), 100)
