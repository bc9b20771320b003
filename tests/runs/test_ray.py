"""A run on a Ray cluster of two nodes, one of which is killed, gives the bytes of a run on one machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from executor_contract import ExecutorContract, Make
from fake_learner import FACTORY, plan

from mohs.core.errors import MohsError
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.export import export_csv
from mohs.runs.places import this_place
from mohs.runs.progress import Silent
from mohs.runs.store import open_store

pytest.importorskip("ray", reason="the extra ray is not installed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head that trains nothing, and two nodes with two cores each."""
    import ray
    from ray.cluster_utils import Cluster

    os.environ["RAY_DISABLE_IMPORT_WARNING"] = "1"
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    for _ in range(2):
        made.add_node(num_cpus=2, include_dashboard=False)
    yield made
    ray.shutdown()
    made.shutdown()


class TestRay(ExecutorContract):
    @pytest.fixture
    def make(self, cluster: Any) -> Make:
        from mohs.runs.workers.hosts import Hosts
        from mohs.runs.workers.ray_cluster import RayCluster
        from mohs.runs.workers.watch import UNLIMITED

        return lambda: Hosts(RayCluster(cluster.address, UNLIMITED, b"", "cpu"), this_place(), None, print)


AGENT = """
import neighbour

class Agent:
    def train(self, env, steps):
        env.reset()
        for _ in range(steps):
            _, _, over, cut, _ = env.step(neighbour.action())
            if over or cut:
                env.reset()
    def act(self, observation, memory, deterministic):
        return neighbour.action(), memory

def make(env, seed):
    return Agent()
"""


def test_code_of_users_travels_and_standard_output_is_data_only(cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(AGENT)
    (tmp_path / "neighbour.py").write_text("def action():\n    return 0\n")
    words = [
        "diagnose",
        "mine.py:make",
        "--dials",
        "delay",
        "--seeds",
        "2",
        "--budget",
        "300",
        "--keep-going",
        "--json",
    ]
    words += ["--out", "report", "--executor"]
    shown = []
    for executor in (f"ray:{cluster.address}", "local"):
        store = f"sqlite:///{executor[:3]}.db"
        command = [sys.executable, "-m", "mohs", *words, executor, "--store", store]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
        shown.append(json.loads(ended.stdout))
    assert shown[0] == shown[1]


class KillsNode(Silent):
    """Kills a node once some cells are done, and starts another one."""

    def __init__(self, cluster: Any) -> None:
        self.cluster, self.done, self.notes = cluster, 0, list[str]()

    def update(self, *, done: int, failed: int, steps: int, dropped: int = 0) -> None:
        before, self.done = self.done, self.done + done
        if before < 2 <= self.done:
            from ray._private.worker import global_worker

            mine = global_worker.node._raylet_socket_name  # the coordinator speaks through this node
            others = [node for node in self.cluster.worker_nodes if node._raylet_socket_name != mine]
            self.cluster.remove_node(others[0], allow_graceful=False)
            self.cluster.add_node(num_cpus=2, include_dashboard=False)

    def note(self, text: str) -> None:
        self.notes.append(text)


def test_a_node_that_is_killed_changes_no_byte_and_is_blamed_on_no_cell(cluster: Any, tmp_path: Path) -> None:
    made, exports = plan(8, 2, sleep=0.01), []
    shown = KillsNode(cluster)
    for name, settings in (
        ("ray", Execution(executor=f"ray:{cluster.address}", pack_size=1, progress=shown)),
        ("local", Execution(workers=2, progress="silent")),
    ):
        with open_store(f"sqlite:///{tmp_path}/{name}.db") as store:
            summary = execute(made, store, settings, factory=FACTORY, checkpoint_seconds=0.2, chunk=10)
            assert (summary.done, summary.failed, summary.steps) == (16, 0, 16 * 200)
            export_csv(store, tmp_path / name)
            exports.append((tmp_path / name).read_bytes())
    assert exports[0] == exports[1]
    assert any("machine lost" in note for note in shown.notes)


def test_a_cluster_that_is_not_there_costs_one_sentence(tmp_path: Path) -> None:
    settings = Execution(executor="ray:127.0.0.1:1", progress="silent")
    with (
        open_store(f"sqlite:///{tmp_path}/store.db") as store,
        pytest.raises(MohsError, match=r"no Ray cluster at 127\.0\.0\.1:1 \(.*Connection refused\)"),
    ):
        execute(plan(1, 1), store, settings, factory=FACTORY)
