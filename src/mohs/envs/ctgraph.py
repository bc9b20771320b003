"""How does Gymnasium play the CT-graph? Two environments on the compiled fleet.

`reset(options={"goal": (1, 2)})` sets the goal of this and all later episodes; `{"goal": None}` gives it back to the
task. `info` holds the number and the kind of the state, its node, and the decisions of the goal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.engines.ctgraph.fleet import CtGraphFleet, fleet
from mohs.envs.fleets import Face, FleetVectorEnv, Info, Spaces, check_options
from mohs.envs.single import FleetEnv
from mohs.envs.views.classes import class_view
from mohs.tables.ctgraph.graph import goal_leaf, kind, path


def _spaces(built: CtGraphFleet) -> Spaces:
    actions, _, size = built.spaces
    return spaces.Discrete(size), spaces.Discrete(actions)


FACE = Face("ctgraph", fleet, _spaces, class_view)


class CTGraphEnv(FleetEnv):
    """The configurable tree graph (Soltoggio et al. 2023)."""

    face = FACE
    fleet: CtGraphFleet
    _bound = ("_state", "_goal")

    def _bind(self) -> None:
        super()._bind()
        self._actions = self.fleet.spaces[0]
        self._state, self._goal = self.fleet.instances["state"], self.fleet.instances["goal"]
        self._shapes = [tuple(task) for task in self.fleet.tasks[["branching", "depth", "decisions"]].tolist()]

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        check_options(options, ("goal",))
        if options and "goal" in options:
            self.fleet.set_goal(-1 if options["goal"] is None else goal_leaf(self.task, options["goal"]))
        return super().reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        chosen = self._choice(action, self._actions)
        number, reward, terminated = self._step_one(self._memory, (chosen,))
        seen = number if self.view is None else self.view(np.array([[number]]), self._address)[0]
        return seen, reward, terminated, False, self._info()

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

    face = FACE
    fleet: CtGraphFleet

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: Info | None = None) -> tuple[Any, Info]:
        check_options(options, ("goal", "reset_mask"))
        if options and "goal" in options:
            goal = options["goal"]
            leaves = -1 if goal is None else [goal_leaf(task, goal) for task in self.fleet.numbers]
            self.fleet.set_goal(leaves if isinstance(leaves, int) else np.array(leaves)[self.fleet.instances["task"]])
        return super().reset(seed=seed, options=options)

    def _info(self) -> Info:
        if not self._history:
            return {}
        there = np.ones(self.num_envs, dtype=np.bool_)
        states, goals = (self.fleet.instances[name].copy() for name in ("state", "goal"))
        return {"state": states, "_state": there, "goal": goals, "_goal": there.copy()}
