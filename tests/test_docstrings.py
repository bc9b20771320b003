"""Is the public API documented? Everything in `mohs.__all__` has a docstring, and the examples in it run."""

from __future__ import annotations

import doctest
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import mohs
from mohs.core import registry
from mohs.protocols.protocol import protocols

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture(autouse=True)
def same_environments(monkeypatch):
    """What an example registers is gone after it."""
    for name in ("_ENVIRONMENTS", "_CONFIGURATIONS"):
        monkeypatch.setattr(registry, name, dict(getattr(registry, name)))


def public() -> Iterator[tuple[str, Any]]:
    """Everything in `mohs.__all__`, the public members of its classes, and the functions of its modules."""
    for name in mohs.__all__:
        thing = getattr(mohs, name)
        if isinstance(thing, ModuleType):
            yield from ((f"{name}.{function}", getattr(thing, function)) for function in thing.__all__)
            continue
        yield name, thing
        if inspect.isclass(thing):
            yield from ((f"{name}.{member}", found) for member, found in members(thing))


def members(thing: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that a class defines itself."""
    for name, found in vars(thing).items():
        function = getattr(found, "__func__", found)
        described = inspect.isfunction(function) or isinstance(found, property) or hasattr(found, "attrname")
        if described and not name.startswith("_"):
            yield name, function


PUBLIC = dict(public())
MODULES = sorted({thing.__module__ for thing in PUBLIC.values() if hasattr(thing, "__module__")})


@pytest.mark.parametrize("name", PUBLIC)
def test_public_things_have_a_docstring(name):
    assert inspect.getdoc(PUBLIC[name])


@pytest.mark.parametrize("protocol", sorted(protocols()))
def test_what_verdicts_are_made_of_has_docstrings(protocol):
    """Classes in the modules of a protocol's study and verdict, and their public members."""
    record = protocols()[protocol]
    parts = [record.part(part) for part in ("study", "verdict", "page") if getattr(record, part) is not None]
    modules = {sys.modules[part.__module__] for part in parts}
    classes = [thing for module in modules for thing in vars(module).values() if inspect.isclass(thing)]
    own = [thing for thing in classes if thing.__module__.startswith(f"mohs.protocols.{protocol}.")]
    for thing in (found for found in own if not found.__name__.startswith("_")):
        assert (thing.__doc__ or "").partition("(")[0] != thing.__name__, thing  # what dataclasses make up
        for name, member in members(thing):
            assert inspect.getdoc(member), f"{thing.__name__}.{name}"


@pytest.mark.parametrize("name", PUBLIC)
def test_public_things_have_an_example(name):
    assert ">>>" in (inspect.getdoc(PUBLIC[name]) or "")


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name, tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(EXAMPLES)
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(sys.modules[name]).failed == 0
