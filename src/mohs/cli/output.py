"""Where do reports go, and what is printed beside them?"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mohs.core.errors import UsageError
from mohs.core.values import Json, content_hash

if TYPE_CHECKING:
    from mohs.runs.execute import Summary
    from mohs.runs.store import Store

LONGEST_NAME = 120  # of a directory


def print_json(data: Json | Any) -> None:
    from mohs.report.data import json_text

    print(json_text(data, indent=1))


def slug(text: str) -> str:
    """A name for a directory; a long one is cut, and a hash keeps it apart from others."""
    name = "".join(c if c.isalnum() or c in "_-" else "-" for c in text).strip("-")
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 9]}-{content_hash(text)[:8]}"


def check_directory(path: Path) -> None:
    """Before any long work: can the report be written there? Nothing is made yet."""
    there = next(place for place in (path, *path.absolute().parents) if place.exists())
    if not there.is_dir():
        raise UsageError(f"the report cannot be written to {str(path)!r}: {str(there)!r} is not a directory.")
    if not os.access(there, os.W_OK):
        raise UsageError(f"the report cannot be written to {str(path)!r}: permission denied.")


def announce_compilation() -> None:
    from mohs.core.kernel import cache_directory

    if not any(cache_directory().iterdir()):
        print("mohs: compiling kernels for the first time; later runs start at once", file=sys.stderr)


def tell_interrupted(summary: Summary) -> None:
    done = f"{summary.done} of {summary.cells} cells done"
    print(f"mohs: stopped with {done}; run the same command to resume.", file=sys.stderr)


def tell_failures(store: Store, key: str, summary: Summary) -> bool:
    """Shows each different failure of a study once; says whether there are any."""
    if not summary.failed:
        return False
    from mohs.runs.status import failures

    found = failures(store, key)
    first = {failure.reason: failure for failure in found}
    print(f"mohs: {summary.failed} of {summary.cells} cells failed:", file=sys.stderr)
    for reason, failure in first.items():
        count = sum(f.reason == reason for f in found)
        print(f"\n{count} × {reason}\n{failure.error}", file=sys.stderr)
    return True
