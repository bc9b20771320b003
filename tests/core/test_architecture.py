"""Data flows down, imports point up; `import mohs` is light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import mohs

PACKAGE = Path(mohs.__file__).parent
LAYERS = [
    "core", "stats", "tables", "exact", "engines", "envs", "compat", "agents", "runs", "protocols", "report", "cli",
]  # fmt: skip
# No peeking: an agent is handed what it may know of a table.
FORBIDDEN = {("agents", "tables"), ("agents", "exact")}
# The engine and the table of a toy are two realisations of the same parts, which live with the tables.


def imports(path: Path) -> set[str]:
    """The layers that a module imports, inside functions too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("mohs.")}
    return found & set(LAYERS)


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_module_imports_only_from_layers_above(path):
    layer = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if layer not in LAYERS:
        return
    for other in imports(path):
        assert LAYERS.index(other) <= LAYERS.index(layer), f"{layer} imports {other}"
        assert (layer, other) not in FORBIDDEN


def test_import_is_light():
    code = "import sys, mohs; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"numba", "torch", "pandas", "sqlalchemy", "plotly", "scipy", "sklearn", "typer", "rich", "pyarrow"}
    assert not heavy & set(loaded)


def test_statistics_need_numpy_only():
    code = "import sys, mohs.stats; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"torch", "numba", "pandas", "sqlalchemy", "plotly"} & set(loaded)


def test_every_module_says_which_question_it_answers():
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text())
        assert not tree.body or ast.get_docstring(tree), path
