"""`tickler why` and `tickler history`."""

from datetime import timedelta
from typing import Any

import pytest

from adapters.testkit.channels import RecordingChannel
from application.ports.channel import Accepted, RefusedForGood
from tests.adapters.offices import NOW, Commands, MemoryOffice

NOBODY = "0198c5f0-7d3e-7000-8000-000000000001"
ADDRESS = "https://hooks.example/secret-place"
WHEN = ("--start", "2026-12-01 10:00", "--zone", "Europe/Berlin")


@pytest.fixture
def desk() -> MemoryOffice:
    return MemoryOffice.new()


@pytest.fixture
def tickler(desk: MemoryOffice, capsys: pytest.CaptureFixture[str]) -> Commands:
    commands = Commands(desk, capsys)
    commands.document("tenant", "add", "acme", "--zone", "Europe/Moscow")
    commands.document("person", "add", "anna", "--tenant", "acme", "--zone", "Europe/Moscow")
    return commands


def plan(tickler: Commands, *more: str) -> Any:
    ways = ("--tenant", "acme", "--owner", "anna", "--title", "Contract renewal", "--remind", "15")
    return tickler.document("event", "plan", *ways, *WHEN, *more)


def webhook(tickler: Commands) -> None:
    ways = ("--tenant", "acme", "--person", "anna", "--channel", "webhook", "--address", ADDRESS)
    tickler.document("contact", "add", *ways)


def send(desk: MemoryOffice) -> None:
    """Dispatch what is due a minute after its time, and take it in."""
    desk.clock.set(NOW + timedelta(days=2))
    list(desk.container.dispatch_job().tick())
    desk.container.relay().batch()


def test_why_says_in_a_sentence_in_the_events_zone_when_a_reminder_leaves(tickler: Commands) -> None:
    (reminder,) = plan(tickler)["reminders"]
    said = tickler("why", reminder["reminderId"])
    assert (said.code, said.err) == (0, "")
    assert said.out == (
        f"Reminder {reminder['reminderId']} is Pending: it leaves at the first cycle after"
        " 2026-12-01 09:45 Europe/Berlin, at the latest about 60 s later."
        " Pending since 2026-11-29 13:00:00 Europe/Berlin.\n"
    )


def test_why_as_a_document_has_its_times_in_utc(tickler: Commands) -> None:
    (reminder,) = plan(tickler)["reminders"]
    document = tickler.document("why", reminder["reminderId"])
    assert document.pop("says").startswith(f"Reminder {reminder['reminderId']} is Pending")
    assert document == {
        "what": "reminder",
        "id": reminder["reminderId"],
        "status": "Pending",
        "situation": "waits_for_its_time",
        "timeZone": "Europe/Berlin",
        "since": "2026-11-29T12:00:00Z",
        "nextAt": "2026-12-01T08:45:00Z",
        "latestAt": "2026-12-01T08:46:00Z",
        "about": None,
        "parts": [],
    }


def test_why_of_an_event_has_a_line_for_each_of_its_reminders(tickler: Commands) -> None:
    event = plan(tickler, "--remind", "60")
    first, *rest = tickler("why", event["eventId"]).out.splitlines()
    assert first == (
        f"Event {event['eventId']} “Contract renewal” is Planned: it starts at 2026-12-01 10:00"
        " Europe/Berlin. It has 2 reminders. Planned since 2026-11-29 13:00:00 Europe/Berlin."
    )
    assert len(rest) == 2
    assert all(line.startswith("- Reminder ") for line in rest)


def test_why_of_an_event_counts_the_reminders_of_before_it_was_moved_and_tells_of_them_on_wish(
    tickler: Commands,
) -> None:
    event = plan(tickler)
    tickler.document("event", "move", event["eventId"], "--start", "2026-12-02 10:00")
    said = tickler("why", event["eventId"]).out.splitlines()
    assert said[0].endswith(
        "It has 1 reminder; 1 from before it was moved or changed is told of with --all."
        " Planned since 2026-11-29 13:00:00 Europe/Berlin."
    )
    assert len(said) == 2
    assert len(tickler("why", event["eventId"], "--all").out.splitlines()) == 3


