"""Which fixed plan suits an intersection? One without knowledge, and Webster's: phases of decisions, repeated."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mohs.engines import loops
from mohs.engines.traffic.arrivals import HOUR
from mohs.engines.traffic.discharge import CLEARED, gap, saturation_flow, start_up_loss
from mohs.engines.traffic.fleet import TrafficFleet
from mohs.engines.traffic.junction import APPROACHES, LEFT, RIGHT, THROUGH, Junction
from mohs.engines.traffic.signal import Signal

UNTUNED = 90.0  # s of the cycle of a plan that was not tuned
_LONGEST = 120.0  # s of a cycle
_LARGEST = 0.95  # the sum of flow ratios that is planned for


def untuned(signal: Signal) -> list[int]:
    """A plan that knows no flows: the phase of each decision of a cycle.

    The phases share a cycle of 90 s in proportion to the streams that they protect, in whole decisions, at least one
    each: 40 s for each street, or 30 s and 10 s for its left turns.
    """
    protected = (signal.greens == 1).sum(axis=1)
    shares = protected / max(protected.sum(), 1) * UNTUNED / signal.decision
    return repeated(np.maximum(shares.astype(int), 1))


def repeated(counts: Sequence[int] | npt.NDArray[np.int64]) -> list[int]:
    """The plan in which each phase is shown for so many decisions."""
    return np.repeat(np.arange(len(counts)), counts).tolist()


def permissive_flow(junction: Junction, approach: int) -> float:
    """Left turns per second of a green that find a gap in oncoming traffic that comes at random (Harders, 1968)."""
    most = saturation_flow(junction.speed, LEFT)
    across = (approach + 2) % len(APPROACHES)
    coming = sum(junction.flows[across][m] for m in (THROUGH, RIGHT)) / HOUR
    needed = gap(sum(lane.movements != (LEFT,) for lane in junction.of(across)))
    return coming * math.exp(-coming * needed) / (1 - math.exp(-coming / most)) if coming > 0 else most


def flow_ratios(junction: Junction) -> npt.NDArray[np.float64]:
    """Of each phase the largest ratio of flow to saturation flow among the approaches.

    Streams share the lanes that permit any of them. Left turns with lanes of their own count in their own phase only.
    """
    ratios = np.zeros((len(junction.phases), len(APPROACHES)))
    for p, phase in enumerate(junction.phases):
        for approach, flows in enumerate(junction.flows):
            lanes = junction.of(approach)
            own = any(lane.movements == (LEFT,) for lane in lanes)
            load, given = 0.0, set()
            for movement, flow in enumerate(flows):
                green = phase.green(approach, movement)
                if green == 2 or (green == 1 and not own):
                    given.add(movement)
                    protected = saturation_flow(junction.speed, movement)
                    load += flow / HOUR / (protected if green == 2 else permissive_flow(junction, approach))
            served = sum(bool(given & set(lane.movements)) for lane in lanes)
            ratios[p, approach] = load / max(served, 1)
    worst: npt.NDArray[np.float64] = ratios.max(axis=1)
    return worst


def lost_time(junction: Junction, yellow: float, all_red: float) -> float:
    """Seconds of a phase, from the end of the last green to the end of its own, in which no queue leaves."""
    return yellow + all_red - min(CLEARED, yellow) + start_up_loss(junction.speed)


def webster(junction: Junction, decision: float = 10.0, yellow: float = 3.0, all_red: float = 1.0) -> list[int]:
    """The plan of Webster (1958): the phase of each decision of a cycle.

    The cycle is (1.5 L + 5) / (1 − Y), greens are in proportion to flow ratios; both are rounded to whole decisions.

    Args:
        junction: The intersection, with its mean flows.
        decision: Time between two decisions, in s.
        yellow: Yellow before every change of the phase, in s.
        all_red: Time between the yellow and the next green, in s.
    """
    ratios = np.maximum(flow_ratios(junction), 0.01)
    ratios *= min(1.0, _LARGEST / ratios.sum())
    lost = lost_time(junction, yellow, all_red)
    total = lost * len(ratios)
    cycle = min((1.5 * total + 5) / (1 - ratios.sum()), _LONGEST)
    greens = max(cycle - total, 0.0) * ratios / ratios.sum()
    counts = np.maximum(np.round((greens + lost) / decision), 1).astype(int)
    return repeated(counts)


def play_fixed(
    fleet: TrafficFleet, plans: Sequence[Sequence[int]], seed: int = 0
) -> dict[str, npt.NDArray[np.float64]]:
    """The metrics of one episode of every instance, each under its own plan.

    Args:
        fleet: The instances. They get new random streams.
        plans: For each instance the phases of the decisions of a cycle, which is repeated.
        seed: Of these streams.
    """
    count = len(fleet)
    steps = fleet.tasks["horizon"][fleet.instances["task"]]
    longest = int(steps.max())
    actions = np.array([np.resize(plan, longest) for plan in plans], dtype=np.int64)
    fleet.seed(np.random.default_rng(seed).integers(2**64, size=count, dtype=np.uint64))
    seen, rewards = fleet.new_observations(), np.empty(count)
    ended, cut = np.empty(count, dtype=np.bool_), np.empty(count, dtype=np.bool_)
    loops.begin_fleet(fleet.memory, np.ones(count, dtype=np.bool_), seen)
    metrics = {name: np.zeros(count) for name in fleet.metrics()}
    for t in range(longest):
        loops.step_fleet(fleet.memory, actions[:, t : t + 1].copy(), seen, rewards, ended, cut, seen, False)
        if cut.any():
            for name, values in fleet.metrics().items():
                done = cut & (steps == t + 1)
                metrics[name][done] = values[done]
    return metrics
