"""Which environments, dials, agents and families are there? The commands that list them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mohs.core.dial import Dial
from mohs.protocols.options import AsJson
from mohs.report.terminal import print_json, show_entries, show_table

if TYPE_CHECKING:
    from mohs.core.family import Family
    from mohs.core.family_files import FamilyFile
    from mohs.core.point import Point
    from mohs.core.registry import Environment
    from mohs.core.values import Json
    from mohs.envs.effects import Effects


ARROWS = {"up": "↑", "down": "↓", "both": "↕", "none": "–"}  # where a dial gets harder


def envs(
    env: Annotated[str | None, typer.Argument(help="Show the parameters of this environment.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the environments, or the parameters of one: defaults, what is allowed, what each does."""
    from mohs.core.registry import environment, environments

    if env is None:
        found = environments()
        if as_json:
            print_json([_environment(e) for e in found])
            return
        rows = [(e.id, "yes" if e.table is not None else "no", e.title) for e in found]
        show_table("Environments (mohs envs NAME shows its parameters)", ("id", "table", ""), rows, cut=True)
        return
    entry = environment(env)
    if as_json:
        print_json(_environment(entry))
        return
    texts = [(f"{name} = {p.default}  ({p.domain.describe()})", p.text) for name, p in entry.parameters.items()]
    registered = f" (in Gymnasium: {entry.gym_id})" if entry.gym_id else ""
    show_entries(f"{entry.id}: {entry.title}{registered}", texts)


