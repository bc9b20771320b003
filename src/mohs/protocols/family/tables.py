"""How are the models of a study kept as data? A Parquet file of all evaluations, from which the verdict is made again.

Complete tables of whole families come with mohs, so that estimators can be compared without training anything.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mohs.core.data_files import find_file
from mohs.core.errors import UsageError
from mohs.core.values import canonical_json, sealed
from mohs.protocols.family.study import FamilyStudy, plan
from mohs.runs.plan import Track
from mohs.runs.results import Results

if TYPE_CHECKING:
    from mohs.agents.protocol import Points
    from mohs.protocols.family.verdict import FamilyVerdict

SHIPPED = Path(__file__).parents[2] / "families" / "tables"
STUDY = b"mohs.family"  # the key of the study in the file's metadata
_COLUMNS = ("method", "point", "seed", "return", "length", "auc")


def write_table(verdict: FamilyVerdict, path: Path) -> None:
    """Writes the evaluations of a study's models, with the study, as Parquet."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    frame = verdict.frame().dropna(subset=["eval"])
    rows = pd.DataFrame(
        {
            "method": frame["agent"].astype("category"),
            "point": frame["point"].astype("category"),
            "seed": frame["seed"].astype(np.int32),
            "return": frame["eval"].astype(np.float64),
            "length": frame["eval_length"].astype(np.float32),
            "auc": frame["auc"].astype(np.float32),
        }
    )
    table = pa.Table.from_pandas(rows, preserve_index=False)
    table = table.replace_schema_metadata({STUDY: canonical_json(verdict.study.to_json())})
    pq.write_table(table, path, compression="zstd")


def read_table(name: str | Path) -> FamilyVerdict:
    """The verdict on the models in a file, or in the complete table of a shipped family.

    Args:
        name: the path of a Parquet file, or the name of a shipped table.

    Raises:
        UsageError: there is no such table, or the file is none.
    """
    import pyarrow.parquet as pq

    from mohs.protocols.family.verdict import verdict

    path = find_file("table of a family", str(name), SHIPPED, (".parquet",))
    table = pq.read_table(path)
    held = (table.schema.metadata or {}).get(STUDY)
    if held is None or not set(_COLUMNS) <= set(table.column_names):
        raise UsageError(f"{path} is no table of a family: `verdict.save_table(path)` writes one.")
    with sealed():  # it may be of somebody else, and name code
        study = FamilyStudy.from_json(json.loads(held))
        return verdict(study, _results(study, table.to_pandas())).read_only()


def _results(study: FamilyStudy, rows: object) -> Results:
    """The rows of a table as the results of its study's plan."""
    import pandas as pd

    assert isinstance(rows, pd.DataFrame)
    made, at = plan(study), np.array([study.steps])
    found: dict[tuple[Track, int], Points] = {}
    columns = (rows[name].tolist() for name in _COLUMNS)
    for method, point, seed, returned, length, auc in zip(*columns, strict=True):
        found[Track(method, point), seed] = {
            "eval/return": (at, np.array([returned])),
            "eval/length": (at, np.array([length])),
            "train/return": (at, np.array([auc])),
        }
    curves = {track: tuple(found.get((track, seed)) for seed in range(study.seeds)) for track in made.tracks}
    missing = sum(run is None for runs in curves.values() for run in runs)
    return Results(study.seeds, curves, len(made.cells), missing)
