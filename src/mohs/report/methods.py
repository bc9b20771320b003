"""What belongs in the methods section of a paper? A paragraph with the numbers filled in, and what it cites."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version

from mohs.report import latex
from mohs.report.bibliography import bibtex, short_reference

PACKAGES = ("mohs", "gymnasium", "numpy", "numba")  # whose versions a paper should name
_CITED = re.compile(r"\[@([^\]]+)\]")


@dataclass(frozen=True)
class Methods:
    """A paragraph in which `[@key]` or `[@one; @other]` cites entries of the bibliography.

    Example:
        >>> from mohs.report.methods import Methods
        >>> methods = Methods("The dials are those of MDP Playground [@rajan2023mdp].")
        >>> str(methods)
        'The dials are those of MDP Playground (Rajan et al. 2023).'
        >>> methods.latex()
        'The dials are those of MDP Playground \\\\cite{rajan2023mdp}.\\n'
    """

    text: str

    @property
    def cited(self) -> tuple[str, ...]:
        """The keys of what it cites, each once."""
        return tuple(dict.fromkeys(key for found in _CITED.findall(self.text) for key in _keys(found)))

    def __str__(self) -> str:
        return _CITED.sub(lambda found: f"({'; '.join(map(short_reference, _keys(found.group(1))))})", self.text)

    def latex(self) -> str:
        """As LaTeX, with citations of the keys in `bibtex`."""
        parts = _CITED.split(self.text)
        shown = [rf"\cite{{{','.join(_keys(p))}}}" if i % 2 else latex.escaped(p) for i, p in enumerate(parts)]
        return "".join(shown) + "\n"

    def bibtex(self) -> str:
        """The entries that it cites."""
        return bibtex(self.cited)


def _keys(cited: str) -> list[str]:
    return [key.strip().removeprefix("@") for key in cited.split(";")]


def paragraph(sentences: Iterable[str]) -> Methods:
    """Sentences, and the versions of what computed the results."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return Methods(" ".join([*filter(None, sentences), f"Software: {versions}, Python {platform.python_version()}."]))


def of_facts(question: str, facts: Mapping[str, str]) -> Methods:
    """The facts of a report, for a protocol without a paragraph of its own."""
    given = "; ".join(f"{name}: {text}" for name, text in facts.items())
    return paragraph([question, f"Settings: {given}." if given else ""])


def counted(n: int, one: str, many: str = "") -> str:
    """1 seed, 5 seeds, 1,000 runs."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"
