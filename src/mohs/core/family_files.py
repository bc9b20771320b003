"""How is a family kept as data? A TOML, YAML or JSON file of axes or points, a CSV file, or the name of a shipped one.

A file has `env` and either `axes` (their Cartesian product) or `points` (a table each: values on the axes, and `name`,
`weight`, `stratum`, `marks`, `features`). It may have `title`, `source`, `text`, `params` (the same at all points),
`default` (values on the axes), `weights` (by the name of a point), `strata` (by name, the values that belong to it),
`scores` (how they are measured: `evaluate`, parameters of the evaluated task, and `failure`, the score below which a
method fails) and `editions` (by name, what is run of it: `methods`, `budget`, `seeds`, `steps`).
JSON of `Family.to_json` is read too. docs/families.md describes the formats.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mohs.core import reading
from mohs.core.arguments import checked
from mohs.core.data_files import find_file, read_table
from mohs.core.errors import UsageError, invalid, unknown
from mohs.core.family import Family
from mohs.core.files import replace as write_file
from mohs.core.places import CONTEXT, SEED, check_contexts, name_of, point
from mohs.core.point import Point
from mohs.core.ranges import value as read_value
from mohs.core.task import Task
from mohs.core.values import canonical_json, to_json

SHIPPED = Path(__file__).parents[1] / "families"
FEATURE = "feature:"  # prefix of the columns with features
ROUNDED = 1e-3  # by which the sum of weights in a file may miss 1
_KEYS = {
    "title",
    "source",
    "text",
    "env",
    "params",
    "axes",
    "points",
    "default",
    "weights",
    "strata",
    "scores",
    "editions",
}
_SCORES = {"evaluate", "failure"}
_EDITION = {"methods", "budget", "seeds", "steps"}
_PARTS = ("name", "weight", "stratum", "marks", "features")
_COLUMNS = ("name", "env", "weight", "stratum", "marks")


@dataclass(frozen=True)
class FamilyFile:
    """What a file says of a family, before its tasks are made."""

    name: str
    title: str
    source: str
    text: str
    env: str
    axes: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]  # of each point, the values on the axes and its other parts
    params: Mapping[str, Any]
    default: Mapping[str, Any] | None
    scores: Mapping[str, Any]  # how they are measured, where that is not the usual way
    editions: Mapping[str, Mapping[str, Any]]  # by name, what is run of the family


@checked
def read_family(source: str | Path, env: str | None = None) -> Family:
    """Reads the family in a file, or the shipped one of this name.

    Args:
        source: The path of a CSV, TOML, YAML or JSON file, or the name of a shipped family (`mohs families`).
        env: Another environment with the same axes, such as `Pendulum-v1` for `control/pendulum`; the file's own by
            default. A CSV file without a column `env` needs it.

    Returns:
        The family.

    Raises:
        UsageError: There is no such family, or the file has a mistake.

    Example:
        >>> import mohs
        >>> family = mohs.read_family("cartpole")
        >>> len(family.members), family.default.name, family.default.weight
        (576, 'default', 0.0)
    """
    if Path(source).suffix == ".csv":
        return read_csv(Path(source), env)
    path = find_file("family", str(source), SHIPPED)
    data = read_table(path)
    with _within(path.name):
        if env is None and _is_json(data):
            return Family.from_json(data)
        file = _file(path.stem, data)
        return _family(replace(file, env=env or file.env))


def _is_json(data: Mapping[str, Any]) -> bool:
    """Whether a file holds what `Family.to_json` gives."""
    return set(data) == {"axes", "points"}


def describe(source: str) -> FamilyFile:
    """What a file, or the shipped family of this name, says before any task is made."""
    path = find_file("family", source, SHIPPED)
    data = read_table(path)
    with _within(path.name):
        if _is_json(data):
            family = Family.from_json(data)
            data = {"env": family[0].task.env, "points": [dict(p.at) for p in family]}
        return _file(path.stem, data)


def read_csv(path: Path, env: str | None = None, params: Mapping[str, Any] | None = None) -> Family:
    """A family of one point for each row: see `Family.from_csv`."""
    header, rows = _rows(path)
    with _within(path.name):
        axes = tuple(name for name in header if name not in _COLUMNS and not name.startswith(FEATURE))
        points = tuple(_row_point(row, axes, env, params or {}) for row in rows)
        check_contexts(p.task for p in points)
        return _checked(Family(axes, points))


def csv_text(family: Family) -> str:
    """The points as CSV: see `Family.to_csv`."""
    fixed = dict.fromkeys(name for p in family for name in _settings(p.task) if name not in family.axes)
    features = dict.fromkeys(name for p in family for name, _ in p.features)
    header = ["name", "env", *family.axes, *fixed, "weight", "stratum", "marks", *(FEATURE + name for name in features)]
    weights = [p.weight for p in family]
    if not _counts_or_shares(weights):
        weights = family.weights.tolist()
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for p, weight in zip(family, weights, strict=True):
        at, settings = dict(p.at), _settings(p.task)
        values = [at.get(axis) for axis in family.axes] + [settings.get(name) for name in fixed]
        numbers = [dict(p.features).get(name) for name in features]
        marks = " ".join(p.marks)
        writer.writerow([p.name, p.task.env, *map(_text, values), repr(weight), p.stratum, marks, *map(_text, numbers)])
    return out.getvalue()


def write_csv(family: Family, path: Path) -> None:
    write_file(path, lambda file: file.write(csv_text(family).encode()))


def read_weights(family: Family, path: Path) -> Family:
    """The family with the weights of a CSV file: see `Family.weighted_by`."""
    header, rows = _rows(path)
    with _within(path.name):
        if set(header) != {"name", "weight"}:
            raise UsageError(f"the columns must be name and weight, not {', '.join(header)}.")
        given = {row["name"]: _weight(read_value(row["weight"]), row["name"]) for row in rows}
        for name in given:
            family[name]  # an error where there is no such point
        missing = [p.name for p in family.members if p.name not in given]
        if missing:
            raise UsageError(f"{len(missing)} points have no weight, the first of which is {missing[0]!r}.")
        return _checked(family.weighted(given.get(p.name, p.weight) for p in family))


def _file(name: str, data: Mapping[str, Any]) -> FamilyFile:
    for key in data:
        if key not in _KEYS:
            raise unknown("key", key, _KEYS)
    if not isinstance(data.get("env"), str):
        raise UsageError("env is missing: it must be the id of an environment.")
    if ("axes" in data) == ("points" in data):
        raise UsageError("a family must have either axes or points.")
    rows = _grid(_table(data, "axes")) if "axes" in data else _points(data["points"])
    axes = tuple(dict.fromkeys(key for row in rows for key in row if key not in _PARTS))
    default = _table(data, "default") if "default" in data else None
    for axis in default or ():
        if axis not in axes:
            raise unknown("axis in default", axis, axes)
    placed = _in_strata(_weighed(rows, _table(data, "weights")), _table(data, "strata"), axes)
    return FamilyFile(
        name=name,
        title=str(data.get("title", name)),
        source=str(data.get("source", "")),
        text=str(data.get("text", "")),
        env=data["env"],
        axes=axes,
        rows=tuple(placed),
        params=_table(data, "params"),
        default=default,
        scores=_scores(_table(data, "scores")),
        editions=_editions(_table(data, "editions")),
    )


def _scores(scores: Mapping[str, Any]) -> dict[str, Any]:
    for key in scores:
        if key not in _SCORES:
            raise unknown("key in scores", key, _SCORES)
    _table(scores, "evaluate")
    return dict(scores)


def _editions(editions: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    for name in editions:
        for key in _table(editions, name):
            if key not in _EDITION:
                raise unknown(f"key in the edition {name!r}", key, _EDITION)
        if not isinstance(editions[name].get("methods"), list):
            raise invalid(f"editions.{name}.methods", editions[name].get("methods"), "a list of agents")
    return dict(editions)


def _family(file: FamilyFile) -> Family:
    """The points with their tasks. A default that is no member is a point with the weight 0."""
    base = Task.make(file.env)
    points = [_point(base, file.params, row, file.axes) for row in file.rows]
    if file.default is not None:
        default = point(base, file.params, file.default, name="default", weight=0.0, marks=("default",))
        same = next((i for i, p in enumerate(points) if p.task == default.task), None)
        if same is None:
            points.append(default)
        else:
            points[same] = replace(points[same], marks=("default", *points[same].marks))
    check_contexts(p.task for p in points)
    return _checked(Family(file.axes, tuple(points)))


def _point(base: Task, params: Mapping[str, Any], row: Mapping[str, Any], axes: Iterable[str]) -> Point:
    at = {axis: row[axis] for axis in axes if axis in row}
    parts = {key: row[key] for key in _PARTS if key in row}
    name = str(parts.get("name", name_of(at)))
    features = tuple(sorted((key, float(number)) for key, number in dict(parts.get("features", {})).items()))
    return point(
        base,
        params,
        at,
        name=name,
        weight=_weight(parts.get("weight", 1.0), name),
        stratum=str(parts.get("stratum", "")),
        marks=tuple(parts.get("marks", ())),
        features=features,
    )


def _row_point(row: Mapping[str, str], axes: Sequence[str], env: str | None, params: Mapping[str, Any]) -> Point:
    """The point of a row of CSV. An empty place is whatever the environment has."""
    found = env or row.get("env", "")
    if not found:
        raise UsageError("there is no column env: say which environment the points are of (--env, or env= in Python).")
    given: dict[str, Any] = {axis: read_value(row[axis]) for axis in axes if row[axis] != ""}
    parts: dict[str, Any] = {key: row[key] for key in ("name", "stratum") if row.get(key)}
    if row.get("weight"):
        parts["weight"] = read_value(row["weight"])
    parts["marks"] = tuple(row.get("marks", "").split())
    features = {key.removeprefix(FEATURE): text for key, text in row.items() if key.startswith(FEATURE) and text}
    parts["features"] = {key: _number(text, f"the feature {key}") for key, text in features.items()}
    return _point(Task.make(found), params, {**given, **parts}, axes)


def _grid(axes: Mapping[str, Any]) -> list[dict[str, Any]]:
    for name, values in axes.items():
        if not isinstance(values, list) or not values:
            raise invalid(f"axes.{name}", values, "a list of values")
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def _points(rows: Any) -> list[dict[str, Any]]:
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise invalid("points", rows, "a list of tables")
    return [dict(row) for row in rows]


def _weighed(rows: list[dict[str, Any]], weights: Mapping[str, Any]) -> list[dict[str, Any]]:
    names = [str(row.get("name", name_of({k: v for k, v in row.items() if k not in _PARTS}))) for row in rows]
    for name in weights:
        if name not in names:
            raise unknown("point in weights", name, names)
    return [{**row, "weight": weights[name]} if name in weights else row for row, name in zip(rows, names, strict=True)]


def _in_strata(rows: list[dict[str, Any]], strata: Mapping[str, Any], axes: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Each point in the first stratum whose values it has."""
    used = set()
    for name, values in strata.items():
        for axis in _table(strata, name):
            if axis not in axes:
                raise unknown(f"axis in the stratum {name!r}", axis, axes)
            if not isinstance(values[axis], list):
                raise invalid(f"strata.{name}.{axis}", values[axis], "a list of values")
    for row in rows:
        found = next((n for n, values in strata.items() if all(row.get(a) in some for a, some in values.items())), None)
        used.add(found)
        yield row if found is None else {**row, "stratum": found}
    empty = [name for name in strata if name not in used]
    if empty:
        raise UsageError(f"the stratum {empty[0]!r} is empty: no point has its values.")


