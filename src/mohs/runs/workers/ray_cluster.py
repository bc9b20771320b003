"""How does a run use a Ray cluster? One actor on each node is a host (`host.py`), found and called here.

Ray moves messages and says which nodes there are. It does not see packs: a host starts the same processes as a run on
one machine, so a cell gives the same bits. The nodes need the same environment as the coordinator.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from mohs.core.errors import MohsError, UsageError
from mohs.runs.workers.host import Commands, Greeting, Host, Said
from mohs.runs.workers.hosts import MachineLostError
from mohs.runs.workers.watch import Limits

INSTALL = 'pip install -c constraints.txt -e ".[ray]"'
NAMESPACE = "mohs"
START_SECONDS = 120.0  # that a host may take to come up
CONNECT_SECONDS = 10.0
REST_SECONDS = 30.0  # Ray calls a node alive for some seconds after its death
TRIES = 3  # hosts that are started on one node after the first was lost


class RayMachine:
    """The host on one node."""

    def __init__(self, name: str, actor: Any, ray: Any) -> None:
        self.name, self._actor, self._ray = name, actor, ray
        self._began = time.monotonic()
        self._greeting = actor.greet.remote()
        self.pending: Any = None
        self.gone = False

    def greeting(self) -> Greeting | None:
        ready, _ = self._ray.wait([self._greeting], timeout=0)
        if ready:
            found: Greeting = self._get(self._greeting)
            return found
        if time.monotonic() - self._began > START_SECONDS:
            raise self._lost("its host does not start; other jobs may use the node")
        return None

    def call(self, commands: Commands) -> None:
        self.pending = self._actor.exchange.remote(list(commands))

    def answer(self) -> Mapping[int, Said]:
        said: Mapping[int, Said] = self._get(self.pending)
        return said

    def close(self) -> None:
        self.gone = True
        with contextlib.suppress(Exception):  # the node may be gone, and the cluster with it
            self._ray.kill(self._actor)

    def _get(self, reference: Any) -> Any:
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:  # the host raised: the node lives but cannot be used
            text = " ".join(str(error.cause).split()).rstrip(".")
            raise self._lost(f"{type(error.cause).__name__}: {text}") from error
        except self._ray.exceptions.RayError as error:
            raise self._lost(f"{self.name} cannot be reached ({type(error).__name__})") from error

    def _lost(self, why: str) -> MachineLostError:
        self.gone = True
        return MachineLostError(why)


class RayCluster:
    """The nodes of a Ray cluster.

    Args:
        address: of the cluster; empty for the one that runs here.
        limits: what a worker may use.
        code: user code, as `shipping.pack` made it.
        device: where deep agents train; `cuda` takes the GPUs of the nodes.
    """

    def __init__(self, address: str, limits: Limits, code: bytes, device: str) -> None:
        try:
            import ray  # an extra
        except ModuleNotFoundError as error:
            raise UsageError(f"the executor ray needs the package ray: {INSTALL}.") from error
        self._ray: Any = ray
        self._device = device
        self._quiet = contextlib.ExitStack()
        self._quiet.enter_context(contextlib.redirect_stdout(sys.stderr))  # Ray reports there what becomes of nodes
        self._mine = not ray.is_initialized()
        if self._mine:
            self._connect(address)
        self._arguments = (limits, ray.put(code) if code else b"", device)
        self._machines: dict[str, RayMachine] = {}
        self._started: dict[str, list[float]] = {}

    def machines(self) -> Sequence[RayMachine]:
        for node in self._ray.nodes():
            key, resources = node["NodeID"], node["Resources"]
            if not node["Alive"] or resources.get("CPU", 0) < 1:
                continue
            if self._device.startswith("cuda") and resources.get("GPU", 0) < 1:
                continue
            before = self._machines.get(key)
            if before is None or (before.gone and self._may_start_again(key)):
                starts = self._started.setdefault(key, [])
                starts.append(time.monotonic())
                again = f", start {len(starts)}" if before is not None else ""
                name = f"{node['NodeManagerHostname']} ({key[:6]}{again})"
                self._machines[key] = RayMachine(name, self._host(key, resources), self._ray)
        return [machine for machine in self._machines.values() if not machine.gone]

    def wait(self, machines: Sequence[Any], seconds: float) -> Sequence[RayMachine]:
        by_call = {machine.pending: machine for machine in machines}
        ready, _ = self._ray.wait(list(by_call), num_returns=1, timeout=seconds)
        if ready and len(by_call) > 1:  # others may have answered meanwhile
            ready, _ = self._ray.wait(list(by_call), num_returns=len(by_call), timeout=0)
        return [by_call[call] for call in ready]

    def close(self) -> None:
        for machine in self._machines.values():
            if not machine.gone:
                machine.close()
        if self._mine:
            self._ray.shutdown()
        self._quiet.close()

    def _connect(self, address: str) -> None:
        try:
            _check_reachable(address or os.environ.get("RAY_ADDRESS", ""))
            self._ray.init(address or "auto", namespace=NAMESPACE, log_to_driver=False, logging_level=logging.ERROR)
        except (OSError, ValueError, RuntimeError) as error:  # ConnectionError is an OSError
            self._quiet.close()
            where = f"at {address}" if address else "here"
            reason = " ".join(str(error).split()).partition(". ")[0].rstrip(".")
            raise MohsError(
                f"there is no Ray cluster {where} ({reason}): start one with `ray start --head`, or name it, as in "
                "--executor ray:HOST:6379."
            ) from error

    def _host(self, node: str, resources: Mapping[str, float]) -> Any:
        """An actor that takes the processors of a node, and its GPUs where they are used."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        gpus = resources.get("GPU", 0) if self._device.startswith("cuda") else 0
        actor = self._ray.remote(Host).options(
            num_cpus=int(resources["CPU"]),
            num_gpus=gpus,
            max_restarts=0,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False),
        )
        return actor.remote(*self._arguments)

    def _may_start_again(self, node: str) -> bool:
        starts = self._started[node]
        return len(starts) <= TRIES and time.monotonic() - starts[-1] > REST_SECONDS


def _check_reachable(address: str) -> None:
    """Raises OSError where nobody listens: Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
