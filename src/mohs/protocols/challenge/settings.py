"""In which settings does an agent meet the challenge? The paper's for PPO and DQN; the best of them counts.

Section 4: PPO with three lengths of rollouts; DQN with ε that falls in a tenth of training, or in all of it; "besides
these, the default Atari hyperparameters", which are those of RL Baselines3 Zoo. All of them are kept but what is there
for pictures: frames are not stacked, and in place of convolutions stands the network that stable-baselines3 has for
vectors, two layers of 64. γ is .99 in training; returns are judged without it.

Budgets below 10 million scale what would not fit: DQN begins to learn after a tenth of them at the latest, and rollouts
that would be learnt from fewer than ten times are left out, but for the shortest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mohs.agents.registry import agent as find_agent
from mohs.agents.registry import agent_entry
from mohs.core.cell import Agent
from mohs.core.errors import UsageError, unknown
from mohs.core.task import read_json, reading
from mohs.core.values import Json

ROLLOUTS = (128, 1280, 12800)  # steps of each environment between updates
ENVIRONMENTS = 8
FEWEST_UPDATES = 10
LEARNING_STARTS = 100_000
EXPLORATION = {"fast": 0.1, "slow": 1.0}  # the share of training in which ε falls
NETWORK = (64, 64)
RATE, CLIP = 2.5e-4, 0.1  # of PPO at first; both fall to 0
UNCERTAIN_RATE = 0.1  # of Q-learning where actions stick
DEFAULT = "default"
TEXTS = {
    **{str(steps): f"{steps:,} steps of each of {ENVIRONMENTS} environments between updates" for steps in ROLLOUTS},
    "fast": "ε falls from 1 to .01 in a tenth of training",
    "slow": "ε falls from 1 to .01 in all of training",
    DEFAULT: "the agent's own hyperparameters",
}


@dataclass(frozen=True)
class Setting:
    """An agent with hyperparameters, and how it sees the states of an MDP."""

    name: str
    agent: Agent
    observation: str

    def to_json(self) -> dict[str, Json]:
        """The setting as plain data."""
        return {"name": self.name, "agent": self.agent.to_json(), "observation": self.observation}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Setting:
        """Reads a setting that `to_json` wrote."""
        data = read_json(data, "setting", {"name", "agent", "observation"})
        with reading("setting"):
            return cls(data["name"], Agent.from_json(data["agent"]), data["observation"])


@dataclass(frozen=True)
class ChallengeAgent:
    """An agent in all its settings. `left_out` names those for which the budget is too small."""

    name: str
    settings: tuple[Setting, ...]
    left_out: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Json]:
        """The agent as plain data."""
        settings: list[Json] = [setting.to_json() for setting in self.settings]
        return {"name": self.name, "settings": settings, "left_out": list(self.left_out)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ChallengeAgent:
        """Reads an agent that `to_json` wrote."""
        data = read_json(data, "agent of the challenge", {"name", "settings", "left_out"})
        with reading("agent of the challenge"):
            settings = tuple(Setting.from_json(setting) for setting in data["settings"])
            return cls(data["name"], settings, tuple(data["left_out"]))


def with_settings(
    name: str,
    budget: int,
    only: Sequence[str] | None = None,
    most: int | None = None,
    hyperparameters: Mapping[str, Any] | None = None,
    certain: bool = True,
) -> ChallengeAgent:
    """An agent in its settings for a budget: in all, the first so many at `most`, or `only` some.

    `hyperparameters` are set in all of them. `certain` says that nothing is left to chance.
    """
    known = SETTINGS.get(name, _default)(budget, certain)
    chosen = list(known)[:most] if only is None else [setting for setting in only if setting in known]
    if not chosen:
        raise unknown(f"setting of {name}", ", ".join(only or ()), known)
    short = [] if only is not None else [setting for setting in chosen if _is_too_long(setting, budget)]
    made = tuple(
        Setting(setting, find_agent(name, **{**known[setting], **(hyperparameters or {})}), agent_entry(name).observes)
        for setting in chosen
        if setting not in short
    )
    return ChallengeAgent(made[0].agent.name, made, tuple(short))


def all_with_settings(
    names: Sequence[str],
    budget: int,
    only: Sequence[str] | None = None,
    most: int | None = None,
    hyperparameters: Mapping[str, Any] | None = None,
    certain: bool = True,
) -> tuple[ChallengeAgent, ...]:
    """Several agents; of the settings in `only` each takes those that it has."""
    if not names:
        raise UsageError("the challenge needs at least one agent.")
    all_of_them = {setting for name in names for setting in SETTINGS.get(name, _default)(budget, certain)}
    for setting in only or ():
        if setting not in all_of_them:
            raise unknown("setting", setting, all_of_them)
    return tuple(with_settings(name, budget, only, most, hyperparameters, certain) for name in dict.fromkeys(names))


def linear_learning_rate(left: float) -> float:
    """The learning rate of stable-baselines3's PPO with this share of its training left."""
    return RATE * left


