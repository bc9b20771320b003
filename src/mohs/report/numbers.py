"""How is a number written for people? Three significant digits, an interval, and what it rests on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from mohs.stats import BreakingDose, Estimate

UNKNOWN = "–"


def number(value: float) -> str:
    """Three significant digits, no exponent where it can be avoided, a real minus sign."""
    if math.isnan(value):
        return UNKNOWN
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    size = abs(value)
    if size < 5e-7:
        return "0"
    if size >= 999.5:
        text = f"{size:,.0f}" if size < 1e7 else f"{size:.2e}"
    elif size < 0.0005:
        text = f"{size:.2e}"
    else:
        text = f"{size:#.3g}".rstrip(".")
    return f"−{text}" if value < 0 else text


def written(value: float) -> str:
    """A number that was computed: whole ones in full, yes and no, and a probability of 10⁻⁹ is not written as 0."""
    if isinstance(value, bool):
        return dose(value)
    if isinstance(value, int):
        return f"{value:,}".replace("-", "−")
    if 0 < abs(value) < 0.0005:
        return f"{'−' if value < 0 else ''}{abs(value):.2e}"
    return number(value)


def percent(value: float) -> str:
    """A share in whole per cent; one decimal where it is small."""
    if not math.isfinite(value):
        return number(value)
    size = abs(100 * value)
    text = f"{size:.0f}" if size >= 9.95 else f"{size:.1f}"
    return f"−{text}%" if value < 0 and text != "0.0" else f"{text}%"


def share(e: Estimate) -> str:
    """37% [27%, 46%]."""
    return f"{percent(e.value)} [{percent(e.low)}, {percent(e.high)}]" if e.known else UNKNOWN


def points(e: Estimate) -> str:
    """A share in whole per cent without the sign, for tables: 37 [27, 46]."""
    if math.isnan(e.value):
        return UNKNOWN
    value, low, high = (fixed(100 * x, 0) for x in (e.value, e.low, e.high))
    return f"{value} [{low}, {high}]" if e.known else value


def level(value: float) -> str:
    """The coverage that an interval claims: 95%, 99.5%, 99.83%."""
    return f"{100 * value:.4g}%"


def interval(estimate: Estimate) -> str:
    return f"[{number(estimate.low)}, {number(estimate.high)}]" if estimate.known else "[too few runs]"


def estimated(estimate: Estimate) -> str:
    """0.361 [0.340, 0.382]."""
    return f"{number(estimate.value)} {interval(estimate)}" if estimate.n else "missing"


def dose(value: Any) -> str:
    """A dose as it was asked for; a dial that does nothing may have no value, or an empty text."""
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:g}".replace("-", "−")
    if isinstance(value, tuple):
        return " × ".join(dose(part) for part in value)
    return str(value)


def count(n: Iterable[int]) -> str:
    """n = 20, or n = 17 to 20 where doses differ."""
    counts = sorted(set(n)) or [0]
    return f"n = {counts[0]}" if len(counts) == 1 else f"n = {counts[0]} to {counts[-1]}"


def breaking(found: BreakingDose, unit: str) -> str:
    """Where it breaks, in few words."""
    ends = ", ".join("beyond" if math.isinf(end) else number(end) for end in (found.low, found.high))
    return f"breaks at {number(found.dose)} {unit}".rstrip() + f" [{ends}]"


def formatted(value: float, form: str) -> str:
    """A number in a format of Python's, with a real minus sign."""
    text = f"{value:{form}}"
    return f"−{text[1:]}" if text.startswith("-") else text


def fixed(value: float, digits: int) -> str:
    """A number with so many decimals and a real minus sign; never −0."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def with_interval(e: Estimate, digits: int) -> str:
    """What follows a number in a sentence: its interval, where it is known."""
    ends = f"{fixed(e.low, digits)} to {fixed(e.high, digits)}"
    return f" ({100 * e.level:.0f}% interval {ends})" if e.known else ""


def whole_parts(shares: Sequence[float]) -> tuple[int, ...]:
    """Shares in whole per cent that add up as the shares do: the largest remainders are rounded up."""
    exact = [100 * share for share in shares]
    found = [math.floor(value) for value in exact]
    order = sorted(range(len(exact)), key=lambda i: found[i] - exact[i])
    for i in order[: round(sum(exact)) - sum(found)]:
        found[i] += 1
    return tuple(found)


def at_length(e: Estimate) -> str:
    """The interval and n of a number that stands before it."""
    ends = f"{level(e.level)} interval {interval(e)}" if e.known else "too few runs"
    return f"{ends}, n = {e.n}"


def briefly(e: Estimate) -> str:
    """The same where room is short."""
    ends = f"{level(e.level)}: {interval(e)}" if e.known else "too few runs"
    return f"{ends}, n\u00a0=\u00a0{e.n}"
