"""What does a configuration of MDP Playground ask for? A task of mohs; one sentence where mohs has no such task."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np

from mohs.compat.functions import grid_noise, reward_table, sequence_rewards
from mohs.compat.keys import KEYS, belonging, renamed
from mohs.core.domain import Choice, Each, Flag, Integer
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.core.values import FunctionRef
from mohs.engines.noise import reads_state
from mohs.tables.toys.toy_parameters import transition_array

DEFAULT = {"state_space_type": "discrete", "action_space_size": 8}
# How a state, and what is seen of it, is returned; images are uint8.
_TYPES = {"discrete": np.int64, "continuous": np.float32, "grid": np.int64}
# Keys that are read here; all others are parameters of the same name.
_READ = (
    "state_space_type", "action_space_type", "seed", "render_mode", "dtype_s", "dtype_o", "use_custom_mdp",
    "reward_every_n_steps",
)  # fmt: skip


def task_of(config: Mapping[str, Any]) -> Task:
    """The task of a configuration. Its structure seed is the configuration's seed."""
    given = renamed(config or DEFAULT)
    kind = given.get("state_space_type")
    kind = Choice(tuple(KEYS)).parse("state_space_type", kind.lower() if isinstance(kind, str) else kind)
    given = belonging(given, kind)
    _check_types(given, kind)
    for name in ("reward_noise", "transition_noise"):
        if callable(given.get(name)):
            reads_state(FunctionRef.of(given[name]))  # an error where it takes what no noise is handed
    params = {name: value for name, value in given.items() if name not in _READ}
    translate = {"discrete": _discrete, "continuous": _continuous, "grid": _grid}[kind]
    return translate(given, params, seed_of(given.get("seed")))


def seed_of(seed: Any) -> int:
    """The seed of an environment: of a mapping, what it has for "env"; of None, a random one."""
    if isinstance(seed, Mapping):
        if "env" not in seed:
            raise UsageError(
                f"seed is a mapping without 'env', the one that counts; it has {', '.join(map(str, seed))}."
            )
        seed = seed["env"]
    return int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else Integer(0).parse("seed", seed)


def _check_types(given: Mapping[str, Any], kind: str) -> None:
    """What may be given only as it is anyway."""
    if "action_space_type" in given:
        Choice(("discrete", "grid") if kind == "grid" else (kind,)).parse(
            "action_space_type", given["action_space_type"]
        )
    seen = np.uint8 if given.get("image_representations") else _TYPES[kind]
    for name, own in (("dtype_s", _TYPES[kind]), ("dtype_o", seen)):
        if name in given and np.dtype(given[name]) != np.dtype(own):
            raise UsageError(f"{name} is {np.dtype(given[name])}, but these environments return {np.dtype(own)}.")


def _discrete(given: dict[str, Any], params: dict[str, Any], seed: int) -> Task:
    for name, only in (("maximally_connected", True), ("repeats_in_sequences", False)):
        if Flag().parse(name, params.pop(name, only)) is not only:
            raise UsageError(f"{name} must be {only}: Algorithm 1 of the paper knows no other dynamics and sequences.")
    custom = Flag().parse("use_custom_mdp", given.get("use_custom_mdp", False))
    if not Flag().parse("generate_random_mdp", params.pop("generate_random_mdp", True)) and not custom:
        raise UsageError("generate_random_mdp is False, which needs use_custom_mdp=True and custom functions.")
    length = Integer(1).parse("sequence_length", given.get("sequence_length", 1))
    params["reward_every_n_steps"] = _gate(given.get("reward_every_n_steps", length), length)
    if custom:
        _custom(params, length)
    else:
        _generated(params)
    dist = params.get("reward_dist")
    if callable(dist):
        params["reward_dist"] = sequence_rewards(
            dist, Task.make("toy/discrete", seed, **{**params, "reward_dist": None})
        )
    return Task.make("toy/discrete", seed, **params)


def _gate(every: Any, length: int) -> bool:
    """`reward_every_n_steps` as a switch: MDP Playground had one, and has a number of steps now."""
    if isinstance(every, bool):
        return every
    if every not in (1, length):
        both = f" or sequence_length, {length} (sequences cannot overlap)" if length > 1 else ""
        raise UsageError(f"reward_every_n_steps is {every!r}, but must be 1 (every sequence pays){both}.")
    return bool(every == length)


