"""What did every run score? One labelled array over agents, points of a family, seeds and measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mohs.agents.protocol import Points
from mohs.core.family import Family
from mohs.core.point import Point
from mohs.runs.results import Results

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
Measured = Callable[[str, Point, int, Points], Mapping[str, float]]  # of a finished run: agent, point, seed, curves


@dataclass(frozen=True, eq=False)
class Scores:
    """`values` [agents, points, seeds, measures]; NaN marks a run that is missing, or a measure without a value."""

    family: Family
    agents: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats

    @classmethod
    def of(
        cls, results: Results, family: Family, agents: Sequence[str], measures: Sequence[str], measured: Measured
    ) -> Scores:
        """The measures of all finished runs."""
        values = np.full((len(agents), len(family), results.seeds, len(measures)), np.nan)
        for i, agent in enumerate(agents):
            for j, point in enumerate(family):
                for seed, curves in enumerate(results.at(agent, point.name)):
                    if curves is not None:
                        found = measured(agent, point, seed, curves)
                        values[i, j, seed] = [found[name] for name in measures]
        return cls(family, tuple(agents), tuple(measures), values)

    def at(self, agent: str, point: str, measure: str) -> Floats:
        """One measure of an agent's runs at a point, [seeds]."""
        return self.samples(agent, point)[measure]

    def samples(self, agent: str, point: str) -> dict[str, Floats]:
        """Every measure of an agent's runs at a point, each [seeds]."""
        i, j = self.agents.index(agent), self._places[point]
        return {name: self.values[i, j, :, k] for k, name in enumerate(self.measures)}

    @cached_property
    def _places(self) -> dict[str, int]:
        return {point.name: j for j, point in enumerate(self.family)}

    def frame(self) -> pd.DataFrame:
        """One row for each agent, point and seed: the point's place, weight and features, then every measure."""
        import pandas as pd

        shape = self.values.shape[:3]
        agent, point, seed = (index.ravel() for index in np.indices(shape))
        about = self.family.frame().drop(columns=["env", "params"]).rename(columns={"name": "point"})
        columns = {"agent": np.array(self.agents, dtype=object)[agent]}
        columns |= {name: about[name].to_numpy()[point] for name in about.columns}
        columns |= {"seed": seed}
        columns |= {name: self.values[..., k].ravel() for k, name in enumerate(self.measures)}
        return pd.DataFrame(columns)
