"""Which pixels does a stretch of a line cover? Those whose middle lies in it or on its ends."""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import law

SLACK = 1e-9  # pixels; a middle this close to an end lies on it, whatever rounding makes of it


@law
def first_from(edge, count):
    """The first of `count` pixels whose middle is not before the edge."""
    return np.int64(min(max(np.ceil(edge - 0.5 - SLACK), 0.0), np.float64(count)))


@law
def end_at(edge, count):
    """One more than the last of `count` pixels whose middle is not after the edge."""
    return np.int64(min(max(np.floor(edge + 0.5 + SLACK), 0.0), np.float64(count)))
