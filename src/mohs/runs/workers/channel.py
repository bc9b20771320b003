"""How do coordinator and worker speak through a socket, if one of them may stop in the middle of a message?

A message is its length and a pickle. The coordinator's end never waits: what a stopped worker does not take stays in a
buffer, and half a message is kept until the rest has come. A worker has nothing better to do than to wait.
"""

from __future__ import annotations

import pickle
import socket
import struct
from typing import Any

LENGTH = struct.Struct("<Q")
PIECE = 1 << 20


class Channel:
    """The end that never waits."""

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        self._socket = end
        self._inbox, self._outbox = bytearray(), bytearray()
        self.open = True

    def fileno(self) -> int:
        return self._socket.fileno()

    @property
    def waits(self) -> bool:
        """Whether something is left to be sent."""
        return self.open and bool(self._outbox)

    def send(self, message: object) -> bool:
        """Sends what the other end takes now, and keeps the rest for `flush`. False if the other end is gone."""
        if self.open:
            self._outbox += framed(message)
        return self.flush()

    def flush(self) -> bool:
        try:
            while self.open and self._outbox:
                with memoryview(self._outbox) as view:
                    sent = self._socket.send(view[:PIECE])
                del self._outbox[:sent]
        except BlockingIOError:
            pass
        except OSError:
            self.open = False
        return self.open

    def receive(self) -> list[Any]:
        """The messages that have come in whole. `open` says whether more may come.

        Raises:
            Exception: what came is no message; the other end has lost its mind.
        """
        try:
            while self.open:
                piece = self._socket.recv(PIECE)
                self._inbox += piece
                self.open = bool(piece)
        except BlockingIOError:
            pass
        except OSError:
            self.open = False
        found = []
        while len(self._inbox) >= LENGTH.size:
            end = LENGTH.size + LENGTH.unpack_from(self._inbox)[0]
            if len(self._inbox) < end:
                break
            found.append(pickle.loads(bytes(self._inbox[LENGTH.size : end])))
            del self._inbox[:end]
        return found

    def close(self) -> None:
        self.open = False
        self._socket.close()


def framed(message: object) -> bytes:
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(body)) + body


def write(end: socket.socket, message: object) -> None:
    """Sends a message and waits until it is gone."""
    end.sendall(framed(message))


def read(end: socket.socket) -> Any:
    """Waits for a message.

    Raises:
        EOFError: the other end is gone.
    """
    (length,) = LENGTH.unpack(_exactly(end, LENGTH.size))
    return pickle.loads(_exactly(end, length))


def _exactly(end: socket.socket, count: int) -> bytearray:
    found = bytearray()
    while len(found) < count:
        piece = end.recv(min(PIECE, count - len(found)))
        if not piece:
            raise EOFError
        found += piece
    return found
