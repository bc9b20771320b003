"""Which texts beside marks have room? They wrap, rows get higher, and axes leave room behind their longest bar."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mohs.report.fit import axes, texts

SIZE = 12.0
LEAST = 0.5  # of a panel's width: a text that would be narrower makes its axis longer
BESIDE = 0.32  # of the figure's width, for texts to the right of the panels
EDGE = 6.0  # pixels to the border
KEY = 76.0  # pixels that the key of colours takes


def size(text: Mapping[str, Any], default: float = SIZE) -> float:
    """The font size of an annotation."""
    return float((text.get("font") or {}).get("size") or default)


def fit_beside(layout: Mapping[str, Any], width: int, least: float) -> float:
    """Wraps the texts that stand to the right of the panels; the margin that they or the key of colours need."""
    needed = [least]
    for text in layout.get("annotations", ()):
        if _beside(text):
            text["text"] = texts.wrapped(text["text"], BESIDE * width, size(text))
            needed.append(texts.width(text["text"], size(text)) + _shift(text) + EDGE)
    if (layout.get("coloraxis") or {}).get("showscale"):
        needed.append(KEY)
    return max(needed)


def fit_labels(
    layout: Mapping[str, Any], names: tuple[str, str], skipped: Iterable[int], room: float, right: float, height: float
) -> float:
    """Wraps texts that would leave a panel of so many pixels; the height that it has when rows have room for them."""
    x, y = (layout.get(name, {}) for name in names)
    refs = tuple(name.replace("axis", "") for name in names)
    mine = [
        text for i, text in enumerate(layout.get("annotations", ()))
        if i not in set(skipped) and (text.get("xref") or "x") in (refs[0], "paper")
        and not _beside(text) and not _over(text)
    ]  # fmt: skip
    rows = abs(float(y["range"][1]) - float(y["range"][0])) if y.get("range") else 1.0
    taller = 0.0
    for text in mine:
        if text.get("xanchor") != "left":
            continue
        before = len(texts.lines(text["text"]))
        _wrap(text, x, mine, room, right)
        wrapped = len(texts.lines(text["text"]))
        if wrapped > before and (text.get("yref") or "y") == refs[1]:
            line = texts.LINE * size(text)
            over = text.get("yanchor") == "bottom"  # above its bar, so each line moves the next row
            taller = max(taller, (wrapped - before) * line + 3 if over else wrapped * line + 4 - height / rows)
    return height + max(0.0, taller) * rows


def _beside(text: Mapping[str, Any]) -> bool:
    """Whether a text stands to the right of the panels."""
    return bool(text.get("xref") == "paper" and text.get("x") == 1 and text.get("xanchor") == "left")


def _over(text: Mapping[str, Any]) -> bool:
    """Whether a text stands in a strip above the panel."""
    return bool(text.get("yref") == "paper" and text.get("y") == 1 and text.get("yanchor") == "bottom")


def _wrap(
    text: dict[str, Any], axis: dict[str, Any], others: Sequence[Mapping[str, Any]], room: float, right: float
) -> None:
    """Breaks a text before the border or the next text of its row; where that is too near, the axis gets longer."""
    start = _place(text, axis, room) + _shift(text)
    after = [
        _place(other, axis, room) - texts.width(other["text"], size(other)) - 6
        for other in others
        if other.get("xanchor") == "right" and other.get("y") == text.get("y") and other.get("yref") == text.get("yref")
    ]
    edge = min([room + right - EDGE, *(end for end in after if end > start)])
    if start + texts.width(text["text"], size(text)) <= edge:
        return
    whole = " ".join(texts.lines(text["text"]))
    text["text"] = _broken(whole, max(edge - start, LEAST * room), size(text))
    text["align"] = "left"
    wide = texts.width(text["text"], size(text)) + _shift(text)
    if start - _shift(text) + wide > edge and (text.get("xref") or "x") != "paper" and axis.get("range"):
        low, high = axis["range"]
        axis["range"] = [low, max(high, low + (float(text["x"]) - low) * room / max(edge - wide, 0.2 * room))]


def _broken(text: str, room: float, size: float) -> str:
    """Broken between its parts where each has room, else between words."""
    found: list[str] = []
    for part in text.split(" · "):
        joined = f"{found[-1]} · {part}" if found else part
        found[-1:] = [joined] if texts.width(joined, size) <= room else [*found[-1:], part]
    return texts.wrapped("<br>".join(found), room, size)


def _place(text: Mapping[str, Any], axis: Mapping[str, Any], room: float) -> float:
    """Where a text is anchored, in pixels from the left end of its panel."""
    if text.get("xref") == "paper" or not axis.get("range"):
        return float(text["x"]) * room
    return axes.places({"range": axis["range"]}, [text["x"]], room)[0]


def _shift(text: Mapping[str, Any]) -> float:
    return float(text.get("xshift") or 0.0)


def fit_strip(layout: Mapping[str, Any], axis: Mapping[str, Any], left: float, room: float, right: float) -> float:
    """Names in a strip above the only panel stand upright where they would touch; the height that they need."""
    strip = [text for text in layout.get("annotations", ()) if _over(text)]
    if not strip or not axis.get("range"):
        return 0.0
    upright = any(_collide([a for a in strip if a.get("yshift") == level], axis, room) for level in _levels(strip))
    high = 4.0
    for text in strip:
        wide, at = texts.width(text["text"], size(text)), _place(text, axis, room)
        if upright:
            text |= {"textangle": -90, "yanchor": "bottom", "xanchor": "center"}
        elif text.get("xanchor", "center") == "center" and (at - wide / 2 < -left or at + wide / 2 > room + right):
            text["xanchor"] = "left" if at < room / 2 else "right"
        high = max(
            high, 4 + float(text.get("yshift") or 0) + (4 + wide if upright else texts.height(text["text"], size(text)))
        )
    return high


def _levels(strip: Sequence[Mapping[str, Any]]) -> set[Any]:
    return {text.get("yshift") for text in strip}


def _collide(strip: Sequence[Mapping[str, Any]], axis: Mapping[str, Any], room: float) -> bool:
    at = [_place(text, axis, room) for text in strip]
    return texts.collide(at, [text["text"] for text in strip], size(strip[0]))
