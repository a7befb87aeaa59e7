"""A calendar as people have it, made relative to now, that knows by its making when its reminders are due.

No reader of iCalendar takes part in it: each event starts from the instant at which it shall remind, and from
there its start is reckoned and written down in some zone.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import cycle
from random import Random
from zoneinfo import ZoneInfo

from attrs import define, field, frozen

from adapters.testkit.written_zones import HOME, IN_UTC, NAMED, OF_THE_FILE, RULES_OF_THE_FILE, WrittenZone

EVENTS = 300
BEFORE = timedelta(minutes=25)
_WEEKLY_ALARM = ["TRIGGER:-PT25M"]

_TITLES = (
    "Созвон 🚀 №{n} «срочно»",
    'Review of "plan {n}", part; two',
    "Naïve café – step {n} 🌱",
    "Оплата счёта №{n} (до обеда)",
    "Backup <b>{n}</b> & restore \\ again",
)
_EXTRA = (
    ("CATEGORIES:Work,Meeting",),
    ("DESCRIPTION:Several lines\\nof nothing\\, really", "TRANSP:OPAQUE"),
    ("STATUS:CONFIRMED", 'X-VENDOR-FLAG;X-NOTE="a:b;c":1'),
    (),
)


@frozen
class Due:
    """One reminder that is to be sent: the title of its event, unique in the calendar, and when (UTC)."""

    title: str
    at: datetime


@frozen
class RealisticCalendar:
    """An iCalendar file of 300 VEVENTs, and its reminders due from now on for six hours, oldest first.

    It is to be imported into an owner's calendar in the zone HOME, with the default reminder of `start-15m`.
    """

    data: bytes
    due: Sequence[Due]


def realistic_calendar(now: datetime, seed: int) -> RealisticCalendar:
    """The calendar around an aware instant; the same for the same seed."""
    maker = _Maker(now, Random(seed))
    maker.make()
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//tickler//realistic//EN", "METHOD:PUBLISH"]
    lines += [*maker.lines, *RULES_OF_THE_FILE, "END:VCALENDAR"]
    until = now + timedelta(hours=6)
    due = sorted((one for one in maker.due if now <= one.at < until), key=lambda one: (one.at, one.title))
    return RealisticCalendar(b"".join(_folded(line) for line in lines), due)


def _folded(line: str) -> bytes:
    """Folded after 75 octets, also where that is inside of a character, as programs do it."""
    octets = line.encode()
    parts = [octets[:75], *(octets[at : at + 74] for at in range(75, len(octets), 74))]
    return b"\r\n ".join(parts) + b"\r\n"


@define
class _Maker:
    now: datetime
    random: Random
    lines: list[str] = field(factory=list)
    due: list[Due] = field(factory=list)
    events: int = 0

    def make(self) -> None:
        zones = cycle((*NAMED, OF_THE_FILE))
        kinds = cycle(self._kinds())
        for _ in range(12):
            for series in (self._plain, self._excluded, self._added, self._moved, self._cancelled):
                at, zone = self._soon(), self.random.choice(NAMED)
                series(self._title(), at, zone if zone.says(at + BEFORE) else IN_UTC)
        for _ in range(15):
            self._all_day(self._title(), self._soon())
        while self.events < EVENTS:
            at = self._soon() if self.random.random() < 0.5 else self._some_day()
            next(kinds)(self._title(), at, next(zones))

    def _title(self) -> str:
        return self.random.choice(_TITLES).format(n=self.events + 1)

    def _soon(self) -> datetime:
        """A minute, now and then with seconds, of the next hour and a half."""
        at = self.now.replace(second=0, microsecond=0) + timedelta(minutes=self.random.randint(1, 90))
        return at + timedelta(seconds=self.random.choice((0, 0, 0, 30)))

    def _some_day(self) -> datetime:
        days = self.random.choice((-200, -40, -3, 2, 5, 9, 20, 45, 80, 200, 500))
        return self._soon() + timedelta(days=days, hours=self.random.randint(0, 5))

    def _kinds(self) -> Iterator[Callable[[str, datetime, WrittenZone], None]]:
        for minutes in (5, 10, 30, 60, 1440):
            yield partial(self._before, minutes)
        yield from (self._default, self._at_start, self._after, self._before_end, self._absolute)
        yield from (
            self._day_before,
            self._week_before,
            self._day_and_two_hours,
            self._repeated,
            self._thrice,
        )

    # One event each; `at` is when it shall remind.

    def _before(self, minutes: int, title: str, at: datetime, zone: WrittenZone) -> None:
        self._single(title, at + timedelta(minutes=minutes), zone, [f"TRIGGER:-PT{minutes}M"], [at])

    def _default(self, title: str, at: datetime, zone: WrittenZone) -> None:
        self._single(title, at + timedelta(minutes=15), zone, None, [at])

    def _at_start(self, title: str, at: datetime, zone: WrittenZone) -> None:
        zero = self.random.choice(("PT0S", "-PT0M", "P0D", "P", "PT"))
        self._single(title, at, zone, [f"TRIGGER:{zero}"], [at])

    def _after(self, title: str, at: datetime, zone: WrittenZone) -> None:
        self._single(title, at - timedelta(minutes=10), zone, ["TRIGGER:PT10M"], [at])

    def _before_end(self, title: str, at: datetime, zone: WrittenZone) -> None:
        start = at + timedelta(minutes=15) - timedelta(hours=1)
        self._single(title, start, zone, ["TRIGGER;RELATED=END:-PT15M"], [at])

    def _absolute(self, title: str, at: datetime, zone: WrittenZone) -> None:
        trigger = f"TRIGGER;VALUE=DATE-TIME:{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"
        self._single(title, at + timedelta(hours=7), zone, [trigger], [at])

    def _day_before(self, title: str, at: datetime, zone: WrittenZone) -> None:
        self._days_before(title, at, zone, 1, "-P1D")

    def _week_before(self, title: str, at: datetime, zone: WrittenZone) -> None:
        self._days_before(title, at, zone, 7, "-P1W")

    def _day_and_two_hours(self, title: str, at: datetime, zone: WrittenZone) -> None:
        self._days_before(title, at, zone, 1, "-P1DT2H", timedelta(hours=2))

    def _days_before(
        self,
        title: str,
        at: datetime,
        zone: WrittenZone,
        days: int,
        trigger: str,
        more: timedelta = timedelta(0),
    ) -> None:
        """The same wall clock so many days before. A zone of the file's own is kept in another one, where
        the wall clock is not the same; so such an event is in a named zone.
        """
        zone = zone if zone in NAMED else NAMED[0]
        if not zone.says(at + more):
            zone = IN_UTC
        start = zone.instant(zone.local(at + more) + timedelta(days=days))
        if zone.local(start) - timedelta(days=days) != zone.local(at + more):
            zone, start = IN_UTC, at + more + timedelta(days=days)
        self._single(title, start, zone, [f"TRIGGER:{trigger}"], [at])

    def _repeated(self, title: str, at: datetime, zone: WrittenZone) -> None:
        dues = [at, at + timedelta(minutes=7), at + timedelta(minutes=14)]
        alarm = ["TRIGGER:-PT40M", "REPEAT:2", "DURATION:PT7M"]
        self._single(title, at + timedelta(minutes=40), zone, alarm, dues)

    def _thrice(self, title: str, at: datetime, zone: WrittenZone) -> None:
        alarm = ["TRIGGER:-PT20M", "X-ALARM:1"]
        self._single(title, at + timedelta(minutes=20), zone, alarm, [at], times=3)

    def _all_day(self, title: str, at: datetime) -> None:
        """A whole day of next week, with as many minutes before its midnight as are wanted."""
        home = ZoneInfo(HOME)
        at = at.replace(second=0)
        day = (at.astimezone(home) + timedelta(days=self.random.randint(1, 5))).date()
        midnight = datetime(day.year, day.month, day.day, tzinfo=home).astimezone(UTC)
        minutes = (midnight - at) // timedelta(minutes=1)
        self.due.append(Due(title, at))
        self._event(title, [f"DTSTART;VALUE=DATE:{day:%Y%m%d}"], [f"TRIGGER:-PT{minutes}M"])

    def _single(
        self,
        title: str,
        start: datetime,
        zone: WrittenZone,
        alarm: list[str] | None,
        dues: Sequence[datetime],
        times: int = 1,
    ) -> None:
        if not zone.says(start):
            zone = IN_UTC
        self.due += [Due(title, at) for at in dues]
        self._event(title, [zone.written("DTSTART", start), "DURATION:PT1H"], alarm, times=times)

    # Weekly series; the occurrence of this week, as the rule has it, would remind `at`.

    def _plain(self, title: str, at: datetime, zone: WrittenZone) -> None:
        self.due.append(Due(title, at))
        self._weekly(title, at, zone)

    def _excluded(self, title: str, at: datetime, zone: WrittenZone) -> None:
        slot = zone.local(at + BEFORE)
        self._weekly(title, at, zone, zone.wall("EXDATE", slot))

    def _added(self, title: str, at: datetime, zone: WrittenZone) -> None:
        """The rule has ended; one more occurrence was added by RDATE."""
        self.due.append(Due(title, at))
        first = zone.local(at + BEFORE) - timedelta(weeks=20)
        rule = ["RRULE:FREQ=WEEKLY;COUNT=3", zone.written("RDATE", at + BEFORE)]
        self._event(title, [zone.wall("DTSTART", first), "DURATION:PT1H", *rule], _WEEKLY_ALARM)

    def _moved(self, title: str, at: datetime, zone: WrittenZone) -> None:
        """This week's occurrence is two hours later, and next week's is now."""
        uid = self._weekly(title, at, zone)
        slot, later, now = zone.local(at + BEFORE), at + timedelta(hours=2), at + timedelta(minutes=1)
        self._exception(uid, f"{title} (later)", slot, later, zone)
        self._exception(uid, f"{title} (earlier)", slot + timedelta(weeks=1), now, zone)

    def _cancelled(self, title: str, at: datetime, zone: WrittenZone) -> None:
        uid = self._weekly(title, at, zone)
        slot = zone.local(at + BEFORE)
        lines = [zone.wall("RECURRENCE-ID", slot), zone.wall("DTSTART", slot), "STATUS:CANCELLED"]
        self._event(title, [*lines, "DURATION:PT1H"], _WEEKLY_ALARM, uid=uid)

    def _weekly(self, title: str, at: datetime, zone: WrittenZone, *more: str) -> str:
        """A series that began weeks ago; its UID."""
        first = zone.local(at + BEFORE) - timedelta(weeks=9)
        lines = [zone.wall("DTSTART", first), "DURATION:PT1H", "RRULE:FREQ=WEEKLY", *more]
        return self._event(title, lines, _WEEKLY_ALARM)

    def _exception(self, uid: str, title: str, slot: datetime, at: datetime, zone: WrittenZone) -> None:
        """What would have been at `slot` is another time, and reminds `at`."""
        self.due.append(Due(title, at))
        start = at + timedelta(minutes=10)
        moved_to = zone if zone.says(start) else IN_UTC
        lines = [zone.wall("RECURRENCE-ID", slot), moved_to.written("DTSTART", start), "SEQUENCE:1"]
        self._event(title, [*lines, "DURATION:PT1H"], ["TRIGGER:-PT10M"], uid=uid)

    def _event(
        self, title: str, lines: Sequence[str], alarm: list[str] | None, *, times: int = 1, uid: str = ""
    ) -> str:
        self.events += 1
        uid = uid or f"{self.events}-{self.random.getrandbits(48):012x}@calendar.example"
        escaped = title.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
        self.lines += ["BEGIN:VEVENT", f"UID:{uid}", f"DTSTAMP:{self.now.astimezone(UTC):%Y%m%dT%H%M%SZ}"]
        self.lines += [f"SUMMARY:{escaped}", *lines, *self.random.choice(_EXTRA)]
        for _ in range(times if alarm else 0):
            self.lines += ["BEGIN:VALARM", "ACTION:DISPLAY", *(alarm or ()), "END:VALARM"]
        self.lines.append("END:VEVENT")
        return uid