def test_why_of_a_sent_reminder_tells_of_each_delivery_and_of_no_address(
    desk: MemoryOffice, tickler: Commands
) -> None:
    webhook(tickler)
    (reminder,) = plan(tickler)["reminders"]
    send(desk)
    said = tickler("why", reminder["reminderId"])
    document = tickler.document("why", reminder["reminderId"])
    (part,) = document["parts"]
    assert document["situation"] == "received"
    assert (part["what"], part["situation"]) == ("delivery", "due")
    assert said.out.splitlines()[1] == f"- {part['says']}"
    assert "anna on webhook" in part["says"]
    for shown in (said.out, str(document), tickler("why", part["id"]).out):
        assert ADDRESS not in shown
        assert "hooks.example" not in shown


def test_why_of_a_delivery_by_mail_says_that_mail_is_off(desk: MemoryOffice, tickler: Commands) -> None:
    ways = ("--tenant", "acme", "--person", "anna", "--channel", "email", "--address", "a@b.example")
    tickler.document("contact", "add", *ways)
    (reminder,) = plan(tickler)["reminders"]
    send(desk)
    (part,) = tickler.document("why", reminder["reminderId"])["parts"]
    assert part["situation"] == "channel_is_off"
    assert "TICKLER_SMTP_HOST is not set" in part["says"]


def test_why_of_a_touch_tells_its_time_in_the_persons_zone(tickler: Commands) -> None:
    ways = ("--tenant", "acme", "--for", "anna", "--when", "in 10 minutes", "--text", "call back")
    touch = tickler.document("touch", "add", *ways)
    said = tickler("why", touch["touchId"]).out
    assert "is Pending: it is taken up after 2026-11-29 15:10 Europe/Moscow" in said
    assert "call back" not in said


@pytest.mark.parametrize("command", ["why", "history"])
def test_an_id_that_nobody_knows_is_exit_1_with_what_was_looked_in(tickler: Commands, command: str) -> None:
    said = tickler(command, NOBODY)
    assert (said.code, said.out) == (1, "")
    assert said.err == (
        f"tickler: nothing is known of {NOBODY}: it was looked for among events, reminders, deliveries,"
        " touches and plans\n"
    )


@pytest.mark.parametrize("command", ["why", "history"])
def test_what_is_no_id_is_bad_input(tickler: Commands, command: str) -> None:
    said = tickler(command, "yesterday")
    assert said.code == 2
    assert "ID: 'yesterday' is not an id" in said.err


def test_the_history_of_an_event_has_its_events_in_words_with_actor_and_correlation_id(
    tickler: Commands,
) -> None:
    event = plan(tickler)
    tickler.document("event", "cancel", event["eventId"])
    planned, cancelled = tickler.document("history", event["eventId"])
    lines = tickler("history", event["eventId"]).out.splitlines()
    assert planned["event"] == "CalendarEventPlanned"
    assert planned["at"] == "2026-11-29T12:00:00Z"
    assert planned["correlationId"] != cancelled["correlationId"]
    assert lines == [
        "2026-11-29 13:00:00 Europe/Berlin  planned as other, to start at 2026-12-01 10:00 Europe/Berlin,"
        f" with 1 reminder  by a command, correlation id {planned['correlationId']}",
        "2026-11-29 13:00:00 Europe/Berlin  cancelled  by a command,"
        f" correlation id {cancelled['correlationId']}",
    ]


def test_the_whole_history_of_an_event_has_its_reminders_and_their_tries_each_with_its_id(
    desk: MemoryOffice, tickler: Commands
) -> None:
    event = plan(tickler)
    (reminder,) = event["reminders"]
    send(desk)
    channel = desk.container.console()
    for _ in desk.container.delivering(channel=channel).tick():
        pass
    whole = tickler.document("history", event["eventId"], "--all")
    assert [(one["what"], one["event"]) for one in whole] == [
        ("event", "CalendarEventPlanned"),
        ("reminder", "ReminderScheduled"),
        ("reminder", "ReminderSent"),
        ("delivery", "Attempt"),
    ]
    assert whole[2]["id"] == reminder["reminderId"]
    desk.container.memory().reminders.clear()
    assert tickler.document("history", event["eventId"], "--all") == whole
    assert whole[3]["actor"] is None
    assert "tried (claim 1): the channel took it" in tickler("history", whole[3]["id"]).out
    lines = tickler("history", event["eventId"], "--all").out.splitlines()
    assert f"  reminder {reminder['reminderId']}:  sent, on version 1" in lines[-2]


