"""How fast are the MDPs of the Effective Horizon Challenge?

    python -m benchmarks.challenge [--json] [--quick]

Steps in a CPU second of one thread, random actions; a vector step in which an instance begins a new episode counts as
no step. Nobody else has published these MDPs, so there is no peer, but there are targets: 10 million steps a second on
the sliding tiles, 2 million on a game of about three million states, whose table is larger than any cache, and in a
fresh process the first step of an environment within a second of asking for it, where its table has been built before.

Runs of GORP whose choices are computed analytically are measured beside runs that play every step.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from typing import Any

from benchmarks.peer import ONE_THREAD, ROOT

os.environ.update(ONE_THREAD)

import numpy as np

import mohs
from benchmarks.measure import WORDS, Side, in_turns, single, vector
from mohs.exact.lookahead.gorp import success
from mohs.tables.challenge.cache import stored

FLEET = 4096
TILES, GAME = "tiles-31-0", "connect_four-6x5-perfect-t0.4-0"
TARGETS = {f"vector_{TILES}_state": 10e6, f"vector_{GAME}_state": 2e6}
STARTS, WITHIN = 5, 1.0  # processes, seconds
SEARCHED, SEARCHES, RUNS = "checkers-6x4-perfect-t0.2-0", ((4, 1), (4, 8), (4, 64)), 20  # (k, m) of GORP


def fleet(mdp: str, seen: str, sticky: float = 0.0) -> Side:
    env = mohs.make_vec("challenge", mdp=mdp, observation=seen, sticky_actions=sticky, num_envs=FLEET)
    pool = np.random.default_rng(0).integers(env.single_action_space.n, size=2 * FLEET)
    return vector(env, pool, 100)


def alone(mdp: str, seen: str) -> Side:
    env: Any = mohs.make(mdp, observation=seen).unwrapped
    return single(env, np.random.default_rng(0).integers(env.action_space.n, size=20_000).tolist())


def start_up(mdp: str) -> dict[str, float]:
    """CPU seconds to import mohs, and from asking for an environment to its first step, with all that is loaded for it.

    Most of it is numba's own. The first process compiles what is not compiled yet, and is not counted.
    """
    code = (
        "import json, time; begun = time.process_time(); import mohs; loaded = time.process_time()\n"
        f"env = mohs.make('{mdp}'); env.reset(seed=0); env.step(0)\n"
        "print(json.dumps([loaded - begun, time.process_time() - loaded]))"
    )
    times = []
    for _ in range(STARTS + 1):
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
        times.append(json.loads(done.stdout))
    imported, made = np.median(times[1:], axis=0)
    return {"import_mohs": round(float(imported), 3), "first_step": round(float(made), 3)}


def gorp_runs(repeats: int) -> list[dict[str, float]]:
    """CPU seconds of GORP runs that stop at the first sub-optimal action, played and analytic in turns."""
    table, found = stored(SEARCHED).table(), []

    def seconds(k: int, m: int, analytic: bool) -> float:
        begun = time.process_time()
        success(table, k, m, RUNS, analytic=analytic)
        return time.process_time() - begun

    for k, m in SEARCHES:
        sides = [lambda k=k, m=m, analytic=analytic: seconds(k, m, analytic) for analytic in (False, True)]
        played, drawn = np.median(in_turns(sides, repeats), axis=0).tolist()
        found.append({"k": k, "m": m, "runs": RUNS, "played": played, "analytic": drawn, "ratio": played / drawn})
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    options = parser.parse_args()

    cases = {f"vector_{mdp}_{seen}": fleet(mdp, seen) for mdp in (TILES, GAME) for seen in ("state", "flat")}
    cases[f"vector_{TILES}_state_sticky"] = fleet(TILES, "state", 0.25)
    cases |= {f"single_{mdp}_{seen}": alone(mdp, seen) for mdp in (TILES, GAME) for seen in ("state", "flat")}
    rounds = in_turns([lambda side=side: side().rate for side in cases.values()], 5 if options.quick else 15)
    rates = dict(zip(cases, np.median(rounds, axis=0).tolist(), strict=True))
    starts = {mdp: start_up(mdp) for mdp in (TILES, GAME)}
    searches = gorp_runs(3 if options.quick else 5)
    met = {name: rates[name] >= target for name, target in TARGETS.items()}
    met |= {f"start_{mdp}": times["first_step"] < WITHIN for mdp, times in starts.items()}
    if options.json:
        result = {
            "steps_per_cpu_second": {name: round(rate) for name, rate in rates.items()},
            "targets": TARGETS,
            "start_seconds": starts,
            "gorp_cpu_seconds": searches,
            "met": met,
            "states": {mdp: stored(mdp).states for mdp in (TILES, GAME)},
            "versions": {"mohs": mohs.__version__, "python": platform.python_version()},
        }
        print(json.dumps(result))
        return
    print(f"{'case':<56}{'steps/s':>16}{'target':>16}")
    for name, rate in rates.items():
        target = f"≥ {TARGETS[name]:,.0f}" if name in TARGETS else ""
        print(f"{name:<56}{rate:>16,.0f}{target:>16}  {WORDS[met.get(name)]}".rstrip())
    for mdp, times in starts.items():
        print(f"start of {mdp}: {times}  {WORDS[met[f'start_{mdp}']]}")
    for row in searches:
        print(f"GORP on {SEARCHED}: {row}")


if __name__ == "__main__":
    main()
