"""What goes with low scores, and how well do similar tasks predict them? Writes the tables of docs/card.md."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from mohs.protocols.card.collection import Collection
from mohs.protocols.card.indicators import BY_KEY
from mohs.protocols.card.profile import NEIGHBOURS, neighbours, relevance
from mohs.protocols.card.why import AGENTS

PAGE = Path(__file__).parents[2] / "docs" / "card.md"
BEGIN = "<!-- the collection: written by python -m benchmarks.reference_collection -->"
END = "<!-- end of the collection -->"


def text(known: Collection) -> str:
    """Relevance of the indicators, scores by group, and how well the mean of similar tasks predicts a score."""
    lines = ["| indicator | correlation with what agents lost | tasks | can be a reason |", "|---|---|---|---|"]
    for key, found in sorted(relevance(known).items(), key=lambda item: -item[1].correlation):
        yes = "yes" if found.relevant else "no"
        lines.append(f"| {BY_KEY[key].title.lower()} | {found.correlation:.2f} | {found.n} | {yes} |")
    lines += ["", f"| group | tasks | {' | '.join(AGENTS.values())} |", f"|---|---|{'---|' * len(AGENTS)}"]
    for group, count in Counter(task.group for task in known.tasks).items():
        lines.append(f"| {group} | {count} | {' | '.join(_mean(known, group, agent) for agent in AGENTS)} |")
    return "\n".join([*lines, "", _prediction(known)])


def _mean(known: Collection, group: str, agent: str) -> str:
    scores = [task.outcomes[agent].value for task in known.tasks if task.group == group and agent in task.outcomes]
    return f"{np.mean(scores):.2f} ({len(scores)})" if scores else "–"


def _prediction(known: Collection) -> str:
    """Each task is left out and predicted by the others."""
    pairs = []
    for task in known.tasks:
        near = [n.task.score for n in neighbours(task.values, known) if n.task is not task][:NEIGHBOURS]
        scores = [score for score in near if score is not None]
        if task.score is not None and scores:
            pairs.append((np.mean(scores), task.score))
    predicted, actual = np.array(pairs).T
    rank = spearmanr(predicted, actual).statistic
    error, spread = np.abs(predicted - actual).mean(), np.abs(actual - actual.mean()).mean()
    return (
        "The second table has mean scores, with the number of tasks. A score that is left out and predicted by the "
        f"{NEIGHBOURS} most similar\ntasks is {error:.2f} off on average (by the mean of all tasks: {spread:.2f}). The "
        f"rank correlation of predicted and actual scores is {rank:.2f}\n(n = {len(pairs)}). Tasks of one group are "
        "alike, so this holds for tasks like the known ones."
    )


def write_page(known: Collection) -> None:
    """Replaces what stands between the marks."""
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{BEGIN}\n{text(known)}\n{END}{after}", encoding="utf-8")
