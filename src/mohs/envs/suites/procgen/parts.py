"""What does the entry of a Procgen game say of a task? Its classes, held-out levels and the references of its score."""

from __future__ import annotations

from mohs.core.errors import UsageError
from mohs.core.score import Reference, ReferenceKind, Score
from mohs.core.task import Task
from mohs.core.views import Classes
from mohs.envs.suites.procgen.paints import PAINTS

HELD_OUT = 100_000  # levels
_MOST = 2**31 - 1  # number of a level

# R_min and R_max of Cobbe et al. 2020, appendix C: hard, easy.
_CONSTANTS = {
    "coinrun": ((5, 10), (5, 10)),
    "starpilot": ((1.5, 35), (2.5, 64)),
    "caveflyer": ((2, 13.4), (3.5, 12)),
    "dodgeball": ((1.5, 19), (1.5, 19)),
    "fruitbot": ((-0.5, 27.2), (-1.5, 32.4)),
    "chaser": ((0.5, 14.2), (0.5, 13)),
    "miner": ((1.5, 20), (1.5, 13)),
    "jumper": ((1, 10), (3, 10)),
    "leaper": ((1.5, 10), (3, 10)),
    "maze": ((4, 10), (5, 10)),
    "bigfish": ((0, 40), (1, 40)),
    "heist": ((2, 10), (3.5, 10)),
    "climber": ((1, 12.6), (2, 12.6)),
    "plunder": ((3, 30), (4.5, 30)),
    "ninja": ((2, 10), (3.5, 10)),
    "bossfight": ((0.5, 13), (0.5, 13)),
}
_PLAYED = ("starpilot", "fruitbot")  # their R_max is what PPO reached after 8 billion steps
_SAMPLED = ("caveflyer", "chaser", "climber")  # theirs is a mean over many levels
_REWARD_DIALS = ("reward_scale", "reward_shift", "reward_clip", "term_state_reward")


def game_of(task: Task) -> str:
    return task.environment.gym_id.rpartition("/")[2].lower()


def classes(task: Task) -> Classes:
    """The classes of Tables 1 and 2 of the Diagnosticator's paper, with the figure/ground ids of Tables 3 and 4."""
    paint = PAINTS[game_of(task)]
    return Classes(paint.classes, tuple(paint.figure.values()))


def held_out(task: Task) -> Task:
    """The 100,000 levels behind those of training.

    Raises:
        UsageError: Training has all levels, or leaves its range.
    """
    first = task["start_level"] + task["num_levels"]
    if task["num_levels"] == 0 or task["distribution_mode"] == "exploration":
        raise UsageError(f"{task.env} has no held-out levels: set num_levels, so that training does not have all.")
    if task["use_sequential_levels"]:
        raise UsageError(f"{task.env} has no held-out levels: use_sequential_levels leaves those of training.")
    if first + HELD_OUT > _MOST:
        raise UsageError(f"{task.env} has no levels behind {first}: start_level must be at most {_MOST - HELD_OUT:,}.")
    return task.replace(start_level=first, num_levels=HELD_OUT)


def score(task: Task) -> Score:
    """The return, from a policy that sees nothing to the highest return (Cobbe et al. 2020, appendix C).

    Raises:
        UsageError: The constants are not those of this distribution of levels, or a dial changes what is paid.
    """
    game, mode = game_of(task), task["distribution_mode"]
    if mode not in ("hard", "easy"):
        raise UsageError(f"{task.env} has no known range of returns where distribution_mode is {mode!r}.")
    for name in _REWARD_DIALS:
        if task[name] != task.environment.parameters[name].default:
            raise UsageError(f"{task.env} has no known range of returns with {name}.")
    low, high = _CONSTANTS[game][mode == "easy"]
    kind, text = ReferenceKind.BOUND, "highest return"
    if game in _PLAYED:
        kind, text = ReferenceKind.BASELINE, "PPO after 8 billion steps"
    if game in _SAMPLED:
        kind, text = ReferenceKind.ESTIMATED, "highest return, a mean over levels"
    return Score(
        "return",
        "reward per episode",
        True,
        Reference(low, "a policy that sees nothing (Cobbe et al. 2020)", ReferenceKind.BASELINE),
        Reference(high, f"{text} (Cobbe et al. 2020)", kind),
    )
