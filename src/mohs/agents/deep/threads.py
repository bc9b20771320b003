"""How many threads does torch use? One, so that results do not depend on how products are split among several."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """One thread, whatever the process uses elsewhere; small products are faster with it, too.

    Numbers too small to be normal count as zero; arithmetic with them would be a hundred times slower.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(before)
