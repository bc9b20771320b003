"""What does a hardness card say in words?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mohs.protocols.card.why import why

if TYPE_CHECKING:
    from mohs.protocols.card.record import Card

MANY_STEPS = 10_000_000  # what the Effective Horizon Challenge calls too many
SPARSE = 0.05  # of the steps of random play


def headline(card: Card) -> tuple[str, ...]:
    """Why the task is easy or hard, then its exact quantities."""
    if not card.exact:
        return (*why(card.name, card.profile), *_estimated(card))
    if card.optimal_return is not None and card.optimal_return == card.worst_return:
        return (f"Every policy earns {card.optimal_return:.3g}: within {_steps(card.horizon)} nothing can go wrong.",)
    note = f"{card.notes['task'][0].upper()}{card.notes['task'][1:]}." if "task" in card.notes else ""
    sentences = (_horizon, _memory, _look_ahead, _random, _guessing, _discount)
    found = [*why(card.name, card.profile), *(sentence(card) for sentence in sentences), note]
    return tuple(sentence for sentence in found if sentence)


def _horizon(card: Card) -> str:
    gorp, tight, simple = (card.effective_horizon.get(way) for way in ("gorp", "tight", "simple"))
    if gorp is not None and card.actions is not None:
        assert gorp.k is not None
        assert gorp.m is not None
        steps = card.horizon**2 * card.actions**gorp.k * gorp.m
        ends = "" if gorp.interval is None else f" [{gorp.interval[0]:.1f}, {gorp.interval[1]:.1f}]"
        return (
            f"Effective horizon {gorp.value:.1f}{ends} of {card.horizon}: GORP, looking {_steps(gorp.k)} ahead of "
            f"{gorp.m:,} random {_plural('episode', gorp.m)} for each choice, finds an optimal policy in half of its "
            f"runs ({steps:,} steps)."
        )
    bound = min((length for length in (tight, simple) if length is not None), key=lambda b: b.value, default=None)
    at_most = f" Theory bounds it by {bound.value:.1f}." if bound is not None else ""
    if "effective_horizon.gorp" in card.undefined and card.deterministic:
        return f"Effective horizon: {card.undefined['effective_horizon.gorp']}.{at_most}"
    stochastic = card.effective_horizon.get("stochastic")
    if stochastic is not None:
        return f"Stochastic effective horizon {stochastic.value:.1f} of {card.horizon} (look-ahead k = {stochastic.k})."
    return ""


def _look_ahead(card: Card) -> str:
    if card.min_k is None:
        return f"No look-ahead makes greedy play optimal: {card.undefined.get('min_k', 'unknown')}."
    if card.min_k == 1:
        return "Acting greedily on the value of random play is already optimal (min_k = 1)."
    earned = f"earns {card.greedy_returns[0]:.3g}" if card.greedy_returns else "is not optimal"
    return (
        f"Acting greedily on the value of random play {earned} at worst: one must look {_steps(card.min_k)} ahead of "
        "it to be sure to act optimally."
    )


def _random(card: Card) -> str:
    paid = card.measures.get("paying_steps")
    if card.random_return is None or card.optimal_return is None:
        return ""
    earned = f"random play earns {card.random_return:.3g}, the best policy {card.optimal_return:.3g}"
    if paid is not None and paid < SPARSE:
        return f"Rewards are sparse: {100 * paid:.2g}% of random steps pay, and {earned}."
    return f"{earned[0].upper()}{earned[1:]}."


def _memory(card: Card) -> str:
    reached = card.formulas.get("best_memoryless", 1.0)
    if reached == 1:
        return ""
    return (
        "States look alike in which different actions are best: an agent without memory reaches the goal with "
        f"probability {reached:.3g} at best, one with memory always."
    )


def _guessing(card: Card) -> str:
    if card.random_guess_bound is None or not math.isfinite(card.random_guess_bound):
        return ""
    if card.deterministic and card.random_guess_bound < MANY_STEPS:
        return (
            f"Half of the time, guessing whole episodes finds the optimum within {card.random_guess_bound:,.0f} steps."
        )
    return ""


def _discount(card: Card) -> str:
    if card.harmless_discount is None or card.harmless_discount[1]:
        return ""
    return f"Playing for the discounted return (γ = {card.harmless_discount[0]:g}) is not optimal without the discount."


def _estimated(card: Card) -> tuple[str, ...]:
    seen = card.rollouts
    assert seen is not None
    mean, paid, silent = seen.random_return, seen.paying_steps.value, seen.silent_episodes.value
    if seen.deterministic:
        outcome = "The same actions led to the same outcome in every replay."
    elif seen.repeatable:
        outcome = "The outcome of the same actions changes with the seed."
    else:
        outcome = "Even with the same seed the same actions have different outcomes: runs cannot be repeated."
    return (
        f"Estimated from {len(seen.returns)} episodes of random play: {card.undefined['states']}.",
        f"Random play earns {mean.value:.4g} [{mean.low:.4g}, {mean.high:.4g}]; its best episode, {seen.best:.4g}.",
        f"{100 * paid:.3g}% of its steps pay anything; {100 * silent:.3g}% of episodes pay nothing.",
        outcome,
    )


def _steps(k: int) -> str:
    return f"{k} {_plural('step', k)}"


def _plural(word: str, n: int) -> str:
    return word if n == 1 else f"{word}s"
