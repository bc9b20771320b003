"""Does the engine move the grid as plain words do? A reference on cells and queues, followed step by step."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_reference import IRRELEVANT, IRRELEVANT_START, NOISE, REWARD, START, normal, uniform

import mohs
from mohs import Task
from mohs.envs.grid import GridEnv, GridVectorEnv

Cell = tuple[int, ...]


@dataclass
class Reference:
    """One instance; nothing is shared with the engine but the addresses of the draws and the order of cells."""

    task: Task
    key: int
    episode: int = -1
    visited: list[Cell] = field(default_factory=list)
    other: Cell = ()
    queue: list[float] = field(default_factory=list)

    def begin(self) -> None:
        self.episode += 1
        values = self.task.values
        self.shape = values["grid_shape"]
        self.target = values["target_point"] or tuple(size - 1 for size in self.shape)
        self.ends = {*values["terminal_states"], self.target}
        page = [range(size) for size in self.shape]
        if len(page) > 1:
            page[1] = page[1][::-1]  # from top to bottom
        cells = [cell[::-1] for cell in itertools.product(*page[::-1])]
        free = [values["start_point"]] if values["start_point"] else [c for c in cells if c not in self.ends]
        self.visited = [free[math.floor(uniform(self.key, self.episode, 0, START) * len(free))]]
        self.other = cells[math.floor(uniform(self.key, self.episode, 0, IRRELEVANT_START) * len(cells))]
        self.queue = [0.0] * values["delay"]

    def step(self, action: int, other: int) -> tuple[float, bool, bool]:
        values, t = self.task.values, len(self.visited)
        before = self.visited[-1]
        after = self.moved(before, self.taken(action, uniform(self.key, self.episode, t, NOISE)))
        self.visited.append(after)
        self.other = self.moved(self.other, self.taken(other, uniform(self.key, self.episode, t, IRRELEVANT)))
        closer = self.gap(before) - self.gap(after)
        self.queue.append(float(closer if values["make_denser"] else after == self.target))
        reward, over = self.queue.pop(0), after in self.ends
        if over and values["delay_at_end"] == "terminated":
            reward += sum(self.queue)
        reward += values["reward_noise"] * normal(self.key, self.episode, t, REWARD)
        reward = reward * values["reward_scale"] + values["reward_shift"]
        reward += values["term_state_reward"] * values["reward_scale"] if over else 0.0
        return reward, over, t >= values["max_episode_steps"]

    def taken(self, action: int, u: float) -> int:
        noise = self.task["transition_noise"]
        others = [a for a in range(2 * len(self.shape)) if a != action]
        return others[min(math.floor(u / noise * len(others)), len(others) - 1)] if u < noise else action

    def moved(self, cell: Cell, action: int) -> Cell:
        i, forth = divmod(action, 2)
        x = min(max(cell[i] + (1 if forth else -1), 0), self.shape[i] - 1)
        return (*cell[:i], x, *cell[i + 1 :])

    def gap(self, cell: Cell) -> int:
        return sum(abs(a - b) for a, b in zip(cell, self.target, strict=True))

    def seen(self) -> list[int]:
        return [*self.visited[-1], *(self.other if self.task["irrelevant_features"] else ())]

    def history(self) -> list[list[int]]:
        size = self.task["delay"] + 2
        before = [[-1] * len(self.shape)] * size
        return (before + [list(cell) for cell in self.visited])[-size:]


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    some = lambda *values: draw(st.sampled_from(values))  # noqa: E731
    shape = some((2,), (7,), (3, 3), (5, 2), (1, 4), (2, 3, 4))
    cells = list(itertools.product(*(range(size) for size in shape)))
    target, start, *ends = draw(st.permutations(cells))
    return Task.make(
        "toy/grid",
        grid_shape=shape,
        target_point=some(None, target) if start != cells[-1] else target,
        terminal_states=[] if len(ends) < 3 else [cell for cell in ends[:2] if cell != start],
        start_point=some(None, start),
        make_denser=draw(st.booleans()),
        delay=some(0, 0, 1, 4),
        delay_at_end=some("drop", "terminated"),
        transition_noise=some(0.0, 0.2, 1.0),
        reward_noise=some(0.0, 0.5),
        reward_scale=some(1.0, -2.5),
        reward_shift=some(0.0, 0.75),
        term_state_reward=some(0.0, -3.0),
        irrelevant_features=draw(st.booleans()),
        max_episode_steps=some(3, 9, 100),
    )


def test_the_engine_obeys_the_reference() -> None:
    seen: set[str] = set()

    @settings(max_examples=120, deadline=None, derandomize=True)
    @given(task=tasks(), seed=st.integers(0, 2**31), data=st.randoms(use_true_random=False))
    def check(task: Task, seed: int, data: Any) -> None:
        seen.update(name for name, _ in task.params)
        env, fleet = GridEnv(**dict(task.params)), GridVectorEnv(sources=[task] * 2, history=True)
        observation, info = env.reset(seed=seed)
        together, _ = fleet.reset(seed=[seed, seed])
        reference = Reference(task, int(env.fleet.instances["key"][0]))
        reference.begin()
        actions, two, over = 2 * len(task["grid_shape"]), task["irrelevant_features"], False
        for _ in range(30):
            assert observation.tolist() == together[1].tolist() == reference.seen()
            assert info["history"].tolist() == reference.history()
            assert info["augmented_state"].tolist() == reference.history()[1:2]
            chosen = [data.randrange(actions), data.randrange(actions)]
            given = chosen if two else chosen[0]
            if over:
                together, *_ = fleet.step(np.array([given] * 2))
                observation, info = env.reset()
                reference.begin()
                over = False
                continue
            reward, ended, cut = reference.step(*chosen)
            observation, alone, terminated, _, info = env.step(given)
            together, gains, ends, cuts, infos = fleet.step(np.array([given] * 2))
            assert alone == pytest.approx(reward, abs=1e-9)
            assert alone == gains[0] == gains[1]
            assert (terminated, ends[1], cuts[1]) == (ended, ended, cut)
            assert infos["history"][1].tolist() == info["history"].tolist()
            assert infos["augmented_state"][1].tolist() == info["augmented_state"].tolist()
            over = ended or cut

    check()
    assert seen == {name for name in Task.make("toy/grid").values if not name.startswith("image")}


def test_every_step_of_the_engine_is_in_the_table() -> None:
    task = Task.make("toy/grid", grid_shape=(4, 3), delay=2, make_denser=True, transition_noise=0.3, reward_shift=0.5)
    table, env = mohs.table(task), GridEnv(**dict(task.params))
    rng = np.random.default_rng(0)
    steps = 0
    for episode in range(40):
        env.reset(seed=3 if episode == 0 else None)
        (state,) = np.flatnonzero((table.initial > 0) & (table.observation == env.fleet.instances["state"][0]))
        for _ in range(30):
            action = int(rng.integers(4))
            _, reward, over, _, _ = env.step(action)
            row = slice(*table.indptr[state * 4 + action : state * 4 + action + 2])
            fits = table.observation[table.succ[row]] == env.fleet.instances["state"][0]
            fits &= np.isclose(table.reward[row], reward, atol=1e-12)
            assert fits.any()
            candidates = set(table.succ[row][fits].tolist())
            state = candidates.pop()
            assert not candidates  # states differ by their delay lines, which the rewards earned have filled
            assert over == table.terminal[state]
            steps += 1
            if over:
                break
    assert steps > 200


@pytest.mark.parametrize("irrelevant", [False, True])
def test_noise_takes_the_other_actions_alike(irrelevant: bool) -> None:
    """In the middle of a grid every move shows which action was taken."""
    noise, count = 0.3, 60_000
    params: dict[str, Any] = {"grid_shape": (5, 5), "start_point": (2, 2), "irrelevant_features": irrelevant}
    env = mohs.make_vec("toy/grid", num_envs=count, transition_noise=noise, **params)
    before, _ = env.reset(seed=0)
    inside = ((before[:, 2:] > 0) & (before[:, 2:] < 4)).all(axis=1)
    after, *_ = env.step(np.full((count, 2), (1, 2)) if irrelevant else np.full(count, 1))
    steps = [(-1, 0), (1, 0), (0, -1), (0, 1)]
    for chosen, moved in ((1, (after - before)[:, :2]), (2, (after - before)[inside, 2:])):
        if len(moved[0]) == 0:
            continue
        shares = [(moved == step).all(axis=1).mean() for step in steps]
        expected = [1 - noise if a == chosen else noise / 3 for a in range(4)]
        assert shares == pytest.approx(expected, abs=5 * np.sqrt(0.21 / len(moved)))
        assert sum(shares) == pytest.approx(1)
    if irrelevant:  # the two are drawn apart
        wrong = [(after - before)[:, 0] != 1, ((after - before)[:, 2:] != (0, -1)).any(axis=1)]
        assert abs(np.corrcoef(wrong[0][inside], wrong[1][inside])[0, 1]) < 5 / np.sqrt(inside.sum())
