"""Which stored studies are meant by the words of a comparison? Those that match: same task, budget, doses and seeds."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from mohs.core.errors import UsageError
from mohs.core.values import canonical_json
from mohs.protocols.conduct import find_study
from mohs.protocols.diagnose.study import PROTOCOL
from mohs.runs.status import SHOWN_KEY, candidates
from mohs.runs.store import Store, StoredStudy

Same = Callable[[StoredStudy], Hashable]


@dataclass(frozen=True)
class Choice:
    """The keys of the studies that are compared, and what there is to say of how they were found."""

    keys: tuple[str, ...]
    notes: tuple[str, ...]


def choose(store: Store, words: Sequence[str]) -> Choice:
    """One study for each word: a label, a name, a key or its beginning, or an agent.

    Where a word fits several studies, those are taken that have the task and budget of the others, if possible their
    doses and seeds too, and of these the newest.

    Raises:
        UsageError: a word fits no diagnosis, two words mean the same study, or no studies match.
    """
    fitting = [_diagnoses(store, word) for word in words]
    if twice := [word for i, word in enumerate(words) if word in words[:i]]:
        raise UsageError(
            f"a study cannot be compared with itself, and {twice[0]!r} is named twice: name two studies by label or "
            "key (mohs status lists them)."
        )
    alone = {found[0].key for found in fitting if len(found) == 1}
    fitting = [[s for s in found if len(found) == 1 or s.key not in alone] or found for found in fitting]
    chosen, why = _matching(words, fitting)
    keys = tuple(study.key for study in chosen)
    for i, key in enumerate(keys):
        if key in keys[:i]:
            first = words[keys.index(key)]
            raise UsageError(
                f"a study cannot be compared with itself: {first!r} and {words[i]!r} are both {key[:SHOWN_KEY]}."
            )
    notes = [
        f"{word} is {_described(study)}" + (f", {why}" if study is not found[0] else ", the newest that fits") + "."
        for word, study, found in zip(words, chosen, fitting, strict=True)
        if len(found) > 1
    ]
    return Choice(keys, tuple(notes))


def _diagnoses(store: Store, word: str) -> list[StoredStudy]:
    found = [study for study in candidates(store, word, PROTOCOL) if study.protocol == PROTOCOL]
    return found or [store.study(find_study(store, word, PROTOCOL))]  # which says what it is instead


def _matching(words: Sequence[str], fitting: Sequence[Sequence[StoredStudy]]) -> tuple[list[StoredStudy], str]:
    """The newest study of each word among those that have most in common with the others, and what that is."""
    rules: tuple[tuple[Same, str], ...] = (
        (_all, "which has the task, budget, doses and seeds of the others, as the newest has not"),
        (_task, "which has the task and budget of the others, as the newest has not"),
    )
    for same, why in rules:
        if shared := set.intersection(*({same(study) for study in found} for found in fitting)):
            groups = {kind: [next(s for s in found if same(s) == kind) for found in fitting] for kind in shared}
            return max(groups.values(), key=lambda group: sorted((s.created for s in group), reverse=True)), why
    had = "; ".join(f"{word} is {_described(found[0])}" for word, found in zip(words, fitting, strict=True))
    raise UsageError(f"the studies cannot be compared, because they do not all have the same task and budget: {had}.")


def _task(study: StoredStudy) -> Hashable:
    return tuple(canonical_json(study.options.get(name)) for name in ("env", "params", "budget"))


def _all(study: StoredStudy) -> Hashable:
    return _task(study), canonical_json(study.options["doses"]), study.options["seeds"]


def _described(study: StoredStudy) -> str:
    day = time.strftime("%Y-%m-%d", time.localtime(study.created))
    steps, seeds = study.options["budget"], study.options["seeds"]
    given = study.options.get("params")
    params = "".join(f" {name}={value}" for name, value in given.items()) if isinstance(given, dict) else ""
    return f"{study.key[:SHOWN_KEY]} of {day} ({study.options['env']}{params}, {steps:,} steps, {seeds} seeds)"
