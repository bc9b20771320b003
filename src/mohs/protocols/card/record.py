"""What is on a hardness card? Every quantity, and for what is not defined the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from mohs.core.errors import UsageError
from mohs.core.values import Json
from mohs.envs.rollouts import Rollouts
from mohs.exact.values.returns import ReturnLaws, ReturnSample, return_laws
from mohs.exact.values.states import StateValues, state_values
from mohs.protocols.card.profile import Profile, profile
from mohs.protocols.verdict import Verdict
from mohs.report.findings import Finding
from mohs.tables.table import Table

if TYPE_CHECKING:
    import pandas as pd

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
        """As plain data."""
        return {**asdict(self), "interval": _listed(self.interval)}


@dataclass(frozen=True, repr=False)
class Card(Verdict):
    """What is known of a task. What is not defined or not known is None, and `undefined` says why."""

    protocol = "card"

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
    gorp_failed_within: int = 0  # steps that GORP was given without success
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

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Why the task is easy or hard, then its exact quantities."""
        from mohs.protocols.card.sentences import headline

        return tuple(Finding(text) for text in headline(self))

    @cached_property
    def profile(self) -> Profile:
        """Where the task stands among the tasks of the reference collection, and which of them are most similar."""
        return profile(self)

    @cached_property
    def states_values(self) -> StateValues | None:
        """Distances, optimal values and optimal actions of the states; None without a table."""
        return None if self.table is None else state_values(self.table, self.horizon)

    @cached_property
    def return_laws(self) -> ReturnLaws | ReturnSample | None:
        """The distributions of the return of random and optimal play; the sampled returns without a table."""
        if self.table is not None:
            return return_laws(self.table, self.horizon)
        return None if self.rollouts is None else ReturnSample(self.rollouts.returns, self.rollouts.random_return)

    def frame(self) -> pd.DataFrame:
        """One row for each quantity."""
        return Cards((self,)).frame()

    def to_json(self) -> dict[str, Json]:
        """Every row; a row that is not defined is null, and `undefined` says why."""
        return {
            "target": self.name,
            "exact": self.exact,
            "sentences": list(self.sentences),
            "profile": self.profile.to_json(),
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


@dataclass(frozen=True, repr=False)
class Cards(Verdict):
    """The cards of several tasks, side by side."""

    protocol = "card"

    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        if not self.cards:
            raise UsageError("a page of cards needs at least one card.")

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of every card, each with the name of its task."""
        return tuple(
            replace(found, text=f"{card.name}: {found.text}") for card in self.cards for found in card.findings
        )

    def frame(self) -> pd.DataFrame:
        """One row for each task, variant and quantity."""
        import pandas as pd

        from mohs.protocols.card.rows import csv_rows

        head, rows = csv_rows(self.cards)
        return pd.DataFrame(rows, columns=list(head))

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {"cards": [card.to_json() for card in self.cards]}


def all_cards(found: Card | Cards) -> tuple[Card, ...]:
    """One card, or several."""
    return found.cards if isinstance(found, Cards) else (found,)


def _listed(values: tuple[float, ...] | None) -> list[Json] | None:
    return None if values is None else list(values)
