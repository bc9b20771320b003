"""The page of a card has every row, every interval and every reason, and loads nothing."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from small_cards import chain, made, the_lake, the_pole

import mohs
from mohs.core.errors import UsageError
from mohs.exact.measures.catalogue import WORDS
from mohs.exact.measures.table_measures import measures
from mohs.protocols.card import rows as card_rows
from mohs.protocols.card.record import Card, Cards
from mohs.report.numbers import written
from mohs.report.theme import DARK, exchange, themed
from mohs.stats import estimate
from read_pages import EVIL, Reader, html, loads, needs_browser, opened, texts


@pytest.fixture(scope="module")
def lake() -> Card:
    return the_lake()


@pytest.fixture(scope="module")
def sampled() -> Card:
    return the_pole()


def entries(card: Card) -> dict[str, card_rows.Entry]:
    return {row.key: row.read(card) for _, rows in card_rows.groups([card]) for row in rows}


def test_every_number_of_a_card_has_a_row(lake: Card, sampled: Card) -> None:
    data = lake.to_json()
    rows = entries(lake)
    for key in set(data) - {
        "target",
        "exact",
        "sentences",
        "profile",
        "simple_bound_m",
        "greedy_returns",
        "rollouts",
        "undefined",
        "notes",
        "sticky",
    }:
        value = data[key]
        if key in ("effective_horizon", "measures", "formulas"):
            assert isinstance(value, dict)
            assert {f"{key}.{name}" for name in value} <= set(rows)
        elif key == "discount_is_harmless":
            assert [0.99, rows[key].value] == value
        else:
            assert rows[key].value == value
    assert sampled.rollouts is not None
    seen = {f"rollouts.{key}" for key in sampled.rollouts.to_json()}
    told = {"rollouts.episodes", "rollouts.random_return", "rollouts.deterministic", "rollouts.best_return_seen"}
    assert seen - told <= set(entries(sampled))
    assert entries(sampled)["rollouts.best"].value == sampled.rollouts.best


def test_a_task_without_a_table_says_so_in_every_row_that_needs_one(lake: Card, sampled: Card) -> None:
    reasons = {
        row.key: row.read(sampled).reason
        for _, rows in card_rows.groups([lake, sampled])
        for row in rows
        if row.read(sampled).value is None
    }
    assert {"p_opt", "discount_is_harmless", "measures.diameter", "effective_horizon.gorp"} <= set(reasons)
    assert set(reasons.values()) == {"it has no table"}


def test_every_measure_has_words() -> None:
    assert set(measures(chain(3, 4)).values) - {"covering_length"} == set(WORDS)
    assert all(title and meaning.endswith(".") and source for title, meaning, source in WORDS.values())


def test_what_was_measured_has_an_interval_and_n(lake: Card, sampled: Card) -> None:
    gorp = entries(lake)["effective_horizon.gorp"]
    assert gorp.details.startswith("95%: [2.25, 2.75], n\u00a0=\u00a0100 runs")
    assert sampled.rollouts is not None
    for key in ("random_return", "rollouts.length", "rollouts.paying_steps", "rollouts.silent_episodes"):
        e = entries(sampled)[key]
        assert e.low is not None
        assert e.high is not None
        assert e.low < e.value < e.high  # type: ignore[operator]
        assert f"[{written(e.low)}, {written(e.high)}], n\u00a0=\u00a050" in e.details


def test_too_few_episodes_are_said(sampled: Card) -> None:
    assert sampled.rollouts is not None
    few = replace(sampled, rollouts=replace(sampled.rollouts, random_return=estimate([1.0, 2.0])))
    assert "too few for an interval" in entries(few)["random_return"].details


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "yes"), (False, "no"), (181_440, "181,440"), (-3, "−3"), (0.5, "0.500"), (3.6e-7, "3.60e-07"),
     (-3.6e-12, "−3.60e-12"), (0.0, "0"), (math.inf, "∞"), (math.nan, "–")],
)  # fmt: skip
def test_small_exact_values_are_not_written_as_nothing(value: float, text: str) -> None:
    assert written(value) == text


@pytest.fixture(scope="module")
def page(lake: Card) -> str:
    return html(lake)


@pytest.fixture(scope="module")
def several(lake: Card, sampled: Card) -> str:
    return html(Cards((lake, made(chain(70, 80), "a chain", gamma=0.9), sampled)))


def test_pages_load_nothing_and_every_figure_has_its_place(page: str, several: str) -> None:
    for text in (page, several):
        assert loads(text) == []
        assert text.count("Copyright 2012-") == 1
        reader = Reader(text)
        places = [a["data-figure"] for _, a in reader.elements if "data-figure" in a]
        assert sorted(map(str, places)) == sorted(json.loads(reader.scripts["figures"]))
        ids = [a["id"] for _, a in reader.elements if "id" in a]
        assert len(ids) == len(set(ids))
        links = [str(a["href"]) for tag, a in reader.elements if tag == "a"]
        assert links
        assert {link.removeprefix("#") for link in links} <= set(map(str, ids))


def test_one_card_has_all_five_pictures(page: str) -> None:
    drawn = {"profile", "states", "look-ahead", "returns", "horizons"}
    assert set(json.loads(Reader(page).scripts["figures"])) == drawn
    order = [page.index(part) for part in ('class="tiles"', 'class="headline"', "data-figure", 'class="scroll words"')]
    assert order == sorted(order)


def test_a_sticky_card_has_a_column_of_its_own(page: str, lake: Card) -> None:
    assert "<th>sticky 0.25</th>" in page
    assert lake.sticky is not None
    assert f'<td class="value">{lake.sticky[1].states}</td>' in page


def test_undefined_rows_are_grey_and_say_why(page: str) -> None:
    (row,) = [line for line in page.split("<tr") if "<td>Diameter</td>" in line]
    assert row.startswith(' class="missing"')
    assert "Not defined: it is too large" in row


def test_several_cards_are_compared_first(several: str, lake: Card) -> None:
    parts = ('id="comparison"', 'data-figure="scatter"', 'id="task-1-task"', 'id="task-2-task"', 'id="task-3-task"')
    order = [several.index(part) for part in (*parts, 'id="methods"')]
    assert order == sorted(order)
    table = several[several.index('class="scroll words beside"') : several.index('id="size"')]
    heads = [table.index(f">{name}<") for name in ("a lake", "sticky 0.25", "a chain", "a pole")]
    assert heads == sorted(heads)
    (row,) = [line for line in table.split("<tr>") if ">States</td>" in line]
    assert lake.sticky is not None
    assert [part.partition("<")[0] for part in row.split('<td class="value')[1:]] == [
        '">16', f'">{lake.sticky[1].states}', '">70', ' missing" title="it has no table">–'
    ]  # fmt: skip
    assert "a pole: it has no table" in several


def test_estimated_cards_say_so(sampled: Card) -> None:
    text = html(sampled)
    assert "estimated from 50 episodes of random play" in text
    assert set(json.loads(Reader(text).scripts["figures"])) == {"returns"}


def test_what_needs_a_table_is_one_sentence(sampled: Card) -> None:
    """Neither the page nor the terminal repeats the reason row by row."""
    text = html(sampled)
    rows = text[text.index('id="rows"') : text.index('id="methods"')]
    assert rows.count("it has no table") == 1
    assert "Effective planning window" not in rows
    (missing,) = [table for table in sampled.summary() if table.title == "Not defined"]
    assert [row[1:] for row in missing.rows if "no table" in row[2]] == [
        ("Everything that needs a table", "it has no table")
    ]


def test_terminal_tables_fit_80_columns(lake: Card) -> None:
    for card in (lake.sticky[1], mohs.card("toy/discrete", delay=2)):  # type: ignore[index]
        for table in card.summary():
            cells = [[len(line) for cell in row for line in [max(cell.split("\n"), key=len)]] for row in table.rows]
            if table.title != "Not defined":  # sentences, which the terminal folds
                assert max(sum(row) + 2 * len(row) for row in cells) <= 80, table.title


def test_a_card_that_knows_next_to_nothing_has_a_page() -> None:
    text = html(Card(name="bare", exact=True, horizon=3, gamma=1.0))
    assert json.loads(Reader(text).scripts["figures"]) == {}
    assert "There is nothing to draw" in text


def test_embedded_files_round_trip(page: str, several: str, lake: Card) -> None:
    files = json.loads(Reader(page).scripts["files"])
    plain = json.loads(json.dumps(lake.to_json()).replace("Infinity", "null"))
    assert json.loads(files["verdict.json"]["text"]) == plain
    rows = list(csv.DictReader(io.StringIO(files["frame.csv"]["text"])))
    by_key = {(r["sticky"], r["quantity"]): r for r in rows}
    gorp = by_key["0.0", "effective_horizon.gorp"]
    assert [float(gorp[key]) for key in ("value", "low", "high", "n")] == [2.5, 2.25, 2.75, 100]
    assert by_key["0.0", "random_guess_bound"]["value"] == "inf"
    assert by_key["0.0", "measures.diameter"]["undefined"] == "it is too large"
    assert lake.sticky is not None
    assert by_key["0.25", "states"]["value"] == str(lake.sticky[1].states)
    found = json.loads(json.loads(Reader(several).scripts["files"])["verdict.json"]["text"])["cards"]
    assert [card["target"] for card in found] == ["a lake", "a chain", "a pole"]


def test_names_and_reasons_are_escaped(sampled: Card) -> None:
    evil = made(chain(3, 4), EVIL, undefined={"measures.diameter": EVIL, "effective_horizon.tight": EVIL})
    for text in (html(evil), html(Cards((evil, replace(sampled, name=EVIL, undefined={"states": EVIL}))))):
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert(1)" in text
    drawn = Cards((replace(evil, min_k=None, undefined={**evil.undefined, "min_k": EVIL}), evil)).figures()
    for name in ("scatter", "task-1-look-ahead", "task-1-horizons"):
        assert "&lt;script&gt;alert(1)" in texts(drawn[name]), "plotly would read the name as a tag"
        assert "<script>" not in texts(drawn[name])


def test_dark_figures_hold_no_light_colour(lake: Card) -> None:
    only_light = set(exchange(DARK)) - set(exchange(DARK).values())
    for figure in Cards((lake, made(chain(70, 80)), made(chain(5, 6)))).figures().values():
        text = themed(figure, "dark").to_json()
        assert not [colour for colour in only_light if colour in text]


def test_cards_are_written_whole(lake: Card, tmp_path: Path) -> None:
    path = lake.save(tmp_path / "new")
    assert path == tmp_path / "new" / "report.html"
    assert sorted(p.name for p in path.parent.iterdir()) == ["frame.csv", "report.html", "verdict.json"]
    assert json.loads((path.parent / "verdict.json").read_text())["target"] == "a lake"
    assert path.read_text() == html(lake), "the same card has the same page"


def test_what_cannot_be_written_is_one_sentence(lake: Card, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="at least one card"):
        Cards(())
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        lake.save(tmp_path / "file")
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="install Chromium"):
        lake.save(tmp_path / "out", png=True)
    assert not (tmp_path / "out").exists()


@needs_browser
def test_png_has_every_figure(lake: Card, tmp_path: Path) -> None:
    pytest.importorskip("kaleido")
    lake.save(tmp_path, png=True)
    pictures = list((tmp_path / "png").iterdir())
    assert sorted(p.stem for p in pictures) == sorted(lake.figures())
    assert all(p.read_bytes().startswith(b"\x89PNG") for p in pictures)


@needs_browser
def test_browser_draws_and_the_page_asks_for_nothing(lake: Card, sampled: Card, tmp_path: Path) -> None:
    elements, console = opened(Cards((lake, made(chain(9, 12), EVIL), sampled)).save(tmp_path), tmp_path)
    assert elements.count("main-svg") > 0, "the script drew no figure"
    assert console == ""
