"""What do papers find (MDP Playground in its section 6, CT-graph), and what would show it here? Findings as data.

What a finding claims is a function of its studies alone, never of their results. An effect counts if it is a tenth of
the range of scores: 10 of the 100 that an episode of the discrete toy may earn or last, a tenth of the way from random
play to the optimum.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from benchmarks.findings.claims import At, Claim, Flat, Inside, Learnt, More
from mohs.core.errors import unknown
from mohs.ctgraph import best_memoryless, best_open_loop
from mohs.protocols.experiment.files import read_study
from mohs.protocols.experiment.study import Experiment

COUNTS = 10.0  # of an episode's 100 steps or rewards
COUNTS_NORMALISED = 0.1
HALF = 0.5
NEAR = 0.05  # of an exact ceiling: what learning curves may lie above it by chance

DISCRETE = ("dqn", "rainbow", "a2c")
CONTINUOUS = ("ddpg", "td3", "sac")

# More runs than the study's own, which decide nothing about several comparisons.
SEEDS: Mapping[tuple[str, str], int] = {
    ("image_transforms", "quick"): 10,
    ("shift_quantisation", "quick"): 10,
    ("delay", "quick"): 30,
    ("sequence_length", "quick"): 30,
    ("reward_noise", "quick"): 30,
    ("rainbow_ablations", "quick"): 30,
    ("broken_ablation", "quick"): 30,
    ("action_range", "quick"): 20,
    ("time_unit", "quick"): 20,
    ("target_radius", "quick"): 20,
    ("reward_density", "quick"): 20,
    ("action_range_time_unit", "quick"): 10,
}

Experiments = Mapping[str, Experiment]  # by name


@dataclass(frozen=True)
class Finding:
    """What a figure or section of a paper shows. The first agent is the paper's; the others are judged beside it."""

    figure: str
    name: str
    claim: str
    studies: tuple[str, ...]
    agents: tuple[str, ...]
    claims: Callable[[Experiments], Sequence[Claim]]
    paper: str = "MDP Playground"

    def judged(self, experiments: Experiments) -> list[str]:
        """The agents that the studies have at this size."""
        return [agent for agent in self.agents if all(agent in experiments[study].labels for study in self.studies)]


def experiment(study: str, size: str) -> Experiment:
    """A shipped study, or one in this folder."""
    own = Path(__file__).parent / f"{study}.toml"
    found = read_study(str(own) if own.is_file() else study, size)
    return replace(found, seeds=SEEDS.get((study, size), found.seeds))


def chosen(only: Sequence[str]) -> list[Finding]:
    """Findings by figure (9, 9a) or name; all where nothing is named."""
    for word in only:
        if not any(_answers(finding, word) for finding in FINDINGS):
            known = [word for f in FINDINGS for word in (f.figure, f.name)]
            raise unknown("finding", word, known)
    return [finding for finding in FINDINGS if not only or any(_answers(finding, word) for word in only)]


def _answers(finding: Finding, word: str) -> bool:
    figures = re.findall(r"\d+[a-z]?", finding.figure)
    return word in (finding.figure, finding.name, *figures, *(figure.rstrip("abcdefgh") for figure in figures))


def values(of: Experiments, study: str, axis: int = 0) -> tuple[Any, ...]:
    return tuple(level.value for level in of[study].axes[axis].levels)


def _less(study: str, measure: str, hard: Any, easy: Any, says: str, least: float = COUNTS) -> More:
    """What is measured is less at one level than at another."""
    return More(says, (At(measure, (easy,), study),), (At(measure, (hard,), study),), least=least)


def _learnt(study: str, *at: Any) -> Learnt:
    return Learnt("the easiest task is learnt", at, study)


def _every_dose_costs(study: str, word: str) -> Callable[[Experiments], Sequence[Claim]]:
    def claims(of: Experiments) -> Sequence[Claim]:
        vanilla, *doses = values(of, study)
        return [_learnt(study, vanilla)] + [
            _less(study, "auc_paper", dose, vanilla, f"{word} {dose:g} earns less in training than {vanilla:g}")
            for dose in doses
        ]

    return claims


