from datetime import timedelta
from uuid import UUID

import pytest
from dependency_injector import providers

from adapters.outbound.memory.ledger import MemoryLedger
from application.ports.ledger import Context
from domain.values import EventId
from tests.adapters.offices import NOW, Commands, MemoryOffice

PLAN = ("event", "plan", "--tenant", "acme", "--owner", "anna")
START = ("--start", "2026-12-01 10:00")
MOSCOW = ("--zone", "Europe/Moscow")
UNKNOWN = "0198c5f0-7d3e-7000-8000-0000000000aa"


@pytest.fixture
def desk() -> MemoryOffice:
    return MemoryOffice.new()


@pytest.fixture
def tickler(desk: MemoryOffice, capsys: pytest.CaptureFixture[str]) -> Commands:
    commands = Commands(desk, capsys)
    commands.document("person", "add", "anna", "--tenant", "acme", "--language", "ru", *MOSCOW)
    commands.document("person", "add", "boris", "--tenant", "acme")
    for handle in ("anna", "boris"):
        desk_of = ("--person", handle, "--channel", "console", "--address", f"desk-{handle}")
        commands.document("contact", "add", "--tenant", "acme", *desk_of)
    return commands


def planned(tickler: Commands, *more: str) -> str:
    event_id: str = tickler.document(*PLAN, *START, *MOSCOW, *more)["eventId"]
    return event_id


def nothing_was_planned(desk: MemoryOffice) -> bool:
    store = desk.container.memory()
    return not store.events and not store.reminders and not store.history


def test_a_planned_event_has_the_reminders_that_were_asked_for(tickler: Commands) -> None:
    event = tickler.document(
        *PLAN, *START, *MOSCOW, "--client", "boris", "--title", "Договор", "--minutes", "60",
        "--remind", "15", "--remind", "start-1d", "--remind", "0", "--kind", "meeting",
    )  # fmt: skip
    assert event["startAt"] == "2026-12-01T07:00:00Z"
    assert event["endAt"] == "2026-12-01T08:00:00Z"
    assert (event["title"], event["kind"], event["status"]) == ("Договор", "meeting", "Planned")
    assert [(row["trigger"], row["dueAt"], row["status"]) for row in event["reminders"]] == [
        ("start-1d", "2026-11-30T07:00:00Z", "Pending"),
        ("start-15m", "2026-12-01T06:45:00Z", "Pending"),
        ("start-0m", "2026-12-01T07:00:00Z", "Pending"),
    ]


def test_without_reminders_asked_for_there_is_one_at_fifteen_minutes(tickler: Commands) -> None:
    assert [row["trigger"] for row in tickler.document(*PLAN, *START, *MOSCOW)["reminders"]] == ["start-15m"]
    assert tickler.document(*PLAN, *START, *MOSCOW, "--no-remind")["reminders"] == []


def test_an_event_of_all_day_lasts_through_its_last_day(tickler: Commands) -> None:
    event = tickler.document(
        *PLAN,
        *MOSCOW,
        "--start",
        "2026-12-01",
        "--end",
        "2026-12-02",
        "--all-day",
        "--remind",
        "start-1d@18:00",
    )
    assert (event["startAt"], event["endAt"]) == ("2026-11-30T21:00:00Z", "2026-12-02T21:00:00Z")
    assert event["reminders"][0]["dueAt"] == "2026-11-30T15:00:00Z"


def test_of_an_event_of_all_day_people_are_reminded_the_morning_before(tickler: Commands) -> None:
    event = tickler.document(*PLAN, *MOSCOW, "--start", "2026-12-01", "--all-day")
    assert [(row["trigger"], row["dueAt"]) for row in event["reminders"]] == [
        ("start-1d@09:00", "2026-11-30T06:00:00Z")
    ]


def test_a_wall_time_over_which_the_clocks_go_forward_is_noted_with_the_real_one(tickler: Commands) -> None:
    berlin = ("--zone", "Europe/Berlin")
    said = tickler(*PLAN, "--start", "2027-03-28 02:30", "--end", "2027-03-28 02:45", *berlin).err
    gone = "does not exist in Europe/Berlin, where the clocks go forward; it means"
    assert said.splitlines() == [
        f"note: --start: 2027-03-28 02:30 {gone} 2027-03-28 03:30",
        f"note: --end: 2027-03-28 02:45 {gone} 2027-03-28 03:45",
    ]
    twice = tickler(*PLAN, "--start", "2027-10-31 02:30", *berlin).err
    assert twice == (
        "note: --start: 2027-10-31 02:30 happens twice in Europe/Berlin, where the clocks go back;"
        " it means the first, 2027-10-31T00:30Z\n"
    )
    event_id = planned(tickler)
    tickler("event", "change", event_id, *berlin)
    moved = tickler("event", "move", event_id, "--start", "2027-03-28 02:30").err
    assert f"02:30 {gone} 2027-03-28 03:30" in moved
    assert tickler(*PLAN, "--start", "2027-03-28 03:30", *berlin).err == ""


