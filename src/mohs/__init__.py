"""mohs measures what makes a reinforcement-learning task hard and where an agent breaks."""

from __future__ import annotations

# isort: off
import mohs.start as _start  # noqa: F401 – before all others: it changes where they are found

# isort: on
import importlib
from typing import TYPE_CHECKING, Any

from mohs.core.cell import Agent, Cell, Probe, Segment
from mohs.core.dial import Dial
from mohs.core.errors import MohsError, StoreError, UsageError
from mohs.core.family import Family
from mohs.core.point import Point
from mohs.core.ranges import Range
from mohs.core.registry import Environment
from mohs.core.score import Reference, Score
from mohs.core.task import Task, TaskSet
from mohs.core.views import Classes
from mohs.envs.registration import register_all, register_environment

if TYPE_CHECKING:
    from mohs import ctgraph
    from mohs.agents.entry import AgentEntry
    from mohs.agents.registry import register_agent
    from mohs.core.family_files import read_family
    from mohs.envs.effects import Effects, effects
    from mohs.envs.inject import inject, inject_vec
    from mohs.envs.make import make, make_vec
    from mohs.envs.views.screens import Screen
    from mohs.protocols.card.card import card
    from mohs.protocols.challenge.command import challenge
    from mohs.protocols.compare.command import compare
    from mohs.protocols.conduct import load_verdict, run
    from mohs.protocols.correlate.command import correlate
    from mohs.protocols.diagnose.command import diagnose
    from mohs.protocols.experiment.files import read_study
    from mohs.protocols.family.command import family
    from mohs.protocols.lcd.command import lcd
    from mohs.protocols.lifelong.command import lifelong
    from mohs.protocols.lifelong.curriculum import Curriculum
    from mohs.protocols.protocol import Protocol, register_protocol
    from mohs.protocols.verdict import Verdict, write_report
    from mohs.runs.execution import Execution
    from mohs.runs.export import load
    from mohs.tables.build import table
    from mohs.tables.table import Table

__version__ = "0.1.0"

# Loaded on first use, so that `import mohs` needs numpy and gymnasium only.
_LAZY = {
    "AgentEntry": "mohs.agents.entry",
    "Curriculum": "mohs.protocols.lifelong.curriculum",
    "Effects": "mohs.envs.effects",
    "Execution": "mohs.runs.execution",
    "Protocol": "mohs.protocols.protocol",
    "Screen": "mohs.envs.views.screens",
    "Table": "mohs.tables.table",
    "Verdict": "mohs.protocols.verdict",
    "card": "mohs.protocols.card.card",
    "challenge": "mohs.protocols.challenge.command",
    "compare": "mohs.protocols.compare.command",
    "correlate": "mohs.protocols.correlate.command",
    "diagnose": "mohs.protocols.diagnose.command",
    "effects": "mohs.envs.effects",
    "family": "mohs.protocols.family.command",
    "inject": "mohs.envs.inject",
    "inject_vec": "mohs.envs.inject",
    "lcd": "mohs.protocols.lcd.command",
    "lifelong": "mohs.protocols.lifelong.command",
    "load": "mohs.runs.export",
    "load_verdict": "mohs.protocols.conduct",
    "make": "mohs.envs.make",
    "make_vec": "mohs.envs.make",
    "read_family": "mohs.core.family_files",
    "read_study": "mohs.protocols.experiment.files",
    "register_agent": "mohs.agents.registry",
    "register_protocol": "mohs.protocols.protocol",
    "run": "mohs.protocols.conduct",
    "table": "mohs.tables.build",
    "write_report": "mohs.protocols.verdict",
}
_MODULES = ("ctgraph",)

__all__ = [
    "Agent", "AgentEntry", "Cell", "Classes", "Curriculum", "Dial", "Effects", "Environment", "Execution", "Family",
    "MohsError", "Point", "Probe", "Protocol", "Range", "Reference", "Score", "Screen", "Segment", "StoreError",
    "Table", "Task", "TaskSet", "UsageError", "Verdict", "card", "challenge", "compare", "correlate", "ctgraph",
    "diagnose", "effects", "family", "inject", "inject_vec", "lcd", "lifelong", "load", "load_verdict", "make",
    "make_vec", "read_family", "read_study", "register_agent", "register_environment", "register_protocol", "run",
    "table", "write_report",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"mohs.{name}")
    if name not in _LAZY:
        raise AttributeError(f"module 'mohs' has no attribute {name!r}")
    return getattr(importlib.import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


register_all()
