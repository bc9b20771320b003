"""What can a person quote of a verdict?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from mohs.stats import BreakingDose, Estimate

MOST_DIALS = 3  # in the headline
_TOO_LITTLE = "That is too little to break: no dial gets a verdict."


class Spoken(Protocol):
    """A dial's verdict, as far as the headline reads it."""

    @property
    def sentence(self) -> str: ...

    @property
    def damage(self) -> Estimate: ...


def headline(opening: Iterable[str], dials: Iterable[Spoken], missing: int, left_out: Sequence[str]) -> tuple[str, ...]:
    """How well vanilla is learnt, the dials that do the most damage, and what is not there."""
    lines = [*opening, *[d.sentence for d in dials if d.damage.known][:MOST_DIALS]]
    if missing:
        lines.append(f"{missing} runs are missing; what rests on them is marked.")
    if left_out:
        lines.append(f"Left out of the battery, because the environment does not allow it: {'; '.join(left_out)}.")
    return tuple(lines)


def opening(agent: str, budget: int, vanilla: Estimate, learnt: bool, finished: bool) -> tuple[str, ...]:
    """Vanilla's score between the references of its task."""
    if np.isnan(vanilla.value) and finished:
        return ("The vanilla task has no references to normalise by: no verdict.",)
    if np.isnan(vanilla.value):
        return (_no_verdict(agent),)
    first = (
        f"On the vanilla task {agent} scores {vanilla.value:.2f}{with_interval(vanilla, '.2f')} of the way from the "
        f"random policy to the optimum over {budget:,} steps, n = {vanilla.n}."
    )
    return (first, _TOO_LITTLE) if vanilla.known and not learnt else (first,)


def own_opening(agent: str, budget: int, earned: Estimate, random: Estimate, learnt: bool) -> tuple[str, ...]:
    """What vanilla earns beside random play, where nobody knows the optimum."""
    if np.isnan(earned.value):
        return (_no_verdict(agent),)
    if np.isnan(random.value):
        return ("Random play on the vanilla task has not been run: no verdict.",)
    first = (
        f"On the vanilla task {agent} earns {earned.value:.4g}{with_interval(earned, '.4g')} an episode over "
        f"{budget:,} steps of training, random play {random.value:.4g}{with_interval(random, '.4g')}, n = {earned.n}."
    )
    return (first, f"It has no certain lead over random play. {_TOO_LITTLE}") if not learnt else (first,)


def _no_verdict(agent: str) -> str:
    return f"No finished run of {agent} on the vanilla task: no verdict."


def with_interval(e: Estimate, form: str) -> str:
    """What follows a number: its interval, where it is known."""
    return f" ({100 * e.level:.0f}% interval {e.low:{form}} to {e.high:{form}})" if e.known else ""


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
