"""Ids sort by time even when the clock does not keep to it."""

from itertools import chain, repeat

from adapters.outbound.system import UuidIds


def test_an_id_begins_with_the_milliseconds_of_its_making() -> None:
    ids = UuidIds(lambda: 0x0123_4567_89AB)

    assert str(ids.new()).startswith("01234567-89ab-7")


def test_a_clock_that_is_set_back_changes_no_order() -> None:
    clock = chain([1_000, 2_000, 500], repeat(1_999))
    ids = UuidIds(lambda: next(clock))

    given = [ids.new() for _ in range(1_000)]

    assert given == sorted(given)


def test_a_counter_that_is_spent_borrows_the_next_millisecond() -> None:
    ids = UuidIds(lambda: 1_000)
    before = ids.new()
    ids._counter = 2**42 - 1
    after = [ids.new(), ids.new()]

    assert before.int >> 80 == 1_000
    assert after[0].int >> 80 == 1_001
    assert [before, *after] == sorted([before, *after])


def test_two_processes_in_one_millisecond_do_not_meet() -> None:
    one, other = UuidIds(lambda: 1_000), UuidIds(lambda: 1_000)

    assert not {one.new() for _ in range(1_000)} & {other.new() for _ in range(1_000)}
