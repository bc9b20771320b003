"""Which agent of stable-baselines3 is the same as one of ours? Hyperparameters are translated or refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from mohs.agents.deep import catalogue
from mohs.core.cell import Agent

ACTIVATIONS = {"relu": "torch.nn:ReLU", "tanh": "torch.nn:Tanh"}
ADAM = 1e-8  # what stable-baselines3 leaves to torch
# Names of ours and theirs. Where the other side has no such choice, the value that it always takes.
LEARNING = {"learning_rate": "learning_rate", "discount": "gamma"}
ROLLOUTS = {
    "steps": "n_steps", "trace": "gae_lambda", "value_weight": "vf_coef", "entropy_weight": "ent_coef",
    "gradient_clip": "max_grad_norm", "normalise": "normalize_advantage",
}  # fmt: skip
MEMORY = {
    "batch_size": "batch_size", "memory": "buffer_size", "learning_starts": "learning_starts",
    "update_every": "train_freq", "n_step": "n_steps",
}  # fmt: skip
CONTINUOUS = {**LEARNING, **MEMORY, "target_rate": "tau", "updates": "gradient_steps"}
NAMES: dict[str, tuple[str, dict[str, str]]] = {
    "dqn": ("DQN", {
        **LEARNING, **MEMORY, "target_every": "target_update_interval", "gradient_clip": "max_grad_norm",
        "epsilon_start": "exploration_initial_eps", "epsilon_end": "exploration_final_eps",
    }),
    "ppo": ("PPO", {
        **LEARNING, **ROLLOUTS, "batch_size": "batch_size", "epochs": "n_epochs", "clip": "clip_range",
        "value_clip": "clip_range_vf",
    }),
    "a2c": ("A2C", {**LEARNING, **ROLLOUTS, "optimiser_epsilon": "rms_prop_eps"}),
    "sac": ("SAC", CONTINUOUS),
    "ddpg": ("DDPG", {**CONTINUOUS, "noise_scale": "action_noise"}),
    "td3": ("TD3", {
        **CONTINUOUS, "noise_scale": "action_noise", "target_noise": "target_policy_noise",
        "target_noise_clip": "target_noise_clip", "policy_delay": "policy_delay",
    }),
}  # fmt: skip
FIXED: dict[str, dict[str, Any]] = {
    "dqn": {
        "adam_epsilon": ADAM, "double": False, "dueling": False, "prioritised": False, "noisy": False,
        "distributional": False,
    },
    "ppo": {
        "copies": 1, "learning_rate_schedule": "constant", "clip_schedule": "constant", "optimiser": "adam",
        "optimiser_epsilon": 1e-5,
    },
    "a2c": {"copies": 1, "learning_rate_schedule": "constant", "optimiser": "rmsprop"},
    "sac": {"actor_learning_rate": None, "random_steps": None, "target_entropy": None, "learn_entropy": True},
    "ddpg": {"actor_learning_rate": None, "random_steps": None, "noise": "gaussian"},
    "td3": {"actor_learning_rate": None, "random_steps": None},
}  # fmt: skip


def translated(agent: Agent, steps: int) -> tuple[str, dict[str, Any]]:
    """The algorithm, and the keywords that make it do what an agent of ours does in a run of so many steps."""
    ours = asdict(catalogue.config(agent))
    algorithm, names = NAMES[agent.name]
    for name, value in FIXED[agent.name].items():
        if ours[name] != value:
            raise ValueError(f"stable-baselines3 has {name}={value}, but {agent} has {ours[name]}.")
    theirs = {other: ours[name] for name, other in names.items()}
    theirs["policy_kwargs"] = _network(agent.name, ours)
    if agent.name == "dqn":
        share = ours["epsilon_share"]
        theirs["exploration_fraction"] = ours["epsilon_steps"] / steps if share is None else share
    if agent.name == "sac":
        theirs["ent_coef"] = f"auto_{ours['entropy_coefficient']}"
    if theirs.get("action_noise") == 0:
        del theirs["action_noise"]
    return algorithm, theirs


def _network(name: str, ours: Mapping[str, Any]) -> dict[str, Any]:
    network = {"net_arch": list(ours["hidden"]), "activation_fn": ACTIVATIONS[ours["activation"]]}
    return network | ({"log_std_init": ours["log_std"]} if "log_std" in ours else {})