def _shift_is_hardest(of: Experiments) -> Sequence[Claim]:
    study = "image_transforms"
    return [_learnt(study, values(of, study)[0])] + [
        _less(study, "auc_paper", "shift", other, f"`shift` earns less than `{other}`")
        for other in ("scale", "flip", "rotate")
    ]


def _more_transforms_are_harder(of: Experiments) -> Sequence[Claim]:
    study = "image_transforms"
    *fewer, together = values(of, study)
    return [_learnt(study, fewer[0])] + [
        _less(study, "auc_paper", together, one, f"all four at once earn less than {f'`{one}`' if one else 'none'}")
        for one in fewer
    ]


def _coarse_shifts_help(of: Experiments) -> Sequence[Claim]:
    fine, *_, coarse = values(of, "shift_quantisation")
    says = f"shifts in steps of {fine:g} pixels earn less than in steps of {coarse:g}"
    return [_learnt("shift_quantisation", coarse), _less("shift_quantisation", "auc_paper", fine, coarse, says)]


def _best_inside(study: str, word: str) -> Callable[[Experiments], Sequence[Claim]]:
    def claims(of: Experiments) -> Sequence[Claim]:
        least, *_, most = values(of, study)
        return [Inside(f"some {word} between earns more than {least:g} and than {most:g}", "auc", study)]

    return claims


def _small_targets_take_long(of: Experiments) -> Sequence[Claim]:
    study = "target_radius"
    small, *_, large = values(of, study)
    learnt = At("normalised_final", (small,), study)
    return [
        _learnt(study, large),
        _less(study, "length", large, small, f"episodes are longer at a radius of {small:g} than at {large:g}"),
        More(f"at {small:g} the last tenth of training is more than half way to the optimum", (learnt,), over=HALF),
    ]


def _transition_noise_spares_the_policy(of: Experiments) -> Sequence[Claim]:
    study = "transition_noise"
    none, *_, most = values(of, study)

    def at(measure: str, noise: float, times: float = 1.0) -> At:
        return At(measure, (noise,), study, times=times)

    return [
        _learnt(study, none),
        _less(study, "auc", 0.02, none, "a noise of 0.02 costs return in training"),
        More(
            f"a noise of {most:g} costs more return in training than it costs the policy without noise",
            (at("auc", none), at("noise_free", most)),
            (at("auc", most), at("noise_free", none)),
            least=COUNTS,
        ),
        More(
            f"the policy learnt at {most:g} earns without noise more than half of what one learnt at {none:g} does",
            (at("noise_free", most),),
            (at("noise_free", none, HALF),),
        ),
    ]


def _reward_noise_spoils_the_policy(of: Experiments) -> Sequence[Claim]:
    study = "reward_noise"
    none, least, *_, most = values(of, study)

    def half(measure: str) -> At:
        return At(measure, (none,), study, times=HALF)

    return [
        _learnt(study, none),
        More(
            f"a noise of {least:g} leaves more than half of the return in training",
            (At("auc", (least,), study),),
            (half("auc"),),
        ),
        _less(study, "auc", most, none, f"a noise of {most:g} costs return in training"),
        More(
            f"the policy learnt at {most:g} earns without noise less than half of what one learnt at {none:g} does",
            (half("noise_free"),),
            (At("noise_free", (most,), study),),
        ),
    ]


def _sequences_cost_more_than_delays(of: Experiments) -> Sequence[Claim]:
    delays, lengths = values(of, "delay"), values(of, "sequence_length")
    return [_learnt("delay", delays[0])] + [
        More(
            f"a sequence of {length:g} earns less than a delay of {delay:g}",
            (At("auc_paper", (delay,), "delay"),),
            (At("auc_paper", (length,), "sequence_length"),),
            least=COUNTS,
        )
        for delay, length in ((delays[1], lengths[1]), (delays[-1], lengths[-1]))
    ]


def _density_is_flat(of: Experiments) -> Sequence[Claim]:
    study = "reward_density"
    return [_learnt(study, max(values(of, study)))] + [
        Flat(f"{a:g} and {b:g} earn the same", At("auc_paper", (a,), study), At("auc_paper", (b,), study), COUNTS)
        for a, b in combinations(values(of, study), 2)
    ]