def _generated(params: dict[str, Any]) -> None:
    """Generated dynamics: their sizes are checked and implied."""
    for name in ("transition_function", "reward_function"):
        if name in params:
            raise UsageError(f"{name} needs use_custom_mdp=True.")
    sets = Integer(1).parse("diameter", params.get("diameter", 1))
    sizes = [sets * int(size) for size in np.atleast_1d(params.get("action_space_size", 8))]
    states = params.pop("state_space_size", None)
    if states is not None and np.atleast_1d(states).tolist() != sizes:
        raise UsageError(
            f"state_space_size is {states}, but generated dynamics have action_space_size × diameter = "
            f"{' and '.join(map(str, sizes))} states; leave it out."
        )
    if callable(params.get("terminal_states")):
        params["terminal_states"] = _chosen(params["terminal_states"], range(sizes[0]))


def _custom(params: dict[str, Any], length: int) -> None:
    """Functions of the user's own, as arrays where mohs takes only these."""
    for name in ("transition_function", "reward_function"):
        if params.get(name) is None:
            raise UsageError(f"use_custom_mdp needs a {name}.")
    if length != 1:
        raise UsageError("sequence_length must be 1 with a reward_function: it is handed the last two states only.")
    if not callable(params["transition_function"]):
        params["transition_function"] = transition_array("transition_function", params["transition_function"])
        states, actions = np.shape(params["transition_function"])[:2]
    elif {"state_space_size", "action_space_size"} <= set(params):
        states, actions = (Integer(1).parse(n, params[n]) for n in ("state_space_size", "action_space_size"))
    else:
        raise UsageError("a transition_function that is a function needs state_space_size and action_space_size.")
    if callable(params.get("terminal_states")):
        params["terminal_states"] = _chosen(params["terminal_states"], range(states))
    if params.pop("terminal_state_density", 0) and "terminal_states" not in params:
        warnings.warn("terminal_state_density is for generated dynamics; give custom terminal_states.", stacklevel=5)
    params.setdefault("terminal_states", [])
    if callable(params["reward_function"]):
        noisy = params.get("transition_noise", 0) != 0
        params["reward_function"] = reward_table(
            params["reward_function"], params["transition_function"], states, actions, noisy
        )


def _continuous(given: dict[str, Any], params: dict[str, Any], seed: int) -> Task:
    _no_custom(given, "continuous")
    _every_step(given)
    size = Integer(1).parse("state_space_dim", params.get("state_space_dim", 2))
    if params.pop("action_space_dim", size) != size:
        raise UsageError(f"action_space_dim must be state_space_dim, {size}: every dimension has its own action.")
    relevant = params.get("relevant_indices")
    acting = params.pop("action_space_relevant_indices", relevant)
    if acting is not None and not np.array_equal(acting, range(size) if relevant is None else relevant):
        raise UsageError("action_space_relevant_indices must be relevant_indices: every dimension has its own action.")
    if Flag().parse("irrelevant_features", params.pop("irrelevant_features", False)) and relevant is None:
        raise UsageError("irrelevant_features of continuous environments need relevant_indices.")
    if callable(params.get("terminal_states")):
        raise UsageError("terminal_states must be the centres of cubes; functions are for discrete and grid ones.")
    for name, value in (("state_space_max", 10.0), ("action_space_max", 1.0)):
        if name not in params:
            warnings.warn(f"{name} is not given and taken to be {value:g}: spaces of mohs are bounded.", stacklevel=4)
    if params.get("reward_function", "move_to_a_point") == "move_to_a_point":
        params.setdefault("make_denser", True)
    return Task.make("toy/continuous", seed, **params)


def _grid(given: dict[str, Any], params: dict[str, Any], seed: int) -> Task:
    _no_custom(given, "grid")
    _every_step(given)
    Choice(("move_to_a_point",)).parse("reward_function", params.pop("reward_function", "move_to_a_point"))
    shape = Each(Integer(1)).parse("grid_shape", params.get("grid_shape", (8, 8)))
    if callable(params.get("terminal_states")):
        cells = [list(cell) for cell in product(*map(range, shape))]
        params["terminal_states"] = _chosen(params["terminal_states"], cells)
    if callable(params.get("reward_noise")):
        params["reward_noise"] = grid_noise(params["reward_noise"], shape)
    return Task.make("toy/grid", seed, **params)


def _no_custom(given: Mapping[str, Any], kind: str) -> None:
    if Flag().parse("use_custom_mdp", given.get("use_custom_mdp", False)) or "transition_function" in given:
        raise UsageError(
            f"{kind} environments take no custom transition_function: write it as a gymnasium.Env and turn the "
            "dials with mohs.inject."
        )


def _every_step(given: Mapping[str, Any]) -> None:
    if given.get("reward_every_n_steps", 1) not in (1, False):
        raise UsageError(
            f"reward_every_n_steps is {given['reward_every_n_steps']!r}, but must be 1: only discrete environments "
            "have sequences that pay at some steps."
        )


def _chosen(terminal: Callable[[Any], Any], states: Any) -> list[Any]:
    """The states of which a function says that they are terminal."""
    return [state for state in states if terminal(state)]
