"""Data flows down, imports point up; `import mohs` is light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import mohs
from mohs.core.values import resolve
from mohs.protocols.protocol import protocols

PACKAGE = Path(mohs.__file__).parent
LAYERS = [
    "core", "stats", "tables", "exact", "engines", "envs", "compat", "agents", "runs", "report", "protocols", "cli",
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


# Protocols whose subject is another protocol's verdict, or its card.
BUILDS_ON = {("compare", "diagnose"), ("correlate", "experiment"), ("challenge", "card")}


def protocol_folders() -> list[str]:
    return sorted(path.parent.name for path in (PACKAGE / "protocols").glob("*/__init__.py"))


def modules_imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_no_protocol_is_known_outside_its_folder(path):
    """The public names in `mohs/__init__.py` are the one exception."""
    own = path.relative_to(PACKAGE).parts
    if own == ("__init__.py",):
        return
    home = own[1] if own[0] == "protocols" and len(own) > 2 else ""
    for name in protocol_folders():
        known = any(
            module == f"mohs.protocols.{name}" or module.startswith(f"mohs.protocols.{name}.")
            for module in modules_imported(path)
        )
        assert not known or name == home or (home, name) in BUILDS_ON, f"{path} imports the protocol {name}"


@pytest.mark.parametrize("layer", ["cli", "report", "runs"])
def test_shared_layers_test_for_no_protocol_by_name(layer):
    """No `if protocol == "diagnose"`: what differs stands in the record of the protocol."""
    for path in sorted((PACKAGE / layer).rglob("*.py")):
        tests = [
            node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Compare | ast.match_case)
        ]
        texts = {node.value for test in tests for node in ast.walk(test) if isinstance(node, ast.Constant)}
        assert not texts & set(protocol_folders()), path


def test_lower_layers_name_no_module_of_a_protocol():
    """Not even as text: an entry names what it brings, and protocols ask for it."""
    for layer in LAYERS[: LAYERS.index("protocols")]:
        for path in sorted((PACKAGE / layer).rglob("*.py")):
            texts = [node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)]
            assert not any(isinstance(text, str) and text.startswith("mohs.protocols.") for text in texts), path


def test_every_protocol_has_a_record_whose_parts_can_be_imported():
    assert sorted(protocols()) == protocol_folders()
    for record in protocols().values():
        parts = ["page", "summary"]
        parts += ["study", "plan", "verdict", "ask"] if record.study is not None else []
        for part in parts:
            assert callable(record.part(part))
        for target in record.commands.values():
            assert callable(resolve(target))


def test_the_package_shows_its_api_and_nothing_else():
    assert dir(mohs) == sorted([*mohs.__all__, "__version__"])
    for name in mohs.__all__:
        assert getattr(mohs, name) is not None


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
