"""How is an exact value written? Whole numbers in full, yes and no, three digits of others however small they are."""

from __future__ import annotations

from mohs.report import numbers


def written(value: float) -> str:
    """Unlike a score, a probability of 10⁻⁹ is not rounding: it is not written as 0."""
    if isinstance(value, bool):
        return numbers.dose(value)
    if isinstance(value, int):
        return f"{value:,}".replace("-", "−")
    if 0 < abs(value) < 0.0005:
        return f"{'−' if value < 0 else ''}{abs(value):.2e}"
    return numbers.number(value)
