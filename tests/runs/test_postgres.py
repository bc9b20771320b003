"""PostgreSQL holds the same results as SQLite. Needs a server: MOHS_POSTGRES_URL names an empty database."""

from __future__ import annotations

import os

import pytest

from mohs import Cell, Probe, Segment, Task
from mohs.agents.registry import agent
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.export import export_csv
from mohs.runs.plan import Plan
from mohs.runs.store import open_store

URL = os.environ.get("MOHS_POSTGRES_URL")


@pytest.mark.skipif(URL is None, reason="MOHS_POSTGRES_URL names no PostgreSQL database")
def test_the_same_export_from_both_databases(tmp_path):
    task = Task.make("toy/discrete")
    probes = (Probe("eval", task, (500, 1000), 3),)
    cells = tuple(Cell(agent("sarsa"), seed, (Segment(task, 1000),), probes) for seed in range(5))
    plan = Plan("test", "test", {}, cells)
    for name, url in (("lite", f"sqlite:///{tmp_path / 'results.db'}"), ("postgres", URL)):
        with open_store(url) as store:
            assert execute(plan, store, Execution(workers=0, progress="silent")).done == 5
            export_csv(store, tmp_path / name, store.studies()[-1].key)
    assert (tmp_path / "lite").read_bytes() == (tmp_path / "postgres").read_bytes()
