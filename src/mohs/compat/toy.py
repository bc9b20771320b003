"""How does a user of MDP Playground get a toy? By its name, from the same configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

from mohs.compat.attributes import attributes, discrete_attributes, start_distributions
from mohs.compat.configuration import task_of
from mohs.compat.functions import grid_action
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.tables.toys.grid import coordinates, numbers
from mohs.tables.toys.point_mass import point_mass
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
        self.config = dict(config)
        self.task: Task = task_of(config)
        vars(self).update(attributes(self.task))
        values = self.task.values  # looked up once: it takes longer than a step
        self._kind = self.task.env
        self._span = values["delay"] + values.get("sequence_length", 1)
        self._two = bool(values.get("irrelevant_features", False))
        self._shape: tuple[int, ...] = values.get("grid_shape", ())
        self._width = len(self._shape) or 1  # numbers that one part of a discrete state or of a cell has
        if self._kind == "toy/discrete":
            vars(self).update(discrete_attributes(self.task, self._parts()))
            self.config |= start_distributions(self._parts())
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

    def is_terminal_state(self, state: Any) -> bool:
        """Does a state end an episode? A continuous toy and a grid also end at the target."""
        if self._kind == "toy/continuous":
            mass = point_mass(self.task.values)
            return bool(mass.terminal(np.asarray(state, dtype=np.float64)[None])[0])
        return bool(self._parts().terminal[self._number(self._relevant(state))])

    def transition_function(self, state: Any, action: Any) -> Any:
        """Where an action leads from a state without noise: of the relevant part, or of both where both are given.

        Of a transition_function [S, A, S] the probabilities of all states.
        """
        parts = self._parts()
        relevant, chosen = self._relevant(state), self._action(action)
        if parts.succ is None:
            assert parts.probs is not None  # exactly one of both is set
            after: Any = parts.probs[relevant, chosen[0]].copy()
        else:
            after = self._state(parts.succ[self._number(relevant), chosen[0]])
        if relevant is state:
            return after
        assert parts.irrelevant is not None  # a state of two parts has one
        other = self._state(parts.irrelevant[self._number(state[-self._width :]), chosen[1]])
        return (after, other) if parts.succ is None else np.append(after, other)

    def reward_function(self, states: Sequence[Any], action: Any) -> float:
        """What is earned by the last step of a sequence of states (and the action taken), before all other dials."""
        parts = self._parts()
        visited = [self._relevant(state) for state in states]
        if parts.reward is None:
            return self.rewardable_sequences.get(tuple(visited[-parts.length :]), 0.0)
        return float(parts.reward[self._number(visited[-2]), self._action(action)[0]])

    P = transition_function
    R = reward_function

    def _relevant(self, state: Any) -> Any:
        """The relevant part of a state, which may be given with the irrelevant one or without; itself if without."""
        if not self._two or np.size(state) == self._width:
            return state
        return state[0] if self._kind == "toy/discrete" else state[: self._width]

    def _action(self, action: Any) -> tuple[int, ...]:
        """The numbers of the relevant and, where it is given, of the irrelevant action."""
        if self._kind == "toy/grid":
            action = grid_action(action, len(self._shape), self._two and np.size(action) > self._width)
        return tuple(np.atleast_1d(action).tolist())

    def _number(self, state: Any) -> int:
        """The number of one part of a state: of a grid, of the cell."""
        return int(numbers([state], self._shape)[0]) if self._kind == "toy/grid" else int(np.asarray(state).item())

    def _state(self, number: int) -> Any:
        """The part of a state that has this number."""
        return coordinates(self._shape)[number] if self._kind == "toy/grid" else int(number)

    def _parts(self) -> Toy:
        if self.task.environment.parts is None:
            raise UsageError(f"{self.task.env} has no tables of transitions and rewards.")
        parts: Toy = self.task.environment.realisation("parts")(self.task)
        return parts
