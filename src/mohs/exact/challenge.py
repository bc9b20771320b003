"""How is the return of a challenge task normalised? By the catalogue's returns of the random and optimal policy."""

from __future__ import annotations

from mohs.core.score import Score
from mohs.core.task import Task
from mohs.exact import references
from mohs.tables.challenge.catalogue import catalogue_entry


def return_score(task: Task) -> Score:
    """The return without sticky actions. References that the catalogue lacks are computed."""
    known = catalogue_entry(task["mdp"])
    random, optimal = known.random_return, known.optimal_return
    if task["max_episode_steps"] != known.horizon or random is None or optimal is None:
        return references.return_score(task)
    return references.score_between(random, optimal)
