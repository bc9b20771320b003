"""What travels to other machines is the user's code, and nothing that runs made."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest
from fake_learner import cell

from mohs import Cell, Probe, Segment, Task
from mohs.core.cell import Agent
from mohs.core.errors import UsageError
from mohs.runs import shipping
from mohs.runs.user_code import has_user_code


def names(code: bytes) -> set[str]:
    with zipfile.ZipFile(io.BytesIO(code)) as archive:
        return set(archive.namelist())


def test_code_travels_without_stores_reports_and_environments(tmp_path: Path) -> None:
    kept = ["mine.py", "part/other.py", "data/weights.npz"]
    left = ["mohs.db", "mohs.db-wal", "a.shard-1-of-2.db", ".git/config", "part/__pycache__/other.pyc"]
    left += ["out/verdict.json", "out/report.html", "venv/pyvenv.cfg", "venv/lib/x.py", "mohs-report/r/report.html"]
    for name in kept + left:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "link.py").symlink_to("/etc/passwd")
    code = shipping.pack(tmp_path)
    assert names(code) == set(kept)
    os.utime(tmp_path / "mine.py", (0, 0))
    assert shipping.digest(shipping.pack(tmp_path)) == shipping.digest(code)
    (tmp_path / "mine.py").write_text("edited")
    assert shipping.digest(shipping.pack(tmp_path)) != shipping.digest(code)


def test_it_is_unpacked_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "other.py").write_bytes(b"x = 1\n")
    with shipping.unpack(shipping.pack(tmp_path)) as folder:
        assert (Path(folder) / "part" / "other.py").read_bytes() == b"x = 1\n"


def test_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipping, "LARGEST", 2**20)
    (tmp_path / "large").write_bytes(bytes(2**20 + 1))
    with pytest.raises(UsageError, match="holds more than 1 MB besides"):
        shipping.pack(tmp_path)


def test_code_of_users_is_told_from_that_of_packages() -> None:
    toy, pole = Task.make("toy/discrete"), Task.make("CartPole-v1")

    def of(agent: str, task: Task) -> Cell:
        return Cell(Agent.make(agent), 0, (Segment(task, 100),), (Probe("eval", task, (100,)),))

    assert not has_user_code(of("q_learning", toy))
    assert not has_user_code(of("sb3:PPO", pole))
    assert has_user_code(of("mine.py:make", toy))
    assert has_user_code(cell(0)), "its agent was registered by this file"
