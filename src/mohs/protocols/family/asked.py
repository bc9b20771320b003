"""How does what was asked for become a study? Names of families, ranges and agents turn into data here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeGuard

from mohs.agents.registry import as_agent
from mohs.core.cell import Agent
from mohs.core.errors import UsageError, unknown
from mohs.core.family import LEVELS, Family
from mohs.core.family_files import describe as describe_family
from mohs.core.family_files import read_family
from mohs.core.places import SEED
from mohs.core.point import Point
from mohs.core.ranges import Range, axis
from mohs.core.registry import canonical
from mohs.core.task import Task
from mohs.protocols.agents import Hyperparameters, agents_of
from mohs.protocols.family.study import FamilyStudy


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
    edition: str | None = None,
    **options: Any,
) -> FamilyStudy:
    """A study of a family that is given as it is, by its name or file, or by what varies of an environment.

    An edition says what is left open: methods, budget, seeds, steps.
    """
    if edition is not None:
        told = _edition(family, edition)
        own = told.pop("methods")
        methods = methods or own
        options |= {name: value for name, value in told.items() if options.get(name) is None}
    options |= _scores(family, options)
    if not methods:
        raise UsageError("name at least one method, such as ppo, or an edition of the family.")
    found, title = _family(family, env, vary, params)
    if weights is not None:
        found = found.weighted_by(weights) if isinstance(weights, str | Path) else found.weighted(weights)
    agents = agents_of(methods, hyperparameters)
    reference = None if baseline is None else as_agent(baseline)
    return FamilyStudy.make(agents, found, title, baseline=reference, **options)


def _scores(family: str | Family | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """How scores are measured: as the family's file says, where it is not said otherwise."""
    told = describe_family(family).scores if _is_described(family) else {}
    evaluation = {**told.get("evaluate", {}), **(options.get("evaluation") or {})}
    given = options.get("failure")
    return {"evaluation": evaluation, "failure": told.get("failure") if given is None else given}


def _is_described(family: str | Family | None) -> TypeGuard[str]:
    """Whether a family has a file that says more than its points."""
    return isinstance(family, str) and Path(family).suffix != ".csv"


def _edition(family: str | Family | None, edition: str) -> dict[str, Any]:
    """What an edition of a family runs."""
    if not _is_described(family):
        raise UsageError("an edition is that of a family with a name (mohs families lists them) or a TOML file.")
    editions = describe_family(family).editions
    if edition not in editions:
        raise unknown("edition", edition, editions)
    return dict(editions[edition])


def _family(
    family: str | Family | None, env: Any, vary: Mapping[str, Any] | Sequence[str], params: Mapping[str, Any]
) -> tuple[Family, str]:
    """The family and what it is called."""
    if family is None and env is None:
        raise UsageError("give either a family or an environment with what varies of it (--env and --vary).")
    if family is None:
        if not vary:
            raise UsageError(f"say what varies of {env}: --vary NAME=VALUES, or a range NAME=LOW:HIGH.")
        name, named = canonical(env)
        try:
            made = varied(name, vary, {**named, **params})
        except UsageError as error:
            raise UsageError(f"--vary or --param: {error}") from error
        return made, f"{name} over {', '.join(made.axes)}"
    if vary or params:
        raise UsageError("--vary and --param make a family of --env; a family that is given has its own points.")
    if isinstance(family, Family):
        if env is not None:
            raise UsageError("a Family has its own environment: env is for the name or the file of a family.")
        return family, " over ".join([family[0].task.env, *([", ".join(family.axes)] if family.axes else [])])
    if env is None:
        return read_family(family), Path(family).stem
    name, named = canonical(env)
    if named:
        raise UsageError(f"{env} sets {', '.join(named)}: points of a file have parameters of their own.")
    return read_family(family, name), f"{Path(family).stem} of {name}"


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
    axes, params = _levels(env, axes, params)
    continuous = any(isinstance(values, Range | tuple) for values in axes.values())
    made = (Family.sample if continuous else Family.grid)(env, **{**params, **axes})
    plain = Family.grid(env, **params)[0].task
    if any(point.task == plain for point in made):
        points = tuple(replace(p, marks=("default",)) if p.task == plain else p for p in made)
    else:
        points = (*made.points, Point("default", plain, weight=0.0, marks=("default",)))
    return Family(made.axes, points)


def _levels(env: str, axes: Mapping[str, Any], params: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Structure seeds as whole numbers, from LOW to HIGH if they are a range; one level of Procgen for each point."""
    found, fixed, levels = dict(axes), dict(params), Task.make(env).environment.levels
    if SEED in found and levels != SEED:
        raise UsageError(f"{env} generates no levels by its seed: {LEVELS}.")
    if isinstance(ends := found.get(SEED), Range):
        found[SEED] = list(range(math.ceil(ends.low), math.floor(ends.high) + 1))
    if levels in found and levels != SEED:
        fixed = {"num_levels": 1, **fixed}
    return found, fixed
