"""The page is one file that loads nothing, hides nothing, and can be taken apart again."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mohs.core.errors import UsageError
from mohs.protocols.compare.comparison import compare
from mohs.protocols.diagnose.verdict import Dose, Verdict
from mohs.report import png
from mohs.report.figures import dial_figure, dial_response, ranking_figure, ranking_rows
from mohs.protocols.diagnose.page import comparison_html, report_html, write_comparison, write_report
from mohs.stats import Estimate

BROWSER = next((b for b in (os.environ.get("BROWSER_PATH"), *map(shutil.which, png.BROWSERS)) if b), None)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")


class Reader(HTMLParser):
    """Every element with its attributes, and the text of scripts by id."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str, str] = {}
        self._inside: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = dict(attrs).get("id") if tag == "script" else None

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.scripts[self._inside] = self.scripts.get(self._inside, "") + data


@pytest.fixture(scope="module")
def page(whole: Verdict) -> str:
    return report_html(whole)


def loads(text: str) -> list[str]:
    """What a browser would fetch: sources, style sheets, imports."""
    found = [
        value
        for tag, attributes in Reader(text).elements
        for name, value in attributes.items()
        if value and (name in ("src", "srcset", "poster", "data") or (tag == "link" and name == "href"))
    ]
    styles = "".join(re.findall(r"<style>(.*?)</style>", text, re.S))
    return [v for v in found if not v.startswith("data:")] + re.findall(r"@import|url\(", styles)


def test_page_loads_nothing(page: str) -> None:
    assert loads(page) == []
    assert "default-src 'none'" in page


def test_plotly_is_embedded_once(page: str) -> None:
    assert page.count("Copyright 2012-") == 1
    assert len(page) < 10_000_000


def test_every_figure_has_its_place(page: str) -> None:
    reader = Reader(page)
    places = [a["data-figure"] for _, a in reader.elements if "data-figure" in a]
    assert sorted(map(str, places)) == sorted(json.loads(reader.scripts["figures"]))


def test_verdict_comes_first_and_dials_in_its_order(page: str, whole: Verdict) -> None:
    at = [page.index(f'id="{part}"') for part in ("verdict", "ranking", "dials", "curves", "pairs", "methods")]
    assert at == sorted(at)
    order = [page.index(f'<article id="dial-{d.name}"') for d in whole.dials]
    assert order == sorted(order)
    assert all(d.sentence in page for d in whole.dials)


def test_embedded_files_round_trip(page: str, whole: Verdict, tmp_path: Path) -> None:
    files = json.loads(Reader(page).scripts["files"])
    assert json.loads(files["verdict.json"]["text"]) == json.loads(json.dumps(whole.to_json()))
    rows = list(csv.DictReader(io.StringIO(files["verdict.csv"]["text"])))
    first = next(r for r in rows if r["dial"] == "delay" and r["measure"] == "normalised" and r["statistic"] == "mean")
    dial = next(d for d in whole.dials if d.name == "delay")
    assert float(first["low"]) == dial.doses[0].means["normalised"].low
    runs = list(csv.DictReader(io.StringIO(files["runs.csv"]["text"])))
    assert len(runs) == whole.study.seeds * sum(len(d.doses) for d in whole.dials)


def test_names_are_escaped(invent: Callable[..., Verdict]) -> None:
    evil = "<script>alert(1)</script>&\"'"
    verdict = invent(seeds=3, dials=["delay"], pairs=(), agent=evil)
    for text in (report_html(verdict), comparison_html(compare(verdict, verdict))):
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert(1)" in text


def test_missing_is_said(holed: Verdict) -> None:
    text = report_html(holed)
    assert '<tr class="missing">' in text
    assert f"{holed.missing} missing" in text


def test_one_seed_has_no_interval(single: Verdict) -> None:
    assert "too few runs" in report_html(single)


def nothing(dose: Dose) -> Dose:
    """The dose as if none of its runs had finished."""
    samples = {name: np.full_like(runs, np.nan) for name, runs in dose.samples.items()}

    def unknown(e: Estimate) -> Estimate:
        return replace(e, value=math.nan, low=math.nan, high=math.nan, n=0)

    means, iqms = ({name: unknown(e) for name, e in kind.items()} for kind in (dose.means, dose.iqms))
    return replace(dose, samples=samples, means=means, iqms=iqms, curves=None, normal_curves=None)


def test_everything_may_be_missing(whole: Verdict) -> None:
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
    empty = replace(whole, vanilla=nothing(whole.vanilla), dials=dials, pairs=pairs, headline=("No verdict.",))
    reader = Reader(report_html(empty))
    for figure in json.loads(reader.scripts["figures"]).values():
        assert "n = 0" in figure["layout"]["title"]["text"] or "n = 1" in figure["layout"]["title"]["text"]


def test_report_is_written_whole(whole: Verdict, tmp_path: Path) -> None:
    path = write_report(whole, tmp_path / "new" / "folder")
    assert path == tmp_path / "new" / "folder" / "report.html"
    assert json.loads((path.parent / "verdict.json").read_text()) == json.loads(json.dumps(whole.to_json()))
    assert sorted(p.name for p in path.parent.iterdir()) == ["report.html", "verdict.json"]
    other = write_comparison(compare(whole, whole), tmp_path)
    assert loads(other.read_text()) == []


def test_same_verdict_same_page(page: str, whole: Verdict) -> None:
    assert report_html(whole) == page


def test_unwritable_place_is_one_sentence(whole: Verdict, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="the report cannot be written to"):
        write_report(whole, tmp_path / "file")


def test_png_without_browser_says_what_to_install(
    whole: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="install Chromium"):
        write_report(whole, tmp_path / "out", png=True)
    monkeypatch.setenv("BROWSER_PATH", "no-such-browser")
    with pytest.raises(UsageError, match="no-such-browser"):
        png.write_png(whole, tmp_path / "out")


@needs_browser
def test_png_of_figures(whole: Verdict, tmp_path: Path) -> None:
    pytest.importorskip("kaleido")
    dial = dial_figure(dial_response(whole.study, whole.dials[0]))
    some = {"ranking": ranking_figure(ranking_rows(whole)), "dial-delay": dial}
    paths = png.write_pictures(some, tmp_path / "png")
    assert [p.name for p in paths] == ["ranking.png", "dial-delay.png"]
    assert all(p.read_bytes().startswith(b"\x89PNG") for p in paths)
    assert sorted(p.name for p in (tmp_path / "png").iterdir()) == ["dial-delay.png", "ranking.png"]


def opened(path: Path, folder: Path) -> tuple[str, str]:
    """The page's elements after its scripts have run, and what the browser's console said of it."""
    command: list[Any] = [
        BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
        f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=3000", "--enable-logging=stderr",
        "--window-size=1200,2000", "--dump-dom", path.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout, "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


@needs_browser
def test_browser_draws_and_the_page_asks_for_nothing(holed: Verdict, tmp_path: Path) -> None:
    """The page forbids itself every request, so one that it tried would stand in the console."""
    elements, console = opened(write_report(holed, tmp_path), tmp_path)
    assert elements.count("main-svg") > 0, "the script drew no figure"
    assert console == ""


@needs_browser
def test_a_request_would_be_seen(tmp_path: Path) -> None:
    policy = "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'\">"
    page = tmp_path / "page.html"
    page.write_text(f"{policy}<img src='https://example.org/picture.png'>")
    assert "violates" in opened(page, tmp_path)[1]
