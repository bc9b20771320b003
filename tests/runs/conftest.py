"""One PostgreSQL server for all tests of a session that want one."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres_server import Server, is_installed


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of an empty database."""
    if url := os.environ.get("MOHS_POSTGRES_URL"):
        yield url
        return
    if not is_installed():
        pytest.skip("there is no PostgreSQL: Debian's package postgresql, and the extra mohs[postgres]")
    # pytest's directories belong to who runs the tests; the server may be another user's.
    folder = Path(tempfile.mkdtemp(prefix="mohs-postgres-"))
    folder.chmod(0o755)
    server = Server(folder / "server")
    yield server.url
    server.stop()
    shutil.rmtree(folder)
