"""Is it the eyes or the learning? What a harder view and a rarer reward cost, with intervals, or why nobody can tell.

Arguments are normalised areas under evaluation curves (0 = random policy, 1 = known maximum), one for each seed; NaN
marks a missing run.
"""

from mohs.stats.lcd.agreement import FEWEST_GAMES, rank_agreement
from mohs.stats.lcd.areas import curve_area
from mohs.stats.lcd.contrasts import gain, synergy
from mohs.stats.lcd.costs import reward_cost, view_cost
from mohs.stats.lcd.judgements import THRESHOLD, Cost, Judgement
from mohs.stats.lcd.lines import reward_slope
from mohs.stats.lcd.paper import min_max, null_psi, paper_phi, paper_psi
from mohs.stats.lcd.planning import planned_seeds
from mohs.stats.lcd.regions import ellipse, joint

__all__ = [
    "FEWEST_GAMES",
    "THRESHOLD",
    "Cost",
    "Judgement",
    "curve_area",
    "ellipse",
    "gain",
    "joint",
    "min_max",
    "null_psi",
    "paper_phi",
    "paper_psi",
    "planned_seeds",
    "rank_agreement",
    "reward_cost",
    "reward_slope",
    "synergy",
    "view_cost",
]
