"""How far from a straight line do some points lie? Their root mean square distance from the best one.

The best line (total least squares) goes through the mean of the points, along the direction of their largest singular
value; what is left is the root of the sum of the squares of the others. One-sided Jacobi rotations make the columns of
the centred points orthogonal, so that their lengths are the singular values: no squares are subtracted from each
other, and points on a line are found to lie on it to the last digits, which eigenvalues of a covariance would not give.
"""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel

_SWEEPS = 60  # rotations converge quadratically: ten are many
_ORTHOGONAL = 1e-30  # the square of the cosine between two columns that counts as none
_NOTHING = 1e-32  # the share of a column in the sum of squares that counts as none


@kernel
def deviation(floats, points, rows, columns, scratch):
    """The root mean square distance of the points [rows, columns] at an offset; `scratch` has room for as many."""
    total = 0.0
    for c in range(columns):
        mean = 0.0
        for r in range(rows):
            mean += floats[points + r * columns + c]
        mean /= rows
        for r in range(rows):
            x = floats[points + r * columns + c] - mean
            floats[scratch + c * rows + r] = x
            total += x * x
    for _ in range(_SWEEPS):
        turned = False
        for p in range(columns - 1):
            for q in range(p + 1, columns):
                turned |= _make_orthogonal(floats, scratch + p * rows, scratch + q * rows, rows, _NOTHING * total)
        if not turned:
            break
    largest, rest = 0.0, 0.0
    for c in range(columns):
        square = 0.0
        for r in range(rows):
            square += floats[scratch + c * rows + r] ** 2
        rest += min(square, largest)
        largest = max(square, largest)
    return np.sqrt(rest / rows)


@kernel
def _make_orthogonal(floats, one, other, rows, nothing):
    """Rotates two columns into each other until they are orthogonal; False where they were."""
    alpha, beta, gamma = 0.0, 0.0, 0.0
    for r in range(rows):
        x, y = floats[one + r], floats[other + r]
        alpha += x * x
        beta += y * y
        gamma += x * y
    if gamma * gamma <= _ORTHOGONAL * alpha * beta or alpha <= nothing or beta <= nothing:
        return False
    zeta = (beta - alpha) / (2.0 * gamma)
    tangent = (1.0 if zeta >= 0.0 else -1.0) / (abs(zeta) + np.sqrt(1.0 + zeta * zeta))
    cosine = 1.0 / np.sqrt(1.0 + tangent * tangent)
    sine = cosine * tangent
    for r in range(rows):
        x, y = floats[one + r], floats[other + r]
        floats[one + r] = cosine * x - sine * y
        floats[other + r] = sine * x + cosine * y
    return True
