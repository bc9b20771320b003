"""Which numbers of a comparison are drawn as points on one axis? Probabilities of improvement, and differences."""

from __future__ import annotations

from mohs.protocols.compare.comparison import ALL, Comparison
from mohs.protocols.measures import MEASURES
from mohs.report import numbers
from mohs.report.figures.forest import Forest, ForestRow
from mohs.report.figures.looks import short

HALF = 13  # characters of each of two names beside a number


def improvement_forest(comparison: Comparison) -> Forest:
    """Two agents: the probability of improvement overall, then under each dial."""
    (a, b), (pair,) = (short(name) for name in comparison.names), comparison.pairs
    rows = (ForestRow(ALL, pair.overall, leading=True), *(ForestRow(name, e) for name, e in pair.dials))
    counts = numbers.count(r.estimate.n for r in rows)
    note = f"probability that a run of {a} beats a run of {b} at the same dose · "
    note += f"{numbers.level(pair.overall.level)} intervals · {counts} seeds"
    a, b = (short(name, HALF) for name in comparison.names)
    return Forest(rows, note, 0.5, (f"← {b} better", f"{a} better →"), (0.0, 1.0))


def difference_forest(comparison: Comparison) -> Forest:
    """The mean paired difference of every two agents."""
    rows = []
    for pair in comparison.pairs:
        a, b = (short(comparison.names[i], HALF) for i in (pair.a, pair.b))
        rows.append(ForestRow(f"{a} − {b}", pair.difference))
    claimed = numbers.level(rows[0].estimate.level)
    note = f"mean difference of runs with the same seed · {numbers.count(r.estimate.n for r in rows)} seeds · "
    note += f"intervals at {claimed} each" + (", 95% together (Bonferroni)" if len(rows) > 1 else "")
    return Forest(tuple(rows), note, 0.0, title=f"difference of {MEASURES[comparison.measure].title}")
