"""The page on agents agrees with the registry. `python tests/test_agents_page.py` writes its tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mohs.agents.entries import ENTRIES
from mohs.agents.registry import config_class, describe
from mohs.core.values import to_json

PAGE = Path(__file__).parents[1] / "docs" / "agents.md"
BEGIN, END = "<!-- hyperparameters: written by tests/test_agents_page.py -->\n", "<!-- end of hyperparameters -->"
SHARED = "All deep agents"


def test_the_tables_of_hyperparameters_are_those_of_the_configs():
    written = PAGE.read_text().partition(BEGIN)[2].partition(END)[0]
    assert written == tables()


def test_every_agent_is_on_the_page():
    page = PAGE.read_text()
    assert all(f"| `{entry.name}` | {entry.text} |" in page for entry in ENTRIES)


def tables() -> str:
    """One table for agents with the same hyperparameters, and one for those that all deep agents share."""
    titles: dict[str, list[str]] = {}
    last: dict[str, list[str]] = {}
    for entry in ENTRIES:
        found, shared = describe(entry.name), config_class(entry.name).shared()
        own = {name: s for name, s in found["hyperparameters"].items() if name not in shared}
        if own:
            titles.setdefault(table(own, found["presets"]), []).append(entry.name)
        if shared:
            of_all = {name: s for name, s in found["hyperparameters"].items() if name in shared}
            last = {table(of_all, {}): [SHARED]}
    return "\n".join(f"### {', '.join(names)}\n\n{text}" for text, names in (titles | last).items())


def table(settings: dict[str, dict[str, Any]], presets: dict[str, dict[str, Any]]) -> str:
    rows = ["| hyperparameter | default | allowed | meaning |", "|---|---|---|---|"]
    for given, s in settings.items():
        rows.append(f"| `{given}` | {to_json(s['default'])} | {s['allowed']} | {s['text']} |")
    return "\n".join(rows) + "\n" + "".join(f"\n`preset={name}`: {values(of)}.\n" for name, of in presets.items())


def values(of: dict[str, Any]) -> str:
    return ", ".join(f"`{given}` {to_json(value)}" for given, value in of.items())


if __name__ == "__main__":
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(before + BEGIN + tables() + END + rest.partition(END)[2])
