"""Which options do several commands share?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mohs.runs.execution import DEFAULT_STORE as DEFAULT_STORE

REPORTS = Path("mohs-report")
AGENT_HELP = "A built-in agent (mohs agents lists them), sb3:NAME, or file.py:function."
AsJson = Annotated[bool, typer.Option("--json", help="Print data as JSON.")]
StoreUrl = Annotated[str, typer.Option("--store", help="Database of results: sqlite:///PATH or a PostgreSQL URL.")]
Png = Annotated[bool, typer.Option("--png", help="Also write every figure as PNG (needs Chromium).")]
Paper = Annotated[
    float | None,
    typer.Option(
        help="Also write OUT/paper: figures so many inches wide as PDF, SVG and PNG (3.25 for one column, 6.75 for "
        "two), tables as LaTeX and CSV, methods, BibTeX."
    ),
]
SingleFile = Annotated[
    bool, typer.Option("--single-file", help="Keep plotly.js inside the page, also where reports could share it.")
]
Out = Annotated[Path | None, typer.Option(help="Directory of the report.")]
Label = Annotated[str, typer.Option(help="What to call this study: status, report and compare find it by its label.")]
Workers = Annotated[int | None, typer.Option(help="Worker processes; all cores by default.")]
Hyperparameters = Annotated[
    list[str] | None, typer.Option("--set", help="A hyperparameter of the agent, name=value; may be repeated.")
]
HyperparameterFile = Annotated[
    Path | None,
    typer.Option("--hyperparameters", help="A TOML, YAML or JSON file of hyperparameters; --set overrides it."),
]
