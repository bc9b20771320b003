"""Every protocol's verdict offers the same: sentences, a data frame, figures, a report, a notebook view, JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
import pytest

import mohs
from mohs.protocols import protocol

STUDY = """
question = "How much does a delay cost?"
seeds = 3
budget = 300
[agents.q_learning]
[task]
env = "toy/discrete"
[axes]
delay = [0, 1, 2]
"""


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, mohs.Verdict]:
    """One of each protocol."""
    here = tmp_path_factory.mktemp("verdicts")
    (here / "delays.toml").write_text(STUDY)
    how = {"store": f"sqlite:///{here}/store.db", "workers": 0, "progress": "silent"}
    dose = {"dials": ["delay"], "seeds": 3, "budget": 300, **how}
    first, second = mohs.diagnose("q_learning", **dose), mohs.diagnose("random", **dose)
    found = mohs.run(mohs.read_study(str(here / "delays.toml")), **how)
    made: list[mohs.Verdict] = [
        first,
        mohs.compare(first, second),
        found,
        mohs.correlate([found, found]),
        mohs.lifelong("random", "near_goals", seeds=3, steps=100, **how),
        mohs.challenge("q_learning", mdps=["hanoi-3"], budget=2000, seeds=2, **how),
        mohs.family(
            ["random", "cem"], env="control/cartpole", vary={"length": [0.25, 0.5, 1.0]}, steps=500, episodes=2, **how
        ),
        mohs.lcd("random", "arcade/collect", seeds=3, steps=200, evaluations=4, episodes=2, keep_going=True, **how),
        mohs.card("toy/discrete", max_episode_steps=5),
    ]
    return {verdict.protocol: verdict for verdict in made}


def test_no_protocol_is_left_out(verdicts: dict[str, mohs.Verdict]) -> None:
    assert set(verdicts) == set(protocol._built_in())


@pytest.mark.parametrize("name", protocol._built_in())
def test_a_verdict_offers_all_that_every_verdict_offers(
    verdicts: dict[str, mohs.Verdict], name: str, tmp_path: Path
) -> None:
    verdict = verdicts[name]
    assert isinstance(verdict, mohs.Verdict)
    assert verdict.sentences
    assert all(line.endswith(".") and "\n" not in line for line in verdict.sentences)
    assert verdict.sentences == tuple(f.sentence for f in (*verdict.findings, *verdict.run_notes))

    frame = verdict.frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) > 0

    figures = verdict.figures()
    assert figures
    assert all(isinstance(figure, go.Figure) for figure in figures.values())
    assert all(
        table.columns and all(len(row) == len(table.columns) for row in table.rows) for table in verdict.summary()
    )

    data = verdict.data()
    json.dumps(data)

    path = verdict.save(tmp_path / "report")
    assert path == tmp_path / "report" / "report.html"
    page = path.read_text()
    assert all(f'data-figure="{figure}"' in page for figure in figures)
    assert json.loads((path.parent / "verdict.json").read_text()).keys() == data.keys()

    shown = verdict._repr_html_()
    assert shown.startswith("<p><b>")
    assert shown.count("<table") == len(verdict.summary())


@pytest.mark.parametrize("name", ["diagnose", "experiment", "lifelong", "challenge"])
def test_protocols_that_train_have_scores_by_agent_point_and_seed(verdicts: dict[str, mohs.Verdict], name: str) -> None:
    scores = verdicts[name].scores
    frame = scores.frame()
    assert {"agent", "point", "stratum", "weight", "seed", *scores.measures, *scores.family.axes} <= set(frame.columns)
    assert len(frame) == scores.values[..., 0].size
