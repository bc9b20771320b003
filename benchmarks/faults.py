"""How many disturbed runs end with the results of an undisturbed one?

    python -m benchmarks.faults [--json] [--trials 10] [--bits 1000]

Every fault of `tests/runs/faults.py`, several times each: a run is disturbed at a random moment, what was taken away is
brought back, and the same command runs again. A trial counts if whatever stopped is told in one sentence with exit code
2, and the export is identical to that of a run that nothing happened to. Bits are flipped at random places of the file
of a finished run, which is exported.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "runs"))

from postgres_server import Server, is_installed

from faults import FAULTS, Trial, can_mount, endure, endure_server, flip_and_export, undisturbed


def count(trials: int, trial: Callable[[int], Trial]) -> dict[str, Any]:
    """How many of so many trials ended well, what was said, and what went wrong."""
    well, said, wrong = 0, Counter[str](), []
    for number in range(trials):
        try:
            said.update(trial(number).said)
            well += 1
        except Exception as error:
            wrong.append(f"{type(error).__name__}: {error}")
    return {"trials": trials, "identical": well, "stopped_with_a_sentence": said.total(), "wrong": wrong}


def flips(folder: Path, bits: int) -> dict[str, Any]:
    sound, rng = folder / "whole/whole.db", random.Random(0)
    expected = (folder / "whole/out.csv").read_text().splitlines()
    return {"bits": bits, **Counter(flip_and_export(sound, folder / "flipped.db", rng, expected) for _ in range(bits))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--bits", type=int, default=1000)
    asked = parser.parse_args()
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        folder.chmod(0o755)
        expected = undisturbed(folder / "whole")
        found["bits of a file, exported"] = flips(folder, asked.bits)
        for i, (name, fault) in enumerate(FAULTS.items()):
            if name == "disk full" and not can_mount():
                continue
            place = folder / f"{i}"
            found[name] = count(asked.trials, lambda n, f=fault, p=place: endure(f, p, n, expected))  # type: ignore[misc]
            print(name, found[name], file=sys.stderr, flush=True)
        if is_installed():
            server = Server(folder / "server")
            name = "PostgreSQL server killed (SIGKILL), a second coordinator meanwhile"
            found[name] = count(asked.trials, lambda n: endure_server(server, folder / "trials", n, expected))
            server.stop()
    if asked.json:
        print(json.dumps(found))
        return
    for name, numbers in found.items():
        print(name, numbers)


if __name__ == "__main__":
    main()
