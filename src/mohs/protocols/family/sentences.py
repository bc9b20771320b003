"""What does the verdict on a family say? Sentences from its data, the most important first."""

from __future__ import annotations

import math
from collections.abc import Iterator

from mohs.protocols.family.default import Order, sign
from mohs.protocols.family.outcomes import COARSE
from mohs.protocols.family.scale import TWINS
from mohs.protocols.family.verdict import FamilyVerdict, MethodResult, PairResult
from mohs.protocols.words import joined
from mohs.report import numbers
from mohs.report.findings import Finding
from mohs.report.methods import counted
from mohs.stats.family import DESIGNS, Budget

SMALL_CHANGE = 0.25  # of the weight: a ranking that needs more to change is not called sensitive
SIMILAR = 0.02  # of the range of scores: means that are surely nearer are called alike in a headline


def findings(verdict: FamilyVerdict) -> tuple[Finding, ...]:
    """All sentences."""
    if not len(verdict.used):
        text = "No point of the family has a finished model of every method."
        return (*_unscaled(verdict), Finding(text, warning=True))[:1]
    lines = [Finding(_headline(verdict)), *_ranking(verdict), *_exceptions(verdict), *_default(verdict)]
    lines += [*_failures(verdict), *_open(verdict), *_precision(verdict), *_weights(verdict), *_warnings(verdict)]
    return tuple(lines)


def _headline(verdict: FamilyVerdict) -> str:
    """Whether the ranking of the default point survives."""
    names, over = verdict.study.labels, f"over the family {verdict.study.title}"
    if len(names) == 1:
        (only,) = verdict.results
        at = "" if only.default is None else f", and {numbers.estimated(only.default)} at the default point"
        return f"{only.name} scores {numbers.estimated(only.overall)} {over}{at}."
    told = [pair for pair in verdict.pairs if not (pair.decided and _alike(verdict, pair))]
    if not told:
        scale = verdict.outcomes.scale
        span = "the range of scores" if scale is None else f"the range from {scale.low} to {scale.high}"
        return f"{joined(list(names))} score alike {over}: they differ by less than {SIMILAR:.0%} of {span}."
    by = {order: [pair for pair in told if pair.order is order] for order in Order}
    if by[Order.REVERSED]:
        said = [f"{names[pair.b]} above {names[pair.a]}" for pair in by[Order.REVERSED]]
        return (
            f"The default point misleads: it ranks {joined(said)}, but {over} "
            f"{'the order is' if len(said) == 1 else 'the orders are'} the reverse."
        )
    if by[Order.HIDDEN]:
        said = [f"{names[pair.a]} from {names[pair.b]}" for pair in by[Order.HIDDEN]]
        runs = max(pair.default.n for pair in by[Order.HIDDEN] if pair.default is not None)
        return (
            f"{runs} runs at the default point do not tell {joined(said)}; {over} {_better(verdict, by[Order.HIDDEN])}."
        )
    if by[Order.OPEN] and not (by[Order.KEPT] or by[Order.UNKNOWN]):
        n = len(verdict.used)
        points, one = f"{n} point{'s' * (n > 1)}", n == 1
        if not DESIGNS[verdict.study.design].interval:
            return (
                f"The design {verdict.study.design} has no intervals, so {joined(list(names))} are not ranked {over}."
            )
        if verdict.estimate is None or not verdict.estimate.known:
            return f"{points} {'is' if one else 'are'} too few to rank {joined(list(names))} {over}."
        return f"{points} {'does' if one else 'do'} not tell {joined(list(names))} apart {over}."
    if by[Order.UNKNOWN]:
        return f"{over[0].upper()}{over[1:]}, {_better(verdict, by[Order.UNKNOWN])}."
    certain = "" if not by[Order.OPEN] else ", as far as pairs are decided"
    return f"The ranking of the default point holds {over}{certain}: {_better(verdict, by[Order.KEPT])}."


def _alike(verdict: FamilyVerdict, pair: PairResult) -> bool:
    """Whether two means are surely too near for their order to count."""
    assert verdict.estimate is not None
    ends = verdict.estimate.reach
    low, high = verdict.outcomes.references or (float(ends[:, 0].min()), float(ends[:, 1].max()))
    return max(-pair.difference.low, pair.difference.high) < SIMILAR * (high - low)


def _better(verdict: FamilyVerdict, pairs: list[PairResult]) -> str:
    """a and b are better than c and d, and c is better than d."""
    names = verdict.study.labels
    worse: dict[int, list[str]] = {}
    for pair in pairs:
        worse.setdefault(pair.a, []).append(names[pair.b])
    alike: dict[tuple[str, ...], list[str]] = {}
    for i in sorted(worse, key=lambda i: verdict.results[i].rank):
        alike.setdefault(tuple(worse[i]), []).append(names[i])
    parts = [
        f"{joined(better)} {'are' if len(better) > 1 else 'is'} better than {joined(list(than))}"
        for than, better in alike.items()
    ]
    return joined(parts)


