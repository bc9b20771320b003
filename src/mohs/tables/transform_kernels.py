"""The transforms of tables, compiled. A deterministic table has an empty `indptr`.

Each kernel runs twice, because the size of its output is not known beforehand: with empty arrays it only counts.
"""

from __future__ import annotations

from mohs.core.kernel import kernel, law
from mohs.tables.rows import first_entry, prob_of


@law
def sticky_weight(action, last, before, actions, probability):
    """The chance that the chosen action is taken, or the one `before`, where these are two."""
    if last == actions:  # no action before
        return 0.0 if before else 1.0
    if last == action:
        return 0.0 if before else (1.0 - probability) + probability
    return probability if before else 1.0 - probability


@kernel
def stick(
    indptr, succ, prob, reward, terminal, actions, probability, count, numbers, pairs, rows, next_pairs, chances, pays
):
    """Follows play over pairs of state and last action, breadth-first: (pairs, entries).

    A pair is state · (actions + 1) + last action, with `actions` for none. The first `count` are known; others are
    appended to `pairs`, and `numbers` says where each is.
    """
    width = actions + 1
    write = len(rows) > 0
    found = 0
    done = 0
    while done < count:
        state, last = pairs[done] // width, pairs[done] % width
        for action in range(actions):
            for before in (False, True):
                weight = sticky_weight(action, last, before, actions, probability)
                if terminal[state] or weight == 0.0:
                    continue
                taken = last if before else action
                row = state * actions + taken
                for entry in range(first_entry(row, indptr), first_entry(row + 1, indptr)):
                    pair = succ[entry] * width + taken
                    if numbers[pair] < 0:
                        numbers[pair] = count
                        pairs[count] = pair
                        count += 1
                    if write:
                        next_pairs[found] = numbers[pair]
                        chances[found] = weight * prob_of(entry, prob)
                        pays[found] = reward[entry]
                    found += 1
            if write:
                rows[done * actions + action + 1] = found
        done += 1
    return count, found


@kernel
def mix(indptr, succ, prob, reward, terminal, actions, probability, rows, after, chances, pays):
    """Writes what each action leads to where another one may be taken instead: the number of entries."""
    write = len(rows) > 0
    other = probability / (actions - 1) if actions > 1 else 0.0
    found = 0
    for state in range(len(terminal)):
        for action in range(actions):
            for taken in range(actions):
                weight = 1.0 - probability if taken == action else other
                if terminal[state] or weight <= 0.0:
                    continue
                row = state * actions + taken
                for entry in range(first_entry(row, indptr), first_entry(row + 1, indptr)):
                    if write:
                        after[found] = succ[entry]
                        chances[found] = weight * prob_of(entry, prob)
                        pays[found] = reward[entry]
                    found += 1
            if write:
                rows[state * actions + action + 1] = found
    return found
