"""Which environments, dials and agents are there? The commands that list them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from mohs.core.dial import Dial
from mohs.protocols.options import AsJson
from mohs.report.terminal import print_json, show_entries, show_table

if TYPE_CHECKING:
    from mohs.core.registry import Environment
    from mohs.core.values import Json


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
        rows = [(e.id, e.gym_id or "", "yes" if e.table is not None else "no", e.title) for e in found]
        show_table("Environments (mohs envs NAME shows its parameters)", ("id", "Gymnasium", "table", ""), rows)
        return
    entry = environment(env)
    if as_json:
        print_json(_environment(entry))
        return
    texts = [(f"{name} = {p.default}  ({p.domain.describe()})", p.text) for name, p in entry.parameters.items()]
    show_entries(f"{entry.id}: {entry.title}", texts)


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
