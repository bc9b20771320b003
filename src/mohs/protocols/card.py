"""How hard is a task, and why? The hardness card: exact where the task is finite, before any training.

The returns are undiscounted. `gamma` is the discount that a learner trains with: look-ahead is discounted by it, and
optimality is judged without, as the Effective Horizon Challenge does (section 2, on discount factors).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import gymnasium

from mohs.core.domain import Integer, Real
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.core.values import Json
from mohs.exact import qvi, solve
from mohs.exact.bound import MAX_ACTIONS, simple_bound
from mohs.exact.gorp import gorp_horizon
from mohs.exact.measures import measures
from mohs.exact.stochastic import stochastic_horizon
from mohs.exact.tight import tight_bound
from mohs.protocols.rollouts import Rollouts, rollouts
from mohs.protocols.targets import Target, resolve
from mohs.tables.table import Table
from mohs.tables.transforms import sticky_actions, sticky_pairs

COMMON_DISCOUNT = 0.99  # what most learners are trained with
MANY_PLACES = 2_000_000  # states × steps from which the tighter bound looks one step ahead only: more takes minutes
LOOK_AHEADS = 10  # greedy returns are shown for at least so many k
RUNS, BUDGET = 100, 10_000_000  # of GORP: the challenge calls a task hard that takes it more steps
Say = Callable[[str], None]
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
            "rollouts": None if self.rollouts is None else self.rollouts.to_json(),
            "undefined": dict(self.undefined),
            "notes": dict(self.notes),
            "sticky": None if self.sticky is None else {"probability": self.sticky[0], **self.sticky[1].to_json()},
        }


def card(
    what: str | Task | Table | gymnasium.Env[Any, Any],
    /,
    *,
    horizon: int | None = None,
    gamma: float | None = None,
    sticky: float | None = None,
    explore: int = 0,
    runs: int = RUNS,
    budget: int = BUDGET,
    play_seed: int = 0,
    say: Say = lambda stage: None,
    **params: Any,
) -> Card:
    """The hardness card of an id with parameters, a Gymnasium id, a path, a task, a table or an environment.

    GORP is run up to `budget` steps of a run, each probe `runs` times; `play_seed` seeds it and rollouts, while `seed`
    is a parameter of the task like others. `explore` lists up to so many states of a Gymnasium environment that has no
    table. `say` is told what is being done.
    """
    target = resolve(what, params, explore=explore)
    options = _Options(
        None if horizon is None else Integer(1).parse("horizon", horizon),
        None if gamma is None else Real(0, 1).parse("gamma", gamma),
        Integer(10).parse("runs", runs),
        Integer(1).parse("budget", budget),
        Integer(0).parse("play_seed", play_seed),
        say,
    )
    if target.table is None:
        if sticky is not None:
            raise UsageError(f"sticky actions are for tables, and {target.name} has none.")
        return _estimated(target, options)
    found = _exact(target.name, target.table, target.table.states, options)
    if sticky is None:
        return found
    made = sticky_actions(target.table, sticky)
    pairs = sticky_pairs(target.table, found.horizon)
    return replace(found, sticky=(float(sticky), _exact(f"{target.name}, sticky {sticky:g}", made, pairs, options)))


def _listed(values: tuple[float, ...] | None) -> list[Json] | None:
    return None if values is None else list(values)


@dataclass(frozen=True)
class _Options:
    horizon: int | None
    gamma: float | None
    runs: int
    budget: int
    seed: int
    say: Say


def _exact(name: str, table: Table, states: int, options: _Options) -> Card:
    if options.horizon is None and table.horizon is None:
        raise UsageError(f"{name} has no horizon: give one (--horizon T).")
    steps, gamma = solve.finite_frame(table, options.horizon, options.gamma)
    say, undefined, notes = options.say, dict[str, str](), dict[str, str]()
    say("returns of the best, a random and the worst policy")
    returns = solve.returns(table, horizon=steps, discount=1.0)
    say("the chance of guessing")
    chance = qvi.p_opt(table, horizon=steps)
    guess = steps * math.log(2) / chance if chance > 0 else math.inf
    say("the steps of look-ahead that suffice")
    k = qvi.min_k(table, horizon=steps, discount=gamma)
    window = qvi.epw(table, horizon=steps, discount=gamma)
    for key, found in (("min_k", k), ("epw", window)):
        if found is None:
            undefined[key] = f"with the discount {gamma:g} no look-ahead makes every greedy policy optimal"
    most = min(steps, max(LOOK_AHEADS, k or 1), qvi.allowed(table))
    greedy = qvi.greedy(table, most, horizon=steps, discount=gamma).returns
    tested = gamma if gamma < 1 else COMMON_DISCOUNT
    lengths, ms, reasons = _lengths(table, steps, gamma, options)
    say("further measures")
    more = measures(table, horizon=steps)
    numbers = dict(more.values)
    covering = numbers.pop("covering_length")
    for key, note in more.notes.items():
        if key == "covering_length":
            undefined[key] = note
        elif numbers[key] is None:
            undefined[f"measures.{key}"] = note
        else:
            notes[f"measures.{key}"] = note
    return Card(
        name=name,
        exact=True,
        horizon=steps,
        gamma=gamma,
        actions=table.actions,
        states=states,
        deterministic=table.deterministic,
        optimal_return=returns.optimal,
        random_return=returns.random,
        worst_return=returns.worst,
        p_opt=chance,
        random_guess_bound=guess,
        min_k=k,
        epw=window,
        covering_length=covering,
        effective_horizon=lengths,
        simple_bound_m=ms,
        greedy_returns=tuple(greedy.tolist()),
        harmless_discount=(tested, qvi.discount_is_harmless(table, tested, horizon=steps)),
        measures=numbers,
        undefined={**undefined, **reasons},
        notes=notes,
        table=table,
    )


def _lengths(
    table: Table, steps: int, gamma: float, options: _Options
) -> tuple[dict[str, Length | None], tuple[float, ...] | None, dict[str, str]]:
    """The effective horizon by every way that applies, the simple bound's m for each k, and why others do not apply."""
    found: dict[str, Length | None] = dict.fromkeys(("simple", "tight", "gorp", "stochastic"))
    reasons = {}
    ms = None
    if not 2 <= table.actions <= MAX_ACTIONS:
        reasons["effective_horizon"] = f"it is for 2 to {MAX_ACTIONS} actions"
        return found, ms, reasons
    frame: dict[str, Any] = {"horizon": steps, "discount": gamma}
    options.say("the stochastic effective horizon")
    stochastic = stochastic_horizon(table, **frame)
    if stochastic.effective_horizon is None:
        reasons["effective_horizon.stochastic"] = f"the task is not k-QVI-solvable with the discount {gamma:g}"
    else:
        found["stochastic"] = Length(stochastic.effective_horizon, stochastic.k, None)
    if not table.deterministic:
        for way in ("simple", "tight", "gorp"):
            reasons[f"effective_horizon.{way}"] = "it is for deterministic transitions"
        reasons["simple_bound_m"] = "it is for deterministic transitions"
        return found, ms, reasons
    options.say("the simple bound on the effective horizon")
    simple = simple_bound(table, **frame)
    ms = simple.ms
    options.say("the tighter bound")
    many = table.states * steps > MANY_PLACES
    tight = tight_bound(table, **frame, most=table.actions if many else None)
    for way, bound, looked in (("simple", simple, len(simple.ms)), ("tight", tight, len(tight.ks))):
        if bound.k is None:
            reasons[f"effective_horizon.{way}"] = f"looking up to {looked} steps ahead no number of episodes suffices"
        else:
            found[way] = Length(bound.effective_horizon, bound.k, bound.m)
    options.say("the effective horizon by running GORP")
    played = gorp_horizon(
        table,
        **frame,
        runs=options.runs,
        budget=options.budget,
        seed=options.seed,
        progress=lambda probe: options.say(f"GORP, {probe}"),
    )
    if played.effective_horizon is None:
        reasons["effective_horizon.gorp"] = str(played)
    else:
        found["gorp"] = Length(played.effective_horizon, played.k, played.m, played.interval, played.runs)
    return found, ms, reasons


_NEEDS_TABLE = (
    "states", "optimal_return", "worst_return", "p_opt", "random_guess_bound", "min_k", "epw", "covering_length",
    "effective_horizon", "simple_bound_m",
)  # fmt: skip


def _estimated(target: Target, options: _Options) -> Card:
    """What random play shows of an environment that has no table."""
    assert target.env is not None
    options.say("random play")
    seen = rollouts(target.env, horizon=options.horizon, seed=options.seed)
    space = target.env.action_space
    actions = int(space.n) if isinstance(space, gymnasium.spaces.Discrete) else None
    undefined = dict.fromkeys(_NEEDS_TABLE, target.reason)
    if actions is None:
        undefined["actions"] = f"the actions are a {type(space).__name__}, not a finite list"
    return Card(
        name=target.name,
        exact=False,
        horizon=seen.horizon,
        gamma=1.0 if options.gamma is None else options.gamma,
        actions=actions,
        deterministic=seen.deterministic,
        random_return=seen.random_return.value,
        measures={},
        undefined=undefined,
        rollouts=seen,
    )
