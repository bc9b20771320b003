"""What goes wrong, said in one sentence: what, why, what is allowed, the nearest valid name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LISTED = 20


class MohsError(Exception):
    """Base of every error that mohs raises on purpose."""


class UsageError(MohsError, ValueError):
    """The caller asked for something that cannot be; the message says what can. Exit code 2."""


class StoreError(MohsError, RuntimeError):
    """The results database cannot be read or written. Exit code 2."""


def unknown(kind: str, name: object, valid: Iterable[str]) -> UsageError:
    """An unknown name, with the nearest valid one and the list of all, or of the nearest where there are many."""
    names = sorted(valid)
    spelt, lower = {known.lower(): known for known in names}, str(name).lower()  # MOHS is near to mohs
    near = difflib.get_close_matches(lower, spelt, n=1, cutoff=0.5)
    hint = f" Did you mean {spelt[near[0]]!r}?" if near else ""
    listed = ", ".join(names) or "none"
    if len(names) > _LISTED:
        nearest = sorted(spelt[n] for n in difflib.get_close_matches(lower, spelt, n=_LISTED, cutoff=0.0))
        listed = f"{', '.join(nearest)}, and {len(names) - len(nearest)} others"
    return UsageError(f"unknown {kind} {name!r}.{hint} Valid: {listed}.")


def invalid(parameter: str, value: object, allowed: str) -> UsageError:
    """A value outside its domain."""
    shown = repr(value)
    if len(shown) > 60:
        shown = shown[:57] + "..."
    return UsageError(f"{parameter} is {shown}, but must be {allowed}.")
