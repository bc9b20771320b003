"""What is measured of a run? The catalogue: one name and one meaning each, wherever it is printed, stored or drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mohs.agents.protocol import Points
from mohs.core.registry import environment
from mohs.core.task import Task
from mohs.protocols.scale import Scale, between, plain
from mohs.stats import auc, final

RETURN, STEPS, SHARE = "return per episode", "steps", "share of the reference range"


@dataclass(frozen=True)
class Measure:
    """One number of a run. Of `normalised` ones 0 and 1 are the references of the study's scale."""

    name: str
    title: str
    text: str
    unit: str = RETURN
    higher_is_better: bool = True
    normalised: bool = False


def _normalised(name: str, title: str, text: str) -> Measure:
    text = f"{text} Normalised: 0 and 1 are the references."
    return Measure(f"normalised_{name}", f"normalised {title}", text, SHARE, normalised=True)


ATTAINED, POOLED = "attained", "auc_pooled"
_AUC = "Mean training return over the whole run."
_FINAL = "Mean training return over the last tenth of the run."
_EVAL = "Return of the greedy policy on its own task, mean over the evaluations."
_NOISE_FREE = "Return of the greedy policy on the task without noise (section 6.2.4), mean over the evaluations."
MEASURES: Mapping[str, Measure] = {
    m.name: m
    for m in (
        Measure(
            ATTAINED, "attained share",
            "Mean training return, episodes pooled: 0 is the random policy, 1 the best policy that sees what the agent "
            "sees, both in the run's very task, noise included. At a dose: the sum over runs of what was gained over "
            "the random policy, divided by the sum of what could be gained.",
            SHARE, normalised=True,
        ),
        Measure(
            POOLED, "AUC, episodes pooled",
            "Mean training return: the mean over episodes within each tenth of the run, averaged over the tenths. "
            "Unlike the AUC it does not favour long episodes where their length varies.",
        ),
        _normalised("auc", "AUC", _AUC),
        Measure(
            "auc_paper", "AUC, paper's scaling",
            "Mean training return × 100 / (100 − delay) × sequence length, as in section 6.1.2 of MDP Playground. "
            "Not defined where the delay is as long as an episode.",
        ),
        Measure("auc_plain", "AUC, plain scale", f"{_AUC} reward_scale and reward_shift are undone."),
        Measure("auc", "AUC", _AUC),
        Measure("final", "final return", _FINAL),
        Measure("length", "episode length", "Mean length of training episodes over the whole run.", STEPS),
        Measure("eval", "evaluation", _EVAL),
        Measure("eval_length", "evaluation length", "Length of the greedy policy's episodes.", STEPS),
        Measure("noise_free", "noise-free evaluation", _NOISE_FREE),
        Measure("noise_free_length", "noise-free length", "Length of the greedy episodes without noise.", STEPS),
        _normalised("final", "final return", _FINAL),
        _normalised("eval", "evaluation", _EVAL),
        _normalised("noise_free", "noise-free evaluation", _NOISE_FREE),
    )
}  # fmt: skip


# What measures were called in studies that older versions stored.
_RENAMED = {"paper": "auc_paper", "normalised": "normalised_auc"}


def current_name(name: str) -> str:
    """The name of a measure today."""
    return _RENAMED.get(name, name)


def available(env: str, scale: Scale | None, *, noise_free: bool) -> tuple[str, ...]:
    """The measures of an environment's runs, by name, in the order of the catalogue, that `measure` takes."""
    absent = {ATTAINED, POOLED} | (set() if environment(env).scaling is not None else {"auc_paper"})
    absent |= set() if scale is not None and scale.plain else {"auc_plain"}
    absent |= set() if scale is not None else {m.name for m in MEASURES.values() if m.normalised}
    absent |= set() if noise_free else {"noise_free", "noise_free_length", "normalised_noise_free"}
    return tuple(name for name in MEASURES if name not in absent)


def return_measure(names: tuple[str, ...]) -> str:
    """Of these measures the one in units of reward that compares best over doses."""
    return next(name for name in ("auc_paper", "auc_plain", "auc") if name in names)


def measure(task: Task, curves: Points, names: tuple[str, ...], scale: Scale | None) -> dict[str, float]:
    """The measures of a finished run on a task; NaN where the task has nothing to scale by."""
    sources: dict[str, tuple[str, Callable[[Any], Any]]] = {
        "auc": ("train", auc),
        "final": ("train", final),
        "eval": ("eval", np.mean),
    }
    sources |= {"noise_free": ("noise_free", np.mean)} if "noise_free" in names else {}
    returns = {name: float(mean(curves[f"{probe}/return"][1])) for name, (probe, mean) in sources.items()}
    lengths = {name: float(mean(curves[f"{probe}/length"][1])) for name, (probe, mean) in sources.items()}
    values = {**returns, "length": lengths["auc"], "eval_length": lengths["eval"]}
    if "noise_free" in names:
        values["noise_free_length"] = lengths["noise_free"]
    if "auc_paper" in names:
        values["auc_paper"] = values["auc"] * task.environment.realisation("scaling")(task)
    if scale is not None:
        score = scale.score(task)
        for name in sources:
            value = plain(task, returns[name], lengths[name]) if scale.plain else returns[name]
            values[f"normalised_{name}"] = between(score, value)
            if name == "auc" and scale.plain:
                values["auc_plain"] = value
    return {name: values[name] for name in names}
