"""How far from a point is a uniform start, on average? One-dimensional integrals of products of error functions.

For independent components z, E‖z‖ = 1/√π · ∫ (1 − Π E exp(−v² z_d²)) / v² dv over v > 0, because
√S = 1/√π · ∫ (1 − exp(−v² S)) / v² dv. Each factor is a difference of error functions, so the integral is exact to the
precision of the quadrature in any number of dimensions.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.integrate import quad
from scipy.special import erf

from mohs.tables.toys.point_mass import PointMass

Float = npt.NDArray[np.float64]


def mean_norm(low: Float, high: Float, beyond: Float) -> float:
    """E‖(|y| − beyond)₊‖ for y uniform in the box between `low` and `high`."""
    size = float(np.linalg.norm(np.maximum(np.maximum(-low, high) - beyond, 0.0)))  # of the farthest corner
    if size == 0:
        return 0.0
    low, high, beyond = low / size, high / size, beyond / size

    def lacking(v: float) -> float:
        return 1.0 - float(np.prod(_transform(v, low, high, beyond)))

    near = quad(lambda v: lacking(v) / (v * v), 0.0, 1.0, epsabs=1e-13, epsrel=1e-13, limit=200)[0]
    far = quad(lambda x: lacking(1.0 / x), 0.0, 1.0, epsabs=1e-13, epsrel=1e-13, limit=200)[0]
    return size * (near + far) / math.sqrt(math.pi)


def _transform(v: float, low: Float, high: Float, beyond: Float) -> Float:
    """E exp(−v² z²) for z = (|y| − beyond)₊, for each dimension."""
    inside = np.maximum(np.minimum(high, beyond) - np.maximum(low, -beyond), 0.0)
    above = erf(v * np.maximum(high - beyond, 0.0)) - erf(v * np.maximum(low - beyond, 0.0))
    below = erf(v * np.maximum(-low - beyond, 0.0)) - erf(v * np.maximum(-high - beyond, 0.0))
    return np.asarray((inside + math.sqrt(math.pi) / (2 * v) * (above + below)) / (high - low))


def mean_distance(mass: PointMass, scale: Float, beyond: Float) -> float | None:
    """E‖(|scale · (x − target)| − beyond)₊‖ over the starts x, which exclude the target's ball and terminal cubes.

    None where what is excluded sticks out of the space or overlaps, or where the integral over the ball has no
    closed form: it has one if all scales are equal and nothing, or all of it, is within reach.
    """
    assert mass.target is not None
    dims = len(mass.relevant)
    boxes = [(-np.full(dims, mass.limit), np.full(dims, mass.limit))]
    boxes += [(centre - mass.half_edge, centre + mass.half_edge) for centre in mass.centres]
    ball = _over_ball(dims, mass.radius, scale, beyond)
    if ball is None or not _apart(mass, boxes[1:]):
        return None
    volumes = [float(np.prod(high - low)) for low, high in boxes]
    means = [mean_norm(scale * (low - mass.target), scale * (high - mass.target), beyond) for low, high in boxes]
    signs = [1.0] + [-1.0] * len(mass.centres)
    volume = sum(sign * v for sign, v in zip(signs, volumes, strict=True)) - ball_volume(dims, mass.radius)
    total = sum(sign * v * mean for sign, v, mean in zip(signs, volumes, means, strict=True)) - ball
    return total / volume


def ball_volume(dims: int, radius: float) -> float:
    return math.exp(dims * math.log(math.sqrt(math.pi) * radius) - math.lgamma(dims / 2 + 1))


def _over_ball(dims: int, radius: float, scale: Float, beyond: Float) -> float | None:
    """The integral of the norm over the ball around the target."""
    if (scale * radius <= beyond).all():
        return 0.0
    if beyond.any() or np.ptp(scale) > 0:
        return None
    return float(scale[0]) * radius * dims / (dims + 1) * ball_volume(dims, radius)


def _apart(mass: PointMass, cubes: list[tuple[Float, Float]]) -> bool:
    """Do the ball and the cubes lie in the space without overlapping?"""
    assert mass.target is not None
    if (np.abs(mass.target) + mass.radius > mass.limit).any():
        return False
    for i, (low, high) in enumerate(cubes):
        if low.min() < -mass.limit or high.max() > mass.limit:
            return False
        if np.linalg.norm(np.maximum(np.maximum(low - mass.target, mass.target - high), 0.0)) < mass.radius:
            return False
        if any(((low < other[1]) & (other[0] < high)).all() for other in cubes[:i]):
            return False
    return True