def dials(
    dial: Annotated[str | None, typer.Argument(help="Show all about this dial.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the dials of hardness, or all about one: domain, off-value, what it touches, where it applies."""
    from mohs.core.dials import DIALS
    from mohs.core.errors import unknown

    if dial is None:
        if as_json:
            print_json([found.to_json() for found in DIALS.values()])
            return
        rows = [(found.name, ARROWS[found.harder], found.text) for found in DIALS.values()]
        show_table("Dials of hardness (mohs dials NAME shows one)", ("dial", "harder", ""), rows, cut=True)
        return
    if dial not in DIALS:
        raise unknown("dial", dial, DIALS)
    if as_json:
        print_json(DIALS[dial].to_json())
        return
    for where, read in _readings(DIALS[dial]):
        show_entries(
            f"{read.name}, {', '.join(where)}: {read.text}",
            [
                ("domain", read.domain.describe()),
                ("vanilla, off", f"{read.vanilla}, {read.off}"),
                ("harder", f"{ARROWS[read.harder]} {read.harder}"),
                ("touches", ", ".join(read.touches)),
            ],
        )


def agents(
    agent: Annotated[str | None, typer.Argument(help="Show the hyperparameters and presets of this agent.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the agents, or the hyperparameters of one: defaults, what is allowed, presets."""
    from mohs.agents.registry import agent_entries, describe
    from mohs.core.values import to_json

    if agent is None:
        texts = {entry.name: entry.text for entry in agent_entries()}
        if as_json:
            print_json([{"name": name, "text": text} for name, text in texts.items()])
        else:
            show_table("Agents (mohs agents NAME shows its hyperparameters)", ("agent", ""), list(texts.items()))
        return
    found = describe(agent)
    if as_json:
        print_json(to_json(found))
        return
    settings = found["hyperparameters"].items()
    show_entries(
        f"{agent}: {found['text']}",
        [(f"{name} = {s['default']}  ({s['allowed']})", str(s["text"])) for name, s in settings],
    )
    for name, values in found["presets"].items():
        show_entries(f"--set preset={name}", [("", ", ".join(f"{k}={v}" for k, v in values.items()))])


def families(
    family: Annotated[str | None, typer.Argument(help="Show this family: a shipped one, or a file of one.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the points of the family to this CSV file.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the families of tasks that come with mohs, or show one: axes, weights, marks, points of equal dynamics."""
    from mohs.core.data_files import shipped
    from mohs.core.errors import UsageError
    from mohs.core.family_files import SHIPPED, describe, read_family
    from mohs.envs.effects import effects

    if family is None:
        if csv is not None:
            raise UsageError("--csv needs the name of a family.")
        found = [describe(name) for name in shipped(SHIPPED)]
        if as_json:
            print_json([_family_file(file) for file in found])
            return
        rows = [(file.name, str(len(file.rows)), ", ".join(file.axes), file.env, _short(file.source)) for file in found]
        heads = ("family", "points", "axes", "environment", "source")
        show_table("Families of tasks (mohs families NAME shows one)", heads, rows)
        return
    made = read_family(family)
    if csv is not None:
        made.to_csv(csv)
    title = f"{family}: {len(made.members)} points"
    if Path(family).suffix != ".csv":
        file = describe(family)
        title = f"{file.name}: {file.title}, {len(made.members)} points of {file.env} ({file.source})"
    checked = effects(made)
    if as_json:
        print_json({**_family(made, checked), "points": [point.to_json() for point in made]})
        return
    show_entries(title, [(name, str(value)) for name, value in _summary(made, checked)])


def _short(source: str) -> str:
    """Who and where, without the title of the paper."""
    parts = source.split(", ")
    return f"{parts[0]}, {parts[-1]}" if len(parts) > 2 else source


def _family_file(file: FamilyFile) -> dict[str, Json]:
    return {
        "name": file.name,
        "title": file.title,
        "points": len(file.rows),
        "axes": list(file.axes),
        "env": file.env,
        "source": file.source,
        "text": file.text,
        "editions": {name: dict(edition) for name, edition in file.editions.items()},
    }


def _family(family: Family, checked: Effects) -> dict[str, Json]:
    from mohs.core.point import MARKS

    marks: dict[str, Json] = {mark: [point.name for point in family.marked(mark)] for mark in MARKS}
    return {
        "axes": list(family.axes),
        "marks": marks,
        "distinct": checked.distinct,
        "duplicates": [list(names) for names in checked.duplicates],
        "inert": [{"point": one.point, "axis": one.axis} for one in checked.inert],
    }


def _summary(family: Family, checked: Effects) -> list[tuple[str, str]]:
    """What is said of a family at the terminal."""
    from mohs.core.point import MARKS

    def values(axis: str) -> str:
        found = list(dict.fromkeys(dict(point.at).get(axis) for point in family.members))
        return ", ".join(map(str, found[:12])) + (f", ... ({len(found)} values)" if len(found) > 12 else "")

    weights = {point.weight for point in family.members}
    strata = list(dict.fromkeys(point.stratum for point in family.members if point.stratum))
    marked = [(mark, ", ".join(_at(point) for point in family.marked(mark))) for mark in MARKS]
    groups = [" = ".join(names) for names in checked.duplicates]
    lines = [
        *((axis, values(axis)) for axis in family.axes),
        ("weights", "equal" if len(weights) == 1 else f"from {min(weights):g} to {max(weights):g}"),
        ("strata", ", ".join(strata)),
        *marked,
        ("different dynamics", f"{checked.distinct} of {checked.points}"),
        ("equal dynamics", "; ".join(groups[:3]) + (f"; and {len(groups) - 3} groups more" if len(groups) > 3 else "")),
        ("no effect", ", ".join(dict.fromkeys(f"{one.axis}={one.value}" for one in checked.inert))),
    ]
    return [(name, text) for name, text in lines if text]


def _at(point: Point) -> str:
    """The place of a marked point; one of weight 0 is no member."""
    place = " ".join(f"{axis}={value}" for axis, value in point.at) or point.name
    return place if point.weight > 0 else f"{place} (not a member)"


def _environment(entry: Environment) -> dict[str, Json]:
    from mohs.core.values import to_json

    return {
        "id": entry.id,
        "gymnasium": entry.gym_id,
        "title": entry.title,
        "table": entry.table is not None,
        "parameters": {
            name: {"allowed": p.domain.describe(), "default": to_json(p.default), "text": p.text}
            for name, p in entry.parameters.items()
        },
    }


def _readings(dial: Dial) -> list[tuple[Sequence[str], Dial]]:
    """A dial as the places read it in which its values mean the same."""
    apart = [reading.where for reading in dial.readings]
    places = [[where for where in dial.applies if where not in apart], *([where] for where in apart)]
    return [(where, dial.at(where[0])) for where in places if where]
