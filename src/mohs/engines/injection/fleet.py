"""How are injected dials written into memory? One block for all instances, seeded and begun from outside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.values import FunctionRef
from mohs.engines.draws import generator
from mohs.engines.injection import kernels
from mohs.engines.injection.layout import ALWAYS, DROP, LANE_REWARD, ON_TERMINATION, Memory, allocate, split

_AT_END = {"drop": DROP, "terminated": ON_TERMINATION, "always": ALWAYS}


@dataclass
class Injection:
    """Instances under one set of dials, as views into one memory. `noise` is reward noise given as a function."""

    memory: Memory
    noise: FunctionRef | None
    key: npt.NDArray[np.uint64] = field(init=False, repr=False)
    episode: npt.NDArray[np.int64] = field(init=False, repr=False)
    t: npt.NDArray[np.int64] = field(init=False, repr=False)
    ended: npt.NDArray[np.int64] = field(init=False, repr=False)
    over: npt.NDArray[np.int64] = field(init=False, repr=False)
    pushed: npt.NDArray[np.float64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.key, self.episode, self.t, self.ended, self.over, self.pushed, _, _ = split(self.memory)[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return Injection, (self.memory, self.noise)  # the views are made anew

    def __len__(self) -> int:
        return len(self.key)

    def seed(self, i: int, key: int) -> None:
        """A new random stream for an instance; the next `begin` starts its first episode."""
        self.key[i] = key
        self.episode[i] = -1

    def begin(self, chosen: npt.NDArray[np.bool_]) -> None:
        kernels.begin_fleet(self.memory, chosen)

    def draw_noise(self) -> None:
        """Draws reward noise that is given as a function for the step to come, by its address."""
        assert self.noise is not None
        for i in np.flatnonzero(self.over == 0):
            rng = generator(int(self.key[i]), int(self.episode[i]), int(self.t[i]) + 1, LANE_REWARD)
            self.pushed[i] = float(self.noise(rng))

    def address(self, rows: npt.NDArray[np.int64], final: bool) -> tuple[Any, Any, Any]:
        """(key, episode, t) of the observations of these instances; `final`: of those that ended their last episode."""
        if final:
            return self.key[rows], self.episode[rows] - 1, self.ended[rows]
        return self.key[rows], self.episode[rows], self.t[rows]


def injection(
    count: int, values: Mapping[str, Any], action_noise: float, bounded: bool, limits: npt.NDArray[Any] | None
) -> Injection:
    """Instances under these values of the dials; `limits` [components, 2] are those of the actions, if any alter."""
    memory = allocate(count, values["delay"], 0 if limits is None else len(limits))
    dials, _, _, _, limit_words, _ = split(memory)
    noise = values["reward_noise"]
    function = noise if isinstance(noise, FunctionRef) else None
    rule = dials[0]
    rule["delay"], rule["at_end"] = values["delay"], _AT_END[values["delay_at_end"]]
    rule["bounded"], rule["stickiness"], rule["action_noise"] = bounded, values["sticky_actions"], action_noise
    rule["given"], rule["reward_noise"] = values["reward_probability"], 0.0 if function else noise
    rule["scale"], rule["shift"] = values["reward_scale"], values["reward_shift"]
    rule["terminal_bonus"] = values["term_state_reward"] * values["reward_scale"]
    rule["lowest"], rule["highest"] = values["reward_clip"] or (-np.inf, np.inf)
    if limits is not None:
        limit_words.view(limits.dtype)[:] = limits.ravel()
    return Injection(memory, function)
