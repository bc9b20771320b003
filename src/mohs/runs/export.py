"""How do results leave the store? One row per evaluation point, in one order, as CSV, Parquet or a data frame.

Columns: `cell` (its key), `task` (JSON of what the cell was training on; what a probe was taken on is in its name),
`agent` (name and hyperparameters), `seed`, `metric`, `step`, `value`. Rows are sorted by cell, metric and step. They
hold nothing but results, so two runs of one plan give the same file.
"""

from __future__ import annotations

import csv
import io
import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from mohs.core.errors import MohsError, StoreError, UsageError
from mohs.core.files import reason, replace
from mohs.core.registry import environment
from mohs.core.values import Json, canonical_json
from mohs.runs.store import Store, damage_text, open_store, sound

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("cell", "task", "agent", "seed", "metric", "step", "value")
PARQUET_ROWS = 200_000


class Row(NamedTuple):
    cell: str
    task: str
    agent: str
    seed: int
    metric: str
    step: int
    value: float


@dataclass(frozen=True)
class Block:
    """Rows that differ in step and value only."""

    cell: str
    task: str
    agent: str
    seed: int
    metric: str
    steps: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]


def rows(store: Store, study: str | None = None, damaged: list[str] | None = None) -> Iterator[Row]:
    """Every evaluation point of the cells that are done, of one study (by key) or of all; see `blocks`."""
    for block in blocks(store, study, damaged):
        head = (block.cell, block.task, block.agent, block.seed, block.metric)
        for step, value in zip(block.steps.tolist(), block.values.tolist(), strict=True):
            yield Row(*head, step, value)


def blocks(store: Store, study: str | None = None, damaged: list[str] | None = None) -> Iterator[Block]:
    """The same as arrays. Cells that are damaged are left out, and their keys are added to `damaged`."""
    records = {r.key: r.json for r in store.cells(study)}
    listed = {key for each in ([study] if study else [s.key for s in store.studies()]) for key in store.runs(each)}
    for key, curves in store.results(sorted(records.keys() | listed)):
        if curves is None:
            if damaged is not None:
                damaged.append(key)
            continue
        with sound(store.name):
            cell = json.loads(records[key])
            agent = agent_text(cell["agent"])
            parts = {metric: list(_parts(cell, *curve)) for metric, curve in curves.items()}
        for metric, pieces in parts.items():
            for task, steps, values in pieces:
                yield Block(key, task, agent, cell["seed"], metric, steps, values)


def agent_text(agent: Mapping[str, Any]) -> str:
    """An agent's name and the hyperparameters that it sets, as JSON."""
    name = str(agent["name"])
    return f"{name} {canonical_json(agent['params'])}" if agent["params"] else name


def export_csv(store: Store, path: str | os.PathLike[str], study: str | None = None) -> list[str]:
    """Writes `rows` as CSV; the keys of damaged cells. Numbers are written so that they read back as the same bits."""
    damaged: list[str] = []

    def write(file: BinaryIO) -> None:
        file.write((",".join(COLUMNS) + "\n").encode())
        for block in blocks(store, study, damaged):
            # The quoted texts are the same for all rows of a block; only the two numbers are formatted for each.
            quoted = io.StringIO()
            csv.writer(quoted, lineterminator=",").writerow(
                (block.cell, block.task, block.agent, block.seed, block.metric)
            )
            head = quoted.getvalue()
            pairs = zip(block.steps.tolist(), block.values.tolist(), strict=True)
            file.write("".join([f"{head}{step},{value!r}\n" for step, value in pairs]).encode())

    _replace(Path(path), write)
    return damaged


