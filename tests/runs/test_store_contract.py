"""SQLite and PostgreSQL satisfy the contract of stores."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from store_contract import StoreContract


class TestSqlite(StoreContract):
    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path}/below/here/store.db"


class TestPostgres(StoreContract):
    @pytest.fixture
    def url(self, postgres: str) -> Iterator[str]:
        """A schema of its own for each test, so that a database with results in it stays as it is."""
        engine, schema = sa.create_engine(postgres), f"mohs_{uuid.uuid4().hex}"
        with engine.begin() as connection:
            connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
        place = engine.url.update_query_dict({"options": f"-csearch_path={schema}"})
        yield place.render_as_string(hide_password=False)
        with engine.begin() as connection:
            connection.exec_driver_sql(f"DROP SCHEMA {schema} CASCADE")
        engine.dispose()