def test_without_a_zone_the_times_are_the_owners_or_else_the_tenants_and_that_is_said(
    tickler: Commands,
) -> None:
    tickler.document("person", "set", "anna", "--tenant", "acme", "--zone", "Asia/Tokyo")
    owners = tickler(*PLAN, *START)
    assert "starts 2026-12-01 10:00 Asia/Tokyo" in owners.out
    assert owners.err == "note: without --zone the times are meant in Asia/Tokyo\n"

    somebody = ("event", "plan", "--tenant", "acme", "--owner", UNKNOWN)
    assert tickler.document(*somebody, *START)["timeZone"] == "Europe/Moscow"

    nowhere = tickler("event", "plan", "--tenant", UNKNOWN, "--owner", UNKNOWN, *START)
    assert (nowhere.code, nowhere.err) == (
        2,
        "tickler: --zone: '2026-12-01 10:00' is a wall time; say where, such as --zone Europe/Moscow\n",
    )


def test_a_person_of_another_tenant_is_refused_and_nothing_is_planned(
    tickler: Commands, desk: MemoryOffice
) -> None:
    other = tickler.document("person", "add", "eva", "--tenant", "umbrella", *MOSCOW)["userId"]
    for option in (("--owner", other), ("--owner", "anna", "--client", other)):
        refused = tickler("event", "plan", "--tenant", "acme", *option, *START, *MOSCOW)
        said = f"tickler: {option[-2]}: {other} is a person of another tenant\n"
        assert (refused.code, refused.err) == (2, said)
    assert nothing_was_planned(desk)


def test_who_is_to_be_reminded_and_has_no_contact_point_is_named(tickler: Commands) -> None:
    tickler.document("person", "add", "clara", "--tenant", "acme")
    said = (
        "note: no contact point: clara; reminders go to the console of `tickler run`,"
        " `tickler contact add` gives one\n"
    )
    assert tickler(*PLAN, *START, *MOSCOW, "--client", "clara").err == said
    assert tickler(*PLAN, *START, *MOSCOW, "--client", "clara", "--no-remind").err == ""
    event_id = planned(tickler, "--client", "boris")
    assert tickler("event", "change", event_id, "--remind", "30").err == ""
    assert tickler("event", "change", event_id, "--owner", "clara").err == said
    assert f"no contact point: {UNKNOWN};" in tickler("event", "change", event_id, "--owner", UNKNOWN).err


def test_a_title_is_changed_and_nothing_else(tickler: Commands) -> None:
    event_id = planned(tickler, "--title", "Contract")
    before = tickler.document("event", "show", event_id)
    assert tickler.document("event", "change", event_id, "--title", "Договор") == before | {
        "title": "Договор"
    }
    blank = tickler("event", "change", event_id, "--title", " ")
    assert (blank.code, "--title: it is blank" in blank.err) == (2, True)
    tickler.document("event", "cancel", event_id)
    assert tickler("event", "change", event_id, "--title", "Other").code == 1
    assert tickler.document("event", "show", event_id)["title"] == "Договор"


def test_reminders_in_whose_place_others_came_are_shown_when_that_is_asked_for(tickler: Commands) -> None:
    event_id = planned(tickler)
    for hour in (11, 12, 13):
        tickler("event", "move", event_id, "--start", f"2026-12-01 {hour}:00")
    shown = tickler("event", "show", event_id).out
    assert shown.count("start-15m") == 1
    assert f"and 3 of before that moved or were withdrawn: `tickler event show {event_id} --all`" in shown
    whole = tickler("event", "show", event_id, "--all").out
    assert (whole.count("Skipped (moved)"), "of before" in whole) == (3, False)
    assert len(tickler.document("event", "show", event_id)["reminders"]) == 4
    tickler("event", "cancel", event_id)
    assert "Skipped (cancelled)" in tickler("event", "show", event_id).out


def test_a_reminder_whose_time_has_passed_is_shown_as_skipped(tickler: Commands) -> None:
    event = tickler.document(*PLAN, *START, *MOSCOW, "--remind", "start-7d")
    assert [(row["status"], row["reason"]) for row in event["reminders"]] == [("Skipped", "past")]


