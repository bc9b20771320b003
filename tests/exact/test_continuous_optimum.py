"""Is the optimum of the continuous toy optimal? Brute force in the engine, convex programmes, optimal controllers."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import dblquad
from scipy.optimize import lsq_linear

import mohs
from mohs import Task, UsageError
from mohs.engines import loops
from mohs.engines.continuous.fleet import fleet
from mohs.exact.continuous import best_returns, optimum
from mohs.exact.continuous_problem import Problem
from mohs.exact.measures.mean_distance import mean_distance, mean_norm
from mohs.tables.toys.point_mass import point_mass

ID = "toy/continuous"


def returns(task: Task, plans: np.ndarray) -> np.ndarray:
    """The return of every plan [N, steps, dims], played in the engine."""
    count = len(plans)
    played = fleet([task] * count)
    seen, gains = np.empty((count, plans.shape[2]), dtype=np.float32), np.empty(count)
    ends = np.empty((2, count), dtype=np.bool_)
    loops.begin_fleet(played.memory, np.ones(count, dtype=np.bool_), seen)
    total, over = np.zeros(count), np.zeros(count, dtype=np.bool_)
    for k in range(plans.shape[1]):
        loops.step_fleet(played.memory, np.ascontiguousarray(plans[:, k]), seen, gains, *ends, seen, False)
        total += np.where(over, 0.0, gains)
        over |= ends.any(axis=0)
    assert over.all()
    return total


def all_plans(choices: list[float], steps: int, dims: int) -> np.ndarray:
    actions = np.array(list(itertools.product(choices, repeat=dims)))
    return actions[np.array(list(itertools.product(range(len(actions)), repeat=steps)))].astype(np.float32)


PLANS = {1: all_plans([-1, -0.5, 0, 0.5, 1], 5, 1), 2: all_plans([-1, 0, 1], 3, 2)}
RADII = st.sampled_from([0.25, 0.5, 0.75, 1.0])


@st.composite
def problems(draw: st.DrawFn) -> Task:
    """Tasks with five steps in one dimension or three in two, from starts on a lattice."""
    some = lambda *values: draw(st.sampled_from(values))  # noqa: E731
    dims = some(1, 1, 2)
    radius = draw(RADII)
    start = [some(1.0, 1.5, 2.0, 2.5, 4.5, 6.0) * some(1, -1), some(0.0, 1.0, -2.0)][:dims]
    return Task.make(
        ID,
        state_space_dim=dims, start_point=start, target_radius=radius, max_episode_steps=len(PLANS[dims][0]),
        make_denser=draw(st.booleans()), transition_dynamics_order=some(1, 1, 2, 3),
        reward_scale=some(1.0, 2.0), reward_shift=some(0.0, 0.0, 0.5, -0.25, -1.0),
        term_state_reward=some(0.0, 0.0, 1.0, -0.25, -2.0),
        action_loss_weight=some(0.0, 0.0, 0.0, 0.25, 1.5), inertia=some(1.0, 1.0, 2.0), time_unit=some(1.0, 1.0, 0.5),
        delay=some(0, 0, 1, 2, 6), delay_at_end=some("terminated", "drop"),
        terminal_states=some((), (), (), (), (), [[0.0] * (dims - 1) + [3.25]]),
    )  # fmt: skip


def test_no_plan_is_better() -> None:
    seen: dict[str, int] = {}

    @settings(max_examples=250, deadline=None, derandomize=True)
    @given(task=problems())
    def check(task: Task) -> None:
        best = returns(task, PLANS[task["state_space_dim"]]).max()
        found = optimum(task)
        assert best <= found.value + 1e-9, found
        assert found.error == 0
        seen[found.reason] = seen.get(found.reason, 0) + 1
        seen["attained"] = seen.get("attained", 0) + (found.kind == "exact" and best > found.value - 1e-9)

    check()
    assert seen[""] > 80
    assert seen["attained"] > 60
    assert len(seen) >= 6  # every reason for a mere bound was met


LATTICE: list[dict[str, Any]] = [
    {"make_denser": True, "start_point": [4.5]},
    {"make_denser": True, "start_point": [7.5]},  # cannot get there
    {"make_denser": True, "start_point": [2.0], "reward_shift": 0.5},  # waits
    {"make_denser": True, "start_point": [2.0], "reward_shift": -0.25},
    {"make_denser": True, "start_point": [2.5], "reward_shift": -1.0, "target_radius": 1.0},  # stops short
    {"make_denser": True, "start_point": [2.0], "term_state_reward": -2.0},  # stays out
    {"make_denser": True, "start_point": [2.0], "term_state_reward": 2.0, "delay": 2},
    {"make_denser": True, "start_point": [7.5], "delay": 2},  # the last steps are lost
    {"make_denser": True, "start_point": [2.0], "delay": 2, "delay_at_end": "drop"},
    {"make_denser": True, "start_point": [2.0], "delay": 2, "delay_at_end": "drop", "term_state_reward": 1.0},
    {"make_denser": True, "start_point": [2.0], "delay": 9, "term_state_reward": -1.0},
    {"make_denser": True, "start_point": [2.0], "action_loss_weight": 0.25},
    {"make_denser": True, "start_point": [2.0], "action_loss_weight": 0.25, "term_state_reward": -0.5},
    {"make_denser": True, "start_point": [2.0], "action_loss_weight": 1.5},
    {"make_denser": True, "start_point": [4.5], "transition_dynamics_order": 2},
    {"make_denser": True, "start_point": [2.0], "transition_dynamics_order": 2, "reward_shift": 0.5},
    {"make_denser": True, "start_point": [14.5], "transition_dynamics_order": 2, "state_space_max": 20},
    {"start_point": [2.0]}, {"start_point": [7.5]}, {"start_point": [2.0], "reward_shift": -0.125},
    {"start_point": [2.0], "reward_shift": 0.5}, {"start_point": [2.0], "reward_shift": -1.0, "term_state_reward": -5},
    {"start_point": [2.0], "delay": 2}, {"start_point": [2.0], "delay": 2, "delay_at_end": "drop"},
    {"start_point": [2.0], "transition_dynamics_order": 2, "reward_shift": -0.125},
]  # fmt: skip


@pytest.mark.parametrize("params", LATTICE, ids=lambda params: "-".join(f"{k}={v}" for k, v in params.items()))
def test_the_best_plan_attains_it(params: dict[str, Any]) -> None:
    task = Task.make(ID, **{"state_space_dim": 1, "max_episode_steps": 5, "target_radius": 0.5, **params})
    if task["transition_dynamics_order"] == 2 and task["make_denser"]:
        task = task.replace(target_radius=0.25)
    found = optimum(task)
    assert found.kind == "exact", found
    assert returns(task, PLANS[1]).max() == pytest.approx(found.value, abs=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_reach_is_that_of_a_convex_programme(order: int) -> None:
    """The nearest position after k steps, by bounded least squares over the actions."""
    rng = np.random.default_rng(order)
    task = Task.make(ID, transition_dynamics_order=order, inertia=(1.0, 2.0), time_unit=0.7, action_space_max=0.8)
    problem = Problem.of(task)
    for k in (1, 2, 4, 7):
        # The position after k steps is linear in the actions; its coefficients are read off unit actions.
        coefficients = np.array([[_coefficient(order, k, j, 0.7) / m for j in range(k)] for m in (1.0, 2.0)])
        for y in rng.uniform(0, 2 * problem.reach(k).max(), size=(5, 2)):
            squares = sum(
                2 * lsq_linear(row[None], [-offset], (-0.8, 0.8), tol=1e-14).cost
                for row, offset in zip(coefficients, y, strict=True)
            )
            assert problem.nearest(y[None], k)[0] == pytest.approx(np.sqrt(squares), abs=1e-6)


def _coefficient(order: int, steps: int, j: int, time: float) -> float:
    """By how much a unit action in step j moves the position after so many steps, by integrating it."""
    state = np.zeros(order + 1)
    for step in range(steps):
        state[order] = float(step == j)
        fine = 2000
        for _ in range(fine):  # the trapezoidal rule, row by row
            before = state.copy()
            for row in range(order - 1, -1, -1):
                state[row] += time / fine * (before[row + 1] + state[row + 1]) / 2
    return float(state[0])


def play(task: Task, controller: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Starts, and returns of a controller (states [N, order, dims], t) -> actions."""
    env = mohs.make_vec(task, num_envs=count, history=True)
    _, info = env.reset(seed=0)
    starts = info["derivatives"][:, 0].copy()
    total, over = np.zeros(count), np.zeros(count, dtype=bool)
    for t in range(task["max_episode_steps"]):
        _, gains, terminated, truncated, info_after = env.step(controller(info["derivatives"], t))
        total += np.where(over, 0.0, gains)
        over |= terminated | truncated
        info = info_after
        if over.all():
            break
    return starts, total


