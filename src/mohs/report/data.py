"""How do numbers leave a report? As JSON and as CSV."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mohs.core.values import Json
from mohs.stats import Estimate

ESTIMATE = ("statistic", "value", "low", "high", "level", "n")  # the columns of an estimate


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


def estimate_cells(e: Estimate) -> tuple[Any, ...]:
    """An estimate in the columns `ESTIMATE`."""
    return (e.statistic, e.value, e.low, e.high, e.level, e.n)


def csv_text(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([["" if isinstance(v, float) and not math.isfinite(v) else v for v in row] for row in rows])
    return text.getvalue()
