"""How events are shown: whole ids, people by their handles, and what became of the messages."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from dependency_injector import providers

from adapters.inbound.cli.output import wall
from adapters.settings import Settings
from adapters.testkit.ids import CountedIds
from tests.adapters.offices import NOW, Commands, MemoryOffice

PLAN = (
    "event",
    "plan",
    "--tenant",
    "acme",
    "--owner",
    "anna",
    "--client",
    "boris",
    "--zone",
    "Europe/Moscow",
)
NO_ONE = "0198c5f0-7d3e-7000-8000-000000000001"


@pytest.fixture
def desk() -> MemoryOffice:
    return MemoryOffice.new(Settings())


@pytest.fixture
def tickler(desk: MemoryOffice, capsys: pytest.CaptureFixture[str]) -> Commands:
    commands = Commands(desk, capsys)
    commands.document("person", "add", "anna", "--tenant", "acme", "--zone", "Europe/Moscow")
    commands.document("person", "add", "boris", "--tenant", "acme")
    return commands


def planned(tickler: Commands, start: str = "2026-12-01 10:00", *more: str) -> str:
    event_id: str = tickler.document(*PLAN, "--start", start, "--title", "A long talk", *more)["eventId"]
    return event_id


def send_what_is_due(desk: MemoryOffice, tickler: Commands) -> None:
    desk.clock.set(NOW + timedelta(days=2))
    assert tickler.document("dispatch", "--once")["sentCount"] == 1
    desk.container.relay().batch()


def deliver(desk: MemoryOffice, channel: str) -> None:
    (one,) = [each for each in desk.container.channels() if each.name == channel]
    list(desk.container.delivering(channel=one).tick())


def deliveries(tickler: Commands, event_id: str) -> Any:
    (reminder,) = tickler.document("event", "show", event_id)["reminders"]
    return reminder["deliveries"]


@pytest.mark.parametrize("columns", ["40", "80", "120", "300"])
def test_an_id_is_shown_whole_on_one_line_however_narrow_the_terminal(
    tickler: Commands, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    event_id = planned(tickler)
    reminder_id = tickler.document("event", "show", event_id)["reminders"][0]["reminderId"]
    monkeypatch.setenv("COLUMNS", columns)
    assert event_id in tickler("upcoming").out
    assert event_id in tickler("event", "list").out
    assert reminder_id in tickler("event", "show", event_id).out
    for person in tickler.document("person", "list", "--tenant", "acme"):
        assert person["userId"] in tickler("person", "list", "--tenant", "acme").out


def test_a_table_that_fits_has_a_line_a_row_under_its_headings(
    tickler: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    event_id = planned(tickler, "2026-12-01 10:00", "--remind", "15", "--remind", "start-1d@09:00")
    head, *rows = tickler("upcoming").out.splitlines()
    assert [row[head.index("EVENT") :] for row in rows] == [event_id, event_id]
    assert [row[head.index("REMINDER") :].split()[0] for row in rows] == ["start-1d@09:00", "start-15m"]


def test_the_beginning_of_an_id_stands_for_the_only_event_that_it_fits(
    desk: MemoryOffice, tickler: Commands
) -> None:
    first, second = planned(tickler), planned(tickler)
    length = next(n for n in range(8, 36) if first[:n] != second[:n] and first[n - 1] != "-")
    for spelling in (first[:length], first[:length].replace("-", ""), first[:length].upper()):
        assert tickler.document("event", "show", spelling)["eventId"] == first
    assert tickler.document("event", "cancel", second[:length])["status"] == "Cancelled"


def test_a_beginning_of_several_ids_is_bad_input_and_of_none_a_missing_event(
    desk: MemoryOffice, tickler: Commands
) -> None:
    desk.container.ids.override(providers.Object(CountedIds()))
    event_id, _ = planned(tickler), planned(tickler)
    several = tickler("event", "cancel", event_id[:8])
    assert (several.code, len(several.err.splitlines())) == (2, 1)
    assert f"several events begin with '{event_id[:8]}'" in several.err
    assert tickler.document("event", "show", event_id)["status"] == "Planned"
    missing = tickler("event", "show", "ffffffff")
    assert (missing.code, missing.err) == (1, "tickler: INV-EVT-1: There is no such event.\n")
    for wrong in (event_id[:7], "0198c5fx", ""):
        assert tickler("event", "show", wrong).code == 2


def test_people_are_shown_by_their_handles(tickler: Commands) -> None:
    event_id = planned(tickler)
    shown = tickler.document("event", "show", event_id)
    assert (shown["ownerHandle"], shown["clientHandle"]) == ("anna", "boris")
    (listed,) = tickler.document("event", "list")
    assert (listed["ownerHandle"], listed["clientHandle"]) == ("anna", "boris")
    (upcoming,) = tickler.document("upcoming")
    assert (upcoming["event"]["ownerHandle"], upcoming["event"]["clientHandle"]) == ("anna", "boris")
    assert "owner anna, client boris" in tickler("event", "show", event_id).out
    for command in (("event", "list"), ("upcoming",)):
        assert "anna, boris" in tickler(*command).out


def test_one_whom_nobody_told_us_of_is_shown_by_id(tickler: Commands) -> None:
    event_id = planned(tickler, "2026-12-01 10:00", "--client", NO_ONE)
    shown = tickler.document("event", "show", event_id)
    assert (shown["clientUserId"], shown["clientHandle"]) == (NO_ONE, None)
    assert f"owner anna, client {NO_ONE}" in tickler("event", "show", event_id).out
    assert f"anna, {NO_ONE}" in tickler("upcoming").out


def test_what_a_change_changed_is_seen_at_once(tickler: Commands) -> None:
    event_id = planned(tickler)
    assert (
        "owner boris, client anna"
        in tickler("event", "change", event_id, "--owner", "boris", "--client", "anna").out
    )
    assert "owner boris, client nobody" in tickler("event", "change", event_id, "--no-client").out


def test_the_end_of_an_event_is_shown(tickler: Commands) -> None:
    event_id = planned(tickler, "2026-12-01 10:00", "--minutes", "90")
    said = tickler("event", "show", event_id).out
    assert "starts 2026-12-01 10:00 Europe/Moscow (2026-12-01T07:00:00Z)" in said
    assert "ends   2026-12-01 11:30 Europe/Moscow (2026-12-01T08:30:00Z)" in said


def test_each_message_about_a_reminder_is_shown_with_what_became_of_it(
    desk: MemoryOffice, tickler: Commands
) -> None:
    tickler(
        "contact",
        "add",
        "--tenant",
        "acme",
        "--person",
        "boris",
        "--channel",
        "email",
        "--address",
        "b@x.example",
    )
    event_id = planned(tickler)
    assert deliveries(tickler, event_id) == []
    send_what_is_due(desk, tickler)
    deliver(desk, "console")
    found = {one["handle"]: one for one in deliveries(tickler, event_id)}
    assert (found["anna"]["channel"], found["anna"]["status"]) == ("console", "Delivered")
    assert found["anna"]["nextTryAt"] is None
    assert (found["boris"]["channel"], found["boris"]["status"]) == ("email", "Pending")
    assert (found["boris"]["attempts"], found["boris"]["reason"]) == (0, None)
    said = tickler("event", "show", event_id).out
    (boris,) = [line for line in said.splitlines() if "email" in line]
    assert "boris" in boris
    assert "e-mail is off where this was asked (TICKLER_SMTP_HOST is not set)" in said


def test_a_postponed_message_is_shown_with_the_reason_and_the_next_try(
    capsys: pytest.CaptureFixture[str],
) -> None:
    desk = MemoryOffice.new(Settings(smtp_host="127.0.0.1", smtp_port=1))
    tickler = Commands(desk, capsys)
    tickler("person", "add", "anna", "--tenant", "acme", "--zone", "Europe/Moscow")
    tickler("person", "add", "boris", "--tenant", "acme")
    tickler(
        "contact",
        "add",
        "--tenant",
        "acme",
        "--person",
        "boris",
        "--channel",
        "email",
        "--address",
        "b@x.example",
    )
    event_id = planned(tickler)
    send_what_is_due(desk, tickler)
    deliver(desk, "email")
    found = next(one for one in deliveries(tickler, event_id) if one["channel"] == "email")
    assert (found["status"], found["attempts"]) == ("Pending", 1)
    next_try = datetime.fromisoformat(found["nextTryAt"])
    assert desk.clock.now() < next_try <= desk.clock.now() + timedelta(seconds=15)
    said = tickler("event", "show", event_id).out
    assert found["reason"]
    assert found["reason"] in said
    assert wall(next_try, "Europe/Moscow") in said


def test_a_list_has_events_still_to_begin_by_their_start_reminded_of_or_not(tickler: Commands) -> None:
    later = planned(tickler, "2026-12-03 10:00")
    quiet = planned(tickler, "2026-12-02 10:00", "--no-remind")
    planned(tickler, "2026-11-29 10:00")
    cancelled = planned(tickler, "2026-12-01 10:00")
    tickler("event", "cancel", cancelled)
    listed = tickler.document("event", "list", "--tenant", "acme")
    assert [(row["eventId"], row["nextDueAt"]) for row in listed] == [
        (quiet, None),
        (later, "2026-12-03T06:45:00Z"),
    ]
    assert "none" in tickler("event", "list").out
    assert [row["eventId"] for row in tickler.document("event", "list", "--days", "3")] == [quiet]


def test_a_list_of_all_has_closed_and_past_events_too(tickler: Commands) -> None:
    past = planned(tickler, "2026-11-20 10:00")
    cancelled = planned(tickler, "2026-12-01 10:00")
    tickler("event", "cancel", cancelled)
    later = planned(tickler, "2026-12-03 10:00")
    listed = tickler.document("event", "list", "--all", "--tenant", "acme")
    assert [(row["eventId"], row["status"]) for row in listed] == [
        (past, "Planned"),
        (cancelled, "Cancelled"),
        (later, "Planned"),
    ]
    assert [row["eventId"] for row in tickler.document("event", "list", "--all", "--days", "3")] == [
        cancelled
    ]
    assert "--all" in tickler("event", "list", "--days", "1").out
