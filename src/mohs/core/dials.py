"""Which dials are there? The one catalogue; names and vanilla values are MDP Playground's (Table 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mohs.core.dial import NO_OFF, WRAPPERS, Applies, Dial, Reading
from mohs.core.domain import Choice, Custom, Each, Either, Flag, Integer, Optional, OrFunction, Real
from mohs.core.errors import invalid, unknown
from mohs.core.values import freeze

TRANSFORMS = ("shift", "scale", "rotate", "flip")


def _transforms(name: str, value: object) -> str:
    """Some of the four transforms, in one order, as one text; several are joined by commas."""
    words = [word.strip() for word in value.split(",") if word.strip()] if isinstance(value, str) else None
    if words is None or not set(words) <= set(TRANSFORMS):
        raise invalid(name, value, _TRANSFORMS.text)
    return ",".join(word for word in TRANSFORMS if word in words)


_TRANSFORMS = Custom(_transforms, f"some of {', '.join(TRANSFORMS)}, joined by commas")


def _toy(name: str, value: object) -> tuple[tuple[str, Any], ...]:
    """Parameters by name, or pairs of them, in a canonical order; what they may be is the toy's to say."""
    pairs = list(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(pairs, list | tuple) or not all(isinstance(p, list | tuple) and len(p) == 2 for p in pairs):
        raise invalid(name, value, _TOY.text)
    if not all(isinstance(key, str) for key, _ in pairs):
        raise invalid(name, value, _TOY.text)
    return tuple(sorted((key, freeze(parameter)) for key, parameter in pairs))


_TOY = Custom(_toy, "a mapping of parameters of the toy")
_POSITIVE = Real(0, low_open=True)
_AT_END = "What becomes of delayed rewards when the episode ends: dropped, or paid at once on termination."
_TOYS: tuple[Applies, ...] = ("discrete toy", "continuous toy", "grid toy", "table")
_ALL: tuple[Applies, ...] = (*_TOYS, "wrapper")

# fmt: off
_CATALOGUE = (
    # What is earned, and when it is handed out.
    Dial(
        "delay", "steps", Integer(0, 10_000), 0, 0, "up", ("R",), _ALL,
        "Every reward is handed out this many steps after it was earned.",
    ),
    Dial(
        "delay_at_end", "", Choice(("drop", "terminated")), "drop", NO_OFF, "none", ("R",), _ALL,
        _AT_END,
        (
            Reading("continuous toy", "", Choice(("drop", "terminated")), "terminated", _AT_END),
            Reading("grid toy", "", Choice(("drop", "terminated")), "terminated", _AT_END),
            Reading(
                "wrapper", "", Choice(("drop", "terminated", "always")), "always",
                f"{_AT_END[:-1]}, or always, on truncation too.",
            ),
        ),
    ),
    Dial(
        "sequence_length", "states", Integer(1, 64), 1, 1, "up", ("R",), ("discrete toy", "table", "continuous toy"),
        "Reward is earned by visiting a rewardable sequence of this many states.",
        (
            Reading(
                "continuous toy", "moves", Integer(1, 64), 1,
                "For move_along_a_line: so many consecutive moves must lie on a straight line.",
            ),
        ),
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
        "make_denser", "", Flag(), False, False, "none", ("R",), _TOYS,
        "A part of a rewardable sequence already earns its share of the reward.",
        (
            Reading(
                "continuous toy", "", Flag(), False,
                "Every step earns the distance by which it came closer, instead of 1 for reaching the target.",
            ),
            Reading(
                "grid toy", "", Flag(), False,
                "Every step earns the cells by which it came closer, instead of 1 for reaching the target.",
            ),
        ),
    ),
    Dial(
        "reward_dist", "reward", Optional(OrFunction(Each(Real(), 2), "(rng, count) -> rewards")), None, None,
        "none", ("R",), ("discrete toy", "table"),
        "Rewards of the sequences: equally spaced over an interval and assigned at random, instead of all 1.",
    ),
    Dial(
        "action_loss_weight", "reward per action", Real(0), 0.0, 0.0, "up", ("R",), ("continuous toy",),
        "The length of the action vector, times this, is subtracted from the reward of every step.",
    ),
    Dial(
        "reward_noise", "std. deviation", OrFunction(Real(0), "rng -> float"), 0.0, 0.0, "up",
        ("R",), ("discrete toy", "continuous toy", "grid toy", "wrapper"),
        "Normal noise added to the reward of every step.",
    ),
    Dial(
        "reward_probability", "probability", Real(0, 1, low_open=True), 1.0, 1.0, "down", ("R",), ("arcade", "wrapper"),
        "A reward is given with this probability, divided by it so that its mean stays, and else withheld.",
    ),
    Dial(
        "reward_scale", "factor", Real(), 1.0, 1.0, "both", ("R",), _ALL,
        "Every reward, noise included, is multiplied by this.",
    ),
    Dial(
        "reward_shift", "reward", Real(), 0.0, 0.0, "both", ("R",), _ALL,
        "Added to the reward of every step, after scaling.",
    ),
    Dial(
        "term_state_reward", "reward", Real(), 0.0, 0.0, "none", ("R",), _ALL,
        "Added, scaled, to the reward of the step that enters a terminal state.",
    ),
    Dial(
        "reward_clip", "reward", Optional(Each(Real(), 2)), None, None, "none", ("R",), ("wrapper",),
        "Rewards are cut off at these two ends, after all other dials.",
    ),
    # How the state moves.
    Dial(
        "transition_noise", "probability", Real(0, 1), 0.0, 0.0, "up", ("P",), _ALL,
        "The probability of landing in another connected state than the chosen one.",
        (
            Reading(
                "continuous toy", "std. deviation", OrFunction(Real(0), "rng -> numbers, one for each dimension"), 0.0,
                "Normal noise added to every dimension of the state in every step; it stays in the state.",
            ),
            Reading(
                "grid toy", "probability", Real(0, 1), 0.0,
                "The probability of moving as another action would.",
            ),
            Reading(
                "wrapper", "probability", Real(0), 0.0,
                "Discrete actions: the probability that another action is taken. Continuous: the standard deviation "
                "of normal noise, added to the simulator's state where it can be set, else to the action.",
                unit_continuous="std. deviation",
            ),
        ),
    ),
    Dial(
        "transition_noise_on", "", Choice(("auto", "action", "state")), "auto", NO_OFF, "none", ("P",), ("wrapper",),
        "What transition noise disturbs: the action, the simulator's state, or the state wherever it can be set.",
    ),
    Dial(
        "sticky_actions", "probability", Real(0, 1), 0.0, 0.0, "up", ("P",), ("challenge", "wrapper"),
        "The probability that the previous action is taken again instead of the chosen one.",
    ),
    Dial(
        "action_repeat", "steps", Integer(1, 1000), 1, 1, "up", ("P", "T"), ("wrapper",),
        "Every action is taken this many times, and the rewards are added up.",
    ),
    Dial(
        "transition_dynamics_order", "", Integer(1, 32), 1, 1, "up", ("P",), ("continuous toy",),
        "The action sets this derivative of the position: 1 the velocity, 2 the acceleration, and so on.",
    ),
    Dial(
        "inertia", "mass", Either((_POSITIVE, Each(_POSITIVE))), 1.0, 1.0, "up", ("P",), ("continuous toy",),
        "The action is divided by this; one number, or one for each dimension.",
    ),
    Dial(
        "time_unit", "seconds", _POSITIVE, 1.0, 1.0, "both", ("P",), ("continuous toy", "MuJoCo wrapper"),
        "How long an action acts.",
        (
            Reading(
                "MuJoCo wrapper", "factor", _POSITIVE, 1.0,
                "The frames for which an action acts are multiplied by this; they stay a whole number, at least 1.",
            ),
        ),
    ),
    Dial(
        "diameter", "sets", Integer(1, 10_000), 1, 1, "up", ("P", "R", "T", "rho0", "O"), ("discrete toy", "table"),
        "The number of independent sets that the states are visited through, one after the other.",
    ),
    # Where episodes end.
    Dial(
        "terminal_state_density", "share", Real(0, 1), 0.25, 0.0, "up", ("T",), ("discrete toy", "table"),
        "The share of the states of each independent set that end the episode.",
    ),
    Dial(
        "target_radius", "distance", _POSITIVE, 0.05, NO_OFF, "down", ("T", "R", "rho0"), ("continuous toy",),
        "The target is reached, and the episode over, closer than this.",
    ),
    Dial(
        "term_state_edge", "distance", _POSITIVE, 1.0, NO_OFF, "up", ("T", "rho0"), ("continuous toy",),
        "The edge of the hypercubes around terminal_states.",
    ),
    # How large states and actions are.
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
        "state_space_dim", "dimensions", Integer(1, 64), 2, NO_OFF, "up", ("A", "P", "R", "T", "rho0", "O"),
        ("continuous toy",),
        "The number of dimensions of the state, and of the action.",
    ),
    Dial(
        "state_space_max", "distance", _POSITIVE, 10.0, NO_OFF, "up", ("P", "rho0", "O"), ("continuous toy",),
        "Positions are kept between minus this and this in every dimension.",
    ),
    Dial(
        "action_space_max", "action", _POSITIVE, 1.0, NO_OFF, "both", ("A",), ("continuous toy", "MuJoCo wrapper"),
        "Actions lie between minus this and this in every dimension.",
        (
            Reading(
                "MuJoCo wrapper", "factor", _POSITIVE, 1.0,
                "The bounds of the actions are multiplied by this; an action of the new range is used as it is.",
            ),
        ),
    ),
    # What is seen.
    Dial(
        "irrelevant_features", "", Flag(), False, False, "none", ("O", "A"),
        ("discrete toy", "grid toy", "table", "wrapper"),
        "A second state and action component with dynamics of its own that earns nothing.",
        (
            Reading(
                "wrapper", "", Either((Flag(), _TOY)), False,
                "A toy with dynamics of its own is appended to the observations and the actions; it earns nothing.",
            ),
        ),
    ),
    Dial(
        "irrelevant_dimensions", "dimensions", Integer(0, 64), 0, 0, "up", ("O", "A"), ("continuous toy",),
        "So many more dimensions that move as the others do, and neither earn nor end anything.",
    ),
    Dial(
        "observation_noise", "std. deviation", Real(0), 0.0, 0.0, "up", ("O",), ("wrapper",),
        "Normal noise added to every number of the observation.",
    ),
    Dial(
        "image_representations", "", Flag(), False, False, "none", ("O",),
        ("discrete toy", "continuous toy", "grid toy"),
        "The state is shown as an image.",
    ),
    Dial(
        "image_transforms", "", _TRANSFORMS, "", "", "none", ("O",), ("discrete toy", "image wrapper"),
        "Every image is transformed at random.",
    ),
    Dial(
        "image_sh_quant", "pixels", Integer(1, 4096), 1, NO_OFF, "down", ("O",), ("discrete toy", "image wrapper"),
        "Shifts are multiples of this.",
    ),
    Dial(
        "image_ro_quant", "degrees", Integer(1, 360), 1, NO_OFF, "down", ("O",), ("discrete toy", "image wrapper"),
        "Rotations are multiples of this.",
    ),
    Dial(
        "image_scale_range", "factor", Each(_POSITIVE, 2), (0.5, 1.5), NO_OFF, "none", ("O",),
        ("discrete toy", "image wrapper"),
        "Scales are drawn between these two.",
    ),
)
# fmt: on

DIALS: dict[str, Dial] = {dial.name: dial for dial in _CATALOGUE}


def injectable() -> dict[str, tuple[Applies, ...]]:
    """The dials that a wrapper takes, with the kinds of environments that take them."""
    kinds = {name: tuple(where for where in WRAPPERS if where in dial.applies) for name, dial in DIALS.items()}
    return {name: where for name, where in kinds.items() if where}


def dial(name: str) -> Dial:
    if name not in DIALS:
        raise unknown("dial", name, DIALS)
    return DIALS[name]