def _irrelevant_dimensions_cost(of: Experiments) -> Sequence[Claim]:
    study = "irrelevant_dimensions"
    none, *_, most = values(of, study)
    return [
        _learnt(study, none),
        _less(study, "normalised_auc", most, none, f"{most:g} of them earn less than {none:g}", COUNTS_NORMALISED),
        _less(study, "length", none, most, f"{most:g} of them make episodes longer than {none:g}"),
    ]


def _random_actions_show_the_density(of: Experiments) -> Sequence[Claim]:
    study, noisy = "epsilon_density", "noisy_nets"
    sparse, *_, dense = (At("auc_paper", (value,), study) for value in values(of, study))
    there, here = (replace(at, measure="eval") for at in (sparse, dense))
    return [
        _learnt(study, *dense.values),
        More(f"it earns less in training at {sparse.values[0]:g} than at {dense.values[0]:g}", (dense,), (sparse,)),
        More(
            "this costs it more than the same agent with noisy nets",
            (dense, replace(sparse, agent=noisy)),
            (sparse, replace(dense, agent=noisy)),
        ),
        Flat("without the random actions, in evaluations, both earn the same", here, there, COUNTS),
    ]


def _range_and_unit_make_up_for_each_other(of: Experiments) -> Sequence[Claim]:
    study, order = "action_range_time_unit", 1
    (small, *_, large), (short, *_, next_, long) = values(of, study), values(of, study, 1)

    def at(action: float, unit: float) -> tuple[At, ...]:
        return (At("auc", (action, unit, order), study),)

    def better(action: float, one: float, other: float) -> More:
        says = f"at an action range of {action:g} a time unit of {one:g} earns more than {other:g}"
        return More(says, at(action, one), at(action, other))

    return [
        _learnt(study, large, long, order),
        better(small, long, next_),
        better(large, next_, long),
        More(
            f"a time unit of {long:g}, not {short:g}, helps more at an action range of {small:g} than of {large:g}",
            at(small, long) + at(large, short),
            at(small, short) + at(large, long),
        ),
    ]


def _ablation_finds_the_broken_part(of: Experiments) -> Sequence[Claim]:
    broken, whole = "broken_ablation", "rainbow_ablations"
    nothing, *parts = values(of, broken)

    def at(part: str, study: str = broken) -> At:
        return At("auc_paper", (part,), study)

    gains = [
        More(f"without {part} it earns less than without noisy nets", (at("noisy"),), (at(part),), least=COUNTS)
        for part in parts
        if part != "noisy"
    ]
    return [
        _learnt(whole, nothing),
        More("with all parts it earns less than without noisy nets", (at("noisy"),), (at(nothing),), least=COUNTS),
        *gains,
        More(
            "leaving noisy nets out gains more where they are broken than where they work",
            (at("noisy"), at(nothing, whole)),
            (at(nothing), at("noisy", whole)),
            least=COUNTS,
        ),
    ]


def _memory_is_needed(of: Experiments) -> Sequence[Claim]:
    study = "ct_memory"
    alike, unlike = values(of, study)
    without = best_memoryless((1, 2))

    def at(goal: Any, agent: str) -> At:
        return At("final", (goal,), study, agent)

    return [
        More(f"without memory the goal {alike} is reached more than half of the time", (at(alike, "ppo"),), over=HALF),
        More(
            f"without memory the goal {unlike} comes less than {without + NEAR:g} of the time, {without:g} at best",
            (),
            (at(unlike, "ppo"),),
            over=-without - NEAR,
        ),
        More(
            f"with memory the goal {unlike} is reached more than half of the time",
            (at(unlike, "recurrent_ppo"),),
            over=HALF,
        ),
    ]


def _waiting_defeats_open_loops(of: Experiments) -> Sequence[Claim]:
    study = "ct_waiting"
    return [
        More(
            f"at p = {p:g} an agent that sees the state reaches the goal more often than any fixed sequence of "
            f"actions, {best_open_loop(2, 2, p):.3g} of the time",
            (At("final", (p,), study),),
            over=best_open_loop(2, 2, p),
        )
        for p in values(of, study)
        if p
    ]


