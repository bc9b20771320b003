"""Do the shipped studies on Atari, MuJoCo and Acrobot load, plan and really run?"""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from mohs.agents.protocol import Learner
from mohs.agents.registry import learner
from mohs.core.cell import Agent
from mohs.protocols.experiment.files import describe, read_study
from mohs.protocols.experiment.study import Experiment, plan, points_of

pytest.importorskip("mujoco")
pytest.importorskip("ale_py")

ATARI = ("atari_beam_rider", "atari_breakout", "atari_qbert", "atari_space_invaders")
MUJOCO = ("half_cheetah", "pusher", "reacher")
EARLY = {"learning_starts": 32, "random_steps": 16, "buffer_size": 500}


@pytest.mark.parametrize("name", MUJOCO)
def test_mujoco_turns_the_range_of_actions_and_the_time_unit(name: str) -> None:
    study = read_study(name, "paper")
    assert [axis.name for axis in study.axes] == ["action_space_max", "time_unit"]
    assert list(study.labels) == ["ddpg", "td3", "sac"]
    # The plain environment is a dose of both axes, and runs once.
    assert len(plan(study).cells) == 3 * 5 * (7 + 5 - 1)


def test_every_game_is_asked_the_same() -> None:
    found = {name: {k: v for k, v in describe(name).items() if k in ("agents", "axes", "sizes")} for name in ATARI}
    assert all(study == found["atari_qbert"] for study in found.values())
    assert found["atari_qbert"]["axes"] == ["delay", "transition_noise", "reward_noise"]


@pytest.mark.slow
def test_rewards_of_games_are_cut_off() -> None:
    study = read_study("atari_qbert", "paper")
    assert dict(study.params)["reward_clip"] == (-1.0, 1.0)
    assert {asked.budget for asked in study.agents} == {10_000_000}
    assert len(plan(study).cells) == 3 * 5 * (3 * 5 - 2)


def test_irrelevant_dimensions_are_seen_and_moved_in() -> None:
    study = read_study("half_cheetah_irrelevant_dimensions", "paper")
    (axis,) = study.axes
    shapes = [study.task((level,)).environment.realisation("spaces")(study.task((level,))) for level in axis.levels]
    assert len(set(shapes)) == len(axis.levels) == 6


@pytest.mark.parametrize(
    ("name", "size", "labels"),
    [
        ("acrobot", "quick", ("dqn", "a2c")),
        ("reacher", "quick", ("ddpg", "sac")),
        pytest.param("half_cheetah_irrelevant_dimensions", "paper", ("sac",), marks=pytest.mark.slow),
        pytest.param("pusher", "paper", ("ddpg", "td3", "sac"), marks=pytest.mark.slow),
        pytest.param("half_cheetah", "paper", ("ddpg", "td3", "sac"), marks=pytest.mark.slow),
        pytest.param("atari_ablations", "paper", ("rainbow",), marks=pytest.mark.slow),
        *(pytest.param(name, "paper", ("dqn", "rainbow", "a2c"), marks=pytest.mark.slow) for name in ATARI),
    ],
)
def test_the_last_dose_of_every_axis_runs(name: str, size: str, labels: tuple[str, ...]) -> None:
    """Some steps of every agent, with updates, at the last point of each panel."""
    study = short(read_study(name, size))
    assert study.labels == labels
    for asked in study.agents:
        for axes in study.panels():
            cell = study.cell(asked, points_of(axes)[-1], 0)
            trained = learner([cell])
            before = weights(trained)
            trained.train(cell.steps)
            assert not trained.failed
            assert trained.curves()[0]["train/return"][0][-1] == cell.steps
            assert weights(trained) != before


def short(study: Experiment) -> Experiment:
    """The same study with a few hundred steps of agents that learn early."""
    agents = tuple(replace(asked, budget=200, agent=early(asked.agent)) for asked in study.agents)
    return replace(study, agents=agents, seeds=1)


def early(agent: Agent) -> Agent:
    left_out = {"a2c": set(EARLY), "dqn": {"random_steps"}, "rainbow": {"random_steps"}}.get(agent.name, set())
    given = {name: value for name, value in EARLY.items() if name not in left_out}
    return replace(agent, params=tuple(sorted({**dict(agent.params), **given}.items())))


def weights(trained: Learner) -> list[float]:
    """A number for each tensor of the networks."""
    parts = trained._algorithm.parts.values()
    networks = [part for part in parts if isinstance(part, torch.nn.Module)]
    return [float(tensor.detach().double().sum()) for network in networks for tensor in network.parameters()]
