"""Which papers stand behind what was measured? Their BibTeX entries, by key, from one data file."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mohs.core.errors import unknown
from mohs.report.files import resource

_ENTRY = re.compile(r"@\w+\{([^,]+),\n.*?\n\}", re.S)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.M)
_ACCENT = re.compile(r"\{\\(['k])\{?(\w)\}?\}|\{\\([lL])\}")
_PLAIN = {"'e": "é", "'n": "ń", "'s": "ś", "ka": "ą", "l": "ł", "L": "Ł"}


def entries() -> dict[str, str]:
    """Every entry by its key, as BibTeX."""
    return {found.group(1): found.group(0) for found in _ENTRY.finditer(resource(__package__, "assets/references.bib"))}


def bibtex(keys: Iterable[str]) -> str:
    """The entries of these keys, each once, sorted by key."""
    known = entries()
    wanted = sorted(set(keys))
    for key in wanted:
        if key not in known:
            raise unknown("reference", key, known)
    return "".join(f"{known[key]}\n\n" for key in wanted)


def short_reference(key: str) -> str:
    """Authors and year, as plain text refers to a paper: Rajan et al. 2023."""
    found = dict(_FIELD.findall(entries()[key]))
    names = [name.partition(",")[0] for name in found["author"].split(" and ")]
    first = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
    return f"{_ACCENT.sub(_letter, first)} {found['year']}"


def _letter(found: re.Match[str]) -> str:
    return _PLAIN[found.group(3) or f"{found.group(1)}{found.group(2)}"]
