"""Are the states of a fleet seen as images, and how large are these?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mohs.core.errors import UsageError
from mohs.core.images import signature
from mohs.core.task import Task

Frame = tuple[int, int]


def seen_as_images(tasks: Iterable[Task]) -> bool:
    """Whether these tasks show images; an error where they cannot be shown in one fleet."""
    kinds = {signature(task.values): task for task in tasks}
    if len(kinds) > 1:
        one, other = list(kinds.values())[:2]
        raise UsageError(
            f"the tasks of one fleet must all have images, of the same size, style and directory, or none; {one} and "
            f"{other} differ."
        )
    return () not in kinds


def frame_of(values: Mapping[str, Any]) -> Frame:
    """The (height, width) of one panel."""
    return values["image_height"], values["image_width"]