def _ranking(verdict: FamilyVerdict) -> Iterator[Finding]:
    """The scores over the family, best first, and how they were estimated."""
    if len(verdict.results) > 1:
        scores = [f"{m.name} {numbers.estimated(m.overall)}{_ranks(m)}" for m in verdict.ranked]
        yield Finding(f"Mean scores over the family, best first: {'; '.join(scores)}.")
    study = verdict.study
    used, members = len(verdict.used), len(study.members)
    if used < members:
        seeds = "" if study.seeds == 1 else f" with {study.seeds} seeds each"
        yield Finding(
            f"They are estimated from {used:,} of {members:,} points{seeds} ({DESIGNS[study.design].title} sampling)."
        )


def _ranks(method: MethodResult) -> str:
    low, high = method.rank_low, method.rank_high
    return f" (rank {low})" if low == high else f" (rank {low} to {high})"


def _exceptions(verdict: FamilyVerdict) -> Iterator[Finding]:
    """Methods that are better on average and worse at most points."""
    names = verdict.study.labels
    for pair in verdict.pairs:
        if pair.decided and pair.wins.known and pair.wins.high < 0.5:
            yield Finding(
                f"{names[pair.a]} has the higher mean, but {names[pair.b]} is better at most points: "
                f"{names[pair.a]} wins at {numbers.share(pair.wins)} of the family."
            )


def _default(verdict: FamilyVerdict) -> Iterator[Finding]:
    """By how much the default point overstates or understates each method."""
    for side, word in ((1, "overstates"), (-1, "understates")):
        found = [m for m in verdict.ranked if m.gap is not None and sign(m.gap) == side]
        if found:
            said = [f"{m.name} by {_size(m)}" for m in found]
            yield Finding(f"The default point {word} {joined(said)}.")


def _size(method: MethodResult) -> str:
    assert method.gap is not None
    low, high = sorted((abs(method.gap.low), abs(method.gap.high)))
    return f"{numbers.number(abs(method.gap.value))} [{numbers.number(low)}, {numbers.number(high)}]"


def _failures(verdict: FamilyVerdict) -> Iterator[Finding]:
    """Which share of the family each method fails, and where."""
    judged = [(m, m.failures) for m in verdict.ranked if m.failures is not None]
    if judged:
        said = [f"{m.name} on {numbers.share(f.failed) if f.failed.known else numbers.percent(f.failed.value)}"
                for m, f in judged]  # fmt: skip
        yield Finding(f"Scores below {verdict.study.failure:g}, by weight: {'; '.join(said)} of the family.")
    for method, found in judged:
        if found.where.explained:
            yield Finding(found.where.sentence(method.name))


def _open(verdict: FamilyVerdict) -> Iterator[Finding]:
    """What would settle pairs that are open."""
    names, members = verdict.study.labels, len(verdict.study.members)
    hidden = [pair for pair in verdict.pairs if pair.order is Order.HIDDEN and pair.needed_default is not None]
    if hidden:
        said = joined([f"{names[pair.a]} from {names[pair.b]}" for pair in hidden])
        most = max(pair.needed_default or 0 for pair in hidden)
        yield Finding(f"At the default point, about {most:,} runs would tell {said} (--default-seeds {most}).")
    close = []
    for pair in verdict.pairs:
        if pair.decided or not pair.difference.known:
            continue
        two = f"{names[pair.a]} and {names[pair.b]}"
        if pair.needed is None:
            close.append(two)
            continue
        ran = _counted(len(verdict.used), verdict.study.seeds)
        yield Finding(f"To tell {two} apart would take about {_takes(verdict, pair.needed)}; {ran} ran.")
    if close:
        every = "the only point" if members == 1 else f"all {members:,} points"
        few = f"for one seed at {every}; --seeds 2 tells whether more seeds would do."
        many = f"for 1,000 seeds at {every}."
        yield Finding(f"{'; '.join(close)} differ too little {few if verdict.study.seeds == 1 else many}")


def _takes(verdict: FamilyVerdict, budget: Budget) -> str:
    """154 points (--budget 154), or 180 points with 4 seeds each (--budget 720 --seeds 4)."""
    seeds = "" if budget.seeds == verdict.study.seeds else f" --seeds {budget.seeds}"
    return f"{_counted(budget.points, budget.seeds)} (--budget {budget.models}{seeds})"


