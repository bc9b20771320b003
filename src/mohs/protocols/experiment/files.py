"""How is a study read? A TOML, YAML or JSON file, or the name of a shipped one, becomes an `Experiment`.

Every key and value is checked before anything runs; an error names the file and the key. docs/studies.md describes the
format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mohs.agents.registry import agent as find_agent
from mohs.core.arguments import checked
from mohs.core.data_files import find_file, read_table
from mohs.core.domain import Choice, Domain, Flag, Integer
from mohs.core.errors import UsageError, invalid, unknown
from mohs.core.registry import canonical, environment
from mohs.core.values import freeze
from mohs.protocols.experiment.study import AGENT, Axis, Evaluation, Experiment, Level, StudyAgent, points_of, where
from mohs.protocols.measures import available, return_measure
from mohs.protocols.scale import own_references

SHIPPED = Path(__file__).parents[2] / "studies"
QUICK = "quick"
NO_SOURCE = "–"
MODES = Choice(("grid", "sweep"))
SEEDS, BUDGET = Integer(1, 1_000_000), Integer(200)
EVALUATION: Mapping[str, Domain] = {"points": Integer(1, 10_000), "episodes": Integer(1), "noise_free": Flag()}
KEYS = {
    "name", "question", "source", "mode", "seeds", "budget", "agents", "task", "axes", "evaluation", "report", "sizes",
}  # fmt: skip
CHANGES = {"seeds", "budget", "set", "agents", "task", "axes", "evaluation"}

Data = dict[str, Any]


@checked
def read_study(source: str, size: str | None = None) -> Experiment:
    """The study in a file, or the shipped one of this name.

    Args:
        source: path of a TOML, YAML or JSON file, or the name of a shipped study (`mohs studies` lists them).
        size: one of the study's sizes; by default the quick one, or the only one.

    Returns:
        The study, for `mohs.run`.

    Raises:
        UsageError: there is no such study or size, or the file has a mistake.

    Example:
        >>> import mohs
        >>> mohs.read_study("delay", "paper").name
        'delay paper'
    """
    file = find_file("study", source, SHIPPED)
    data = read_table(file)
    with _within(file.name):
        _check_keys("key", data, KEYS)
        size = _size(data, size)
        return _experiment(_sized(data, size), file.stem, size or "")


def describe(source: str) -> dict[str, Any]:
    """What a study is about, without making its tasks and agents."""
    file = find_file("study", source, SHIPPED)
    data = read_table(file)
    with _within(file.name):
        return {
            "name": data.get("name", file.stem),
            "question": _text(data.get("question"), "question"),
            "source": _text(data.get("source", NO_SOURCE), "source"),
            "env": _table(data, "task").get("env", ""),
            "agents": list(_table(data, "agents")),
            "axes": list(_flat(_table(data, "axes"))),
            "sizes": list(_table(data, "sizes")),
        }


def _size(data: Data, size: str | None) -> str | None:
    known = _table(data, "sizes")
    if size is None:
        size = QUICK if QUICK in known else next(iter(known)) if len(known) == 1 else None
        if size is None and known:
            raise UsageError(f"say which size: --size {' or '.join(known)}.")
    elif size not in known:
        raise unknown("size", size, known)
    return size


def _sized(data: Data, size: str | None) -> Data:
    """The study with the changes of a size."""
    if size is None:
        return data
    changes = _table(_table(data, "sizes"), size, "sizes.")
    where = f"sizes.{size}."
    _check_keys(f"key of sizes.{size}", changes, CHANGES)
    agents = {label: dict(_table(data["agents"], label, "agents.")) for label in _table(data, "agents")}
    if "budget" in changes:
        agents = {label: {k: v for k, v in given.items() if k != "budget"} for label, given in agents.items()}
    agents = {label: {**given, **_table(changes, "set", where)} for label, given in agents.items()}
    for label, change in _table(changes, "agents", where).items():
        if label not in agents:
            raise unknown(f"agent in {where}agents", label, agents)
        if change is False:
            del agents[label]
        elif isinstance(change, dict):
            agents[label] |= change
        else:
            raise invalid(f"{where}agents.{label}", change, "a table of changes, or false to leave it out")
    axes = _flat(_table(data, "axes"))
    for name, chosen in _flat(_table(changes, "axes", where)).items():
        if name not in axes:
            raise unknown(f"axis in {where}axes", name, axes)
        axes[name] = _fewer(f"{where}axes.{name}", axes[name], chosen)
    merged = {part: {**_table(data, part), **_table(changes, part, where)} for part in ("task", "evaluation")}
    return {
        **data,
        **{k: changes[k] for k in ("seeds", "budget") if k in changes},
        **merged,
        "agents": agents,
        "axes": axes,
    }


def _fewer(where: str, levels: Any, chosen: Any) -> Any:
    """Other values for an axis; of named levels, some of them."""
    if not isinstance(levels, dict):
        return chosen
    if not isinstance(chosen, list):
        raise invalid(where, chosen, f"a list of some of {', '.join(levels)}")
    for name in chosen:
        if name not in list(levels):  # a name may be anything, also what no table could have
            raise unknown(f"level in {where}", name, levels)
    return {name: levels[name] for name in chosen}


def _experiment(data: Data, stem: str, size: str) -> Experiment:
    """The experiment that the tables ask for, with every task and agent made once."""
    task = dict(_table(data, "task"))
    env, named = canonical(_text(task.pop("env", None), "task.env"))
    task = {**named, **task}
    if "seed" in task:
        raise UsageError("task.seed cannot be set: every run generates its task from its own seed.")
    evaluation = Evaluation(**_checked("evaluation", _table(data, "evaluation"), EVALUATION))
    axes = tuple(_axis(env, name, given) for name, given in _flat(_table(data, "axes")).items())
    if not axes:
        raise UsageError("axes is missing: name what varies, as in [axes] delay = [0, 1, 2].")
    _check_apart(axes, task)
    agents = tuple(_agent(label, data) for label in _table(data, "agents"))
    if not agents:
        raise UsageError("agents is missing: name an agent at least, as in [agents.dqn].")
    experiment = Experiment(
        label=_text(data.get("name", stem), "name"),
        size=size,
        question=_text(data.get("question"), "question"),
        source=_text(data.get("source", NO_SOURCE), "source"),
        mode=MODES.parse("mode", data.get("mode", "grid")),
        seeds=_number("seeds", data.get("seeds"), SEEDS),
        agents=agents,
        env=env,
        params=tuple(sorted((name, freeze(value)) for name, value in task.items())),
        axes=axes,
        evaluation=evaluation,
        figures=_figures(_table(data, "report"), env, evaluation.noise_free),
    )
    _check_points(experiment)
    return experiment


def _axis(env: str, name: str, given: Any) -> Axis:
    if isinstance(given, dict):
        levels = [Level(label, _frozen(env, _flat(_table(given, label, f"axes.{name}.")))) for label in given]
    elif isinstance(given, list):
        each = [_frozen(env, {name: value}) for value in given]
        levels = [Level(settings[0][1], settings) for settings in each]
    else:
        raise invalid(f"axes.{name}", given, "a list of values, or a table of named levels")
    values = [level.value for level in levels]
    if not values:
        raise UsageError(f"axes.{name} has no values.")
    if len(set(values)) != len(values):
        twice = next(value for value in values if values.count(value) > 1)
        raise UsageError(f"axes.{name} has the value {twice!r} twice.")
    return Axis(name, tuple(levels))


def _frozen(env: str, settings: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Settings as data; parameters of the task in their canonical form, so that 0 and 0.0 are one value."""
    parameters = environment(env).parameters
    return tuple(
        (name, parameters[name].domain.parse(f"axes.{name}", value) if name in parameters else freeze(value))
        for name, value in settings.items()
    )


