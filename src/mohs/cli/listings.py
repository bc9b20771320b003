"""Which environments, dials and agents are there? The commands that list them."""

from __future__ import annotations

from typing import Annotated

import typer

from mohs.core.dial import Dial
from mohs.protocols.options import AsJson
from mohs.report.terminal import print_json, show_table


def envs(as_json: AsJson = False) -> None:
    """List the environments and their parameters."""
    from mohs.core.registry import environments
    from mohs.core.values import to_json

    rows = [
        {
            "id": e.id,
            "gymnasium": e.gym_id,
            "title": e.title,
            "table": e.table is not None,
            "parameters": {
                name: {"allowed": p.domain.describe(), "default": to_json(p.default), "text": p.text}
                for name, p in e.parameters.items()
            },
        }
        for e in environments()
    ]
    if as_json:
        print_json(rows)
        return
    for e in environments():
        show_table(
            f"{e.id}  ({e.gym_id}): {e.title}",
            ("parameter", "default", "allowed", ""),
            [(name, str(p.default), p.domain.describe(), p.text) for name, p in e.parameters.items()],
        )


def dials(as_json: AsJson = False) -> None:
    """List the dials of hardness: domain, off-value, what each touches, where it applies."""
    from mohs.core.dials import DIALS

    if as_json:
        print_json([dial.to_json() for dial in DIALS.values()])
        return
    show_table(
        "Dials of hardness",
        ("dial", "domain", "vanilla", "off", "harder", "touches", "applies to", ""),
        [row for dial in DIALS.values() for row in _readings(dial)],
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
            show_table("Agents", ("agent", ""), list(texts.items()))
        return
    found = describe(agent)
    if as_json:
        print_json(to_json(found))
        return
    rows = [
        (name, str(s["default"]), str(s["allowed"]), str(s["text"])) for name, s in found["hyperparameters"].items()
    ]
    show_table(f"{agent}: {found['text']}", ("hyperparameter", "default", "allowed", ""), rows)
    for name, values in found["presets"].items():
        shown = ", ".join(f"{k}={v}" for k, v in values.items())
        print(f"--set preset={name}: {shown}")


def _readings(dial: Dial) -> list[tuple[str, ...]]:
    """One row for a dial, and one for each place in which its values mean something else."""
    arrows = {"up": "↑", "down": "↓", "both": "↕", "none": "–"}
    apart = [reading.where for reading in dial.readings]
    places = [[where for where in dial.applies if where not in apart], *([where] for where in apart)]
    rows: list[tuple[str, ...]] = []
    for where in filter(None, places):
        read = dial.at(where[0])
        values = (read.domain.describe(), str(read.vanilla), str(read.off), arrows[read.harder])
        rows.append((read.name, *values, " ".join(read.touches), ", ".join(where), read.text))
    return rows
