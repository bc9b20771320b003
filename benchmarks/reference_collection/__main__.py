"""How hard are known tasks, and what did agents reach on them? Writes the file that cards compare with, and its page.

    python -m benchmarks.reference_collection [--measures] [--training] [--no-run] [--budget 20000] [--seeds 3]
                                             [--store URL]

`--measures` computes the indicators of every task again, `--training` trains what the store lacks; with neither, both
are done. What was computed before is read from the file, so after a change of the exact measures `--measures` is
enough. An interrupted run resumes: measures are kept task by task, runs in the store.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import Any

from benchmarks.peer import ONE_THREAD

os.environ.update(ONE_THREAD)

from benchmarks.reference_collection.measure import measured
from benchmarks.reference_collection.page import write_page
from benchmarks.reference_collection.tasks import CACHE, Known, known_tasks
from benchmarks.reference_collection.train import AGENTS, outcomes
from mohs.protocols.card.collection import FILE, read_collection
from mohs.runs.execution import Execution

PARTIAL = CACHE / "measures.jsonl"


def all_measured(tasks: tuple[Known, ...]) -> dict[str, dict[str, Any]]:
    """The measures of every task; those of an interrupted run are kept."""
    CACHE.mkdir(parents=True, exist_ok=True)
    lines = PARTIAL.read_text().splitlines() if PARTIAL.is_file() else []
    found = {entry["name"]: entry for entry in map(json.loads, lines)}
    with PARTIAL.open("a") as file:
        for i, known in enumerate(tasks, 1):
            if known.name in found:
                continue
            begun = time.perf_counter()
            entry = {"name": known.name, "group": known.group, "horizon": known.horizon, **measured(known)}
            found[known.name] = entry
            file.write(json.dumps(entry) + "\n")
            file.flush()
            print(f"[{i}/{len(tasks)}] {known.name}: {time.perf_counter() - begun:.1f} s", file=sys.stderr)
    return {known.name: found[known.name] for known in tasks}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measures", action="store_true", help="only the measures; training is read from the file")
    parser.add_argument("--training", action="store_true", help="only the training; measures are read from the file")
    parser.add_argument("--no-run", action="store_true", help="train nothing: take the runs that the store holds")
    parser.add_argument("--budget", type=int, default=20_000, help="environment steps of each run")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--store", default=f"sqlite:///{CACHE / 'runs.db'}")
    options = parser.parse_args()
    tasks = known_tasks()
    before = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {"tasks": []}
    earlier = {entry["name"]: entry for entry in before["tasks"]}
    both = not options.measures and not options.training
    if both or options.measures:
        entries = all_measured(tasks)
    else:
        entries = {known.name: earlier[known.name] for known in tasks}
    training = {key: before.get(key) for key in ("budget", "seeds")}
    if both or options.training:
        execution = Execution(options.store, workers=0, progress="plain")
        reached = outcomes(
            tasks,
            entries,
            budget=options.budget,
            seeds=options.seeds,
            execution=execution,
            run=not options.no_run,
        )
        training = {"budget": options.budget, "seeds": options.seeds}
    else:
        reached = {name: entry["outcomes"] for name, entry in earlier.items()}
    listed = [{**entry, "outcomes": reached.get(name, {})} for name, entry in entries.items()]
    lines = ",\n".join(json.dumps(entry) for entry in listed)
    head = json.dumps({"made_by": "python -m benchmarks.reference_collection", "agents": AGENTS, **training})
    FILE.write_text(f'{head[:-1]}, "tasks": [\n{lines}\n]}}\n', encoding="utf-8")
    PARTIAL.unlink(missing_ok=True)
    write_page(read_collection(json.loads(FILE.read_text(encoding="utf-8"))))
    print(f"{len(listed)} tasks are in {FILE.name}.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
