"""How is a fleet of discrete toys built? Each distinct task is written into a record and arenas once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.task import Source
from mohs.core.values import FunctionRef
from mohs.engines.discrete.law import LAW
from mohs.engines.discrete.layout import INSTANCE, TASK
from mohs.engines.draws import LANE_REWARD
from mohs.engines.fleets import NumberedFleet, common_spaces, delay_line, roster, write_reward_dials
from mohs.engines.memory import Arena, cumulative
from mohs.engines.noise import drawn
from mohs.tables.toys.toy import Toy


class DiscreteFleet(NumberedFleet):
    """Its `spaces` are (states, actions, irrelevant states, irrelevant actions), its noises those of the reward."""

    law = LAW
    offsets = ("line", "trace", "trace_length")

    @property
    def width(self) -> int:
        return 2 if self.spaces[2] else 1

    @property
    def sizes(self) -> tuple[int, int]:
        states, actions, irrelevant_states, irrelevant_actions = self.spaces
        return states * max(irrelevant_states, 1), actions * max(irrelevant_actions, 1)

    @property
    def traces(self) -> npt.NDArray[np.int32]:
        """The last N-states of every instance, oldest first, -1 before the start of its episode."""
        width = int(self.instances["trace_length"][0])
        first = int(self.instances["trace"][0])
        return self.ints[first : first + len(self) * width].reshape(len(self), width)

    def blocks(self, i: int) -> dict[str, npt.NDArray[np.float64]]:
        return {"line": delay_line(self, i)}

    def _draw(self, playing: npt.NDArray[np.bool_], actions: npt.NDArray[Any] | None) -> None:
        self.instances["pushed"] = 0.0
        for number, function in self.noise.items():
            for i in np.flatnonzero(playing & (self.instances["task"] == number)):
                inst = self.instances[i]
                action = None if actions is None else int(actions[i, 0])
                inst["pushed"] = float(drawn(function, inst, LANE_REWARD, int(inst["state"]), action))


def fleet(sources: Sequence[Source], history: bool = False) -> DiscreteFleet:
    """A fleet with one instance for each source; with `history` the last N-states of each are kept."""
    ints, floats = Arena(np.int32), Arena(np.float64)
    who = roster(sources, ints, floats)
    records = np.zeros(len(who.numbers), dtype=TASK)
    for task, number in who.numbers.items():
        _write_task(records[number], task.values, task.environment.realisation("parts")(task), ints, floats)
    instances = np.zeros(len(sources), dtype=INSTANCE)
    instances["line"] = floats.reserve(who.most(records["delay"]))
    if history:
        width = int((records["delay"] + records["length"] + 1).max())
        instances["trace_length"] = width
        instances["trace"] = ints.reserve(np.full(len(sources), width))
    noise = {n: t["reward_noise"] for t, n in who.numbers.items() if isinstance(t["reward_noise"], FunctionRef)}
    names = ("states", "actions", "irrelevant_states", "irrelevant_actions")
    sizes = [tuple(int(record[name]) for name in names) for record in records]
    spaces = common_spaces("(states, actions, irrelevant states, irrelevant actions)", sizes, list(who.numbers))
    return DiscreteFleet.build(who, spaces, noise, instances, records, ints, floats)


def _write_task(record: Any, values: dict[str, Any], parts: Toy, ints: Arena, floats: Arena) -> None:
    record["states"], record["actions"], record["set_size"] = parts.num_states, parts.num_actions, parts.set_size
    record["length"], record["gated"] = parts.length, parts.gated
    write_reward_dials(record, values)
    noise = values["transition_noise"]
    record["action_noise" if parts.noise_on_actions else "transition_noise"] = noise
    if noise > 0:
        record["stretch"] = ((parts.num_actions if parts.noise_on_actions else parts.set_size) - 1) / noise
    record["terminal"] = ints.put(parts.terminal)
    starts = np.flatnonzero(parts.initial)
    if np.ptp(parts.initial[starts]) == 0:  # equally likely ones need no search
        record["equal_starts"], record["starts"] = len(starts), ints.put(starts)
    else:
        record["start_cdf"] = floats.put(cumulative(parts.initial))
    record["next_set"] = ints.put(_next_set(parts.num_states, parts.set_size))
    if parts.succ is not None:
        record["succ"] = ints.put(parts.succ)
    else:
        assert parts.probs is not None
        record["stochastic"] = 1
        record["cdf"] = floats.put(cumulative(parts.probs))
    if parts.reward is not None:
        record["has_rewards"] = 1
        record["reward"] = floats.put(parts.reward)
    else:
        machine = parts.automaton
        assert machine is not None
        record["node_step"] = ints.put(machine.step)
        record["pay"] = floats.put(np.stack([machine.partial, machine.partial + machine.full], axis=1))
    if parts.irrelevant is not None:
        record["irrelevant_states"], record["irrelevant_actions"] = parts.irrelevant.shape
        record["irrelevant_succ"] = ints.put(parts.irrelevant)
        record["irrelevant_next_set"] = ints.put(_next_set(*parts.irrelevant.shape))
        record["irrelevant_stretch"] = (parts.irrelevant.shape[1] - 1) / noise if noise > 0 else 0.0
    if parts.connected is not None:
        record["given"] = 1
        record["connected"] = ints.put(np.concatenate([parts.connected.indptr, parts.connected.states]))
    rare = (
        parts.irrelevant is not None, parts.reward is not None, parts.connected is not None, parts.noise_on_actions
    )  # fmt: skip
    record["special"] = any(rare)


def _next_set(states: int, set_size: int) -> npt.NDArray[np.int64]:
    """For each state the first state of the independent set that follows its own."""
    return (np.arange(states) // set_size + 1) * set_size % states