def _counted(points: int, seeds: int) -> str:
    """180 points, or 180 points with 4 seeds each."""
    return counted(points, "point") + ("" if seeds == 1 else f" with {seeds} seeds each")


def _precision(verdict: FamilyVerdict) -> Iterator[Finding]:
    """What narrower intervals would take."""
    found = verdict.precision
    if found is None:
        return
    wanted, reached = (f"±{numbers.number(x)}" for x in (found.wanted, found.reached))
    if found.budget is not None:
        more = f"would take about {_takes(verdict, found.budget)}"
    elif verdict.study.seeds == 1:
        more = "would take more than one seed at every point; --seeds 2 tells how many"
    else:
        more = "are out of reach of 1,000 seeds at every point"
    yield Finding(f"Intervals of {wanted} for every method {more}; now the widest is {reached}.")


def _weights(verdict: FamilyVerdict) -> Iterator[Finding]:
    """The pair that the smallest change of weights would reverse."""
    found = [(p.reversal, p) for p in verdict.pairs if p.decided]
    if found:
        least, pair = min(found, key=lambda item: item[0])
        names = verdict.study.labels
        if least <= SMALL_CHANGE:
            yield Finding(
                f"The order depends on the weights: moving {numbers.percent(least)} of the weight between points would "
                f"put {names[pair.b]} level with {names[pair.a]}."
            )


def _ratios(verdict: FamilyVerdict) -> Iterator[Finding]:
    """What ratios of returns say where tails are heavy, of each method and the next one in the ranking."""
    names, rank = verdict.study.labels, [m.rank for m in verdict.results]
    said = [
        f"{names[p.a]} / {names[p.b]} {numbers.estimated(p.ratio)}"
        for p in sorted(verdict.pairs, key=lambda p: rank[p.a])
        if p.ratio is not None and rank[p.b] - rank[p.a] <= 1
    ]
    if said:
        what = "returns" if (verdict.outcomes.returns[:, verdict.used] > 0).all() else "losses"
        yield Finding(f"Ratios of {what} have shorter tails; geometric means over the family: {'; '.join(said)}.")


def _unscaled(verdict: FamilyVerdict) -> Iterator[Finding]:
    """Points without scores, because the references do not differ."""
    count, scale = verdict.outcomes.unscaled, verdict.outcomes.scale
    if scale is not None and count:
        points = f"{count:,} of {counted(len(verdict.study.points), 'point')}"
        yield Finding(f"No scores at {points}: {scale.high} is not above {scale.low} there.", warning=True)


def _coarse(verdict: FamilyVerdict) -> Iterator[Finding]:
    """How many points have evaluations with a large error, and how many episodes would mend that."""
    study, needed = verdict.study, verdict.outcomes.episodes[verdict.used]
    noisy = int((needed > study.episodes).sum())
    if noisy:
        points = f"{noisy:,} of {counted(len(needed), 'point')}"
        enough = 10 * math.ceil(float(needed.max()) / 10)
        yield Finding(
            f"At {points} the mean of {study.episodes} episodes has a standard error of more than {COARSE:.0%} of the "
            f"range from 0 to 1; about --episodes {enough} would have less at every point.",
            warning=True,
        )


def _warnings(verdict: FamilyVerdict) -> Iterator[Finding]:
    """What limits the verdict."""
    study = verdict.study
    if not DESIGNS[study.design].interval:
        yield Finding(f"No intervals with the design {study.design}. {DESIGNS[study.design].text}", warning=True)
    elif verdict.estimate is not None and not verdict.estimate.known:
        yield Finding(f"No intervals: {verdict.estimate.why}", warning=True)
    elif verdict.estimate is not None and verdict.estimate.alike.any():
        alike = [name for name, same in zip(study.labels, verdict.estimate.alike, strict=True) if same]
        yield Finding(
            f"No interval for {joined(alike)}: all scores are alike, and without references nothing says how far "
            "those at other points and seeds may be.",
            warning=True,
        )
    if verdict.outcomes.scale is None:
        twin = f", and so does --env {TWINS[study.env]}, which takes the same steps" if study.env in TWINS else ""
        text = "Scores are raw returns, so points with large returns count most; --baseline AGENT normalises them"
        yield Finding(f"{text}{twin}.", warning=True)
    yield from _unscaled(verdict)
    yield from _coarse(verdict)
    yield from (Finding(text, warning=True) for text in verdict.tail_warnings)
    yield from _ratios(verdict)
    yield from (Finding(note, warning=True) for note in study.notes)
    if verdict.missing:
        yield Finding(f"{verdict.missing:,} of {verdict.planned:,} models are missing.", warning=True)
