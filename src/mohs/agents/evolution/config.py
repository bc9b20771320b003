"""Which hyperparameters do all searches share? Those of the policy, and how a candidate is scored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.agents.hyperparameters import Config, setting
from mohs.core.domain import Choice, Each, Flag, Integer, Real


@dataclass(frozen=True)
class SearchConfig(Config):
    """A method adds its own, and says what it starts from."""

    policy: str = setting("linear", Choice(("linear", "mlp")), "policy: one linear layer, or hidden layers before it")
    hidden: tuple[int, ...] = setting((32, 32), Each(Integer(1)), "hidden layer widths of policy=mlp")
    activation: str = setting("tanh", Choice(("relu", "tanh")), "activation of the hidden layers")
    with_bias: bool = setting(True, Flag(), "whether the linear policy has a bias; policy=mlp always has one")
    squash_output: bool = setting(
        True, Flag(), "continuous actions are the tanh of the outputs, scaled to the bounds; false clips the outputs"
    )
    normalize_observations: bool = setting(
        False, Flag(), "observations are normalised by the mean and deviation of all that were seen in training"
    )
    zero_policy: bool = setting(True, Flag(), "initial weights are 0; false draws them within ±1/√inputs of a layer")
    n_eval_episodes: int = setting(1, Integer(1), "episodes whose mean return is the score of a candidate")
    alive_bonus_offset: float = setting(
        0.0, Real(), "number added to every reward in the score of a candidate, to cancel a bonus for being alive"
    )

    @property
    def layers(self) -> tuple[int, ...]:
        """The widths of the hidden layers."""
        return self.hidden if self.policy == "mlp" else ()

    @property
    def has_bias(self) -> bool:
        return self.with_bias or self.policy == "mlp"

    @property
    def rule(self) -> Any:
        """The method and its numbers as a kernel takes them: see `method.py`."""
        raise NotImplementedError

    def first_std(self, weights: int) -> npt.NDArray[np.float64]:
        """The standard deviations that a method adapts, as they are at first."""
        return np.zeros(0)
