"""Configurations of MDP Playground to be played on both sides: those that mean the same, and those that do not."""

from __future__ import annotations

from typing import Any

import numpy as np

CONTINUOUS: dict[str, Any] = {
    "state_space_type": "continuous", "state_space_dim": 2, "state_space_max": 10, "action_space_max": 1,
    "target_point": [0, 0], "target_radius": 0.05, "reward_function": "move_to_a_point", "seed": 0,
}  # fmt: skip
GRID: dict[str, Any] = {
    "state_space_type": "grid", "grid_shape": [5, 4], "reward_function": "move_to_a_point", "target_point": [3, 2],
    "make_denser": True, "seed": 0,
}  # fmt: skip
AHEAD = {"target_point": [-5, -5]}


def custom(number: int) -> dict[str, Any]:
    """An MDP of the user's own, with dials; every second one has ends."""
    rng = np.random.default_rng(number)
    states, actions = int(rng.integers(3, 9)), int(rng.integers(2, 6))
    config = {
        "state_space_type": "discrete", "state_space_size": states, "action_space_size": actions, "seed": number,
        "use_custom_mdp": True, "init_state_dist": np.eye(states)[1].tolist(),
        "transition_function": rng.integers(states, size=(states, actions)).tolist(),
        "reward_function": rng.normal(size=(states, actions)).tolist(),
        "delay": int(rng.integers(4)), "reward_scale": float(rng.normal()), "reward_shift": float(rng.normal()),
        "term_state_reward": float(rng.normal()), "terminal_states": [0] if number % 2 else [],
    }  # fmt: skip
    return {"config": config, "actions": rng.integers(actions, size=30).tolist()}


def generated(number: int, **dials: Any) -> dict[str, Any]:
    rng = np.random.default_rng(number)
    config = {
        "state_space_type": "discrete", "action_space_size": 5, "seed": number, "terminal_state_density": 0.2,
        "reward_density": 0.5, **dials,
    }  # fmt: skip
    return {"config": config, "actions": rng.integers(5, size=60).tolist()}


def moves(start: list[float], *actions: list[float], **config: Any) -> dict[str, Any]:
    return {"config": {**CONTINUOUS, **config}, "start": start, "actions": list(actions)}


def cells(start: list[int], *actions: list[int], **config: Any) -> dict[str, Any]:
    return {"config": {**GRID, **config}, "start": start, "actions": list(actions)}


