"""One row that makes no sense: it is named, everything else is shown, and nobody else is worse off."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr

from adapters.__main__ import PostgresOffice
from adapters.settings import LogLevel, Settings
from tests.adapters.ics_files import vcalendar, vevent
from tests.adapters.offices import Commands

PLAN = ("event", "plan", "--tenant", "acme", "--owner", "anna", "--zone", "Europe/Moscow")
FAR = ("--days", "3660")
LISTS = [("upcoming", *FAR), ("event", "list", *FAR)]


@pytest.fixture
def tickler(postgres_url: str, capsys: pytest.CaptureFixture[str]) -> Commands:
    office = PostgresOffice(Settings(database_url=SecretStr(postgres_url), log_level=LogLevel.ERROR))
    commands = Commands(office, capsys)
    commands.document("person", "add", "anna", "--tenant", "acme", "--zone", "Europe/Moscow")
    return commands


@pytest.fixture
def outsider(postgres_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield connection


def planned(tickler: Commands, day: int) -> str:
    found: str = tickler.document(*PLAN, "--start", f"2030-12-{day:02} 10:00")["eventId"]
    return found


def set_event(outsider: psycopg.Connection, event_id: str, change: str) -> None:
    outsider.execute(f"update tickler.calendar_events set {change} where id = %s".encode(), (event_id,))


def set_reminder(outsider: psycopg.Connection, event_id: str, change: str) -> None:
    outsider.execute(f"update tickler.event_reminders set {change} where event_id = %s".encode(), (event_id,))


def status_of(outsider: psycopg.Connection, event_id: str) -> str:
    statement = b"select status from tickler.calendar_events where id = %s"
    found = outsider.execute(statement, (event_id,)).fetchone()
    assert found is not None
    return str(found[0])


@pytest.mark.parametrize("command", LISTS)
@pytest.mark.parametrize("change", ["kind = 'party'", "triggers = '{soon}'"])
def test_a_list_names_an_event_that_makes_no_sense_and_shows_all_others(
    tickler: Commands, outsider: psycopg.Connection, command: tuple[str, ...], change: str
) -> None:
    first, broken, last = (planned(tickler, day) for day in (1, 2, 3))
    set_event(outsider, broken, change)
    for more in ((), ("--tenant", "acme")):
        said = tickler(*command, *more)
        assert said.code == 3
        (line,) = said.err.splitlines()
        assert broken in line
        assert first in said.out
        assert last in said.out
        assert broken not in said.out
    document = tickler(*command, "--json").document
    assert [(one.get("event") or one)["eventId"] for one in document] == [first, last]


@pytest.mark.parametrize("command", LISTS)
def test_rows_that_make_no_sense_take_no_place_in_a_list_from_others(
    tickler: Commands, outsider: psycopg.Connection, command: tuple[str, ...]
) -> None:
    ids = [planned(tickler, day) for day in range(1, 8)]
    for broken in ids[:4]:
        set_event(outsider, broken, "kind = 'party'")
    said = tickler(*command, "--limit", "2")
    assert [one in said.out for one in ids] == [False] * 4 + [True] * 2 + [False]
    assert all(one in said.err for one in ids[:4])


@pytest.mark.parametrize("command", LISTS)
def test_of_many_broken_rows_some_are_named_and_the_rest_are_counted(
    tickler: Commands, outsider: psycopg.Connection, command: tuple[str, ...]
) -> None:
    for day in range(1, 23):
        planned(tickler, day)
    outsider.execute("update tickler.calendar_events set kind = 'party'")
    said = tickler(*command)
    assert said.code == 3
    assert len(said.err.splitlines()) == 21
    assert "2 more" in said.err.splitlines()[-1]


def test_upcoming_names_a_reminder_that_makes_no_sense(
    tickler: Commands, outsider: psycopg.Connection
) -> None:
    broken, other = planned(tickler, 1), planned(tickler, 2)
    (row,) = tickler.document("event", "show", broken)["reminders"]
    set_reminder(outsider, broken, "trigger = 'soon'")
    said = tickler("upcoming", *FAR)
    assert said.code == 3
    assert row["reminderId"] in said.err
    assert other in said.out


@pytest.mark.parametrize("command", ["show", "cancel", "complete"])
def test_a_command_on_an_event_that_makes_no_sense_names_it_and_changes_nothing(
    tickler: Commands, outsider: psycopg.Connection, command: str
) -> None:
    broken = planned(tickler, 1)
    set_event(outsider, broken, "kind = 'party'")
    said = tickler("event", command, broken)
    assert (said.code, said.out) == (3, "")
    (line,) = said.err.splitlines()
    assert broken in line
    assert "unexpected" not in line
    assert status_of(outsider, broken) == "Planned"


def test_an_event_whose_reminder_makes_no_sense_is_shown_and_the_reminder_named(
    tickler: Commands, outsider: psycopg.Connection
) -> None:
    broken = planned(tickler, 1)
    (row,) = tickler.document("event", "show", broken)["reminders"]
    set_reminder(outsider, broken, "trigger = 'soon'")
    said = tickler("event", "show", broken)
    assert said.code == 3
    assert broken in said.out
    assert row["reminderId"] in said.err


def two_reminders(tickler: Commands) -> tuple[str, str, str]:
    """An event's id, and those of its reminders of 60 and of 15 minutes before."""
    event = tickler.document(*PLAN, "--start", "2030-12-01 10:00", "--remind", "60", "--remind", "15")
    ids = {one["offsetMinutes"]: one["reminderId"] for one in event["reminders"]}
    return event["eventId"], ids[60], ids[15]


