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
from mohs.report.fit.frame import legend_height
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


def rows(text: str, **more: object) -> go.Figure:
    """Three bars with a text above each."""
    figure = go.Figure()
    dress(figure, 300, "a note")
    figure.add_bar(x=[1, 2, 3], y=[0, 1, 2], orientation="h")
    for y in range(3):
        place = {"x": 0, "xref": "paper", "y": y, "xanchor": "left", "yanchor": "bottom", "showarrow": False}
        figure.add_annotation({**place, "font": {"size": 12}, "text": text, **more})
    figure.update_layout(xaxis={"range": [0, 3]}, yaxis={"range": [2.5, -0.5], "showticklabels": False})
    return figure


def test_texts_of_rows_break_before_the_border_and_rows_get_higher() -> None:
    short, long = (
        fitted(rows("a name"), 340),
        fitted(rows("a long name 52% [39%, 74%] · breaks at 5.56 deviations"), 340),
    )
    for figure in (short, long):
        room = 340 - figure.layout.margin.l
        assert all(texts.width(a.text, 12) <= room for a in figure.layout.annotations)
    assert [a.text for a in short.layout.annotations] == ["a name"] * 3
    assert long.layout.annotations[0].text == "a long name 52% [39%, 74%]<br>breaks at 5.56 deviations"
    assert long.layout.height >= short.layout.height + 3 * 1.3 * 12


def test_a_text_behind_the_longest_bar_makes_its_axis_longer() -> None:
    figure = fitted(rows("2,089,885,721 steps of an agent, k = 11, m = 15", x=3, xref="x", yanchor="middle"), 340)
    low, high = figure.layout.xaxis.range
    room = 340 - figure.layout.margin.l - figure.layout.margin.r
    end = room * (3 - low) / (high - low) + texts.width(figure.layout.annotations[0].text, 12)
    assert high > 3
    assert end <= room + figure.layout.margin.r
    assert "k = 11" in figure.layout.annotations[0].text


def test_texts_to_the_right_of_the_panel_get_a_margin() -> None:
    figure = fitted(rows("random 0.0139", x=1, xshift=6), 340)
    assert figure.layout.margin.r >= 6 + texts.width("random 0.0139", 12)


def test_names_around_a_circle_have_room() -> None:
    figure = go.Figure()
    dress(figure, 400, "a note")
    names = ["reward_<br>noise", "delay", "irrelevant_<br>features"]
    figure.add_scatterpolar(r=[1, 1, 1], theta=names, name="an agent")
    figure.update_layout(polar={"radialaxis": {"range": [0, 1]}})
    layout = fitted(figure, 351).layout
    assert min(layout.margin.l, layout.margin.r) >= texts.width("irrelevant_", 11)
    assert layout.height > 351 - layout.margin.l - layout.margin.r + 2 * texts.height(names[0], 11)


def test_names_at_the_corners_of_a_triangle_have_room() -> None:
    figure = go.Figure()
    dress(figure, 400, "a note")
    figure.add_scatterternary(a=[1, 0, 0], b=[0, 1, 0], c=[0, 0, 1], name="an agent")
    names = {"baxis": "goal_position low: 0.35 to 0.4", "aaxis": "goal_position middle: 0.45", "caxis": "high"}
    figure.update_layout(ternary={axis: {"title": {"text": name}} for axis, name in names.items()})
    layout = fitted(figure, 340).layout
    below = [layout.ternary.baxis.title.text, layout.ternary.caxis.title.text]
    assert layout.margin.l == layout.margin.r >= max(texts.width(name, 12.5) for name in below) / 2
    assert sum(texts.width(name, 12.5) for name in below) < 340
    assert layout.ternary.aaxis.title.text == names["aaxis"], "a second line would lie on the triangle"
    assert layout.height - layout.margin.t - layout.margin.b >= 0.866 * (340 - 2 * layout.margin.l)


def test_the_only_panel_keeps_its_width_beside_the_key_of_its_colours() -> None:
    figure = go.Figure()
    dress(figure, 400, "a note")
    figure.add_heatmap(z=[[1, 2], [3, 4]], coloraxis="coloraxis")
    figure.update_layout(xaxis={"domain": [0, 0.3]}, coloraxis={"showscale": True, "colorbar": {"x": 0.31}})
    layout = fitted(figure, 351).layout
    assert layout.xaxis.domain == (0, 1)
    assert layout.coloraxis.colorbar.x > 1
    assert layout.margin.r > 60


def test_numbers_at_every_multiple_get_sparse_and_an_axis_keeps_two_labels() -> None:
    every: dict[str, object] = {"range": [0.5, 11.5], "dtick": 1}
    fit_horizontal(every, 170)
    assert every["dtick"] == 2
    chosen: dict[str, object] = {"range": [0, 4000], "nticks": 3}
    fit_horizontal(chosen, 118)
    assert chosen["nticks"] == 3


def test_a_legend_of_several_lines_has_columns_of_the_same_width() -> None:
    figure = go.Figure([go.Bar(x=[1], y=[1], name=name) for name in ("a", "b", "c", "a name that is rather long")])
    one, many = (legend_height(figure, room) for room in (600, 260))
    assert one == 10 + 19
    assert many == 10 + 4 * 19
