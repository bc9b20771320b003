"""Where does a peer run? In a virtual environment of its own under `.peers/`, spoken to line by line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def python_of(name: str, *requirements: str) -> Path:
    """The interpreter of a peer's environment, which is made on first use."""
    home = ROOT / ".peers" / name
    python, done = home / "bin" / "python", home / "installed"
    wanted = "\n".join(requirements)
    if not (python.exists() and done.exists() and done.read_text() == wanted):
        print(f"installing {', '.join(requirements)} in {home.relative_to(ROOT)}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True, stdout=sys.stderr)
        subprocess.run(
            [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *requirements],
            check=True,
            stdout=sys.stderr,
            cwd=ROOT,  # a requirement may be a path
        )
        done.write_text(wanted)
    return python


class Peer:
    """A script that runs beside this process and answers one line of JSON with another."""

    def __init__(self, python: Path, script: str) -> None:
        self._process = subprocess.Popen(
            [str(python), str(Path(__file__).with_name(script))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=ROOT / ".peers",  # some peers write files into the working directory
            env={**os.environ, **ONE_THREAD},
        )

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("{"):  # peers print a good deal else
                answer: dict[str, Any] = json.loads(line)
                return answer
        raise RuntimeError(f"the peer ended with code {self._process.wait()} instead of answering {request}.")

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
