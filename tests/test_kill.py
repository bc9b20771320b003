"""A real run of a real learner, killed at random moments, is bit-identical in the end."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "mohs", "diagnose", "double_q_learning", "--dials", "delay", "--seeds", "4"]
COMMAND += ["--budget", "20000000", "--workers"]


def run(directory: Path, workers: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, str(workers)], cwd=directory, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )


def export(directory: Path) -> bytes:
    subprocess.run([sys.executable, "-m", "mohs", "export", "--csv", "out.csv"], cwd=directory, check=True)
    return (directory / "out.csv").read_bytes()


@pytest.mark.slow
def test_killed_runs_resume_from_their_checkpoints(tmp_path):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    assert run(whole, 2).wait() == 0
    for workers in (2, 1, 2):
        process = run(broken, workers)
        time.sleep(7 + 4 * random.random())
        process.kill()
        process.wait()
    assert run(broken, 1).wait() == 0
    assert export(broken) == export(whole)
