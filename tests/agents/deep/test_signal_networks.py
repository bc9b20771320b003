"""Networks that control traffic signals: the numbers that they see, and what does not change their values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn import functional

import mohs
from mohs.agents.deep.networks.layers import generators, padded
from mohs.agents.traffic.frap import Frap
from mohs.agents.traffic.lanes import LaneEncoder
from mohs.agents.traffic.mplight import PRESSURE, SENSING
from mohs.agents.traffic.rewards import observed_reward
from mohs.engines.traffic.junction import APPROACHES, MOVEMENTS
from mohs.engines.traffic.signal import Signal
from mohs.envs.make import make

ENV = "traffic/intersection"
UNLIKE = [{}, {"lanes": 3, "observed_lanes": 4}, {"lanes": 5, "left_lanes": 1, "right_lanes": 1}, {"left_lanes": 2}]


def played(steps: int = 60, seed: int = 3, **params: object) -> tuple[Signal, list[np.ndarray], list[int], list[float]]:
    """The signal, and of each step of an episode what is seen after it, the phase and the reward."""
    env = make(mohs.Task.make(ENV, **{"inflow": 1800, **params}))
    env.reset(seed=seed)
    phases = np.random.default_rng(0).integers(env.action_space.n, size=steps).tolist()
    steps_taken = [env.step(phase) for phase in phases]
    signal = env.unwrapped.signal
    return signal, [np.array(step[0]) for step in steps_taken], phases, [float(step[1]) for step in steps_taken]


def tensor(seen: list[np.ndarray]) -> torch.Tensor:
    """Observations as a network of one cell takes them: [1, batch, padded width]."""
    numbers = torch.from_numpy(np.stack(seen))[None]
    return functional.pad(numbers, (0, padded(numbers.shape[-1]) - numbers.shape[-1]))


def frap(*signals: Signal, features: tuple[str, ...] = SENSING) -> Frap:
    return Frap(generators(list(range(len(signals)))), signals, features)


@pytest.mark.parametrize("params", UNLIKE)
@pytest.mark.parametrize("features", [PRESSURE, SENSING])
def test_a_movement_has_the_features_of_its_lanes(params: dict[str, int], features: tuple[str, ...]) -> None:
    """MPLight* sees each of them apart, and the light of the phase that is shown."""
    signal, seen, phases, _ = played(**params)
    light, numbers = frap(signal, features=features).seen(tensor(seen))
    for t, (observation, phase) in enumerate(zip(seen, phases, strict=True)):
        rows = observation.reshape(len(signal.permits), len(signal.features)).astype(np.float64)
        for movement in range(len(APPROACHES) * len(MOVEMENTS)):
            assert light[0, t, movement] == signal.greens[phase, movement]
            for f, name in enumerate(features):
                of_lanes = [
                    row[signal.features.index(name)]
                    for row, permits in zip(rows, signal.permits, strict=True)
                    if permits[movement]
                ]
                assert float(numbers[0, t, movement, f]) == pytest.approx(sum(of_lanes), rel=1e-5, abs=1e-6)


def test_values_are_permuted_as_phases_are() -> None:
    signal, seen, _, _ = played(left_lanes=1)
    order = [2, 0, 3, 1]
    one, other = frap(signal), frap(replace(signal, greens=signal.greens[order]))
    values = one(tensor(seen))
    torch.testing.assert_close(other(tensor(seen)), values[..., order])
    assert values.detach().std(1).min() > 1e-4  # it does look at what it sees


@pytest.mark.parametrize("params", UNLIKE)
def test_mirrored_and_turned_streets_have_the_same_values(params: dict[str, int]) -> None:
    """Approaches change places, with their lanes and their greens."""
    signal, seen, _, _ = played(**params)
    values = frap(signal)(tensor(seen))
    for approaches in ([2, 1, 0, 3], [2, 3, 0, 1], [1, 2, 3, 0]):

        def moved(array: np.ndarray, axis: int, order: list[int] = approaches) -> np.ndarray:
            parts = np.split(array, 4, axis)
            return np.concatenate([parts[a] for a in order], axis)

        turned = replace(signal, permits=moved(moved(signal.permits, 0), 1), greens=moved(signal.greens, 1))
        torch.testing.assert_close(frap(turned)(tensor([moved(one, 0) for one in seen])), values)


def test_lanes_that_do_not_exist_change_nothing() -> None:
    few, many = ({"lanes": 3, "observed_lanes": lanes} for lanes in (2, 5))
    values = []
    for params in (few, many):
        signal, seen, _, _ = played(**params)
        values.append(frap(signal)(tensor(seen)))
    torch.testing.assert_close(*values)


@pytest.mark.parametrize("reward", ["wait", "queue", "pressure"])
@pytest.mark.parametrize("inflow", [900, 4000])
def test_rewards_by_observation_are_those_of_the_task(reward: str, inflow: int) -> None:
    signal, seen, _, rewards = played(reward=reward, inflow=inflow, left_lanes=1, observed_lanes=4)
    np.testing.assert_allclose(observed_reward(reward, signal, np.stack(seen)), rewards, rtol=1e-5, atol=1e-5)
    assert len(set(rewards)) > 5


def test_filters_pass_over_lanes_and_features() -> None:
    lanes, features, channels = 7, 5, 12
    sees = LaneEncoder(generators([1, 2]), lanes, features, channels)
    picture = torch.rand(2, 9, lanes * features)
    found = sees(functional.pad(picture, (0, padded(lanes * features) - lanes * features)))
    for cell in range(2):
        weight = sees.filters.weight[cell, :channels, :4].reshape(channels, 1, 2, 2)
        wanted = functional.conv2d(
            picture[cell].view(9, 1, lanes, features), weight, sees.filters.bias[cell, 0, :channels]
        )
        mine = found[cell].view(9, lanes - 1, features - 1, padded(channels))[..., :channels].permute(0, 3, 1, 2)
        torch.testing.assert_close(mine, wanted.relu())
