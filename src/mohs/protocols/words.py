"""How are the words of an option read, and lists of words written?

`name=value`, `a:b` and `name=v1,v2,...` become data; a list becomes "a, b and c".
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mohs.core.errors import UsageError
from mohs.core.reading import parsed

_WORDS = {"True": "true", "yes": "true", "False": "false", "no": "false", "None": "null"}


def listed(given: Sequence[Any] | None) -> list[Any] | None:
    """What was given as a list; a text alone is one name, not its letters."""
    return None if given is None else [given] if isinstance(given, str) else list(given)


def joined(words: Sequence[str], last: str = "and") -> str:
    """a, b and c."""
    *before, end = words or [""]
    return f"{', '.join(before)} {last} {end}" if before else end


def names(text: str) -> list[str]:
    """Names with commas between them."""
    return [word.strip() for word in text.split(",") if word.strip()]


def pairs(text: str) -> list[tuple[str, str]]:
    """Two dials each, `a:b`, with commas between them."""
    found = []
    for word in text.split(","):
        a, colon, b = word.strip().partition(":")
        if not colon or not a or not b:
            raise UsageError(f"--pairs is {word!r}, but must be two dials as a:b.")
        found.append((a, b))
    return found


def settings(option: str, words: Sequence[str]) -> dict[str, Any]:
    """Values by name, each word `name=value`."""
    return {name: read_value(text) for name, text in _by_name(option, words, "name=value").items()}


def hyperparameters(file: Path | None, words: Sequence[str] | None) -> dict[str, Any]:
    """Those of a file, and those of --set, which override them."""
    from mohs.core.data_files import read_table

    return {**({} if file is None else read_table(file)), **settings("--set", words or [])}


def doses(words: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """Doses by dial, each word `name=v1,v2,...`, or `name=[v1, v2, ...]` where a dose has commas of its own."""
    found: dict[str, tuple[Any, ...]] = {}
    for name, text in _by_name("--doses", words, "name=v1,v2,...").items():
        listed = read_value(text)
        found[name] = tuple(listed) if isinstance(listed, list) else tuple(read_value(word) for word in names(text))
    return found


def _by_name(option: str, words: Sequence[str], form: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name or any(letter.isspace() for letter in name):
            raise UsageError(f"{option} is {word!r}, but must be {form}.")
        if name in found:
            raise UsageError(f"{option} sets {name} twice.")
        found[name] = text
    return found


def read_value(text: str) -> Any:
    """A value as JSON, and as text where it is none; yes, no, Python's words and its tuples count too."""
    try:
        return parsed(_WORDS.get(text, text))
    except ValueError:
        return _tuple(text)


def _tuple(text: str) -> Any:
    """The values of a tuple as Python writes it, (64, 64); the text where it is none."""
    if not text.startswith("("):
        return text
    try:
        read = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return text
    return list(read) if isinstance(read, tuple) else text
