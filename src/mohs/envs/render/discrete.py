"""What does the discrete toy look like? Its states on a circle, one arc for each independent set."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.envs.render import canvas as c
from mohs.envs.render import frame as f
from mohs.envs.render.canvas import Canvas, Point
from mohs.envs.render.episode import Episode
from mohs.envs.render.frame import Panel
from mohs.envs.render.sequences import progress
from mohs.tables.toys.toy import Toy, toy

RADIUS = 142  # of the circle
LARGEST, LABELLED = 21.0, 8.5  # radius of a state, and the smallest one with room for its number
_LOOP = 13  # radius of an arrow from a state to itself
_GAP = 1.2  # between two arcs, in states


@dataclass(frozen=True)
class Scene:
    """What is drawn: the trail of states, oldest first, and what the next step may lead to."""

    trail: tuple[int, ...]
    other_trail: tuple[int, ...]  # of the irrelevant part
    leads: dict[int, tuple[int, ...]]  # the states that actions lead to, and these actions
    wanted: frozenset[int]  # states that earn a reward now, or go on with a rewardable sequence
    done: int  # states of a rewardable sequence
    length: int  # of a sequence; 0 where rewards are a table


def scene(episode: Episode, parts: Toy) -> Scene:
    states = [int(state[0]) for state in episode.states]
    now, path = states[-1], states[1:] if episode.step < len(states) else states
    likely = _likely(parts, now)
    leads: dict[int, tuple[int, ...]] = {}
    for action, state in enumerate(likely.tolist()):
        leads[state] = (*leads.get(state, ()), action)
    if parts.reward is not None:
        paying = np.flatnonzero(parts.reward[now] > 0)
        done, wanted, length = 0, frozenset(likely[paying].tolist()), 0
    else:
        good = parts.sequences[parts.sequence_rewards > 0]
        done, wanted = progress(good, path, episode.step, parts.gated)
        length = parts.length
    if parts.terminal[now]:
        leads, wanted = {}, frozenset()
    trail = tuple(int(state[0]) for state in episode.trail)
    return Scene(trail, tuple(int(state[1]) for state in episode.trail), leads, wanted, done, length)


def _likely(parts: Toy, state: int) -> npt.NDArray[Any]:
    """Where each action leads, most likely."""
    led: npt.NDArray[Any]
    if parts.succ is not None:
        led = parts.succ[state]
    else:
        assert parts.probs is not None
        led = parts.probs[state].argmax(axis=1)
    return led


def picture(episode: Episode) -> npt.NDArray[np.uint8]:
    parts = toy(episode.task)
    shown = scene(episode, parts)
    second = parts.irrelevant is not None
    wish = "earns" if shown.length < 2 else "next in a sequence"
    signs = [
        (f.disc_sign(c.BLUE), "now"), (f.arrow_sign(c.SKY), "last moves"), (f.disc_sign(c.PALE_ORANGE, c.ORANGE), wish),
        (f.box_sign(c.DARK), "terminal"),
    ]  # fmt: skip
    canvas, panels = f.frame(episode, 2 if second else 1, signs)
    if parts.terminal[shown.trail[-1]]:
        f.aside(canvas, "episode", "over")
    elif shown.length > 1:
        f.steps_done(canvas, f"sequence {shown.done} of {shown.length}", shown.done, shown.length)
    elif parts.sets > 1:
        f.aside(canvas, "set", f"{shown.trail[-1] // parts.set_size + 1} of {parts.sets}")
    circle = Circle(panels[0], parts.num_states, parts.sets)
    circle.arcs(canvas)
    circle.trail(canvas, shown.trail, c.SKY)
    circle.states(canvas, np.flatnonzero(parts.terminal), shown.wanted, shown.trail[-1], c.BLUE)
    circle.actions(canvas, shown.leads)
    if parts.irrelevant is not None:
        other = Circle(panels[1], len(parts.irrelevant), parts.sets)
        f.title(canvas, panels[1], "irrelevant features")
        other.arcs(canvas)
        other.trail(canvas, shown.other_trail, c.LINE)
        other.states(canvas, (), (), shown.other_trail[-1], c.MUTED)
    return canvas.finished()


class Circle:
    """Where the states of one part lie: clockwise from the top."""

    def __init__(self, panel: Panel, states: int, sets: int) -> None:
        self._centre, self._sets, self._size = panel.centre, sets, states // sets
        gap = _GAP if sets > 1 else 0.0
        self._turn = math.tau / (states + gap * sets)  # from one state to the next
        number = np.arange(states)
        self._angle = (number + (number // self._size) * gap + (gap + 1) / 2 * (sets > 1)) * self._turn - math.tau / 4
        self._node = min(LARGEST, 0.43 * RADIUS * self._turn) if states > 1 else LARGEST

    def at(self, state: int, radius: float = RADIUS) -> Point:
        angle = float(self._angle[state])
        return self._centre[0] + radius * math.cos(angle), self._centre[1] + radius * math.sin(angle)

    def arcs(self, canvas: Canvas) -> None:
        if self._sets == 1:
            return canvas.disc(self._centre, RADIUS, None, c.LINE, 1)
        for i in range(self._sets):
            first, last = self._angle[i * self._size], self._angle[(i + 1) * self._size - 1]
            ends = math.degrees(first - 0.5 * self._turn), math.degrees(last + 0.5 * self._turn)
            canvas.band(self._centre, RADIUS, *ends, c.PANEL, 2 * self._node + 12)
            x, y = (RADIUS - self._node - 28) * np.array([math.cos((first + last) / 2), math.sin((first + last) / 2)])
            if self._sets <= 12:
                canvas.text((self._centre[0] + x, self._centre[1] + y), f"set {i + 1}", 12, c.MUTED)

    def trail(self, canvas: Canvas, states: Sequence[int], colour: str) -> None:
        moves = list(pairwise(states))
        for age, (one, two) in zip(range(len(moves), 0, -1), moves, strict=True):
            strength = max(0.25, 1 - 0.13 * (age - 1))
            canvas.arrow(self._way(one, two), c.mixed(colour, strength), 2.6 if age == 1 else 1.8)

    def states(self, canvas: Canvas, terminal: Iterable[int], wanted: Iterable[int], now: int, colour: str) -> None:
        ends, wishes, r = set(terminal), set(wanted), self._node
        for state in range(len(self._angle)):
            x, y = self.at(state)
            ink = c.INK
            if state == now:
                canvas.disc((x, y), r + min(4, 0.3 * r), c.mixed(colour, 0.35))
            if state in ends:
                fill, ink = (colour if state == now else c.DARK), c.PAPER
                canvas.box((x - 0.9 * r, y - 0.9 * r), (x + 0.9 * r, y + 0.9 * r), fill, r=0.2 * r)
            elif state == now:
                outline = c.ORANGE if state in wishes else None
                canvas.disc((x, y), r, colour, outline, min(3, 0.25 * r))
                ink = c.PAPER
            elif state in wishes:
                canvas.disc((x, y), r, c.PALE_ORANGE, c.ORANGE, min(3, 0.25 * r))
            else:
                canvas.disc((x, y), r, c.PAPER, c.MUTED, min(1.2, 0.2 * r))
            if r >= LABELLED:
                canvas.text((x, y), str(state), 15 if r > 14 else 11, ink)

    def actions(self, canvas: Canvas, leads: dict[int, tuple[int, ...]]) -> None:
        """Beside each state the actions that lead there."""
        if self._node < LABELLED or len(leads) > 32:
            return
        for state, actions in leads.items():
            word = "a" + ",".join(map(str, actions)) if len(actions) < 4 else f"{len(actions)} actions"
            canvas.text(self.at(state, RADIUS + self._node + 17), word, 12, c.MUTED)

    def _way(self, one: int, two: int) -> list[Point]:
        """The points of an arrow from the edge of a state to that of another.

        It bends towards the centre, and to its own right, so that back and forth are two ways. From a state to itself
        it is a loop inside the circle.
        """
        if one == two:
            angle = float(self._angle[one])
            x, y = self.at(one, RADIUS - self._node - _LOOP - 1)
            turns = np.linspace(angle + 0.9, angle + math.tau - 0.9, 24)
            return [(x + _LOOP * math.cos(turn), y + _LOOP * math.sin(turn)) for turn in turns.tolist()]
        a, b, centre = np.array(self.at(one)), np.array(self.at(two)), np.array(self._centre)
        aside = np.array([a[1] - b[1], b[0] - a[0]])
        bend = 0.65 * (a + b) / 2 + 0.35 * centre + 0.1 * aside
        s = np.linspace(0, 1, 33)[:, None]
        curve = (1 - s) ** 2 * a + 2 * s * (1 - s) * bend + s**2 * b  # Bézier's, of second degree
        clear = np.minimum(np.hypot(*(curve - a).T), np.hypot(*(curve - b).T)) > self._node + 3
        kept = [(x, y) for x, y in curve[clear].tolist()]
        return kept if len(kept) > 1 else [self.at(one), self.at(two)]
