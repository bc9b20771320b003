"""What does the CT-graph look like to Gymnasium? Two thin faces on the compiled fleet.

`reset(options={"goal": (1, 2)})` sets the goal of this and all later episodes; `{"goal": None}` gives it back to the
task. `info` holds the number and the kind of the state, its node, and the decisions of the goal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.errors import unknown
from mohs.core.kernel import entry
from mohs.core.task import Source
from mohs.engines.ctgraph import kernels
from mohs.engines.ctgraph.fleet import Fleet, fleet
from mohs.envs.fleets import Address, FleetVectorEnv, Info, View
from mohs.envs.single import FleetEnv
from mohs.envs.views.classes import class_view
from mohs.tables.ctgraph import goal_leaf, kind, path


def _check_options(options: Info | None, valid: tuple[str, ...]) -> None:
    """A mistyped goal would be none."""
    for name in options or {}:
        if name not in valid:
            raise unknown("option of reset", name, valid)


class CTGraphEnv(FleetEnv):
    """The configurable tree graph (Soltoggio et al. 2023)."""

    environment = "ctgraph"
    fleet: Fleet
    _bound = ("_memory", "_kernel", "_step_one", "_address", "_state", "_goal")

    def _build(self) -> None:
        self.fleet = fleet([self.source])
        self._actions, _, size = self.fleet.spaces
        self.view: View | None = class_view(self.fleet)
        self.observation_space = spaces.Discrete(size) if self.view is None else self.view.space
        self.action_space = spaces.Discrete(self._actions)
        self._shapes = [tuple(task) for task in self.fleet.tasks[["branching", "depth", "decisions"]].tolist()]

    def _bind(self) -> None:
        self._memory = self.fleet.memory
        self._kernel = entry(kernels.step_one, self._memory, 0)
        self._step_one = self._kernel if self._show is None else self._filmed_step
        instances = self.fleet.instances
        self._address = Address(*(instances[name] for name in Address._fields))
        self._state, self._goal = instances["state"], instances["goal"]

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        _check_options(options, ("goal",))
        self._open_stream(seed)
        if options and "goal" in options:
            self.fleet.tell(-1 if options["goal"] is None else goal_leaf(self.task, options["goal"]))
        seen = kernels.begin_one(self._memory)
        if self._show is not None:
            self._show.begin(self.task)
        return self._seen(seen), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        seen, reward, terminated = self._step_one(self._memory, self._choice(action, self._actions))
        return self._seen(seen), reward, terminated, False, self._info()

    def _seen(self, number: int) -> Any:
        if self.view is None:
            return number
        return self.view(np.array([number]), self._address)[0]

    def _info(self) -> Info:
        branching, depth, decisions = self._shapes[self._address.task.item(0)]
        state = self._state.item(0)
        goal = path(self._goal.item(0), branching, depth)
        return {"state": state, "kind": kind(state, decisions), "node": max((state - 2) >> 1, -1), "goal": goal}

    def _look(self) -> npt.NDArray[np.int32]:
        inst = self.fleet.instances[0]
        return np.array([inst["state"], inst["goal"]])

    def _text(self) -> str:
        info = self._info()
        return f"step {self.fleet.instances['t'][0]}: {info['kind']} of node {info['node']}, goal {info['goal']}"


class CTGraphVectorEnv(FleetVectorEnv):
    """Many CT-graphs stepped by one kernel; with `history`, `info` holds states and goals."""

    environment = "ctgraph"
    fleet: Fleet

    def _build(self, sources: Sequence[Source]) -> None:
        self.fleet = fleet(sources)
        actions, _, size = self.fleet.spaces
        self.view = class_view(self.fleet)
        self.single_observation_space = spaces.Discrete(size) if self.view is None else self.view.space
        self.single_action_space = spaces.Discrete(actions)

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: Info | None = None) -> tuple[Any, Info]:
        _check_options(options, ("goal", "reset_mask"))
        if options and "goal" in options:
            goal = options["goal"]
            told = -1 if goal is None else [goal_leaf(task, goal) for task in self.fleet.numbers]
            self.fleet.tell(told if isinstance(told, int) else np.array(told)[self.fleet.instances["task"]])
        return super().reset(seed=seed, options=options)

    def _new_states(self) -> npt.NDArray[np.int64]:
        return np.empty(self.num_envs, dtype=np.int64)

    def _begin(self, chosen: npt.NDArray[np.bool_], states: npt.NDArray[np.int64]) -> None:
        kernels.begin_fleet(self.fleet.memory, chosen, states)

    def _read(self, actions: Any) -> npt.NDArray[np.int64]:
        return self._integers(actions)

    def _advance(self, actions: npt.NDArray[Any], states: Any, final: Any, rewards: Any, over: tuple[Any, Any]) -> int:
        return int(kernels.step_fleet(self.fleet.memory, actions, states, rewards, *over, final, self._same_step))

    def _info(self) -> Info:
        if not self._history:
            return {}
        there = np.ones(self.num_envs, dtype=np.bool_)
        states, goals = (self.fleet.instances[name].copy() for name in ("state", "goal"))
        return {"state": states, "_state": there, "goal": goals, "_goal": there.copy()}
