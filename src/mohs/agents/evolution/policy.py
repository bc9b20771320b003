"""How does a policy with given weights choose an action? By layers from an observation to scores or numbers.

Observations are numbers, or states one-hot. Discrete actions are those of the largest output; continuous ones are the
outputs, squashed or clipped to the bounds. Weights lie in one row: for each layer its biases, if it has any, then for
each input the weights to all outputs.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.agents.evolution.config import SearchConfig
from mohs.core.errors import UsageError
from mohs.core.kernel import law

Whole = npt.NDArray[np.int64]
Single = npt.NDArray[np.float32]


class Layout(NamedTuple):
    """The form of a policy, the same for all cells of a pack."""

    widths: Whole  # of the input, the hidden layers and the output
    bias: bool
    relu: bool  # or tanh, in the hidden layers
    normalise: bool
    first: Whole  # of each observed number, the input that its value 0 is; empty where they are no states
    scale: float  # of the numbers that are observed
    sizes: Whole  # options of each choice; empty where actions are continuous
    starts: Whole  # the number of the first option
    low: Single  # bounds of continuous actions
    high: Single
    squash: bool

    @property
    def weights(self) -> int:
        """How many weights a policy has."""
        return sum((inputs + self.bias) * outputs for inputs, outputs in pairwise(self.widths.tolist()))

    @property
    def parts(self) -> tuple[int, npt.DTypeLike]:
        """The components of an action and their type, as kernels take them."""
        return (len(self.sizes), np.int64) if len(self.sizes) else (len(self.low), np.float32)


def layout(seen: spaces.Space[Any], played: spaces.Space[Any], config: SearchConfig, agent: str) -> Layout:
    """The form of a policy between two spaces."""
    inputs, first, scale = _inputs(seen, agent)
    sizes, starts, low, high = _outputs(played, config, agent)
    outputs = int(sizes.sum()) if len(sizes) else len(low)
    widths = np.array([inputs, *config.layers, outputs])
    form = config.has_bias, config.activation == "relu", config.normalize_observations
    return Layout(widths, *form, first, scale, sizes, starts, low, high, config.squash_output)


def _inputs(space: spaces.Space[Any], agent: str) -> tuple[int, Whole, float]:
    """How many inputs there are, where the states begin among them, and the scale of numbers."""
    if isinstance(space, spaces.Discrete):
        return int(space.n), np.array([-int(space.start)]), 1.0
    if isinstance(space, spaces.MultiDiscrete):
        sizes, starts = space.nvec.ravel().astype(np.int64), space.start.ravel().astype(np.int64)
        return int(sizes.sum()), np.cumsum(sizes) - sizes - starts, 1.0
    if isinstance(space, spaces.Box | spaces.MultiBinary):
        bytes_of_images = space.dtype == np.uint8 and isinstance(space, spaces.Box)
        return int(np.prod(space.shape)), np.zeros(0, dtype=np.int64), 1 / 255 if bytes_of_images else 1.0
    raise UsageError(f"{agent} sees numbers, states or images, but the observation space is {space}.")


def _outputs(space: spaces.Space[Any], config: SearchConfig, agent: str) -> tuple[Whole, Whole, Single, Single]:
    """Options and first options of choices, bounds of numbers."""
    whole, single = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
    if isinstance(space, spaces.Discrete):
        return np.array([int(space.n)]), np.array([int(space.start)]), single, single
    if isinstance(space, spaces.MultiDiscrete):
        return space.nvec.ravel().astype(np.int64), space.start.ravel().astype(np.int64), single, single
    if not isinstance(space, spaces.Box):
        raise UsageError(f"{agent} plays discrete or continuous actions, but the action space is {space}.")
    if config.squash_output and not space.is_bounded():
        raise UsageError(
            f"{agent} squashes actions to their bounds, but the action space is {space}: set squash_output=false."
        )
    low, high = (np.asarray(bound, dtype=np.float32).ravel() for bound in (space.low, space.high))
    return whole, whole, low, high


@law
def perceive(layout, observation, inputs):
    """Writes an observation as inputs."""
    if len(layout.first) > 0:
        for k in range(layout.widths[0]):
            inputs[k] = 0.0
        for k in range(len(layout.first)):
            inputs[layout.first[k] + np.int64(observation[k])] = 1.0
    else:
        for k in range(layout.widths[0]):
            inputs[k] = layout.scale * observation[k]


@law
def respond(layout, weights, values):
    """Carries the inputs, in the first row of `values`, through all layers; returns the row of the outputs.

    Input by input, not output by output: the sums of all outputs grow side by side, so that the processor adds several
    at once without a change of the order in which any one of them is added up.
    """
    row, place, last = 0, 0, len(layout.widths) - 2
    for layer in range(last + 1):
        before, after = values[row], values[1 - row]
        outputs = layout.widths[layer + 1]
        if layout.bias:
            for output in range(outputs):
                after[output] = weights[place + output]
            place += outputs
        else:
            for output in range(outputs):
                after[output] = 0.0
        for k in range(layout.widths[layer]):
            value, of_input = before[k], weights[place : place + outputs]
            for output in range(outputs):
                after[output] += of_input[output] * value
            place += outputs
        if layer < last:
            for output in range(outputs):
                after[output] = max(after[output], 0.0) if layout.relu else math.tanh(after[output])
        row = 1 - row
    return row


@law
def choose(layout, outputs, action):
    """Writes the action that outputs stand for. What is no number becomes the first option or the lower bound."""
    if len(layout.sizes) > 0:
        place = 0
        for k in range(len(layout.sizes)):
            best = 0
            for option in range(1, layout.sizes[k]):
                if outputs[place + option] > outputs[place + best]:
                    best = option
            action[k] = layout.starts[k] + best
            place += layout.sizes[k]
    else:
        for k in range(len(layout.low)):
            low, high, value = layout.low[k], layout.high[k], outputs[k]
            if layout.squash:
                value = low + (math.tanh(value) + 1.0) * 0.5 * (high - low)
            number = np.float32(value)
            if not number >= low:
                number = low
            action[k] = min(number, high)