def go_straight(states: np.ndarray, t: int) -> np.ndarray:
    """In order 1, with steps of at most 1: the last one is a full one, the first is what is left over."""
    offset = states[:, 0]
    length = np.abs(offset).max(axis=1, keepdims=True)
    step = np.where(length > 1, length - np.ceil(length - 1), length)
    step = np.where(step == 0, 1.0, step)
    return -offset * step / length


def push_evenly(task: Task, starts: np.ndarray) -> Any:
    """In order 2: the constant action that arrives exactly, in as few steps as it can."""
    length = np.abs(starts).max(axis=1, keepdims=True)
    steps = np.ceil(np.sqrt(2 * length) - 1e-9)
    action = -2 * starts / steps**2

    def controller(states: np.ndarray, t: int) -> np.ndarray:
        return np.clip(action, -1, 1)

    return controller


def test_a_straight_line_attains_the_optimum_of_order_1() -> None:
    for params in (
        {}, {"delay": 7}, {"action_loss_weight": 0.25, "term_state_reward": 2.0},
        {"terminal_states": ()}, {"reward_scale": 2.0, "state_space_dim": 5},
    ):  # fmt: skip
        task = Task.make(ID, make_denser=True, **params)
        starts, gained = play(task, go_straight, 4000)
        values, reason = best_returns(task, starts)
        assert not reason
        assert gained == pytest.approx(values, abs=1e-5)  # actions have seven digits
        found = optimum(task)
        assert found.kind == "exact"
        assert gained.mean() == pytest.approx(found.value, abs=4 * gained.std() / np.sqrt(4000))


