"""How fast does the random policy mix, and how soon does it return to the start?

The random policy with restarts is a Markov chain on the reachable states: every state takes a uniformly random action,
and a terminal state restarts the episode, which takes a step. All terminal states are merged into one. There is no time
limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse import csgraph
from scipy.sparse import linalg as sparse

from mohs.core.errors import UsageError
from mohs.exact.measures.distances import distances
from mohs.exact.measures.occupancy import random_moves
from mohs.tables.table import Float, Table

LIMIT = 1_000  # states up to which whole matrices are multiplied
DIRECT = 5_000  # states up to which linear equations are solved by elimination
QUARTER = 0.25  # the distance at which a chain counts as mixed (Levin & Peres 2017, section 4.5)
ROUNDING = 1e-12
MOST_DOUBLINGS = 30  # of the number of steps; each doubles the rounding errors, which stay below 10⁻⁶
MOST_RESTARTS, MOST_ITERATIONS = 100, 2_000  # of the searches for eigenvalues and solutions: some seconds
PRECISION = 1e-6  # relative, of a return time


class MixingKind(StrEnum):
    """How a mixing time is known: exactly, or as a lower bound from the second eigenvalue."""

    EXACT = "exact"
    SPECTRAL = "spectral"


@dataclass(frozen=True)
class Mixing:
    """The mixing time in steps; infinite where the chain does not mix.

    A periodic chain does not mix. Its time is that of the lazy chain, which stays with probability ½ in every step.
    """

    steps: float
    kind: MixingKind
    lazy: bool


def mixing_time(table: Table, *, limit: int = LIMIT) -> Mixing:
    """The smallest n after which the chain is within ¼ of stationarity, in total variation, from any state.

    Levin & Peres (2017), section 4.5. Above `limit` states the bound log 2 / -log |λ|, where λ is the eigenvalue of the
    second largest modulus: |λ|ⁿ is at most twice the distance after n steps (ibid., section 12.2). This holds for every
    eigenvalue except 1, so a missed eigenvalue lowers the bound but keeps it valid.
    """
    chain, _ = restarted(table)
    labels, closed = _classes(chain)
    kind = MixingKind.EXACT if chain.shape[0] <= max(3, limit) else MixingKind.SPECTRAL
    if len(closed) > 1:
        return Mixing(math.inf, kind, False)
    core = np.flatnonzero(labels == closed[0])
    lazy = _period(chain, core) > 1
    if lazy:
        chain = sp.csr_array((chain + sp.eye_array(chain.shape[0], format="csr")) / 2)
    return Mixing(_steps_to_mix(chain, core) if kind is MixingKind.EXACT else _spectral(chain), kind, lazy)


def return_time(table: Table) -> float:
    """The expected number of steps in which the chain returns from the start to a start state.

    With one start state it is 1 / π(start), where π is the stationary distribution (Kac 1947). It is infinite where the
    chain can be trapped in states without a path back.
    """
    chain, start = restarted(table)
    labels, closed = _classes(chain)
    if not np.isin(closed, labels[start > 0]).all():
        return math.inf
    away = np.flatnonzero(start == 0)
    first = start @ chain
    return float(1 + first[away] @ _hitting_times(sp.csr_array(chain[away][:, away])))


def restarted(table: Table) -> tuple[Any, Float]:
    """The chain's transition matrix (scipy's, by rows) and its start distribution; the end is the last state."""
    reached = distances(table) >= 0
    live = reached & ~table.terminal
    count = int(live.sum())
    ends = bool((reached & table.terminal).any())
    number = np.where(live, np.cumsum(live) - 1, count)
    start = np.zeros(count + ends)
    np.add.at(start, number[reached], table.initial[reached])
    state, chance = random_moves(table)
    used = live[state] & (chance > 0)
    origin, target, weight = number[state[used]], number[table.succ[used]], chance[used]
    if ends:
        again = np.flatnonzero(start)
        origin = np.concatenate([origin, np.full(len(again), count)])
        target, weight = np.concatenate([target, again]), np.concatenate([weight, start[again]])
    size = count + ends
    return sp.csr_array(sp.coo_array((weight, (origin, target)), shape=(size, size))), start


def _classes(chain: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The communicating class of every state, and the closed classes."""
    count, labels = csgraph.connected_components(chain, connection="strong")
    origin, target = labels[chain.nonzero()[0]], labels[chain.nonzero()[1]]
    return labels, np.setdiff1d(np.arange(count), origin[origin != target])


