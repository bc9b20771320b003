"""What is shown of a screen? Its pixels, figure and ground, or the class of every pixel.

An environment that can show them has the parameters `view` and `view_encoding`, and names its classes
(Learning Challenge Diagnosticator, Figure 1b and appendix A.6).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from mohs.core.arguments import checked_record
from mohs.core.domain import Choice
from mohs.core.errors import UsageError
from mohs.core.registry import Parameter


class View(StrEnum):
    """What an observation shows of the screen."""

    PIXELS = "pixels"
    FIGURE_GROUND = "figure_ground"
    SEMANTIC = "semantic"
    PERMUTED = "permuted"  # a control: semantic with the ids exchanged, which tells just as much


class Encoding(StrEnum):
    """How the ids of a mask become numbers."""

    ONE_HOT = "one_hot"  # a plane for each id; the ground is 0 in all of them
    SCALAR = "scalar"  # one number for each id, the same in three channels (appendix A.1)


VIEW_PARAMETERS = {
    "view": Parameter(
        Choice(tuple(map(str, View))),
        "pixels",
        "What an observation shows: pixels, figure and ground, or the class of each pixel.",
    ),
    "view_encoding": Parameter(
        Choice(tuple(map(str, Encoding))),
        "one_hot",
        "How masks are encoded: a plane for each class, or one number in 3 channels.",
    ),
}


@checked_record
@dataclass(frozen=True)
class Classes:
    """The classes of what a screen shows. The id of a pixel is 0 for the ground and i for `names[i - 1]`.

    Attributes:
        names: The name of each class.
        figure: The id of each class in the figure/ground view: 1, or more where that view tells some classes apart, or
            0 for what belongs to the ground.

    Example:
        >>> Classes(("player", "wall", "sky"), (1, 1, 0)).codes("figure_ground")
        (0, 1, 1, 0)
    """

    names: tuple[str, ...]
    figure: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.names or len(self.names) > 254:
            raise UsageError(f"a screen must have 1 to 254 classes, not {len(self.names)}.")
        if not self.figure:
            object.__setattr__(self, "figure", (1,) * len(self.names))
        if len(self.figure) != len(self.names):
            raise UsageError(f"figure must have one id for each of {len(self.names)} classes, not {len(self.figure)}.")

    def codes(self, view: str) -> tuple[int, ...]:
        """What each id, from 0 on, becomes in a view.

        Example:
            >>> Classes(("player", "wall")).codes("permuted")
            (0, 2, 1)
        """
        own = tuple(range(1, len(self.names) + 1))
        if view == View.SEMANTIC:
            return 0, *own
        if view == View.PERMUTED:
            return 0, *own[1:], own[0]
        if view == View.FIGURE_GROUND:
            return 0, *self.figure
        raise UsageError("pixels have no ids.")

    def count(self, view: str) -> int:
        """How many ids a view tells apart, besides that of the ground.

        Example:
            >>> Classes(("player", "wall")).count("figure_ground")
            1
        """
        return max(self.codes(view))
