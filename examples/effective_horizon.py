"""What do the dials of the toy do to the effective horizon? Delay × sequence length × reward density, measured by GORP.

Run it:  python examples/effective_horizon.py OUT      (OUT/effective_horizon.csv and .png)
"""

import csv
import sys
from itertools import product
from pathlib import Path

import plotly.graph_objects as go
from plotly.subplots import make_subplots

import mohs
from mohs.exact.lookahead.gorp import gorp_horizon
from mohs.exact.lookahead.qvi import min_k
from mohs.report.theme import LIGHT, dress
from mohs.stats import estimate

DENSITIES, LENGTHS, DELAYS = (0.2, 0.5, 0.8), (1, 2, 3), (0, 1, 2, 4)
TASKS = 10  # different toys, by their structure seed, at every point
BUDGET = 1_000_000_000


def measure(density, length, delay):
    """The mean effective horizon over toys, with its interval; and the largest min_k of one."""
    found, largest = [], 0
    for seed in range(TASKS):
        table = mohs.table(
            "toy/discrete", seed=seed, delay=delay, sequence_length=length, reward_density=density, max_episode_steps=20
        )
        found.append(gorp_horizon(table, budget=BUDGET, runs=40).effective_horizon)
        largest = max(largest, min_k(table))
    return estimate(found), largest


def draw(results):
    titles = [f"reward density {density:g}" for density in DENSITIES]
    figure = make_subplots(1, len(DENSITIES), subplot_titles=titles, shared_yaxes=True, horizontal_spacing=0.03)
    top = max(e.value for e, _ in results.values())
    scale = [[i / (len(LIGHT.scale) - 1), colour] for i, colour in enumerate(LIGHT.scale)]
    for column, density in enumerate(DENSITIES, start=1):
        grid = [[results[density, length, delay][0] for delay in DELAYS] for length in LENGTHS]
        figure.add_trace(
            go.Heatmap(
                x=[str(delay) for delay in DELAYS], y=[str(length) for length in LENGTHS], zmin=1, zmax=top,
                z=[[e.value for e in row] for row in grid], colorscale=scale, showscale=False, xgap=2, ygap=2,
                text=[[f"{e.value:.2f}<br>[{e.low:.2f}, {e.high:.2f}]" for e in row] for row in grid],
                texttemplate="%{text}", textfont={"size": 11, "color": LIGHT.ink},
            ),
            row=1, col=column,
        )  # fmt: skip
    figure.update_xaxes(title="delay (steps)", type="category")
    figure.update_yaxes(title="sequence length", type="category", col=1)
    dress(figure, 400, "Effective horizon by GORP, horizon 20: mean over 10 toys with its 95% interval")
    return figure


def main(out):
    results = {}
    for point in product(DENSITIES, LENGTHS, DELAYS):
        results[point] = measure(*point)
        e, k = results[point]
        print(
            "density {:g}, length {}, delay {}:".format(*point), f"{e.value:.2f} [{e.low:.2f}, {e.high:.2f}], min_k {k}"
        )
    out.mkdir(parents=True, exist_ok=True)
    with (out / "effective_horizon.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            ("reward_density", "sequence_length", "delay", "effective_horizon", "low", "high", "n", "max_min_k")
        )
        writer.writerows((*point, e.value, e.low, e.high, e.n, k) for point, (e, k) in results.items())
    draw(results).write_image(out / "effective_horizon.png", scale=2, width=1080)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
