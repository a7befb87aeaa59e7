"""What every Clock and every source of Ids must keep; point a subclass's fixture at yours."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TypeVar
from uuid import UUID

import pytest

from application.ports.machine import Clock, Ids

Value = TypeVar("Value")
THREADS = 8


def from_threads(ask: Callable[[], list[Value]]) -> list[list[Value]]:
    """What several threads were answered, each in its own order."""
    with ThreadPoolExecutor(THREADS) as threads:
        return [one.result() for one in [threads.submit(ask) for _ in range(THREADS)]]


class ClockContract:
    @pytest.fixture
    def clock(self) -> Clock:
        raise NotImplementedError

    def test_now_is_an_instant_in_utc(self, clock: Clock) -> None:
        assert clock.now().utcoffset() == timedelta(0)

    def test_a_later_now_is_no_earlier(self, clock: Clock) -> None:
        instants = [clock.now() for _ in range(50)]

        assert instants == sorted(instants)

    def test_monotonic_never_goes_back(self, clock: Clock) -> None:
        seconds = [clock.monotonic() for _ in range(1000)]

        assert seconds == sorted(seconds)

    def test_threads_share_it(self, clock: Clock) -> None:
        def ask() -> list[float]:
            assert clock.now().utcoffset() == timedelta(0)
            return [clock.monotonic() for _ in range(100)]

        for seconds in from_threads(ask):
            assert seconds == sorted(seconds)


class IdsContract:
    @pytest.fixture
    def ids(self) -> Ids:
        raise NotImplementedError

    def test_no_id_is_given_twice(self, ids: Ids) -> None:
        given = [ids.new() for _ in range(20_000)]

        assert len(set(given)) == 20_000

    def test_later_ids_sort_after_earlier_ones_as_ids_and_as_text(self, ids: Ids) -> None:
        given = [ids.new() for _ in range(20_000)]

        assert given == sorted(given)
        assert [str(one) for one in given] == sorted(str(one) for one in given)

    def test_it_is_a_uuid_that_sorts_by_time(self, ids: Ids) -> None:
        given = ids.new()

        assert given.version == 7
        assert given.variant == "specified in RFC 4122"

    def test_threads_are_given_different_ids_each_in_order(self, ids: Ids) -> None:
        def ask() -> list[UUID]:
            return [ids.new() for _ in range(2_000)]

        answers = from_threads(ask)

        assert len({one for given in answers for one in given}) == THREADS * 2_000
        for given in answers:
            assert given == sorted(given)
