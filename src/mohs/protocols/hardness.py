"""What stands on a hardness card? Every quantity, and for what is not defined the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from mohs.core.values import Json
from mohs.protocols.rollouts import Rollouts
from mohs.tables.table import Table

_ROWS = (
    "states", "actions", "horizon", "gamma", "deterministic", "optimal_return", "random_return", "worst_return",
    "p_opt", "random_guess_bound", "min_k", "epw", "covering_length",
)  # fmt: skip


@dataclass(frozen=True)
class Length:
    """One measure of the effective horizon, with the look-ahead k and the episodes m that attain it."""

    value: float
    k: int | None
    m: int | None
    interval: tuple[float, float] | None = None  # where it was measured
    runs: int | None = None

    def to_json(self) -> dict[str, Json]:
        return {**asdict(self), "interval": _listed(self.interval)}


@dataclass(frozen=True)
class Card:
    """What is known of a task. What is not defined or not known is None, and `undefined` says why."""

    name: str
    exact: bool
    horizon: int
    gamma: float
    actions: int | None = None
    states: int | None = None
    deterministic: bool | None = None
    optimal_return: float | None = None
    random_return: float | None = None
    worst_return: float | None = None
    p_opt: float | None = None
    random_guess_bound: float | None = None
    min_k: int | None = None
    epw: int | None = None
    covering_length: float | None = None
    effective_horizon: Mapping[str, Length | None] = field(default_factory=dict)
    simple_bound_m: tuple[float, ...] | None = None
    greedy_returns: tuple[float, ...] | None = None
    harmless_discount: tuple[float, bool] | None = None  # a discount, and whether playing for it is optimal without
    measures: Mapping[str, float | None] = field(default_factory=dict)
    formulas: Mapping[str, float] = field(default_factory=dict)  # of a CT-graph, by their names in `mohs.ctgraph`
    undefined: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(
        default_factory=dict
    )  # what to know of a number that is not quite what it is called
    sticky: tuple[float, Card] | None = None  # the probability, and the card with sticky actions
    table: Table | None = field(default=None, repr=False, compare=False)
    rollouts: Rollouts | None = field(default=None, repr=False, compare=False)

    def to_json(self) -> dict[str, Json]:
        """Every row; a row that is not defined is null, and `undefined` says why."""
        return {
            "target": self.name,
            "exact": self.exact,
            **{key: getattr(self, key) for key in _ROWS},
            "effective_horizon": {
                way: None if length is None else length.to_json() for way, length in self.effective_horizon.items()
            },
            "simple_bound_m": _listed(self.simple_bound_m),
            "greedy_returns": _listed(self.greedy_returns),
            "discount_is_harmless": None if self.harmless_discount is None else list(self.harmless_discount),
            "measures": dict(self.measures),
            "formulas": dict(self.formulas),
            "rollouts": None if self.rollouts is None else self.rollouts.to_json(),
            "undefined": dict(self.undefined),
            "notes": dict(self.notes),
            "sticky": None if self.sticky is None else {"probability": self.sticky[0], **self.sticky[1].to_json()},
        }


def _listed(values: tuple[float, ...] | None) -> list[Json] | None:
    return None if values is None else list(values)
