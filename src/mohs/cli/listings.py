"""Which environments and dials are there? The commands that list them."""

from __future__ import annotations

from mohs.cli.options import AsJson
from mohs.cli.output import print_json
from mohs.core.dial import Dial
from mohs.report.terminal import show_table


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
