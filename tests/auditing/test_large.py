"""The audit and the rebuild of many reminders: silent, in little memory, in bounded time."""

from time import monotonic

import psycopg
import pytest

from adapters.container import Container
from adapters.testkit.examples import LONG_BEFORE, NOON, keep, numbered, planned
from application.auditing.auditing import Report
from application.auditing.rules import Rule
from application.ports.auditing import Part
from application.rebuilding import Rebuilt
from domain.triggers import MinutesBeforeStart
from domain.values import EventId
from tests.auditing.office import ZONE_DATA, clocked, opened
from tests.auditing.test_rebuild import TABLES, TRUNCATE, execute
from tests.benchmarks.dispatch.measuring import run_apart

REMINDERS_AN_EVENT = 10
EVENTS_A_COMMIT = 100
TRIGGERS = tuple(MinutesBeforeStart(15 * number) for number in range(1, REMINDERS_AN_EVENT + 1))
MOST_MIB = 300


def live(container: Container, events: int) -> None:
    """Plan so many events an hour before their start, cancel some, send what is due, and take it in."""
    clock = clocked(container, NOON)
    ledger, calendar = container.ledger(), container.calendar()
    for first in range(1, events + 1, EVENTS_A_COMMIT):
        some = range(first, min(first + EVENTS_A_COMMIT, events + 1))
        keep(ledger, *(planned(number, *TRIGGERS) for number in some))
    for number in range(1, events, 50):
        calendar.cancel(EventId(numbered(1000 * number)))
    for result in container.dispatch_job().tick():
        assert not result.failed
    relay = container.relay()
    while (batch := relay.batch()).claimed:
        assert batch.published == batch.claimed
    assert clock.now() == NOON > LONG_BEFORE


def audit(url: str) -> tuple[int, float]:
    """How many reminders were found to be sound, in how many seconds."""
    with opened("postgres", url) as container:
        clocked(container, NOON)
        began = monotonic()
        report: Report = container.auditing().run(Report(), ZONE_DATA)
    assert report.found == {}, {rule.id: found.first[:3] for rule, found in report.found.items()}
    return report.looked_at[Part.REMINDERS], monotonic() - began


def rebuild(url: str) -> tuple[int, float]:
    """How many rows were made again, in how many seconds."""
    with opened("postgres", url) as container:
        clocked(container, NOON)
        began = monotonic()
        report: Rebuilt = container.rebuilding().run(Rebuilt())
    assert report.failed == 0, report.problems[:3]
    return report.inserted, monotonic() - began


def digests(url: str) -> list[str]:
    """One of each table: rows that are held here would count as the memory of whoever is begun after."""
    with psycopg.connect(url) as connection:
        return [
            connection.execute(
                f"select count(*) || md5(string_agg(one::text, ',' order by id)) from tickler.{table} one"
            ).fetchall()[0][0]
            for table in TABLES
        ]


@pytest.mark.parametrize(
    "events", [pytest.param(200, id="2,000"), pytest.param(10_000, id="100,000", marks=pytest.mark.prove)]
)
def test_so_many_sound_reminders_are_passed_in_silence_and_come_back_whole(
    postgres_url: str, events: int
) -> None:
    with opened("postgres", postgres_url) as container:
        live(container, events)
    execute(postgres_url, "analyze")
    audited = run_apart(audit, postgres_url)
    before = digests(postgres_url)
    execute(postgres_url, TRUNCATE)
    made = run_apart(rebuild, postgres_url)
    again = run_apart(rebuild, postgres_url)
    print(
        f"audit: {audited.rows} reminders in {audited.seconds:.1f} s, {audited.peak_mib:.0f} MiB;"
        f" rebuild: {made.rows} rows in {made.seconds:.1f} s, {made.peak_mib:.0f} MiB,"
        f" and again, with nothing to do, in {again.seconds:.1f} s"
    )
    assert audited.rows == events * REMINDERS_AN_EVENT
    assert made.rows == events * (1 + REMINDERS_AN_EVENT)
    assert again.rows == 0
    assert digests(postgres_url) == before
    assert max(audited.peak_mib, made.peak_mib) < MOST_MIB


def test_counts_are_full_where_ids_are_not(postgres_url: str) -> None:
    with opened("postgres", postgres_url) as container:
        live(container, 30)
        with psycopg.connect(postgres_url) as outsider:
            outsider.execute("update tickler.event_reminders set updated_at = updated_at - interval '1 day'")
        report = container.auditing().run(Report(), ZONE_DATA, most=7)
    found = report.found[Rule.ROW_IS_FOLD]
    assert (found.count, len(found.first)) == (30 * REMINDERS_AN_EVENT, 7)
