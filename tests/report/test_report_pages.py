"""The page is one file that loads nothing, hides nothing, and can be taken apart again."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

from drawn_diagnoses import diagnosis
from mohs.core.errors import UsageError
from mohs.protocols.diagnose.points import Dose
from mohs.protocols.diagnose.verdict import TRAINED, Diagnosis
from mohs.report import pictures
from mohs.report.findings import Finding
from mohs.report.page import page_html, simple_page
from mohs.report.theme import blank
from mohs.stats import Estimate
from read_pages import EVIL, Reader, html, loads, needs_browser, opened


@pytest.fixture(scope="module")
def page(whole: Diagnosis) -> str:
    return html(whole)


def test_page_loads_nothing(page: str) -> None:
    assert loads(page) == []
    assert "default-src 'none'" in page


def test_plotly_is_embedded_once(page: str) -> None:
    assert page.count("Copyright 2012-") == 1
    assert len(page) < 10_000_000


def test_every_figure_has_its_place(page: str, whole: Diagnosis) -> None:
    reader = Reader(page)
    places = [a["data-figure"] for _, a in reader.elements if "data-figure" in a]
    assert sorted(map(str, places)) == sorted(reader.embedded("figures")) == sorted(whole.figures())


def test_verdict_comes_first_and_dials_in_its_order(page: str, whole: Diagnosis) -> None:
    at = [page.index(f'id="{part}"') for part in ("verdict", "ranking", "dials", "curves", "pairs", "methods")]
    assert at == sorted(at)
    order = [page.index(f'<article id="dial-{d.name}"') for d in whole.dials]
    assert order == sorted(order)
    assert all(d.sentence in page for d in whole.dials)


def test_what_a_sentence_names_links_to_where_it_is_shown(page: str, whole: Diagnosis) -> None:
    reader = Reader(page)
    ids = {a.get("id") for _, a in reader.elements}
    links = {str(a.get("href")).removeprefix("#") for tag, a in reader.elements if tag == "a"}
    anchors = {finding.anchor for finding in whole.findings if finding.anchor}
    assert anchors
    assert anchors <= links <= ids


def test_embedded_files_round_trip(page: str, whole: Diagnosis) -> None:
    files = Reader(page).embedded("files")
    assert json.loads(files["verdict.json"]["text"]) == json.loads(json.dumps(whole.to_json()))
    rows = list(csv.DictReader(io.StringIO(files["summary.csv"]["text"])))
    first = next(r for r in rows if r["dial"] == "delay" and r["measure"] == TRAINED and r["statistic"] == "mean")
    dial = next(d for d in whole.dials if d.name == "delay")
    assert float(first["low"]) == dial.doses[0].means[TRAINED].low
    runs = list(csv.DictReader(io.StringIO(files["frame.csv"]["text"])))
    assert len(runs) == whole.study.seeds * len(whole.study.family)


def test_names_are_escaped() -> None:
    text = html(diagnosis(seeds=3, dials=["delay"], pairs=(), agent=EVIL))
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_missing_is_said(holed: Diagnosis) -> None:
    text = html(holed)
    assert '<tr class="missing">' in text
    assert f"{holed.missing} missing" in text


def test_one_seed_has_no_interval(single: Diagnosis) -> None:
    assert "too few runs" in html(single)


def nothing(dose: Dose) -> Dose:
    """The dose as if none of its runs had finished."""
    samples = {name: np.full_like(runs, np.nan) for name, runs in dose.samples.items()}

    def unknown(e: Estimate) -> Estimate:
        return replace(e, value=math.nan, low=math.nan, high=math.nan, n=0)

    means, iqms = ({name: unknown(e) for name, e in kind.items()} for kind in (dose.means, dose.iqms))
    bare = {"curves": None, "normal_curves": None, "attribution": None}
    return replace(dose, samples=samples, means=means, iqms=iqms, **bare)


def test_everything_may_be_missing(whole: Diagnosis) -> None:
    lost = Estimate(math.nan, math.nan, math.nan, 0, 0.95, "damage", "")
    dials = tuple(
        replace(
            d,
            doses=tuple(map(nothing, d.doses)),
            damage=lost,
            breaking=tuple(
                replace(b, status="too_few", dose=math.nan, low=math.nan, high=math.nan) for b in d.breaking
            ),
        )
        for d in whole.dials
    )
    pairs = tuple(replace(p, samples={k: np.full_like(v, np.nan) for k, v in p.samples.items()}) for p in whole.pairs)
    empty = replace(whole, vanilla=nothing(whole.vanilla), dials=dials, pairs=pairs, findings=(Finding("No verdict."),))
    for figure in Reader(html(empty)).embedded("figures").values():
        assert "n = 0" in figure["layout"]["title"]["text"] or "n = 1" in figure["layout"]["title"]["text"]


def test_report_is_written_whole(whole: Diagnosis, page: str, tmp_path: Path) -> None:
    path = whole.save(tmp_path / "new" / "folder")
    assert path == tmp_path / "new" / "folder" / "report.html"
    assert sorted(p.name for p in path.parent.iterdir()) == ["frame.csv", "report.html", "summary.csv", "verdict.json"]
    files = Reader(page).embedded("files")
    for name, file in files.items():
        assert (path.parent / name).read_text() == file["text"], "the page has the same files inside"


def test_same_verdict_same_page(page: str, whole: Diagnosis) -> None:
    assert html(whole) == page


def test_unwritable_place_is_one_sentence(whole: Diagnosis, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="the report cannot be written to"):
        whole.save(tmp_path / "file")


def test_png_without_browser_says_what_to_install_and_writes_nothing(
    whole: Diagnosis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="install Chromium"):
        whole.save(tmp_path / "out", png=True)
    monkeypatch.setenv("BROWSER_PATH", "no-such-browser")
    with pytest.raises(UsageError, match="no-such-browser"):
        whole.save(tmp_path / "out", png=True)
    assert not (tmp_path / "out").exists()


@needs_browser
def test_png_of_figures(whole: Diagnosis, tmp_path: Path) -> None:
    pytest.importorskip("kaleido")
    some = {name: whole.figures()[name] for name in ("ranking", "dial-delay")}
    paths = pictures.write_pictures(some, tmp_path / "png")
    assert [p.name for p in paths] == ["ranking.png", "dial-delay.png"]
    assert all(p.read_bytes().startswith(b"\x89PNG") for p in paths)
    assert sorted(p.name for p in (tmp_path / "png").iterdir()) == ["dial-delay.png", "ranking.png"]


@needs_browser
def test_browser_draws_and_the_page_asks_for_nothing(holed: Diagnosis, tmp_path: Path) -> None:
    """The page forbids itself every request, so one that it tried would stand in the console."""
    elements, console = opened(holed.save(tmp_path), tmp_path)
    assert elements.count("main-svg") > 0, "the script drew no figure"
    assert console == ""


@needs_browser
def test_a_request_would_be_seen(tmp_path: Path) -> None:
    policy = "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'\">"
    page = tmp_path / "page.html"
    page.write_text(f"{policy}<img src='https://example.org/picture.png'>")
    assert "violates" in opened(page, tmp_path)[1]


def test_a_protocol_without_a_layout_has_a_page_all_the_same() -> None:
    figure: go.Figure = blank(300, "n = 3")
    made = simple_page(EVIL, [Finding("is hard.", subject=EVIL)], {"one": figure}, {"a.csv": "x\n1\n"}, {"seeds": "3"})
    text = page_html(made, {"value": math.nan})
    reader = Reader(text)
    assert loads(text) == []
    assert "<script>alert" not in text
    assert [a["data-figure"] for _, a in reader.elements if "data-figure" in a] == ["one"]
    files = reader.embedded("files")
    assert json.loads(files["verdict.json"]["text"]) == {"value": None}
    assert files["a.csv"]["text"] == "x\n1\n"


def test_reports_beside_each_other_share_plotly(whole: Diagnosis, tmp_path: Path) -> None:
    first, second = (whole.save(tmp_path / name) for name in ("a", "b"))
    assert loads(first.read_text()) == [], "a report alone needs nothing else"
    (source,) = loads(second.read_text())
    assert (second.parent / source).resolve().parent == tmp_path
    assert "Copyright 2012-" in (second.parent / source).read_text()
    assert second.stat().st_size < first.stat().st_size / 4
    alone = whole.save(tmp_path / "b", single_file=True)
    assert loads(alone.read_text()) == []


@needs_browser
def test_a_shared_plotly_draws_and_a_missing_one_is_named(single: Diagnosis, tmp_path: Path) -> None:
    single.save(tmp_path / "a")
    page = single.save(tmp_path / "b")
    elements, console = opened(page, tmp_path)
    assert "main-svg" in elements
    assert console == ""
    (shared,) = tmp_path.glob("plotly-*.min.js")
    shared.unlink()
    assert f"The figures need {shared.name} in the folder above" in opened(page, tmp_path)[0]