def test_a_constant_push_attains_the_optimum_of_order_2() -> None:
    task = Task.make(ID, make_denser=True, transition_dynamics_order=2)
    env = mohs.make_vec(task, num_envs=4000)
    starts = env.reset(seed=0)[0].astype(np.float64)
    starts, gained = play(task, push_evenly(task, starts), 4000)
    values, reason = best_returns(task, starts)
    assert not reason
    assert gained == pytest.approx(values, abs=1e-5)
    found = optimum(task)
    assert found.kind == "exact"
    assert gained.mean() == pytest.approx(found.value, abs=4 * gained.std() / np.sqrt(4000))


def test_known_means() -> None:
    square = (np.sqrt(2) + np.arcsinh(1)) / 3  # of the distance from the middle of [−1, 1]²
    assert mean_norm(-np.ones(2), np.ones(2), np.zeros(2)) == pytest.approx(square, abs=1e-12)
    assert mean_norm(np.array([-1.0]), np.array([3.0]), np.zeros(1)) == pytest.approx((0.5 + 4.5) / 4, abs=1e-12)
    assert mean_norm(np.array([-1.0]), np.array([3.0]), np.ones(1)) == pytest.approx(2 / 4, abs=1e-12)
    assert mean_norm(-np.ones(3), np.ones(3), np.ones(3)) == 0
    ball = np.pi * 0.05**2
    plain = (400 * 10 * square - ball * 0.05 * 2 / 3) / (400 - ball)
    assert optimum(Task.make(ID, make_denser=True)).value == pytest.approx(plain, abs=1e-9)
    assert optimum(Task.make(ID, make_denser=True, state_space_dim=1)).value == pytest.approx(10.05 / 2, abs=1e-9)
    assert optimum(Task.make(ID)).value == 1


@pytest.mark.parametrize("beyond", [0.0, 0.7])
def test_means_are_those_of_a_quadrature(beyond: float) -> None:
    low, high = np.array([-1.5, 0.2]), np.array([2.0, 3.0])

    def norm(y: float, x: float) -> float:
        return float(np.hypot(max(abs(x) - beyond, 0), max(abs(y) - 2 * beyond, 0)))

    total = dblquad(norm, low[0], high[0], low[1], high[1], epsabs=1e-9)[0]
    expected = total / np.prod(high - low)
    assert mean_norm(low, high, np.array([beyond, 2 * beyond])) == pytest.approx(expected, abs=1e-6)


