"""Are toy and complex studies paired dose by dose, and is what the command prints what was found?"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from mohs.cli import main
from mohs.core.errors import UsageError
from mohs.protocols.correlate.command import correlate
from mohs.protocols.correlate.correlation import correlate_studies
from mohs.protocols.experiment.files import read_study
from mohs.protocols.experiment.study import Axis, Experiment, Level, plan
from mohs.protocols.experiment.verdict import ExperimentVerdict, verdict
from mohs.runs.results import Results

STUDY = """
question = "How much does it cost?"
seeds = {seeds}
budget = 400
[agents.q_learning]
{agents}
[task]
env = "{env}"
{task}
[axes]
{axis} = {doses}
"""
TOY = {"seeds": 6, "agents": "", "env": "toy/discrete", "task": "", "axis": "reward_noise", "doses": [0, 1, 5, 10, 25]}
COMPLEX = {**TOY, "env": "toy/grid", "doses": [0, 0.01, 0.05, 0.1, 0.25]}


def test_doses_are_paired_by_their_order(tmp_path: Path) -> None:
    toy = made(tmp_path, TOY, [9, 8, 5, 5, 1])
    complex_ = made(tmp_path, COMPLEX, [50, 60, 30, 20, 10])
    found = correlate_studies([toy], complex_)
    (row,) = found.rows
    assert [(pair.toy_dose, pair.complex_dose) for pair in row.pairs] == [
        (0.0, 0.0), (1.0, 0.01), (5.0, 0.05), (10.0, 0.1), (25.0, 0.25)
    ]  # fmt: skip
    assert (row.agent, row.axis, row.correlation.n) == ("q_learning", "reward_noise", 6)
    means = [[pair.toy.value for pair in row.pairs], [pair.complex.value for pair in row.pairs]]
    assert row.correlation.value == pytest.approx(spearmanr(*means).statistic)
    assert row.p_student == pytest.approx(spearmanr(*means).pvalue)
    assert row.p > row.p_student > 0
    assert row.correlation.low <= row.correlation.value <= row.correlation.high
    assert found.toy_measures == ("auc_paper",)
    assert found.complex_measure == "auc"
    assert found.sentences[0].startswith("The rank correlation of toy and complex is at least 0.7 in 1 of 1 cases")


def test_unequal_numbers_of_doses_are_paired_by_value(tmp_path: Path) -> None:
    toy = made(tmp_path, TOY, [9, 8, 5, 4, 1])
    complex_ = made(tmp_path, {**COMPLEX, "doses": [0, 2, 5, 25]}, [40, 0, 60, 20])
    (row,) = correlate_studies([toy], complex_).rows
    assert [(pair.toy_dose, pair.complex_dose) for pair in row.pairs] == [(0.0, 0.0), (5.0, 5.0), (25.0, 25.0)]
    assert row.correlation.value == pytest.approx(0.5)


def test_a_dose_without_runs_is_left_out(tmp_path: Path) -> None:
    toy = made(tmp_path, TOY, [9, 8, None, 4, 1])
    complex_ = made(tmp_path, COMPLEX, [50, 40, 30, 20, 10])
    (row,) = correlate_studies([toy], complex_).rows
    assert [pair.toy_dose for pair in row.pairs] == [0.0, 1.0, 10.0, 25.0]
    assert row.correlation.value == pytest.approx(1.0)
    assert row.p == pytest.approx(2 / 24)


def test_several_toys_are_held_against_one_study(tmp_path: Path) -> None:
    noise = made(tmp_path, TOY, [9, 8, 5, 4, 1])
    delay = made(tmp_path, {**TOY, "axis": "delay", "doses": [0, 1, 2]}, [3, 2, 1])
    both = read(tmp_path, COMPLEX)
    both = replace(both, mode="sweep", axes=(Axis("delay", _levels("delay", [0, 1, 2])), *both.axes))
    complex_ = filled(both, [[50, 60, 70], [50, 40, 30, 20, 10]])  # vanilla is on both axes
    found = correlate_studies([noise, delay], complex_)
    assert [(row.axis, round(row.correlation.value, 3)) for row in found.rows] == [("reward_noise", 1), ("delay", -1)]
    assert "in 1 of 2 cases; its mean is 0.00" in found.sentences[0]


def test_a_study_that_does_not_vary_has_no_correlation(tmp_path: Path) -> None:
    toy = made(tmp_path, TOY, [2, 2, 2, 2, 2], noise=0.0)
    found = correlate_studies([toy], made(tmp_path, COMPLEX, [5, 4, 3, 2, 1]))
    (row,) = found.rows
    assert math.isnan(row.correlation.value)
    assert math.isnan(row.p)
    assert row.to_json()["p"] is None
    assert row.reason == "all doses have the same mean in study"
    assert "q_learning on reward_noise: all doses have the same mean in study" in found.sentences[0]
    assert "No rank correlation is defined" in found.sentences[0]


def test_what_cannot_be_correlated_is_told(tmp_path: Path) -> None:
    toy = made(tmp_path, TOY, [9, 8, 5, 4, 1])
    other = made(tmp_path, {**COMPLEX, "axis": "delay", "doses": [0, 1, 2]}, [1, 2, 3])
    with pytest.raises(UsageError, match=r"does not have the axis reward_noise.* has q_learning on delay"):
        correlate_studies([toy], other)
    few = made(tmp_path, {**COMPLEX, "doses": [0, 1]}, [1, 2])
    with pytest.raises(UsageError, match="have 2 doses in common, but a rank correlation needs 3"):
        correlate_studies([toy], few)
    lost = made(tmp_path, COMPLEX, [1, 2, None, None, None])
    with pytest.raises(UsageError, match="2 of 5 doses have runs in both studies"):
        correlate_studies([toy], lost)
    with pytest.raises(UsageError, match="measure of"):
        correlate_studies([toy], toy, "points")


def test_one_that_cannot_be_correlated_does_not_stop_the_others(tmp_path: Path) -> None:
    noise = made(tmp_path, TOY, [9, 8, 5, 4, 1])
    delay = made(tmp_path, {**TOY, "axis": "delay", "doses": [0, 1, 2]}, [3, 2, 1])
    found = correlate_studies([noise, delay], made(tmp_path, COMPLEX, [50, 40, 30, 20, 10]))
    assert [row.axis for row in found.rows] == ["reward_noise"]
    assert len(found.left_out) == 1
    assert "does not have the axis delay" in found.sentences[1]
    assert math.isnan(found.rows[0].p_student)  # r is 1
    assert found.rows[0].p == pytest.approx(2 / 120)


def test_the_command_writes_what_it_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = f"sqlite:///{tmp_path}/store.db"
    for name, settings in (("toy", TOY), ("complex", COMPLEX)):
        (tmp_path / f"{name}.toml").write_text(STUDY.format(**settings))
        command(["run", str(tmp_path / f"{name}.toml"), "--store", store, "--workers", "0", "--out", str(tmp_path)])
    capsys.readouterr()
    words = ["correlate", "toy", "complex", "--store", store, "--out", str(tmp_path / "report"), "--json"]
    command(words)
    printed = json.loads(capsys.readouterr().out)
    assert printed.pop("report") == str(tmp_path / "report" / "report.html")
    assert printed == json.loads((tmp_path / "report" / "verdict.json").read_text())
    (row,) = printed["rows"]
    assert len(row["doses"]) == 5
    assert row["rank_correlation"]["n"] == 6
    command(words[:-1])
    assert "paired by their order" in capsys.readouterr().out
    csv = (tmp_path / "report" / "frame.csv").read_text().splitlines()
    assert len(csv) == 2
    assert csv[1].startswith("q_learning,reward_noise,toy,complex,")
    page = (tmp_path / "report" / "report.html").read_text()
    assert 'data-figure="agreement"' in page
    monkeypatch.chdir(tmp_path)
    for studies, directory in ((["toy", "complex"], "toy-and-complex"), (["complex", "toy"], "complex-and-toy")):
        command(["correlate", *studies, "--store", store])
        assert (tmp_path / "mohs-report" / f"{directory}-correlated" / "report.html").is_file()


def test_one_study_is_not_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["correlate", "toy", "--store", f"sqlite:///{tmp_path}/store.db"])
    assert ended.value.code == 2
    assert "two or more" in capsys.readouterr().err


@pytest.mark.parametrize("studies", [3, "toy", ["toy"], [3, 4]])
def test_what_is_no_study_is_refused(studies: Any) -> None:
    with pytest.raises(UsageError, match=r"must be a list|must be the verdict of a study file"):
        correlate(studies)


def command(words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 0


def read(directory: Path, settings: dict[str, object]) -> Experiment:
    path = directory / "study.toml"
    path.write_text(STUDY.format(**settings))
    return read_study(str(path))


def made(
    directory: Path, settings: dict[str, object], means: list[float | None], noise: float = 0.1
) -> ExperimentVerdict:
    """A study with runs that lie around these means; None: a dose without runs."""
    return filled(read(directory, settings), [means], noise)


def filled(study: Experiment, means: list[list[float | None]], noise: float = 0.1) -> ExperimentVerdict:
    rng, scores = np.random.default_rng(0), {}
    for axis, of_axis in zip(study.axes, means, strict=True):
        for level, mean in zip(axis.levels, of_axis, strict=True):
            for cell in (study.cell(study.agents[0], (level,), seed) for seed in range(study.seeds)):
                if mean is not None:
                    at, returns = np.array([cell.steps]), np.array([mean + noise * rng.normal()])
                    names = ("train/return", "train/length", "eval/return", "eval/length")
                    scores[cell.key] = dict.fromkeys(names, (at, returns))
    return verdict(study, Results.of(plan(study), scores))


def _levels(name: str, values: list[float]) -> tuple[Level, ...]:
    return tuple(Level(value, ((name, value),)) for value in values)
