"""`tickler rebuild`: the rows of the current state come back from history as they were."""

import signal
import subprocess
import sys
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

import attrs
import psycopg
import pytest
from dependency_injector import providers

from adapters.container import Container
from adapters.testkit.clock import SettableClock
from application.calendar import Calendar, Draft
from application.ports.ledger import Versioned
from application.rebuilding import Rebuilt
from domain.triggers import MinutesBeforeStart
from domain.values import Timing
from tests.auditing.office import (
    ACME,
    ANNA,
    HOUR,
    NOON,
    ZONE_DATA,
    Known,
    audited,
    clocked,
    found,
    live_a_little,
    opened,
)

TABLES = ("calendar_events", "event_reminders", "deferred_touches", "touch_plans")
TRUNCATE = "truncate " + ", ".join(f"tickler.{table}" for table in TABLES)
Rows = Mapping[str, list[tuple[Any, ...]]]


def rows(url: str, leave_out: str = "") -> Rows:
    """Every column of every row of the current state, but one."""
    with psycopg.connect(url) as connection:
        columns = {
            table: [
                name
                for (name,) in connection.execute(
                    "select attname from pg_attribute where attrelid = %s::regclass and attnum > 0"
                    " and not attisdropped order by attnum",
                    (f"tickler.{table}",),
                ).fetchall()
                if name != leave_out
            ]
            for table in TABLES
        }
        return {
            table: connection.execute(
                f"select {', '.join(names)} from tickler.{table} order by id"
            ).fetchall()
            for table, names in columns.items()
        }


def execute(url: str, *statements: str, **given: object) -> None:
    with psycopg.connect(url) as connection:
        for statement in statements:
            connection.execute(statement, given or None)


def rebuilt(container: Container) -> Rebuilt:
    report: Rebuilt = container.rebuilding().run(Rebuilt())
    assert report.is_whole
    return report


@pytest.fixture
def lived(postgres_url: str) -> tuple[str, Known]:
    with opened("postgres", postgres_url) as container:
        return postgres_url, live_a_little(container, clocked(container))


def test_truncated_tables_come_back_with_every_column_as_it_was(lived: tuple[str, Known]) -> None:
    url, _ = lived
    before = rows(url)
    assert all(before.values())
    execute(url, TRUNCATE)
    with opened("postgres", url) as container:
        clocked(container, NOON + HOUR)
        report = rebuilt(container)
        assert rows(url) == before
        assert report.inserted == sum(map(len, before.values())) == report.looked_at
        assert (report.corrected, report.left_out, report.failed) == (0, 0, 0)
        assert found(audited(container)) == {}
        again = rebuilt(container)
        assert (again.inserted, again.corrected, again.failed) == (0, 0, 0)
    assert rows(url) == before


def test_rows_changed_by_hand_are_corrected_and_the_others_are_not_written(lived: tuple[str, Known]) -> None:
    url, known = lived
    before = rows(url)
    execute(
        url,
        "set session_replication_role = replica",
        "update tickler.event_reminders set status = 'Skipped', reason = 'stale', sent_at = null"
        f" where event_id = '{known.sent}'",
        f"update tickler.calendar_events set kind = 'party', owner_user_id = id where id = '{known.moved}'",
        f"update tickler.deferred_touches set failures = 4, due_at = now() where id = '{known.pending}'",
        f"update tickler.deferred_touches set caller = 'evil' where id = '{known.answered}'",
        f"update tickler.touch_plans set next_at = null, terms = '{{}}' where id = '{known.plan}'",
    )
    with opened("postgres", url) as container:
        clocked(container, NOON + HOUR)
        assert len(found(audited(container))) >= 3
        report = rebuilt(container)
        assert (report.inserted, report.failed) == (0, 0)
        assert report.corrected == 7
        assert found(audited(container)) == {}
    assert rows(url) == before