def linear_clip_range(left: float) -> float:
    """The clip range of stable-baselines3's PPO with this share of its training left."""
    return CLIP * left


def _is_too_long(setting: str, budget: int) -> bool:
    """Whether rollouts of this setting would be learnt from too seldom."""
    return setting in map(str, ROLLOUTS[1:]) and int(setting) * ENVIRONMENTS * FEWEST_UPDATES > budget


def _learning_starts(budget: int) -> int:
    return min(LEARNING_STARTS, budget // 10)


def _ppo(budget: int, certain: bool) -> dict[str, dict[str, Any]]:
    return {str(steps): {"preset": f"effective_horizon_{steps}", "hidden": NETWORK} for steps in ROLLOUTS}


def _dqn(budget: int, certain: bool) -> dict[str, dict[str, Any]]:
    fitted = {"hidden": NETWORK, "learning_starts": _learning_starts(budget)}
    return {
        "fast": {"preset": "effective_horizon", **fitted},
        "slow": {"preset": "effective_horizon_slow", **fitted},
    }


def _sb3_ppo(budget: int, certain: bool) -> dict[str, dict[str, Any]]:
    """One environment, whose rollouts are as long as those of all together."""
    shared = {
        "batch_size": 256, "n_epochs": 4, "learning_rate": f"{__name__}:linear_learning_rate",
        "clip_range": f"{__name__}:linear_clip_range", "vf_coef": 0.5, "ent_coef": 0.01, "gamma": 0.99,
    }  # fmt: skip
    return {str(steps): {**shared, "n_steps": steps * ENVIRONMENTS} for steps in ROLLOUTS}


def _sb3_dqn(budget: int, certain: bool) -> dict[str, dict[str, Any]]:
    shared = {
        "learning_rate": 1e-4, "batch_size": 32, "buffer_size": 100_000, "learning_starts": _learning_starts(budget),
        "target_update_interval": 1000, "train_freq": 4, "gradient_steps": 1, "exploration_final_eps": 0.01,
        "gamma": 0.99,
    }  # fmt: skip
    return {name: {**shared, "exploration_fraction": share} for name, share in EXPLORATION.items()}


def _q_learning(budget: int, certain: bool) -> dict[str, dict[str, Any]]:
    """DQN's exploration. Where rewards and successors are certain, a new estimate replaces the old one."""
    rate = 1.0 if certain else UNCERTAIN_RATE
    shared = {"learning_rate": rate, "gamma": 0.99, "exploration_initial_eps": 1.0, "exploration_final_eps": 0.01}
    return {name: {**shared, "exploration_steps": int(share * budget)} for name, share in EXPLORATION.items()}


def _default(budget: int, certain: bool) -> dict[str, dict[str, Any]]:
    return {DEFAULT: {}}


# The settings of an agent for a budget, and whether nothing is left to chance, by name.
SETTINGS: dict[str, Callable[[int, bool], dict[str, dict[str, Any]]]] = {
    "ppo": _ppo,
    "dqn": _dqn,
    "sb3:PPO": _sb3_ppo,
    "sb3:DQN": _sb3_dqn,
    "q_learning": _q_learning,
}
