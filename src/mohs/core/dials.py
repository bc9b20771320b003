"""Which dials are there? The one catalogue; names and vanilla values are MDP Playground's (Table 1)."""

from __future__ import annotations

from mohs.core.dial import NO_OFF, Dial
from mohs.core.domain import Choice, Each, Either, Flag, Integer, Optional, OrFunction, Real
from mohs.core.errors import unknown

# fmt: off
_CATALOGUE = (
    Dial(
        "delay", "steps", Integer(0, 10_000), 0, 0, "up", ("R",), ("discrete toy", "table"),
        "Every reward is handed out this many steps after it was earned.",
    ),
    Dial(
        "delay_at_end", "", Choice(("drop", "terminated")), "drop", NO_OFF, "none", ("R",), ("discrete toy", "table"),
        "What becomes of delayed rewards when the episode ends: dropped, or paid at once on termination.",
    ),
    Dial(
        "sequence_length", "states", Integer(1, 64), 1, 1, "up", ("R",), ("discrete toy", "table"),
        "Reward is earned by visiting a rewardable sequence of this many states.",
    ),
    Dial(
        "reward_density", "share", Real(0, 1, low_open=True), 0.25, NO_OFF, "down", ("R",), ("discrete toy", "table"),
        "The share of possible state sequences that are rewardable.",
    ),
    Dial(
        "reward_every_n_steps", "", Flag(), True, False, "none", ("R",), ("discrete toy", "table"),
        "A sequence pays only if it finishes at a step divisible by its length, so sequences cannot overlap.",
    ),
    Dial(
        "make_denser", "", Flag(), False, False, "none", ("R",), ("discrete toy", "table"),
        "A part of a rewardable sequence already earns its share of the reward.",
    ),
    Dial(
        "reward_dist", "reward", Optional(OrFunction(Each(Real(), 2), "(rng, count) -> rewards")), None, None,
        "none", ("R",), ("discrete toy", "table"),
        "Rewards of the sequences: equally spaced over an interval and assigned at random, instead of all 1.",
    ),
    Dial(
        "transition_noise", "probability", Real(0, 1), 0.0, 0.0, "up", ("P",), ("discrete toy", "table"),
        "The probability of landing in another state of the next set than the chosen one.",
    ),
    Dial(
        "reward_noise", "std. deviation", OrFunction(Real(0), "rng -> float"), 0.0, 0.0, "up",
        ("R",), ("discrete toy",),
        "Normal noise added to the reward of every step.",
    ),
    Dial(
        "reward_scale", "factor", Real(), 1.0, 1.0, "both", ("R",), ("discrete toy", "table"),
        "Every reward, noise included, is multiplied by this.",
    ),
    Dial(
        "reward_shift", "reward", Real(), 0.0, 0.0, "both", ("R",), ("discrete toy", "table"),
        "Added to the reward of every step, after scaling.",
    ),
    Dial(
        "term_state_reward", "reward", Real(), 0.0, 0.0, "none", ("R",), ("discrete toy", "table"),
        "Added, scaled, to the reward of the step that enters a terminal state.",
    ),
    Dial(
        "terminal_state_density", "share", Real(0, 1), 0.25, 0.0, "up", ("T",), ("discrete toy", "table"),
        "The share of the states of each independent set that end the episode.",
    ),
    Dial(
        "action_space_size", "actions", Either((Integer(1, 100_000), Each(Integer(1, 100_000), 2))), 8, NO_OFF, "up",
        ("A", "P", "R", "T", "rho0", "O"), ("discrete toy", "table"),
        "The number of actions, which is also the number of states in each independent set.",
    ),
    Dial(
        "state_space_size", "states", Optional(Integer(1, 10_000_000)), None, NO_OFF, "up",
        ("A", "P", "R", "T", "rho0", "O"), ("discrete toy", "table"),
        "The number of states; for generated dynamics it is actions × diameter.",
    ),
    Dial(
        "diameter", "sets", Integer(1, 10_000), 1, 1, "up", ("P", "R", "T", "rho0", "O"), ("discrete toy", "table"),
        "The number of independent sets that the states are visited through, one after the other.",
    ),
    Dial(
        "irrelevant_features", "", Flag(), False, False, "none", ("O", "A"), ("discrete toy", "table"),
        "A second state and action component with dynamics of its own that earns nothing.",
    ),
)
# fmt: on

DIALS: dict[str, Dial] = {dial.name: dial for dial in _CATALOGUE}


def dial(name: str) -> Dial:
    if name not in DIALS:
        raise unknown("dial", name, DIALS)
    return DIALS[name]
