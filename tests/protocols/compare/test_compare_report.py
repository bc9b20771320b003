"""The report of a comparison shows its own numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from drawn_diagnoses import diagnosis
from mohs.protocols.compare.comparison import Comparison, compare_diagnoses
from mohs.protocols.compare.figures.dials import bars_figure, dial_means, radar_figure
from mohs.protocols.compare.figures.matrix import improvement_matrix, matrix_figure
from mohs.protocols.compare.figures.profiles import profiles, profiles_figure
from mohs.protocols.compare.figures.ranks import ranks_figure
from mohs.protocols.compare.figures.responses import response_figure, responses
from mohs.protocols.compare.figures.rows import difference_forest, improvement_forest
from mohs.protocols.diagnose.verdict import Diagnosis
from mohs.report.figures.forest import forest_figure
from mohs.report.figures.looks import LINE, LONGEST, short
from read_pages import EVIL, html, loads


@pytest.fixture(scope="module")
def two(whole: Diagnosis) -> Comparison:
    return compare_diagnoses([whole, diagnosis(level=40.0, agent="other")])


@pytest.fixture(scope="module")
def many(whole: Diagnosis) -> Comparison:
    others = [diagnosis(level=level, agent=name) for level, name in ((40.0, "b"), (59.0, "c"), (20.0, "d" * 80))]
    return compare_diagnoses([whole, *others])


def drawn_points(figure) -> list[tuple[float, float, float]]:
    points = [t for t in figure.data if t.error_x.array is not None]
    return [(t.x[0], t.x[0] - t.error_x.arrayminus[0], t.x[0] + t.error_x.array[0]) for t in points]


def ends(estimates) -> list[tuple[float, float, float]]:
    return [(e.value, e.low, e.high) for e in estimates]


def test_every_figure_shows_n_in_lines_that_fit_a_phone(two: Comparison, many: Comparison) -> None:
    for comparison in (two, many):
        for figure in comparison.figures().values():
            text = figure.layout.title.text
            assert "n = " in text.replace("<br>", " ")
            assert all(len(line) <= LINE + LONGEST for line in text.split("<br>"))


def test_figures_of_two_show_the_numbers_of_the_comparison(two: Comparison) -> None:
    (pair,) = two.pairs
    figure = forest_figure(improvement_forest(two))
    assert np.allclose(drawn_points(figure), ends([pair.overall, *(e for _, e in pair.dials)]))
    data = responses(two)
    assert [d.name for d in data] == [name for name, _ in pair.dials]
    assert {"invented", "other"} <= {t.name for t in response_figure(data[0]).data}
    means = [e.value for e in data[0].means[1]]
    assert np.allclose(sorted(response_figure(data[0]).data[-1].y), sorted(means))


def test_figures_of_many_show_the_numbers_of_the_comparison(many: Comparison) -> None:
    ranks = [many.agents[i].rank for i in many.order]
    assert np.allclose(drawn_points(ranks_figure(many)), ends(ranks))
    assert np.allclose(drawn_points(forest_figure(difference_forest(many))), ends(p.difference for p in many.pairs))
    cells = improvement_matrix(many)
    assert len(cells) == 12
    for (row, column), (value, low, high) in cells.items():
        assert np.allclose([value, low, high], [1 - x for x in (cells[column, row][i] for i in (0, 2, 1))])
    texts = {(a.x, a.y): a.text for a in matrix_figure(many).layout.annotations}
    assert all(f"{value:.2f}" in texts[column, row] for (row, column), (value, *_) in cells.items())
    means = dial_means(many)
    assert [list(bar.x) for bar in bars_figure(means).data] == [[e.value for _, e in a.dials] for a in many.agents]
    assert len(radar_figure(means).data) == 4
    curves = profiles(many)
    lines = [t for t in profiles_figure(curves).data if t.showlegend is not False]
    assert [tuple(t.y) for t in lines] == [p.share for p in curves.profiles]


def test_long_names_are_cut_in_the_middle() -> None:
    assert len(short("d" * 80)) == LONGEST
    assert short("a" * 20 + "b" * 20).startswith("a" * 12 + "…")
    assert short("dqn") == "dqn"


@pytest.mark.parametrize("which", ["two", "many"])
def test_the_report_is_written_whole_and_loads_nothing(which: str, tmp_path: Path, request) -> None:
    compared = request.getfixturevalue(which)
    path = compared.save(tmp_path / "alone")  # reports of other tests would share a copy of plotly with it
    assert {"frame.csv", "report.html", "verdict.json"} <= {p.name for p in path.parent.iterdir()}
    assert loads(path.read_text()) == []
    assert json.loads((path.parent / "verdict.json").read_text()) == json.loads(json.dumps(compared.to_json()))
    assert compared.sentences[0] in path.read_text()
    for name in compared.figures():
        assert f'data-figure="{name}"' in path.read_text()
    assert "${" not in path.read_text().split("<script")[0]


def test_tables_at_the_terminal_fit_80_columns(two: Comparison) -> None:
    three = compare_diagnoses([*two.diagnoses, diagnosis(level=30.0, agent="q_learning")])
    for comparison in (two, three):
        for table in comparison.summary():
            widths = [max(len(row[i]) for row in [table.columns, *table.rows]) for i in range(len(table.columns))]
            assert max(sum(widths) + 2 * (len(widths) - 1), len(table.title)) <= 80, table.title


def test_names_are_escaped() -> None:
    evil = diagnosis(seeds=3, dials=["delay"], pairs=(), agent=EVIL)
    text = html(compare_diagnoses([evil, diagnosis(seeds=3, dials=["delay"], pairs=(), agent="b")]))
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text