def _confounding_slows(of: Experiments) -> Sequence[Claim]:
    study = "ct_confounding"
    one, *_, many = values(of, study)
    return [
        _learnt(study, one),
        _less(
            study,
            "normalised_auc",
            many,
            one,
            f"{many} observations of wait states earn less in training than {one}",
            COUNTS_NORMALISED,
        ),
    ]


FINDINGS: tuple[Finding, ...] = (
    Finding(
        "4a to 4c", "shift", "Of the transforms of images, shift is the hardest.",
        ("image_transforms",), DISCRETE, _shift_is_hardest,
    ),
    Finding(
        "4a to 4c", "transforms", "The more transforms are applied at once, the harder it is.",
        ("image_transforms",), DISCRETE, _more_transforms_are_harder,
    ),
    Finding(
        "4d", "quantisation", "Fewer possible shifts make images easier.",
        ("shift_quantisation",), ("dqn",), _coarse_shifts_help,
    ),
    Finding(
        "5a", "time_unit", "The time unit has an optimum: neither too small nor too large.",
        ("time_unit",), CONTINUOUS, _best_inside("time_unit", "time unit"),
    ),
    Finding(
        "5c", "action_range", "The action range has an optimum: neither too small nor too large.",
        ("action_range",), CONTINUOUS, _best_inside("action_range", "action range"),
    ),
    Finding(
        "6a and 6b", "target_radius", "Small targets are learnt, but episodes are much longer.",
        ("target_radius",), CONTINUOUS, _small_targets_take_long,
    ),
    Finding(
        "7a and 7b", "transition_noise",
        "Noise in transitions costs return in training, even a little of it; what is learnt is still good without.",
        ("transition_noise",), DISCRETE, _transition_noise_spares_the_policy,
    ),
    Finding(
        "8a and 8b", "reward_noise",
        "A little noise in rewards is borne; with more, what is learnt is not good without noise either.",
        ("reward_noise",), DISCRETE, _reward_noise_spoils_the_policy,
    ),
    Finding("9a", "delay", "Delays cost return.", ("delay",), DISCRETE, _every_dose_costs("delay", "a delay of")),
    Finding(
        "9c", "sequence_length", "Longer sequences cost return.",
        ("sequence_length",), DISCRETE, _every_dose_costs("sequence_length", "a sequence of"),
    ),
    Finding(
        "9a and 9c", "sequences_and_delays", "Sequences cost more than delays.",
        ("delay", "sequence_length"), DISCRETE, _sequences_cost_more_than_delays,
    ),
    Finding(
        "10", "density", "The density of rewards makes almost no difference.",
        ("reward_density",), DISCRETE, _density_is_flat,
    ),
    Finding(
        "14a and 14b", "irrelevant_dimensions", "Irrelevant dimensions cost return and make episodes longer.",
        ("irrelevant_dimensions",), ("sac", "ddpg", "td3"), _irrelevant_dimensions_cost,
    ),
    Finding(
        "15a", "epsilon_density",
        "An agent that stays ε-greedy earns less where rewards are sparser; one that explores otherwise does not.",
        ("epsilon_density",), ("epsilon_greedy",), _random_actions_show_the_density,
    ),
    Finding(
        "15b", "range_and_unit",
        "Action range and time unit make up for each other: the larger the one, the smaller the other should be.",
        ("action_range_time_unit",), CONTINUOUS, _range_and_unit_make_up_for_each_other,
    ),
    Finding(
        "16a", "broken_part",
        "An ablation on the toy points at the part that is broken: without its noisy nets Rainbow gets better.",
        ("broken_ablation", "rainbow_ablations"), ("rainbow",), _ablation_finds_the_broken_part,
    ),
    Finding(
        "Section 3.2.1", "memory",
        "Where decision states look alike, only an agent that remembers can reach every goal.",
        ("ct_memory",), ("recurrent_ppo",), _memory_is_needed, "CT-graph",
    ),
    Finding(
        "Section 2.2.1", "waiting",
        "With random waiting times no fixed sequence of actions leads to the goal reliably.",
        ("ct_waiting",), ("ppo",), _waiting_defeats_open_loops, "CT-graph",
    ),
    Finding(
        "Section 3.2.2", "confounding", "Observations that say nothing slow learning down.",
        ("ct_confounding",), ("recurrent_ppo",), _confounding_slows, "CT-graph",
    ),
)  # fmt: skip
