"""When a plan's occurrences are: a recurrence rule on wall times, or so many days before a deadline.

Reckoned on naive wall times of the plan's own zone, from the anchor, and only then brought to instants: a
wall time that a clock change leaves out moves forward by the gap, one that happens twice means the first
time. So a day's change shifts that day and no other. Source: design section 3; RFC 5545 section 3.3.10.
"""

import calendar
import math
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from itertools import islice

from attrs import field, frozen
from dateutil.rrule import rrule, rrulestr

from domain.errors import Invalid
from domain.values import EARLIEST, LATEST, instant, zone

MAX_DAYS_BEFORE = 5 * 366
MAX_OFFSETS = 50
MAX_INTERVAL = 1_000
MAX_COUNT = 10_000
FOUR_CENTURIES = 400
"""After so many years the calendar repeats, weekdays and all."""

_PARTS = ("FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS")
_FILTERS = {
    "DAILY": {"BYDAY", "BYMONTHDAY", "BYMONTH"},
    "WEEKLY": {"BYDAY"},
    "MONTHLY": {"BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS"},
    "YEARLY": {"BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS"},
}
_WEEKDAY = re.compile(r"([+-]?[1-5])?(MO|TU|WE|TH|FR|SA|SU)")


class ShortMonth(StrEnum):
    """What a rule on a day that a month has not means there."""

    SKIP = "skip"
    LAST = "last"  # the month's last day


class ClockChange(StrEnum):
    """Why an occurrence is not simply at its wall time."""

    LEFT_OUT = "left_out"  # that wall time does not exist; it comes later by the gap
    TWICE = "twice"  # that wall time happens twice; the first one is meant


@frozen
class Planned:
    """One occurrence: `slot` is its naive wall time in the plan's zone and its name, `at` the instant."""

    slot: datetime
    at: datetime
    clock_change: ClockChange | None = None


@frozen
class Every:
    """By an RRULE from an anchor, whose day and hour it takes where it names none.

    The rule has FREQ=DAILY, WEEKLY, MONTHLY or YEARLY. With ShortMonth.LAST "monthly on the 31st" is the
    last day of a shorter month, and the 31st again after it. Raises Invalid for a rule that is none, that
    can never come true, or that nobody should be written to by.
    """

    rule: str
    anchor: datetime
    time_zone: str
    short_month: ShortMonth = ShortMonth.SKIP

    def __attrs_post_init__(self) -> None:
        _check_wall("anchor", self.anchor)
        zone(self.time_zone)
        _check_rule(_parts(self.rule), self.anchor, self.short_month)
        try:
            next(iter(self._rrule()), None)
        except Invalid:
            raise
        except (ValueError, TypeError) as problem:
            raise Invalid(f"rule: {self.rule[:80]!r} is no RRULE ({problem})") from None

    def slots(self, after: datetime) -> Iterator[datetime]:
        """The wall times after `after` (naive), in order."""
        return iter(self._rrule().xafter(after))

    def _rrule(self) -> rrule:
        parts = _parts(self.rule)
        if self.short_month is ShortMonth.LAST:
            parts = _with_last_days(parts, self.anchor)
        if "UNTIL" in parts:
            parts["UNTIL"] = _local_until(parts["UNTIL"], self.time_zone)
        made = rrulestr(";".join(f"{name}={value}" for name, value in parts.items()), dtstart=self.anchor)
        assert isinstance(made, rrule)
        return made


def _furthest_first(days: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(days), reverse=True))


@frozen
class BeforeDeadline:
    """So many days before a deadline, each at the hour `at`, in a zone.

    Raises Invalid for none or more than 50 offsets, and for one outside 0 to five years.
    """

    deadline: date
    days: tuple[int, ...] = field(converter=_furthest_first)
    at: time
    time_zone: str

    def __attrs_post_init__(self) -> None:
        zone(self.time_zone)
        if not 0 < len(self.days) <= MAX_OFFSETS:
            raise Invalid(f"days: {len(self.days)} offsets; from 1 to {MAX_OFFSETS} are wanted")
        if not 0 <= min(self.days) <= max(self.days) <= MAX_DAYS_BEFORE:
            raise Invalid(f"days: each is a whole number from 0 to {MAX_DAYS_BEFORE}")
        if self.at.tzinfo or self.at.second or self.at.microsecond:
            raise Invalid("at: the hour is HH:MM; the zone is given beside it")
        _check_wall("deadline", datetime.combine(self.deadline, self.at))

    def slots(self, after: datetime) -> Iterator[datetime]:
        """The wall times after `after` (naive), in order."""
        walls = (datetime.combine(self.deadline - timedelta(days=days), self.at) for days in self.days)
        return (wall for wall in walls if wall > after)


