"""SQLite and PostgreSQL satisfy the contract of stores. MOHS_POSTGRES_URL names a PostgreSQL database."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from store_contract import StoreContract

POSTGRES = os.environ.get("MOHS_POSTGRES_URL")


class TestSqlite(StoreContract):
    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path}/below/here/store.db"


@pytest.mark.skipif(POSTGRES is None, reason="MOHS_POSTGRES_URL names no PostgreSQL database")
class TestPostgres(StoreContract):
    @pytest.fixture
    def url(self) -> Iterator[str]:
        """A schema of its own for each test, so that a database with results in it stays as it is."""
        assert POSTGRES is not None
        engine, schema = sa.create_engine(POSTGRES), f"mohs_{uuid.uuid4().hex}"
        with engine.begin() as connection:
            connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
        place = engine.url.update_query_dict({"options": f"-csearch_path={schema}"})
        yield place.render_as_string(hide_password=False)
        with engine.begin() as connection:
            connection.exec_driver_sql(f"DROP SCHEMA {schema} CASCADE")
        engine.dispose()
