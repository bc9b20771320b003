"""Bad input gets one clear sentence that names what is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mohs
from mohs import Agent, Cell, Family, Probe, Segment, Task, TaskSet, UsageError
from mohs.core.dials import dial
from mohs.core.values import resolve

VANILLA = Task.make("toy/discrete")
IDENTITY = np.tile(np.arange(4), (4, 1))

BAD_PARAMETERS = [
    ({"dealy": 3}, "Did you mean 'delay'"),
    ({"delay": -1}, "delay is -1"),
    ({"delay": 1.5}, "delay is 1.5"),
    ({"delay": "many"}, "delay is 'many'"),
    ({"delay": True}, "delay is True"),
    ({"delay": None}, "delay is None"),
    ({"delay": math.nan}, "delay is nan"),
    ({"delay": [1, 2]}, "delay is"),
    ({"delay_at_end": "keep"}, "'drop', 'terminated'"),
    ({"sequence_length": 0}, "sequence_length is 0"),
    ({"sequence_length": 7}, "sequence_length must be smaller"),
    ({"reward_density": 0}, "reward_density is 0"),
    ({"reward_density": 1.1}, "reward_density is 1.1"),
    ({"reward_density": 0.1}, "at least 0.167"),
    ({"reward_density": math.inf}, "reward_density is inf"),
    ({"transition_noise": -0.1}, "transition_noise is -0.1"),
    ({"transition_noise": 1.01}, r"\[0, 1\]"),
    ({"transition_noise": "0.1"}, "transition_noise is '0.1'"),
    ({"reward_noise": -1}, "reward_noise is -1"),
    ({"reward_noise": "no.such.module:f"}, "cannot be loaded"),
    ({"reward_noise": "math:no_such"}, "unknown function"),
    ({"reward_scale": math.nan}, "reward_scale is nan"),
    ({"reward_shift": "up"}, "reward_shift is 'up'"),
    ({"make_denser": 1}, "make_denser is 1"),
    ({"reward_every_n_steps": "yes"}, "True or False"),
    ({"terminal_state_density": 1.0}, "at least one must not be"),
    ({"terminal_state_density": -0.5}, "terminal_state_density is -0.5"),
    ({"action_space_size": 0}, "action_space_size is 0"),
    ({"action_space_size": [8, 8]}, "needs irrelevant_features=True"),
    ({"action_space_size": [8, 8, 8], "irrelevant_features": True}, "action_space_size is"),
    ({"action_space_size": 100_000}, "at most 10,000,000"),
    ({"action_space_size": 1, "transition_noise": 0.1, "reward_density": 1}, "single state"),
    ({"state_space_size": 9}, "8 × 1 = 8 states"),
    ({"diameter": 0}, "diameter is 0"),
    ({"irrelevant_features": 2}, "irrelevant_features is 2"),
    ({"reward_dist": [1]}, "2 values"),
    ({"reward_dist": [0, math.inf]}, "finite"),
    ({"max_episode_steps": 0}, "max_episode_steps is 0"),
    ({"transition_function": [[0, 1], [2, 0]]}, "leads to state 2"),
    ({"transition_function": [[0.5, 1], [1, 0]]}, "whole numbers"),
    ({"transition_function": [[0, 1], [1]]}, r"\[S, A\]"),
    ({"transition_function": np.zeros((2, 2, 3))}, "has shape"),
    ({"transition_function": np.zeros((2, 2, 2))}, "sum to 1"),
    ({"transition_function": IDENTITY, "diameter": 2}, "diameter must be 1"),
    ({"transition_function": IDENTITY, "state_space_size": 5}, "has 4 states"),
    ({"transition_function": IDENTITY, "action_space_size": 5}, "has 4 actions"),
    ({"transition_function": lambda s, a: 0}, "needs state_space_size and action_space_size"),
    ({"reward_function": [[1.0]]}, "must have \\[states, actions\\]"),
    ({"reward_function": np.full((8, 8), math.nan)}, "finite"),
    ({"reward_function": np.zeros((8, 8)), "sequence_length": 2}, "sequence_length must be 1"),
    ({"reward_function": np.zeros((8, 8)), "reward_density": 0.5}, "reward_density cannot be set"),
    ({"reward_function": np.zeros((8, 8)), "rewardable_sequences": {(1,): 1}}, "not both"),
    ({"rewardable_sequences": {}}, "mapping of state tuples"),
    ({"rewardable_sequences": {(9,): 1}}, "names state 9"),
    ({"rewardable_sequences": {(1,): 1, (1, 2): 1}}, "same length"),
    ({"rewardable_sequences": {(1, 2): 1}, "sequence_length": 3}, "sequence_length is 3"),
    ({"rewardable_sequences": {(1, 2): "much"}}, "a reward of rewardable_sequences"),
    ({"rewardable_sequences": [((1,), 1), ((1,), 2)]}, "twice"),
    ({"init_state_dist": [1.0]}, "1 probabilities for 8 states"),
    ({"init_state_dist": [0.5] + [0.0] * 7}, "must sum to 1"),
    ({"init_state_dist": [-1.0] + [0.0] * 7}, "init_state_dist"),
    ({"terminal_states": [8]}, "names state 8"),
    ({"terminal_states": list(range(8))}, "at least one must not be terminal"),
    ({"terminal_states": [1], "terminal_state_density": 0.5}, "not both"),
    ({"terminal_states": [1], "init_state_dist": [0, 1] + [0] * 6}, "terminal state 1"),
    ({"rewardable_sequences": {tuple(i % 8 for i in range(200)): 1.0}}, "sequence_length is 200"),
    ({"action_space_size": (2, 100_000), "irrelevant_features": True}, "irrelevant states"),
    ({"terminal_states": 3}, "terminal_states is 3"),
    ({"transition_function": [[0, -1], [1, 1]]}, "leads to state -1"),
    ({"reward_scale": 1e200, "term_state_reward": 1e200}, "must be finite"),
    ({"seed": -1}, "seed is -1"),
    ({"seed": 1.5}, "seed is 1.5"),
    ({"action_space_size": 64, "sequence_length": 10, "reward_density": 1e-9}, "can be ranked"),
]  # fmt: skip


@pytest.mark.parametrize(("params", "message"), BAD_PARAMETERS, ids=[message for _, message in BAD_PARAMETERS])
def test_bad_parameters(params, message):
    with pytest.raises(UsageError, match=message) as caught:
        mohs.make("toy/discrete", **params)
    one_clear_sentence(str(caught.value))


BAD_VALUES = [
    (lambda: Task.make("toy/discret"), "Did you mean 'toy/discrete'"),
    (lambda: Task.from_json("{"), "not JSON"),
    (lambda: Task.from_json("[]"), "must be a JSON object"),
    (lambda: Task.from_json('{"env": "toy/discrete"}'), "missing or unknown: params, seed"),
    (lambda: Task.from_json({"env": "toy/discrete", "params": [], "seed": 0}), "mapping of names"),
    (lambda: Task.from_json({"env": "toy/discrete", "params": {"delay": {"a": 1}}, "seed": 0}), "not a parameter"),
    (lambda: Task.from_json({"env": "toy/discrete", "params": {"seed": 3}, "seed": 0}), "malformed"),
    (lambda: Task.from_json({"env": [], "params": {}, "seed": 0}), "unknown environment"),
    (lambda: TaskSet.from_json({"tasks": [VANILLA.to_json()], "weights": ["a"]}), "weights is"),
    (lambda: TaskSet.from_json({"tasks": [VANILLA.to_json()], "weights": [-1]}), "weights"),
    (lambda: Agent.from_json({"name": "a", "params": [1], "source": ""}), "malformed"),
    (lambda: Cell.from_json({"agent": {}, "seed": 0, "segments": None, "probes": [], "window": 1}), "malformed"),
    (lambda: Probe.from_json({**Probe("e", VANILLA, (1,)).to_json(), "at": 5}), "malformed"),
    (lambda: mohs.Score.from_json({**mohs.Score("a", "b").to_json(), "low": {"worth": 1}}), "a reference must have"),
    (lambda: Family.grid("toy/discrete", delay=[0]).product(sequence_length=2), "must be a list"),
    (lambda: mohs.make_vec("toy/discrete", tasks=[1, 2]), "each a Task"),
    (lambda: mohs.make(TaskSet.make([VANILLA]), seed=3), "their own parameters and seeds"),
    (lambda: mohs.table("toy/discrete", limit="a"), "limit is 'a'"),
    (lambda: mohs.table("toy/discrete", delay=2000, limit=20_000), "10\\^"),
    (lambda: mohs.make_vec("toy/discrete", num_envs=2).reset(seed=1.5), "the seed is 1.5"),
    (lambda: mohs.make_vec("toy/discrete", num_envs=2).reset(seed="ab"), "the seed is 'ab'"),
    (lambda: mohs.make_vec("toy/discrete", num_envs=2).reset(options={"reset_mask": [True, False]}), "first time"),
    (lambda: TaskSet.make([]), "at least one task"),
    (lambda: TaskSet.make([VANILLA], [-1]), "weights"),
    (lambda: TaskSet.make([VANILLA], [1, 2]), "weights"),
    (lambda: TaskSet.make([VANILLA], [math.nan]), "weights"),
    (lambda: Segment(VANILLA, -1), "steps of a segment"),
    (lambda: Segment("toy/discrete", 10), "must be a Task"),
    (lambda: Probe("eval", VANILLA, ()), "one or more increasing"),
    (lambda: Probe("eval", VANILLA, (5, 5)), "increasing"),
    (lambda: Probe("eval", VANILLA, range(5, 0, -1)), "increasing"),
    (lambda: Probe("eval", VANILLA, range(5, 5)), "one or more increasing"),
    (lambda: Probe.from_json({**Probe("e", VANILLA, (1,)).to_json(), "at": {"first": 1}}), "malformed"),
    (lambda: Probe("train", VANILLA, (5,)), "other than 'train'"),
    (lambda: Probe("eval", VANILLA, (5,), episodes=0), "episodes"),
    (lambda: Probe("eval", VANILLA, (5,), mode="lazy"), "mode"),
    (lambda: Probe("eval", VANILLA, (5,), metrics=("joy",)), "metric"),
    (lambda: Cell(Agent.make("random"), 0, ()), "at least one segment"),
    (lambda: Cell(Agent.make("random"), -1, (Segment(VANILLA, 1),)), "seed of a cell"),
    (lambda: Cell(Agent.make("random"), 0, (Segment(VANILLA, 1),), (Probe("e", VANILLA, (2,)),)), "after the last"),
    (lambda: Cell(Agent.make("random"), 0, (Segment(VANILLA, 1),), (Probe("e", VANILLA, (1,)),) * 2), "different"),
    (lambda: Family.grid("toy/discrete", delay=[]), "no values"),
    (lambda: Family.grid("toy/discrete", delay=[0, 0]), "twice"),
    (lambda: Family.grid("toy/discrete", delay=[0, 1]).weighted([1]), "1 weights"),
    (lambda: Family.grid("toy/discrete", delay=[0, 1]).product(delay=[2]), "already"),
    (lambda: Family.explicit([]), "at least one point"),
    (lambda: dial("delai"), "Did you mean 'delay'"),
    (lambda: resolve("nothing"), "module:function"),
    (lambda: resolve("no_such_file.py:f"), "no file"),
    (lambda: mohs.make_vec("toy/discrete"), "needs num_envs"),
    (lambda: mohs.make_vec("toy/discrete", num_envs=0), "num_envs is 0"),
    (lambda: mohs.make_vec("toy/discrete", num_envs=2, tasks=[VANILLA]), "1 tasks"),
    (lambda: mohs.make_vec("toy/discrete", tasks=[VANILLA, VANILLA.replace(action_space_size=16)]), "same spaces"),
    (lambda: mohs.make_vec("toy/discrete", num_envs=2, autoreset_mode="Never"), "autoreset_mode"),
    (lambda: mohs.table("toy/discrete", delay=25), "more than 4,000,000 reachable states"),
    (lambda: mohs.table("toy/discrete", delay=8, limit=100), "more than 100 reachable states"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), BAD_VALUES, ids=[message for _, message in BAD_VALUES])
def test_bad_values(call, message):
    with pytest.raises(UsageError, match=message) as caught:
        call()
    one_clear_sentence(str(caught.value))


def one_clear_sentence(text):
    assert text.endswith(".")
    assert "\n" not in text
    assert len(text) < 500
