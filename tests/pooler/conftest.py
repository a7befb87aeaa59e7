"""A pooler before each test's own database."""

from collections.abc import Iterator
from contextlib import ExitStack, closing

import psycopg
import pytest

from adapters.outbound.postgres.database import Database, Patience
from tests.contracts.conftest import PATIENCE, OpenDatabase
from tests.debian.programs import DebianProgram
from tests.pooler.pooler import Pooler, pooler_before


@pytest.fixture
def pooler(postgres_url: str, pgbouncer: DebianProgram) -> Iterator[Pooler]:
    with pooler_before(postgres_url, pgbouncer) as made:
        yield made


@pytest.fixture
def open_database(pooler: Pooler) -> Iterator[OpenDatabase]:
    """Pools that go through the pooler; two connections at the server serve all of them."""
    with ExitStack() as opened:

        def open_one(patience: Patience = PATIENCE) -> Database:
            return opened.enter_context(closing(Database(pooler.url, prepared=False, patience=patience)))

        yield open_one


@pytest.fixture
def outsider(postgres_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield connection