def _check_apart(axes: tuple[Axis, ...], task: Mapping[str, Any]) -> None:
    """No two axes may set the same thing, and what an axis sets is not fixed."""
    owner: dict[str, str] = {}
    for axis in axes:
        for name in {name for level in axis.levels for name, _ in level.settings}:
            if name in owner:
                raise UsageError(f"axes.{axis.name} and axes.{owner[name]} both set {name}.")
            owner[name] = axis.name
    for axis in axes:
        if axis.name in task and axis.name in owner:
            raise UsageError(f"{axis.name} is both in task and in axes.")


def _agent(label: str, data: Data) -> StudyAgent:
    given = dict(_table(data["agents"], label, "agents."))
    if "name" in given:
        raise UsageError(f"agents.{label}.name is no key: [agents.LABEL] agent = {given['name']!r} names the agent.")
    name = _text(given.pop("agent", label), f"agents.{label}.agent")
    budget = _number(f"budget of agents.{label}", given.pop("budget", data.get("budget")), BUDGET)
    with _within(f"agents.{label}"):
        return StudyAgent(label, find_agent(name, **given), budget)


def _check_points(experiment: Experiment) -> None:
    """Every task and every agent's hyperparameters are made once; what cannot run is found by `runs/checks.py`."""
    for axes in experiment.panels():
        for point in points_of(axes):
            with _within(where(axes, point)):
                experiment.task(point)
                for agent in experiment.agents:
                    turned = experiment.agent(agent, point)
                    find_agent(turned.name, **dict(turned.params))
    for agent in experiment.agents:
        if agent.budget < experiment.evaluation.points:
            raise UsageError(f"evaluation.points is more than the {agent.budget} steps of {agent.label}.")


def _figures(report: Data, env: str, noise_free: bool) -> tuple[str, ...]:
    _check_keys("key of report", report, {"figures"})
    known = available(env, own_references(env), noise_free=noise_free)
    usual = [return_measure(known), *(["noise_free"] if noise_free else [])]
    figures = report.get("figures", usual)
    if not isinstance(figures, list) or not figures:
        raise invalid("report.figures", figures, "a list of measures")
    for name in figures:
        if name not in known:
            raise unknown("measure in report.figures", name, known)
    return tuple(figures)


def _checked(where: str, given: Data, domains: Mapping[str, Domain]) -> Data:
    _check_keys(f"key of {where}", given, domains)
    return {name: domains[name].parse(f"{where}.{name}", value) for name, value in given.items()}


def _check_keys(kind: str, given: Mapping[str, Any], known: Any) -> None:
    for name in given:
        if name not in known:
            raise unknown(kind, name, known)


def _table(data: Data, name: str, where: str = "") -> Data:
    """A table of the file; an empty one where it has none."""
    found = data.get(name, {})
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise invalid(f"{where}{name}", found, "a table")
    return found


def _number(name: str, value: Any, domain: Integer) -> int:
    if value is None:
        raise UsageError(f"{name} is missing: it must be {domain.describe()}.")
    return domain.parse(name, value)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{name} is missing: it must be a text.") if value is None else invalid(name, value, "a text")
    return value.strip()


def _flat(settings: Data) -> Data:
    """Tables of hyperparameters under `agent` as names `agent.NAME`."""
    flat: Data = {}
    for name, value in settings.items():
        if name == AGENT.rstrip("."):
            flat |= {f"{AGENT}{inner}": of_inner for inner, of_inner in _table(settings, name).items()}
        else:
            flat[name] = value
    return flat


@contextmanager
def _within(place: str) -> Iterator[None]:
    """Errors that say where they are: in which file, at which key."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from error
