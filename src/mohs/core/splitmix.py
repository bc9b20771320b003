"""How does a counter become random bits inside a kernel? By splitmix64, as `seeding.mix64` does for arrays."""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import law
from mohs.core.seeding import GOLDEN, MIX_1, MIX_2

STRIDE = np.uint64(GOLDEN)  # between the counters of neighbouring draws
_M1, _M2 = np.uint64(MIX_1), np.uint64(MIX_2)
_S27, _S30, _S31 = (np.uint64(s) for s in (27, 30, 31))


@law
def mix(x):
    """64 random bits from 64 others."""
    x = (x ^ (x >> _S30)) * _M1
    x = (x ^ (x >> _S27)) * _M2
    return x ^ (x >> _S31)
