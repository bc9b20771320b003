"""The CT-graph in plain Python: a tree of objects, walked as section 2 of the paper describes it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Place:
    """A state: its kind, the decisions that led to it, and where each action leads."""

    kind: str
    decisions: tuple[int, ...]
    leads: dict[int, Place] = field(default_factory=dict)


def tree(branching: int, depth: int) -> Place:
    """The home state of a graph."""
    fail = Place("fail", ())

    def wait(decisions):
        here = Place("wait", decisions)
        behind = Place("end" if len(decisions) == depth else "decision", decisions)
        here.leads = {0: behind} | dict.fromkeys(range(1, branching + 1), fail)
        if behind.kind == "decision":
            behind.leads = {0: fail} | {a: wait((*decisions, a)) for a in range(1, branching + 1)}
        return here

    home = Place("home", ())
    first = wait(())
    home.leads = dict.fromkeys(range(branching + 1), first)
    return home


def places(home: Place) -> list[Place]:
    """All states, each once."""
    found, waiting = {}, [home]
    while waiting:
        place = waiting.pop()
        if id(place) not in found:
            found[id(place)] = place
            waiting.extend(place.leads.values())
    return list(found.values())


def payoff(place: Place, goal: tuple[int, ...], branching: int, reward: str) -> float:
    """What entering an end pays where the goal pays 1.

    Equations 8 and 10 with weights b^(d-1) to 1, or, with "linear", the mean match with weights d to 1 as in the
    authors' code.
    """
    if place.kind != "end":
        return 0.0
    if reward == "needle":
        return float(place.decisions == goal)
    depth = len(goal)
    if reward == "linear":
        weights = range(depth, 0, -1)
        matches = [1 - abs(a - b) for a, b in zip(goal, place.decisions, strict=True)]
        return sum(w * m for w, m in zip(weights, matches, strict=True)) / sum(weights)
    away = sum(
        abs(a - b) * branching ** (depth - 1 - i) for i, (a, b) in enumerate(zip(goal, place.decisions, strict=True))
    )
    return 1 - away / (branching**depth - 1)
