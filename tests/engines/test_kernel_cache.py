"""Where are compiled kernels kept, and what if they cannot be?"""

from __future__ import annotations

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

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
