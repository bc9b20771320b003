"""On which points does a method fail? A small decision tree over the features, in words.

A tree of depth at most 3 is grown on the failures and pruned: of all its prunings the simplest one is taken whose
prediction of left-out points is within one standard error of the best (Breiman et al. 1984). Failures that follow no
feature give no tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray, checked_array, checked_count
from mohs.stats.family.frame import checked_weights

DEPTH = 3
FOLDS = 10
FEWEST_IN_LEAF = 5


@dataclass(frozen=True)
class Condition:
    """One side of a split: `feature` is at most, or above, a threshold; both ends are values that points have."""

    feature: str
    above: bool
    value: float

    def __str__(self) -> str:
        return f"{self.feature} {'≥' if self.above else '≤'} {self.value:g}"


@dataclass(frozen=True)
class FailureRule:
    """Points that meet all conditions: how many there are, their weight, and the share of it that fails."""

    conditions: tuple[Condition, ...]
    n: int
    weight: float
    failing: float


@dataclass(frozen=True)
class FailureTree:
    """The leaves of a tree, the worst first; a single leaf without conditions if no feature explains failures."""

    rules: tuple[FailureRule, ...]
    n: int
    failing: float

    @property
    def explained(self) -> bool:
        """Whether any feature explains failures."""
        return len(self.rules) > 1

    def sentence(self, method: str) -> str:
        """Says where the method fails most."""
        if not self.failing:
            return f"{method} fails on none of {self.n} points."
        if not self.explained:
            return f"{method} fails on {self.failing:.0%} of the points (n = {self.n}); no feature explains where."
        worst = self.rules[0]
        rest = 1 - worst.weight
        elsewhere = (self.failing - worst.weight * worst.failing) / rest if rest > 0 else 0.0
        where = " and ".join(_in_words(worst.conditions))
        return (
            f"{method} fails on {worst.failing:.0%} of the points with {where} (n = {worst.n}), "
            f"and on {abs(elsewhere):.0%} elsewhere (n = {self.n - worst.n})."
        )


def _in_words(conditions: Sequence[Condition]) -> list[str]:
    """Conditions as text; a lower and an upper end that are one value are an equation."""
    single = {c.feature: c.value for c in conditions if c.above}
    equal = {c.feature for c in conditions if not c.above and single.get(c.feature) == c.value}
    texts = (f"{c.feature} = {c.value:g}" if c.feature in equal else str(c) for c in conditions)
    return list(dict.fromkeys(texts))


def explain_failures(
    failed: ArrayLike, features: ArrayLike, names: Sequence[str], weights: ArrayLike | None = None, seed: int = 0
) -> FailureTree:
    """Which features explain on which points a method fails.

    Args:
        failed: For each point whether it fails, or the share of its runs that do, [n].
        features: Of the same points, [n, F].
        names: Of the features; without any nothing is explained.
        weights: By which points count; equal by default.
        seed: Of the folds of the cross-validation.

    Returns:
        The tree as rules.

    Raises:
        UsageError: Shapes do not fit, or a share is not between 0 and 1.

    Example:
        >>> from mohs.stats.family import explain_failures
        >>> length = [i / 10 for i in range(60)]
        >>> explain_failures([x < 2 for x in length], [[x] for x in length], ["length"]).sentence("PPO")
        'PPO fails on 100% of the points with length ≤ 1.9 (n = 20), and on 0% elsewhere (n = 40).'
    """
    y = checked_array(failed, "failed", 1)
    x = checked_array(features, "features", 2) if names else np.zeros((len(y), 0))
    if x.shape != (len(y), len(names)) or np.isnan(x).any():
        raise UsageError(f"features must be numbers, [{len(y)} points, {len(names)} names]; got shape {x.shape}.")
    if not ((y >= 0) & (y <= 1)).all():
        raise UsageError("failed must be shares between 0 and 1.")
    w = np.full(len(y), 1 / len(y)) if weights is None else checked_weights(weights)
    if len(w) != len(y):
        raise UsageError(f"weights has {len(w)} points, but failed {len(y)}.")
    whole = float(y @ w)
    if np.ptp(y) == 0 or len(y) < 4 * FEWEST_IN_LEAF or not names:
        return FailureTree((FailureRule((), len(y), 1.0, whole),), len(y), whole)
    tree = _pruned(x, y, w, seed)
    leaf = tree.apply(x)
    rules = [_rule(tree, node, leaf, x, y, w, names) for node in np.unique(leaf)]
    return FailureTree(tuple(sorted(rules, key=lambda rule: -rule.failing)), len(y), whole)


def _pruned(x: FloatArray, y: FloatArray, w: FloatArray, seed: int) -> Any:
    """The simplest pruning within one standard error of the best."""
    from sklearn.tree import DecisionTreeRegressor

    def grown(alpha: float, part: NDArray[np.bool_]) -> Any:
        tree = DecisionTreeRegressor(
            max_depth=DEPTH, min_samples_leaf=FEWEST_IN_LEAF, ccp_alpha=max(0.0, alpha), random_state=seed
        )
        return tree.fit(x[part], y[part], sample_weight=w[part] / w[part].mean())

    everything = np.ones(len(y), dtype=bool)
    steps = grown(0.0, everything).cost_complexity_pruning_path(x, y, sample_weight=w / w.mean()).ccp_alphas
    # A pruning is the same from its own α to the next: their geometric mean stands for all of them.
    alphas = np.append(np.sqrt(np.clip(steps[:-1], 0, None) * np.clip(steps[1:], 0, None)), steps[-1] * 1.01)
    fold = np.random.default_rng(seed).permutation(len(y)) % checked_count(min(FOLDS, len(y)), "folds")
    losses = np.empty((len(alphas), len(y)))
    for held in (fold == f for f in np.unique(fold)):
        for i, alpha in enumerate(alphas):
            losses[i, held] = (y[held] - grown(float(alpha), ~held).predict(x[held])) ** 2
    mean = losses @ w
    best = int(mean.argmin())
    spread = float(np.sqrt(w**2 @ (losses[best] - mean[best]) ** 2))
    simplest = int(np.flatnonzero(mean <= mean[best] + spread).max())
    return grown(float(alphas[simplest]), everything)


def _rule(
    tree: Any, node: int, leaf: NDArray[np.int64], x: FloatArray, y: FloatArray, w: FloatArray, names: Sequence[str]
) -> FailureRule:
    here = leaf == node
    passed = tree.decision_path(x[here][:1]).indices[:-1]
    first = x[here][0]
    last: dict[tuple[int, bool], float] = {}
    for split in passed:
        feature, threshold = int(tree.tree_.feature[split]), float(tree.tree_.threshold[split])
        above = bool(np.float32(first[feature]) > threshold)
        seen = x[:, feature]
        # The nearest value that a point has: thresholds between values mean nothing to a reader.
        value = float(seen[seen > threshold].min() if above else seen[np.float32(seen) <= threshold].max())
        last[feature, above] = value
    conditions = tuple(Condition(names[feature], above, value) for (feature, above), value in last.items())
    return FailureRule(conditions, int(here.sum()), float(w[here].sum()), float(y[here] @ w[here] / w[here].sum()))