NONE_WILL_LEAVE = "note: every reminder's time has passed; none will leave\n"


def test_an_event_that_nobody_will_be_reminded_of_any_more_is_noted(tickler: Commands) -> None:
    late = tickler(*PLAN, *START, *MOSCOW, "--remind", "start-7d", "--remind", "start-8d")
    assert (late.code, late.err) == (0, NONE_WILL_LEAVE)
    one_late = tickler(*PLAN, *START, *MOSCOW, "--remind", "start-7d", "--remind", "15")
    assert one_late.err == (
        "note: the reminder start-7d does not leave: its time, 2026-11-24 10:00 Europe/Moscow, has passed\n"
    )
    assert tickler(*PLAN, *START, *MOSCOW, "--no-remind").err == ""
    event_id = planned(tickler)
    assert tickler("event", "change", event_id, "--remind", "start-7d").err == NONE_WILL_LEAVE
    assert tickler("event", "move", planned(tickler), "--start", "2026-11-20 10:00").err == NONE_WILL_LEAVE


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((*START, *MOSCOW, "--remind", "-1"), "--remind: -1 is not between 0 and"),
        ((*START, *MOSCOW, "--remind", "1000000000"), "--remind: 1000000000 is not between 0 and"),
        ((*START, *MOSCOW, "--remind", "9" * 5000), "--remind: '999"),
        ((*START, *MOSCOW, "--remind", "ten"), "--remind: 'ten' is not minutes such as 15"),
        ((*START, *MOSCOW, "--remind", "start+15m"), "--remind: 'start+15m' comes after the event"),
        ((*START, *MOSCOW, "--remind", "end+5m"), "--remind: 'end+5m' comes after the event"),
        ((*START, *MOSCOW, "--remind", "start+1d"), "--remind: 'start+1d' comes after the event"),
        ((*START, *MOSCOW, "--remind", "at 2027-01-01T00:00:00Z"), "comes after the start"),
        ((*START, *MOSCOW, "--remind", "at 2026-12-01T09:00:00"), "--remind: 'at 2026-12-01T09:00:00'"),
        ((*START, "--zone", "Mars/Olympus"), "tickler: --zone: time zone 'Mars/Olympus' is unknown"),
        ((*START, "--zone", "/etc/localtime"), "time zone '/etc/localtime' is unknown"),
        (("--start", "2026-12-01T10:00Z", *MOSCOW), "--start: '2026-12-01T10:00Z' is more than a wall time"),
        (("--start", "2026-12-01 10:00+03:00"), "is more than a wall time"),
        (("--start", "2026-12-01", *MOSCOW), "--start: '2026-12-01' has no time of day"),
        (("--start", "2026-02-30 10:00", *MOSCOW), "is no day and time that there is"),
        (
            ("--start", "0001-01-01 10:00", *MOSCOW),
            "tickler: --start: the year 1 is not between 1970 and 2199",
        ),
        (("--start", "tomorrow", *MOSCOW), "--start: 'tomorrow' is not a time such as"),
        ((*START, *MOSCOW, "--end", "2026-12-01 09:00"), "tickler: --end: it is before the start"),
        ((*START, *MOSCOW, "--title", " \t "), "--title: it is blank"),
        ((*START, *MOSCOW, "--title", "two\nlines"), "--title: it holds a line break"),
        ((*START, *MOSCOW, "--kind", "fete"), "(see `tickler event plan --help`)"),
        ((*START, *MOSCOW, "--end", "2026-12-01T11:00Z"), "--end: '2026-12-01T11:00Z' is more than"),
        ((*START, *MOSCOW, "--minutes", "-5"), "--minutes: -5 is not between"),
        ((*START, *MOSCOW, "--minutes", "9" * 30), "--minutes: 999"),
        ((*START, *MOSCOW, "--minutes", "5", "--end", "2026-12-01 11:00"), "either --end or --minutes"),
        ((*START, *MOSCOW, "--title", "a\0b"), "--title: it holds a NUL character"),
        ((*START, *MOSCOW, "--title", "x" * 100_000), "--title: 100000 characters are more than 1000"),
        ((*START, *MOSCOW, "--title", "\udcff"), "--title: it is not UTF-8 text"),
        ((*START, *MOSCOW, "--appointment", "7"), "--appointment: '7' is not an id"),
        ((*START, *MOSCOW, "--client", "nobody"), "--client: there is no person 'nobody'"),
        ((*START, *MOSCOW, "--kind", "party"), "'party' is not one of"),
        ((*START, *MOSCOW, "--tenant", "umbrella"), "--tenant: there is no tenant 'umbrella'"),
        ((*START, *MOSCOW, "--owner", "nobody"), "--owner: there is no person 'nobody'"),
        ((*START, *MOSCOW, "--end", "0001-01-01 00:00"), "--end: the year 1 is not between 1970 and 2199"),
        (("--start", "9999-12-31", "--all-day", *MOSCOW), "--start: the year 9999 is not between"),
        (("--start", "2027-01-01", "--all-day", "--end", "9999-12-31", *MOSCOW), "--end: the year 9999"),
        (("--start", "1970-01-01 00:00", *MOSCOW), "in UTC the year 1969 is not between 1970 and 2199"),
    ],
)
def test_bad_input_is_one_clear_line_exit_code_2_and_changes_nothing(
    desk: MemoryOffice, tickler: Commands, more: tuple[str, ...], said: str
) -> None:
    answer = tickler(*PLAN, *more)
    assert answer.code == 2
    assert said in answer.err
    assert len(answer.err.splitlines()) == 1
    assert answer.out == ""
    assert nothing_was_planned(desk)


