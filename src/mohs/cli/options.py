"""Which options do several commands share, and what do their exit codes mean?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DEFAULT_STORE = "sqlite:///mohs.db"
REPORTS = Path("mohs-report")
AsJson = Annotated[bool, typer.Option("--json", help="Print data as JSON.")]
StoreUrl = Annotated[str, typer.Option("--store", help="Database of results: sqlite:///PATH or a PostgreSQL URL.")]
Png = Annotated[bool, typer.Option("--png", help="Also write every figure as PNG (needs Chromium).")]
Workers = Annotated[int | None, typer.Option(help="Worker processes; all cores by default.")]
PackSize = Annotated[int | None, typer.Option(help="Most cells of a pack; by default as many as suit the agent.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show the plan, with the time and disk it needs.")]
Hyperparameters = Annotated[
    list[str] | None, typer.Option("--set", help="A hyperparameter of the agent, name=value; may be repeated.")
]
HyperparameterFile = Annotated[
    Path | None,
    typer.Option("--hyperparameters", help="A TOML, YAML or JSON file of hyperparameters; --set overrides it."),
]
Device = Annotated[str, typer.Option(help="Where deep agents train: cpu, cuda, mps ...")]

EXIT_FAILED_CELLS, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, 130


def check_machine(workers: int | None, pack_size: int | None, device: str) -> None:
    """Raises where a run cannot be carried out as these options ask."""
    from mohs.runs.execution import Execution

    Execution(workers=workers, pack_size=pack_size, device=device).check()
