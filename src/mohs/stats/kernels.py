"""What must be fast in a bootstrap of aggregates? `stratified.py` calls it."""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel, law


@law
def mixed(x):
    """The output function of splitmix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@law
def median(x):
    """By insertion sort, in place: x is short."""
    for i in range(1, len(x)):
        moved, j = x[i], i - 1
        while j >= 0 and x[j] > moved:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = moved
    half = len(x) // 2
    return x[half] if len(x) % 2 else (x[half - 1] + x[half]) / 2


@kernel
def bootstrap(place, values, key, times, means, found):
    """[resamples, 4]: interquartile mean, mean, median of task means and optimality gap of stratified resamples.

    `values` are all runs, ascending; `place` [tasks, runs] is where a run is among them.
    """
    tasks, runs = place.shape
    size = tasks * runs
    cut = size // 4
    state = key
    for r in range(found.shape[0]):
        for i in range(size):
            times[i] = 0
        mean = gap = 0.0
        for t in range(tasks):
            task = 0.0
            for _ in range(runs):
                state += np.uint64(0x9E3779B97F4A7C15)
                # The upper half of a product with 32 random bits: no division, and a bias below runs/2³².
                drawn = ((mixed(state) >> np.uint64(32)) * np.uint64(runs)) >> np.uint64(32)
                i = place[t, np.int64(drawn)]
                times[i] += 1
                x = values[i]
                task += x
                gap += max(1.0 - x, 0.0)
            means[t] = task / runs
            mean += task
        inside, passed, i = 0.0, 0, 0
        while passed < size - cut:
            upto = passed + times[i]
            inside += values[i] * (min(upto, size - cut) - max(passed, cut) if upto > cut else 0)
            passed = upto
            i += 1
        found[r, 0] = inside / (size - 2 * cut)
        found[r, 1] = mean / size
        found[r, 2] = median(means)
        found[r, 3] = gap / size
