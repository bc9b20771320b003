"""By what is the return of a challenge normalised? By what the catalogue says of random and optimal play."""

from __future__ import annotations

from mohs.core.score import Score
from mohs.core.task import Task
from mohs.exact import references
from mohs.tables.challenge.catalogue import listed


def return_score(task: Task) -> Score:
    """The return without sticky actions; its references are computed where the catalogue does not have them."""
    known = listed(task["mdp"])
    random, optimal = known.random_return, known.optimal_return
    if task["max_episode_steps"] != known.horizon or random is None or optimal is None:
        return references.return_score(task)
    return references.score_between(random, optimal)
