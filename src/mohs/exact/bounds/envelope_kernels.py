"""What is known of the mean of m independent returns? An envelope of its distribution function, compiled.

A *leaf* is such a mean X. Of a return its own mean, its variance and fourth central moment, and the least and the
largest value are known. So P(X ≤ x) lies in the intersection of

- the exact binomial distribution, where a return has two values: its variance is the largest that its range allows;
- the normal distribution and the Berry-Esseen error, with the constants of Shevtsova (2011);
- the inequalities of Bernstein and of Bennett for its tails.
"""

from __future__ import annotations

import math

import numpy as np

from mohs.core.kernel import kernel, law

# Columns of a leaf: what is known of a return,
AVERAGE, VARIANCE, BEST, WORST, SKEW = range(5)
# how many equal leaves it stands for, and whether a return has one, two or more values,
COPIES, KIND = 5, 6
# and, for one m: how the envelope is found, the deviation of X, the Berry-Esseen error, and how far a binomial
# distribution is added up: the next number of successes, its probability, and that of all smaller numbers.
WAY, DEVIATION, ERROR, AT, TERM, BELOW = range(7, 13)
COLUMNS = 13
CONSTANT, BINOMIAL, NORMAL = 0.0, 1.0, 2.0
LARGEST_VARIANCE = 1e5  # of a number of successes whose distribution is added up
_TINY = 1e-18  # a binomial probability, relative to the largest, beyond which none are added
_FINE, _LAST = 256, 256 * 6
_TAIL = np.array([0.5 * math.erfc(i / _FINE * math.sqrt(0.5)) for i in range(_LAST + 1)])
_COARSE = 5e-7  # the error of interpolating `_TAIL`: (1 / 256)² / 8 · the largest slope of a normal density


@law
def tail(m, reach, variance, distance):
    """P(X - E X ≥ distance) at most, where a return exceeds its mean by `reach` at most: by Bernstein, or Bennett.

    Bennett's exponent is never smaller, but a difference of nearly equal numbers where the ratio is small.
    """
    if distance <= 0.0:
        return 1.0
    if distance > reach or variance == 0.0:
        return 0.0
    exponent = 0.5 * distance**2 / (variance + reach * distance / 3.0)
    ratio = reach * distance / variance
    if ratio > 0.3 and m * exponent < 16.0:  # elsewhere it makes next to no difference
        exponent = max(exponent, variance / reach**2 * ((1.0 + ratio) * math.log1p(ratio) - ratio))
    return math.exp(-m * exponent)


@law
def set_leaf(leaf, average, variance, fourth, best, worst, noise):
    """A leaf from what is known of a return; values within `noise` of each other are one."""
    leaf[AVERAGE], leaf[VARIANCE], leaf[BEST], leaf[WORST] = average, variance, best, worst
    leaf[SKEW], leaf[COPIES], leaf[KIND] = 0.0, 1.0, NORMAL
    if variance <= 0.0 or best - worst <= noise:
        leaf[VARIANCE], leaf[BEST], leaf[WORST], leaf[KIND] = 0.0, average, average, CONSTANT
        return
    largest = (best - average) * (average - worst)  # the inequality of Bhatia and Davis
    if abs(largest - variance) <= 1e-9 * variance:
        leaf[KIND] = BINOMIAL
    # E|G - E G|³ / σ³ is at most √E(G - E G)⁴ / σ² (Cauchy and Schwarz) and at most the largest deviation / σ.
    leaf[SKEW] = min(math.sqrt(fourth) / variance, max(best - average, average - worst) / math.sqrt(variance))


@law
def normal_tail(z):
    """P(Z > z) of a standard normal Z for z ≥ 0, to within `_COARSE`."""
    place = z * _FINE
    if place >= _LAST:
        return 0.0
    left = np.int64(place)
    return _TAIL[left] + (place - left) * (_TAIL[left + 1] - _TAIL[left])


