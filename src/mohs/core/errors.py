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
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(names) or "none"
    if len(names) > _LISTED:
        nearest = sorted(difflib.get_close_matches(str(name), names, n=_LISTED, cutoff=0.0))
        listed = f"{', '.join(nearest)}, and {len(names) - _LISTED} others"
    return UsageError(f"unknown {kind} {name!r}.{hint} Valid: {listed}.")


def invalid(parameter: str, value: object, allowed: str) -> UsageError:
    """A value outside its domain."""
    shown = repr(value)
    if len(shown) > 60:
        shown = shown[:57] + "..."
    return UsageError(f"{parameter} is {shown}, but must be {allowed}.")
