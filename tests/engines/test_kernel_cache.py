"""Where are compiled kernels kept, and what if they cannot be?"""

from __future__ import annotations

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.dispatcher import Dispatcher

import mohs
from mohs.core.kernel import kernel_sources

PLAY = """
import numpy as np
import mohs
from mohs.core.kernel import cache_directory
env = mohs.make_vec("toy/discrete", num_envs=2)
env.reset(seed=0)
env.step(np.array([0, 1]))
print(cache_directory())
"""


EVERY_ENGINE = """
import mohs
from mohs.engines import loops
for name in ("toy/discrete", "toy/continuous", "ctgraph", "control/cartpole", "control/pendulum"):
    one, many = mohs.make(name), mohs.make_vec(name, num_envs=2)
    for env in (one, many):
        env.reset(seed=0)
        env.step(env.action_space.sample())
stats = [getattr(loops, name).stats for name in ("begin_fleet", "step_fleet", "begin_one", "step_one", "step_number")]
print(sum(sum(s.cache_hits.values()) for s in stats), sum(sum(s.cache_misses.values()) for s in stats))
"""


def run(code: str, home: Path, temporary: Path, package: Path | None = None) -> str:
    environment = {k: v for k, v in os.environ.items() if k not in ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR")}
    environment |= {"XDG_CACHE_HOME": str(home), "TMPDIR": str(temporary)}
    if package is not None:
        environment["PYTHONPATH"] = str(package)
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def play(home: Path, temporary: Path, package: Path | None = None) -> Path:
    return Path(run(PLAY, home, temporary, package))


def test_kernels_are_kept_in_the_users_cache(tmp_path: Path) -> None:
    where = play(tmp_path / "cache", tmp_path)
    assert where.parent == tmp_path / "cache" / "mohs"
    assert list(where.rglob("*.nbc"))


def test_the_loops_are_compiled_once_for_each_engine(tmp_path: Path) -> None:
    """Four kernels for each engine: two of the fleet, two of a single instance. The next process compiles none."""
    assert run(EVERY_ENGINE, tmp_path / "cache", tmp_path) == "0 20"
    assert run(EVERY_ENGINE, tmp_path / "cache", tmp_path) == "20 0"


def test_an_unwritable_cache_and_package_fall_back(tmp_path: Path) -> None:
    """A file in place of the cache directory cannot be written into, not even by root."""
    package = tmp_path / "site"
    shutil.copytree(Path(mohs.__file__).parent, package / "mohs", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (package / "mohs").rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    where = play(blocked, temporary, package)
    assert temporary in where.parents
    for path in (package / "mohs").rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert not list(package.rglob("*.nbc"))


def test_every_compiled_function_is_in_the_hash() -> None:
    files = set()
    for module in pkgutil.walk_packages(mohs.__path__, "mohs."):
        if not module.name.endswith("__main__"):
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, Dispatcher):
                    files.add(Path(value.py_func.__code__.co_filename).resolve())
    assert len(files) > 20
    assert {path for path in files if "mohs" in path.parts} <= set(kernel_sources())


ONE_KERNEL = """
import sys
from pathlib import Path
import numpy as np
from mohs.core import kernel as module
@module.kernel
def add(x, y):
    return x + y
print(add(3, 4), sum(add.stats.cache_hits.values()))
"""


def one_kernel(folder: Path, home: Path, temporary: Path) -> str:
    """The result of a kernel of a file, and how many of its versions were found in the cache."""
    (folder / "one.py").write_text(ONE_KERNEL)
    return run(f"import sys; sys.path.append({str(folder)!r}); import one", home, temporary)


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", ["cut", "empty", "flipped", "pickle"])
def test_a_damaged_file_is_deleted_and_compiled_again(tmp_path: Path, ending: str, damage: str) -> None:
    home = tmp_path / "cache"
    assert one_kernel(tmp_path, home, tmp_path) == "7 0"
    assert one_kernel(tmp_path, home, tmp_path) == "7 1"
    (file,) = home.rglob(f"*.{ending}")
    whole, mark = file.read_bytes(), tmp_path / "ran"
    evil = b"cposix\nsystem\n(S'touch " + str(mark).encode() + b"'\ntR."
    middle = len(whole) // 2
    damaged = {
        "cut": whole[:middle],
        "empty": b"",
        "flipped": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
        "pickle": evil,
    }
    file.write_bytes(damaged[damage])
    assert one_kernel(tmp_path, home, tmp_path) == "7 0"
    assert one_kernel(tmp_path, home, tmp_path) == "7 1"
    assert not mark.exists()


WHERE = "from mohs.core.kernel import cache_directory; print(cache_directory())"


def test_directories_that_others_can_write_are_not_used(tmp_path: Path) -> None:
    """Neither in the cache of the user nor in the temporary directory, which all users share."""
    temporary, aside = tmp_path / "tmp", tmp_path / "aside"
    for folder in (temporary, aside):
        folder.mkdir()
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    first = Path(run(WHERE, blocked, temporary))
    assert first.parent == temporary / f"mohs-{os.getuid()}"
    assert first.stat().st_mode & 0o777 == first.parent.stat().st_mode & 0o777 == 0o700
    first.parent.chmod(0o777)
    open_to_all = Path(run(WHERE, blocked, temporary))
    assert open_to_all.parent == temporary
    assert open_to_all.stat().st_mode & 0o777 == 0o700
    first.parent.chmod(0o700)
    first.rmdir()
    first.symlink_to(aside)
    assert Path(run(WHERE, blocked, temporary)).parent == temporary
    first.unlink()
    shutil.rmtree(first.parent)
    first.parent.symlink_to(aside)
    assert Path(run(WHERE, blocked, temporary)).parent == temporary
    assert not list(aside.iterdir())


def test_a_cache_that_others_can_read_is_closed(tmp_path: Path) -> None:
    where = Path(run(WHERE, tmp_path / "cache", tmp_path))
    where.chmod(0o755)
    assert Path(run(WHERE, tmp_path / "cache", tmp_path)) == where
    assert where.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory to another user")
def test_a_directory_of_another_user_is_not_used(tmp_path: Path) -> None:
    theirs = tmp_path / f"mohs-{os.getuid()}"
    theirs.mkdir(mode=0o700)
    os.chown(theirs, 12345, 12345)
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    assert Path(run(WHERE, blocked, tmp_path)).parent == tmp_path
    assert not list(theirs.iterdir())