def test_too_many_reminders_are_refused_and_change_nothing(desk: MemoryOffice, tickler: Commands) -> None:
    many = [part for minutes in range(51) for part in ("--remind", str(minutes))]
    answer = tickler(*PLAN, *START, *MOSCOW, *many)
    assert (answer.code, len(answer.err.splitlines())) == (2, 1)
    assert nothing_was_planned(desk)


def test_a_missing_option_and_an_unknown_command_are_one_line_and_exit_code_2(tickler: Commands) -> None:
    for arguments in (("event", "plan"), ("fly",), ("event", "plan", "--wings"), ("event", "show", "7")):
        answer = tickler(*arguments)
        assert (answer.code, len(answer.err.splitlines())) == (2, 1), answer


def test_without_a_command_the_help_is_shown_and_the_exit_code_is_2(tickler: Commands) -> None:
    for arguments in ((), ("event",)):
        answer = tickler(*arguments)
        assert answer.code == 2
        assert answer.err.startswith("Usage: tickler")
        assert "Commands:\n" in answer.err


def test_moving_an_event_moves_its_reminders_and_keeps_its_length(tickler: Commands) -> None:
    event_id = planned(tickler, "--minutes", "60")
    event = tickler.document("event", "move", event_id, "--start", "2026-12-02 11:30")
    assert (event["startAt"], event["endAt"]) == ("2026-12-02T08:30:00Z", "2026-12-02T09:30:00Z")
    assert [(row["dueAt"], row["status"], row["reason"]) for row in event["reminders"]] == [
        ("2026-12-01T06:45:00Z", "Skipped", "moved"),
        ("2026-12-02T08:15:00Z", "Pending", None),
    ]


def test_changing_keeps_what_is_not_given(tickler: Commands) -> None:
    event_id = planned(tickler, "--client", "boris", "--title", "Contract")
    before = tickler.document("event", "show", event_id)
    after = tickler.document("event", "change", event_id, "--remind", "30")
    assert after["triggers"] == ["start-30m"]
    assert {key: after[key] for key in after if key not in ("triggers", "reminders")} == {
        key: before[key] for key in before if key not in ("triggers", "reminders")
    }
    assert tickler.document("event", "change", event_id, "--no-client")["clientUserId"] is None
    assert tickler.document("event", "change", event_id, "--zone", "UTC")["startAt"] == "2026-12-01T10:00:00Z"


def test_a_change_of_nothing_is_bad_input(tickler: Commands) -> None:
    assert tickler("event", "change", planned(tickler)).code == 2


@pytest.mark.parametrize(
    ("command", "status", "reminder"),
    [
        ("start", "InProgress", ("Pending", None)),
        ("complete", "Completed", ("Skipped", "completed")),
        ("cancel", "Cancelled", ("Skipped", "cancelled")),
    ],
)
def test_each_turn_of_an_event_and_what_becomes_of_its_reminder(
    tickler: Commands, command: str, status: str, reminder: tuple[str, str | None]
) -> None:
    event_id = planned(tickler)
    event = tickler.document("event", command, event_id)
    assert event["status"] == status
    assert [(row["status"], row["reason"]) for row in event["reminders"]] == [reminder]
    again = tickler("event", command, event_id)
    assert again.code == 0
    assert "nothing was changed" in again.err


