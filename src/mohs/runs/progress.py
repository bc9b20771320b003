"""What does a run show while it runs? A live line at a terminal, plain lines elsewhere, or nothing."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol, TextIO

from mohs.core.errors import unknown
from mohs.core.printing import printable

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

PLAIN_SECONDS = 5.0
RATE_SECONDS = 20.0  # the speed is that of the last seconds


class Progress(Protocol):
    """What shows the progress of a run.

    `update` gets what came since the last one; `dropped` are the steps that failed cells will not take.
    """

    def start(self, *, cells: int, done: int, failed: int, steps: int) -> None: ...

    def update(self, *, done: int, failed: int, steps: int, dropped: int = 0) -> None: ...

    def note(self, text: str) -> None: ...

    def close(self) -> None: ...


def choose(mode: str | Progress = "auto", stream: TextIO | None = None) -> Progress:
    """`auto` is `live` where the stream (standard error) is a terminal and `plain` elsewhere; an object is itself."""
    if not isinstance(mode, str):
        return mode
    stream = stream or sys.stderr
    if mode == "auto":
        mode = "live" if stream.isatty() else "plain"
    kinds: dict[str, Callable[[TextIO], Progress]] = {"live": Live, "plain": Plain, "silent": Silent}
    if mode not in kinds:
        raise unknown("kind of progress", mode, [*kinds, "auto"])
    return kinds[mode](stream)


class Tally:
    """Counts, speed and time left."""

    def __init__(self, cells: int, done: int, failed: int, steps: int) -> None:
        self.cells, self.done, self.failed = cells, done, failed
        self.all_steps, self.steps = steps, 0
        self.marks = deque([(time.monotonic(), 0)])

    def add(self, done: int, failed: int, steps: int, dropped: int) -> None:
        self.done += done
        self.failed += failed
        self.steps += steps
        self.all_steps -= dropped
        now = time.monotonic()
        if steps and self.steps == steps:  # the first report: what lies before it is start-up and compilation
            self.marks = deque([(now, steps)])
        if now - self.marks[-1][0] > RATE_SECONDS / 20:
            self.marks.append((now, self.steps))
        while len(self.marks) > 2 and now - self.marks[0][0] > RATE_SECONDS:
            self.marks.popleft()

    @property
    def rate(self) -> float:
        """Steps of all cells together, per second."""
        began, steps = self.marks[0]
        seconds = time.monotonic() - began
        return max(0.0, (self.steps - steps) / seconds) if seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        rate = self.rate
        return max(0, self.all_steps - self.steps) / rate if rate > 0 else None

    def __str__(self) -> str:
        words = [f"{self.done}/{self.cells} cells", f"{short(self.rate)} steps/s"]
        left = self.seconds_left
        if left is not None and self.done + self.failed < self.cells:
            words.append(f"{clock(left)} left")
        if self.failed:
            words.append(f"{self.failed} failed")
        return ", ".join(words)


class Silent:
    def __init__(self, stream: TextIO | None = None) -> None:
        pass

    def start(self, *, cells: int, done: int, failed: int, steps: int) -> None:
        pass

    def update(self, *, done: int, failed: int, steps: int, dropped: int = 0) -> None:
        pass

    def note(self, text: str) -> None:
        pass

    def close(self) -> None:
        pass


class Plain:
    """A line every few seconds, for logs."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.tally = Tally(0, 0, 0, 0)
        self.shown = 0.0

    def start(self, *, cells: int, done: int, failed: int, steps: int) -> None:
        self.tally = Tally(cells, done, failed, steps)
        self.shown = time.monotonic()
        resumed = f", {done} already done" if done else ""
        self.note(f"{cells} cells{resumed}, {short(steps)} steps to run")

    def update(self, *, done: int, failed: int, steps: int, dropped: int = 0) -> None:
        self.tally.add(done, failed, steps, dropped)
        if time.monotonic() - self.shown >= PLAIN_SECONDS:
            self.shown = time.monotonic()
            self.note(str(self.tally))

    def note(self, text: str) -> None:
        with suppress(OSError):  # a terminal that was closed
            print(f"mohs: {printable(text)}", file=self.stream, flush=True)

    def close(self) -> None:
        if self.tally.cells:
            self.note(str(self.tally))


class Live:
    """One line that is redrawn."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.tally = Tally(0, 0, 0, 0)
        self.bar: Bar | None = None

    def start(self, *, cells: int, done: int, failed: int, steps: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        self.tally = Tally(cells, done, failed, steps)
        self.bar = Bar(
            SpinnerColumn(),
            BarColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            console=Console(file=self.stream),
        )
        # Steps move the bar; cells do where there are no steps.
        self.bar.add_task(str(self.tally), total=steps or cells or 1)
        self.bar.start()

    def update(self, *, done: int, failed: int, steps: int, dropped: int = 0) -> None:
        self.tally.add(done, failed, steps, dropped)
        if self.bar is not None:
            at = self.tally.steps if self.tally.all_steps else self.tally.done
            with suppress(OSError):  # a terminal that was closed
                self.bar.update(
                    self.bar.task_ids[0],
                    completed=at,
                    description=str(self.tally),
                    total=self.tally.all_steps or self.tally.cells,
                )

    def note(self, text: str) -> None:
        with suppress(OSError):
            if self.bar is not None:
                self.bar.console.print(printable(text), markup=False, highlight=False)
            else:
                print(f"mohs: {printable(text)}", file=self.stream, flush=True)

    def close(self) -> None:
        if self.bar is not None:
            with suppress(OSError):
                self.bar.stop()


def short(number: float) -> str:
    """950, 12k, 3.4M."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return f"{number:.0f}"


def clock(seconds: float) -> str:
    """42 s, 3:05, 2:10:00."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    hours, rest = divmod(whole, 3600)
    minutes = f"{rest // 60}:{rest % 60:02d}"
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else minutes
