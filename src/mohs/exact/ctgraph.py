"""What is known of a CT-graph analytically? The formulas of Soltoggio et al. (2023), with corrections.

All are functions of the branching b, the depth d and the probability p of staying in a wait state. Corrections: the sum
of equation 3 has (1 − p), not (1 + p); its closed form is right. P_R of CT-FO-B1, CT-SU-B1 and CT-CO-B1 is 1/243, not
1/32. E[ρ] of CT-FO-B2 is 12, not 11. P_E in rows 2 and 6 of Table 2 is 4.80·10⁻⁵ and 2.00·10⁻¹⁵.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mohs.core.domain import Integer, Real
from mohs.core.errors import UsageError, invalid
from mohs.core.task import Task
from mohs.tables.ctgraph.graph import FAIL, FIRST_BEHIND, graph, nodes, path

Policy = npt.NDArray[np.float64]

DEEPEST = 4096  # a graph of which the states can still be counted


def expected_length(branching: int, depth: int, wait_probability: float) -> float:
    """Expected number of steps from home to a leaf, by which the reward is delayed (equation 2).

    Args:
        branching: The number of branches of a decision, at least 2.
        depth: The number of decisions, at least 1.
        wait_probability: The probability p of staying in a wait state, below 1.

    Returns:
        The expected number of steps.

    Raises:
        UsageError: An argument is out of range.

    Example:
        >>> import mohs
        >>> mohs.ctgraph.expected_length(branching=2, depth=2, wait_probability=0.5)
        9.0
    """
    _, d, p = _checked(branching, depth, wait_probability)
    return (d + 1) / (1 - p) + d + 1


def length_variance(branching: int, depth: int, wait_probability: float) -> float:
    """Variance of the number of steps from home to a leaf.

    Args:
        branching: The number of branches of a decision, at least 2.
        depth: The number of decisions, at least 1.
        wait_probability: The probability p of staying in a wait state, below 1.

    Returns:
        The variance.

    Raises:
        UsageError: An argument is out of range.

    Example:
        >>> import mohs
        >>> mohs.ctgraph.length_variance(branching=2, depth=2, wait_probability=0.5)
        6.0
    """
    _, d, p = _checked(branching, depth, wait_probability)
    return (d + 1) * p / (1 - p) ** 2


def length_probability(branching: int, depth: int, wait_probability: float, length: int) -> float:
    """Probability of a number of steps from home to a leaf (equation 12).

    Args:
        branching: The number of branches of a decision, at least 2.
        depth: The number of decisions, at least 1.
        wait_probability: The probability p of staying in a wait state, below 1.
        length: The number of steps.

    Returns:
        The probability.

    Raises:
        UsageError: An argument is out of range.

    Example:
        >>> import mohs
        >>> mohs.ctgraph.length_probability(branching=2, depth=2, wait_probability=0.5, length=6)
        0.125
    """
    _, d, p = _checked(branching, depth, wait_probability)
    n = Integer(0).parse("length", length) - 2 * (d + 1)
    return 0.0 if n < 0 else math.comb(n + d, d) * p**n * (1 - p) ** (d + 1)


def reward_probability(branching: int, depth: int, wait_probability: float) -> float:
    """P_R: probability that the random policy reaches one particular leaf (equation 3).

    Args:
        branching: The number of branches of a decision, at least 2.
        depth: The number of decisions, at least 1.
        wait_probability: The probability p of staying in a wait state, below 1.

    Returns:
        The probability.

    Raises:
        UsageError: An argument is out of range.

    Example:
        >>> import mohs
        >>> round(1 / mohs.ctgraph.reward_probability(branching=2, depth=2, wait_probability=0.9))
        83349
    """
    b, d, p = _checked(branching, depth, wait_probability)
    return (b + 1) * ((1 - p) / ((b + 1) * (b + 1 - p))) ** (d + 1)


def end_probability(branching: int, depth: int, wait_probability: float) -> float:
    """P_E: probability that the random policy reaches any leaf (equation 4).

    Args:
        branching: The number of branches of a decision, at least 2.
        depth: The number of decisions, at least 1.
        wait_probability: The probability p of staying in a wait state, below 1.

    Returns:
        The probability.

    Raises:
        UsageError: An argument is out of range.

    Example:
        >>> import mohs
        >>> round(1 / mohs.ctgraph.end_probability(branching=2, depth=2, wait_probability=0.0), 2)
        60.75
    """
    return reward_probability(branching, depth, wait_probability) * num_ends(branching, depth, wait_probability)


def navigation_probability(branching: int, depth: int, wait_probability: float = 0.0) -> float:
    """P_RNP: probability that the random navigation policy reaches one particular leaf (equation 5).

    That policy avoids the fail state and decides at random.

    Args:
        branching: The number of branches of a decision, at least 2.
        depth: The number of decisions, at least 1.
        wait_probability: The probability p of staying in a wait state, below 1.

    Returns:
        The probability.

    Raises:
        UsageError: An argument is out of range.

    Example:
        >>> import mohs
        >>> mohs.ctgraph.navigation_probability(branching=2, depth=2)
        0.25
    """
    return 1 / num_ends(branching, depth, wait_probability)


def num_states(branching: int, depth: int, wait_probability: float = 0.0) -> int:
    """Number of states (equation 6).

    Args:
        branching: The number of branches of a decision, at least 2.
        depth: The number of decisions, at least 1.
        wait_probability: The probability p of staying in a wait state, below 1.

    Returns:
        The number.

    Raises:
        UsageError: An argument is out of range.

    Example:
        >>> import mohs
        >>> mohs.ctgraph.num_states(branching=2, depth=2)
        16
    """
    kinds = (num_waits, num_decisions, num_ends)
    return 2 + sum(kind(branching, depth, wait_probability) for kind in kinds)


def num_waits(branching: int, depth: int, wait_probability: float = 0.0) -> int:
    """Number of wait states.

    Args:
        branching: The number of branches of a decision, at least 2.
        depth: The number of decisions, at least 1.
        wait_probability: The probability p of staying in a wait state, below 1.

    Returns:
        The number.

    Raises:
        UsageError: An argument is out of range.

    Example:
        >>> import mohs
        >>> mohs.ctgraph.num_waits(branching=2, depth=2)
        7
    """
    b, d, _ = _checked(branching, depth, wait_probability)
    return nodes(b, d + 1)


def num_decisions(branching: int, depth: int, wait_probability: float = 0.0) -> int:
    """Number of decision states.

    Args:
        branching: The number of branches of a decision, at least 2.
        depth: The number of decisions, at least 1.
        wait_probability: The probability p of staying in a wait state, below 1.

    Returns:
        The number.

    Raises:
        UsageError: An argument is out of range.

    Example:
        >>> import mohs
        >>> mohs.ctgraph.num_decisions(branching=2, depth=2)
        3
    """
    b, d, _ = _checked(branching, depth, wait_probability)
    return nodes(b, d)


def num_ends(branching: int, depth: int, wait_probability: float = 0.0) -> int:
    """Number of leaves.

    Args:
        branching: The number of branches of a decision, at least 2.
        depth: The number of decisions, at least 1.
        wait_probability: The probability p of staying in a wait state, below 1.

    Returns:
        The number.

    Raises:
        UsageError: An argument is out of range.

    Example:
        >>> import mohs
        >>> mohs.ctgraph.num_ends(branching=2, depth=2)
        4
    """
    b, d, _ = _checked(branching, depth, wait_probability)
    return int(b**d)


def optimal_search_episodes(branching: int, depth: int, wait_probability: float = 0.0) -> float:
    """Expected number of episodes to find the goal by trying every leaf once (equation 9).

    Args:
        branching: The number of branches of a decision, at least 2.
        depth: The number of decisions, at least 1.
        wait_probability: The probability p of staying in a wait state, below 1.

    Returns:
        The expected number of episodes.

    Raises:
        UsageError: An argument is out of range.

    Example:
        >>> import mohs
        >>> mohs.ctgraph.optimal_search_episodes(branching=2, depth=2)
        2.5
    """
    return (num_ends(branching, depth, wait_probability) + 1) / 2


def best_memoryless(goal: Sequence[int], unique_decisions: bool = False) -> float:
    """Largest probability with which a memoryless policy reaches a goal.

    If all decision states have the same observation, the policy has the same action probabilities in all of them. The
    best ones are the frequencies of the decisions in the goal.

    Args:
        goal: The decisions that lead to the goal.
        unique_decisions: Whether every decision state has its own observation.

    Returns:
        The probability.

    Raises:
        UsageError: The goal is empty.

    Example:
        >>> import mohs
        >>> mohs.ctgraph.best_memoryless((1, 2))
        0.25
    """
    if not goal:
        raise UsageError("a goal has at least one decision.")
    if unique_decisions:
        return 1.0
    return math.prod((count / len(goal)) ** count for count in Counter(goal).values())


def best_open_loop(branching: int, depth: int, wait_probability: float) -> float:
    """Largest probability with which an open-loop policy (a fixed sequence of actions) reaches the goal.

    It must guess the number of steps in each of the first `depth` wait states; one is the best guess. The last wait
    state needs no guess.

    Args:
        branching: The number of branches of a decision, at least 2.
        depth: The number of decisions, at least 1.
        wait_probability: The probability p of staying in a wait state, below 1.

    Returns:
        The probability.

    Raises:
        UsageError: An argument is out of range.

    Example:
        >>> import mohs
        >>> mohs.ctgraph.best_open_loop(branching=2, depth=2, wait_probability=0.5)
        0.25
    """
    _, d, p = _checked(branching, depth, wait_probability)
    return (1 - p) ** d


def random_policy(task: Task) -> Policy:
    """The uniformly random policy.

    Args:
        task: A task of the environment `ctgraph`.

    Returns:
        Action probabilities [states, actions].

    Example:
        >>> import mohs
        >>> mohs.ctgraph.random_policy(mohs.Task.make("ctgraph", depth=2)).shape
        (16, 3)
    """
    return np.full((_states(task), task["branching"] + 1), 1 / (task["branching"] + 1))


def navigation_policy(task: Task) -> Policy:
    """The random navigation policy: avoids the fail state and decides at random (section 2.2).

    Args:
        task: A task of the environment `ctgraph`.

    Returns:
        Action probabilities [states, actions].

    Example:
        >>> import mohs
        >>> mohs.ctgraph.navigation_policy(mohs.Task.make("ctgraph", depth=2))[3].tolist()
        [0.0, 0.5, 0.5]
    """
    probs = np.zeros((_states(task), task["branching"] + 1))
    states = np.arange(len(probs))
    decides = (states % 2 == 1) & (states > FAIL)
    probs[~decides, 0] = 1
    probs[decides, 1:] = 1 / task["branching"]
    return probs


def optimal_policy(task: Task) -> Policy:
    """An optimal policy: follows the path to the goal; off the path it navigates at random.

    Args:
        task: A task of the environment `ctgraph`.

    Returns:
        Action probabilities [states, actions].

    Example:
        >>> import mohs
        >>> mohs.ctgraph.optimal_policy(mohs.Task.make("ctgraph", depth=2, goal=(2, 1)))[3].tolist()
        [0.0, 0.0, 1.0]
    """
    parts, probs = graph(task), navigation_policy(task)
    node = 0
    for decision in path(parts.goal, parts.branching, parts.depth):
        taken = decision
        if node == parts.swapped[0]:  # two branches are swapped
            _, one, other = parts.swapped
            taken = other if decision == one else one if decision == other else decision
        probs[FIRST_BEHIND + 2 * node] = np.arange(parts.branching + 1) == taken
        node = parts.branching * node + decision
    return probs


def _states(task: Task) -> int:
    return num_states(task["branching"], task["depth"])


def formulas(task: Task) -> dict[str, float]:
    """The values of all formulas for one task, by name."""
    parts = graph(task)
    shape = parts.branching, parts.depth, task["wait_probability"]
    each = (
        expected_length, reward_probability, end_probability, navigation_probability, optimal_search_episodes,
        best_open_loop,
    )  # fmt: skip
    found = {formula.__name__: formula(*shape) for formula in each}
    goal = path(parts.goal, parts.branching, parts.depth)
    return {**found, "best_memoryless": best_memoryless(goal, task["decision_ids"] == "unique")}


def _checked(branching: int, depth: int, wait_probability: float) -> tuple[int, int, float]:
    b, d = Integer(2).parse("branching", branching), Integer(1, DEEPEST).parse("depth", depth)
    p = Real(0, 1).parse("wait_probability", wait_probability)
    if p == 1:
        raise invalid("wait_probability", wait_probability, "a number in [0, 1)")
    return b, d, p
