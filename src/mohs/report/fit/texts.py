"""How wide is a text, and where does it break? By the metrics of DejaVu Sans, the widest of the fonts we ask for."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

LINE = 1.3  # the height of a line, in font sizes
_TAG = re.compile(r"<[^>]+>")
_TOKEN = re.compile(r"<[^>]+>|\s+|[a-z] = [\d,]+|[^\s<]+")  # n = 5 stays together
_SIZE = re.compile(r"font-size:\s*(\d+)px")
_NARROW = dict.fromkeys("iljtfrI.,:;'|![]()/- ", 0.35)
_BROAD = dict.fromkeys("mwMW%@—", 0.95) | dict.fromkeys("=+−<>≤≥→←", 0.84) | dict.fromkeys("0123456789", 0.64)


def plain(text: str) -> str:
    """The text without its tags."""
    return _TAG.sub("", text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def lines(text: str) -> list[str]:
    """The lines of a text that Plotly shows."""
    return re.split(r"<br\s*/?>", text)


def width(text: str, size: float) -> float:
    """The width of the longest line, in pixels."""
    return max(_line_width(line, size) for line in lines(text))


def height(text: str, size: float) -> float:
    """The height of all lines, in pixels."""
    return LINE * size * len(lines(text))


def _line_width(line: str, size: float) -> float:
    given = _SIZE.search(line)
    size = float(given.group(1)) if given else size
    bold = 1.07 if "<b>" in line else 1.0
    return bold * size * sum(_letter(c) for c in plain(line))


def _letter(c: str) -> float:
    return _NARROW.get(c) or _BROAD.get(c) or (0.7 if c.isupper() else 0.61)


def wrapped(text: str, room: float, size: float) -> str:
    """The text with breaks between words, so that no line is wider than `room` where words allow it."""
    return "<br>".join(part for line in lines(text) for part in _wrapped_line(line, room, size))


def _wrapped_line(line: str, room: float, size: float) -> list[str]:
    if width(line, size) <= room:
        return [line]
    # A smaller size that a tag sets holds for the whole line, also where the tag stands at its start only.
    given = _SIZE.search(line)
    size = (float(given.group(1)) if given else size) * (1.07 if "<b>" in line else 1.0)
    found, current, used = [], "", 0.0
    for token in _TOKEN.findall(line):
        wide = 0.0 if token.startswith("<") else size * sum(_letter(c) for c in plain(token))
        if used and not token.isspace() and wide and used + wide > room:
            found.append(current.rstrip())
            current, used = "", 0.0
        if token.isspace() and not used:
            continue
        current, used = current + token, used + wide
    return [*found, current]


def collide(places: Sequence[float], texts: Sequence[str], size: float, gap: float = 5) -> bool:
    """Whether labels centred at these places, in pixels, touch their neighbours on any line."""
    order = sorted(range(len(places)), key=places.__getitem__)
    for a, b in itertools.pairwise(order):
        room = places[b] - places[a] - gap
        for one, other in zip(lines(texts[a]), lines(texts[b]), strict=False):
            if plain(one) and plain(other) and (_line_width(one, size) + _line_width(other, size)) / 2 > room:
                return True
    return False
