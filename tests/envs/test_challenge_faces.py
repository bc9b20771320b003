"""Do the faces of the challenge keep Gymnasium's contracts, do they show the boards, and do pictures show them too?"""

from __future__ import annotations

import subprocess
import sys
import warnings
from itertools import pairwise

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env

import mohs
from mohs import Task, UsageError
from mohs.envs.render import challenge as pictures
from mohs.envs.render.boards import BOARDS
from mohs.envs.render.frame import FOOT, HEAD, SIDE
from mohs.exact.references import return_score
from mohs.tables.challenge.cache import END
from mohs.tables.challenge.grid import Candidate, Kind, candidates
from small_mdps import install, random_mdp

SMALL = ("hanoi-3", "tiles-8-0", "sokoban-1")  # built in a moment
VIEWS = ("flat", "planes", "cells", "state")


@pytest.fixture
def small(monkeypatch):
    made = [random_mdp(f"small-{i}", seed=i) for i in range(2)]
    install(monkeypatch, *made)
    return made


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("seen", VIEWS)
def test_the_environment_checker_is_content(name, seen):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(f"mohs/Challenge-{name}-v0", observation=seen)
        check_env(env.unwrapped)
        env.reset(seed=0)
        for t in range(1, 200):
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            assert truncated == (t == Task.make(name)["max_episode_steps"])
            if terminated or truncated:
                break


def test_every_candidate_is_an_id():
    for candidate in candidates():
        spec = gymnasium.spec(f"mohs/Challenge-{candidate.id}-v0")
        assert (spec.kwargs, spec.max_episode_steps) == ({"mdp": candidate.id}, candidate.horizon)
        task = Task.make(candidate.id)
        assert (task.env, task["mdp"], task["max_episode_steps"]) == ("challenge", candidate.id, candidate.horizon)


