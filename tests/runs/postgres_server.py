"""A PostgreSQL server of one's own, below a directory: started, killed and started again by tests.

MOHS_POSTGRES_URL names another server for the tests that kill none.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

BINARIES = ("/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin")


def binary(name: str) -> str | None:
    """The path of a program of PostgreSQL; Debian does not put all of them on the search path."""
    for pattern in BINARIES:
        for found in sorted(Path("/").glob(pattern[1:]), reverse=True):
            if (found / name).exists():
                return str(found / name)
    return shutil.which(name)


def is_installed() -> bool:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return False
    return binary("initdb") is not None and (os.getuid() != 0 or _user() is not None)


def _user() -> pwd.struct_passwd | None:
    """Who runs the server: not root, whom PostgreSQL refuses."""
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    return None


class Server:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir(parents=True)
        self.user = _user() if os.getuid() == 0 else None
        if self.user is not None:
            os.chown(directory, self.user.pw_uid, self.user.pw_gid)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._run("initdb", "-D", str(directory / "data"), "-U", "mohs", "-A", "trust", "--no-sync")
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://mohs@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        command = [str(binary("postgres")), "-D", str(self.directory / "data"), "-p", str(self.port)]
        command += ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]
        with open(self.directory / "log", "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.directory, **self._as_user())
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            ready = [str(binary("pg_isready")), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
            if subprocess.run(ready).returncode == 0:
                return
            assert self.process.poll() is None, (self.directory / "log").read_text()
            time.sleep(0.1)
        raise AssertionError("the server does not start")

    def kill(self) -> None:
        """Ends the server and its children without a word, as a crash of the machine would."""
        assert self.process is not None
        for pid in (self.process.pid, *_children(self.process.pid)):
            os.kill(pid, signal.SIGKILL)
        self.process.wait()
        deadline = time.monotonic() + 20
        while (self.directory / "data" / "postmaster.pid").exists() and time.monotonic() < deadline:
            (self.directory / "data" / "postmaster.pid").unlink(missing_ok=True)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)  # a fast shutdown
            self.process.wait(30)

    def _run(self, program: str, *words: str) -> None:
        subprocess.run(
            [str(binary(program)), *words], check=True, cwd=self.directory, stdout=subprocess.DEVNULL, **self._as_user()
        )

    def _as_user(self) -> dict[str, object]:
        if self.user is None:
            return {}
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}


def _children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(word) for word in found.stdout.split()]
