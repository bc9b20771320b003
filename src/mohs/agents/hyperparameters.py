"""How are hyperparameters declared? As fields of a frozen dataclass, each with its domain and a help text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, Self

from mohs.core.cell import Agent
from mohs.core.domain import Choice, Domain
from mohs.core.errors import UsageError, unknown

PRESET = "preset"
# Former names of hyperparameters, and the present ones; which of several it is depends on the agent.
FORMER: Mapping[str, tuple[str, ...]] = {
    "discount": ("gamma",), "memory": ("buffer_size",), "update_every": ("train_freq",), "updates": ("gradient_steps",),
    "target_every": ("target_update_interval",), "target_rate": ("tau",), "gradient_clip": ("max_grad_norm",),
    "epsilon_start": ("exploration_initial_eps",), "epsilon_end": ("exploration_final_eps",),
    "epsilon_steps": ("exploration_steps",), "epsilon_share": ("exploration_fraction",), "steps": ("n_steps",),
    "copies": ("num_envs",), "trace": ("gae_lambda",), "epochs": ("n_epochs",), "clip": ("clip_range",),
    "clip_schedule": ("clip_range_schedule",), "value_clip": ("clip_range_vf",), "value_weight": ("vf_coef",),
    "entropy_weight": ("ent_coef",), "entropy_coefficient": ("ent_coef",), "learn_entropy": ("learn_ent_coef",),
    "normalise": ("normalize_advantage",), "target_noise": ("target_policy_noise",), "stored": ("stored_state",),
    "noise": ("action_noise", "noisy_sigma"), "noise_scale": ("action_noise_sigma",),
    "noise_pull": ("action_noise_theta",), "noise_interval": ("action_noise_dt",),
}  # fmt: skip


def setting(default: Any, domain: Domain, text: str) -> Any:
    """A hyperparameter of a config."""
    return field(default=default, metadata={"domain": domain, "text": text})


@dataclass(frozen=True)
class Config:
    """Hyperparameters of an agent. `presets` are sets of values by name, taken with `preset=NAME`."""

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        return {}

    @classmethod
    def shared(cls) -> tuple[str, ...]:
        """Hyperparameters that are described last, because many agents have them."""
        return ()

    @classmethod
    def lifelong_settings(cls) -> tuple[str, ...]:
        """Hyperparameters of what an agent does when the task changes."""
        return ()

    @classmethod
    def pinned(cls, params: Mapping[str, Any]) -> dict[str, Any]:
        """The hyperparameters with files replaced by the names of their contents, where their domain has a `pin`."""
        pins = {f.name: pin for f in fields(cls) if (pin := getattr(domain_of(f), "pin", None)) is not None}
        return {name: pins[name](name, value) if name in pins else value for name, value in params.items()}

    @classmethod
    def of(cls, agent: Agent) -> Self:
        """Defaults, then those of the preset, then those given; checked."""
        given = dict(agent.params)
        preset = given.pop(PRESET, None)
        known = cls.presets()
        if preset is not None:
            if not known:
                raise UsageError(f"{agent.name} has no presets.")
            given = {**known[Choice(tuple(known)).parse(PRESET, preset)], **given}
        domains = {f.name: domain_of(f) for f in fields(cls)}
        if given and not domains:
            raise UsageError(f"the {agent.name} agent has no hyperparameters.")
        for name in given:
            if name not in domains:
                for present in FORMER.get(name, ()):
                    if present in domains:
                        raise UsageError(f"the hyperparameter {name} of {agent.name} is called {present} now.")
                raise unknown(f"hyperparameter of {agent.name}", name, [*domains, *([PRESET] if known else [])])
        return cls(**{name: domains[name].parse(name, value) for name, value in given.items()})


def domain_of(f: Field[Any]) -> Domain:
    domain: Domain = f.metadata["domain"]
    return domain
