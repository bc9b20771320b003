"""Which MDPs make the challenge? Runs the filter over the whole grid and writes the versioned list.

python -m benchmarks.select_challenge --workers 2
python -m benchmarks.select_challenge --workers 2 --measure    # then: what more there is to know of those on the list

What is found is noted beside the cache, candidate by candidate, until the list is written, so the same command goes on
where it stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from importlib.resources import files
from itertools import groupby
from pathlib import Path

from benchmarks import challenge_filter as filter
from mohs.core.files import replace, user_cache
from mohs.tables.challenge import catalogue
from mohs.tables.challenge.build import build
from mohs.tables.challenge.catalogue import CatalogueEntry, Status
from mohs.tables.challenge.grid import VERSION, Candidate, candidate, candidates

DROPPED_ALIKE = (Status.NO_WIN, Status.TOO_LARGE, Status.GUESSED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--only", nargs="*", help="ids that begin so; the list is then not written")
    parser.add_argument("--measure", action="store_true", help="measure what is on the list further")
    options = parser.parse_args()
    tried = [candidate(entry.id) for entry in catalogue.challenge()] if options.measure else candidates()
    chosen = [c for c in tried if not options.only or c.id.startswith(tuple(options.only))]
    groups = [list(group) for _, group in groupby(chosen, key=_group)]
    with ProcessPoolExecutor(options.workers) as pool:
        found = [entry for part in pool.map(_measured if options.measure else _examined, groups) for entry in part]
    print(Counter((entry.source, entry.status) for entry in found))
    if not options.only:
        _write(_merged(found) if options.measure else found)


def _group(candidate: Candidate) -> tuple[object, ...]:
    """Candidates that are looked at one after the other: those of one game share its positions."""
    return candidate.source, dict(candidate.params).get("board", candidate.id), dict(candidate.params).get("worth")


def _examined(group: list[Candidate]) -> list[CatalogueEntry]:
    found: list[CatalogueEntry] = []
    for one in group:
        kept = _noted(one.id, "found")
        if kept is None:
            plain = found[-1] if found and one.id == f"{found[-1].id}-shaped" else None
            if plain is not None and plain.status in DROPPED_ALIKE and plain.gorp_budget is None:
                kept = filter.shaped_alike(plain, one)
            else:
                kept = filter.examine(one)
            _note(kept, "found")
        found.append(kept)
    return found


def _measured(group: list[Candidate]) -> list[CatalogueEntry]:
    return [
        _noted(one.id, "measured")
        or _note(filter.measure(catalogue.catalogue_entry(one.id), build(one).table), "measured")
        for one in group
    ]


def _merged(measured: Sequence[CatalogueEntry]) -> list[CatalogueEntry]:
    known = {entry.id: entry for entry in measured}
    return [known.get(entry.id, entry) for entry in catalogue.catalogue()]


def _write(found: Sequence[CatalogueEntry]) -> None:
    left = [entry for entry in found if entry.status == Status.CHALLENGE]
    print(f"{len(left)} left: {Counter(entry.kind for entry in left)}, {Counter(entry.source for entry in left)}")
    text = json.dumps([asdict(entry) for entry in found], indent=0)
    place = files(catalogue.__package__) / f"{VERSION}.json"
    replace(Path(str(place)), lambda file: file.write(text.encode()))
    shutil.rmtree(_notes())


def _notes() -> Path:
    return user_cache() / "challenge" / VERSION / ".selection"


def _noted(id: str, stage: str) -> CatalogueEntry | None:
    place = _notes() / f"{id}.{stage}.json"
    return CatalogueEntry.from_json(json.loads(place.read_text())) if place.is_file() else None


def _note(found: CatalogueEntry, stage: str) -> CatalogueEntry:
    text = json.dumps(asdict(found))
    replace(_notes() / f"{found.id}.{stage}.json", lambda file: file.write(text.encode()))
    print(stage, found, flush=True)
    return found


if __name__ == "__main__":
    main()