Schedule = Every | BeforeDeadline


def occurrences(schedule: Schedule, after: datetime) -> Iterator[Planned]:
    """The occurrences whose instant is later than `after` (an instant), in order, until the year 2200."""
    # A gap moves an instant by at most a day (Samoa left one out), so begin that much earlier.
    start = after.astimezone(zone(schedule.time_zone)).replace(tzinfo=None) - timedelta(days=2)
    for slot in schedule.slots(start):
        if slot.year >= LATEST.year:
            return
        planned = planned_at(slot, schedule.time_zone)
        if planned.at > after:
            yield planned


def upcoming(schedule: Schedule, after: datetime, count: int) -> list[Planned]:
    """The next `count` occurrences; fewer where the schedule ends."""
    return list(islice(occurrences(schedule, after), count))


def has_passed(schedule: Schedule, now: datetime) -> bool:
    """Whether its last occurrence is behind us; not so where the next one is only too far away."""
    if isinstance(schedule, Every) and not _parts(schedule.rule).keys() & {"COUNT", "UNTIL"}:
        return False
    return next(schedule.slots(now.astimezone(zone(schedule.time_zone)).replace(tzinfo=None)), None) is None


def planned_at(slot: datetime, time_zone: str) -> Planned:
    """What a wall time in a zone comes to."""
    at = instant(slot, time_zone)
    there = zone(time_zone)
    if at.astimezone(there).replace(tzinfo=None) != slot:
        return Planned(slot, at, ClockChange.LEFT_OUT)
    if slot.replace(tzinfo=there, fold=1).astimezone(UTC) != at:
        return Planned(slot, at, ClockChange.TWICE)
    return Planned(slot, at)


def _check_wall(what: str, wall: datetime) -> None:
    if wall.tzinfo is not None:
        raise Invalid(f"{what}: a wall time without an offset is wanted; the zone is given beside it")
    if not EARLIEST.year <= wall.year < LATEST.year:
        raise Invalid(f"{what}: the year {wall.year} is not between 1970 and 2199")


