"""What can be earned in a task at all, and what without memory? Exact returns of the task itself, noise included.

Reward noise has mean zero and changes none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.exact.kept import kept
from mohs.exact.values.memoryless import best_memoryless
from mohs.exact.values.solve import values
from mohs.tables.build import table
from mohs.tables.transforms import observed_history

TOLERANCE = 1e-3  # of the optimal return: how precisely the best policy without memory is known
WORK = 100_000_000  # table entries that its search may read: about a quarter of a second
EVERYTHING = 0  # the history of an agent that may remember all it saw
VERSION = 1  # of the results that are kept; a change of any definition raises it


@dataclass(frozen=True)
class Attainable:
    """Expected returns in one task.

    Attributes:
        random: That of the random policy.
        optimal: That of the optimal policy, which sees the whole state and the step.
        reachable: That of the best policy found that acts on the agent's last observations; None where out of reach.
        bound: No deterministic policy of that kind earns more, up to 0.1% of the optimum.
        reason: Why `reachable` is out of reach; empty otherwise.
    """

    random: float
    optimal: float
    reachable: float | None
    bound: float
    reason: str = ""

    @property
    def exact(self) -> bool:
        """Whether `reachable` is known, not only bracketed."""
        return self.reachable is not None and self.bound - self.reachable <= 1.001 * TOLERANCE * abs(self.optimal)


@lru_cache(maxsize=200_000)
def attainable(task: Task, history: int = 1) -> Attainable:
    """What policies can earn in a task.

    Args:
        task: The task; its environment must have a table.
        history: The number of observations that the agent acts on; 0: all of them.

    Returns:
        The expected returns of the random policy, the optimal one, and the best one with such a history.

    Raises:
        UsageError: The task has no table, or one that is too large.

    Example:
        >>> import mohs
        >>> from mohs.exact.attainable import attainable
        >>> found = attainable(mohs.Task.make("toy/discrete", transition_noise=0.1))
        >>> round(found.optimal, 1), found.exact
        (29.8, True)
    """
    kind = f"attainable-{VERSION}-{TOLERANCE:g}-{WORK}"
    return kept(kind, f"{task.key}/{history}", task, lambda: _solved(task, history), lambda e: Attainable(**e))


def _solved(task: Task, history: int) -> Attainable:
    exact = table(task)
    random = float(exact.initial @ values(exact, "mean"))
    if history == EVERYTHING:
        optimal = float(exact.initial @ values(exact, "best"))
        return Attainable(random, optimal, optimal, optimal)
    try:
        found = best_memoryless(exact, tolerance=TOLERANCE, work=WORK)
        # More observations never earn less.
        if history > 1 and found.value < found.optimal - TOLERANCE * abs(found.optimal):
            longer = best_memoryless(observed_history(exact, history), tolerance=TOLERANCE, work=WORK)
            return Attainable(random, found.optimal, max(found.value, longer.value), max(found.value, longer.upper))
    except UsageError as error:
        optimal = float(exact.initial @ values(exact, "best"))
        return Attainable(random, optimal, None, optimal, str(error))
    return Attainable(random, found.optimal, found.value, found.upper)
