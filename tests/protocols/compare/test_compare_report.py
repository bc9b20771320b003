"""The report of a comparison shows its own numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from drawn_diagnoses import diagnosis
from mohs.protocols.compare.comparison import Comparison, compare_diagnoses
from mohs.protocols.compare.figures import improvement_figure, improvement_rows, overlay_figure, overlays
from mohs.protocols.diagnose.verdict import Diagnosis
from read_pages import EVIL, html, loads


@pytest.fixture(scope="module")
def compared(whole: Diagnosis) -> Comparison:
    return compare_diagnoses(whole, diagnosis(level=40.0, agent="other"))


def test_every_figure_shows_n(compared: Comparison) -> None:
    for figure in compared.figures().values():
        assert "n = " in figure.layout.title.text


def test_figures_show_the_numbers_of_the_comparison(compared: Comparison) -> None:
    rows = improvement_rows(compared)
    assert [r.estimate for r in rows] == [compared.overall, *(e for _, e in compared.dials)]
    drawn = [
        (t.x[0], t.x[0] - t.error_x.arrayminus[0], t.x[0] + t.error_x.array[0])
        for t in improvement_figure(rows, ("a", "b")).data
    ]
    assert np.allclose(drawn, [(r.estimate.value, r.estimate.low, r.estimate.high) for r in rows])
    data = overlays(compared)
    assert [o.a.name for o in data] == [name for name, _ in compared.dials]
    assert {"invented", "other"} <= {t.name for t in overlay_figure(data[0]).data}


def test_the_report_is_written_whole_and_loads_nothing(compared: Comparison, tmp_path: Path) -> None:
    path = compared.save(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["frame.csv", "report.html", "verdict.json"]
    assert loads(path.read_text()) == []
    assert json.loads((tmp_path / "verdict.json").read_text()) == json.loads(json.dumps(compared.to_json()))
    assert compared.sentences[0] in path.read_text()


def test_names_are_escaped() -> None:
    evil = diagnosis(seeds=3, dials=["delay"], pairs=(), agent=EVIL)
    text = html(compare_diagnoses(evil, evil))
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text
