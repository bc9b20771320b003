"""What can a person quote of a verdict?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from mohs.stats import BreakingDose, Estimate

MOST_DIALS = 3  # in the headline


class Spoken(Protocol):
    """A dial's verdict, as far as the headline reads it."""

    @property
    def sentence(self) -> str: ...

    @property
    def damage(self) -> Estimate: ...


def headline(
    agent: str, budget: int, vanilla: Estimate, learnt: bool, dials: Iterable[Spoken], missing: int
) -> tuple[str, ...]:
    """How well vanilla is learnt, and the dials that do the most damage."""
    lines = []
    if np.isnan(vanilla.value):
        lines.append(f"No finished run of {agent} on the vanilla task: no verdict.")
    else:
        interval = f" ({100 * vanilla.level:.0f}% interval {vanilla.low:.2f} to {vanilla.high:.2f})"
        lines.append(
            f"On the vanilla task {agent} scores {vanilla.value:.2f}{interval if vanilla.known else ''} of the way "
            f"from the random policy to the exact optimum over {budget:,} steps, n = {vanilla.n}."
        )
        if vanilla.known and not learnt:
            lines.append("That is too little to break: no dial gets a verdict.")
    lines.extend([d.sentence for d in dials if d.damage.known][:MOST_DIALS])
    if missing:
        lines.append(f"{missing} runs are missing; what rests on them is marked.")
    return tuple(lines)


def dial_sentence(
    name: str, unit: str, values: tuple[Any, ...], harder: str, breaking: Sequence[BreakingDose], loss: Estimate
) -> str:
    """What a person can quote."""
    if not breaking:
        return f"{name} was tested at no harder dose."
    found = " and ".join(dict.fromkeys(_breaks(b, unit, values, two_sided=harder == "both") for b in breaking))
    if not loss.known:
        return f"{name} {found}."
    return f"{name} {found}; its harder doses cost {_percent(loss)} of vanilla's score."


def _breaks(b: BreakingDose, unit: str, values: tuple[Any, ...], two_sided: bool) -> str:
    """One side of a dial in words."""
    way = {"up": "upwards ", "down": "downwards "}[b.side] if two_sided and b.side in ("up", "down") else ""
    if b.status == "reached":
        return f"{way}breaks the agent at {b.dose:.3g} {unit} ({_range(b)}; n = {b.n})"
    if b.status == "not_reached":
        edge = f"down to {min(values):g}" if b.side == "down" else f"up to {max(values):g}"
        return f"{way}does not break it {edge} {unit} (n = {b.n})"
    if b.status == "not_learnt":
        return "has no breaking dose, because vanilla itself is not learnt"
    if b.status == "too_few":
        return f"has too few runs for a breaking dose (n = {b.n})"
    return "has no order of doses, so no breaking dose"


def _percent(e: Estimate) -> str:
    value, low, high = (f"{round(100 * x) + 0:d}%" for x in (e.value, e.low, e.high))
    return f"{value} ({100 * e.level:.0f}% interval {low} to {high}, n = {e.n})"


def _range(b: BreakingDose) -> str:
    ends = ["beyond the tested doses" if np.isinf(end) else f"{end:.3g}" for end in (b.low, b.high)]
    return f"{100 * b.level:.0f}% interval {ends[0]} to {ends[1]}"
