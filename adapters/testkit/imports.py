"""The promises of the Imports port, executed."""

from contextlib import suppress
from typing import Protocol
from uuid import UUID

import pytest
from attrs import evolve

from adapters.testkit.examples import numbered
from adapters.testkit.threads import at_once
from application.ports.errors import Conflict
from application.ports.imports import Ended, Imported, Imports, Revision
from application.ports.ledger import Context, Ledger
from domain.values import EventId

HERE, THERE = numbered(501), numbered(502)


def read(number: int, calendar: UUID = HERE) -> Imported:
    source = EventId(numbered(number))
    return Imported(source, source, calendar, numbered(600), 3, numbered(700 + number))


class Revise(Protocol):
    def __call__(self, *revisions: Revision) -> None: ...


def new(row: Imported) -> Revision:
    return Revision(row.source, None, row)


class ImportsContract:
    """Each test has a store of its own, without any rows; `ledger` is over the same store."""

    @pytest.fixture
    def imports(self) -> Imports:
        raise NotImplementedError

    @pytest.fixture
    def ledger(self) -> Ledger:
        raise NotImplementedError

    @pytest.fixture
    def revise(self, ledger: Ledger) -> Revise:
        def revise(*revisions: Revision) -> None:
            with ledger.transaction(Context(numbered(1))) as transaction:
                transaction.revise(revisions)

        return revise

    def test_nothing_is_known_of_a_calendar_that_was_never_read(self, imports: Imports) -> None:
        assert imports.of_calendar(HERE) == {}
        assert imports.of_uids([read(1).uid]) == {}
        assert imports.of_uids([]) == {}
        assert imports.of_sources([read(1).source]) == {}

    def test_what_was_kept_is_found_by_its_calendar_its_uid_and_its_source(
        self, imports: Imports, revise: Revise
    ) -> None:
        rows = [read(1), evolve(read(2), ended=Ended.MISSING, event_id=EventId(numbered(9)))]
        other = evolve(read(3, THERE), ended=Ended.CALLED_OFF)
        another = evolve(read(4), uid=numbered(601), calendar=THERE)
        revise(*(new(row) for row in (*rows, other, another)))
        assert imports.of_calendar(HERE) == {row.source: row for row in rows}
        assert imports.of_uids([other.uid, numbered(404)]) == {row.source: row for row in (*rows, other)}
        assert imports.of_sources([other.source, EventId(numbered(404))]) == {other.source: other}

    def test_what_is_kept_again_replaces_what_was(self, imports: Imports, revise: Revise) -> None:
        revise(new(read(1)), new(read(2)))
        changed = evolve(read(1, THERE), sequence=4, uid=numbered(8), fingerprint=numbered(7))
        revise(Revision(changed.source, read(1), changed))
        assert imports.of_calendar(HERE) == {read(2).source: read(2)}
        assert imports.of_calendar(THERE) == {changed.source: changed}

    def test_what_is_forgotten_is_known_no_more_and_the_rest_is(
        self, imports: Imports, revise: Revise
    ) -> None:
        revise(new(read(1)), new(read(2)))
        revise(Revision(read(1).source, read(1), None), Revision(EventId(numbered(404)), None, None))
        revise()
        assert imports.of_calendar(HERE) == {read(2).source: read(2)}

    def test_what_is_not_as_it_was_found_is_a_conflict_and_nothing_is_kept(
        self, imports: Imports, revise: Revise
    ) -> None:
        revise(new(read(1)), new(read(2)))
        as_another_has_it = evolve(read(1), sequence=9)
        for revision in (
            new(read(1)),
            Revision(read(1).source, as_another_has_it, read(1)),
            Revision(read(1).source, as_another_has_it, as_another_has_it),
            Revision(read(1).source, as_another_has_it, None),
            Revision(read(5).source, read(5), None),
        ):
            with pytest.raises(Conflict):
                revise(new(read(3)), revision)
        assert imports.of_calendar(HERE) == {row.source: row for row in (read(1), read(2))}

    def test_nothing_is_known_before_the_commit_nor_after_a_block_that_raised(
        self, imports: Imports, ledger: Ledger
    ) -> None:
        with suppress(ZeroDivisionError), ledger.transaction(Context(numbered(1))) as transaction:
            transaction.revise([new(read(1))])
            assert imports.of_calendar(HERE) == {}
            raise ZeroDivisionError
        assert imports.of_calendar(HERE) == {}

    def test_of_two_who_keep_the_same_rows_at_once_one_keeps_all_and_the_other_none(
        self, imports: Imports, revise: Revise
    ) -> None:
        rows = [read(number) for number in range(1, 60)]
        mine = [evolve(row, sequence=4) for row in rows]
        theirs = [evolve(row, sequence=5) for row in rows[::-1]]
        came = at_once(lambda: revise(*map(new, mine)), lambda: revise(*map(new, theirs)))
        assert sorted(type(one).__name__ for one in came) == ["Conflict", "NoneType"]
        kept = mine if came[0] is None else theirs
        assert imports.of_calendar(HERE) == {row.source: row for row in kept}
