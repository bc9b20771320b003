"""What may be set of an algorithm of stable-baselines3, and how are values kept and read?

A constructor names its hyperparameters and their types; what is allowed follows from these, and from the name where the
type says too little. What neither tells is found out when a model is built.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any, get_args, get_origin

from mohs.core.domain import Domain, Flag, Integer, Optional, OrFunction, Real
from mohs.core.errors import UsageError
from mohs.core.values import FunctionRef, named

TEXTS = ("device", "tensorboard_log")  # where a colon does not name a function
TYPES: Mapping[Any, Domain] = {int: Integer(-1), float: Real(), bool: Flag()}  # -1 stands for none, or for all
COUNTS = (
    "n_steps", "batch_size", "n_epochs", "buffer_size", "target_update_interval", "policy_delay", "n_delta", "n_top",
    "n_eval_episodes", "stats_window_size",
)  # fmt: skip
SHARES = (
    "gamma", "gae_lambda", "tau", "exploration_initial_eps", "exploration_final_eps",
)  # fmt: skip
NAMED: Mapping[str, Domain] = {
    **dict.fromkeys(COUNTS, Integer(1)),
    **dict.fromkeys(SHARES, Real(0, 1)),
    "exploration_fraction": Real(0),  # above 1 it falls until the end of the run
    "action_noise": OrFunction(Real(0), "() -> noise"),
}
SCHEDULE = OrFunction(Real(0), "(remaining) -> number")  # learning rates and the like: none is below 0


def domain_of(parameter: inspect.Parameter) -> Domain | None:
    """What is allowed of a hyperparameter; None where only the model knows."""
    kinds = get_args(parameter.annotation) or (parameter.annotation,)
    own = [kind for kind in kinds if kind is not type(None)]
    domain = NAMED.get(parameter.name)
    if domain is None and len(own) == 1:
        domain = TYPES.get(own[0])
    if domain is None and any(get_origin(kind) is Callable for kind in own):
        domain = SCHEDULE
    return domain if domain is None or len(own) == len(kinds) else Optional(domain)


def read_as(parameter: inspect.Parameter, value: Any, agent: str) -> Any:
    """A value as the constructor takes it, checked by its domain if that is known."""
    domain, name = domain_of(parameter), f"{parameter.name} of {agent}"
    if domain is not None:
        value = domain.parse(name, value)
    if parameter.name in TEXTS:
        return value
    try:
        return _read(value)
    except json.JSONDecodeError as error:
        raise UsageError(f"{name} is {value!r}, which is not JSON: {error}.") from error


def as_text(name: str, value: Mapping[str, Any]) -> str:
    """A mapping as it is kept: JSON, with functions and classes by their names."""
    try:
        return json.dumps(value, default=_name)
    except TypeError as error:
        raise UsageError(f"{name} is {value}, but must be made of numbers, texts, lists and functions.") from error


def _name(value: Any) -> str:
    if not callable(value):
        raise TypeError(f"{value} has no name.")
    reference = FunctionRef.of(value)
    reference.to_json()  # raises where it cannot be imported again
    return reference.target


def _read(value: Any) -> Any:
    """A value as it was given: mappings from their text, functions and classes from module:name."""
    if isinstance(value, FunctionRef):
        value.to_json()  # raises where it cannot be imported again
        return named(value.target)
    if isinstance(value, str) and value.startswith("{"):
        return _read(json.loads(value))
    if isinstance(value, Mapping):
        return {key: _read(part) for key, part in value.items()}
    return named(value) if isinstance(value, str) and ":" in value else value
