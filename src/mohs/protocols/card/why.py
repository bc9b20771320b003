"""Why is a task easy or hard? Two or three sentences from its standing among known tasks."""

from __future__ import annotations

from collections.abc import Sequence

from mohs.protocols.card.collection import KnownTask
from mohs.protocols.card.indicators import BY_KEY
from mohs.protocols.card.profile import Difficulty, Neighbour, Profile

WORDS = {
    Difficulty.EASY: "easy",
    Difficulty.MODERATE: "of moderate difficulty",
    Difficulty.HARD: "hard",
}
AGENTS = {"dqn": "DQN", "ppo": "PPO", "q_learning": "Q-learning"}


def why(name: str, found: Profile) -> tuple[str, ...]:
    """The difficulty with its reasons, then what agents reached on the task or on the most similar ones."""
    if found.difficulty is Difficulty.UNKNOWN:
        return _no_neighbours(name, found)
    short = short_name(name)
    reasons = " and ".join(_reason(found, key) for key in found.reasons)
    because = f": {reasons}" if reasons else "; no indicator stands out"
    return (f"{short} is {WORDS[found.difficulty]}{because}.", *_own(found), *_similar(found))


def short_name(name: str) -> str:
    """Without the structure seed that a task has unless it is given."""
    return name.removesuffix(" seed=0")


def agent_title(agent: str) -> str:
    """An agent as its paper calls it."""
    return AGENTS.get(agent, agent)


def _reason(found: Profile, key: str) -> str:
    standing, easy = found.standing(key), found.difficulty is Difficulty.EASY
    words = BY_KEY[key].easy if easy else BY_KEY[key].hard
    share = standing.easier_than if easy else standing.harder_than
    assert share is not None
    return (
        f"{words.format(standing.text)}, {'easier' if easy else 'harder'} than {_percent(share)} of {standing.n} tasks"
    )


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
    others = _listed([short_name(n.task.name) for n in rest[:2]])
    return (text, f"Next come {others}; on the {len(found.neighbours)} most similar tasks the agents reached "
                  f"{found.expected:.2f} on average.")  # fmt: skip


def _reached(task: KnownTask) -> str:
    """What each agent reached: DQN reached 0.31 [0.10, 0.52], PPO …"""
    parts = [f"{agent_title(agent)} {'reached ' if i == 0 else ''}{outcome}" for i, (agent, outcome) in
             enumerate(task.outcomes.items())]  # fmt: skip
    return _listed(parts)


def _terms(found: Profile, task: KnownTask) -> str:
    runs = max(outcome.n for outcome in task.outcomes.values())
    return f"of the optimum in {found.budget:,} steps (0 = random play; 95% intervals, n = {runs})"


def _no_neighbours(name: str, found: Profile) -> tuple[str, ...]:
    """Where too few indicators are known to compare tasks: what these say."""
    known = [s for s in found.standings if s.harder_than is not None and s.easier_than is not None]
    said = [
        f"{BY_KEY[s.key].meaning} {s.text}, harder than {_percent(s.harder_than)} and easier than "
        f"{_percent(s.easier_than)} of {s.n} tasks"
        for s in known
        if s.harder_than is not None and s.easier_than is not None
    ]
    listed = f" What can be compared: {'; '.join(said)}." if said else ""
    return (
        f"How hard {short_name(name)} is for agents is not known: it shares too few measures with known tasks.{listed}",
    )


def similar_rows(found: Profile, agents: Sequence[str]) -> list[tuple[str, ...]]:
    """A row for the task itself, where it is known, and for each similar one: name, distance, and what was reached."""
    rows: list[tuple[str, ...]] = []
    for neighbour in (*([found.own] if found.own else []), *found.neighbours):
        rows.append((_title(neighbour, found), f"{neighbour.distance:.2f}", *(
            str(neighbour.task.outcomes[agent]) if agent in neighbour.task.outcomes else "–" for agent in agents
        )))  # fmt: skip
    return rows


def _title(neighbour: Neighbour, found: Profile) -> str:
    return f"{short_name(neighbour.task.name)}{' (this task)' if neighbour is found.own else ''}"


def _percent(share: float) -> str:
    """In whole per cent, rounded down: no share is claimed that is not there."""
    return f"{int(100 * share)}%"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
