"""A time in words, as the one who speaks means it: by a fixed rule in their zone, or not at all.

- "in 20 seconds", "in ten minutes", "in two hours and a half": so much time from now. "In three days", "in
  six weeks", "in a month": so many days on at the same wall clock; a day that a month has not is its last;
  half a month is 15 days, a week and a half is 10, a day and a half is a day and 12 hours. "A week from
  Tuesday" counts from that day.
- A day without an hour is at 09:00; morning 09:00, noon 12:00, afternoon 15:00, evening and tonight 19:00.
  "At 9" is 09:00 by the 24-hour clock unless am, pm or a part of the day is said, today or, when that has
  passed, tomorrow. "Midnight" of a day is asked about, since people mean its beginning or its end.
- "On Tuesday" is the first Tuesday after today. "Next Tuesday" is asked about while this week's Tuesday is
  still to come, since people mean either; after it both are the same day.
- A date without a year is the next such date, "the 15th" the next 15th that there is. "12/5" is asked about
  where it may be a month and a day, and both are to come. A weekday beside a date has to be that date's.
- A wall time that a clock change leaves out comes later by the gap; one that happens twice is the first. What
  was made of it says so.

Nothing else is guessed. Source: design section 3; the specification, "напоминание на следующий вторник".
"""

import calendar
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta

from attrs import frozen

from application.touching.words.hours import hour_in
from application.touching.words.patterns import (
    DAY,
    DAY_OF_MONTH,
    DOTTED_DATE,
    FROM,
    INSTEAD,
    ISO_DATE,
    ISO_LIKE,
    NAMED_DATE,
    SLASHED_DATE,
    WEEKDAY,
)
from application.touching.words.resolved import Reading, Resolved, Unclear
from application.touching.words.spans import Span, amounts_in, later, span_in
from application.touching.words.vocabulary import (
    AGAIN_AND_AGAIN,
    DAYS,
    GONE,
    MIDNIGHT,
    MONTHS,
    NOW,
    SAME_TIME,
    VAGUE,
    WEEKDAYS,
    simple,
)
from domain.errors import Invalid
from domain.values import LATEST, zone

MORNING = time(9)
LONGEST = 100
LONGEST_HOUR = 4
"""Words of a time of day that may stand before its day."""


