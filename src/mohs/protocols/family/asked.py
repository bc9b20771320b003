"""How does what was asked for become a study? Names of families, ranges and agents turn into data here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mohs.agents.registry import agent_entry, as_agent, describe
from mohs.core.cell import Agent
from mohs.core.errors import UsageError
from mohs.core.family import Family
from mohs.core.family_files import read_family
from mohs.core.point import Point
from mohs.core.ranges import Range, axis
from mohs.core.registry import canonical
from mohs.protocols.family.study import FamilyStudy

Hyperparameters = Mapping[str, Any]


def make_study(
    methods: Sequence[str | Agent],
    *,
    family: str | Family | None,
    env: Any,
    vary: Mapping[str, Any] | Sequence[str],
    params: Mapping[str, Any],
    weights: Path | str | Sequence[float] | None,
    hyperparameters: Hyperparameters,
    baseline: str | Agent | None,
    **options: Any,
) -> FamilyStudy:
    """A study of a family that is given as it is, by its name or file, or by what varies of an environment."""
    found, title = _family(family, env, vary, params)
    if weights is not None:
        found = found.weighted_by(weights) if isinstance(weights, str | Path) else found.weighted(weights)
    agents = methods_of(methods, hyperparameters)
    reference = None if baseline is None else as_agent(baseline)
    return FamilyStudy.make(agents, found, title, baseline=reference, **options)


def _family(
    family: str | Family | None, env: Any, vary: Mapping[str, Any] | Sequence[str], params: Mapping[str, Any]
) -> tuple[Family, str]:
    """The family and what it is called."""
    if (family is None) == (env is None):
        raise UsageError("give either a family or an environment with what varies of it (--env and --vary).")
    if family is None:
        if not vary:
            raise UsageError(f"say what varies of {env}: --vary NAME=VALUES, or a range NAME=LOW:HIGH.")
        name, named = canonical(env)
        made = varied(name, vary, {**named, **params})
        return made, f"{name} over {', '.join(made.axes)}"
    if vary or params:
        raise UsageError("--vary and --param make a family of --env; a family that is given has its own points.")
    return (family, "given") if isinstance(family, Family) else (read_family(family), Path(family).stem)


def varied(env: str, vary: Mapping[str, Any] | Sequence[str], params: Mapping[str, Any]) -> Family:
    """All combinations of lists, or points that fill ranges evenly. The default is the environment as it is.

    Raises:
        UsageError: an axis cannot be read or is given twice, or a parameter is unknown or out of range.
    """
    axes = dict(vary) if isinstance(vary, Mapping) else {}
    if not isinstance(vary, Mapping):
        for name, values in map(axis, vary):
            if name in axes:
                raise UsageError(f"--vary names {name} twice.")
            axes[name] = values
    continuous = any(isinstance(values, Range | tuple) for values in axes.values())
    made = (Family.sample if continuous else Family.grid)(env, **{**params, **axes})
    plain = Family.grid(env, **params)[0].task
    if any(point.task == plain for point in made):
        points = tuple(replace(p, marks=("default",)) if p.task == plain else p for p in made)
    else:
        points = (*made.points, Point("default", plain, weight=0.0, marks=("default",)))
    return Family(made.axes, points)


def methods_of(methods: Sequence[str | Agent], hyperparameters: Hyperparameters) -> tuple[Agent, ...]:
    """The methods with hyperparameters: `NAME` is set in all that have it, `METHOD.NAME` in one.

    Raises:
        UsageError: no method has a hyperparameter of a name.
    """
    names = [method if isinstance(method, str) else method.name for method in methods]
    own: dict[str, dict[str, Any]] = {name: {} for name in names}
    for key, value in hyperparameters.items():
        method, _, setting = key.rpartition(".")
        if method:
            if method not in own:
                raise UsageError(f"{key} is set, but {method} is not among the methods: {', '.join(own)}.")
            own[method][setting] = value
            continue
        taking = [name for name in own if _takes(name, key)] or names[:1]  # the first says what it can be set
        for name in taking:
            own[name].setdefault(key, value)
    return tuple(as_agent(method, own[name]) for method, name in zip(methods, names, strict=True))


def _takes(name: str, setting: str) -> bool:
    """Whether an agent has a hyperparameter; a custom agent takes any."""
    if agent_entry(name).config is None and agent_entry(name).describe is None:
        return True
    return setting in describe(name)["hyperparameters"]
