"""Under which conditions is a game learnt? As it is, in other views, with rarer rewards, with help, and as controls.

The perceptual challenge compares views at full reward; the learning challenge compares reward probabilities in the
semantic view, where perception is easy (section 3 of the paper). Controls change nothing that should matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from mohs.agents.registry import agent as find_agent
from mohs.agents.registry import agent_entry, describe
from mohs.core.cell import Agent
from mohs.core.errors import UsageError
from mohs.core.task import Source, Task
from mohs.core.views import View
from mohs.protocols.scale import score_of

if TYPE_CHECKING:
    from mohs.protocols.lcd.study import LcdStudy

PIXELS, FIGURE_GROUND, SEMANTIC = str(View.PIXELS), str(View.FIGURE_GROUND), str(View.SEMANTIC)
PERMUTED, OTHER_SEEDS = "permuted ids", "other seeds"
CONTROLS = (PERMUTED, OTHER_SEEDS)
SEED_SHIFT = 100_000  # of the control that repeats the semantic runs with other seeds


class Remedy(StrEnum):
    """What may help (section 4 of the paper)."""

    SHAPING = "shaping"  # rewards for sub-goals, in training only; against the learning challenge
    MOTION = "motion"  # masks of a front-end that learnt objects from motion; against the perceptual challenge
    GENERIC = "generic"  # the control of the front-end: features that know nothing of the game


SET_HERE = ("view", "reward_probability", "shaping")  # what conditions are made of
FRONT_END = "front_end"  # the hyperparameter that takes the masks of a front-end in


@dataclass(frozen=True)
class Condition:
    """What differs from the game as it is.

    Attributes:
        name: What it is called.
        params: Parameters of the training task, as pairs.
        front_end: The front-end of the agent; empty for none.
        shift: What is added to every seed.
    """

    name: str
    params: tuple[tuple[str, Any], ...] = ()
    front_end: str = ""
    shift: int = 0


def rarer(probability: float) -> str:
    """The name of the condition with this reward probability."""
    return SEMANTIC if probability == 1 else f"{SEMANTIC} p={probability:g}"


def helped(remedy: Remedy) -> str:
    """The name of the condition with a remedy."""
    return f"{helps(remedy)} + {remedy}"


def helps(remedy: Remedy) -> str:
    """The condition that a remedy is compared with."""
    return SEMANTIC if remedy is Remedy.SHAPING else PIXELS


def conditions(
    task: Task, probabilities: Sequence[float], remedies: Sequence[Remedy], *, figure_ground: bool, controls: bool
) -> tuple[Condition, ...]:
    """All conditions of a game; without shaping where the game offers none."""
    pixels, semantic = ("view", PIXELS), ("view", SEMANTIC)
    found = [Condition(SEMANTIC, (semantic,)), Condition(PIXELS, (pixels,))]
    found += [Condition(FIGURE_GROUND, (("view", FIGURE_GROUND),))] if figure_ground else []
    found += [Condition(rarer(p), (semantic, ("reward_probability", p))) for p in probabilities if p != 1]
    if controls:
        found.append(Condition(PERMUTED, (("view", str(View.PERMUTED)),)))
        found.append(Condition(OTHER_SEEDS, (semantic,), shift=SEED_SHIFT))
    for remedy in remedies:
        if remedy is not Remedy.SHAPING:
            found.append(Condition(helped(remedy), (pixels,), front_end=str(remedy)))
        elif offers_shaping(task):
            found.append(Condition(helped(remedy), (semantic, ("shaping", 1.0))))
    return tuple(found)


def offers_shaping(task: Task) -> bool:
    """Whether the game can reward sub-goals."""
    return "shaping" in task.environment.parameters


def takes_front_end(agent: Agent) -> bool:
    """Whether an agent can take the masks of a front-end in."""
    entry = agent_entry(agent.name)
    return (entry.config is not None or entry.describe is not None) and FRONT_END in describe(agent.name)[
        "hyperparameters"
    ]


def seeing(agent: Agent, condition: Condition, task: Task, say: Callable[[str], None] | None = None) -> Agent:
    """The agent with the front-end of a condition; `say` is told where it is pretrained."""
    if not condition.front_end:
        return agent
    found = condition.front_end
    if found == Remedy.MOTION:
        from mohs.agents.deep.front_end.pretrain import pretrain

        found = pretrain(task.replace(view=PIXELS), say=say).name
    return find_agent(agent.name, **{**dict(agent.params), FRONT_END: found})


def prepare(study: LcdStudy, say: Callable[[str], None]) -> None:
    """Pretrains the front-ends that the study needs and the cache does not hold."""
    for _, task in study.games:
        for condition in study.conditions(task):
            for agent in study.agents:
                seeing(agent, condition, task, say)


def held_out(task: Task) -> Source:
    """The same game with its own reward on levels that training does not have; the game itself where it has none."""
    plain = task.noise_free()
    entry = plain.environment
    found: Source = plain if entry.held_out is None else entry.realisation("held_out")(plain)
    return found


def check_game(name: str, task: Task) -> None:
    """Raises where a game cannot show views or cannot pay rewards with a probability."""
    for parameter, needs in (("view", "views of its screen"), ("reward_probability", "reward probabilities")):
        if parameter not in task.environment.parameters:
            raise UsageError(
                f"{name} has no {needs} (parameter {parameter}), which mohs lcd needs; an environment of your own "
                "offers views by the method views()."
            )
    given = dict(task.params)
    for parameter in SET_HERE:
        if parameter in given:
            raise UsageError(f"{name} has {parameter}={given[parameter]}, which mohs lcd sets itself: leave it out.")


def check_best(name: str, task: Task, best: float) -> None:
    """Raises where the largest return of a game is no more than the random policy earns."""
    score = score_of(task) if task.environment.score is not None else None
    low = None if score is None or score.low is None else score.low.value
    if low is not None and best <= low:
        raise UsageError(f"the best return of {name} is given as {best:g}, but the random policy earns {low:.3g}.")