def test_the_other_reminders_of_an_event_are_shown_beside_the_one_that_makes_no_sense(
    tickler: Commands, outsider: psycopg.Connection
) -> None:
    event_id, broken, sound = two_reminders(tickler)
    outsider.execute("update tickler.event_reminders set trigger = 'nonsense' where id = %s", (broken,))
    said = tickler("event", "show", event_id)
    assert said.code == 3
    assert "no reminders" not in said.out
    assert "start-15m" in said.out
    assert sound in said.out.split()
    assert f"reminder {broken} cannot be read: `tickler rebuild` makes its row again" in said.out
    assert broken in said.err
    document = tickler("event", "show", event_id, "--json").document
    assert [one["reminderId"] for one in document["reminders"]] == [sound]
    why = tickler("why", event_id, "--json").document
    assert "It has 2 reminders, 1 of which cannot be sent" in why["says"]
    assert {part["id"]: part["situation"] for part in why["parts"]} == {
        broken: "poison",
        sound: "waits_for_its_time",
    }
    assert tickler("rebuild").code == 0
    mended = tickler("event", "show", event_id)
    assert (mended.code, mended.err) == (0, "")
    assert [one in mended.out for one in (broken, sound, "cannot be read")] == [True, True, False]


def test_the_message_of_a_reminder_that_makes_no_sense_is_shown(
    tickler: Commands, outsider: psycopg.Connection
) -> None:
    event_id, broken, _ = two_reminders(tickler)
    outsider.execute(
        "insert into tickler.deliveries (id, tenant_id, about_id, event_id, user_id, channel, address_key,"
        " template, due_at, status, attempts, claim, not_before)"
        " select gen_random_uuid(), r.tenant_id, r.id, r.event_id, e.owner_user_id, 'console', 'a hash',"
        " 'CalendarReminder', r.due_at, 'Pending', 0, 0, r.due_at"
        " from tickler.event_reminders r join tickler.calendar_events e on e.id = r.event_id where r.id = %s",
        (broken,),
    )
    outsider.execute("update tickler.event_reminders set trigger = 'nonsense' where id = %s", (broken,))
    (message,) = [line for line in tickler("event", "show", event_id).out.splitlines() if "console" in line]
    assert message.split("  ")[0] == "cannot be read"


def test_history_is_told_whole_though_a_row_makes_no_sense(
    tickler: Commands, outsider: psycopg.Connection
) -> None:
    event_id, broken, _ = two_reminders(tickler)
    before = tickler("history", event_id, "--all")
    outsider.execute("update tickler.event_reminders set trigger = 'nonsense' where id = %s", (broken,))
    after = tickler("history", event_id, "--all")
    assert after == before
    assert (after.code, after.out.count(f"reminder {broken}:")) == (0, 1)


def test_a_cancel_that_is_done_is_a_success_though_an_old_reminder_makes_no_sense(
    tickler: Commands, outsider: psycopg.Connection
) -> None:
    broken = planned(tickler, 1)
    set_reminder(outsider, broken, "trigger = 'soon', status = 'Skipped', reason = 'past'")
    said = tickler("event", "cancel", broken)
    assert (said.code, status_of(outsider, broken)) == (0, "Cancelled")
    assert "Cancelled" in said.out


@pytest.mark.parametrize("command", ["cancel", "complete", "start"])
def test_what_is_done_to_an_event_in_a_zone_that_nobody_knows_is_a_success_and_says_how_to_mend_it(
    tickler: Commands, outsider: psycopg.Connection, command: str
) -> None:
    broken = planned(tickler, 1)
    set_event(outsider, broken, "time_zone = 'Europe/Nowhere'")
    said = tickler("event", command, broken)
    assert said.code == 0
    assert status_of(outsider, broken) != "Planned"
    assert "06:45 UTC" in said.out
    (line,) = said.err.splitlines()
    assert f"event change {broken} --zone" in line


def test_lists_show_an_event_in_a_zone_that_nobody_knows_and_another_zone_mends_it(
    tickler: Commands, outsider: psycopg.Connection
) -> None:
    broken, other = planned(tickler, 1), planned(tickler, 2)
    set_event(outsider, broken, "time_zone = 'Europe/Nowhere'")
    for command in (*LISTS, ("event", "show", broken)):
        said = tickler(*command)
        assert said.code == 0
        assert broken in said.err
        assert "UTC" in said.out
        assert (other in said.out) == (command in LISTS)
    assert tickler("event", "change", broken, "--zone", "Europe/Berlin").code == 0
    mended = tickler("event", "list", *FAR)
    assert (mended.code, mended.err) == (0, "")
    assert "10:00 Europe/Berlin" in mended.out


def test_an_import_is_not_ended_by_an_event_of_before_that_makes_no_sense(
    tickler: Commands, outsider: psycopg.Connection, tmp_path: Path
) -> None:
    (now,) = outsider.execute("select now()").fetchone() or ()
    starts = [f"{now + timedelta(days=day):%Y%m%d}T100000Z" for day in (2, 3, 4)]
    file = tmp_path / "team.ics"
    file.write_bytes(vcalendar(*(vevent(f"x-{at[:8]}", f"DTSTART:{at}") for at in starts)))
    command = ("import", str(file), "--tenant", "acme", "--owner", "anna")
    assert tickler.document(*command)["counts"]["eventsNew"] == 3
    first, broken, last = (one["eventId"] for one in tickler.document("event", "list"))
    set_event(outsider, broken, "kind = 'party'")
    file.write_bytes(file.read_bytes().replace(b"T100000Z", b"T110000Z"))
    said = tickler(*command, "--json")
    report = said.document
    assert (said.code, report["counts"]["eventsMoved"]) == (1, 2)
    (refused,) = report["refused"]
    assert broken in refused["reason"]
    found = tickler("event", "list")
    assert (first in found.out, last in found.out, broken in found.err) == (True, True, True)