def export_parquet(store: Store, path: str | os.PathLike[str], study: str | None = None) -> list[str]:
    """Writes `rows` as Parquet; the keys of damaged cells."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"seed": pa.int64(), "step": pa.int64(), "value": pa.float64()}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])

    def table(some: list[Block]) -> Any:
        sizes = [len(b.steps) for b in some]
        which = np.repeat(np.arange(len(some), dtype=np.int32), sizes)
        texts = {
            name: pa.array([getattr(b, name) for b in some], pa.string()).take(pa.array(which))
            for name in ("cell", "task", "agent", "metric")
        }
        numbers = {
            "seed": np.repeat(np.array([b.seed for b in some], dtype=np.int64), sizes),
            "step": np.concatenate([b.steps for b in some]),
            "value": np.concatenate([b.values for b in some]),
        }
        return pa.table([(texts | numbers)[name] for name in COLUMNS], schema=schema)

    damaged: list[str] = []

    def write(file: BinaryIO) -> None:
        with pq.ParquetWriter(file, schema) as writer:
            some: list[Block] = []
            count = 0
            for block in blocks(store, study, damaged):
                some.append(block)
                count += len(block.steps)
                if count >= PARQUET_ROWS:
                    writer.write_table(table(some))
                    some, count = [], 0
            if some:
                writer.write_table(table(some))

    _replace(Path(path), write)
    return damaged


def load(store_url: str, study: str | None = None) -> pd.DataFrame:
    """The results in a store as a data frame.

    Beside the columns of the exports it has `env`, `task_seed` (the structure seed) and one column for each parameter
    that some task sets, with the default where a task leaves it; values other than numbers, words and None are JSON
    text. All of these are missing where an agent was trained or probed on a set of tasks.

    Args:
        store_url: URL of the results database.
        study: only the runs of this study, by its name, its agent, or its key or the beginning of that.

    Returns:
        One row for each cell, metric and step.

    Raises:
        UsageError: there is no such store or study.

    Example:
        >>> import mohs, tempfile
        >>> store = f"sqlite:///{tempfile.mkdtemp()}/results.db"
        >>> options = dict(dials=["delay"], seeds=1, budget=300, workers=0, progress="silent")
        >>> verdict = mohs.diagnose("random", **options, store=store)
        >>> {"env", "delay", "metric", "step", "value"} <= set(mohs.load(store).columns)
        True
    """
    from mohs.runs.status import find  # which imports this module

    with open_store(store_url, create=False) as store:
        return frame(store, None if study is None else find(store, study).key)


def frame(store: Store, study: str | None = None) -> pd.DataFrame:
    """What `load` returns, from an open store; `study` is a key."""
    import pandas as pd

    damaged: list[str] = []
    some = list(blocks(store, study, damaged))
    if damaged:
        warnings.warn(f"{damage_text(damaged)} and left out", RuntimeWarning, stacklevel=3)
    sizes = [len(b.steps) for b in some]
    data: dict[str, Any] = {}
    for name in ("cell", "task", "agent", "metric"):
        words = [getattr(b, name) for b in some]
        codes = {word: i for i, word in enumerate(sorted(set(words)))}
        data[name] = pd.Categorical.from_codes(
            np.repeat(np.array([codes[w] for w in words], dtype=np.int64), sizes),
            categories=pd.Index(list(codes), dtype="str"),
        )
    data["seed"] = np.repeat(np.array([b.seed for b in some], dtype=np.int64), sizes)
    data["step"] = np.concatenate([b.steps for b in some] or [np.empty(0, dtype=np.int64)])
    data["value"] = np.concatenate([b.values for b in some] or [np.empty(0)])
    columns = {name: data[name] for name in COLUMNS}
    for name, values in _parameters([b.task for b in some]).items():
        series = pd.Series(values, dtype="object").infer_objects()
        columns[name if name not in COLUMNS else f"task_{name}"] = series.repeat(sizes).array
    return pd.DataFrame(columns)


def _parameters(tasks: list[str]) -> dict[str, list[Json]]:
    """A column for each parameter that some task sets; a row for each task."""
    read = {text: json.loads(text) for text in dict.fromkeys(tasks)}
    single = {text: task for text, task in read.items() if "env" in task}
    names = sorted({name for task in single.values() for name in task["params"]})
    found: dict[str, dict[str, Json]] = {}
    for text, task in single.items():
        defaults = _defaults(task["env"])
        row = {name: task["params"].get(name, defaults.get(name)) for name in names}
        found[text] = {"env": task["env"], "seed": task["seed"], **{k: _plain(v) for k, v in row.items()}}
    return {name: [found.get(text, {}).get(name) for text in tasks] for name in ("env", "seed", *names)}


def _defaults(env: str) -> dict[str, Any]:
    try:
        return environment(env).complete({})
    except MohsError:  # an environment that this installation does not know
        return {}


def _plain(value: Any) -> Json:
    return value if value is None or isinstance(value, bool | int | float | str) else canonical_json(value)


def _parts(
    cell: Mapping[str, Any], steps: npt.NDArray[np.int64], values: npt.NDArray[np.float64]
) -> Iterator[tuple[str, npt.NDArray[np.int64], npt.NDArray[np.float64]]]:
    """A curve cut by the segment that each step was in."""
    order = np.argsort(steps, kind="stable")
    steps, values = steps[order], values[order]
    ends = list(accumulate(segment["steps"] for segment in cell["segments"]))
    cuts = [0, *np.searchsorted(steps, ends[:-1], side="right").tolist(), len(steps)]
    for segment, a, b in zip(cell["segments"], cuts, cuts[1:], strict=False):
        if b > a:
            yield canonical_json(segment["source"]), steps[a:b], values[a:b]


def _replace(path: Path, write: Callable[[BinaryIO], None]) -> None:
    """Writes a file whole or not at all."""
    if path.is_dir() or not path.name:
        raise UsageError(f"{str(path)!r} is a directory; name the file to write.")
    try:
        replace(path, write)
    except OSError as error:
        raise StoreError(f"{path} cannot be written ({reason(error)}).") from error
