"""Every clock and every source of ids keeps what its port promises."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from adapters.outbound.postgres.clock import PostgresClock
from adapters.outbound.postgres.database import Database
from adapters.outbound.system import SystemClock, UuidIds
from adapters.testkit.clock import SettableClock
from adapters.testkit.ids import CountedIds
from adapters.testkit.machine import ClockContract, IdsContract
from application.ports.machine import Clock, Ids

# mypy holds them against the ports
_clocks: tuple[type[Clock], ...] = (SystemClock, SettableClock, PostgresClock)
_ids: tuple[type[Ids], ...] = (UuidIds, CountedIds)


class TestSystemClock(ClockContract):
    @pytest.fixture
    def clock(self) -> SystemClock:
        return SystemClock()


class TestSettableClock(ClockContract):
    @pytest.fixture
    def clock(self) -> SettableClock:
        return SettableClock(datetime(2026, 11, 29, 12, 0, tzinfo=UTC))


class TestPostgresClock(ClockContract):
    @pytest.fixture
    def clock(self, postgres_url: str) -> Iterator[PostgresClock]:
        database = Database(postgres_url)
        yield PostgresClock(database)
        database.close()


class TestUuidIds(IdsContract):
    @pytest.fixture
    def ids(self) -> UuidIds:
        return UuidIds()


class TestUuidIdsOfAClockThatStandsStill(IdsContract):
    @pytest.fixture
    def ids(self) -> UuidIds:
        return UuidIds(lambda: 1_796_000_000_000)


class TestCountedIds(IdsContract):
    @pytest.fixture
    def ids(self) -> CountedIds:
        return CountedIds()
