"""Trains complete tables of whole families, in parts that can be interrupted, and writes them as Parquet.

    python -m benchmarks.family_tables cartpole ars cem --steps 20000 --seeds 3
    python -m benchmarks.family_tables cartpole ppo --steps 50000 --seeds 3

All methods of a family are one table: methods whose models the store holds join those that are named.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mohs.agents.registry import as_agent
from mohs.core.family_files import read_family
from mohs.protocols.conduct import run
from mohs.protocols.family.study import FamilyStudy
from mohs.protocols.family.tables import SHIPPED


def main() -> None:
    """Trains what is missing and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family")
    parser.add_argument("methods", nargs="+")
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--budget", type=int, default=None, help="models of each method; all points by default")
    parser.add_argument("--store", default="sqlite:///family_tables.db")
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--out", type=Path, default=None)
    given = parser.parse_args()
    family = read_family(given.family)
    study = FamilyStudy.make(
        [as_agent(name) for name in given.methods],
        family,
        given.family,
        design="census" if given.budget is None else "pivotal",
        budget=given.budget,
        seeds=given.seeds,
        steps=given.steps,
    )
    verdict = run(study, store=given.store, workers=given.workers, progress="plain")
    SHIPPED.mkdir(parents=True, exist_ok=True)
    path = given.out or SHIPPED / f"{given.family}.parquet"
    verdict.save_table(path)
    print("\n".join(verdict.sentences))
    print(f"{path}: {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