GEOMETRIES: list[dict[str, Any]] = [
    {"target_radius": 3.0}, {"target_radius": 3.0, "state_space_dim": 5, "target_point": (1, 2, 3, 4, 5)},
    {"target_radius": 2.0, "terminal_states": [(5, 5), (-5, 2)], "term_state_edge": 3.0},
]  # fmt: skip


@pytest.mark.parametrize("params", GEOMETRIES, ids=["ball", "five dimensions", "cubes"])
def test_what_is_excluded_is_subtracted(params: dict[str, Any]) -> None:
    mass = point_mass(Task.make(ID, **params).values)
    states = mass.uniform(np.random.default_rng(0), 400_000)
    states = states[~mass.terminal(states)]
    distance = np.linalg.norm(states - mass.target, axis=1)
    ones = np.ones(mass.dims)
    found = mean_distance(mass, ones, 0 * ones)
    assert found == pytest.approx(distance.mean(), abs=4 * distance.std() / np.sqrt(len(distance)))


def test_regions_that_overlap_or_stick_out_have_no_closed_form() -> None:
    for params in (
        {"target_point": (9.9, 0), "target_radius": 0.5},
        {"terminal_states": [(9.9, 0)]},
        {"terminal_states": [(0.3, 0)]},
        {"terminal_states": [(5, 5), (5.5, 5.5)]},
    ):
        task = Task.make(ID, make_denser=True, **params)
        assert mean_distance(point_mass(task.values), np.ones(2), np.zeros(2)) is None
        found = optimum(task)
        assert found.error > 0
        assert found.kind == ("bound" if "terminal_states" in params else "mean")


CLOSED: list[dict[str, Any]] = [
    {}, {"max_episode_steps": 5}, {"term_state_reward": 2.0}, {"term_state_reward": -1.0}, {"reward_shift": 0.5},
    {"term_state_reward": -1.0, "delay": 3}, {"delay": 3, "delay_at_end": "drop"}, {"action_loss_weight": 0.5},
    {"action_loss_weight": 0.5, "term_state_reward": -1.0}, {"action_loss_weight": 2.0},
    {"delay": 3, "delay_at_end": "drop", "term_state_reward": 1.0}, {"transition_dynamics_order": 3},
    {"max_episode_steps": 4, "transition_dynamics_order": 2}, {"terminal_states": [(5, 5)]},
]  # fmt: skip


@pytest.mark.parametrize("params", CLOSED, ids=lambda params: "-".join(params) or "vanilla")
@pytest.mark.parametrize("dense", [True, False], ids=["dense", "sparse"])
def test_closed_forms_are_means_over_starts(params: dict[str, Any], dense: bool) -> None:
    task = Task.make(ID, make_denser=dense, reward_scale=1.5, **params)
    found = optimum(task)
    mass = point_mass(task.values)
    starts = mass.uniform(np.random.default_rng(1), 200_000)
    values, _ = best_returns(task, starts[~mass.terminal(starts)])
    error = values.std() / np.sqrt(len(values)) + found.error
    assert found.value == pytest.approx(values.mean(), abs=4 * error + 1e-9)
    if dense:
        assert found.error == 0


def test_moving_along_a_line_is_easy_at_rest() -> None:
    line = Task.make(ID, reward_function="move_along_a_line", sequence_length=3, reward_shift=0.25)
    assert optimum(line).value == 25
    assert optimum(line).kind == "exact"
    _, gained = play(line, lambda states, t: np.zeros((4, 2)), 4)
    assert gained.tolist() == [25] * 4
    assert optimum(line.replace(terminal_states=[(1, 1)])).kind == "exact"
    assert optimum(line.replace(terminal_states=[(1, 1)], reward_shift=-1.0)).kind == "bound"


def test_what_is_not_known_is_said() -> None:
    dense = Task.make(ID, make_denser=True)
    with pytest.raises(UsageError, match="reward_scale must be positive"):
        optimum(dense.replace(reward_scale=-1.0))
    for params, reason in (
        ({"terminal_states": [(5, 5)]}, "terminal regions"),
        ({"target_radius": 2.0}, "radius"),
        ({"action_loss_weight": 0.1, "transition_dynamics_order": 2}, "action loss"),
        ({"delay": 2, "delay_at_end": "drop", "transition_dynamics_order": 2}, "dropped"),
    ):
        found = optimum(dense.replace(**params))
        assert found.kind == "bound"
        assert reason in found.reason
    assert optimum(dense.replace(transition_noise=1.0, reward_noise=1.0)) == optimum(dense)
