"""How does a user of MDP Playground get a toy? By its name, from the same configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

from mohs.compat.configuration import task_of
from mohs.compat.functions import grid_action
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.tables.toys.grid import coordinates, numbers
from mohs.tables.toys.toy import Toy

Info = dict[str, Any]


class RLToyEnv(gymnasium.Env[Any, Any]):
    """A toy of mohs that is made from MDP Playground's configuration and answers to its names.

    It is seeded and reset when it is made, and never truncates. `task` is the task that the configuration asks for:
    `mohs.table(env.task)` is exact, `mohs.make_vec(env.task, num_envs=...)` plays many at once. `info` is
    `get_markov_state()`. docs/compat.md lists keys, methods and what differs.
    """

    metadata = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 4}  # noqa: RUF012 – as Gymnasium has it

    def __init__(self, **config: Any) -> None:
        self.config = config
        self.task: Task = task_of(config)
        values = self.task.values  # looked up once: it takes longer than a step
        self._kind = self.task.env
        self._span = values["delay"] + values.get("sequence_length", 1)
        self._two = bool(values.get("irrelevant_features", False))
        self._shape: tuple[int, ...] = values.get("grid_shape", ())
        self.render_mode = config.get("render_mode")
        face = self.task.environment.realisation("face")
        self.toy: Any = face(source=self.task, render_mode=self.render_mode)
        self.observation_space, self.action_space = self.toy.observation_space, self.toy.action_space
        self.observation_space.seed(self.task.seed)
        self.action_space.seed(self.task.seed)
        self.reset(seed=self.task.seed)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        super().reset(seed=seed)
        self.curr_obs, info = self.toy.reset(seed=seed, options=options)
        self.curr_state, relevant = self._states(info)
        before = [np.nan] * len(relevant) if self._kind == "toy/continuous" else np.nan
        self.augmented_state = [*[before] * self._span, relevant]
        return self.curr_obs, self.get_markov_state()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        if self._kind == "toy/grid":
            action = grid_action(action, len(self._shape), self._two)
        self.curr_obs, reward, terminated, truncated, info = self.toy.step(action)
        self.curr_state, relevant = self._states(info)
        self.augmented_state = [*self.augmented_state[1:], relevant]
        return self.curr_obs, reward, terminated, truncated, self.get_markov_state()

    def _states(self, info: Info) -> tuple[Any, Any]:
        """The state behind the observation, and what of it counts as a state in `augmented_state`."""
        if self._kind == "toy/continuous":
            self.state_derivatives = list(info["derivatives"])
            position = info["derivatives"][0].astype(np.float32)
            return position, position
        relevant = info["history"][-1].tolist()
        state = np.array(relevant) if self._kind == "toy/grid" else relevant
        if self._two:
            other = int(self.toy.fleet.instances["irrelevant"][0])
            state = np.append(state, coordinates(self._shape)[other] if self._kind == "toy/grid" else other)
        return state, relevant

    def render(self) -> Any:
        return self.toy.render()

    def close(self) -> None:
        self.toy.close()

    def get_markov_state(self) -> Info:
        """What decides the next step, noise apart: the state, what is seen of it, and the states before it.

        `augmented_state` holds the last delay + sequence_length + 1 states, oldest first, nan before the start.
        """
        names = ["curr_state", "curr_obs", "augmented_state"]
        names += ["state_derivatives"] if self._kind == "toy/continuous" else []
        return {name: getattr(self, name) for name in names}

    get_augmented_state = get_markov_state  # its older name

    @property
    def rewardable_sequences(self) -> dict[tuple[int, ...], float]:
        """The sequences that earn a reward when they are complete; none where rewards are a function's."""
        parts = self._parts()
        states = (tuple(sequence) for sequence in parts.sequences.tolist())
        return dict(zip(states, parts.sequence_rewards.tolist(), strict=True))

    def transition_function(self, state: Any, action: Any) -> Any:
        """Where an action leads from a (relevant) state without noise.

        Of a transition_function [S, A, S] the probabilities of all states.
        """
        parts = self._parts()
        if parts.succ is None:
            assert parts.probs is not None  # exactly one of both is set
            return parts.probs[state, action].copy()
        succ = parts.succ
        if self._kind == "toy/discrete":
            return int(succ[state, action])
        cell = numbers([state], self._shape)[0]
        return coordinates(self._shape)[succ[cell, grid_action(action, len(self._shape), False)]]

    def reward_function(self, states: Sequence[Any], action: Any) -> float:
        """What is earned by the last step of a sequence of states (and the action taken), before all other dials."""
        parts = self._parts()
        if parts.reward is None:
            last = tuple(states)[-parts.length :]
            return self.rewardable_sequences.get(last, 0.0)
        if self._kind == "toy/discrete":
            return float(parts.reward[states[-2], action])
        cell = numbers([states[-2]], self._shape)[0]
        return float(parts.reward[cell, grid_action(action, len(self._shape), False)])

    P = transition_function
    R = reward_function

    def _parts(self) -> Toy:
        if self.task.environment.parts is None:
            raise UsageError(f"{self.task.env} has no tables of transitions and rewards.")
        parts: Toy = self.task.environment.realisation("parts")(self.task)
        return parts
