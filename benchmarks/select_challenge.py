"""Which MDPs make the challenge? Runs the filter over the whole grid and writes the versioned list.

python -m benchmarks.select_challenge --workers 2

What is found is kept beside the cache, candidate by candidate, so the same command goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from importlib.resources import files
from itertools import groupby
from pathlib import Path

from mohs.core.files import replace, user_cache
from mohs.protocols.challenge import filter
from mohs.tables.challenge import catalogue
from mohs.tables.challenge.build import build
from mohs.tables.challenge.catalogue import CHALLENGE, GUESSED, NO_WIN, TOO_LARGE, Listed
from mohs.tables.challenge.grid import VERSION, Candidate, candidates

DROPPED_ALIKE = (NO_WIN, TOO_LARGE, GUESSED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--only", nargs="*", help="ids that begin so; the list is then not written")
    parser.add_argument("--measure", action="store_true", help="also measure what is left further")
    options = parser.parse_args()
    chosen = [c for c in candidates() if not options.only or c.id.startswith(tuple(options.only))]
    groups = [list(group) for _, group in groupby(chosen, key=_group)]
    with ProcessPoolExecutor(options.workers) as pool:
        found = [one for group in pool.map(_examined, groups, [options.measure] * len(groups)) for one in group]
    left = [entry for entry in found if entry.status == CHALLENGE]
    print(Counter((entry.source, entry.status) for entry in found))
    print(f"{len(left)} left: {Counter(entry.kind for entry in left)}, {Counter(entry.source for entry in left)}")
    if not options.only:
        text = json.dumps([asdict(entry) for entry in found], indent=0)
        place = files(catalogue.__package__) / f"{VERSION}.json"
        replace(Path(str(place)), lambda file: file.write(text.encode()))


def _group(candidate: Candidate) -> tuple[object, ...]:
    """Candidates that are examined one after the other: those of one game share its positions."""
    return candidate.source, dict(candidate.params).get("board", candidate.id), dict(candidate.params).get("worth")


def _examined(group: list[Candidate], measured: bool) -> list[Listed]:
    found: list[Listed] = []
    for candidate in group:
        kept = _kept(candidate, "found")
        if kept is None:
            plain = found[-1] if found and candidate.id == f"{found[-1].id}-shaped" else None
            if plain is not None and plain.status in DROPPED_ALIKE and plain.gorp_budget is None:
                kept = filter.shaped_alike(plain, candidate)
            else:
                kept = filter.examine(candidate)
            _keep(kept, "found")
            print(kept, flush=True)
        if measured and kept.status == CHALLENGE:
            more = _kept(candidate, "measured")
            if more is None:
                more = filter.measure(kept, build(candidate).table)
                _keep(more, "measured")
                print("measured", more, flush=True)
            kept = more
        found.append(kept)
    return found


def _place(id: str, stage: str) -> Path:
    return user_cache() / "challenge" / VERSION / ".selection" / f"{id}.{stage}.json"


def _kept(candidate: Candidate, stage: str) -> Listed | None:
    place = _place(candidate.id, stage)
    return Listed(**json.loads(place.read_text())) if place.is_file() else None


def _keep(found: Listed, stage: str) -> None:
    text = json.dumps(asdict(found))
    replace(_place(found.id, stage), lambda file: file.write(text.encode()))


if __name__ == "__main__":
    main()
