"""How does an error help? One sentence: what is wrong, why, what is allowed, and the nearest valid name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from mohs.core.printing import printable

_LISTED = 20


class MohsError(Exception):
    """The base class of every error that mohs raises on purpose.

    Example:
        >>> import mohs
        >>> issubclass(mohs.UsageError, mohs.MohsError)
        True
    """

    def __str__(self) -> str:
        return printable(super().__str__())


class UsageError(MohsError, ValueError):
    """An argument is invalid. The message names it and says what is allowed. Exit code 2.

    Example:
        >>> import mohs
        >>> mohs.Task.make("toy/discrete", delay=-1)
        Traceback (most recent call last):
        ...
        mohs.core.errors.UsageError: delay is -1, but must be an integer in [0, 10000].
    """


class StoreError(MohsError, RuntimeError):
    """The results database cannot be read or written. Exit code 2.

    Example:
        >>> import mohs
        >>> issubclass(mohs.StoreError, RuntimeError)
        True
    """


class SealedError(UsageError):
    """A file that others wrote names code, which is not run."""


def unknown(kind: str, name: object, valid: Iterable[str], also: Iterable[str] = ()) -> UsageError:
    """Returns the error for an unknown name, with the nearest name and up to 20 valid ones; `also` are not listed."""
    names = sorted(valid)
    lower = str(name).lower()
    spelt = {known.lower(): known for known in (*also, *names)}  # MOHS is near to mohs
    near = difflib.get_close_matches(lower, spelt, n=1, cutoff=0.5)
    hint = f" Did you mean {spelt[near[0]]!r}?" if near else ""
    listed = ", ".join(names) or "none"
    if len(names) > _LISTED:
        alike = difflib.get_close_matches(lower, map(str.lower, names), n=_LISTED, cutoff=0.0)
        nearest = sorted(spelt[n] for n in alike)
        listed = f"{', '.join(nearest)}, and {len(names) - len(nearest)} others"
    return UsageError(f"unknown {kind} {name!r}.{hint} Valid: {listed}.")


def invalid(parameter: str, value: object, allowed: str) -> UsageError:
    """Returns the error for a value outside its domain."""
    try:
        shown = " ".join(repr(value).split())
    except Exception:  # an integer of thousands of digits, or an object of the user's own
        shown = f"{type(value).__name__} that cannot be shown"
    if len(shown) > 60:
        shown = shown[:57] + "..."
    return UsageError(f"{parameter} is {shown}, but must be {allowed}.")
