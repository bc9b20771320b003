"""How many learned controllers make the best pack? As many as fit their largest layers into the cache."""

from __future__ import annotations

from itertools import pairwise

from mohs.agents.deep.networks.layers import padded
from mohs.agents.deep.packs import CACHED, LARGEST
from mohs.agents.registry import config
from mohs.agents.traffic.lanes import KERNEL
from mohs.agents.traffic.signals import signals_of
from mohs.core.cell import Cell


def most_cells(cell: Cell) -> int:
    """How many cells like this one make the best pack."""
    c = config(cell.agent)
    if not hasattr(c, "channels"):
        return LARGEST
    signal = signals_of([cell])[0]
    lanes, features = len(signal.permits), len(signal.features)
    places = (lanes - KERNEL + 1) * (features - KERNEL + 1) * padded(c.channels) if c.channels else lanes * features
    largest = max((a * b for a, b in pairwise((places, *c.hidden))), default=1)
    return max(4, min(LARGEST, CACHED // largest))
