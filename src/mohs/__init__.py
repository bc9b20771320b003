"""mohs measures what makes a reinforcement-learning task hard and where an agent breaks."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from mohs.core.cell import Agent, Cell, Probe, Segment
from mohs.core.dial import Dial
from mohs.core.errors import MohsError, StoreError, UsageError
from mohs.core.family import Family
from mohs.core.point import Point
from mohs.core.score import Reference, Score
from mohs.core.task import Task, TaskSet
from mohs.envs.registration import register_all

if TYPE_CHECKING:
    from mohs import ctgraph
    from mohs.envs.inject import inject, inject_vec
    from mohs.envs.make import make, make_vec
    from mohs.protocols.card.card import card
    from mohs.protocols.conduct import challenge, diagnose, lifelong
    from mohs.protocols.diagnose.page import write_report
    from mohs.runs.export import load
    from mohs.tables.build import table
    from mohs.tables.table import Table

__version__ = "0.1.0"
__all__ = [
    "Agent", "Cell", "Dial", "Family", "MohsError", "Point", "Probe", "Reference", "Score", "Segment", "StoreError",
    "Table", "Task", "TaskSet", "UsageError", "card", "challenge", "ctgraph", "diagnose", "inject", "inject_vec",
    "lifelong", "load", "make", "make_vec", "table", "write_report",
]  # fmt: skip

# Loaded on first use, so that `import mohs` needs numpy and gymnasium only.
_LAZY = {
    "card": "mohs.protocols.card",
    "challenge": "mohs.protocols.conduct",
    "diagnose": "mohs.protocols.conduct",
    "lifelong": "mohs.protocols.conduct",
    "write_report": "mohs.protocols.diagnose.page",
    "inject": "mohs.envs.inject",
    "inject_vec": "mohs.envs.inject",
    "make": "mohs.envs.make",
    "make_vec": "mohs.envs.make",
    "table": "mohs.tables.build",
    "Table": "mohs.tables.table",
    "load": "mohs.runs.export",
}


_MODULES = ("ctgraph",)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"mohs.{name}")
    if name not in _LAZY:
        raise AttributeError(f"module 'mohs' has no attribute {name!r}")
    return getattr(importlib.import_module(_LAZY[name]), name)


register_all()
