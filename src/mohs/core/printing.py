"""What may be printed at a terminal? Text; what would move the cursor or turn the writing around is replaced."""

from __future__ import annotations

import unicodedata

_KEPT = "\n\t"
_CONTROL = ("Cc", "Cf", "Cs", "Co")  # control characters, invisible ones, halves of pairs, private ones


def printable(text: str) -> str:
    """A text without control characters: names in a store may hold escape sequences.

    Example:
        >>> printable("agent\\x1b[2J of mine")
        'agent�[2J of mine'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if c in _KEPT or unicodedata.category(c) not in _CONTROL else "\N{REPLACEMENT CHARACTER}" for c in text
    )
