"""Which doses of which dials does a diagnosis try? Pure data; the vanilla dose is always among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mohs.core.errors import unknown

Doses = dict[str, tuple[Any, ...]]

# The doses of MDP Playground's figures where it has them (Figures 7 to 10 and 37 to 40).
QUICK: Doses = {
    "delay": (0, 1, 2, 4, 8),
    "sequence_length": (1, 2, 3, 4),
    "transition_noise": (0.0, 0.02, 0.05, 0.1, 0.25),
    "reward_noise": (0.0, 1.0, 5.0, 10.0, 25.0),
    "irrelevant_features": (False, True),
}
STANDARD: Doses = {
    **QUICK,
    "reward_density": (0.25, 0.5, 0.75),
    "terminal_state_density": (0.0, 0.125, 0.25, 0.375, 0.5),
    "action_space_size": (8, 12, 16, 24),
    "diameter": (1, 2, 3, 4),
    "reward_scale": (0.01, 0.1, 1.0, 10.0, 100.0),
    "reward_shift": (-1.0, -0.5, 0.0, 0.5, 1.0),
}
FULL: Doses = {
    **STANDARD,
    "delay": (0, 1, 2, 3, 4, 6, 8, 12),
    "transition_noise": (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5),
    "reward_noise": (0.0, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0),
    "term_state_reward": (-10.0, -1.0, 0.0, 1.0, 10.0),
}
# Dials that do nothing to sequences of one state: they are tried together with sequence_length.
PAIRED: Doses = {
    "reward_every_n_steps": (True, False),
    "make_denser": (False, True),
}


@dataclass(frozen=True)
class Battery:
    doses: Doses
    pairs: tuple[tuple[str, str], ...]
    seeds: int
    budget: int


BATTERIES = {
    "quick": Battery(QUICK, (), 20, 20_000),
    "standard": Battery(STANDARD, (("delay", "sequence_length"),), 50, 20_000),
    "full": Battery(
        FULL,
        (
            ("delay", "sequence_length"),
            ("transition_noise", "reward_noise"),
            ("sequence_length", "reward_every_n_steps"),
            ("sequence_length", "make_denser"),
        ),
        100,
        20_000,
    ),
}


def battery(name: str) -> Battery:
    if name not in BATTERIES:
        raise unknown("battery", name, BATTERIES)
    return BATTERIES[name]
