"""What is known of a CT-graph without playing it? The formulas of Soltoggio et al. (2023), with their errors mended.

All are functions of the branching b, the depth d and the probability p of staying in a wait state. Where the paper
errs: the sum of equation 3 has (1 − p), not (1 + p); its closed form is right. P_R of CT-FO-B1, CT-SU-B1 and CT-CO-B1
is 1/243, not 1/32; E[ρ] of CT-FO-B2 is 12, not 11; P_E in rows 2 and 6 of Table 2 is 4.80·10⁻⁵ and 2.00·10⁻¹⁵.
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
from mohs.tables.ctgraph import FAIL, FIRST_BEHIND, graph, nodes, path

Policy = npt.NDArray[np.float64]


def expected_length(branching: int, depth: int, wait_probability: float) -> float:
    """Steps from home to an end (equation 2): what the reward is delayed by."""
    _, d, p = _checked(branching, depth, wait_probability)
    return (d + 1) / (1 - p) + d + 1


def length_variance(branching: int, depth: int, wait_probability: float) -> float:
    """The variance of these steps."""
    _, d, p = _checked(branching, depth, wait_probability)
    return (d + 1) * p / (1 - p) ** 2


def length_probability(branching: int, depth: int, wait_probability: float, length: int) -> float:
    """The probability that the way from home to an end takes so many steps (equation 12)."""
    _, d, p = _checked(branching, depth, wait_probability)
    n = Integer(0).parse("length", length) - 2 * (d + 1)
    return 0.0 if n < 0 else math.comb(n + d, d) * p**n * (1 - p) ** (d + 1)


def reward_probability(branching: int, depth: int, wait_probability: float) -> float:
    """P_R: random play reaches one particular end (equation 3)."""
    b, d, p = _checked(branching, depth, wait_probability)
    return (b + 1) * ((1 - p) / ((b + 1) * (b + 1 - p))) ** (d + 1)


def end_probability(branching: int, depth: int, wait_probability: float) -> float:
    """P_E: random play reaches any end (equation 4)."""
    return reward_probability(branching, depth, wait_probability) * num_ends(branching, depth, wait_probability)


def navigation_probability(branching: int, depth: int, wait_probability: float = 0.0) -> float:
    """P_RNP: who avoids the fail state and decides at random reaches one particular end (equation 5)."""
    return 1 / num_ends(branching, depth, wait_probability)


def num_states(branching: int, depth: int, wait_probability: float = 0.0) -> int:
    """All states (equation 6)."""
    kinds = (num_waits, num_decisions, num_ends)
    return 2 + sum(kind(branching, depth, wait_probability) for kind in kinds)


def num_waits(branching: int, depth: int, wait_probability: float = 0.0) -> int:
    b, d, _ = _checked(branching, depth, wait_probability)
    return nodes(b, d + 1)


def num_decisions(branching: int, depth: int, wait_probability: float = 0.0) -> int:
    b, d, _ = _checked(branching, depth, wait_probability)
    return nodes(b, d)


def num_ends(branching: int, depth: int, wait_probability: float = 0.0) -> int:
    b, d, _ = _checked(branching, depth, wait_probability)
    return int(b**d)


def optimal_search_episodes(branching: int, depth: int, wait_probability: float = 0.0) -> float:
    """Episodes until the goal is found by one who tries every end once (equation 9)."""
    return (num_ends(branching, depth, wait_probability) + 1) / 2


def best_memoryless(goal: Sequence[int], unique_decisions: bool = False) -> float:
    """The largest probability with which an agent without memory reaches a goal.

    Where all decision states look alike, the same chances hold at each of them: best are those with which the
    decisions occur in the goal.
    """
    if not goal:
        raise UsageError("a goal has at least one decision.")
    if unique_decisions:
        return 1.0
    return math.prod((count / len(goal)) ** count for count in Counter(goal).values())


def best_open_loop(branching: int, depth: int, wait_probability: float) -> float:
    """The largest probability with which a sequence of actions that is fixed beforehand reaches the goal.

    It must leave each of the first `depth` wait states after a number of steps that it guesses, best after one; in
    front of the end it may wait as long as it takes.
    """
    _, d, p = _checked(branching, depth, wait_probability)
    return (1 - p) ** d


def random_policy(task: Task) -> Policy:
    """Every action alike, in every state: chances [states, actions], as all policies here."""
    return np.full((_states(task), task["branching"] + 1), 1 / (task["branching"] + 1))


def navigation_policy(task: Task) -> Policy:
    """Never fails, and decides at random (section 2.2)."""
    chances = np.zeros((_states(task), task["branching"] + 1))
    states = np.arange(len(chances))
    decides = (states % 2 == 1) & (states > FAIL)
    chances[~decides, 0] = 1
    chances[decides, 1:] = 1 / task["branching"]
    return chances


def optimal_policy(task: Task) -> Policy:
    """Takes the way to the goal, and from elsewhere any that does not fail."""
    parts, chances = graph(task), navigation_policy(task)
    node = 0
    for decision in path(parts.goal, parts.branching, parts.depth):
        taken = decision
        if node == parts.swapped[0]:  # two branches have changed places
            _, one, other = parts.swapped
            taken = other if decision == one else one if decision == other else decision
        chances[FIRST_BEHIND + 2 * node] = np.arange(parts.branching + 1) == taken
        node = parts.branching * node + decision
    return chances


def _states(task: Task) -> int:
    return num_states(task["branching"], task["depth"])


def formulas(task: Task) -> dict[str, float]:
    """What the formulas say of one task, by their names."""
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
    b, d = Integer(2).parse("branching", branching), Integer(1).parse("depth", depth)
    p = Real(0, 1).parse("wait_probability", wait_probability)
    if p == 1:
        raise invalid("wait_probability", wait_probability, "a number in [0, 1)")
    return b, d, p
