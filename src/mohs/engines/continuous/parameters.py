"""Which parameters of a continuous toy go together? What they imply, and one clear sentence where they contradict."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mohs.core import images
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.tables.toys.point_mass import LINE, POINT, PointMass, point_mass

_DRAWS = 10_000  # from which the share of the space that is not terminal is judged
_FREE = 10  # so many of them must not be terminal, so that a start is found by drawing again


def spaces(task: Task) -> tuple[int, float, float]:
    """The number of dimensions and the bounds of states and actions."""
    values = task.values
    dims = values["state_space_dim"] + values["irrelevant_dimensions"]
    return dims, values["state_space_max"], values["action_space_max"]


def signature(task: Task) -> tuple[Any, ...]:
    """Equal for tasks that can share a fleet: their spaces, and how large images are."""
    return *spaces(task), images.signature(task.values)


def check(values: dict[str, Any], given: frozenset[str]) -> dict[str, Any]:
    """What the parameters imply; an error where they contradict each other."""
    implied = _check_dimensions(values)
    _check_reward(values)
    _check_numbers(values)
    parts = point_mass(values)
    if parts.target is not None and (np.abs(parts.target) > parts.limit).any():
        raise UsageError(
            f"target_point is {list(values['target_point'])}, but must lie within ±{parts.limit:g} (state_space_max)."
        )
    _check_starts(parts)
    images.check(values)
    if values["image_representations"] and (len(parts.relevant), parts.dims) not in ((2, 2), (2, 4)):
        raise UsageError(
            f"image_representations needs 2 relevant and 0 or 2 irrelevant dimensions, not {len(parts.relevant)} and "
            f"{parts.dims - len(parts.relevant)}: images show planes."
        )
    return implied


def _check_dimensions(values: dict[str, Any]) -> dict[str, Any]:
    implied: dict[str, Any] = {}
    size, more, chosen = values["state_space_dim"], values["irrelevant_dimensions"], values["relevant_indices"]
    relevant = size
    if chosen is not None:
        if more > 0:
            raise UsageError(
                "give either relevant_indices or irrelevant_dimensions, not both: irrelevant_dimensions are added to "
                "a state whose other dimensions are all relevant."
            )
        if not chosen or len(set(chosen)) < len(chosen) or max(chosen) >= size:
            raise UsageError(
                f"relevant_indices is {list(chosen)}, but must name one or more different dimensions from 0 to "
                f"{size - 1}."
            )
        relevant = len(chosen)
        if chosen == tuple(range(size)):
            implied["relevant_indices"] = None
    dims = size + more
    for name, expected, kind in (
        ("target_point", relevant, "relevant dimensions"),
        ("start_point", dims, "dimensions"),
    ):
        if values[name] is not None and len(values[name]) != expected:
            raise UsageError(f"{name} has {len(values[name])} numbers for {expected} {kind}.")
    for centre in values["terminal_states"]:
        if len(centre) != relevant:
            raise UsageError(
                f"terminal_states has a centre of {len(centre)} numbers for {relevant} relevant dimensions."
            )
    inertia = values["inertia"]
    if isinstance(inertia, tuple):
        if len(inertia) != dims:
            raise UsageError(f"inertia has {len(inertia)} numbers for {dims} dimensions; give one number or {dims}.")
        if len(set(inertia)) == 1:
            implied["inertia"] = inertia[0]
    return implied


def _check_reward(values: dict[str, Any]) -> None:
    if values["reward_function"] == POINT:
        if values["sequence_length"] != 1:
            raise UsageError(
                f"sequence_length must be 1 with reward_function={POINT!r}: how many moves it takes to get there is up "
                f"to the agent; {LINE!r} rewards sequences of moves."
            )
    else:
        for name, off in (("make_denser", False), ("target_point", None), ("target_radius", 0.05)):
            if values[name] != off:
                raise UsageError(f"{name} cannot be set with reward_function={LINE!r}: there is no target.")
        if values["sequence_length"] < 2:
            raise UsageError(
                f"sequence_length must be at least 2 with reward_function={LINE!r}: one move is always straight."
            )
    if not values["terminal_states"] and values["term_state_edge"] != 1.0:
        raise UsageError(
            "term_state_edge cannot be set without terminal_states: there is no cube that it is the edge of."
        )
    if not math.isfinite(values["reward_scale"] * values["term_state_reward"]):
        raise UsageError("reward_scale × term_state_reward must be finite.")


def _check_numbers(values: dict[str, Any]) -> None:
    with np.errstate(over="ignore", under="ignore"):
        for name in ("state_space_max", "action_space_max"):
            bound = np.float32(values[name])
            if not np.isfinite(bound) or bound == 0:
                raise UsageError(
                    f"{name} is {values[name]:g}, which a 32-bit number, as spaces have them, cannot hold."
                )
    order, time = values["transition_dynamics_order"], values["time_unit"] * values["max_episode_steps"]
    lightest = np.min(values["inertia"])
    try:
        farthest = max(time**j / math.factorial(j) for j in range(order + 1)) * values["action_space_max"] / lightest
    except OverflowError:
        farthest = math.inf
    if not farthest < 1e300:
        raise UsageError("time_unit, transition_dynamics_order and inertia lead to positions too large for numbers.")


def _check_starts(parts: PointMass) -> None:
    if parts.start is not None:
        if (np.abs(parts.start) > parts.limit).any():
            raise UsageError(f"start_point must lie within ±{parts.limit:g} (state_space_max).")
        if parts.terminal(parts.start[None])[0]:
            raise UsageError(
                "start_point is terminal: it lies in a terminal region or closer to the target than its radius."
            )
        return
    # The ball lies in a cube of twice its radius, so below a half there is no need to look closer.
    dims, whole = len(parts.relevant), 2 * parts.limit
    covered = len(parts.centres) * (2 * parts.half_edge / whole) ** dims
    covered += (2 * parts.radius / whole) ** dims if parts.target is not None else 0.0
    if covered > 0.5:
        drawn = parts.uniform(np.random.default_rng(0), _DRAWS)
        if (~parts.terminal(drawn)).sum() < _FREE:
            raise UsageError(
                "there is nowhere to start: the target's radius and the terminal regions cover all of the state space, "
                f"or more than {1 - _FREE / _DRAWS:.1%} of it."
            )
