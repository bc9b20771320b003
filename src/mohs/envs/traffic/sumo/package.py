"""Where is SUMO, and how are its tools called? They write into a directory that is removed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from mohs.core.errors import UsageError

INSTALL = 'pip install "mohs[traffic]"'


def check_installed() -> None:
    """Raises where SUMO or its library is missing."""
    for module, package in (("sumo", "eclipse-sumo"), ("libsumo", "libsumo")):
        if find_spec(module) is None:
            raise UsageError(f"traffic/sumo needs the package {package}: {INSTALL}.")


def home() -> Path:
    """The directory of SUMO."""
    check_installed()
    spec = find_spec("sumo")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def surroundings() -> dict[str, str]:
    """Environment variables of SUMO's programs: those of this process, and where SUMO finds its data."""
    data = home() / "data" / "proj"
    return {**os.environ, "SUMO_HOME": str(home()), "PROJ_LIB": str(data), "PROJ_DATA": str(data)}


def run(command: Sequence[str], cwd: str, what: str) -> None:
    """Runs a program of SUMO.

    Raises:
        UsageError: It fails. The sentence begins with `what`, and holds the first error that the program reports.
    """
    done = subprocess.run(
        command, cwd=cwd, env=surroundings(), stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace"
    )
    if done.returncode != 0:
        raise UsageError(f"{what}: {reported(done.stderr + done.stdout)}.")


def tool(name: str) -> str:
    """The path of one of SUMO's programs."""
    return str(home() / "bin" / name)


def reported(log: str) -> str:
    """What SUMO reports as its first error, in one line and without a full stop."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    first = next((i for i, line in enumerate(lines) if line.lower().startswith("error")), None)
    if first is None:
        return lines[-1].rstrip(".; ") if lines else "SUMO does not say why"
    said = lines[first].partition(":")[2].strip()
    if said.endswith(":") and first + 1 < len(lines):
        said = f"{said} {lines[first + 1]}"
    return said.rstrip(".; ")