@pytest.mark.parametrize("time", ["infinity", "20000-01-01"])
def test_times_beyond_the_calendar_are_mended_in_rows_and_named_in_history(
    lived: tuple[str, Known], time: str
) -> None:
    url, known = lived
    before = rows(url)
    execute(
        url,
        "set session_replication_role = replica",
        f"update tickler.calendar_events set updated_at = '{time}' where id = '{known.moved}'",
        f"update tickler.event_reminders set updated_at = '{time}' where event_id = '{known.waiting}'",
        f"update tickler.deferred_touches set updated_at = '{time}' where id = '{known.pending}'",
        f"update tickler.touch_plans set next_at = '{time}', handled_until = '{time}'",
        f"update tickler.domain_events set occurred_at = '{time}' where stream_id = '{known.sent}'",
    )
    with opened("postgres", url) as container:
        clocked(container, NOON + HOUR)
        report = rebuilt(container)
    assert [id_ for id_, _ in report.problems] == [known.sent]
    assert "STREAM-2" in report.problems[0][1]
    assert (report.inserted, report.corrected) == (0, 7)
    assert rows(url) == before


def test_a_lengthened_lease_and_confirmed_zone_data_stay_where_the_row_is(lived: tuple[str, Known]) -> None:
    url, known = lived
    execute(
        url,
        "update tickler.deferred_touches set lease_until = lease_until + interval '1 hour', failures = 4"
        f" where id = '{known.held}'",
        "update tickler.calendar_events set tz_version = '2031b', updated_at = updated_at - interval '1 day'"
        f" where id = '{known.waiting}'",
    )
    before = rows(url)
    with opened("postgres", url) as container:
        clocked(container, NOON + HOUR)
        assert rebuilt(container).corrected == 2
        held = container.touches().touch(known.held)
        event = container.ledger().event(known.waiting)
    assert held.state.failures == 0
    assert held.state.lease_until == NOON + 51 * (HOUR / 60) + 2 * HOUR
    assert event.state.timing.tz_version == "2031b"
    assert [len(some) for some in rows(url).values()] == [len(some) for some in before.values()]


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        ("set type = 'calendar-event.forgotten.v1'", "unknown event 'calendar-event.forgotten.v1'"),
        ("set data = data - 'timing'", "cannot be read"),
        ("set version = 7", "version 1 is missing"),
    ],
)
def test_what_cannot_be_made_again_is_named_and_the_rest_is(
    lived: tuple[str, Known], harm: str, said: str
) -> None:
    url, known = lived
    before = rows(url)
    execute(
        url,
        "set session_replication_role = replica",
        f"update tickler.domain_events {harm} where stream_id = '{known.waiting}'",
        TRUNCATE,
    )
    with opened("postgres", url) as container:
        clocked(container, NOON + HOUR)
        report = rebuilt(container)
    ((id_, problem),) = report.problems
    assert (id_, report.failed) == (known.waiting, 1)
    assert said in problem
    after = rows(url)
    kept = [row for row in before["calendar_events"] if row[0] != known.waiting]
    assert after == {**before, "calendar_events": kept}


def test_a_row_that_is_newer_than_its_history_is_named_and_left(lived: tuple[str, Known]) -> None:
    url, known = lived
    execute(url, f"update tickler.calendar_events set version = 9 where id = '{known.moved}'")
    before = rows(url)
    with opened("postgres", url) as container:
        clocked(container, NOON + HOUR)
        report = rebuilt(container)
    assert [id_ for id_, _ in report.problems] == [known.moved]
    assert rows(url) == before


def test_a_row_without_history_is_named_and_left(lived: tuple[str, Known]) -> None:
    url, known = lived
    stray = UUID(int=77)
    execute(
        url,
        f"update tickler.calendar_events set id = '{stray}' where id = '{known.moved}'",
        "set session_replication_role = replica",
        f"delete from tickler.domain_events where stream_id = '{known.pending}'",
    )
    before = rows(url)
    with opened("postgres", url) as container:
        clocked(container, NOON + HOUR)
        report = rebuilt(container)
    assert report.problems == [(stray, "ROW-2 its row has no events"), (known.pending, report.problems[1][1])]
    assert (report.failed, report.inserted, report.corrected) == (2, 1, 0)
    after = rows(url)
    assert [row for row in after["calendar_events"] if row[0] != known.moved] == before["calendar_events"]
    assert after["deferred_touches"] == before["deferred_touches"]


