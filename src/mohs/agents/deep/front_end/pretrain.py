"""How is a front-end made for a task? From frames of random play on its training levels; kept in the user's cache."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.agents.deep.front_end import files, motion
from mohs.agents.deep.front_end.front_end import FrontEnd
from mohs.agents.deep.front_end.matching import Bytes
from mohs.agents.deep.front_end.motion import Motion
from mohs.agents.stage import Stage, stage
from mohs.core import files as core_files
from mohs.core.errors import UsageError
from mohs.core.seeding import child, seed_of
from mohs.core.task import Source, Task, members
from mohs.core.values import FunctionRef, Json, content_hash
from mohs.core.views import View
from mohs.envs.suites.packages import NONE, suite_of
from mohs.stats import Estimate, estimate

COPIES = 32  # environments that play side by side
SECONDS = 30 / (800 * 24 * 24)  # of training, for a step and a pixel
_OF_THIS_PROCESS: dict[Path, str] = {}  # names of front-ends of tasks that may mean something else tomorrow
FIGURE = 128  # masks that sum to this, of 255, are taken for a figure


def pretrain(
    task: Task,
    *,
    frames: int = 4096,
    seed: int = 0,
    gap: int = 1,
    settings: Motion | None = None,
    say: Callable[[str], None] | None = None,
) -> FrontEnd:
    """Learns the objects of a task from motion, without reward, or reads what was learnt before.

    Args:
        task: A task whose observations are coloured pictures; its levels are those for training.
        frames: The number of pairs of frames.
        seed: The seed of random play and of the training.
        gap: The steps between the frames of a pair, where objects move by less than a pixel in one.
        settings: Those of the training; the defaults suit pictures of 24 to 64 pixels.
        say: Is told what takes long, before it begins.

    Returns:
        The front-end. Its `name`, given as the hyperparameter `front_end`, makes an agent see through it.

    Raises:
        UsageError: Observations are no coloured pictures.

    Example:
        >>> import mohs
        >>> from mohs.agents.deep.front_end.pretrain import pretrain
        >>> task = mohs.Task.make("arcade/chase", num_levels=200)
        >>> front_end = pretrain(task, frames=64, settings=Motion(steps=2))
        >>> front_end.channels
        8
    """
    c, task = settings or Motion(), _view(task, View.PIXELS)
    asked = _asked(task, frames, seed, gap, c)
    if (kept := _kept(task, asked)) is not None:
        return kept
    before, after = play(task, frames, seed, gap)
    if say is not None:
        say(f"pretraining a front-end on {task.env} (about {SECONDS * c.steps * before[0, ..., 0].size:.0f} s)")
    found = motion.train(before, after, seed, c)
    found = FrontEnd(found.kind, found.arrays, {**found.about, **asked})
    with suppress(OSError, UsageError):
        files.keep(found)
        _OF_THIS_PROCESS[_index(asked)] = found.name
        if _lasting(task):
            core_files.replace(_index(asked), lambda file: file.write(json.dumps(found.name).encode()))
    return found


def pretrained(task: Task) -> FrontEnd | None:
    """What `pretrain(task)` learnt before; None where nothing is kept."""
    task = _view(task, View.PIXELS)
    return _kept(task, _asked(task))


def _asked(
    task: Task, frames: int = 4096, seed: int = 0, gap: int = 1, settings: Motion | None = None
) -> dict[str, Json]:
    """How a front-end is made, as data."""
    made = asdict(settings or Motion())
    return {"task": task.to_json(), "frames": frames, "seed": seed, "gap": gap, "settings": made}


def _index(asked: Mapping[str, Json]) -> Path:
    """The file with the name of a front-end that was made so."""
    return files.folder() / f"{content_hash({**asked, 'version': motion.VERSION})}.json"


def _kept(task: Task, asked: Mapping[str, Json]) -> FrontEnd | None:
    """None where it is missing, damaged or not readable."""
    index = _index(asked)
    with suppress(OSError, ValueError, TypeError, LookupError, UsageError):
        return files.named(str(json.loads(index.read_text())) if _lasting(task) else _OF_THIS_PROCESS[index])
    return None


def play(task: Task, frames: int, seed: int = 0, gap: int = 1) -> tuple[Bytes, Bytes]:
    """Pairs of frames [frames, height, width, 3], `gap` steps apart in one episode of the random policy."""
    copies = min(COPIES, frames)
    seen, actions = _begin([task] * copies, seed)
    before, after = [], []
    recent: list[Bytes] = []
    alive = np.zeros(copies, dtype=np.int64)  # steps of the episodes under way
    count = 0
    while count < frames:
        step = seen.step(actions())
        recent = [*recent[-gap + 1 :], step.before] if gap > 1 else [step.before]
        alive += 1
        there = np.flatnonzero(alive >= gap)
        before.append(recent[0][there])
        after.append(step.after[there])
        count += len(there)
        alive[step.terminated | step.truncated] = 0
    seen.close()
    first, second = np.concatenate(before)[:frames], np.concatenate(after)[:frames]
    return first, second


def object_iou(front_end: FrontEnd, task: Task, *, seed: int = 0, levels: int = 20, frames: int = 32) -> Estimate:
    """How well the masks match the true figures on held-out levels: intersection over union, averaged over levels.

    Args:
        front_end: The front-end.
        task: A task with views, whose held-out levels are played by the random policy.
        seed: The seed of the random policy.
        levels: The number of levels.
        frames: Frames of each level, of one or several episodes.

    Returns:
        The mean over levels with its interval.

    Raises:
        UsageError: The environment has no views or no levels.
    """
    pixels, truth = screens(task, seed=seed, levels=levels, frames=frames)
    found = []
    for shown, true in zip(pixels, truth, strict=True):
        figure = front_end.masks(shown).astype(np.int64).sum(1) >= FIGURE
        found.append((figure & true).sum() / max(1, (figure | true).sum()))
    return estimate(found)


def screens(task: Task, *, seed: int = 0, levels: int = 20, frames: int = 32) -> tuple[Bytes, npt.NDArray[np.bool_]]:
    """Pixels [levels, frames, height, width, 3] of held-out levels and what is figure there, without the last axis.

    A pixel that stands for a square is figure where half of the square is.
    """
    environment = task.environment
    if "view" not in environment.parameters or environment.levels != "start_level":
        raise UsageError(f"{task.env} has no views of numbered levels, so what is figure there is not known.")
    held: Source = environment.realisation("held_out")(task) if environment.held_out else task
    first = members(held)[0][0]
    each = [first.replace(num_levels=1, start_level=first["start_level"] + i) for i in range(levels)]
    shown, actions = _begin([_view(one, View.PIXELS) for one in each], seed)
    true, same = _begin([_view(one, View.FIGURE_GROUND) for one in each], seed)
    planes: Any = true.observation_space
    half = planes.high.max() / 2
    pixels, figures = [], []
    for _ in range(frames):
        pixels.append(shown.now.copy())
        figures.append(true.now.sum(1, dtype=np.int64) >= half)
        shown.step(actions())
        true.step(same())
    shown.close()
    true.close()
    return np.stack(pixels, 1), np.stack(figures, 1)


class _Random:
    """Actions of the random policy, in the same order for the same seed."""

    def __init__(self, seen: Stage, seed: int) -> None:
        self._space, self._count = seen.action_space, len(seen.now)
        self._space.seed(seed_of(child(seed, "front_end", "actions")))

    def __call__(self) -> npt.NDArray[np.int64]:
        return np.array([self._space.sample() for _ in range(self._count)])


def _begin(tasks: Sequence[Task], seed: int) -> tuple[Stage, _Random]:
    made = stage(tasks, [seed_of(child(seed, "front_end", "environment", i)) for i in range(len(tasks))])
    return made, _Random(made, seed)


def _view(task: Task, view: View) -> Task:
    return task.replace(view=str(view), view_encoding="one_hot") if "view" in task.environment.parameters else task


def _lasting(task: Task) -> bool:
    """Whether the task means the same tomorrow: it is mohs's or a suite's, without custom functions."""
    known = not task.environment.third_party or suite_of(task.environment.gym_id) is not NONE
    return known and not any(isinstance(value, FunctionRef) for value in task.values.values())
