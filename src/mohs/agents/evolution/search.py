"""What is the state of a pack of searches, and what happens at each step and at the end of each episode?

A cell plays one episode after the other: the first candidate of a generation, the second, ... After the last one the
method improves the mean. An episode counts when it has ended; where steps run out in the middle of it, the next call
continues it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mohs.agents import windows
from mohs.agents.evolution.config import SearchConfig
from mohs.agents.evolution.method import SEARCHER, draw, improve
from mohs.agents.evolution.policy import Layout, choose, perceive, respond
from mohs.agents.streams import keys
from mohs.core import seeding
from mohs.core.cell import Cell
from mohs.core.kernel import kernel, law

Floats = npt.NDArray[np.float64]
SMALLEST = 1e-7  # deviation of an observed number; what varies less is left out, as a constant


class Search(NamedTuple):
    """Arrays whose rows are the cells: all that a search needs to continue."""

    searchers: npt.NDArray[Any]
    mean: Floats
    std: Floats
    weights: Floats  # of the candidate that plays
    scores: Floats  # of the candidates so far, summed over episodes
    seen_mean: Floats  # of the inputs so far, and their squared distances from it, summed (Welford)
    seen_square: Floats
    shift: Floats  # by which inputs are normalised in this generation
    factor: Floats
    returns: Floats  # of the episodes that ended in each window, summed
    lengths: Floats
    episodes: npt.NDArray[np.int64]


class Room(NamedTuple):
    """Where a kernel puts what it needs for a moment."""

    values: Floats  # [2, width of the widest layer]
    action: npt.NDArray[Any]
    ranked: Floats
    order: npt.NDArray[np.int64]


def search(cells: Sequence[Cell], layout: Layout, config: SearchConfig) -> Search:
    """Searches that begin."""
    n, inputs, points = len(cells), int(layout.widths[0]), windows.count(cells[0].window, cells[0].steps)
    searchers = np.zeros(n, dtype=SEARCHER)
    searchers["key"], searchers["best"] = keys(cells, "agent"), -np.inf
    mean = np.zeros((n, layout.weights))
    if not config.zero_policy:
        mean[:] = [_fan_in(layout, seeding.child(cell.seed, "agent", "weights")) for cell in cells]
    made = Search(
        searchers, mean, np.tile(config.first_std(layout.weights), (n, 1)), np.zeros_like(mean),
        np.zeros((n, config.rule.candidates)), np.zeros((n, inputs)), np.zeros((n, inputs)), np.zeros((n, inputs)),
        np.ones((n, inputs)), np.zeros((n, points)), np.zeros((n, points)), np.zeros((n, points), dtype=np.int64),
    )  # fmt: skip
    begin_generation(config.rule, made)
    return made


def room(layout: Layout, config: SearchConfig) -> Room:
    parts, kind = layout.parts
    candidates = config.rule.candidates
    return Room(
        np.zeros((2, layout.widths.max())), np.zeros(parts, kind), np.zeros(candidates), np.zeros(candidates, np.int64)
    )


def _fan_in(layout: Layout, stream: np.random.SeedSequence) -> Floats:
    """Weights and biases within ±1/√inputs of their layer."""
    drawn = np.random.default_rng(stream).uniform(-1, 1, layout.weights)
    sizes = [(inputs + layout.bias) * outputs for inputs, outputs in pairwise(layout.widths.tolist())]
    return drawn / np.sqrt(np.repeat(layout.widths[:-1], sizes))


@kernel
def begin_generation(rule, search):
    """Every search begins its generation anew: what its candidates have played does not count."""
    for i in range(len(search.searchers)):
        me = search.searchers[i]
        me.candidate, me.episode, me.episode_return, me.length, me.best = 0, 0, 0.0, 0, -np.inf
        search.scores[i, :] = 0.0
        draw(rule, me, search.mean[i], search.std[i], search.weights[i])


@law
def act(layout, search, i, weights, observation, room, action, learning):
    """Writes the action of a policy of cell i. In training the observation enters the statistics of those seen."""
    values = room.values
    inputs = values[0]
    perceive(layout, observation, inputs)
    if layout.normalise:
        if learning:
            notice(search.searchers[i], search.seen_mean[i], search.seen_square[i], inputs)
        for k in range(layout.widths[0]):
            inputs[k] = (inputs[k] - search.shift[i, k]) * search.factor[i, k]
    row = respond(layout, weights, values)
    choose(layout, values[row], action)


@law
def notice(me, mean, square, inputs):
    """Adds an observation to the running mean and squared distances (Welford 1962)."""
    me.seen += 1
    for k in range(len(mean)):
        off = inputs[k] - mean[k]
        mean[k] += off / me.seen
        square[k] += off * (inputs[k] - mean[k])


@law
def count(rule, layout, search, i, room, window, reward, over):
    """A step of cell i has been taken. At the end of an episode the next candidate plays."""
    me = search.searchers[i]
    me.step += 1
    me.episode_return += reward
    me.length += 1
    if over:
        point = min((me.step - 1) // window, search.episodes.shape[1] - 1)
        search.returns[i, point] += me.episode_return
        search.lengths[i, point] += me.length
        search.episodes[i, point] += 1
        finish(rule, layout, search, i, room)


@law
def finish(rule, layout, search, i, room):
    """An episode has ended: the candidate plays again, or the next one does; after the last the mean improves."""
    me, mean, std, scores = search.searchers[i], search.mean[i], search.std[i], search.scores[i]
    scores[me.candidate] += (me.episode_return + rule.alive_bonus_offset * me.length) / rule.episodes
    me.episode_return, me.length = 0.0, 0
    me.episode += 1
    if me.episode < rule.episodes:
        return
    me.episode = 0
    me.candidate += 1
    if me.candidate == rule.candidates:
        improve(rule, me, mean, std, scores, room.ranked, room.order)
        me.candidate = 0
        me.generation += 1
        scores[:] = 0.0
        if layout.normalise:
            renew(me, search.seen_mean[i], search.seen_square[i], search.shift[i], search.factor[i])
    draw(rule, me, mean, std, search.weights[i])


@law
def renew(me, mean, square, shift, factor):
    """What inputs are normalised by in the next generation."""
    for k in range(len(mean)):
        deviation = math.sqrt(square[k] / me.seen)
        shift[k] = mean[k]
        factor[k] = 1.0 / deviation if deviation > SMALLEST else 0.0
