"""What does the report of a correlation show, on its page and at the terminal?"""

from __future__ import annotations

from html import escape

from mohs.protocols.correlate.correlation import Correlation, Row
from mohs.protocols.correlate.figures import agreement_figure, dose_label, planes
from mohs.protocols.measures import MEASURES
from mohs.report import numbers, parts
from mohs.report.files import filled
from mohs.report.page import Page
from mohs.report.tables import TextTable

FIGURE = "agreement"


def summary(found: Correlation) -> tuple[TextTable, ...]:
    """Every rank correlation."""
    rows = [cells(row) for row in found.rows]
    return (TextTable("Rank correlations over doses, paired by their order", HEAD, rows),)


def page(found: Correlation) -> Page:
    """The report: a plane for each agent and axis, the numbers, the methods."""
    figures = {FIGURE: agreement_figure(planes(found))}
    body = filled(
        __package__,
        "correlation.html",
        toys=escape(", ".join(toy.name for toy in found.toys)),
        complex=escape(found.complex.name),
        env=escape(found.complex.env),
        headline=parts.headline(found.findings),
        figure=parts.place(FIGURE, figures),
        table=parts.table(HEAD, [_row(row) for row in found.rows]),
        scores=escape(_scores(found)),
    )
    title = f"{found.complex.name} and its toys · mohs correlation"
    sections = ("verdict", "doses", "numbers", "methods")
    return Page(title, body, sections, figures, facts=_facts(found))


HEAD = ("agent", "axis", "doses: toy ~ complex", "r", "p", "p (Student)", "doses", "seeds")


def cells(row: Row) -> tuple[str, ...]:
    """A row as texts, in the order of `HEAD`."""
    doses = ", ".join(dose_label(pair.toy_dose, pair.complex_dose) for pair in row.pairs)
    p_values = numbers.number(row.p), numbers.number(row.p_student)
    found = row.correlation
    return row.agent, row.axis, doses, numbers.estimated(found), *p_values, str(len(row.pairs)), str(found.n)


def _row(row: Row) -> str:
    agent, axis, doses, _, *rest = (f"<td>{escape(text)}</td>" for text in cells(row))
    return f"<tr>{agent}{axis}{doses}{parts.estimate_cell(row.correlation)}{''.join(rest)}</tr>"


def _scores(found: Correlation) -> str:
    names = dict.fromkeys((*found.toy_measures, found.complex_measure))
    return " ".join(f"{MEASURES[name].title}: {MEASURES[name].text}" for name in names)


def _facts(found: Correlation) -> dict[str, str]:
    each = [*found.toys, found.complex]
    return {
        "studies": "; ".join(f"{study.name} ({study.env})" for study in each),
        "agents": "; ".join(
            dict.fromkeys(f"{a.label}: {a.agent}, {a.budget:,} steps" for study in each for a in study.agents)
        ),
        "seeds": "; ".join(f"{study.name}: {study.seeds:,}" for study in each),
    }
