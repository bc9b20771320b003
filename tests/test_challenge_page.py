"""The page on the challenge has the list as it is. `python tests/test_challenge_page.py` writes its tables anew."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from mohs.tables.challenge.catalogue import catalogue, challenge

PAGE = Path(__file__).parents[1] / "docs" / "challenge.md"
BEGIN, END = "<!-- the list: written by tests/test_challenge_page.py -->\n", "<!-- end of the list -->"
STATUSES = ("challenge", "gorp", "guessed", "no win", "too large")


def test_the_tables_are_those_of_the_list():
    assert PAGE.read_text().partition(BEGIN)[2].partition(END)[0] == tables()


def tables() -> str:
    return f"{sources()}\n{mdps()}"


def sources() -> str:
    counts = Counter((mdp.source, mdp.status) for mdp in catalogue())
    rows = [
        "| source | tried | left | solved by GORP | guessed | no win | too large |",
        "|---|---|---|---|---|---|---|",
    ]
    for source in dict.fromkeys(mdp.source for mdp in catalogue()):
        of_source = [counts[source, status] for status in STATUSES]
        rows.append(f"| {source} | {sum(of_source)} | " + " | ".join(map(str, of_source)) + " |")
    totals = [sum(counts[source, status] for source in {mdp.source for mdp in catalogue()}) for status in STATUSES]
    rows.append(f"| all | {sum(totals)} | " + " | ".join(map(str, totals)) + " |")
    return "\n".join(rows) + "\n"


def mdps() -> str:
    rows = [
        "| MDP | states | actions | T | optimum | random play | p_opt | min k | effective horizon |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for mdp in challenge():
        k = "–" if mdp.min_k is None else str(mdp.min_k)
        rows.append(
            f"| `{mdp.id}` | {mdp.states:,} | {mdp.actions} | {mdp.horizon} | {mdp.optimal_return:g} | "
            f"{mdp.random_return:.2f} | {mdp.p_opt:.1e} | {k} | {mdp.length} |"
        )
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(before + BEGIN + tables() + END + rest.partition(END)[2])