def test_what_the_rules_refuse_is_exit_code_1_with_the_rule(tickler: Commands) -> None:
    event_id = planned(tickler)
    tickler("event", "cancel", event_id)
    answer = tickler("event", "move", event_id, "--start", "2026-12-02 11:30")
    assert (answer.code, answer.err) == (
        1,
        "tickler: INV-EVT-2: The event is completed or cancelled; nothing changes it any more.\n",
    )
    missing = tickler("event", "show", "0198c5f0-7d3e-7000-8000-000000000001")
    assert (missing.code, missing.err) == (1, "tickler: INV-EVT-1: There is no such event.\n")


def test_an_event_that_somebody_holds_is_busy_with_exit_code_3_and_unchanged(
    desk: MemoryOffice, tickler: Commands
) -> None:
    event_id = planned(tickler)
    before = tickler.document("event", "show", event_id)
    store = desk.container.memory()
    hasty = MemoryLedger(store, lock_wait=timedelta(0))
    desk.container.ledger.override(providers.Object(hasty))
    store.locks.take(UUID(event_id), "somebody", 1)
    answer = tickler("event", "cancel", event_id)
    assert (answer.code, len(answer.err.splitlines())) == (3, 1)
    assert "busy, nothing was changed, try again" in answer.err
    assert tickler.document("event", "show", event_id) == before


def test_upcoming_and_list_show_what_is_still_to_come_of_one_tenant(tickler: Commands) -> None:
    tickler.document("person", "add", "carol", "--tenant", "umbrella", *MOSCOW)
    event_id = planned(tickler, "--title", "Ours", "--remind", "15", "--remind", "60")
    tickler.document("event", "plan", "--tenant", "umbrella", "--owner", "carol", *START, *MOSCOW)
    cancelled = planned(tickler, "--title", "Gone")
    tickler("event", "cancel", cancelled)
    rows = tickler.document("upcoming", "--tenant", "acme")
    assert [(row["eventId"], row["offsetMinutes"]) for row in rows] == [(event_id, 60), (event_id, 15)]
    assert [row["eventId"] for row in tickler.document("event", "list", "--tenant", "acme")] == [event_id]
    assert len(tickler.document("upcoming")) == 3
    assert "Ours" in tickler("upcoming", "--tenant", "acme").out
    assert tickler("upcoming", "--days", "1", "--tenant", "acme").out == "no reminders within 1 day\n"


def test_a_title_cannot_steer_the_terminal(desk: MemoryOffice, tickler: Commands) -> None:
    event_id = EventId(UUID(planned(tickler)))
    with desk.container.ledger().transaction(Context(event_id)) as transaction:
        transaction.write_title(event_id, "\x1b[2Jred \x9b31m\r[bold]it[/bold]")
    said = tickler("upcoming").out + tickler("event", "list").out
    assert "\x1b" not in said
    assert "\x9b" not in said
    assert "\r" not in said
    assert "[bold]it[/bold]" in said


def test_dispatch_once_sends_what_is_due(desk: MemoryOffice, tickler: Commands) -> None:
    event_id = planned(tickler)
    assert tickler.document("dispatch", "--once")["sentCount"] == 0
    desk.clock.set(NOW + timedelta(days=2))
    result = tickler.document("dispatch", "--once")
    assert {key: result[key] for key in result if key != "durationMs"} == {
        "cycles": 1, "sentCount": 1, "skippedCount": 0, "skippedLockedCount": 0, "failedCount": 0,
    }  # fmt: skip
    (reminder,) = tickler.document("event", "show", event_id)["reminders"]
    assert (reminder["status"], reminder["sentAt"]) == ("Sent", "2026-12-01T12:00:00Z")
    assert tickler("dispatch").code == 2


def test_help_and_version_need_neither_settings_nor_a_database(
    desk: MemoryOffice, tickler: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TICKLER_DISPATCH_BATCH_SIZE", "0")
    opened = len(desk.opened)
    for arguments in (("--help",), ("--version",), ("event", "--help"), ("event", "plan", "--help")):
        assert tickler(*arguments).code == 0
    assert "Example: tickler event plan" in tickler("event", "plan", "--help").out
    assert len(desk.opened) == opened


@pytest.mark.parametrize(
    "command",
    [("move", "--start", "2026-12-02 11:00"), ("change", "--zone", "Asia/Tokyo")],
)
def test_r35_a_reminder_at_a_fixed_time_that_stays_though_its_event_moves_is_told_of(
    tickler: Commands, command: tuple[str, ...]
) -> None:
    event_id = planned(tickler, "--remind", "at 2026-11-30T09:00:00+03:00", "--remind", "15")
    verb, *more = command
    said = tickler("event", verb, event_id, *more)
    assert said.code == 0
    (line,) = said.err.splitlines()
    assert line.startswith("note: the reminder at 2026-11-30 ")
    assert "stays" in line
