"""A figure that is laid out for less room stacks its panels, keeps its data, and prints no label over another."""

from __future__ import annotations

import itertools
import re

import plotly.graph_objects as go
import pytest
from plotly.subplots import make_subplots

from mohs.protocols.diagnose.verdict import Diagnosis
from mohs.report.fit import fitted, fitting, texts
from mohs.report.fit.axes import fit_horizontal, places
from mohs.report.fit.cells import fit_cells
from mohs.report.theme import dress, heading

WIDTHS = (340, 560, 748)


def panelled(columns: int) -> go.Figure:
    figure = make_subplots(1, columns, shared_yaxes=True)
    dress(figure, 300, "a note that is long enough to need more than one line where there is little room")
    for i in range(columns):
        axis = "" if i == 0 else str(i + 1)
        figure.add_scatter(x=[0, 1], y=[0, 1], name=f"trace {i}", row=1, col=i + 1)
        figure.add_annotation(heading(f"panel {i}", 0, 1, f"x{axis} domain", f"y{axis} domain"))
    figure.update_yaxes(title={"text": "score"}, col=1)
    return figure


def domains(figure: go.Figure, axis: str) -> list[tuple[float, float]]:
    layout = figure.layout.to_plotly_json()
    return [tuple(layout[key].get("domain", (0, 1))) for key in layout if re.fullmatch(rf"{axis}axis\d*", key)]


def test_two_panels_stack_where_they_are_narrow_and_stay_where_they_are_not() -> None:
    narrow, wide = fitted(panelled(2), 340), fitted(panelled(2), 1080)
    assert len({low for low, _ in domains(narrow, "x")}) == 1
    assert len({low for low, _ in domains(wide, "x")}) == 2
    assert narrow.layout.height > 1.5 * wide.layout.height


@pytest.mark.parametrize("width", WIDTHS)
def test_panels_do_not_overlap(width: int, holed: Diagnosis) -> None:
    for name, figure in {**holed.figures(), "five": panelled(5)}.items():
        found = fitted(figure, width)
        boxes = list(zip(domains(found, "x"), domains(found, "y"), strict=True))
        for i, (x, y) in enumerate(boxes):
            assert 0 <= x[0] < x[1] <= 1
            assert 0 <= y[0] < y[1] <= 1, name
            for other_x, other_y in boxes[:i]:
                apart = x[0] >= other_x[1] or other_x[0] >= x[1] or y[0] >= other_y[1] or other_y[0] >= y[1]
                assert apart, f"{name} at {width}"


def test_panels_that_come_first_in_a_row_get_the_labels_of_the_shared_axis() -> None:
    found = fitted(panelled(5), 340)
    layout = found.layout.to_plotly_json()
    for key in (f"yaxis{i or ''}" for i in (0, 2, 3, 4, 5)):
        first = layout[key.replace("y", "x", 1)]["domain"][0] == 0
        assert layout[key].get("showticklabels", True) is first
        assert bool((layout[key].get("title") or {}).get("text")) is first


@pytest.mark.parametrize("width", WIDTHS)
def test_notes_fit_the_width(width: int, holed: Diagnosis) -> None:
    for name, figure in holed.figures().items():
        layout = fitting(figure, width).layout
        room = width - layout["margin"]["l"]
        assert texts.width(layout["title"]["text"], 12) <= room, name


def test_data_stays_as_it_is(whole: Diagnosis) -> None:
    figure = whole.figures()["dial-delay"]
    before, after = figure.to_plotly_json()["data"], fitted(figure, 340).to_plotly_json()["data"]
    assert len(before) == len(after)
    assert fitting(figure, 340).cells == {}, "only maps have texts that change"
    assert [trace["type"] for trace in before] == [trace["type"] for trace in after]


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (range(5), ["0", "1", "2", "4", "8"]),
        (range(12), [f"a long name {i}" for i in range(12)]),
        ([0, 0.01, 0.02, 0.5, 1], ["0", "0.01", "0.02", "0.5", "1"]),
    ],
)
def test_labels_never_touch(values: list[float], labels: list[str]) -> None:
    axis = {"tickvals": list(values), "ticktext": labels, "range": [-0.5, max(values) + 0.5]}
    fit_horizontal(axis, 250)
    at = places(axis, axis["tickvals"], 250)
    size = (axis.get("tickfont") or {}).get("size", 12)
    if axis.get("tickangle"):
        assert axis["ticktext"] == labels, "names are slanted, none is left out"
        assert min(b - a for a, b in itertools.pairwise(at)) >= 11
    else:
        assert not texts.collide(at, axis["ticktext"], size)
        assert axis["ticktext"][0] == labels[0]
        assert axis["ticktext"][-1] == labels[-1]


@pytest.mark.parametrize("room", [120, 60, 45, 25])
def test_cells_of_a_map_hold_their_text(room: float) -> None:
    whole = "<b>0.361</b><br><span style='font-size:10px'>[0.340, 0.382]<br>n = 5</span>"
    written, height = fit_cells([[whole, ""]], room)
    assert texts.width(written[0][0], 12) <= room
    assert "0.361" in written[0][0]
    assert height > 12


def test_words_wrap_between_words_and_tags_survive() -> None:
    text = texts.wrapped("<b>one two three four five</b>", 60, 12)
    assert texts.plain(text.replace("<br>", " ")) == "one two three four five"
    assert text.startswith("<b>")
    assert text.endswith("</b>")
    assert all(texts.width(line, 12) <= 60 for line in texts.lines(text))
