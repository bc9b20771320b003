"""Tables to test with: random small ones, and two of the BRIDGE data set where its files are there."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from mohs import Table

BRIDGE = Path(os.environ.get("MOHS_BRIDGE_DIR", Path(__file__).parents[3] / "shared" / "oracles" / "bridge"))
MDPS = {"MiniGrid-KeyCorridorS3R1-v0": (100, 0.00323571), "maze_easy_l0_30_fs1": (30, 0.609554)}


@st.composite
def tables(draw):
    """Small deterministic tables with whole rewards, some of them with ends."""
    states, actions = draw(st.integers(2, 5)), draw(st.integers(2, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    moves = rng.integers(-1 if draw(st.booleans()) else 0, states, size=(states, actions))
    rewards = rng.integers(-1, 3, size=(states, actions)).astype(float)
    return Table.from_arrays(moves, rewards, horizon=draw(st.integers(1, 5)))
