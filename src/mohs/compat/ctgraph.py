"""What does a json file of the CT-graph's authors ask for? A task of mohs, or one sentence where it cannot be.

Both key names are read, those of version 1.0 and the older ones.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from mohs.core import reading
from mohs.core.domain import Choice, Each, Flag, Integer, Real
from mohs.core.errors import UsageError, invalid, unknown
from mohs.core.task import SEED, Task

# Older names of keys, by section.
_OLDER = {
    "graph_shape": {"depth": "d", "branching_factor": "b", "wait_prob": "p"},
    "reward": {"high_reward_value": "high_r", "crash_reward_value": "fail_r", "reward_std": "std_r"},
    "observations": {
        "MDP_decision_s": "MDP_D", "MDP_wait_s": "MDP_W", "wait_states": "W_IDs", "decision_states": "D_IDs",
    },
    "image_dataset": {"noise_on_images_on_read": "noise_on_read", "small_rotation_on_read": "rotation_on_read"},
}  # fmt: skip
# What may be left out; the rest of each section must be there.
_DEFAULTS: dict[str, dict[str, Any]] = {
    "graph_shape": {},
    "reward": {
        "high_r": 1.0, "fail_r": 0.0, "std_r": 0.0, "reward_distribution": "needle_in_haystack",
        "min_static_reward_episodes": -1, "max_static_reward_episodes": -1, "stochastic_sampling": True,
    },
    "observations": {"MDP_D": False, "MDP_W": False},
    "image_dataset": {"seed": 0, "1D": False, "nr_of_images": None, "noise_on_read": 0, "rotation_on_read": 0},
}  # fmt: skip
_NEEDED = {"graph_shape": {"d", "b", "p"}, "observations": {"W_IDs", "D_IDs", "graph_ends"}}
_REWARDS = {"needle_in_haystack": "needle", "linear": "linear"}
_RESERVED = {"home_ids": (0, 0), "fail_ids": (1, 1)}  # the authors' own


def ctgraph_task(configuration: str | os.PathLike[str] | Mapping[str, Any], **params: Any) -> Task:
    """The task of a configuration: a mapping, or the path of a json file. `params` are set beside it (a goal)."""
    if not isinstance(configuration, str | os.PathLike | Mapping):
        raise invalid("the configuration", configuration, "a mapping, or the path of a json file")
    given = configuration if isinstance(configuration, Mapping) else _read(configuration)
    for name in given:
        if name not in (*_DEFAULTS, "general_seed"):
            raise unknown("section of a CT-graph's configuration", name, (*_DEFAULTS, "general_seed"))
    shape, reward, seen, images = (_section(given, name) for name in _DEFAULTS)
    asked: dict[str, Any] = {
        "depth": shape["d"], "branching": shape["b"], "wait_probability": shape["p"],
        "reward": _REWARDS[Choice(tuple(_REWARDS)).parse("reward_distribution", reward["reward_distribution"])],
        "high_r": reward["high_r"], "fail_r": reward["fail_r"],
        "reward_noise": reward["std_r"] if Flag().parse("stochastic_sampling", reward["stochastic_sampling"]) else 0.0,
        "goal_every": _goal_every(reward),
        "observation": "one_hot" if Flag().parse("1D", images["1D"]) else "image",
        "image_set": images["seed"],
        "image_noise": int(Real(0).parse("noise_on_read", images["noise_on_read"])),
        "image_rotation": images["rotation_on_read"],
        **_ids(shape, seen, images["nr_of_images"]),
    }  # fmt: skip
    return Task.make("ctgraph", seed=SEED.parse("general_seed", given.get("general_seed", 0)), **{**asked, **params})


def _read(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    try:
        read = reading.parsed(reading.text(path))
    except OSError as error:
        raise UsageError(f"{os.fspath(path)!r} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise UsageError(f"{os.fspath(path)!r} is not JSON: {error}.") from error
    if not isinstance(read, Mapping):
        raise UsageError(f"{os.fspath(path)!r} must hold a JSON object, not {type(read).__name__}.")
    return read


def _section(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A section with the present names of its keys, completed."""
    section = given.get(name, {})
    if not isinstance(section, Mapping):
        raise UsageError(f"{name} is {section!r}, but must be an object.")
    needed, older = _NEEDED.get(name, set()), _OLDER[name]
    for before, now in older.items():
        if before in section and now in section:
            raise UsageError(f"{name} has {now} and {before}, which are one value: give it once.")
    found = dict(_DEFAULTS[name])
    for key, value in section.items():
        known = older.get(key, key)
        if known not in needed and known not in found:
            raise unknown(f"key of {name}", key, {*needed, *found, *older})
        found[known] = value
    if missing := sorted(needed - found.keys()):
        raise UsageError(f"{name} lacks {', '.join(missing)}.")
    return found


def _goal_every(reward: Mapping[str, Any]) -> Any:
    """The authors draw from min to max − 1 episodes; where one of them is not above 0, goals do not change."""
    fewest, most = (
        Integer(-(2**31)).parse(name, reward[name])
        for name in ("min_static_reward_episodes", "max_static_reward_episodes")
    )
    if fewest <= 0 or most <= 0:
        return 0
    if fewest >= most:
        raise UsageError(
            f"min_static_reward_episodes is {fewest}, but must be below max_static_reward_episodes, {most}."
        )
    return fewest, most - 1


def _ids(shape: Mapping[str, Any], seen: Mapping[str, Any], images: Any) -> dict[str, Any]:
    """What is seen of each kind of states. Where MDP_D or MDP_W is set, the authors show ends as themselves too."""
    pair = Each(Integer(0), 2)
    read = {name: pair.parse(name, seen[name]) for name in ("W_IDs", "D_IDs", "graph_ends")}
    for name, (first, last) in read.items():
        if first < 2:
            raise UsageError(f"{name} is [{first}, {last}], but 0 and 1 are reserved for home and fail.")
        if images is not None and last >= Integer(1).parse("nr_of_images", images):
            raise UsageError(f"{name} ends with {last}, but there are {images} images, from 0 on.")
    decides, waits = (Flag().parse(name, seen[name]) for name in ("MDP_D", "MDP_W"))
    first, last = read["graph_ends"]
    many = last - first + 1 >= Integer(2).parse("b", shape["b"]) ** Integer(1).parse("d", shape["d"])
    ends = (decides or waits) and many
    if decides and waits and ends:
        return {}  # all states are seen as themselves
    return {
        **_RESERVED,
        "wait_ids": "unique" if waits else read["W_IDs"],
        "decision_ids": "unique" if decides else read["D_IDs"],
        "end_ids": "unique" if ends else read["graph_ends"],
    }
