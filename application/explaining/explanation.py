"""Where one thing stands: what an explanation holds, and how it speaks of times."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from attrs import field, frozen

from application.delivering.tries import DeliveryOptions
from application.dispatching import ReminderDispatchOptions
from application.touching.working import WorkOptions
from domain.errors import Invalid
from domain.values import zone

# Later than this past its time, nobody can be at work on it: it is time to look whether anybody runs.
OVERDUE = timedelta(seconds=60)


class What(StrEnum):
    """What an id may name."""

    EVENT = "event"
    REMINDER = "reminder"
    DELIVERY = "delivery"
    TOUCH = "touch"
    PLAN = "plan"


class Situation(StrEnum):
    """Why something stands where it stands; a closed list, for programs that read explanations."""

    # Pending, of a reminder, a delivery or a touch.
    WAITS_FOR_ITS_TIME = "waits_for_its_time"
    DUE = "due"
    OVERDUE = "overdue"
    HELD = "held"
    POISON = "poison"
    DRIFTED = "drifted"  # of a reminder or an event: its row says other than its history
    WILL_BE_SKIPPED = "will_be_skipped"
    TEXT_IS_GONE = "text_is_gone"  # of a touch that was to say it
    WAITS_FOR_ANOTHER_TRY = "waits_for_another_try"
    CHANNEL_IS_OFF = "channel_is_off"
    PUT_OFF_AGAIN = "put_off_again"
    WAITS_FOR_A_PLACE = "waits_for_a_place"
    KIND_IS_UNKNOWN = "kind_is_unknown"
    # A reminder that was sent, by where its message is.
    IN_THE_OUTBOX = "in_the_outbox"
    BEING_PUBLISHED = "being_published"
    PARKED = "parked"
    PUBLISHED = "published"
    RECEIVED = "received"
    NO_TRACE = "no_trace"
    # In somebody's hands.
    BEING_SENT = "being_sent"
    IN_WORK = "in_work"
    LEASE_IS_OVER = "lease_is_over"
    UNKNOWN = "unknown"
    ANSWERED = "answered"
    # Over.
    DELIVERED = "delivered"
    FAILED = "failed"
    SKIPPED = "skipped"
    CLOSED = "closed"
    CANCELLED = "cancelled"
    COMPLETED = "completed"
    ENDED = "ended"
    # Of an event or a plan.
    OPEN = "open"
    ACTIVE = "active"
    PAUSED = "paused"


@frozen
class Explanation:
    """Where one thing stands. `says` is for people: whole sentences, with times in `time_zone`.

    Times are instants in UTC: `since` when it stands so, `next_at` the time before which nothing will become
    of it, `latest_at` that by which something should have. `parts` are explanations of what follows from it;
    `about` is a sentence on what a delivery is about, where it is no part of that.
    """

    what: What
    id: UUID
    status: str
    situation: Situation
    says: str
    time_zone: str
    since: datetime | None = None
    next_at: datetime | None = None
    latest_at: datetime | None = None
    parts: Sequence["Explanation"] = ()
    about: str | None = None


@frozen
class Subject:
    """What holds of a thing however it stands; `called` begins each sentence on it."""

    what: What
    id: UUID
    status: str
    called: str
    time_zone: str
    since: datetime | None = None
    parts: Sequence[Explanation] = ()


class Facts(Protocol):
    @property
    def subject(self) -> Subject: ...


def told(
    facts: Facts,
    situation: Situation,
    says: str,
    *,
    since: datetime | None = None,
    next_at: datetime | None = None,
    latest_at: datetime | None = None,
) -> Explanation:
    """The explanation of what these facts are about; `says` goes on after its name."""
    one = facts.subject
    return Explanation(
        one.what,
        one.id,
        one.status,
        situation,
        f"{one.called} {says}",
        one.time_zone,
        since=since or one.since,
        next_at=next_at,
        latest_at=latest_at,
        parts=one.parts,
    )


@frozen
class Setup:
    """How this Tickler is set: what the loops wait for, and who they send and work with.

    `channels` are those that can send here, each with whether it repeats what may have arrived; `kinds` are
    the kinds of touches that can be worked on. `publishes_to` is `direct` or `kafka`.
    """

    dispatch: ReminderDispatchOptions
    work: WorkOptions
    channels: Mapping[str, bool]
    kinds: Collection[str]
    publishes_to: str = "direct"
    relay_every: timedelta = timedelta(seconds=0.5)
    deliver_every: timedelta = timedelta(seconds=1)
    work_every: timedelta = timedelta(seconds=2)
    delivery: DeliveryOptions = field(factory=DeliveryOptions)


def wall(at: datetime, time_zone: str) -> str:
    """A time that somebody set: `2026-12-01 09:45 Europe/Berlin`, with seconds only where there are some."""
    clock, _, name = noted(at, time_zone).rpartition(" ")
    return f"{clock.removesuffix(':00')} {name}"


def noted(at: datetime, time_zone: str) -> str:
    """A time at which something happened, or that Tickler chose: always to the second.

    In UTC where nobody knows the zone.
    """
    try:
        there, name = zone(time_zone), time_zone
    except Invalid:
        there, name = zone("UTC"), "UTC"
    return f"{at.astimezone(there):%Y-%m-%d %H:%M:%S} {name}"


def lasting(time: timedelta) -> str:
    """A length of time in its two largest units: `0.5 s`, `90 s`, `12 min`, `3 h 5 min`, `2 days 4 h`."""
    seconds = time.total_seconds()
    if seconds < 10:
        return f"{round(seconds, 1):g} s"
    whole = int(seconds)
    if whole < 120:
        return f"{whole} s"
    days, hours, minutes, rest = whole // 86_400, whole // 3600 % 24, whole // 60 % 60, whole % 60
    counts = (
        (days, "day" if days == 1 else "days"),
        (hours, "h"),
        (minutes, "min"),
        (rest, "s"),
    )
    first = next(place for place, (count, _) in enumerate(counts) if count)
    return " ".join(f"{count} {unit}" for count, unit in counts[first : first + 2] if count)


def counted(count: int, one: str, many: str | None = None) -> str:
    """`1 message`, `3 messages`."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    is_teen = number % 100 in (11, 12, 13)
    ending = "th" if is_teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
