"""Which intersections stand for those of Salt Lake City? Writes src/mohs/families/salt_lake.toml.

    python -m benchmarks.salt_lake [--print]

Jayawardana et al. 2022 publish the means and standard deviations of six features over 345 intersections (Table 4), and
that 164 of these differ. The joint distribution is not public. Here each feature has a few values whose shares have
these moments, a Gaussian copula joins them, and 345 draws are taken, with the first seed
that gives 164 different ones and these moments within 8%. The count of each is its weight.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping
from itertools import count
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import stats

import mohs

DRAWS, DIFFERENT = 345, 164
WITHIN = 0.08  # of the moments of Table 4
PATH = Path(mohs.__file__).parent / "families" / "salt_lake.toml"

# The values of each feature and their shares, and the mean and the deviation in Table 4. Its inflow is 73.5 ± 774,
# which no list of flows can have: 735 is assumed.
FEATURES: Mapping[str, tuple[Mapping[int, float], float, float]] = {
    "lanes": ({2: 0.25, 3: 0.10, 4: 0.43, 5: 0.06, 6: 0.16}, 3.8, 1.37),
    "speed": ({25: 0.20, 30: 0.28, 35: 0.36, 40: 0.10, 45: 0.06}, 32.6, 5.4),
    "length": ({100: 0.35, 250: 0.43, 450: 0.165, 900: 0.055}, 260.8, 193),
    "inflow": ({250: 0.45, 600: 0.31, 1200: 0.165, 3200: 0.075}, 735, 774),
    "left_lanes": ({0: 0.80, 1: 0.17, 2: 0.03}, 0.229, 0.496),
    "right_lanes": ({0: 0.90, 1: 0.10}, 0.100, 0.298),
}

# Correlations of the copula, an assumption: wide streets are fast, busy and have turn lanes, fast ones long blocks.
CORRELATIONS = {
    ("lanes", "speed"): 0.6, ("lanes", "length"): 0.2, ("lanes", "inflow"): 0.7, ("lanes", "left_lanes"): 0.5,
    ("lanes", "right_lanes"): 0.3, ("speed", "length"): 0.5, ("speed", "inflow"): 0.5, ("speed", "left_lanes"): 0.2,
    ("speed", "right_lanes"): 0.1, ("length", "inflow"): 0.1, ("inflow", "left_lanes"): 0.5,
    ("inflow", "right_lanes"): 0.3, ("left_lanes", "right_lanes"): 0.4,
}  # fmt: skip

_TEXT = """# Written by python -m benchmarks.salt_lake
title = "intersections of Salt Lake City"
source = "Jayawardana et al. 2022, Task Underspecification in Evaluating Deep Reinforcement Learning, Table 4"
text = "Synthetic: the marginals are those of Table 4, the joint distribution is an assumption (docs/traffic.md)."
env = "traffic/intersection"
params = {{ reward = "delay" }}
points = [
{points}
]

[scores]
failure = 0.0

[default]
{default}

[editions.quick]
methods = ["fixed", "max_pressure", "idqn", "ippo"]
budget = 48
steps = 36_000

[editions.paper]
methods = ["fixed", "max_pressure", "idqn", "ippo", "mplight", "mplight_star"]
budget = 164
steps = 36_000
"""
DEFAULT = {"lanes": 4, "speed": 35, "length": 250, "inflow": 700, "left_lanes": 0, "right_lanes": 0}


def copula() -> npt.NDArray[np.float64]:
    """The correlations of the underlying normal variables."""
    names = list(FEATURES)
    matrix = np.eye(len(names))
    for (a, b), r in CORRELATIONS.items():
        matrix[names.index(a), names.index(b)] = matrix[names.index(b), names.index(a)] = r
    return matrix


def drawn(seed: int) -> Counter[tuple[int, ...]]:
    """So many intersections, as values of the features, and how often each came."""
    normal = np.random.default_rng(seed).multivariate_normal(np.zeros(len(FEATURES)), copula(), size=DRAWS)
    columns = []
    for at, (shares, _, _) in zip(stats.norm.cdf(normal).T, FEATURES.values(), strict=True):
        edges = np.cumsum(list(shares.values()))[:-1]
        columns.append(np.array(list(shares))[np.searchsorted(edges, at)])
    return Counter(tuple(map(int, row)) for row in np.stack(columns, axis=1))


def family() -> tuple[int, Counter[tuple[int, ...]]]:
    """The first seed with as many different intersections as the paper has and with its moments, and these."""
    return next((seed, found) for seed in count() if len(found := drawn(seed)) == DIFFERENT and alike(moments(found)))


def alike(found: Mapping[str, tuple[float, float]]) -> bool:
    """Whether all means and deviations are those of Table 4, within some percent."""
    told = {name: (mean, deviation) for name, (_, mean, deviation) in FEATURES.items()}
    return all(np.allclose(found[name], told[name], rtol=WITHIN) for name in FEATURES)


def moments(found: Counter[tuple[int, ...]]) -> dict[str, tuple[float, float]]:
    """The mean and the standard deviation of each feature over all draws."""
    rows = np.array(list(found.elements()), dtype=float)
    return {name: (float(rows[:, i].mean()), float(rows[:, i].std(ddof=1))) for i, name in enumerate(FEATURES)}


def text(found: Counter[tuple[int, ...]]) -> str:
    """The family as TOML: one line for each intersection."""
    rows = []
    for values, weight in sorted(found.items()):
        at = ", ".join(f"{name} = {value}" for name, value in zip(FEATURES, values, strict=True))
        rows.append(f"  {{ weight = {weight}, {at} }},")
    default = "\n".join(f"{name} = {value}" for name, value in DEFAULT.items())
    return _TEXT.format(points="\n".join(rows), default=default)


def main() -> None:
    """Writes the family, and prints its moments beside those of Table 4."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--print", action="store_true", help="print the moments and leave the file as it is")
    given = parser.parse_args()
    seed, found = family()
    most = max(found.values())
    print(f"seed {seed}: {len(found)} different ones of {sum(found.values())}, the most frequent {most} times")
    for name, (mean, deviation) in moments(found).items():
        _, wanted, spread = FEATURES[name]
        print(f"{name}: {mean:.3g} ± {deviation:.3g} (Table 4: {wanted} ± {spread})")
    if not given.print:
        PATH.write_text(text(found))


if __name__ == "__main__":
    main()
