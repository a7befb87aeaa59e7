"""The promises of the Imports port, executed."""

from uuid import UUID

import pytest
from attrs import evolve

from adapters.testkit.examples import numbered
from adapters.testkit.threads import at_once
from application.ports.imports import Ended, Imported, Imports
from domain.values import EventId

HERE, THERE = numbered(501), numbered(502)


def read(number: int, calendar: UUID = HERE) -> Imported:
    source = EventId(numbered(number))
    return Imported(source, source, calendar, numbered(600), 3, numbered(700 + number))


class ImportsContract:
    """Each test has a store of its own, without any rows."""

    @pytest.fixture
    def imports(self) -> Imports:
        raise NotImplementedError

    def test_nothing_is_known_of_a_calendar_that_was_never_read(self, imports: Imports) -> None:
        assert imports.of_calendar(HERE) == {}
        assert imports.of_uids([read(1).uid]) == {}
        assert imports.of_uids([]) == {}

    def test_what_was_kept_is_found_by_its_calendar_and_by_its_uid(self, imports: Imports) -> None:
        rows = [read(1), evolve(read(2), ended=Ended.MISSING, event_id=EventId(numbered(9)))]
        other = evolve(read(3, THERE), ended=Ended.CALLED_OFF)
        another = evolve(read(4), uid=numbered(601), calendar=THERE)
        imports.keep([*rows, other, another])
        assert imports.of_calendar(HERE) == {row.source: row for row in rows}
        assert imports.of_uids([other.uid, numbered(404)]) == {row.source: row for row in (*rows, other)}

    def test_what_is_kept_again_replaces_what_was(self, imports: Imports) -> None:
        imports.keep([read(1), read(2)])
        changed = evolve(read(1, THERE), sequence=4, uid=numbered(8), fingerprint=numbered(7))
        imports.keep([changed])
        assert imports.of_calendar(HERE) == {read(2).source: read(2)}
        assert imports.of_calendar(THERE) == {changed.source: changed}

    def test_what_is_forgotten_is_known_no_more_and_the_rest_is(self, imports: Imports) -> None:
        imports.keep([read(1), read(2)])
        imports.forget([read(1).source, EventId(numbered(404))])
        imports.forget([])
        imports.keep([])
        assert imports.of_calendar(HERE) == {read(2).source: read(2)}

    def test_two_who_keep_the_same_rows_at_once_do_not_stand_in_each_others_way(
        self, imports: Imports
    ) -> None:
        rows = [read(number) for number in range(1, 60)]
        assert at_once(lambda: imports.keep(rows), lambda: imports.keep(rows[::-1])) == [None, None]
        assert imports.of_calendar(HERE) == {row.source: row for row in rows}
