"""What does the verdict on a family say? Sentences from its data, the most important first."""

from __future__ import annotations

from collections.abc import Iterator

from mohs.protocols.family.default import Order, sign
from mohs.protocols.family.verdict import FamilyVerdict, MethodResult, PairResult
from mohs.protocols.words import joined
from mohs.report import numbers
from mohs.report.findings import Finding
from mohs.stats.family import DESIGNS

SMALL_CHANGE = 0.25  # of the weight: a ranking that needs more to change is not called sensitive
SIMILAR = 0.02  # normalised scores nearer than this count as equal in a headline


def findings(verdict: FamilyVerdict) -> tuple[Finding, ...]:
    """All sentences."""
    if not len(verdict.used):
        return (Finding("No point of the family has a finished model of every method.", warning=True),)
    lines = [Finding(_headline(verdict)), *_ranking(verdict), *_default(verdict), *_failures(verdict)]
    lines += [*_open(verdict), *_weights(verdict), *_warnings(verdict)]
    return tuple(lines)


def _headline(verdict: FamilyVerdict) -> str:
    """Whether the ranking of the default point survives."""
    names, over = verdict.study.labels, f"over the family {verdict.study.title}"
    if len(names) == 1:
        (only,) = verdict.results
        at = "" if only.default is None else f", and {numbers.estimated(only.default)} at the default point"
        return f"{only.name} scores {numbers.estimated(only.overall)} {over}{at}."
    by = {order: [pair for pair in verdict.pairs if pair.order is order] for order in Order}
    if by[Order.REVERSED]:
        said = [f"{names[pair.b]} above {names[pair.a]}" for pair in by[Order.REVERSED]]
        return (
            f"The default point misleads: it ranks {joined(said)}, but {over} "
            f"{'the order is' if len(said) == 1 else 'the orders are'} the reverse."
        )
    if by[Order.HIDDEN]:
        said = [f"{names[pair.a]} from {names[pair.b]}" for pair in by[Order.HIDDEN]]
        return f"The default point does not tell {joined(said)}; {over} {_better(verdict, by[Order.HIDDEN])}."
    if by[Order.OPEN] and not (by[Order.KEPT] or by[Order.UNKNOWN]):
        points = f"{len(verdict.used)} points"
        if verdict.estimate is None or not verdict.estimate.known:
            return f"{points} are too few to rank {joined(list(names))} {over}."
        return f"{points} do not tell {joined(list(names))} apart {over}."
    if by[Order.UNKNOWN]:
        return f"{over[0].upper()}{over[1:]} {_better(verdict, by[Order.UNKNOWN])}."
    certain = "" if not by[Order.OPEN] else ", as far as pairs are decided"
    return f"The ranking of the default point holds {over}{certain}: {_better(verdict, by[Order.KEPT])}."


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
    for pair in verdict.pairs:
        if pair.decided or not pair.difference.known:
            continue
        two = f"{names[pair.a]} and {names[pair.b]}"
        if pair.needed is None:
            yield Finding(f"{two} differ too little: not even all {members:,} points would tell them apart.")
        elif pair.needed > members:
            yield Finding(
                f"To tell {two} apart would take about {pair.needed // members} seeds at all {members:,} points."
            )
        else:
            yield Finding(
                f"To tell {two} apart would take about {pair.needed:,} points (--budget {pair.needed}); "
                f"{len(verdict.used)} were used."
            )


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


def _warnings(verdict: FamilyVerdict) -> Iterator[Finding]:
    """What limits the verdict."""
    study = verdict.study
    if not DESIGNS[study.design].unbiased:
        yield Finding(f"The design is biased: {DESIGNS[study.design].text}", warning=True)
    if verdict.outcomes.scale is None:
        yield Finding(
            "Scores are raw returns, so points with large returns count most; --baseline AGENT normalises them.",
            warning=True,
        )
    if verdict.estimate is not None and not verdict.estimate.known:
        yield Finding(f"No intervals: {verdict.estimate.why}", warning=True)
    yield from (Finding(text, warning=True) for text in verdict.tail_warnings)
    yield from (Finding(note, warning=True) for note in study.notes)
    if verdict.missing:
        yield Finding(f"{verdict.missing:,} of {verdict.planned:,} models are missing.", warning=True)
