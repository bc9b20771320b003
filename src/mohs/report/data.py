"""Which data can be taken out of a report? The verdict as JSON, its numbers and its single runs as CSV."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mohs.core.values import Json
from mohs.protocols.diagnose import Verdict
from mohs.protocols.measures import measures
from mohs.stats import Estimate


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON proper: a number that is not finite is null."""
    return json.dumps(_finite(value), allow_nan=False, ensure_ascii=False, indent=indent)


def _finite(value: Any) -> Json:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value  # type: ignore[no-any-return]


def summary_csv(verdict: Verdict) -> str:
    """One row for each dial, dose, measure and statistic."""
    head = ("dial", "dose", "vanilla", "measure", "statistic", "value", "low", "high", "level", "n", "missing")
    rows = []
    for dial in verdict.dials:
        for i, dose in enumerate(dial.doses):
            first = (dial.name, dose.value, i == dial.vanilla)
            for kind in (dose.means, dose.iqms):
                rows += [(*first, measure, *_numbers(e), dose.missing) for measure, e in kind.items()]
    return csv_text(head, rows)


def runs_csv(verdict: Verdict) -> str:
    """One row for each dial, dose and seed, with every measure of the run."""
    rows, names = [], measures(verdict.study.env)
    for dial in verdict.dials:
        for dose in dial.doses:
            for seed in range(verdict.study.seeds):
                rows.append((dial.name, dose.value, seed, *(float(dose.samples[m][seed]) for m in names)))
    return csv_text(("dial", "dose", "seed", *names), rows)


def comparison_csv(rows: Iterable[tuple[str, str, Estimate]]) -> str:
    """One row for each dial and quantity."""
    head = ("dial", "quantity", "statistic", "value", "low", "high", "level", "n")
    return csv_text(head, [(dial, quantity, *_numbers(e)) for dial, quantity, e in rows])


def _numbers(e: Estimate) -> tuple[Any, ...]:
    return (e.statistic, e.value, e.low, e.high, e.level, e.n)


def csv_text(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([["" if isinstance(v, float) and not math.isfinite(v) else v for v in row] for row in rows])
    return text.getvalue()
