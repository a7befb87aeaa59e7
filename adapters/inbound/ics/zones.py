"""Which zone a calendar means, whatever it calls it; what is kept is always an IANA zone."""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from functools import partial
from io import StringIO

from attrs import define, field, frozen
from dateutil.tz import tzical

from adapters.inbound.ics.budget import Budget, TooMuchWork
from adapters.inbound.ics.notes import Notes, shown
from adapters.inbound.ics.source import BadProperty, Block
from adapters.inbound.ics.zone_names import iana
from domain import values


@frozen
class Zone:
    """A zone in which a file writes wall times.

    `name` is its IANA name; None for one that only the file knows (`rules`, from a VTIMEZONE): its instants
    are then kept in `home`, the owner's zone.
    """

    name: str | None
    home: str
    rules: tzinfo | None = field(default=None, eq=id)

    def instant(self, local: datetime) -> datetime:
        """The UTC instant of a wall time; gaps and repeats as `domain.values.instant` has them."""
        if self.name is not None:
            return values.instant(local, self.name)
        return local.replace(tzinfo=self.rules, fold=0).astimezone(UTC)

    def local(self, instant: datetime) -> datetime:
        """The wall time at an aware instant."""
        there = values.zone(self.name) if self.name is not None else self.rules
        return instant.astimezone(there).replace(tzinfo=None, fold=0)

    def kept(self, local: datetime) -> tuple[datetime, str]:
        """A wall time as it is kept: with an IANA zone."""
        if self.name is not None:
            return local, self.name
        instant = self.instant(local)
        at_home = instant.astimezone(values.zone(self.home)).replace(tzinfo=None, fold=0)
        if values.instant(at_home, self.home) == instant:
            return at_home, self.home
        # The second of two equal wall times at home: only UTC says which.
        return instant.replace(tzinfo=None), "UTC"


@define
class Zones:
    """The zones of one VCALENDAR. `floating` is what times without a zone are meant in."""

    home: Zone
    floating: Zone
    _blocks: dict[str, Block]
    _budget: Budget
    _notes: Notes
    _found: dict[str, tuple[Zone, str | None]] = field(factory=dict)

    @classmethod
    def of(cls, calendar: Block, default: str, budget: Budget, notes: Notes) -> "Zones":
        """The zones of this VCALENDAR; `default` is the owner's zone (IANA)."""
        home = Zone(default, default)
        blocks: dict[str, Block] = {}
        for block in calendar.inside("VTIMEZONE"):
            try:
                tzid = block.one("TZID")
            except BadProperty:
                continue
            if tzid is not None:
                blocks.setdefault(tzid.value.strip(), block)
        zones = cls(home, home, blocks, budget, notes)
        try:
            stated = calendar.one("X-WR-TIMEZONE")
        except BadProperty:
            stated = None
        if stated is not None and stated.value.strip():
            zones.floating = zones.named(stated.value, stated.line)
        return zones

    def named(self, tzid: str, line: int) -> Zone:
        """The zone of this TZID; the owner's, with a warning, where nobody knows it."""
        tzid = tzid.strip()
        if tzid not in self._found:
            self._found[tzid] = self._find(tzid)
        zone, warning = self._found[tzid]
        if warning is not None:
            self._notes.warn(warning, line)
        return zone

    def utc(self) -> Zone:
        return Zone("UTC", self.home.home)

    def _find(self, tzid: str) -> tuple[Zone, str | None]:
        home = self.home.home
        name = iana(tzid)
        if name is not None:
            return Zone(name, home), None
        block = self._blocks.get(tzid)
        if block is None:
            return self.home, f"time zone {shown(tzid)} is unknown; taken in {home}"
        try:
            stated = block.one("X-LIC-LOCATION")
            name = iana(stated.value.strip()) if stated else None
            if name is not None:
                return Zone(name, home), None
            rules = self._budget.run(partial(_rules, block))
        except (BadProperty, TooMuchWork, ValueError, ArithmeticError, LookupError):
            return self.home, f"the rules of time zone {shown(tzid)} cannot be read; taken in {home}"
        return Zone(None, home, rules), f"time zone {shown(tzid)} is known to the file alone; kept in {home}"


_OFFSET = re.compile(r"[+-]\d{4}(\d\d)?")
_ANY_DAY = datetime(2026, 1, 1, 12)  # noqa: DTZ001
_LOCAL = re.compile(r"\d{8}T\d{6}")
_SEASONAL = re.compile(r"FREQ=(YEARLY|MONTHLY)(;(?!BY(HOUR|MIN|SEC)|INTERVAL=0)[A-Z]+=[^;]{1,100}){0,12};?")


def _rules(block: Block) -> tzinfo:
    """The rules of a VTIMEZONE, read by dateutil and tried once; ValueError where they make no sense."""
    if block.broken:
        raise ValueError(block.broken)
    text = ["BEGIN:VTIMEZONE", "TZID:file"]
    for part in block.blocks[:200]:
        if part.name not in ("STANDARD", "DAYLIGHT"):
            continue
        text.append(f"BEGIN:{part.name}")
        for name, shape in (("DTSTART", _LOCAL), ("TZOFFSETFROM", _OFFSET), ("TZOFFSETTO", _OFFSET)):
            stated = part.one(name)
            if stated is None or not shape.fullmatch(stated.value.strip()):
                raise ValueError(name)
            text.append(f"{name}:{stated.value.strip()}")
        for rule in part.all("RRULE"):
            if not _SEASONAL.fullmatch(rule.value):
                raise ValueError("RRULE")
            text.append(f"RRULE:{rule.value}")
        text += [f"RDATE:{date}" for stated in part.all("RDATE") for date in _LOCAL.findall(stated.value)]
        text.append(f"END:{part.name}")
    zone = tzical(StringIO("\n".join([*text, "END:VTIMEZONE", ""]))).get()
    if zone is None or abs(zone.utcoffset(_ANY_DAY) or timedelta(0)) >= timedelta(hours=24):
        raise ValueError("VTIMEZONE")
    return zone
