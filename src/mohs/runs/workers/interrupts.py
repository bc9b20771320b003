"""What do Ctrl-C, SIGTERM and a closed terminal do to a run? The first stops it at a checkpoint, the second at once."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def stop_on_signals(stop: threading.Event) -> Iterator[None]:
    """Lets Ctrl-C, SIGTERM and SIGHUP set an event. The second of them raises KeyboardInterrupt.

    Signals reach the main thread only; in another one the event is never set. SIGHUP stays ignored where it is (nohup).
    """

    def handle(_number: int, _frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
