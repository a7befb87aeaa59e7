"""What commands say: results on stdout, for people or as JSON; everything else on stderr."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo

import typer
from rich.console import Console
from rich.table import Table

from application.ports.ledger import Versioned
from domain.calendar_event import CalendarEvent
from domain.reminder import Reminder
from domain.values import zone

AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
WIDTH_OFF_TERMINAL = 160

Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]


def say(text: str) -> None:
    """Tell people something beside the result."""
    typer.echo(printable(text), err=True)


def put_json(document: Json) -> None:
    typer.echo(json.dumps(document, ensure_ascii=False))


def put(text: str) -> None:
    typer.echo(printable(text))


def put_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    on_terminal = sys.stdout.isatty()
    console = Console(
        markup=False, highlight=False, emoji=False, width=None if on_terminal else WIDTH_OFF_TERMINAL
    )
    table = Table(*columns, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for row in rows:
        table.add_row(*(printable(cell) for cell in row))
    console.print(table)


def printable(text: str) -> str:
    """Without what would steer a terminal: a title comes from anybody."""
    return "".join(one if one.isprintable() or one == "\n" else "\N{REPLACEMENT CHARACTER}" for one in text)


def wall(at: datetime, time_zone: str) -> str:
    """An instant as the clock on that wall shows it."""
    return f"{at.astimezone(zone(time_zone)):%Y-%m-%d %H:%M:%S}".removesuffix(":00") + f" {time_zone}"


def utc(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(ZoneInfo("UTC")).isoformat().replace("+00:00", "Z")


def event_json(event: CalendarEvent, title: str | None) -> dict[str, Json]:
    timing = event.timing
    return {
        "eventId": str(event.id),
        "tenantId": str(event.tenant_id),
        "ownerUserId": str(event.owner_user_id),
        "clientUserId": _text(event.client_user_id),
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


def put_event(
    event: CalendarEvent, title: str | None, reminders: Sequence[Versioned[Reminder]], *, as_json: bool
) -> None:
    """An event with all its reminders."""
    if as_json:
        rows: list[Json] = [reminder_json(row.state) for row in reminders]
        put_json({**event_json(event, title), "reminders": rows})
        return
    timing = event.timing
    when = (
        f"{timing.start_local:%Y-%m-%d}, all day"
        if timing.all_day
        else f"{timing.start_local:%Y-%m-%d %H:%M}"
    )
    put(f"{event.id}  {event.status.value}  {title or '(no title)'}")
    put(f"starts {when} {timing.time_zone} ({utc(timing.start_at)})")
    if reminders:
        put_table(
            ("REMINDER", "DUE", "STATUS", "ID"),
            (
                (
                    str(row.state.trigger),
                    wall(row.state.due_at, timing.time_zone),
                    _status(row.state),
                    str(row.state.id),
                )
                for row in reminders
            ),
        )
    else:
        put("no reminders")


def _status(reminder: Reminder) -> str:
    return reminder.status.value + (f" ({reminder.reason.value})" if reminder.reason else "")


def _text(value: object) -> str | None:
    return None if value is None else str(value)
