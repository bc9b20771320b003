"""Do the findings of the MDP Playground paper hold here? Runs their studies and writes docs/findings.md.

    python -m benchmarks.findings [--only 9 --only shift] [--size quick] [--store URL] [--workers N]
                                  [--dry-run] [--no-run] [--json]

The same command resumes it. `--only` takes figures (9, 9a) or names and limits what is run; the
page has all findings in any case, with whatever the store holds of them. `--dry-run` estimates what is left to run.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping

from benchmarks.peer import ONE_THREAD

os.environ.update(ONE_THREAD)

from benchmarks.findings.catalogue import FINDINGS, chosen, experiment
from benchmarks.findings.judge import Result, judge, outcomes
from benchmarks.findings.page import write_page
from mohs.cli.train import EXIT_FAILED_CELLS, EXIT_INTERRUPTED
from mohs.core.errors import MohsError
from mohs.protocols.conduct import carry_out, planned
from mohs.protocols.experiment.study import Experiment, plan
from mohs.report.pictures import find_browser
from mohs.report.terminal import print_json
from mohs.runs.cost import Cost, cost
from mohs.runs.execution import DEFAULT_STORE, Execution, default_workers
from mohs.runs.progress import clock
from mohs.runs.store import left_to_run, open_store


def run(wanted: Mapping[str, Experiment], execution: Execution) -> int:
    """Whatever is left of the studies; the exit code."""
    some_failed = False
    for asked in wanted.values():
        cells = planned(asked, execution)
        print(f"{asked.name}: {len(cells.cells):,} runs", file=sys.stderr)
        outcome = carry_out(asked, cells, execution)
        if outcome.verdict is None:
            print("interrupted; the same command resumes it", file=sys.stderr)
            return EXIT_INTERRUPTED
        for failed in outcome.failed:
            print(f"\n{failed.count} × {failed.reason}\n{failed.error}", file=sys.stderr)
        some_failed |= bool(outcome.failed)
    return EXIT_FAILED_CELLS if some_failed else 0


def costs(wanted: Mapping[str, Experiment], execution: Execution) -> dict[str, Cost]:
    """What is left of each study."""
    return {
        name: cost(left_to_run(plan(asked), execution.store), execution.worker_count) for name, asked in wanted.items()
    }


def lines(results: list[Result]) -> list[str]:
    return [
        f"{result.finding.figure:<14}{result.finding.name:<24}"
        + ", ".join(f"{judged.agent} {judged.outcome} (n = {judged.n})" for judged in result.judged)
        for result in results
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], help="a figure or a finding's name; may be repeated")
    parser.add_argument("--size", default="quick", choices=("quick", "paper"))
    parser.add_argument("--store", default=DEFAULT_STORE)
    parser.add_argument("--workers", type=int, default=default_workers())
    parser.add_argument(
        "--dry-run", action="store_true", help="only say what is left to run, and how long it will take"
    )
    parser.add_argument("--no-run", action="store_true", help="only judge what the store holds")
    parser.add_argument("--json", action="store_true", help="print one JSON value")
    options = parser.parse_args()
    wanted = chosen(options.only)
    names = dict.fromkeys(study for finding in FINDINGS for study in finding.studies)
    experiments = {name: experiment(name, options.size) for name in names}
    asked = {name: e for name, e in experiments.items() if any(name in finding.studies for finding in wanted)}
    execution = Execution(options.store, options.workers)
    if options.dry_run:
        show_cost(costs(asked, execution), options.json)
        return 0
    find_browser()  # say what is missing before any work
    code = 0 if options.no_run else run(asked, execution)
    if code == EXIT_INTERRUPTED:
        return code
    with open_store(options.store) as store:
        verdicts = outcomes(experiments, store)
    results = judge(FINDINGS, verdicts)
    write_page(results, verdicts, options.size)
    if options.json:
        print_json([result.to_json() for result in results])
    else:
        print("\n".join(lines(results)))
    return code


def show_cost(found: Mapping[str, Cost], as_json: bool) -> None:
    if as_json:
        print_json({name: left.to_json() for name, left in found.items()})
        return
    for name, left in found.items():
        print(f"{name:<28}{left.cells:>6} runs{clock(left.seconds):>12}")
    print(f"{'all':<39}{clock(sum(left.seconds for left in found.values())):>12}")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MohsError as error:
        sys.exit(f"mohs: {error}")
