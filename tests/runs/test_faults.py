"""A run that is disturbed ends, or says in one sentence why not, and resumes to the same bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults import FAULTS, can_mount, endure, undisturbed

FEW = ("store removed", "store replaced by another", "one bit flipped", "two coordinators at once")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return undisturbed(tmp_path_factory.mktemp("whole"))


@pytest.mark.parametrize("name", FEW)
def test_a_disturbed_run_ends_with_the_same_bytes(name: str, tmp_path: Path, expected: bytes) -> None:
    endure(FAULTS[name], tmp_path, 1, expected)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(2))
@pytest.mark.parametrize("name", FAULTS)
def test_disturbed_runs_end_with_the_same_bytes(name: str, number: int, tmp_path: Path, expected: bytes) -> None:
    if name == "disk full" and not can_mount():
        pytest.skip("only root can mount a small disk")
    endure(FAULTS[name], tmp_path, 10 + number, expected)
