"""How are rank correlations of studies described in the methods section of a paper?"""

from __future__ import annotations

from mohs.protocols.correlate.correlation import Correlation
from mohs.protocols.experiment.contrasts import LEVEL
from mohs.report import numbers
from mohs.report.methods import Methods, counted, paragraph


def methods(found: Correlation) -> Methods:
    """The studies, how their doses are paired, and the intervals."""
    studies = "; ".join(f"{s.name} ({s.env}, {counted(s.seeds, 'seed')})" for s in (*found.toys, found.complex))
    return paragraph(
        [
            f"We correlated the studies {studies}, for every agent on every axis that both have. Doses are paired by "
            "their order on the axis, as in [@rajan2023mdp].",
            f"We report Spearman's rank correlation of the means over seeds with {numbers.level(LEVEL)} intervals, a "
            "bootstrap over the seeds of both studies, and exact p-values over all orders of the doses.",
        ]
    )
