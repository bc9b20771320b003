"""How much memory does a process with a pack take at the end of a run? One process answers for one pack.

python -m benchmarks.learner_memory CASE CELLS
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from benchmarks.learners import CASES, pack


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    name, cells = sys.argv[1], int(sys.argv[2])
    (case,) = (case for case in CASES if case.name == name)
    trained = pack(case, cells, case.memory)
    trained.train(case.memory)
    print(json.dumps({"bytes": resident()}))


if __name__ == "__main__":
    main()
