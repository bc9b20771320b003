"""What came of a plan? The curves of its runs by agent, point and seed; a run that has not finished is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mohs.agents.protocol import Points
from mohs.core.errors import MohsError
from mohs.runs.plan import Plan, Track


class UnplannedError(MohsError, LookupError):
    """Results were asked for that the plan does not have."""


@dataclass(frozen=True, eq=False)
class Results:
    """Curves by track, one entry for each seed: None where the run is missing.

    `planned` counts the different runs that were asked for, `missing` those of them that have no result: they have not
    finished, or they are `damaged` in the store, which names these.
    """

    seeds: int
    curves: Mapping[Track, tuple[Points | None, ...]]
    planned: int
    missing: int
    damaged: tuple[str, ...] = ()

    @classmethod
    def of(cls, plan: Plan, found: Mapping[str, Points | None]) -> Results:
        """The results of a plan: `found` maps the keys of finished cells to their curves, None where damaged."""
        return cls.labelled(plan.tracks, plan.runs, found)

    @classmethod
    def labelled(cls, tracks: Sequence[Track], runs: Sequence[str], found: Mapping[str, Points | None]) -> Results:
        """The same from the keys of all runs, seed by seed and track by track."""
        seeds = len(runs) // max(1, len(tracks))
        curves = {
            track: tuple(found.get(runs[seed * len(tracks) + i]) for seed in range(seeds))
            for i, track in enumerate(tracks)
        }
        keys = set(runs)
        damaged = tuple(key for key, its in found.items() if its is None)
        return cls(seeds, curves, len(keys), len(keys - found.keys()) + len(damaged), damaged)

    def at(self, agent: str, point: str = "") -> tuple[Points | None, ...]:
        """The curves of an agent at a point, one for each seed.

        Raises:
            UnplannedError: the plan has no such track.
        """
        track = Track(agent, point)
        if track not in self.curves:
            planned = sorted({other.point for other in self.curves if other.agent == agent})
            agents = sorted({other.agent for other in self.curves})
            known = (
                f"it is planned at {', '.join(map(repr, planned))}" if planned else f"agents are {', '.join(agents)}"
            )
            raise UnplannedError(f"no run of {agent} at {point!r} is planned: {known}.")
        return self.curves[track]

    def finished(self, agent: str, point: str = "") -> Iterator[tuple[int, Points]]:
        """The seeds of the runs that have finished, with their curves; none where no run was planned."""
        planned = self.curves.get(Track(agent, point), ())
        return ((seed, curves) for seed, curves in enumerate(planned) if curves is not None)