SAME = {
    # The custom MDP of MDP Playground's own tests, from state 5.
    "custom P and R": {
        "config": {
            "state_space_type": "discrete", "action_space_type": "discrete", "state_space_size": 8,
            "action_space_size": 5, "use_custom_mdp": True, "delay": 1, "reward_scale": 2.0, "seed": 0,
            "transition_function": np.random.default_rng(0).integers(8, size=(8, 5)).tolist(),
            "reward_function": np.random.default_rng(1).integers(4, size=(8, 5)).tolist(),
            "init_state_dist": np.eye(8)[5].tolist(), "terminal_states": [], "repeats_in_sequences": False,
        },
        "actions": [4, 4, 2, 3, 4, 2, 4, 1, 0, 4, 4],
    },
    **{f"custom {number}": custom(number) for number in range(12)},
    "generated": generated(0),
    "generated, several starts": generated(1, diameter=2, reward_scale=2.5, reward_shift=-1.75, term_state_reward=-3.0),
    "generated, sequences": generated(2, sequence_length=2, terminal_state_density=0.0),
    "generated, overlapping sequences": generated(3, sequence_length=3, reward_every_n_steps=1, diameter=2),
    "generated, delayed sequences": generated(
        4, sequence_length=2, reward_every_n_steps=1, delay=3, terminal_state_density=0.0
    ),
    "generated, rewards": generated(5, reward_dist=[0.1, 1.0], reward_scale=-2.0, delay=1),
    "dense": moves([1, 0], [-0.5, 0], [-0.5, 0]),
    "dense by default, long way": moves([7, -3], *[[-0.3, 0.7], [1, -1], [-0.9, 0.2]] * 5),
    "sparse": moves([1, 0], [-0.5, 0], [-0.5, 0], make_denser=False),
    "action loss": moves([1, 0], [-0.5, 0], [-0.5, 0], action_loss_weight=0.25),
    "the edge of the space": moves([9.5, 0], [1, 0], [0.5, 1], [-1, 0]),
    "second order": moves([0, 0], *[[1, 0]] * 3, transition_dynamics_order=2, **AHEAD),
    "third order, inertia, time": moves(
        [0, 1], *[[1, -0.5], [-0.25, 1]] * 3, transition_dynamics_order=3, inertia=2.0, time_unit=0.5, **AHEAD
    ),
    "second order at the edge": moves([9.5, 0], [1, 0], [1, 0], [-1, 0], transition_dynamics_order=2, **AHEAD),
    "inertia and time": moves([1, 0], [-1, 0], inertia=2.0, time_unit=0.1),
    "terminal cube": moves(
        [1, 0], [-0.5, 0], terminal_states=[[0.5, 0]], term_state_edge=0.2, target_point=[-5, 0], reward_scale=3.0,
        reward_shift=1.0, term_state_reward=-2.0,
    ),
    "delay without an end": moves([7, -3], *[[-0.3, 0.7], [1, -1], [-0.9, 0.2]] * 5, delay=3),
    "terminal reward at the target": moves(
        [1, 0], [-0.5, 0], [-0.5, 0], term_state_reward=2.0, reward_scale=3.0, reward_shift=1.0
    ),
    "irrelevant dimensions": moves(
        [4, 1, 5, 2], *[[-1, 0.5, 1, -1], [1, 0.5, -1, 0]] * 3, state_space_dim=4, relevant_indices=[1, 3],
        irrelevant_features=True,
    ),
    "grid": cells([0, 0], [1, 0], [0, 1], [-1, 0], [-1, 0], [0, -1], [0, -1], [1, 0], [1, 0], [1, 0], [0, 1], [0, 1]),
    "sparse grid": cells([2, 2], [1, 0], make_denser=False, reward_scale=2.0, term_state_reward=0.5),
}  # fmt: skip

GATED = generated(6, sequence_length=2, delay=1, reward_density=1.0, terminal_state_density=0.0)
DENSER = generated(7, sequence_length=3, make_denser=True, reward_every_n_steps=1, terminal_state_density=0.0)
SWITCH = generated(8, sequence_length=2, reward_every_n_steps=True, terminal_state_density=0.0)
LATE = moves([1, 0], [-0.5, 0], [-0.5, 0], delay=1)
FAR = moves([1, 0], [2, 0])
NONE = generated(9, reward_density=0.01)
CELLS = cells([0, 3], [1, 0], [1, 0], terminal_states=[[2, 3]], term_state_reward=-0.25, reward_shift=1.0)
NOISY = {"state_space_type": "discrete", "action_space_size": 4, "diameter": 3, "seed": 0, "transition_noise": 0.5,
         "terminal_state_density": 0.0}  # fmt: skip
SMALL = {**GRID, "grid_shape": [3, 3], "target_point": [1, 1]}
ROUNDED = {"state_space_type": "discrete", "action_space_size": 100, "terminal_state_density": 0.29, "seed": 0}
IMAGES = {"state_space_type": "discrete", "action_space_size": 8, "image_representations": True, "seed": 0}
MISSPELT = {"state_space_type": "discrete", "action_space_size": 4, "seed": 0, "delya": 3}
DIFFERENT: dict[str, Any] = {
    "gate": GATED, "denser": DENSER, "switch": SWITCH, "late": LATE, "far": FAR, "none": NONE, "cells": CELLS,
    "noise": {"ask": "left_the_next_set", "of": [NOISY, 300]},
    "reseeding": {"ask": "repeats_after_reseeding", "of": [NOISY, 20]},
    "starts": {"ask": "starts", "of": [SMALL, 400]},
    "floor": {"ask": "terminals", "of": [ROUNDED]},
    "unknown": {"ask": "unknown_key", "of": [MISSPELT]},
    "delayed grid": {"ask": "delayed_grid", "of": [{**GRID, "delay": 2}]},
    "wrapper": {"ask": "wrapper"},
    "images": {"ask": "vectorised_images", "of": [IMAGES]},
    "pushed": {"ask": "pushed", "of": [{**CONTINUOUS, **AHEAD}]},
}  # fmt: skip
