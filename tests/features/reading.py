"""How the scenarios speak of times, events and people; what cannot be read fails the step."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import NAMESPACE_OID, UUID, uuid5

from attrs import frozen

from domain.triggers import MinutesBeforeStart, Trigger, trigger

DAY = "2026-06-01"
TIME = r"\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: on \d{4}-\d\d-\d\d)?"
NAME = r'"[^"]+"'
TOLD = rf"cancelled|completed|started|left without reminders|planned again|moved to (?:end at )?{TIME}"
_WISH = re.compile(
    r'"(?P<name>[^"]+)"'
    r'(?: titled "(?P<title>[^"]+)")?'
    r'(?: of tenant "(?P<tenant>[^"]+)")?'
    r'(?: of "(?P<owner>[^"]+)")?'
    r'(?: for "(?P<client>[^"]+)")?'
    r"(?: (?P<appointment>with|without) an appointment)?"
    rf" (?:at (?P<at>{TIME})|from (?P<since>{TIME}) to (?P<end>{TIME}))"
    r"(?: in (?P<zone>\S+))?"
    r" with (?P<both>a client, an appointment and )?"
    r"(?:a reminder (?P<minutes>\d+) minutes before|the triggers? (?P<triggers>.+))"
)


def wall(text: str) -> datetime:
    """`09:46`, `09:46:30`, `09:46 on 2026-06-02`: a wall time, on DAY where no day is named."""
    at, _, day = text.partition(" on ")
    return datetime.fromisoformat(f"{day or DAY}T{at}")


def instant(text: str) -> datetime:
    """The same, as an instant in UTC."""
    return wall(text).replace(tzinfo=UTC)


def known_as(name: str) -> UUID:
    """The id of whoever or whatever goes by this name in the scenarios."""
    return uuid5(NAMESPACE_OID, name)


def listed(text: str) -> list[str]:
    """`a`, `a and b`, `a, b and c`."""
    return [one.strip() for one in re.split(r",| and ", text)]


@frozen
class Wish:
    """An event as a scenario wants it; `start` is a wall time in `zone`, `end` an instant."""

    name: str
    start: datetime
    triggers: Sequence[Trigger]
    zone: str = "UTC"
    end: datetime | None = None
    title: str | None = None
    tenant: str = "tenant"
    owner: str = "owner"
    client: str | None = None
    with_appointment: bool = False


def wish(text: str) -> Wish:
    match = _WISH.fullmatch(text)
    if match is None:
        raise ValueError(f"not the way an event is told: {text}")
    said = match.groupdict()
    triggers = (
        [MinutesBeforeStart(int(said["minutes"]))]
        if said["minutes"]
        else [trigger(one) for one in listed(said["triggers"])]
    )
    return Wish(
        name=said["name"],
        start=wall(said["at"] or said["since"]),
        triggers=triggers,
        zone=said["zone"] or "UTC",
        end=instant(said["end"]) if said["end"] else None,
        title=said["title"],
        tenant=said["tenant"] or "tenant",
        owner=said["owner"] or "owner",
        client=said["client"] or ("client" if said["both"] else None),
        with_appointment=said["appointment"] == "with" or bool(said["both"]),
    )
