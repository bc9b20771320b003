"""Small random MDPs in place of the catalogue's, for tests of what plays them."""

from __future__ import annotations

import numpy as np
import pytest

from mohs.tables.challenge.cache import END, ENTRY, Stored, stored
from mohs.tables.challenge.grid import Candidate, Kind, candidate

# Where the two look-ups are used.
STORED = ("engines.table.fleet", "tables.challenge.parameters", "envs.challenge", "envs.render.challenge")
CANDIDATE = ("tables.challenge.parameters", "envs.render.challenge")
SHAPE, CODES = (2, 3), ".ab"


def random_mdp(
    name: str, seed: int, states: int = 40, actions: int = 3, horizon: int = 12, ends: float = 0.1
) -> Stored:
    """Random moves, rewards and boards; state 0 is the start, and about a tenth of the others are terminal."""
    rng = np.random.default_rng(seed)
    terminal = np.append(False, rng.random(states - 1) < ends)
    to = rng.integers(1, states, size=(states, actions))
    reward = np.round(rng.normal(size=(states, actions)), 2)
    to[terminal], reward[terminal] = np.flatnonzero(terminal)[:, None], 0.0
    entries = np.zeros(states * actions, dtype=ENTRY)
    entries["next"] = to.ravel().astype(np.uint32) | np.where(terminal[to], END, np.uint32(0)).ravel()
    entries["reward"] = reward.ravel()
    cells = rng.integers(len(CODES), size=(states, SHAPE[0] * SHAPE[1]), dtype=np.uint8)
    return Stored(
        id=name, start=0, states=states, actions=actions, horizon=horizon, shape=SHAPE, codes=CODES, action_names=(),
        entries=entries, cells=cells, checksum="",
    )  # fmt: skip


def install(monkeypatch: pytest.MonkeyPatch, *mdps: Stored) -> None:
    """Adds these to the MDPs of the challenge."""
    known = {mdp.id: mdp for mdp in mdps}
    about = {mdp.id: Candidate(mdp.id, "tiles", Kind.PLANNING, "", mdp.horizon, ()) for mdp in mdps}
    for module in STORED:
        monkeypatch.setattr(f"mohs.{module}.stored", lambda name: known[name] if name in known else stored(name))
    for module in CANDIDATE:
        monkeypatch.setattr(f"mohs.{module}.candidate", lambda name: about[name] if name in about else candidate(name))
