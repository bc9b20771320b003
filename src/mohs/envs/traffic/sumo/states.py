"""What does a signal show? A letter for each of its links, as SUMO writes it, and what comes between two greens."""

from __future__ import annotations

from collections.abc import Iterable

GREEN, YIELDING = "G", "g"
_SHARES = {GREEN: 1.0, YIELDING: 0.5}  # as `Signal` has them
_MOVING = "Ggysuo"  # letters under which vehicles may cross: none of them may turn red without a yellow


def share(letter: str) -> float:
    """1 for a protected green, 0.5 for one that gives way, else 0."""
    return _SHARES.get(letter, 0.0)


def change(now: str, then: str, keep: bool) -> tuple[str, str]:
    """What is shown between two states, during yellow and during all-red.

    Args:
        now: What is shown.
        then: What will be shown.
        keep: Whether links that are green in both stay green; else all of them stop.
    """
    yellow, red = [], []
    for old, new in zip(now, then, strict=True):
        if keep and share(old) and share(new):
            kept = min(old, new, key=share)  # what gives way before or after does so between
            yellow.append(kept)
            red.append(kept)
        else:
            yellow.append("y" if old in _MOVING else "r")
            red.append("r")
    return "".join(yellow), "".join(red)


def green_phases(states: Iterable[str]) -> tuple[str, ...]:
    """Of a program the states with some green and without any yellow, each once."""
    found = dict.fromkeys(states)
    return tuple(state for state in found if any(map(share, state)) and not set(state) & set("yYu"))
