"""How is a fleet of point masses built? Tasks and instances are written into records and arenas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.task import Source
from mohs.core.values import FunctionRef
from mohs.engines.continuous.law import LAW
from mohs.engines.continuous.layout import INSTANCE, TASK
from mohs.engines.continuous.parameters import spaces
from mohs.engines.draws import LANE_NOISE, LANE_REWARD
from mohs.engines.fleets import Fleet, common_spaces, delay_line, roster, write_reward_dials
from mohs.engines.memory import Arena
from mohs.engines.noise import drawn
from mohs.tables.toys.point_mass import PointMass, point_mass


class ContinuousFleet(Fleet):
    """Its `spaces` are (dimensions, bound of states, bound of actions).

    Its noises are, by task number, functions by the name of their dial.
    """

    law = LAW
    offsets = ("state", "kept", "push", "path", "line")
    observed = np.float32

    @property
    def width(self) -> int:
        return int(self.spaces[0])

    def states(self, ended: npt.NDArray[np.int32] | None = None) -> npt.NDArray[np.float64]:
        """[N, order, dims]: positions and derivatives of all instances, NaN above an instance's own order.

        With the tasks of the last episodes, the states that these `ended` in, which a fleet with `history` keeps.
        """
        orders = self.tasks["order"][self.instances["task"] if ended is None else ended]
        dims, most = self.spaces[0], int(self.tasks["order"].max())
        rows = np.arange(most)[:, None] * dims + np.arange(dims)
        first = self.instances["state" if ended is None else "kept"]
        known = np.arange(most)[None, :, None] < orders[:, None, None]
        return np.where(known, self.floats[np.where(known, first[:, None, None] + rows, 0)], np.nan)

    def blocks(self, i: int) -> dict[str, npt.NDArray[np.float64]]:
        inst, task = self.instances[i], self.tasks[self.instances["task"][i]]
        sizes = {"state": task["order"] * task["dims"], "path": task["line"] * (task["length"] + 1) * task["relevant"]}
        own = {name: self.floats[inst[name] : inst[name] + size] for name, size in sizes.items()}
        return {"line": delay_line(self, i), **own}

    def _draw(self, playing: npt.NDArray[np.bool_], actions: npt.NDArray[Any] | None) -> None:
        dims = self.spaces[0]
        self.instances["pushed"] = 0.0
        for i in np.flatnonzero(playing):
            inst = self.instances[i]
            if inst["push"] > 0:
                self.floats[inst["push"] : inst["push"] + dims] = 0.0
            functions = self.noise.get(int(inst["task"]), {})
            position = self.floats[inst["state"] : inst["state"] + dims].copy()
            action = None if actions is None else actions[i]
            if "reward_noise" in functions:
                inst["pushed"] = float(drawn(functions["reward_noise"], inst, LANE_REWARD, position, action))
            if "transition_noise" in functions:
                noise = drawn(functions["transition_noise"], inst, LANE_NOISE, position, action)
                self.floats[inst["push"] : inst["push"] + dims] = _numbers(noise, dims)


def _numbers(noise: Any, dims: int) -> npt.NDArray[np.float64]:
    """What a function of transition noise gave, as one finite number for each dimension."""
    try:
        read = np.asarray(noise, dtype=np.float64)
    except (TypeError, ValueError):
        read = np.empty(0)
    if read.shape != (dims,) or not np.isfinite(read).all():
        raise UsageError(
            f"transition_noise gave {noise!r}, but must give {dims} finite numbers, one for each dimension."
        )
    return read


def fleet(sources: Sequence[Source], history: bool = False) -> ContinuousFleet:
    """A fleet with one instance for each source; with `history` the state that an episode ended in is kept."""
    ints, floats = Arena(np.int32), Arena(np.float64)
    who = roster(sources, ints, floats)
    tasks = list(who.numbers)
    records = np.zeros(len(tasks), dtype=TASK)
    noise: dict[int, dict[str, FunctionRef]] = {}
    for number, task in enumerate(tasks):
        values = task.values
        _write_task(records[number], values, point_mass(values), floats)
        named = {name: values[name] for name in task.environment.noise if isinstance(values[name], FunctionRef)}
        if named:
            noise[number] = named
    common = common_spaces("(dimensions, state_space_max, action_space_max)", [spaces(t) for t in tasks], tasks)

    instances = np.zeros(len(sources), dtype=INSTANCE)
    room = who.most(records["order"] * records["dims"])
    state = floats.reserve(room * (2 if history else 1))
    instances["state"], instances["kept"] = state, state + room if history else 0
    instances["line"] = floats.reserve(who.most(records["delay"]))
    instances["path"] = floats.reserve(who.most(records["line"] * (records["length"] + 1) * records["relevant"]))
    pushed = np.array([common[0] * ("transition_noise" in noise.get(number, ())) for number in range(len(tasks))])
    width = who.most(pushed)
    instances["push"] = np.where(width > 0, floats.reserve(width), 0)
    return ContinuousFleet.build(who, common, noise, instances, records, ints, floats)


def _write_task(record: Any, values: dict[str, Any], mass: PointMass, floats: Arena) -> None:
    dims, order, length = mass.dims, values["transition_dynamics_order"], values["sequence_length"]
    record["dims"], record["relevant"], record["order"], record["length"] = dims, len(mass.relevant), order, length
    write_reward_dials(record, values)
    record["dense"], record["line"] = values["make_denser"], mass.target is None
    record["limit"], record["bound"] = mass.limit, np.float32(values["action_space_max"])
    record["radius"] = 0.0 if mass.target is None else mass.radius  # nothing is closer than 0
    record["loss"] = values["action_loss_weight"]
    noise = values["transition_noise"]
    record["transition_noise"] = 0.0 if isinstance(noise, FunctionRef) else noise
    record["taylor"] = floats.put(np.array([values["time_unit"] ** j / math.factorial(j) for j in range(order + 1)]))
    record["inertia"] = floats.put(mass.inertia)
    record["weight"] = floats.put(_spread(1.0, mass, 0.0))
    record["target"] = floats.put(_spread(0.0 if mass.target is None else mass.target, mass, 0.0))
    record["cubes"] = len(mass.centres)
    record["centres"] = floats.put(np.array([_spread(centre, mass, 0.0) for centre in mass.centres]))
    record["reach"] = floats.put(_spread(mass.half_edge, mass, math.inf))
    if mass.start is not None:
        record["fixed"], record["start"] = 1, floats.put(mass.start)
    if mass.target is None:
        record["scratch"] = floats.reserve(np.array([(length + 1) * len(mass.relevant)]))[0]


def _spread(relevant: Any, mass: PointMass, irrelevant: float) -> npt.NDArray[np.float64]:
    """Values of the relevant dimensions, and one for all others, in the order of the state."""
    values = np.full(mass.dims, irrelevant)
    values[mass.relevant] = relevant
    return values
