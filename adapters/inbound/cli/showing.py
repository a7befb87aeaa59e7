"""Events, their reminders and the messages about them: with the people's handles, as text and as JSON."""

from collections.abc import Iterable, Mapping, Sequence

import typer
from attrs import frozen

from adapters.inbound.cli.office import Services
from adapters.inbound.cli.output import Json, put, put_json, put_table, say, utc, wall
from application.ports.ledger import Poison, Unreadable, Versioned
from application.ports.people import People
from domain import delivery
from domain.calendar_event import CalendarEvent
from domain.delivery import Delivery
from domain.errors import Invalid, NoSuchEvent
from domain.reminder import Reminder, SkipReason
from domain.values import EventId, Timing, UserId, zone

SURROUNDINGS = 3
MOST_NAMED = 20
REPLACED = (SkipReason.MOVED, SkipReason.WITHDRAWN)
OFF = "e-mail is off where this was asked (TICKLER_SMTP_HOST is not set)"


@frozen
class Names:
    """What people are called, by one question to the store however many they are."""

    _handles: Mapping[UserId, str]

    @classmethod
    def of(cls, people: People, events: Iterable[CalendarEvent]) -> "Names":
        wanted = {
            (event.tenant_id, user_id)
            for event in events
            for user_id in (event.owner_user_id, event.client_user_id)
            if user_id is not None
        }
        found = people.recipients(wanted) if wanted else {}
        return cls({user_id: one.person.handle for user_id, one in found.items()})

    def handle(self, user_id: UserId | None) -> str | None:
        return None if user_id is None else self._handles.get(user_id)

    def told(self, user_id: UserId) -> str:
        """The handle; the id of one whom nobody has told us of."""
        return self._handles.get(user_id, str(user_id))

    def all_told(self, event: CalendarEvent) -> str:
        """Whom an event's reminders are for."""
        users = dict.fromkeys((event.owner_user_id, event.client_user_id))
        return ", ".join(self.told(user_id) for user_id in users if user_id is not None)


def event_json(event: CalendarEvent, title: str | None, names: Names) -> dict[str, Json]:
    timing = event.timing
    return {
        "eventId": str(event.id),
        "tenantId": str(event.tenant_id),
        "ownerUserId": str(event.owner_user_id),
        "ownerHandle": names.handle(event.owner_user_id),
        "clientUserId": _text(event.client_user_id),
        "clientHandle": names.handle(event.client_user_id),
        "kind": event.kind.value,
        "status": event.status.value,
        "title": title,
        "startLocal": timing.start_local.isoformat(),
        "timeZone": timing.time_zone,
        "startAt": utc(timing.start_at),
        "endAt": utc(timing.end_at),
        "allDay": timing.all_day,
        "appointmentId": _text(event.appointment_id),
        "triggers": [str(trigger) for trigger in event.triggers],
    }


def reminder_json(reminder: Reminder) -> dict[str, Json]:
    return {
        "reminderId": str(reminder.id),
        "eventId": str(reminder.event_id),
        "trigger": str(reminder.trigger),
        "offsetMinutes": reminder.offset_minutes,
        "dueAt": utc(reminder.due_at),
        "status": reminder.status.value,
        "reason": reminder.reason.value if reminder.reason else None,
        "sentAt": utc(reminder.sent_at),
    }


def say_left_out(unreadable: Sequence[Unreadable | Poison]) -> None:
    """Name the rows that were left out of what was looked at; where there are any, exit code 3."""
    for one in unreadable[:MOST_NAMED]:
        say(f"tickler: left out: {one.problem}")
    if (more := len(unreadable) - MOST_NAMED) > 0:
        say(f"tickler: left out: {more} more rows that make no sense")
    if unreadable:
        raise typer.Exit(SURROUNDINGS)


def say_zones_unknown(events: Iterable[CalendarEvent]) -> None:
    """Name the events whose zone is none any more: other zone data, or a row that was written by hand."""
    for id_, name in dict.fromkeys((one.id, one.timing.time_zone) for one in events):
        try:
            zone(name)
        except Invalid:
            say(
                f"note: event {id_}: nobody knows its time zone {name[:60]!r}, so its times are told in UTC;"
                f" `tickler event change {id_} --zone ZONE` gives it another"
            )


def reminders_of(
    services: Services, event_id: EventId
) -> tuple[Sequence[Versioned[Reminder]], Sequence[Poison]]:
    """The reminders of an event, and the rows among them that make no sense."""
    found = services.ledger.each_reminder(event_id)
    return (
        [one for one in found if not isinstance(one, Poison)],
        [one for one in found if isinstance(one, Poison)],
    )


