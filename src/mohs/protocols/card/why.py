"""Why is a task easy or hard? Two or three sentences from its percentiles among known tasks."""

from __future__ import annotations

from mohs.protocols.card.collection import JUDGE, KnownTask
from mohs.protocols.card.indicators import BY_KEY
from mohs.protocols.card.profile import Difficulty, Neighbour, Profile, short_name
from mohs.protocols.words import joined
from mohs.report.numbers import UNKNOWN

WORDS = {
    Difficulty.EASY: "easy",
    Difficulty.MODERATE: "of moderate difficulty",
    Difficulty.HARD: "hard",
}
AGENTS = {"dqn": "DQN", "ppo": "PPO", "q_learning": "Q-learning"}


def why(name: str, found: Profile) -> tuple[str, ...]:
    """The difficulty with its reasons, then what agents reached on the task or on the most similar ones."""
    if found.difficulty is Difficulty.UNKNOWN:
        return _unlike(name, found)
    short = short_name(name)
    reasons = " and ".join(_reason(found, key) for key in found.reasons)
    because = f": {reasons}" if reasons else "; no indicator stands out"
    return (f"{short} is {WORDS[found.difficulty]}{because}.", *_own(found), *_similar(found))


def _reason(found: Profile, key: str) -> str:
    percentile, easy = found.percentile(key), found.difficulty is Difficulty.EASY
    words = (BY_KEY[key].easy if easy else BY_KEY[key].hard).format(percentile.text)
    share = (percentile.easier_than if easy else percentile.harder_than) or 0.0
    return f"{words}, {'easier' if easy else 'harder'} than {percent(share)} of {percentile.n} known tasks"


def _own(found: Profile) -> tuple[str, ...]:
    if found.own is None or not found.own.task.outcomes:
        return ()
    return (f"It is one of the known tasks: {_reached(found.own.task)} {_terms(found, found.own.task)}.",)


def _similar(found: Profile) -> tuple[str, ...]:
    """The most similar task with what was reached there; the others with the mean."""
    trained = [n for n in found.neighbours if n.task.outcomes]
    if not trained:
        return ()
    first, rest = trained[0].task, trained[1:]
    text = f"Most like it is {short_name(first.name)}, where {_reached(first)}"
    text += "." if found.own is not None and found.own.task.outcomes else f" {_terms(found, first)}."
    if not rest or found.expected is None:
        return (text,)
    others = joined([short_name(n.task.name) for n in rest[:2]])
    mean = f"on the {len(found.neighbours)} most similar tasks {AGENTS[JUDGE]} reached {found.expected:.2f} on average"
    return (f"{text} Next come {others}; {mean}.",)


def _reached(task: KnownTask) -> str:
    """What each agent reached: DQN reached 0.31 [0.10, 0.52], PPO …"""
    first, *rest = (f"{AGENTS[agent]} {{}}{outcome}" for agent, outcome in task.outcomes.items())
    return joined([first.format("reached "), *(text.format("") for text in rest)])


def _terms(found: Profile, task: KnownTask) -> str:
    runs = max(outcome.n for outcome in task.outcomes.values())
    return f"of the optimum in {found.budget:,} steps (0 = random play; 95% intervals, n = {runs})"


def _unlike(name: str, found: Profile) -> tuple[str, ...]:
    """Where no known task is similar, or too few indicators are defined: on which of them the task is hardest."""
    ranked = sorted((s for s in found.percentiles if s.harder_than is not None), key=lambda s: -(s.harder_than or 0.0))
    said = [
        f" {s.title}: {s.words}, harder than {percent(s.harder_than or 0.0)} of {s.n} known tasks." for s in ranked[:2]
    ]
    return (f"No known task is like {short_name(name)}, so how hard it is for agents is open.{''.join(said)}",)


def similar_rows(found: Profile) -> list[tuple[str, ...]]:
    """A row for the task itself, where it is known, and for each similar one: its name, and what agents reached."""
    near = (*([found.own] if found.own else []), *found.neighbours)
    return [(_title(n, found), *(str(n.task.outcomes.get(agent, UNKNOWN)) for agent in AGENTS)) for n in near]


def _title(neighbour: Neighbour, found: Profile) -> str:
    return "this task" if neighbour is found.own else short_name(neighbour.task.name)


def percent(share: float) -> str:
    """A share in whole per cent, rounded down: no share is claimed that is not there."""
    return f"{int(100 * share)}%"
