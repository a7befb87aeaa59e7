"""What the suites over PostgreSQL share: adapters' databases, and somebody from outside who changes rows."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Protocol

import psycopg
import pytest

from adapters.outbound.postgres.database import Database, Patience

PATIENCE = Patience()


class OpenDatabase(Protocol):
    def __call__(self, patience: Patience = ...) -> Database: ...


@pytest.fixture
def open_database(postgres_url: str) -> Iterator[OpenDatabase]:
    """Pools over one fresh database; closed when the test ends."""
    with ExitStack() as opened:

        def open_one(patience: Patience = PATIENCE) -> Database:
            return opened.enter_context(closing(Database(postgres_url, patience=patience)))

        yield open_one


@pytest.fixture
def outsider(postgres_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield connection