def test_an_id_is_the_task():
    env, vector = gymnasium.make("mohs/Challenge-hanoi-3-v0"), gymnasium.make_vec("mohs/Challenge-hanoi-3-v0", 3)
    assert env.unwrapped.source == Task.make("challenge", mdp="hanoi-3")
    assert Task.make("hanoi-3") == Task.make("mohs/Challenge-hanoi-3-v0") == env.unwrapped.source
    assert vector.single_observation_space == env.observation_space == mohs.make("hanoi-3").observation_space
    np.testing.assert_array_equal(vector.reset(seed=0)[0][0], env.reset(seed=0)[0])


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"mdp": "hanoi-33"}, "Did you mean 'hanoi-3'"),
        ({"mdp": 3}, "the id of an MDP"),
        ({"observation": "picture"}, "one of 'flat', 'planes', 'cells', 'state'"),
        ({"sticky_actions": 1.5}, r"a number in \[0, 1\]"),
        ({"delay": 3}, "the dial delay does not apply to challenge"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(params, says):
    with pytest.raises(UsageError, match=says):
        Task.make("challenge", **params)


def test_four_ways_to_see_one_board(small):
    mdp = small[0]
    envs = {seen: mohs.make_vec("challenge", mdp=mdp.id, observation=seen, num_envs=20) for seen in VIEWS}
    assert {seen: env.single_observation_space for seen, env in envs.items()} == {
        "flat": spaces.MultiBinary(18), "planes": spaces.Box(0, 1, (3, 2, 3), np.uint8),
        "cells": spaces.MultiDiscrete([3] * 6, dtype=np.uint8), "state": spaces.Discrete(mdp.states),
    }  # fmt: skip
    rng = np.random.default_rng(0)
    seen = {name: env.reset(seed=4)[0] for name, env in envs.items()}
    for _ in range(20):
        for name, env in envs.items():
            assert env.observation_space.contains(seen[name])
        cells = mdp.cells[seen["state"]]
        np.testing.assert_array_equal(seen["cells"], cells)
        np.testing.assert_array_equal(seen["flat"].reshape(-1, 6, 3).argmax(2), cells)
        np.testing.assert_array_equal(seen["planes"].argmax(1).reshape(-1, 6), cells)
        assert (seen["flat"].sum(1) == 6).all()
        assert (seen["planes"].sum((1, 2, 3)) == 6).all()
        actions = rng.integers(3, size=20)
        seen = {name: env.step(actions)[0] for name, env in envs.items()}


def test_references_come_from_the_catalogue_or_are_computed(small, monkeypatch):
    known = {"random_return": -1.0, "optimal_return": 7.0, "horizon": small[0].horizon}
    monkeypatch.setattr("mohs.exact.challenge.catalogue_entry", lambda name: type("Known", (), known))
    task = Task.make("challenge", mdp="small-0", sticky_actions=0.25)
    score = task.environment.realisation("score")
    assert (score(task).low.value, score(task).high.value) == (-1.0, 7.0)
    shorter = task.replace(max_episode_steps=5)
    exact = return_score(Task.make("challenge", mdp="small-0", max_episode_steps=5))
    assert score(shorter) == exact
    known["optimal_return"] = None
    assert score(task) == return_score(task)


@pytest.fixture
def game(monkeypatch):
    """A game of one move: action 0 wins, 1 draws, 2 loses; boards with every code that the source has."""

    def made(source, shape, codes, kind=Kind.GAME):
        mdp = random_mdp("small-0", 0, states=4)
        mdp.entries["next"] = np.repeat(np.array([1, 1, 2, 3]), 3).astype(np.uint32) | END
        mdp.entries["next"][:3] = np.arange(1, 4, dtype=np.uint32) | END
        mdp.entries["reward"] = [1, 0, -1] + [0] * 9
        cells = np.zeros((4, shape[0] * shape[1]), dtype=np.uint8)
        cells[0, : len(codes)] = range(len(codes))
        board = type(mdp)(**{**vars(mdp), "cells": cells, "shape": shape, "codes": codes})
        install(monkeypatch, board)
        about = Candidate("small-0", source, kind, "", 12, ())
        monkeypatch.setattr(pictures, "candidate", lambda name: about)

    return made


SOURCES = {
    "tiles": ((3, 3), ".12345678"), "hanoi": ((4, 3), ".1234"), "cube": ((7, 8), ".WOGRBY"),
    "sokoban": ((4, 5), " #.$*@+"), "go": ((4, 4), ".xo#"), "chess": ((4, 3), ".PRQKprqk"),
    "checkers": ((6, 4), ".mkMK "), "connect_four": ((6, 5), ".xo"),
}  # fmt: skip


@pytest.mark.parametrize("source", BOARDS)
def test_every_source_has_pictures_of_one_size_that_follow_it(source, game):
    game(
        source, *SOURCES[source], Kind.GAME if source in ("go", "chess", "checkers", "connect_four") else Kind.PLANNING
    )
    env = mohs.make("challenge", mdp="small-0", render_mode="rgb_array")
    shown = []
    for action in range(3):
        env.reset(seed=0)
        shown.append(env.render())
        env.step(action)
        shown.append(env.render())
    assert {picture.shape for picture in shown} == {(HEAD + SIDE + FOOT, SIDE, 3)}
    assert all(not np.array_equal(a, b) for a, b in pairwise(shown))
    assert np.array_equal(shown[0], shown[2])


def test_the_end_of_a_game_shows_the_last_board_and_the_result(game, monkeypatch):
    game("connect_four", *SOURCES["connect_four"])
    said = []
    monkeypatch.setattr(pictures.f, "aside", lambda canvas, name, value: said.append((name, value)))
    env = mohs.make("challenge", mdp="small-0", render_mode="rgb_array")
    board = (slice(HEAD, HEAD + SIDE - 24), slice(None))
    for action in range(3):
        env.reset(seed=0)
        before = env.render()
        env.step(action)
        np.testing.assert_array_equal(env.render()[board], before[board])
    assert said[::2] == [("steps left", "12")] * 3
    assert said[1::2] == [("game", "won"), ("game", "drawn"), ("game", "lost")]


def test_a_board_is_written_down(game):
    game("chess", (3, 3), ".PRQKprqk")
    env = mohs.make("challenge", mdp="small-0", render_mode="ansi")
    env.reset(seed=0)
    assert env.render() == "step 0: state 0\n.PR\nQKp\nrqk"


def test_nobody_pays_who_does_not_look():
    code = "import mohs, sys; e = mohs.make('hanoi-3'); e.reset(); e.step(0); print('PIL' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