def _checked(family: Family) -> Family:
    """An error where the weights are neither counts nor shares."""
    given = [p.weight for p in family]
    if not any(given):
        raise UsageError("the weights are all 0; at least one must be positive.")
    if not _counts_or_shares(given):
        total = math.fsum(given)
        raise UsageError(f"the weights sum to {total:.6g}: they must sum to 1, or be counts, which are whole numbers.")
    return family


def _counts_or_shares(weights: Sequence[float]) -> bool:
    return abs(math.fsum(weights) - 1) <= ROUNDED or not any(weight % 1 for weight in weights)


def _settings(task: Task) -> dict[str, Any]:
    """All that sets a task apart from the environment's default, by the names that axes have."""
    context = dict(task.values.get(CONTEXT, ()))
    own = {name: value for name, value in task.params if name != CONTEXT and name not in task.environment.implied}
    return {**own, **context, **({SEED: task.seed} if task.seed else {})}


def _rows(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    try:
        reader = csv.DictReader(io.StringIO(reading.text(path, "utf-8-sig"), newline=""), restval="")
        rows, header = list(reader), list(reader.fieldnames or ())
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, csv.Error) as error:
        raise UsageError(f"{path} is no CSV file: {error}.") from error
    if not rows:
        raise UsageError(f"{path} has no rows: it must have a header and a row for each point.")
    if len(set(header)) != len(header) or any(None in row for row in rows):
        raise UsageError(f"{path} must have different names in its header, and a name for every column.")
    return header, rows


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else canonical_json(to_json(value))


def _weight(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise invalid(f"the weight of {name!r}", value, "a finite number ≥ 0")
    return float(value)


def _number(text: str, what: str) -> float:
    number = read_value(text)
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise invalid(what, text, "a number")
    return float(number)


def _table(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = data.get(name, {})
    if not isinstance(found, dict):
        raise invalid(name, found, "a table")
    return found


@contextmanager
def _within(place: str) -> Iterator[None]:
    """Errors that name the file."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from error