def test_a_row_that_the_store_refuses_keeps_none_of_the_others_away(lived: tuple[str, Known]) -> None:
    url, known = lived
    execute(
        url,
        TRUNCATE,
        f"alter table tickler.event_reminders add constraint refused check (event_id <> '{known.waiting}')",
    )
    with opened("postgres", url) as container:
        clocked(container, NOON + HOUR)
        report = rebuilt(container)
    assert report.failed == 4
    assert all("refuses" in problem for _, problem in report.problems)
    assert {row[1] for row in rows(url)["event_reminders"]} >= {known.sent, known.moved}


def test_what_was_pruned_is_left_out(lived: tuple[str, Known]) -> None:
    url, _ = lived
    execute(url, TRUNCATE)
    with opened("postgres", url) as container:
        clocked(container, NOON + timedelta(days=500))
        report = rebuilt(container)
        assert found(audited(container, except_stuck=True)) == {}
    after = rows(url)
    assert report.left_out > 5
    assert len(after["calendar_events"]) == 6
    assert {row[6] for row in after["event_reminders"]} == {"Pending"}
    assert {row[12] for row in after["deferred_touches"]} == {"Pending", "InProgress", "Failed"}


def test_a_change_that_came_while_the_row_was_waited_for_is_not_overwritten(lived: tuple[str, Known]) -> None:
    url, known = lived
    execute(url, f"update tickler.calendar_events set owner_user_id = id where id = '{known.waiting}'")
    with opened("postgres", url) as container, opened("postgres", url) as other:
        clock = clocked(container, NOON + HOUR)
        other.clock.override(providers.Object(SettableClock(NOON + HOUR)))
        state_rows = container.state_rows()
        page = state_rows.page

        def changed_after_the_page_was_read(after: UUID | None, limit: int) -> object:
            read = page(after, limit)
            if after is None:
                other.calendar().complete(known.waiting)
            return read

        rebuilding = attrs.evolve(
            container.rebuilding(), rows=_With(state_rows, changed_after_the_page_was_read)
        )
        report = rebuilding.run(Rebuilt())
        assert report.failed == 0
        event = container.ledger().event(known.waiting)
        assert (event.version, event.state.status) == (2, "Completed")
        assert found(audited(container)) == {}
        assert clock.now() == NOON + HOUR


@attrs.frozen
class _With:
    """State rows with another way to read a page."""

    rows: Any
    page: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rows, name)


def test_memory_is_rebuilt_as_postgres_is() -> None:
    with opened("memory") as container:
        known = live_a_little(container, clocked(container))
        store = container.memory()
        before = (dict(store.events), dict(store.reminders), dict(store.plans), _touches(store))
        store.events.clear()
        store.reminders.clear()
        store.plans.clear()
        store.touches.clear()
        rebuilt(container)
        assert (store.events, store.reminders, store.plans, _touches(store)) == before
        row = store.events[known.moved]
        store.events[known.moved] = Versioned(attrs.evolve(row.state, client_user_id=None), row.version)
        assert rebuilt(container).corrected == 1
        assert store.events == before[0]


def _touches(store: Any) -> Any:
    return {id_: (row.touch, row.caller) for id_, row in store.touches.items()}


def test_a_rebuild_that_was_killed_is_gone_on_with(postgres_url: str) -> None:
    with opened("postgres", postgres_url) as container:
        calendar: Calendar = container.calendar()
        clocked(container)
        timing = Timing.of((NOON + HOUR).replace(tzinfo=None), "UTC", tz_version=ZONE_DATA)
        triggers = tuple(MinutesBeforeStart(minutes) for minutes in range(1, 41))
        for _ in range(40):
            calendar.plan(Draft(ACME, ANNA, timing, triggers=triggers))
    before = rows(postgres_url)
    execute(postgres_url, "truncate tickler.event_reminders")
    killing = [sys.executable, "-m", "tests.auditing.rebuilder", postgres_url]
    for _ in range(3):
        ended = subprocess.run(killing, check=False, timeout=60)
        assert ended.returncode == -signal.SIGKILL
    assert 0 < len(rows(postgres_url)["event_reminders"]) < len(before["event_reminders"])
    with opened("postgres", postgres_url) as container:
        clocked(container)
        assert rebuilt(container).failed == 0
        assert found(audited(container)) == {}
    assert rows(postgres_url) == before