def test_the_history_of_a_touch_and_of_a_plan_is_told(tickler: Commands) -> None:
    ways = ("--tenant", "acme", "--for", "anna")
    touch = tickler.document("touch", "add", *ways, "--when", "in 10 minutes", "--text", "call back")
    tickler.document("touch", "cancel", touch["touchId"])
    (put_off, cancelled) = tickler.document("history", touch["touchId"])
    assert put_off["says"] == "put off until 2026-11-29 15:10 Europe/Moscow"
    assert (cancelled["says"], cancelled["actor"]) == ("cancelled", "cli")
    assert "  cancelled  by a command, correlation id " in tickler("history", touch["touchId"]).out
    renewal = ("--before", "2199-03-31", "--days", "30,7", "--at", "10:00")
    made = tickler.document("plan", "add", *ways, *renewal, "--text", "{{ days_left }} days left")
    tickler.document("plan", "pause", made["planId"])
    assert [one["says"] for one in tickler.document("history", made["planId"])] == [
        "made, in Europe/Moscow",
        "paused",
    ]


def test_a_delivery_that_nobody_has_tried_has_no_history_yet(desk: MemoryOffice, tickler: Commands) -> None:
    (reminder,) = plan(tickler)["reminders"]
    send(desk)
    (part,) = tickler.document("why", reminder["reminderId"])["parts"]
    assert tickler("history", part["id"]).out == "nothing has happened to it yet\n"
    assert tickler.document("history", part["id"]) == []


def test_why_of_a_delivery_says_which_reminder_or_touch_it_is_about(
    desk: MemoryOffice, tickler: Commands
) -> None:
    event = plan(tickler)
    (reminder,) = event["reminders"]
    send(desk)
    (part,) = tickler.document("why", reminder["reminderId"])["parts"]
    about = f"It is of reminder {reminder['reminderId']} of event {event['eventId']}."
    assert tickler("why", part["id"]).out.endswith(f" {about}\n")
    assert tickler.document("why", part["id"])["about"] == about
    assert (part["about"], about in tickler("why", reminder["reminderId"]).out) == (None, False)


def test_the_history_of_a_delivery_tells_that_somebody_gave_it_back(
    desk: MemoryOffice, tickler: Commands
) -> None:
    (reminder,) = plan(tickler)["reminders"]
    send(desk)
    (part,) = tickler.document("why", reminder["reminderId"])["parts"]
    channel = RecordingChannel("console")
    channel.answer(RefusedForGood("no such place"), Accepted())
    list(desk.container.delivering(channel=channel).tick())
    assert len(tickler("history", part["id"]).out.splitlines()) == 1
    assert tickler("delivery", "retry", part["id"]).code == 0
    refused, given_back = tickler("history", part["id"]).out.splitlines()
    assert refused.endswith("  tried (claim 1): the channel refused it for good: no such place")
    assert given_back.endswith("  given back by hand, to be tried again")
    list(desk.container.delivering(channel=channel).tick())
    lines = tickler("history", part["id"]).out.splitlines()
    assert [line.split("  ")[1] for line in lines] == [
        "tried (claim 1): the channel refused it for good: no such place",
        "given back by hand, and tried again (claim 2): the channel took it",
    ]


def test_what_lost_its_row_is_told_by_its_history(desk: MemoryOffice, tickler: Commands) -> None:
    event = plan(tickler)
    (reminder,) = event["reminders"]
    tickler.document("event", "cancel", event["eventId"])
    store = desk.container.memory()
    store.reminders.clear()
    store.events.clear()
    for id_, status in ((event["eventId"], "Cancelled"), (reminder["reminderId"], "Skipped")):
        document = tickler.document("why", id_)
        assert document["status"] == status
        assert document["says"].endswith(
            "Its row is lost, and this is by its history: `tickler rebuild` makes the row again."
        )
    assert len(tickler.document("history", event["eventId"])) == 2
