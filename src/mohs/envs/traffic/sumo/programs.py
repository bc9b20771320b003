"""How does SUMO control a signal by itself? By one of its own logics, with the same phases, yellow and all-red.

Both prolong a green from its shortest to its longest time: `actuated` while detectors see vehicles that follow each
other closely, `delay_based` while vehicles that approach have lost time. All else is as SUMO has it by default.
"""

from __future__ import annotations

from collections.abc import Sequence

from mohs.envs.traffic.sumo.states import change

PROGRAMS = {"actuated": 3, "delay_based": 5}  # by SUMO's numbers of the types
SHORTEST, USUAL, LONGEST = 5.0, 30.0, 50.0  # s of a green; defaults of netconvert

Phase = tuple[str, float, float, float]  # a state, and its usual, shortest and longest time


def program(phases: Sequence[str], yellow: float, all_red: float, keep: bool) -> list[Phase]:
    """The phases of a program: each green is followed by yellow and all-red before the next one."""
    found: list[Phase] = []
    for now, then in zip(phases, [*phases[1:], phases[0]], strict=True):
        found.append((now, USUAL, SHORTEST, LONGEST))
        for state, time in zip(change(now, then, keep), (yellow, all_red), strict=True):
            if time > 0:
                found.append((state, time, time, time))
    return found
