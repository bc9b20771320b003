"""How hard is a task, and why? The hardness card: exact where the task is finite, before any training.

The returns are undiscounted. `gamma` is the discount that a learner trains with: look-ahead is discounted by it, and
optimality is judged without, as the Effective Horizon Challenge does (section 2, on discount factors).
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import gymnasium

from mohs.core.arguments import checked
from mohs.core.domain import Flag, Integer, Real
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.envs.rollouts import rollouts
from mohs.exact.bounds.simple import simple_bound
from mohs.exact.bounds.stochastic import stochastic_horizon
from mohs.exact.bounds.tight import tight_bound
from mohs.exact.lookahead import qvi
from mohs.exact.lookahead.gorp import LONG, gorp_horizon
from mohs.exact.lookahead.gorp_runs import charge
from mohs.exact.measures.table_measures import measures
from mohs.exact.values import solve
from mohs.protocols.card.record import Card, Length
from mohs.protocols.card.targets import Target, resolve
from mohs.tables.table import Table
from mohs.tables.transforms import sticky_actions, sticky_pairs

COMMON_DISCOUNT = 0.99  # what most learners are trained with
MANY_PLACES = 2_000_000  # states × steps from which the tighter bound looks one step ahead only: more takes minutes
LOOK_AHEADS = 10  # greedy returns are shown for at least so many k
WAYS = ("simple", "tight", "gorp", "stochastic")  # of measuring the effective horizon
RUNS, BUDGET = 100, 10_000_000  # of GORP: the challenge calls a task hard that takes it more steps
Say = Callable[[str], None]
Found = TypeVar("Found")


@checked
def card(
    what: str | os.PathLike[str] | Task | Table | gymnasium.Env[Any, Any] | Target,
    /,
    *,
    horizon: int | None = None,
    gamma: float | None = None,
    sticky: float | None = None,
    explore: int = 0,
    runs: int = RUNS,
    budget: int | None = None,
    analytic: bool = False,
    play_seed: int = 0,
    say: Say = lambda stage: None,
    **params: Any,
) -> Card:
    """The hardness card of an id with parameters, a Gymnasium id, a path, a task, a table or an environment.

    Args:
        what: the task.
        horizon: steps of an episode, in place of the task's own.
        gamma: discount of the learner. Returns are undiscounted.
        sticky: also make the card with sticky actions of this probability.
        explore: list up to so many states of a Gymnasium environment that has no table.
        runs: runs of GORP for each probe.
        budget: most environment steps that are charged to a run of GORP: 10 million by default, with `analytic` those
            of an effective horizon of 8.
        analytic: draw GORP's choices from their exact distribution without playing steps.
        play_seed: seed of GORP and of rollouts. `seed` is a parameter of the task.
        say: called with a sentence about each stage.
        **params: parameters of the task.

    Returns:
        The card.

    Raises:
        UsageError: the task cannot be made, has no horizon, or an option is out of range.

    Example:
        >>> import mohs
        >>> found = mohs.card("toy/discrete", max_episode_steps=5)
        >>> (found.exact, found.states)
        (True, 9)
    """
    options = _Options(
        None if horizon is None else Integer(1).parse("horizon", horizon),
        None if gamma is None else Real(0, 1).parse("gamma", gamma),
        None if sticky is None else Real(0, 1).parse("sticky", sticky),
        Integer(10).parse("runs", runs),
        None if budget is None else Integer(1).parse("budget", budget),
        Flag().parse("analytic", analytic),
        Integer(0).parse("play_seed", play_seed),
        say,
    )
    target = resolve(what, params, explore=explore)
    if target.table is None:
        if options.sticky is not None:
            raise UsageError(f"sticky actions are for tables, and {target.name} has none.")
        return _estimated(target, options)
    found = _exact(target.name, target.table, target.table.states, options)
    if target.note:
        found = replace(found, notes={**found.notes, "task": target.note})
    if target.task is not None and target.task.environment.formulas is not None:
        found = replace(found, formulas=target.task.environment.realisation("formulas")(target.task))
    if options.sticky is None:
        return found
    made = sticky_actions(target.table, options.sticky)
    pairs = sticky_pairs(target.table, found.horizon)
    name = f"{target.name}, sticky {options.sticky:g}"
    return replace(found, sticky=(options.sticky, _exact(name, made, pairs, options)))


@dataclass(frozen=True)
class _Options:
    horizon: int | None
    gamma: float | None
    sticky: float | None
    runs: int
    budget: int | None
    analytic: bool
    seed: int
    say: Say


def _exact(name: str, table: Table, states: int, options: _Options) -> Card:
    if options.horizon is None and table.horizon is None:
        raise UsageError(f"{name} has no horizon: give one (--horizon T).")
    steps, gamma = solve.finite_frame(table, options.horizon, options.gamma)
    say, undefined = options.say, dict[str, str]()
    say("returns of the best, a random and the worst policy")
    returns = solve.returns(table, horizon=steps, discount=1.0)
    # What counts as a tie must not depend on the unit of the rewards: a range of returns below 1 is made 1.
    unit = min(1.0, returns.optimal - returns.worst) or 1.0
    scaled = replace(table, reward=table.reward / unit, discount=1.0)
    say("the chance of guessing")
    chance = qvi.p_opt(scaled, horizon=steps)
    say("the steps of look-ahead that suffice")
    k = _asked("min_k", undefined, lambda: qvi.min_k(scaled, horizon=steps, discount=gamma))
    window = _asked("epw", undefined, lambda: qvi.epw(scaled, horizon=steps, discount=gamma))
    for key, found in (("min_k", k), ("epw", window)):
        if found is None:
            undefined.setdefault(key, f"with the discount {gamma:g} no look-ahead makes every greedy policy optimal")
    most = min(steps, max(LOOK_AHEADS, k or 1), qvi.allowed(scaled, steps, gamma))
    greedy = qvi.greedy(scaled, most, horizon=steps, discount=gamma).returns * unit
    tested = gamma if gamma < 1 else COMMON_DISCOUNT
    lengths, failed, ms, notes = _lengths(scaled, steps, gamma, options, undefined)
    say("further measures")
    more = measures(scaled, horizon=steps)
    numbers = dict(more.values)
    for key, factor in (("smallest_gap", unit), ("gap_reciprocals", 1 / unit), ("value_norm", unit)):
        if (number := numbers[key]) is not None:
            numbers[key] = number * factor
    covering = numbers.pop("covering_length")
    for key, note in more.notes.items():
        row = key if key == "covering_length" else f"measures.{key}"
        (undefined if more.values[key] is None else notes)[row] = note
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
        random_guess_bound=steps * math.log(2) / chance if chance > 0 else math.inf,
        min_k=k,
        epw=window,
        covering_length=covering,
        effective_horizon=lengths,
        gorp_failed_within=failed,
        simple_bound_m=ms,
        greedy_returns=tuple(greedy.tolist()),
        harmless_discount=(tested, qvi.discount_is_harmless(scaled, tested, horizon=steps)),
        measures=numbers,
        undefined=undefined,
        notes=notes,
        table=table,
    )


def _asked(row: str, undefined: dict[str, str], question: Callable[[], Found]) -> Found | None:
    """The answer; where the question is refused, None, and the reason is kept."""
    try:
        return question()
    except UsageError as error:
        undefined[row] = str(error).rstrip(".")
        return None


def _lengths(
    table: Table, steps: int, gamma: float, options: _Options, undefined: dict[str, str]
) -> tuple[dict[str, Length | None], int, tuple[float, ...] | None, dict[str, str]]:
    """The effective horizon by every way, the steps in which GORP failed, the simple bound's m for each k, and notes.

    `undefined` takes the reasons.
    """
    frame: dict[str, Any] = {"horizon": steps, "discount": gamma}
    found: dict[str, Length | None] = dict.fromkeys(WAYS)
    notes: dict[str, str] = {}
    options.say("the simple bound on the effective horizon")
    simple = _asked("effective_horizon.simple", undefined, lambda: simple_bound(table, **frame))
    if simple is not None:
        found["simple"] = _bound("simple", simple.effective_horizon, simple.k, simple.m, len(simple.ms), undefined)
    else:
        undefined["simple_bound_m"] = undefined["effective_horizon.simple"]
    options.say("the tighter bound")
    few = table.actions if table.states * steps > MANY_PLACES else None
    tight = _asked("effective_horizon.tight", undefined, lambda: tight_bound(table, **frame, most=few))
    if tight is not None:
        found["tight"] = _bound("tight", tight.effective_horizon, tight.k, tight.m, len(tight.ks), undefined)
        if few is not None:
            limit = "only k = 1 was looked at, because larger k take minutes in so many states"
            (undefined if found["tight"] is None else notes)["effective_horizon.tight"] = limit
    options.say("the stochastic effective horizon")
    chance = _asked("effective_horizon.stochastic", undefined, lambda: stochastic_horizon(table, **frame))
    if chance is not None and chance.effective_horizon is not None:
        found["stochastic"] = Length(chance.effective_horizon, chance.k, None)
    elif chance is not None:
        undefined["effective_horizon.stochastic"] = f"the task is not k-QVI-solvable with the discount {gamma:g}"
    options.say("the effective horizon by running GORP")
    usual = charge(frame["horizon"], table.actions, LONG, 1) if options.analytic else BUDGET
    played = _asked("effective_horizon.gorp", undefined, lambda: gorp_horizon(
        table, **frame, runs=options.runs, budget=options.budget or usual, analytic=options.analytic, seed=options.seed,
        progress=lambda probe: options.say(f"GORP, {probe}"),
    ))  # fmt: skip
    if played is not None and played.effective_horizon is not None:
        found["gorp"] = Length(played.effective_horizon, played.k, played.m, played.interval, played.runs)
    elif played is not None:
        undefined["effective_horizon.gorp"] = str(played)
    failed = played.budget if played is not None and played.effective_horizon is None else 0
    return found, failed, None if simple is None else simple.ms, notes


def _bound(
    way: str, value: float, k: int | None, m: int | None, looked: int, undefined: dict[str, str]
) -> Length | None:
    if k is None:
        undefined[f"effective_horizon.{way}"] = f"looking up to k = {looked} no number of random episodes suffices"
        return None
    return Length(value, k, m)


_NEEDS_TABLE = (
    "states", "optimal_return", "worst_return", "p_opt", "random_guess_bound", "min_k", "epw", "covering_length",
    "effective_horizon", "simple_bound_m", "greedy_returns", "discount_is_harmless",
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
    if not seen.deterministic:
        undefined["deterministic"] = "outcomes change with the seed, by the start or by chance on the way"
    return Card(
        name=target.name,
        exact=False,
        horizon=seen.horizon,
        gamma=1.0 if options.gamma is None else options.gamma,
        actions=actions,
        deterministic=seen.deterministic or None,
        effective_horizon=dict.fromkeys(WAYS),
        random_return=seen.random_return.value,
        undefined=undefined,
        rollouts=seen,
    )
