"""What does a CT-graph consist of? A tree with numbered nodes, a goal among its leaves, and observations of states.

The root is node 0, the children of node n are b·n + 1 to b·n + b. Every node has a wait state and behind it a decision
state, or an end where the node is a leaf. States are numbered so that those of a shallow graph keep their numbers in a
deeper one: home 0, fail 1, and of node n the wait state 2 + 2n and the state behind it 3 + 2n.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mohs.core.domain import Each, Integer
from mohs.core.errors import UsageError
from mohs.core.seeding import child, hashes, key
from mohs.core.task import Task
from mohs.tables.table import Table

HOME, FAIL, FIRST_WAIT, FIRST_BEHIND = range(4)
KINDS = ("home", "wait", "decision", "end", "fail")
UNIQUE = "unique"
REWARDS = ("needle", "gradient", "linear")
NEEDLE, GRADIENT, LINEAR = range(len(REWARDS))
MAX_STATES = 2**24


def nodes(branching: int, levels: int) -> int:
    """The nodes of a tree with so many levels."""
    return int((branching**levels - 1) // (branching - 1))


class Seen(NamedTuple):
    """The observations of a kind of states: `first + stride · rank` for the rank-th of them or, where `choices` is
    not 0, one of `choices` numbers from `first` on, drawn at every step."""

    first: int
    stride: int
    choices: int


@dataclass(frozen=True)
class Graph:
    """The parts of a CT-graph that engine and table are made of."""

    branching: int
    depth: int
    wait_probability: float
    goal: int  # the number of the leaf that pays most, from the left
    reward: int  # a place in `REWARDS`
    high_r: float
    fail_r: float
    step_r: float
    swapped: tuple[int, int, int]  # a decision node and two of its actions that lead where the other would; or none
    seen: tuple[Seen, ...]  # of each kind
    observations: int  # how many there are

    @property
    def decisions(self) -> int:
        return nodes(self.branching, self.depth)

    @property
    def leaves(self) -> int:
        return int(self.branching**self.depth)

    @property
    def states(self) -> int:
        return 2 * (self.decisions + self.leaves) + 2


def graph(task: Task) -> Graph:
    v = task.values
    b, d = v["branching"], v["depth"]
    drawn = hashes(key(child(task.seed, "goal")), (d,)) % np.uint64(b) + np.uint64(1)
    goal = v["goal"] or tuple(drawn.tolist())  # the goal of a deeper graph lies behind that of a shallower one
    seen, count = sets(v)
    return Graph(
        b, d, v["wait_probability"], leaf(goal, b), REWARDS.index(v["reward"]), v["high_r"], v["fail_r"], v["step_r"],
        v["swapped"] or (-1, 1, 1), seen, v["num_observations"] or count,
    )  # fmt: skip


def leaf(decisions: tuple[int, ...], branching: int) -> int:
    """The leaf that decisions lead to, counted from the left."""
    number = 0
    for action in decisions:
        number = number * branching + action - 1
    return number


def changes(values: dict[str, Any]) -> tuple[int, int]:
    """After how many episodes the goal changes: fewest and most; 0 where it does not."""
    every = values["goal_every"]
    return (every, every) if isinstance(every, int) else every


def goal_leaf(task: Task, goal: Any) -> int:
    """The leaf of a goal that `reset` was given; an error where this graph has none such."""
    read = Each(Integer(1)).parse("goal", goal)
    check_goal(read, task["branching"], task["depth"])
    return leaf(read, task["branching"])


def kind(state: int, decisions: int) -> str:
    """The kind of a state in a graph with so many decision nodes."""
    if state < 2:
        return "home" if state == 0 else "fail"
    if state % 2 == 0:
        return "wait"
    return "decision" if (state - 2) >> 1 < decisions else "end"


@lru_cache(maxsize=2**16)
def path(number: int, branching: int, depth: int) -> tuple[int, ...]:
    """The decisions that lead to a leaf."""
    actions: list[int] = []
    for _ in range(depth):
        number, last = divmod(number, branching)
        actions.append(last + 1)
    return tuple(reversed(actions))


def sets(values: dict[str, Any]) -> tuple[tuple[Seen, ...], int]:
    """The observations of each kind of states, and their number.

    Kinds whose every state is seen as itself take the numbers after those that are given; where all are such, the
    number of a state is seen.
    """
    b, d = values["branching"], values["depth"]
    inner, ends = nodes(b, d), b**d
    sizes = {"home": 1, "wait": inner + ends, "decision": inner, "end": ends, "fail": 1}
    given = {kind: values[f"{kind}_ids"] for kind in KINDS}
    if all(ids == UNIQUE for ids in given.values()):
        firsts = {"home": HOME, "wait": FIRST_WAIT, "decision": FIRST_BEHIND, "end": FIRST_BEHIND + 2 * inner}
        return tuple(Seen(firsts.get(kind, FAIL), 2, 0) for kind in KINDS), 2 * (inner + ends) + 2
    following = 1 + max(ids[1] for ids in given.values() if ids != UNIQUE)
    found = []
    for kind in KINDS:
        if given[kind] == UNIQUE:
            found.append(Seen(following, 1, 0))
            following += sizes[kind]
        else:
            first, last = given[kind]
            found.append(Seen(first, 0, last - first + 1))
    return tuple(found), following


def check(values: dict[str, Any], given: frozenset[str]) -> dict[str, Any]:
    """The implied parameters; raises `UsageError` where parameters contradict each other."""
    b, d = values["branching"], values["depth"]
    states = 2 * nodes(b, d + 1) + 2
    if states > MAX_STATES:
        raise UsageError(f"a CT-graph with branching {b} and depth {d} has {states:,} states; at most {MAX_STATES:,}.")
    if values["wait_probability"] == 1:
        raise UsageError("wait_probability is 1, but must be below: the agent would wait for ever.")
    if values["images"] is not None and values["observation"] != "image":
        raise UsageError('images is set, which needs observation="image".')
    check_goal(values["goal"], b, d)
    _check_sets(values)
    if values["swapped"] is not None:
        node, one, other = values["swapped"]
        if node >= nodes(b, d) or not (1 <= one <= b and 1 <= other <= b) or one == other:
            raise UsageError(
                f"swapped is {values['swapped']}, but must be a decision node from 0 to {nodes(b, d) - 1} and two "
                f"different decisions from 1 to {b}."
            )
    if values["goal_every"] and values["goal"] is not None:
        raise UsageError("goal and goal_every contradict each other: the goal is either given or changes.")
    fewest, most = changes(values)
    if fewest > most:
        raise UsageError(f"goal_every is {values['goal_every']}, but its first number must not be above its last.")
    count = sets(values)[1]
    if values["num_observations"] is not None and values["num_observations"] < count:
        raise UsageError(f"num_observations is {values['num_observations']}, but this graph shows {count:,}.")
    return {"num_observations": None} if values["num_observations"] == count else {}


def check_goal(goal: tuple[int, ...] | None, branching: int, depth: int) -> None:
    if goal is not None and (len(goal) != depth or not all(1 <= action <= branching for action in goal)):
        raise UsageError(f"the goal is {goal}, but must be {depth} decisions, each from 1 to {branching}.")


def _check_sets(values: dict[str, Any]) -> None:
    taken: list[str] = []
    for kind in KINDS:
        ids = values[f"{kind}_ids"]
        if ids == UNIQUE:
            continue
        first, last = ids
        if last < first:
            raise UsageError(f"{kind}_ids is {ids}, but its first id must not be above its last.")
        for other, (begin, end) in ((k, values[f"{k}_ids"]) for k in taken):
            if first <= end and begin <= last:
                raise UsageError(f"{kind}_ids is {ids} and {other}_ids is {(begin, end)}: they must not overlap.")
        taken.append(kind)


def spaces(task: Task) -> tuple[Any, ...]:
    """Equal for tasks that can share a fleet: the numbers of actions and observations, and how these are shown."""
    v = task.values
    count = v["num_observations"] or sets(v)[1]
    return v["branching"] + 1, v["observation"], v["image_size"] if v["observation"] == "image" else count


def class_kinds(task: Task) -> npt.NDArray[np.int64]:
    """For each observation the kind of states that show it, a place in `KINDS`; unused ones count as home."""
    parts = graph(task)
    sizes = (1, parts.decisions + parts.leaves, parts.decisions, parts.leaves, 1)
    kinds = np.zeros(parts.observations, dtype=np.int64)
    for number, (seen, size) in enumerate(zip(parts.seen, sizes, strict=True)):
        shown = seen.first + (seen.stride * np.arange(size) if seen.choices == 0 else np.arange(seen.choices))
        kinds[shown] = number
    return kinds


def payoffs(parts: Graph, goal: int | None = None) -> npt.NDArray[np.float64]:
    """The expected reward of each leaf: equations 8 and 10, or as the authors' code has it.

    Both slopes take off a weight for each decision that differs from the goal's, times the difference. From the last
    decision to the first the weights are 1 to b^(d−1) in equation 10, and 1 to d in the code.
    """
    b, d = parts.branching, parts.depth
    goal = parts.goal if goal is None else goal
    ends = np.arange(parts.leaves)
    if parts.reward == NEEDLE:
        return np.where(ends == goal, parts.high_r, 0.0)
    linear = parts.reward == LINEAR
    away = np.zeros(parts.leaves)
    for level in range(d):
        away += np.abs(ends // b**level % b - goal // b**level % b) * (level + 1 if linear else b**level)
    paid: npt.NDArray[np.float64] = parts.high_r * (1 - away / (d * (d + 1) // 2 if linear else b**d - 1))
    return paid


def ctgraph_table(task: Task, limit: int = MAX_STATES) -> Table:
    """The graph as a table. States that show one of several observations have the first, and `several` the number."""
    parts = graph(task)
    if task["goal_every"]:
        raise UsageError("a CT-graph whose goal changes has no table; give it one goal.")
    if parts.states > limit:
        raise UsageError(f"this CT-graph has {parts.states:,} states, more than the {limit:,} allowed.")
    b, p, inner, actions = parts.branching, parts.wait_probability, parts.decisions, parts.branching + 1
    state = np.arange(parts.states)
    node = (state - 2) >> 1
    waits = (state >= 2) & (state % 2 == 0)
    decides = (state >= 3) & (state % 2 == 1) & (node < inner)
    ends = (state >= 3) & (state % 2 == 1) & (node >= inner)
    succ = np.repeat(np.arange(parts.states), actions).reshape(parts.states, actions)
    succ[HOME] = FIRST_WAIT
    succ[waits] = FAIL
    succ[waits, 0] = state[waits] + 1
    succ[decides, 0] = FAIL
    branch = np.arange(1, actions)
    succ[decides, 1:] = 2 + 2 * (b * node[decides, None] + branch)
    where, one, other = parts.swapped
    if where >= 0:
        row = FIRST_BEHIND + 2 * where
        succ[row, [one, other]] = succ[row, [other, one]]
    entering = np.zeros(parts.states)
    entering[FAIL] = parts.fail_r
    entering[ends] = payoffs(parts)
    terminal = ends.copy()
    terminal[FAIL] = True
    reward = np.where(terminal[:, None], 0.0, entering[succ] + parts.step_r)
    horizon = task["max_episode_steps"] if p > 0 else min(task["max_episode_steps"], 2 * (parts.depth + 1))
    initial = np.zeros(parts.states)
    initial[HOME] = 1.0
    common: dict[str, Any] = {
        "terminal": terminal, "initial": initial, "observation": first_seen(parts), "horizon": horizon,
        "action_names": ("wait", *(f"branch {a}" for a in branch)), "renderer": "ctgraph",
        "several": tuple((seen.first, seen.choices) for seen in parts.seen if seen.choices > 1),
    }  # fmt: skip
    if p == 0:
        return Table(actions, succ.ravel().astype(np.int32), reward.ravel(), **common)
    stays = np.zeros((parts.states, actions), dtype=bool)
    stays[waits, 0] = True
    count = np.where(terminal[:, None], 0, 1 + stays).ravel()
    indptr = np.concatenate([[0], np.cumsum(count)])
    live = ~np.repeat(terminal, actions)
    leads = indptr[:-1][live]
    entries = int(indptr[-1])
    to, paid, prob = np.empty(entries, dtype=np.int32), np.empty(entries), np.ones(entries)
    to[leads], paid[leads] = succ.ravel()[live], reward.ravel()[live]
    again = indptr[:-1][stays.ravel()]
    prob[again], prob[again + 1] = 1 - p, p
    to[again + 1], paid[again + 1] = state[waits], parts.step_r
    return Table(actions, to, paid, indptr=indptr, prob=prob, **common)


def first_seen(parts: Graph) -> npt.NDArray[np.int32]:
    """The observation of each state; the first where there are several."""
    seen = np.empty(parts.states, dtype=np.int32)
    inner = parts.decisions
    home, wait, decision, end, fail = parts.seen
    seen[HOME], seen[FAIL] = home.first, fail.first
    rank = np.arange(inner + parts.leaves)
    seen[FIRST_WAIT::2] = wait.first + wait.stride * rank
    seen[FIRST_BEHIND::2] = np.where(
        rank < inner, decision.first + decision.stride * rank, end.first + end.stride * (rank - inner)
    )
    return seen
