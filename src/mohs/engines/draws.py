"""How is a random number drawn inside a kernel? By address, not by count.

A draw is a hash of (instance key, episode, step, lane). So switching one source of randomness on leaves all others
as they were, and an instance alone behaves as it does in a fleet.
"""

from __future__ import annotations

import statistics

import numpy as np
import numpy.typing as npt

from mohs.core.kernel import law
from mohs.core.splitmix import STRIDE, mix

_S3, _S11, _S12, _S32, _S48 = (np.uint64(s) for s in (3, 11, 12, 32, 48))
_ONE, _MIDDLE = np.uint64(1), np.uint64(1 << 47)
_UNIT = 1.0 / 9007199254740992.0  # 2^-53

LANE_SUCCESSOR, LANE_NOISE, LANE_REWARD, LANE_IRRELEVANT = range(4)
LANE_START, LANE_IRRELEVANT_START, LANE_TASK, LANE_IMAGE = range(4, 8)  # an address has room for eight


@law
def bits(key, episode, t, lane):
    """64 random bits at an address."""
    address = (np.uint64(episode) << _S32) | (np.uint64(t) << _S3) | np.uint64(lane)
    return mix(np.uint64(key) + STRIDE * (address + np.uint64(1)))


@law
def nth(x, n):
    """64 random bits more from those of an address: the n-th, where one address stands for several numbers."""
    return mix(x + STRIDE * np.uint64(n + 1))


@law
def as_uniform(x):
    """A number in [0, 1)."""
    return np.float64(x >> _S11) * _UNIT


@law
def uniform(key, episode, t, lane):
    """A number in [0, 1) at an address."""
    return as_uniform(bits(key, episode, t, lane))


def _tail_quantiles() -> npt.NDArray[np.float64]:
    """Polynomials of the normal quantile, [part, coefficient], for tail probabilities from 2^-54 to 1/2.

    Each octave is cut into 16 equal parts. Interpolation of degree 7 in the distance from the middle of the part is
    exact to 1e-14, without the division, logarithm and square root, and the branches, of a rational approximation.
    """
    degree = np.arange(8)
    nodes = np.cos((2 * degree + 1) * np.pi / 16)  # Chebyshev's, on [-1, 1]
    half = np.repeat(2.0 ** (np.arange(-54, -1) - 5), 16)  # of the width of each part
    middles = half * np.tile(33 + 2 * np.arange(16), 53)
    points = middles[:, None] + half[:, None] * nodes
    quantile = statistics.NormalDist().inv_cdf
    values = np.array([quantile(p) for p in points.ravel().tolist()]).reshape(points.shape)
    scaled = np.linalg.solve(np.vander(nodes, increasing=True), values.T).T
    return np.ascontiguousarray(scaled / half[:, None] ** degree)


_TAIL = _tail_quantiles()
_FIRST_PART = (1023 - 54) << 4  # the top bits of a float: its exponent and the first four digits of its mantissa


@law
def as_normal(x):
    """A standard normal: one bit is its sign, 52 bits its tail probability, of which it is the quantile."""
    p = (np.float64(x >> _S12) + 0.5) * _UNIT
    digits = np.float64(p).view(np.uint64)
    part = digits >> _S48
    d = p - np.uint64((part << _S48) | _MIDDLE).view(np.float64)
    c = _TAIL[part - np.uint64(_FIRST_PART)]
    d2 = d * d  # Estrin's order: the halves of the polynomial do not wait for each other
    low = (c[0] + c[1] * d) + (c[2] + c[3] * d) * d2
    high = (c[4] + c[5] * d) + (c[6] + c[7] * d) * d2
    return (low + high * (d2 * d2)) * (1.0 - 2.0 * np.float64(x & _ONE))


@law
def normal(key, episode, t, lane):
    """A standard normal at an address."""
    return as_normal(bits(key, episode, t, lane))


def generator(key: int, episode: int, t: int, lane: int) -> np.random.Generator:
    """The generator at an address, for noise that is given as a function.

    Philox counts in the first word of its counter, which is therefore no part of the address.
    """
    return np.random.Generator(np.random.Philox(key=key, counter=[0, lane, t, episode]))
