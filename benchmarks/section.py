"""A section of docs/findings.md that a benchmark writes: claims of a paper, what decides them, outcomes and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "findings.md"


@dataclass(frozen=True)
class Finding:
    """One claim of the paper, what decides it, the outcome and the numbers."""

    source: str
    claim: str
    rule: str
    outcome: str
    evidence: Sequence[str]


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table."""
    return [f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *rows)]


def shown(found: Sequence[Finding]) -> str:
    """All findings: a table of outcomes, and a part for each."""
    rows = [f"| {f.source} | {f.claim} | **{f.outcome}** |" for f in found]
    parts = ["| | what the paper finds | here |\n|---|---|---|\n" + "\n".join(rows)]
    for f in found:
        parts.append(f"### {f.source}: {f.outcome}\n\n{f.claim} Reproduced if {f.rule}.\n\n" + "\n".join(f.evidence))
    return "\n\n".join(parts)


def replace_section(text: str, begin: str, end: str, path: Path = PAGE) -> None:
    """Writes the text between two lines of a page: `begin`, which is there once, and the next `end`."""
    page = path.read_text()
    head, rest = page.split(begin)
    tail = rest.split(end, 1)[1]
    path.write_text(f"{head}{begin}\n\n{text}\n\n{end}{tail}")
