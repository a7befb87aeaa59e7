"""Small calendars of our own making, and the questions that the tests put to what is read from them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from adapters.inbound.ics.asked import Reading
from adapters.inbound.ics.budget import Budget
from adapters.inbound.ics.drafts import Wanted
from adapters.inbound.ics.options import ImportOptions
from adapters.inbound.ics.reading import read
from domain.triggers import due_at
from domain.values import TenantId, UserId

TENANT = TenantId(UUID(int=1))
OWNER = UserId(UUID(int=2))
CLIENT = UserId(UUID(int=3))
NOW = datetime(2026, 9, 1, 8, tzinfo=UTC)


def options(**differently: Any) -> ImportOptions:
    asked: dict[str, Any] = {
        "tenant_id": TENANT,
        "owner_user_id": OWNER,
        "now": NOW,
        "default_zone": "Europe/Berlin",
        "tz_version": "2026.6",
    }
    return ImportOptions(**(asked | differently))


def vcalendar(*components: Sequence[str], also: Sequence[str] = ()) -> bytes:
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//tickler//tests//EN", *also]
    lines += [line for component in components for line in component]
    return "\r\n".join([*lines, "END:VCALENDAR", ""]).encode()


def vevent(uid: str, *lines: str, alarms: Sequence[Sequence[str]] = ()) -> list[str]:
    inside = [line for alarm in alarms for line in valarm(*alarm)]
    return ["BEGIN:VEVENT", f"UID:{uid}", "DTSTAMP:20260801T000000Z", *lines, *inside, "END:VEVENT"]


def valarm(*lines: str) -> list[str]:
    return ["BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:x", *lines, "END:VALARM"]


def read_events(
    *components: Sequence[str],
    also: Sequence[str] = (),
    budgets: Sequence[Budget] | None = None,
    **differently: Any,
) -> Reading:
    return read(vcalendar(*components, also=also), options(**differently), budgets)


def only(reading: Reading) -> Wanted:
    (one,) = reading.take
    return one


def starts(reading: Reading) -> list[str]:
    """When the events taken start, in UTC."""
    return [at(one.draft.timing.start_at) for one in reading.take]


def dues(reading: Reading) -> list[str]:
    """When the reminders of the one event taken are due, in UTC."""
    draft = only(reading).draft
    return [at(due_at(trigger, draft.timing)) for trigger in draft.triggers]


def spelled(reading: Reading) -> list[str]:
    """The triggers of the one event taken."""
    return [str(trigger) for trigger in only(reading).draft.triggers]


def refusals(reading: Reading) -> list[tuple[str, str, str]]:
    return [(one.component, one.uid, one.reason) for one in reading.notes.refused]


def at(instant: datetime) -> str:
    return f"{instant.astimezone(UTC):%Y-%m-%dT%H:%MZ}"
