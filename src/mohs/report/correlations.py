"""What does a person open after toy and complex studies were correlated? One HTML file: planes, numbers, methods."""

from __future__ import annotations

from html import escape
from pathlib import Path

from mohs.protocols.correlate import Correlation, Row
from mohs.protocols.studies.measures import MEASURES
from mohs.report import numbers, parts
from mohs.report.data import csv_text, json_text
from mohs.report.figures.agreement import agreement_figure, dose_label, planes
from mohs.report.files import filled, write
from mohs.report.png import find_browser, write_pictures
from mohs.report.shell import page

FIGURE = "agreement"


def write_correlation(found: Correlation, out_dir: Path | str, png: bool = False) -> Path:
    """Write `correlation.html`, `.json` and `.csv` (with `png`, the picture too); return the page's path."""
    directory = Path(out_dir)
    if png:
        find_browser()  # say what is missing before any work
    figures = {FIGURE: agreement_figure(planes(found), _axes(found))}
    files = {
        "correlation.json": ("application/json", json_text(found.to_json(), indent=1) + "\n"),
        "correlation.csv": ("text/csv", correlation_csv(found)),
    }
    for name, (_, text) in files.items():
        write(directory / name, text)
    body = filled(
        "correlation.html",
        toys=escape(", ".join(toy.title for toy in found.toys)),
        complex=escape(found.complex.title),
        env=escape(found.complex.env),
        headline=escape(found.headline),
        figure=parts.place(FIGURE, figures),
        table=parts.table(HEAD, [_row(row) for row in found.rows]),
        scores=escape(_scores(found)),
    )
    sections = ["verdict", "doses", "numbers", "methods"]
    title = f"{found.complex.title} and its toys · mohs correlation"
    path = write(directory / "correlation.html", page(title, body, sections, figures, files, _facts(found)))
    if png:
        write_pictures(figures, directory / "png")
    return path


def correlation_csv(found: Correlation) -> str:
    """One row for each agent and axis."""
    head = ("agent", "axis", "toy", "complex", "r", "low", "high", "level", "p", "p_student", "doses", "seeds")
    rows = []
    for row in found.rows:
        e = row.correlation
        ends = (e.value, e.low, e.high, e.level, row.p, row.p_student)
        rows.append((row.agent, row.axis, row.toy_study, found.complex.title, *ends, len(row.pairs), e.n))
    return csv_text(head, rows)


HEAD = ("agent", "axis", "doses: toy ~ complex", "r", "p", "p (Student)", "doses", "seeds")


def cells(row: Row) -> tuple[str, ...]:
    """A row as texts, in the order of `HEAD`."""
    doses = ", ".join(dose_label(pair.toy_dose, pair.complex_dose) for pair in row.pairs)
    chances = numbers.number(row.p), numbers.number(row.p_student)
    found = row.correlation
    return row.agent, row.axis, doses, numbers.estimated(found), *chances, str(len(row.pairs)), str(found.n)


def _row(row: Row) -> str:
    agent, axis, doses, _, *rest = (f"<td>{escape(text)}</td>" for text in cells(row))
    return f"<tr>{agent}{axis}{doses}{parts.estimate_cell(row.correlation)}{''.join(rest)}</tr>"


def _axes(found: Correlation) -> tuple[str, str]:
    toy = " / ".join(dict.fromkeys(MEASURES[name].title for name in found.toy_measures))
    return f"toy: {toy}", f"{found.complex.env}: {MEASURES[found.complex_measure].title}"


def _scores(found: Correlation) -> str:
    names = dict.fromkeys((*found.toy_measures, found.complex_measure))
    return " ".join(f"{MEASURES[name].title}: {MEASURES[name].text}" for name in names)


def _facts(found: Correlation) -> dict[str, str]:
    each = [*found.toys, found.complex]
    return {
        "studies": "; ".join(f"{study.title} ({study.env})" for study in each),
        "agents": "; ".join(
            dict.fromkeys(f"{c.label}: {c.agent}, {c.budget:,} steps" for study in each for c in study.contenders)
        ),
        "seeds": "; ".join(f"{study.title}: {study.seeds:,}" for study in each),
    }
