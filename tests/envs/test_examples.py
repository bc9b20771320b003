"""Do the examples in the docstrings of environments run?"""

from __future__ import annotations

import doctest
import importlib

import pytest

from mohs.core import registry

MODULES = (
    "core.registry", "core.task", "envs.entries.third_party", "envs.inject.vector", "envs.inject.wrapper", "envs.make",
    "envs.registration", "tables.build",
)  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_ENVIRONMENTS", dict(registry._ENVIRONMENTS))  # what an example registers is undone
    found = doctest.testmod(importlib.import_module(f"mohs.{name}"))
    assert found.attempted
    assert not found.failed