def read_time(words: str, now: datetime, time_zone: str) -> Reading:
    """The instant that the words mean at `now` (aware) to somebody in the zone.

    Raises Invalid for words that are no time at all, and for one that has passed.
    """
    if len(words) > LONGEST:
        raise Invalid(f"when: {len(words)} characters are more than {LONGEST}")
    local = now.astimezone(zone(time_zone)).replace(tzinfo=None)
    reader = _Reader(now, local, time_zone)
    reading = reader.iso(words.strip()) or reader.read(simple(words), words)
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
        return Resolved.of_instant(at, self.time_zone)

    def read(self, text: str, words: str) -> Reading:
        if text in VAGUE:
            return Unclear("Which day, and at what time?")
        if text in NOW:
            raise Invalid("when: that is now; say a time to come, such as 'in 10 minutes'")
        if GONE.fullmatch(text):
            raise Invalid(f"when: {words[:40]!r} has passed")
        if text.startswith(AGAIN_AND_AGAIN):
            raise Invalid("when: a touch comes once; what comes again and again is a plan (tickler plan add)")
        for pattern, instead in INSTEAD:
            text = pattern.sub(instead, text)
        reading = self._plain(text) or self._turned(text) or self._bare(text)
        if reading is not None:
            return reading
        if match := ISO_LIKE.fullmatch(text):
            self._must_be(int(match[1]), int(match[2]), int(match[3]))
        raise Invalid(
            f"when: {words.strip()[:40]!r} is not understood; say it as '2026-12-08T10:00', 'in 10 minutes',"
            " 'tomorrow at 9' or 'on Tuesday at 15:00'"
        )

    def _plain(self, text: str) -> Reading | None:
        """The day, and then its time."""
        if (span := span_in(text)) is not None:
            return self._span(span, self.local)
        readers: Sequence[tuple[re.Pattern[str], Callable[[re.Match[str], time], Reading | None]]] = (
            (DAY, lambda match, hour: self._on(self._day(DAYS[match["day"]]), hour)),
            (FROM, self._from),
            (WEEKDAY, self._weekday),
            (NAMED_DATE, self._named_date),
            (ISO_DATE, lambda match, hour: self._date(int(match["d"]), int(match["m"]), match, hour)),
            (DOTTED_DATE, lambda match, hour: self._date(int(match["d"]), int(match["m"]), match, hour)),
            (SLASHED_DATE, self._slashed_date),
            (DAY_OF_MONTH, self._day_of_month),
        )
        for pattern, read in readers:
            match = pattern.fullmatch(text)
            hour = self._hour(match["time"]) if match else None
            if match and hour is not None:
                reading = read(match, hour)
                if reading is not None:
                    return self._or_midnight(reading, match["time"])
        hour = hour_in(text)
        return None if hour is None else self._hour_alone(hour)

    def _turned(self, text: str) -> Reading | None:
        """The time of day first, and then its day."""
        words = text.split()
        for count in range(1, min(LONGEST_HOUR, len(words) - 1) + 1):
            hour, day = " ".join(words[:count]), " ".join(words[count:])
            if self._is_hour(hour) and (reading := self._plain(f"{day} {hour}")) is not None:
                return reading
        return None

    def _bare(self, text: str) -> Reading | None:
        """ "10 minutes": how long from now is all that it can be."""
        span = amounts_in(text)
        return None if span is None else self._span(span, self.local)

    def _is_hour(self, text: str) -> bool:
        try:
            return self._hour(text) is not None
        except Invalid:
            return False

    def _hour(self, text: str | None) -> time | None:
        """The time of day that is said beside a day, or the usual one; None for other words."""
        if text is None:
            return MORNING
        return self._same_time() if text in SAME_TIME else hour_in(text)

    def _same_time(self) -> time:
        return self.local.time().replace(second=0, microsecond=0)

    def _or_midnight(self, reading: Reading, said: str | None) -> Reading:
        if said not in MIDNIGHT or isinstance(reading, Unclear):
            return reading
        day = reading.local.date()
        after = day + timedelta(days=1)
        ends = [self._on(day, time(0)), self._on(after, time(0))]
        ahead = [one for one in ends if one.at > self.now]
        return Unclear(f"As {day:%d %B} begins, or as it ends?", ahead) if len(ahead) > 1 else ends[1]

    def _from(self, match: re.Match[str], hour: time) -> Reading | None:
        span = amounts_in(match["span"].removeprefix("in "))
        if span is None or span.rest:
            return None
        if match["day"] in ("now", "today"):
            return self._span(Span(span.amounts, match["time"] or ""), self.local)
        said = match["day"]
        day = self._day(DAYS[said]) if said in DAYS else self._coming(WEEKDAYS[said])
        if span.seconds:
            return None
        return self._span(span, datetime.combine(day, hour))

    def _span(self, span: Span, since: datetime) -> Reading | None:
        hour = self._hour(span.rest) if span.rest else None
        if span.rest and hour is None:
            return None
        if not span.large:
            if hour is not None:
                raise Invalid("when: so many minutes or hours from now, or at an hour, not both")
            return self._instant(timedelta(seconds=span.seconds))
        if hour is not None and span.seconds:
            raise Invalid("when: so many minutes or hours from now, or at an hour, not both")
        wall = later(since.replace(second=0, microsecond=0), span.large)
        if hour is not None:
            return self._or_midnight(self._on(wall.date(), hour), span.rest)
        reading = self._wall(wall)
        if not span.seconds:
            return reading
        return Resolved.of_instant(reading.at + timedelta(seconds=span.seconds), self.time_zone)

    def _instant(self, after: timedelta) -> Resolved:
        return Resolved.of_instant(self.now + after, self.time_zone)

    def _coming(self, weekday: int) -> date:
        today = self.local.date()
        return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)

    def _weekday(self, match: re.Match[str], hour: time) -> Reading:
        wanted, which = WEEKDAYS[match["weekday"]], match["which"]
        today, coming = self.local.date(), self._coming(wanted)
        this_week = today + timedelta(days=wanted - today.weekday())
        is_next = which is not None and which.startswith(("next", "следующ"))
        is_this = which is not None and which in ("this", "этот", "эту", "это")
        if is_next and this_week > today:
            week_after = this_week + timedelta(days=7)
            return Unclear(
                f"{this_week:%d %B} or {week_after:%d %B}?",
                [self._on(this_week, hour), self._on(week_after, hour)],
            )
        if is_this and this_week <= today:
            return Unclear(f"Did you mean {coming:%d %B}?", [self._on(coming, hour)])
        return self._on(coming, hour)

    def _named_date(self, match: re.Match[str], hour: time) -> Reading:
        month = MONTHS[match["m1"] or match["m2"]]
        return self._date(int(match["d1"] or match["d2"]), month, match, hour)

    def _slashed_date(self, match: re.Match[str], hour: time) -> Reading:
        first, second = int(match["a"]), int(match["b"])
        if first <= 12 and second <= 12 and first != second:
            readings = [self._date(first, second, match, hour), self._date(second, first, match, hour)]
            ahead = [one for one in readings if one.at > self.now]
            if len(ahead) < len(readings):
                return (ahead or readings)[0]
            dates = " or ".join(f"{one.local:%d %B %Y}" for one in readings)
            return Unclear(f"{dates}?", readings)
        day, month = (first, second) if second <= 12 else (second, first)
        return self._date(day, month, match, hour)

    def _date(self, day: int, month: int, match: re.Match[str], hour: time) -> Resolved:
        year = int(match["year"]) if match["year"] else None
        if year is not None and year < 100:
            year += 2000
        found = self._must_be(year, month, day, hour)
        weekday = match["weekday"]
        if weekday is not None and found.weekday() != WEEKDAYS[weekday]:
            raise Invalid(f"when: {found:%Y-%m-%d} is a {found:%A}")
        return self._on(found, hour)

    def _must_be(self, year: int | None, month: int, day: int, hour: time = MORNING) -> date:
        """That date, or the next one of that name; Invalid where there is none."""
        for one in range(self.local.year, self.local.year + 9) if year is None else (year,):
            try:
                found = date(one, month, day)
            except ValueError:
                continue
            if year is not None or datetime.combine(found, hour) > self.local:
                return found
        named = f"{day}.{month:02d}" if year is None else f"{year}-{month:02d}-{day:02d}"
        raise Invalid(f"when: there is no day {named}")

    def _day_of_month(self, match: re.Match[str], hour: time) -> Reading:
        day, of = int(match["d1"] or match["d2"] or match["d3"]), match["of"] or ""
        this = self.local.year * 12 + self.local.month - 1
        months = range(this + 1, this + 2) if of.startswith(("next", "след")) else range(this, this + 13)
        for month in months[:1] if of else months:
            if not 1 <= day <= calendar.monthrange(month // 12, month % 12 + 1)[1]:
                continue
            wall = datetime.combine(date(month // 12, month % 12 + 1, day), hour)
            if of or wall > self.local:
                return self._wall(wall)
        raise Invalid(f"when: there is no day {day} of a month" if not of else f"when: no day {day} of {of}")

    def _hour_alone(self, hour: time) -> Reading:
        wall = datetime.combine(self.local.date(), hour)
        return self._wall(wall if wall > self.local else wall + timedelta(days=1))

    def _day(self, days: int) -> date:
        return self.local.date() + timedelta(days=days)

    def _on(self, day: date, hour: time) -> Resolved:
        return self._wall(datetime.combine(day, hour))

    def _wall(self, wall: datetime) -> Resolved:
        self._check_year(wall.year)
        return Resolved.of_wall(wall, self.time_zone)

    def _check_year(self, year: int) -> None:
        if year < self.now.year - 1:
            raise Invalid(f"when: the year {year} has passed")
        if year >= LATEST.year:
            raise Invalid(f"when: the year {year} is too far")