@kernel
def start(leaf, m):
    """Makes a leaf ready for calls of `envelope` with m episodes, x ascending.

    Binomial probabilities are added up relative to that of the mode, and so need no coefficients.
    """
    leaf[WAY] = leaf[KIND]
    leaf[DEVIATION] = math.sqrt(leaf[VARIANCE] / m)
    leaf[ERROR] = min(0.33554 * (leaf[SKEW] + 0.415), 0.3328 * (leaf[SKEW] + 0.429)) / math.sqrt(m) + _COARSE
    if leaf[KIND] != BINOMIAL:
        return
    if m * leaf[VARIANCE] > LARGEST_VARIANCE * (leaf[BEST] - leaf[WORST]) ** 2:
        leaf[WAY] = NORMAL
        return
    odds = (leaf[AVERAGE] - leaf[WORST]) / (leaf[BEST] - leaf[AVERAGE])
    mode = math.floor((m + 1.0) * (leaf[AVERAGE] - leaf[WORST]) / (leaf[BEST] - leaf[WORST]))
    at, term, total = mode, 1.0, 1.0
    while at < m and term > _TINY:
        at += 1.0
        term *= (m - at + 1.0) / at * odds
        total += term
    at, term = mode, 1.0
    while at > 0.0 and term > _TINY:
        term *= at / ((m - at + 1.0) * odds)
        at -= 1.0
        total += term
    leaf[AT], leaf[TERM], leaf[BELOW] = at, term / total, 0.0


@law
def binomial(leaf, m, x, slack):
    """P(X ≤ x), and P(X ≤ x + slack) at most; x must not be smaller than in the call before."""
    scale = m / (leaf[BEST] - leaf[WORST])
    odds = (leaf[AVERAGE] - leaf[WORST]) / (leaf[BEST] - leaf[AVERAGE])
    number = math.floor((x + 0.5 * slack - leaf[WORST]) * scale)  # a value that rounding put above x is not above it
    while leaf[AT] <= number:
        leaf[BELOW] += leaf[TERM]
        leaf[TERM] *= (m - leaf[AT]) / (leaf[AT] + 1.0) * odds
        leaf[AT] += 1.0
    more = math.floor((x + slack - leaf[WORST]) * scale) - leaf[AT]
    most = leaf[BELOW] if more < 0.0 else leaf[BELOW] + leaf[TERM] if more < 1.0 else 1.0
    return min(1.0, leaf[BELOW]), min(1.0, most)


@kernel
def envelope(leaf, m, x, slack):
    """P(X ≤ x) at least, and P(X ≤ x + slack) at most."""
    if x >= leaf[BEST]:
        return 1.0, 1.0
    if x + slack < leaf[WORST]:
        return 0.0, 0.0
    if leaf[WAY] == CONSTANT:
        return 0.0, 1.0
    if leaf[WAY] == BINOMIAL:
        return binomial(leaf, m, x, slack)
    off, error = x - leaf[AVERAGE], leaf[ERROR]
    beyond = normal_tail(abs(off) / leaf[DEVIATION])
    least, most = 0.0, 1.0
    if error < 0.5:
        below = beyond if off < 0.0 else 1.0 - beyond
        least = max(0.0, below - error)
        most = min(1.0, below + error + 0.4 * slack / leaf[DEVIATION])  # a normal density is below 0.4
    if beyond < 0.5 * error:  # nearer to the mean the bounds of tails are larger than the error
        if off > 0.0:
            least = max(least, 1.0 - tail(m, leaf[BEST] - leaf[AVERAGE], leaf[VARIANCE], off))
        elif off + slack < 0.0:
            most = min(most, tail(m, leaf[AVERAGE] - leaf[WORST], leaf[VARIANCE], -off - slack))
    return least, most


@law
def far(leaf, m, reach):
    """A distance from its mean that X exceeds, on the side of this reach, with a probability below exp(-14)."""
    length = 14.0 / m * reach / 3.0
    return length + math.sqrt(length**2 + 28.0 / m * leaf[VARIANCE])


@law
def next_point(leaf, m, x, slack, fineness):
    """Where next to look at a leaf's distribution: steps of `fineness` deviations, longer ones far from the mean.

    Of a binomial the points are values that it takes; of a constant they lie just below it and on it.
    """
    if x >= leaf[BEST]:
        return np.inf
    if leaf[WAY] == CONSTANT:
        below = leaf[AVERAGE] - 2.0 * slack
        return below if x < below else leaf[AVERAGE]
    step = fineness * max(leaf[DEVIATION], 0.5 * abs(x - leaf[AVERAGE]))
    point = x + step
    if leaf[WAY] == BINOMIAL:
        width = (leaf[BEST] - leaf[WORST]) / m
        number = math.floor((x - leaf[WORST]) / width + 1e-6) + max(1.0, math.floor(step / width))
        point = leaf[WORST] + width * number
    return leaf[WORST] if x < leaf[WORST] else max(point, x + 2.0 * slack)
