"""How is a random number drawn inside a kernel? By address, not by count.

A draw is a hash of (instance key, episode, step, lane). So switching one source of randomness on leaves all others
as they were, and an instance alone behaves as it does in a fleet.
"""

from __future__ import annotations

import math

import numpy as np

from mohs.core.kernel import law
from mohs.core.seeding import GOLDEN, MIX_1, MIX_2

_G, _M1, _M2 = np.uint64(GOLDEN), np.uint64(MIX_1), np.uint64(MIX_2)
_S27, _S30, _S31, _S32, _S3, _S11 = (np.uint64(s) for s in (27, 30, 31, 32, 3, 11))
_UNIT = 1.0 / 9007199254740992.0  # 2^-53

LANE_SUCCESSOR, LANE_NOISE, LANE_REWARD, LANE_IRRELEVANT, LANE_START, LANE_IRRELEVANT_START, LANE_TASK = range(7)


@law
def bits(key, episode, t, lane):  # type: ignore[no-untyped-def]
    """64 random bits at an address."""
    address = (np.uint64(episode) << _S32) | (np.uint64(t) << _S3) | np.uint64(lane)
    x = np.uint64(key) + _G * (address + np.uint64(1))
    x = (x ^ (x >> _S30)) * _M1
    x = (x ^ (x >> _S27)) * _M2
    return x ^ (x >> _S31)


@law
def uniform(key, episode, t, lane):  # type: ignore[no-untyped-def]
    """A number in [0, 1)."""
    return np.float64(bits(key, episode, t, lane) >> _S11) * _UNIT


@law
def normal(key, episode, t, lane):  # type: ignore[no-untyped-def]
    """A standard normal: the quantile of one uniform (Wichura 1988, algorithm AS 241, accurate to 1e-16)."""
    u = (np.float64(bits(key, episode, t, lane) >> _S11) + 0.5) * _UNIT
    q = u - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        top = 2509.0809287301226727 * r + 33430.575583588128105
        top = (top * r + 67265.770927008700853) * r + 45921.953931549871457
        top = (top * r + 13731.693765509461125) * r + 1971.5909503065514427
        top = (top * r + 133.14166789178437745) * r + 3.387132872796366608
        low = 5226.495278852545925 * r + 28729.085735721942674
        low = (low * r + 39307.89580009271061) * r + 21213.794301586595867
        low = (low * r + 5394.1960214247511077) * r + 687.1870074920579083
        low = (low * r + 42.313330701600911252) * r + 1.0
        return q * top / low
    r = math.sqrt(-math.log(min(u, 1.0 - u)))
    if r <= 5.0:
        r -= 1.6
        top = 7.7454501427834140764e-4 * r + 0.0227238449892691845833
        top = (top * r + 0.24178072517745061177) * r + 1.27045825245236838258
        top = (top * r + 3.64784832476320460504) * r + 5.7694972214606914055
        top = (top * r + 4.6303378461565452959) * r + 1.42343711074968357734
        low = 1.05075007164441684324e-9 * r + 5.475938084995344946e-4
        low = (low * r + 0.0151986665636164571966) * r + 0.14810397642748007459
        low = (low * r + 0.68976733498510000455) * r + 1.6763848301838038494
        low = (low * r + 2.05319162663775882187) * r + 1.0
    else:
        r -= 5.0
        top = 2.01033439929228813265e-7 * r + 2.71155556874348757815e-5
        top = (top * r + 0.0012426609473880784386) * r + 0.026532189526576123093
        top = (top * r + 0.29656057182850489123) * r + 1.7848265399172913358
        top = (top * r + 5.4637849111641143699) * r + 6.6579046435011037772
        low = 2.04426310338993978564e-15 * r + 1.4215117583164458887e-7
        low = (low * r + 1.8463183175100546818e-5) * r + 7.868691311456132591e-4
        low = (low * r + 0.0148753612908506148525) * r + 0.13692988092273580531
        low = (low * r + 0.59983220655588793769) * r + 1.0
    return math.copysign(top / low, q)
