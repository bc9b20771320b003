"""What becomes of what a worker prints? It is read as it comes, shown up to a limit, and its end is kept.

Nobody waits for a reader, and a cell that prints without end fills no disk.
"""

from __future__ import annotations

import os

SHOWN = 64 * 1024  # bytes that are shown of a pack
KEPT = 2048  # bytes of the end that say why a process died
PIECE = 1 << 16
_ONE_READ = 1 << 20  # what is read at a time, so that a flood does not hold up other workers


class Output:
    """The reading end of a process's standard output and error."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor: int | None = descriptor
        self._left = SHOWN
        self._tail = b""
        self.flooded = False

    def fileno(self) -> int:
        return -1 if self._descriptor is None else self._descriptor

    @property
    def open(self) -> bool:
        return self._descriptor is not None

    def begin(self) -> None:
        """A new pack: what it prints is shown again."""
        self._left, self._tail, self.flooded = SHOWN, b"", False

    def read(self) -> str:
        """What was printed since the last time, as far as it is shown. Sets `flooded` where the rest is not."""
        shown = b""
        for _ in range(_ONE_READ // PIECE):
            piece = self._piece()
            if not piece:
                break
            self._tail = (self._tail + piece)[-KEPT:]
            shown += piece[: self._left]
            self._left -= len(piece[: self._left])
            self.flooded |= self._left == 0
        return shown.decode(errors="replace")

    def last(self) -> str:
        """The end of what was printed for the last pack."""
        return self._tail.decode(errors="replace").strip()

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _piece(self) -> bytes:
        if self._descriptor is None:
            return b""
        try:
            piece = os.read(self._descriptor, PIECE)
        except BlockingIOError:
            return b""
        except OSError:
            piece = b""
        if not piece:
            self.close()
        return piece