def _period(chain: Any, core: npt.NDArray[Any]) -> int:
    """The period of a class: the greatest common divisor of the lengths of its cycles."""
    inner = chain[core][:, core]
    depth = csgraph.dijkstra(inner, indices=[0], unweighted=True)[0].astype(np.int64)
    origin, target = inner.nonzero()
    return int(np.gcd.reduce(depth[origin] + 1 - depth[target]))


def _steps_to_mix(chain: Any, core: npt.NDArray[Any]) -> float:
    """Doubles the steps until the chain is mixed, then finds the last number of them after which it is not."""
    once = chain.toarray()
    long_run = np.zeros(len(once))
    long_run[core] = _stationary(once[np.ix_(core, core)])

    def mixed(power: Float) -> bool:
        return bool(np.abs(power - long_run).sum(axis=1).max() / 2 <= QUARTER + ROUNDING)

    now = np.eye(len(once))
    if mixed(now):
        return 0.0
    powers = [once]
    while not mixed(powers[-1]):
        if len(powers) > MOST_DOUBLINGS:
            raise UsageError(
                f"the random policy takes more than 2**{MOST_DOUBLINGS} steps to mix, too many to count exactly."
            )
        squared = powers[-1] @ powers[-1]
        powers.append(squared / squared.sum(axis=1, keepdims=True))
    steps = 0
    for bit in reversed(range(len(powers) - 1)):
        further = now @ powers[bit]
        if not mixed(further):
            now, steps = further, steps + 2**bit
    return float(steps + 1)


def _stationary(matrix: Float) -> Float:
    """The stationary distribution of a chain on one class."""
    equations = np.eye(len(matrix)) - matrix.T
    equations[-1] = 1.0
    return np.asarray(np.linalg.solve(equations, np.arange(len(matrix)) == len(matrix) - 1))


def _spectral(chain: Any) -> float:
    """The lower bound on the mixing time from the second eigenvalue."""
    try:
        # A start vector makes the outcome the same every time, unless it is an eigenvector, as a constant one is.
        start = np.linspace(1, 2, chain.shape[0])
        found = sparse.eigs(chain, k=2, v0=start, tol=1e-8, maxiter=MOST_RESTARTS, return_eigenvectors=False)
    except sparse.ArpackNoConvergence as error:
        raise UsageError(
            "the second eigenvalue of the random policy was not found: others are nearly as large."
        ) from error
    second = float(np.abs(np.delete(found, np.argmin(np.abs(found - 1)))).max())
    if second >= 1 - ROUNDING:
        raise UsageError("the random policy mixes too slowly: its second eigenvalue cannot be distinguished from 1.")
    return math.log(2) / -math.log(second) if second > 0 else 0.0


def _hitting_times(within: Any) -> Float:
    """h = 1 + Q h: the expected number of steps until play leaves the states that Q keeps it in.

    (I - Q)⁻¹ has no negative entry and takes 1 to h, so an equation that is met within d leaves a relative error of d.
    """
    size = within.shape[0]
    ones = np.ones(size)
    equations = sp.csr_array(sp.eye_array(size, format="csr") - within)
    if size <= DIRECT:
        steps = sparse.spsolve(equations.tocsc(), ones)
    else:
        steps, _ = sparse.bicgstab(equations, ones, rtol=1e-12, maxiter=MOST_ITERATIONS)
    if size and not np.abs(ones - equations @ steps).max() <= PRECISION:
        raise UsageError(f"the return time is too long to be computed within {PRECISION:g} of itself.")
    return np.asarray(steps)
