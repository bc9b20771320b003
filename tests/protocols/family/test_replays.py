"""Does the report of a family show what the methods do?"""

from __future__ import annotations

from pathlib import Path

import pytest

import mohs
from mohs.protocols.family.page import page
from mohs.protocols.family.replays import FRAMES, replays
from mohs.protocols.family.verdict import FamilyVerdict


@pytest.fixture(scope="module")
def verdict(tmp_path_factory: pytest.TempPathFactory) -> FamilyVerdict:
    return mohs.family(
        ["fixed", "max_pressure"], env="traffic/intersection", vary={"inflow": [300, 600, 900]}, steps=720, episodes=2,
        default_seeds=2, workers=0, progress="silent", store=f"sqlite:///{tmp_path_factory.mktemp('s')}/results.db",
        evaluation={"reward": "delay", "max_episode_steps": 90},
    )  # fmt: skip


def test_methods_meet_the_same_vehicles(verdict: FamilyVerdict) -> None:
    shown = replays(verdict.study, verdict.outcomes.recorded)
    assert [one.method for one in shown] == list(verdict.study.labels)
    assert all(len(one.frames) == FRAMES for one in shown)
    fixed, pressure = (one.metrics["throughput"] + one.metrics["inside"] for one in shown)
    assert fixed == pressure  # all vehicles that arrived
    assert shown[0].metrics["delay"] != shown[1].metrics["delay"]


def test_the_report_moves(verdict: FamilyVerdict, tmp_path: Path) -> None:
    body = page(verdict).body
    assert body.count("<figcaption>") == 2
    assert "data:image/webp" in body


def test_cartpoles_record_nothing(tmp_path: Path) -> None:
    poles = mohs.family(
        ["cem"], env="control/cartpole", vary={"length": [0.25, 0.5]}, steps=500, episodes=2, workers=0,
        progress="silent", store=f"sqlite:///{tmp_path}/results.db",
    )  # fmt: skip
    assert not poles.outcomes.recorded
    assert "<figcaption>" not in page(poles).body