def put_event(
    services: Services, event_id: EventId, *, as_json: bool, everything: bool = False
) -> Sequence[Poison]:
    """An event with its reminders, and what became of their messages. Raises NoSuchEvent.

    Reminders in whose place others came are only counted, unless `everything`; a document has them all.
    What could not be shown is given back: whoever only looked has to say so, whoever changed it has done so.
    """
    found = services.ledger.event(event_id)
    if found is None:
        raise NoSuchEvent
    event, title = found.state, services.ledger.title(event_id)
    rows, poison = reminders_of(services, event_id)
    ids = [*(row.state.id for row in rows), *(one.reminder_id for one in poison)]
    messages = {id_: services.deliveries.of_reminder(id_) for id_ in ids}
    names = Names.of(services.people, [event])
    if as_json:
        reminders: list[Json] = [
            {
                **reminder_json(row.state),
                "deliveries": [_delivery_json(one, names) for one in messages[row.state.id]],
            }
            for row in rows
        ]
        put_json({**event_json(event, title, names), "reminders": reminders})
        say_zones_unknown([event])
        return poison
    put(f"{event.id}  {event.status.value}  {title or '(no title)'}")
    for line in _when(event.timing):
        put(line)
    put(f"owner {names.told(event.owner_user_id)}, client {_client(event, names)}")
    if rows or not poison:
        _put_reminders(event, rows, everything=everything)
    for row in poison:
        put(f"reminder {row.reminder_id} cannot be read: `tickler rebuild` makes its row again")
    is_off = {one.name for one in services.channels} - {one.channel.name for one in services.delivering}
    triggers = {row.state.id: str(row.state.trigger) for row in rows}
    sent = [(triggers.get(id_, "cannot be read"), one) for id_ in ids for one in messages[id_]]
    if sent:
        put("")
        put_table(
            ("MESSAGE", "TO", "CHANNEL", "STATUS", "TRIES", "NEXT TRY", "REASON"),
            (
                (
                    trigger,
                    names.told(one.user_id),
                    one.channel,
                    one.status.value,
                    str(one.attempts),
                    _next_try(one, event.timing.time_zone, is_off),
                    one.reason or (OFF if _waits_for(one, is_off) else ""),
                )
                for trigger, one in sent
            ),
        )
    say_zones_unknown([event])
    return poison


def _client(event: CalendarEvent, names: Names) -> str:
    return "nobody" if event.client_user_id is None else names.told(event.client_user_id)


def _when(timing: Timing) -> Sequence[str]:
    start = (
        f"{timing.start_local:%Y-%m-%d}, all day"
        if timing.all_day
        else f"{timing.start_local:%Y-%m-%d %H:%M}"
    )
    starts = f"starts {start} {timing.time_zone} ({utc(timing.start_at)})"
    if timing.end_at is None:
        return (starts,)
    return starts, f"ends   {wall(timing.end_at, timing.time_zone)} ({utc(timing.end_at)})"


def _put_reminders(
    event: CalendarEvent, all_rows: Sequence[Versioned[Reminder]], *, everything: bool
) -> None:
    rows = [row for row in all_rows if everything or row.state.reason not in REPLACED]
    if rows:
        _put_reminder_table(rows, event.timing.time_zone)
    else:
        put("no reminders")
    if folded := len(all_rows) - len(rows):
        put(f"and {folded} of before that moved or were withdrawn: `tickler event show {event.id} --all`")


def _put_reminder_table(rows: Sequence[Versioned[Reminder]], time_zone: str) -> None:
    put_table(
        ("REMINDER", "DUE", "STATUS", "ID"),
        (
            (
                str(row.state.trigger),
                wall(row.state.due_at, time_zone),
                row.state.status.value + (f" ({row.state.reason.value})" if row.state.reason else ""),
                str(row.state.id),
            )
            for row in rows
        ),
    )


def _waits_for(one: Delivery, is_off: set[str]) -> bool:
    return one.status is delivery.Status.PENDING and one.channel in is_off


def _next_try(one: Delivery, time_zone: str, is_off: set[str]) -> str:
    is_waiting = one.status is delivery.Status.PENDING and not _waits_for(one, is_off)
    return wall(one.not_before, time_zone) if is_waiting else ""


def _delivery_json(one: Delivery, names: Names) -> dict[str, Json]:
    is_waiting = one.status is delivery.Status.PENDING
    return {
        "deliveryId": str(one.id),
        "userId": str(one.user_id),
        "handle": names.handle(one.user_id),
        "channel": one.channel,
        "status": one.status.value,
        "attempts": one.attempts,
        "nextTryAt": utc(one.not_before) if is_waiting else None,
        "reason": one.reason,
    }


def _text(value: object) -> str | None:
    return None if value is None else str(value)
