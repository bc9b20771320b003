"""Which agent of stable-baselines3 is the same as one of ours? Hyperparameters are translated or refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from mohs.agents.registry import config
from mohs.core.cell import Agent

ACTIVATIONS = {"relu": "torch.nn:ReLU", "tanh": "torch.nn:Tanh"}
ADAM = 1e-8  # what stable-baselines3 leaves to torch
# Hyperparameters that both sides have under one name. Where the other side has no such choice, the value that it
# always takes.
LEARNING = ("learning_rate", "gamma")
ROLLOUTS = ("n_steps", "gae_lambda", "vf_coef", "ent_coef", "max_grad_norm", "normalize_advantage")
REPLAY = ("batch_size", "buffer_size", "learning_starts", "train_freq")
CONTINUOUS = (*LEARNING, *REPLAY, "tau", "gradient_steps")
NAMES: dict[str, tuple[str, tuple[str, ...]]] = {
    "dqn": ("DQN", (
        *LEARNING, *REPLAY, "target_update_interval", "max_grad_norm", "exploration_initial_eps",
        "exploration_final_eps",
    )),
    "ppo": ("PPO", (*LEARNING, *ROLLOUTS, "batch_size", "n_epochs", "clip_range", "clip_range_vf")),
    "a2c": ("A2C", (*LEARNING, *ROLLOUTS)),
    "trpo": ("TRPO", (
        *LEARNING, "n_steps", "gae_lambda", "normalize_advantage", "batch_size", "n_critic_updates", "target_kl",
        "cg_max_steps", "cg_damping", "line_search_shrinking_factor", "line_search_max_iter",
    )),
    "sac": ("SAC", CONTINUOUS),
    "ddpg": ("DDPG", CONTINUOUS),
    "td3": ("TD3", (*CONTINUOUS, "target_policy_noise", "target_noise_clip", "policy_delay")),
}  # fmt: skip
# Hyperparameters that have another name there.
N_STEP, NOISE = {"n_step": "n_steps"}, {"action_noise_sigma": "action_noise"}
RENAMED: dict[str, dict[str, str]] = {
    "dqn": N_STEP, "a2c": {"optimiser_epsilon": "rms_prop_eps"}, "sac": N_STEP, "ddpg": N_STEP | NOISE,
    "td3": N_STEP | NOISE,
}  # fmt: skip
FIXED: dict[str, dict[str, Any]] = {
    "dqn": {
        "adam_epsilon": ADAM, "double": False, "dueling": False, "prioritised": False, "noisy": False,
        "distributional": False,
    },
    "ppo": {
        "num_envs": 1, "learning_rate_schedule": "constant", "clip_range_schedule": "constant", "optimiser": "adam",
        "optimiser_epsilon": 1e-5,
    },
    "a2c": {"num_envs": 1, "learning_rate_schedule": "constant", "optimiser": "rmsprop"},
    "trpo": {"num_envs": 1, "learning_rate_schedule": "constant", "sub_sampling_factor": 1},
    "sac": {"actor_learning_rate": None, "random_steps": None, "target_entropy": None, "learn_ent_coef": True},
    "ddpg": {"actor_learning_rate": None, "random_steps": None, "action_noise": "gaussian"},
    "td3": {"actor_learning_rate": None, "random_steps": None},
}  # fmt: skip


def translated(agent: Agent, steps: int) -> tuple[str, dict[str, Any]]:
    """The algorithm, and the keywords that make it do what an agent of ours does in a run of so many steps."""
    ours = asdict(config(agent))
    algorithm, names = NAMES[agent.name]
    for name, value in FIXED[agent.name].items():
        if ours[name] != value:
            raise ValueError(f"stable-baselines3 has {name}={value}, but {agent} has {ours[name]}.")
    theirs = {name: ours[name] for name in names}
    theirs |= {other: ours[name] for name, other in RENAMED.get(agent.name, {}).items()}
    theirs["policy_kwargs"] = _network(agent.name, ours)
    if agent.name == "dqn":
        share = ours["exploration_fraction"]
        theirs["exploration_fraction"] = ours["exploration_steps"] / steps if share is None else share
    if agent.name == "sac":
        theirs["ent_coef"] = f"auto_{ours['ent_coef']}"
    if theirs.get("action_noise") == 0:
        del theirs["action_noise"]
    return algorithm, theirs


def _network(name: str, ours: Mapping[str, Any]) -> dict[str, Any]:
    network = {"net_arch": list(ours["hidden"]), "activation_fn": ACTIVATIONS[ours["activation"]]}
    return network | ({"log_std_init": ours["log_std"]} if "log_std" in ours else {})