def _parts(rule: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for part in rule.upper().removeprefix("RRULE:").split(";"):
        name, equals, value = part.strip().partition("=")
        if not equals or not value or name in parts:
            raise Invalid(f"rule: {rule[:80]!r} is no RRULE; write one such as FREQ=MONTHLY;BYMONTHDAY=1")
        if name not in _PARTS:
            raise Invalid(f"rule: {name[:20]} is not used in a plan; allowed: {', '.join(_PARTS)}")
        parts[name] = value
    return parts


def _check_rule(parts: dict[str, str], anchor: datetime, short_month: ShortMonth) -> None:
    frequency = parts.get("FREQ", "")
    if frequency not in _FILTERS:
        raise Invalid("rule: FREQ is one of DAILY, WEEKLY, MONTHLY, YEARLY")
    interval = _whole(parts.get("INTERVAL", "1"), "INTERVAL", MAX_INTERVAL)
    if "COUNT" in parts:
        _whole(parts["COUNT"], "COUNT", MAX_COUNT)
    given = set(parts) & {"BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS"}
    allowed = _FILTERS[frequency] - ({"BYMONTH"} if frequency == "MONTHLY" and interval > 1 else set())
    if frequency == "DAILY" and interval > 1:
        allowed = set()
    if wrong := sorted(given - allowed):
        every = f"FREQ={frequency}" + (f" with INTERVAL={interval}" if interval > 1 else "")
        raise Invalid(f"rule: {', '.join(wrong)} does not go with {every}")
    weekdays = _weekdays(parts, frequency)
    if "BYSETPOS" in given:
        _check_positions(parts, weekdays)
    if weekdays and frequency == "YEARLY" and "BYMONTH" not in given:
        raise Invalid("rule: BYDAY with FREQ=YEARLY wants BYMONTH")
    if not _ever_true(parts, frequency, interval, anchor, weekdays, short_month):
        raise Invalid("rule: it never comes true; no month that it names has such a day")


def _whole(text: str, what: str, most: int) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= most or len(text) > 9:
        raise Invalid(f"rule: {what} is a whole number from 1 to {most}")
    return int(text)


def _numbers(parts: dict[str, str], name: str, most: int, *, signed: bool) -> list[int]:
    numbers: list[int] = []
    for text in filter(None, parts.get(name, "").split(",")):
        digits = text[1:] if text[0] in "+-" and signed else text
        if not digits.isascii() or not digits.isdigit() or len(digits) > 3 or not 1 <= int(digits) <= most:
            least = f"1 to {most}" + (f" or -1 to -{most}" if signed else "")
            raise Invalid(f"rule: {name} holds numbers from {least}")
        numbers.append(-int(digits) if text[0] == "-" else int(digits))
    return numbers


def _weekdays(parts: dict[str, str], frequency: str) -> list[str]:
    days = [day for day in parts.get("BYDAY", "").split(",") if day]
    for day in days:
        match = _WEEKDAY.fullmatch(day)
        if match is None or (match[1] and frequency not in ("MONTHLY", "YEARLY")):
            raise Invalid("rule: BYDAY holds weekdays such as MO or, by the month or year, 1MO and -1FR")
    return days


def _check_positions(parts: dict[str, str], weekdays: list[str]) -> None:
    positions = _numbers(parts, "BYSETPOS", 366, signed=True)
    plain = bool(weekdays) and not any(day[0] in "+-12345" for day in weekdays)
    if not plain or "BYMONTHDAY" in parts or max(map(abs, positions)) > 4 * len(weekdays):
        raise Invalid("rule: BYSETPOS picks from BYDAY alone, up to four times the number of its weekdays")


def _ever_true(
    parts: dict[str, str],
    frequency: str,
    interval: int,
    anchor: datetime,
    weekdays: list[str],
    short_month: ShortMonth,
) -> bool:
    """Whether one of the rule's months has one of its days. Weekdays come round on every date."""
    months = _numbers(parts, "BYMONTH", 12, signed=False)
    days = _numbers(parts, "BYMONTHDAY", 31, signed=True)
    if frequency == "WEEKLY" or (frequency == "DAILY" and not days):
        return True
    if not days:
        if weekdays:
            return not any(day[0] in "5+-" and "5" in day for day in weekdays) or interval == 1
        days = [anchor.day]
    if short_month is ShortMonth.LAST and frequency != "DAILY":
        return True
    steps = {"DAILY": 1, "MONTHLY": interval, "YEARLY": 12 * interval}[frequency]
    first = anchor.year * 12 + anchor.month - 1
    if frequency == "YEARLY" and months:
        seen = [year * 12 + month - 1 for year in _years(anchor.year, interval) for month in months]
    else:
        seen = list(range(first, first + math.lcm(steps, FOUR_CENTURIES * 12), steps))
    return any(
        abs(day) <= _length(month) for month in seen if not months or month % 12 + 1 in months for day in days
    )


def _years(first: int, interval: int) -> range:
    return range(first, first + math.lcm(interval, FOUR_CENTURIES), interval)


def _length(month: int) -> int:
    # Any year of the same place in the four centuries will do, and keeps within what `calendar` knows.
    return calendar.monthrange(2000 + (month // 12) % FOUR_CENTURIES, month % 12 + 1)[1]


def _with_last_days(parts: dict[str, str], anchor: datetime) -> dict[str, str]:
    """Of the days from the 28th up to the one meant, the last that there is."""
    if parts["FREQ"] not in ("MONTHLY", "YEARLY") or "BYDAY" in parts:
        raise Invalid("rule: 'the last day of a shorter month' goes with a day of the month or year")
    days = _numbers(parts, "BYMONTHDAY", 31, signed=True) or [anchor.day]
    if len(days) > 1:
        raise Invalid("rule: 'the last day of a shorter month' goes with one day")
    if days[0] <= 28:
        return parts
    stand_ins = ",".join(str(day) for day in range(28, days[0] + 1))
    months = {"BYMONTH": str(anchor.month)} if parts["FREQ"] == "YEARLY" else {}
    return {**months, **parts, "BYMONTHDAY": stand_ins, "BYSETPOS": "-1"}


def _local_until(text: str, time_zone: str) -> str:
    """UNTIL as a wall time: in UTC it is brought to the zone, a mere date means all of that day."""
    try:
        if re.fullmatch(r"\d{8}", text):
            return f"{datetime.strptime(text, '%Y%m%d'):%Y%m%d}T235959"  # noqa: DTZ007
        read = datetime.strptime(text.removesuffix("Z"), "%Y%m%dT%H%M%S")  # noqa: DTZ007
        if text.endswith("Z"):
            read = read.replace(tzinfo=UTC).astimezone(zone(time_zone)).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise Invalid("rule: UNTIL is a date such as 20270331 or 20270331T235959Z") from None
    return f"{read:%Y%m%dT%H%M%S}"
