"""What does it cost to say whose fault a loss is, and to report a large diagnosis?

    python -m benchmarks.attribution [--json]

The demo's diagnoses are run with nothing solved before, and with everything solved; the difference is what the exact
parts cost. Then the report of a diagnosis of about 100 doses × 100 seeds is made from its stored runs.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.peer import ONE_THREAD

DEMO = (
    "q_learning --battery quick --seeds 50 --budget 10000",
    "dqn --battery quick --seeds 10 --budget 10000 --set hidden=[64]",
)
LARGE = (
    "q_learning --seeds 100 --budget 2000 --keep-going --doses delay=0,1,2,3,4,5,6,7,8 "
    f"--doses transition_noise={','.join(str(i / 100) for i in range(30))} "
    f"--doses reward_noise={','.join(str(i) for i in range(30))} "
    f"--doses reward_scale={','.join(str(2.0**i) for i in range(-14, 15))} "
    "--dials delay,transition_noise,reward_noise,reward_scale"
)


def cpu(*words: str) -> float:
    """CPU seconds of a command of mohs, its workers included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "mohs", *words], check=True, capture_output=True, env=os.environ | ONE_THREAD)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def measured() -> dict[str, float]:
    """The seconds of each part."""
    from mohs.core.files import user_cache

    found = {}
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)

        def diagnose(words: str, name: str) -> float:
            store = f"sqlite:///{directory}/{name}.db"
            return cpu("diagnose", *words.split(), "--store", store, "--out", str(directory / name))

        solved, aside = user_cache() / "exact", user_cache() / "exact-aside"
        diagnose(DEMO[0], "warm")  # compiled from now on
        if solved.exists():
            solved.rename(aside)
        try:
            found["demo, nothing solved before"] = sum(diagnose(words, f"cold-{i}") for i, words in enumerate(DEMO))
            found["demo, all solved before"] = sum(diagnose(words, f"hot-{i}") for i, words in enumerate(DEMO))
        finally:
            if aside.exists():
                shutil.rmtree(solved, ignore_errors=True)
                aside.rename(solved)
        diagnose(LARGE, "large")
        store = f"sqlite:///{directory}/large.db"
        found["report of 98 doses x 100 seeds"] = cpu("report", "--store", store, "--out", str(directory / "again"))
    cold, hot = found["demo, nothing solved before"], found["demo, all solved before"]
    return found | {"attribution's share of the demo": cold / hot - 1}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measured()
    print(json.dumps(found, indent=1) if options.json else "\n".join(f"{k}: {v:.3g}" for k, v in found.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
