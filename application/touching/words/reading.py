"""A time in words, as the one who speaks means it: by a fixed rule in their zone, or not at all.

- "in ten minutes", "in two hours": so much time from now. "In three days", "in six weeks", "in a month": so
  many days on at the same wall clock; a day that a month has not is its last; half a month is 15 days.
- A day without an hour is at 09:00. "At 9" is 09:00 by the 24-hour clock unless am or pm is said, today or,
  when that has passed, tomorrow.
- "On Tuesday" is the first Tuesday after today. "Next Tuesday" is asked about while this week's Tuesday is
  still to come, since people mean either; after it both are the same day.
- A date without a year is the next such date. "12/5" is asked about where it may be a month and a day.
- A wall time that a clock change leaves out comes later by the gap; one that happens twice is the first.

Nothing else is guessed. Source: design section 3; the specification, "напоминание на следующий вторник".
"""

import calendar
import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta

from attrs import frozen

from application.touching.words.vocabulary import (
    DAYS,
    HALVES,
    MONTHS,
    NUMBERS,
    PARTS_OF_DAY,
    UNITS,
    VAGUE,
    WEEKDAYS,
    any_of,
    simple,
)
from domain.errors import Invalid
from domain.values import LATEST, instant, zone

MORNING = time(9)
LONGEST = 100


@frozen
class Resolved:
    """The instant, and the wall time in the speaker's zone that it is."""

    at: datetime
    local: datetime
    time_zone: str


@frozen
class Unclear:
    """What is to be asked, and what may have been meant."""

    question: str
    candidates: Sequence[Resolved] = ()


Reading = Resolved | Unclear

_HOUR = (
    r"(?:(?:at|в|к|по)\s+)?(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?"
    r"\s*(?P<half>am|pm|a\.m|p\.m|утра|вечера|дня|часов|час|часа)?"
)
_PART = rf"(?P<part>{any_of(PARTS_OF_DAY)})"
_AT = rf"(?:\s+(?:{_HOUR}|{_PART}))?"
_IN = re.compile(
    rf"(?:in|через)\s+(?:(?P<number>\d{{1,4}}|{any_of(NUMBERS)})\s+)?(?P<unit>{any_of(UNITS)}){_AT}"
)
_IN_HALF = re.compile(rf"через\s+(?P<half_word>{any_of(HALVES)})")
_DAY = re.compile(rf"(?P<day>{any_of(DAYS)}){_AT}")
_WHICH = "this|next|coming|этот|эту|это|следующий|следующую|следующее|ближайший|ближайшую"
_WEEKDAY = re.compile(rf"(?:(?:on|в|во)\s+)?(?:(?P<which>{_WHICH})\s+)?(?P<weekday>{any_of(WEEKDAYS)}){_AT}")
_MONTH = any_of(MONTHS)
_TH = "(?:st|nd|rd|th)?"
_NAMED_DATE = re.compile(
    rf"(?:on\s+)?(?:(?P<d1>\d{{1,2}}){_TH}\s+(?P<m1>{_MONTH})|(?P<m2>{_MONTH})\s+(?P<d2>\d{{1,2}}){_TH})"
    rf"(?:\s+(?P<year>\d{{4}})(?:\s+года)?)?{_AT}"
)
_DOTTED_DATE = re.compile(rf"(?P<d>\d{{1,2}})\.(?P<m>\d{{1,2}})(?:\.(?P<year>\d{{4}}))?{_AT}")
_SLASHED_DATE = re.compile(rf"(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})(?:/(?P<year>\d{{4}}))?{_AT}")
_HOUR_ALONE = re.compile(rf"(?:{_HOUR}|{_PART})")


def read_time(words: str, now: datetime, time_zone: str) -> Reading:
    """The instant that the words mean at `now` (aware) to somebody in the zone.

    Raises Invalid for words that are no time at all, and for one that has passed.
    """
    if len(words) > LONGEST:
        raise Invalid(f"when: {len(words)} characters are more than {LONGEST}")
    local = now.astimezone(zone(time_zone)).replace(tzinfo=None)
    reader = _Reader(now, local, time_zone)
    reading = reader.iso(words.strip()) or reader.read(simple(words))
    if isinstance(reading, Resolved) and reading.at <= now:
        raise Invalid(f"when: {reading.local:%Y-%m-%d %H:%M} in {time_zone} has passed")
    return reading


