"""How do other tools read lifelong runs? As logs in the layout of l2logger, from which l2metrics computes its metrics.

A directory for each run, with `logger_info.json`, `scenario_info.json` and one `data-log.tsv` for each block: those of
training and, before the first and after each, one of evaluations. An experience is a point of a curve: the mean of the
episodes that ended in its window, or of an evaluation. Experts are logs of a single block.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from mohs.protocols.lifelong.curriculum import Curriculum
from mohs.protocols.lifelong.study import LifelongStudy
from mohs.protocols.lifelong.verdict import LifelongResult, LifelongVerdict
from mohs.report.files import write

COLUMNS = (
    "block_num", "exp_num", "worker_id", "block_type", "block_subtype", "task_name", "task_params", "exp_status",
    "timestamp", "performance",
)  # fmt: skip
WORKER = "worker-0"
TOP = 100.0  # what the optimum is called in the logs

Block = tuple[str, list[tuple[str, float]]]  # its type; tasks and performances


def write_logs(verdict: LifelongVerdict, directory: Path | str) -> list[Path]:
    """Writes logs of all finished lifelong runs and experts; returns their directories."""
    written = []
    for result in verdict.agents:
        label = _word(result.label)
        for seed in range(verdict.study.seeds):
            if np.isnan(result.evaluations[seed]).all():
                continue
            run = Path(directory) / f"{label}-seed{seed}"
            _write(run, _lifelong_run(verdict, result, seed), verdict.study, "custom")
            written.append(run)
            for name, (_, runs) in result.experts.items():
                if not np.isnan(runs[seed]).all():
                    course = verdict.study.curriculum
                    expert = Path(directory) / f"ste-{label}-{_task_name(course, name)}-seed{seed}"
                    _write(expert, [("train", _named(course, name, runs[seed]))], verdict.study, "ste")
                    written.append(expert)
    return written


def _lifelong_run(verdict: LifelongVerdict, result: LifelongResult, seed: int) -> list[Block]:
    """The blocks of training of one lifelong run, with the evaluations before the first and after each."""
    course = verdict.study.curriculum

    def evaluated(boundary: int) -> Block:
        values = result.evaluations[seed, boundary].tolist()
        return "test", [
            (_task_name(course, name), value)
            for name, value in zip(course.names, values, strict=True)
            if not np.isnan(value)
        ]

    blocks = [evaluated(0)]
    for j, (block, at) in enumerate(course.inside(result.steps, verdict.study.window), 1):
        blocks += [("train", _named(course, block.task, result.curves[seed, at])), evaluated(j)]
    return blocks


def _named(course: Curriculum, task: str, curve: Iterable[float]) -> list[tuple[str, float]]:
    return [(_task_name(course, task), float(value)) for value in curve if not np.isnan(value)]


def _write(directory: Path, blocks: Sequence[Block], study: LifelongStudy, kind: str) -> None:
    write(directory / "logger_info.json", _json({"metrics_columns": ["performance"], "log_format_version": "1.0"}))
    about = {"source": f"mohs lifelong, {study.curriculum.name}", "scenario_type": kind}
    write(directory / "scenario_info.json", _json(about))
    count = 0
    for number, (block_type, experiences) in enumerate(blocks):
        lines = ["\t".join(COLUMNS)]
        for task, value in experiences:
            # No clock is kept with the results; experiences are in order.
            row = (number, count, WORKER, block_type, "wake", task, "{}", "complete", count, repr(TOP * value))
            lines.append("\t".join(map(str, row)))
            count += 1
        write(directory / WORKER / f"{number}-{block_type}" / "data-log.tsv", "\n".join(lines) + "\n")


def _task_name(course: Curriculum, name: str) -> str:
    """As the logs want it: a label and a variant, which is the task's number, so that no two are alike."""
    return f"{_word(name, '') or 'task'}_{course.names.index(name)}"


def _word(text: str, other: str = "-") -> str:
    return "".join(c if c.isalnum() else other for c in text)


def _json(data: object) -> str:
    return json.dumps(data, indent=2) + "\n"
