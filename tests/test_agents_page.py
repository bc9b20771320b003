"""The page on agents says what the configs say. `python tests/test_agents_page.py` writes its tables anew."""

from __future__ import annotations

from pathlib import Path

from mohs.agents.entries import ENTRIES
from mohs.agents.registry import describe
from mohs.core.values import to_json

PAGE = Path(__file__).parents[1] / "docs" / "agents.md"
BEGIN, END = "<!-- hyperparameters: written by tests/test_agents_page.py -->\n", "<!-- end of hyperparameters -->"


def test_the_tables_of_hyperparameters_are_those_of_the_configs():
    written = PAGE.read_text().partition(BEGIN)[2].partition(END)[0]
    assert written == tables()


def test_every_agent_is_on_the_page():
    page = PAGE.read_text()
    assert all(f"| `{entry.name}` | {entry.text} |" in page for entry in ENTRIES)


def tables() -> str:
    return "\n".join(table(entry.name) for entry in ENTRIES if describe(entry.name)["hyperparameters"])


def table(name: str) -> str:
    found = describe(name)
    rows = ["| hyperparameter | default | allowed | |", "|---|---|---|---|"]
    for given, s in found["hyperparameters"].items():
        rows.append(f"| `{given}` | {shown(s['default'])} | {s['allowed']} | {s['text']} |")
    presets = [f"\n`preset={preset}`: {values(of)}.\n" for preset, of in found["presets"].items()]
    return f"### {name}\n\n" + "\n".join(rows) + "\n" + "".join(presets)


def values(of: dict[str, object]) -> str:
    return ", ".join(f"`{given}` {shown(value)}" for given, value in of.items())


def shown(value: object) -> str:
    return "–" if value == "" else str(to_json(value))


if __name__ == "__main__":
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(before + BEGIN + tables() + END + rest.partition(END)[2])
