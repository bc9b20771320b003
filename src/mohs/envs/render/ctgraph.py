"""What does a CT-graph look like? A tree from home down to the ends, with the goal, the agent and the way it has taken.

Of a large graph only what lies along that way and the way to the goal is drawn, with the branches not taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mohs.envs.render import canvas as c
from mohs.envs.render import frame as f
from mohs.envs.render.canvas import Canvas, Point
from mohs.envs.render.episode import Episode
from mohs.tables.ctgraph.graph import FAIL, HOME, nodes

_LEAVES = 64  # up to which a graph is drawn as a whole
_TOP, _ROOM = 22, 26  # pixels above the home state, and to the sides


def picture(episode: Episode) -> npt.NDArray[np.uint8]:
    values = episode.task.values
    branching, depth = values["branching"], values["depth"]
    states = [int(state[0]) for state in episode.states]
    goal = nodes(branching, depth) + int(episode.states[-1][1])
    failed = states[-1] == FAIL
    here = next((state for state in reversed(states) if state != FAIL), HOME)
    tree = Tree.around(branching, depth, [node_of(here), goal])
    signs = [
        (f.disc_sign(c.BLUE), "agent"), (f.box_sign(c.DARK), "home"), (f.disc_sign(c.PAPER, c.MUTED), "wait"),
        (f.box_sign(c.PAPER, outline=c.MUTED), "decide"), (f.disc_sign(c.MUTED), "end"), (f.star_sign, "goal"),
    ]  # fmt: skip
    canvas, _ = f.frame(episode, 1, signs)
    f.aside(canvas, "failed" if failed else "level", f"{level(node_of(here), branching)} of {depth}")
    _draw(canvas, tree, here, goal, failed)
    return canvas.finished()


def node_of(state: int) -> int:
    """The node of a state; the root where it is none's."""
    return max((state - 2) >> 1, 0)


def level(node: int, branching: int) -> int:
    """How many decisions lead to a node."""
    found = 0
    while node > 0:
        node, found = (node - 1) // branching, found + 1
    return found


def ancestors(node: int, branching: int) -> list[int]:
    """The nodes on the way to a node, itself included."""
    way = [node]
    while way[-1] > 0:
        way.append((way[-1] - 1) // branching)
    return way


@dataclass(frozen=True)
class Tree:
    """Where the nodes that are drawn lie."""

    branching: int
    depth: int
    at: dict[int, Point]  # of a node's wait state
    step: float  # from there down to the state behind it

    @classmethod
    def around(cls, branching: int, depth: int, ends: list[int]) -> Tree:
        """The tree, or what of it lies along the ways to some nodes."""
        inner = nodes(branching, depth)
        shown = set(range(nodes(branching, depth + 1)))
        if branching**depth > _LEAVES:
            way = {node for end in ends for node in ancestors(end, branching)}
            children = {branching * node + a for node in way if node < inner for a in range(1, branching + 1)}
            shown = way | children
        step = (f.SIDE - _TOP - 30) / (2 * depth + 3)
        lowest = sorted(
            (node for node in shown if branching * node + 1 not in shown), key=lambda n: _order(n, branching)
        )
        width = (f.SIDE - 2 * _ROOM) / max(1, len(lowest) - 1)
        across = {node: f.SIDE / 2 if len(lowest) == 1 else _ROOM + i * width for i, node in enumerate(lowest)}
        for node in sorted(shown - across.keys(), reverse=True):
            below = [across[branching * node + a] for a in range(1, branching + 1)]
            across[node] = sum(below) / len(below)
        at = {node: (x, f.HEAD + _TOP + (2 * level(node, branching) + 1) * step) for node, x in across.items()}
        return cls(branching, depth, at, step)

    def behind(self, node: int) -> Point:
        x, y = self.at[node]
        return x, y + self.step


def _order(node: int, branching: int) -> tuple[float, ...]:
    """From left to right: the decisions on the way to a node."""
    return tuple((child - 1) % branching for child in reversed(ancestors(node, branching)[:-1]))


def _draw(canvas: Canvas, tree: Tree, here: int, goal: int, failed: bool) -> None:
    b, inner = tree.branching, nodes(tree.branching, tree.depth)
    radius = max(2.0, min(7.0, 0.33 * tree.step, (f.SIDE - 2 * _ROOM) / max(1, len(tree.at)) * 1.2))
    home = tree.at[0][0], f.HEAD + _TOP
    taken = set(ancestors(node_of(here), b)) if here != HOME else set()
    passed = taken if here % 2 == 1 else taken - {node_of(here)}  # where what is behind the wait state was come to
    for node in sorted(tree.at):
        above = home if node == 0 else tree.behind((node - 1) // b)
        on = node in taken
        canvas.line([above, tree.at[node]], c.SKY if on else c.LINE, 3 if on else 1.2)
        on = node in passed
        canvas.line([tree.at[node], tree.behind(node)], c.SKY if on else c.LINE, 3 if on else 1.2)
    canvas.box((home[0] - radius, home[1] - radius), (home[0] + radius, home[1] + radius), c.DARK, r=2)
    for node in sorted(tree.at):
        canvas.disc(tree.at[node], radius, c.PAPER, c.SKY if node in taken else c.MUTED, 1.4)
        x, y = tree.behind(node)
        if node < inner:
            outline = c.SKY if node in passed else c.MUTED
            canvas.box((x - radius, y - radius), (x + radius, y + radius), c.PAPER, outline, 1.4, 1)
        elif node == goal:
            canvas.star((x, y), max(7.0, 1.6 * radius), c.GREEN)
        else:
            canvas.disc((x, y), 0.8 * radius, c.MUTED)
    place = home if here == HOME else tree.behind(node_of(here)) if here % 2 == 1 else tree.at[node_of(here)]
    canvas.disc(place, radius + 1.5, c.ORANGE if failed else c.BLUE, c.PAPER, 1.2)
    if failed:
        canvas.cross(place, 0.6 * radius, c.PAPER, 1.8)