@frozen
class _Reader:
    now: datetime
    local: datetime
    time_zone: str

    def iso(self, text: str) -> Resolved | None:
        try:
            at = datetime.fromisoformat(text)
        except ValueError:
            return None
        if re.fullmatch(r"\d{4}-?\d{2}-?\d{2}", text):
            return self._on(at.date(), MORNING)
        if at.tzinfo is None:
            return self._wall(at)
        self._check_year(at.year)
        there = at.astimezone(zone(self.time_zone)).replace(tzinfo=None)
        return Resolved(at.astimezone(UTC), there, self.time_zone)

    def read(self, text: str) -> Reading:
        if text in VAGUE:
            return Unclear("Which day, and at what time?")
        readers: Sequence[tuple[re.Pattern[str], Callable[[re.Match[str]], Reading]]] = (
            (_IN_HALF, self._in_half),
            (_IN, self._in),
            (_DAY, lambda match: self._on(self._day(DAYS[match["day"]]), self._hour(match))),
            (_WEEKDAY, self._weekday),
            (_NAMED_DATE, self._named_date),
            (_DOTTED_DATE, lambda match: self._date(int(match["d"]), int(match["m"]), match)),
            (_SLASHED_DATE, self._slashed_date),
            (_HOUR_ALONE, self._hour_alone),
        )
        for pattern, read in readers:
            if match := pattern.fullmatch(text):
                return read(match)
        raise Invalid(
            f"when: {text[:40]!r} is not understood; say it as '2026-12-08T10:00', 'in 10 minutes',"
            " 'tomorrow at 9' or 'on Tuesday at 15:00'"
        )

    def _in_half(self, match: re.Match[str]) -> Reading:
        return self._later(*HALVES[match["half_word"]], None)

    def _in(self, match: re.Match[str]) -> Reading:
        number = match["number"]
        count = 1 if number is None else float(number) if number.isdigit() else NUMBERS[number]
        hour = self._hour(match) if match["hour"] or match["part"] else None
        return self._later(count, UNITS[match["unit"]], hour)

    def _later(self, count: float, unit: str, hour: time | None) -> Reading:
        if unit in ("minute", "hour"):
            if hour is not None:
                raise Invalid("when: so many minutes or hours from now, or at an hour, not both")
            at = self.now + timedelta(**{f"{unit}s": count})
            there = at.astimezone(zone(self.time_zone)).replace(tzinfo=None)
            return Resolved(at.astimezone(UTC), there, self.time_zone)
        day = self.local.date()
        try:
            if unit in ("month", "year"):
                months = int(count) if unit == "month" else int(12 * count)
                day = _months_on(day, months)
                day += timedelta(days=15 if unit == "month" and count % 1 else 0)
            else:
                day += timedelta(days=int(count * (7 if unit == "week" else 1)))
        except (OverflowError, ValueError):
            raise Invalid("when: that is too far") from None
        return self._on(day, hour or self.local.time().replace(second=0, microsecond=0))

    def _weekday(self, match: re.Match[str]) -> Reading:
        wanted, which, hour = WEEKDAYS[match["weekday"]], match["which"], self._hour(match)
        today = self.local.date()
        coming = today + timedelta(days=(wanted - today.weekday() - 1) % 7 + 1)
        this_week = today + timedelta(days=wanted - today.weekday())
        is_next = which is not None and which.startswith(("next", "следующ"))
        is_this = which is not None and which in ("this", "этот", "эту", "это")
        if is_next and this_week > today:
            later = this_week + timedelta(days=7)
            return Unclear(
                f"{this_week:%d %B} or {later:%d %B}?", [self._on(this_week, hour), self._on(later, hour)]
            )
        if is_this and this_week <= today:
            return Unclear(f"Did you mean {coming:%d %B}?", [self._on(coming, hour)])
        return self._on(coming, hour)

    def _named_date(self, match: re.Match[str]) -> Reading:
        month = MONTHS[match["m1"] or match["m2"]]
        return self._date(int(match["d1"] or match["d2"]), month, match)

    def _slashed_date(self, match: re.Match[str]) -> Reading:
        first, second = int(match["a"]), int(match["b"])
        if first <= 12 and second <= 12 and first != second:
            readings = [self._date(first, second, match), self._date(second, first, match)]
            dates = " or ".join(f"{one.local:%d %B %Y}" for one in readings)
            return Unclear(f"{dates}?", readings)
        day, month = (first, second) if second <= 12 else (second, first)
        return self._date(day, month, match)

    def _date(self, day: int, month: int, match: re.Match[str]) -> Resolved:
        hour, year = self._hour(match), match["year"]
        years = [int(year)] if year else range(self.local.year, self.local.year + 9)
        for one in years:
            try:
                wall = datetime.combine(date(one, month, day), hour)
            except ValueError:
                continue
            if year or wall > self.local:
                return self._wall(wall)
        raise Invalid(f"when: there is no day {day}.{month:02d}" + (f".{year}" if year else ""))

    def _hour_alone(self, match: re.Match[str]) -> Reading:
        wall = datetime.combine(self.local.date(), self._hour(match))
        return self._wall(wall if wall > self.local else wall + timedelta(days=1))

    def _hour(self, match: re.Match[str]) -> time:
        if match["part"]:
            return PARTS_OF_DAY[match["part"]]
        if not match["hour"]:
            return MORNING
        hour, minute, half = int(match["hour"]), int(match["minute"] or 0), match["half"] or ""
        if half in ("pm", "p.m", "вечера", "дня") and 1 <= hour < 12:
            hour += 12
        if half in ("am", "a.m", "утра") and hour == 12:
            hour = 0
        if hour > 23 or minute > 59:
            raise Invalid(f"when: there is no hour {match['hour']}:{minute:02d}")
        return time(hour, minute)

    def _day(self, days: int) -> date:
        return self.local.date() + timedelta(days=days)

    def _on(self, day: date, hour: time) -> Resolved:
        return self._wall(datetime.combine(day, hour))

    def _wall(self, wall: datetime) -> Resolved:
        self._check_year(wall.year)
        at = instant(wall, self.time_zone)
        return Resolved(at, at.astimezone(zone(self.time_zone)).replace(tzinfo=None), self.time_zone)

    def _check_year(self, year: int) -> None:
        if year < self.now.year - 1:
            raise Invalid(f"when: the year {year} has passed")
        if year >= LATEST.year:
            raise Invalid(f"when: the year {year} is too far")


def _months_on(day: date, months: int) -> date:
    month = day.year * 12 + day.month - 1 + months
    year, month = month // 12, month % 12 + 1
    if not 1 <= year <= LATEST.year:
        raise ValueError
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))
