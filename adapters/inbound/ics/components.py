"""A VEVENT as it is written: one event, the head of a series, or an occurrence that differs from it."""

import re
from hashlib import sha256

from attrs import frozen
from icalendar.parser.property import unescape_backslash

from adapters.inbound.ics.alarms import Alarms, read_alarms
from adapters.inbound.ics.moments import Moment, Span, end_of, moment, moments, span
from adapters.inbound.ics.notes import Notes
from adapters.inbound.ics.source import BadProperty, Block, Property
from adapters.inbound.ics.zones import Zones
from domain.values import Kind

# No UID of a file begins so: a content line with a NUL is never read.
NO_UID = "\x00no-uid:"
MAX_TITLE = 500
MAX_RULES = 10
MAX_DATES = 10_000
MAX_DATES_OF_FILE = 200_000
_KINDS = {kind.value for kind in Kind}


@frozen
class Component:
    """`slot` is the RECURRENCE-ID of an occurrence that differs; `and_future` its RANGE.

    `length` is None for a point in time. `rules` are the texts of RRULE; `more` and `less` are RDATE and
    EXDATE; `more` may give an occurrence a length of its own.
    """

    uid: str
    line: int
    sequence: int | None
    cancelled: bool
    start: Moment
    length: Span | None
    slot: Moment | None
    and_future: bool
    rules: tuple[str, ...]
    more: tuple[tuple[Moment, Span | None], ...]
    less: tuple[Moment, ...]
    title: str | None
    kind: Kind
    alarms: Alarms

    @property
    def recurs(self) -> bool:
        return bool(self.rules or self.more)


def uid_of(event: Block) -> str:
    """The UID; for a component without one, a name made of what it says (the same at every export)."""
    try:
        stated = event.one("UID")
    except BadProperty:
        stated = None
    if stated is not None and stated.value.strip():
        return stated.value.strip()
    telling = ("DTSTART", "DTEND", "SUMMARY")
    said = "\n".join(text for _, text in event.content if text.upper().startswith(telling))
    return NO_UID + sha256(said.encode()).hexdigest()


def told(uid: str) -> str:
    """The UID for a report: nothing where the file gave none."""
    return "" if uid.startswith(NO_UID) else uid


def slot_of(event: Block, zones: Zones) -> Moment | None:
    """The RECURRENCE-ID of a VEVENT; BadProperty where it makes no sense."""
    stated = event.one("RECURRENCE-ID")
    return moment(stated, zones) if stated is not None else None


def read_component(event: Block, uid: str, zones: Zones, notes: Notes) -> Component:
    """What a VEVENT says. Raises BadProperty with the one reason for which it cannot be taken."""
    if event.broken:
        raise BadProperty(event.broken)
    stated = event.one("DTSTART")
    if stated is None:
        raise BadProperty("it has no DTSTART")
    start = moment(stated, zones)
    slot = slot_of(event, zones)
    range_ = event.one("RECURRENCE-ID")
    status = event.one("STATUS")
    return Component(
        uid=uid,
        line=event.line,
        sequence=_number(event.one("SEQUENCE")),
        cancelled=status is not None and status.value.strip().upper() == "CANCELLED",
        start=start,
        length=_length(event, start, zones),
        slot=slot,
        and_future=range_ is not None and range_.parameters.get("RANGE", "").upper() == "THISANDFUTURE",
        rules=_rules(event) if slot is None else (),
        more=_more(event, zones, notes) if slot is None else (),
        less=_less(event, zones, notes) if slot is None else (),
        title=_title(event.one("SUMMARY")),
        kind=_kind(event),
        alarms=read_alarms(event, told(uid), zones, notes),
    )


def _number(stated: Property | None) -> int | None:
    text = stated.value.strip() if stated else ""
    return int(text) if re.fullmatch(r"\d{1,9}", text) else None


def later(one: int | None, other: int | None) -> int | None:
    """The later of two SEQUENCEs, of which either may not be stated."""
    return max((number for number in (one, other) if number is not None), default=None)


def _length(event: Block, start: Moment, zones: Zones) -> Span | None:
    """How long it lasts: DTEND of a timed event is exact, DURATION keeps its days (RFC 5545, 3.8.5.3)."""
    dtend, duration = event.one("DTEND"), event.one("DURATION")
    one_day = Span(days=1) if start.all_day else None
    if dtend is not None:
        end = moment(dtend, zones)
        if start.all_day and end.all_day:
            days = (end.local - start.local).days
            return _not_negative(Span(days=days), dtend) or one_day
        return _not_negative(Span(seconds=int((end.instant - start.instant).total_seconds())), dtend)
    if duration is None:
        return one_day
    try:
        length = span(duration.value)
        end_of(start.local, start.zone, length)
    except (ValueError, OverflowError):
        raise BadProperty(f"DURATION on line {duration.line} is no duration") from None
    return _not_negative(length, duration) or one_day


def _not_negative(length: Span, stated: Property) -> Span:
    if length.days < 0 or length.seconds < 0:
        raise BadProperty(f"it ends before it starts ({stated.name} on line {stated.line})")
    return length


def _rules(event: Block) -> tuple[str, ...]:
    rules = tuple(dict.fromkeys(rule.value.strip() for rule in event.all("RRULE") if rule.value.strip()))
    if len(rules) > MAX_RULES:
        raise BadProperty(f"it has more than {MAX_RULES} RRULEs")
    if next(event.all("EXRULE"), None) is not None:
        raise BadProperty("it has an EXRULE, which RFC 5545 did away with")
    return rules


def _more(event: Block, zones: Zones, notes: Notes) -> tuple[tuple[Moment, Span | None], ...]:
    found: dict[Moment, Span | None] = {}
    for stated in _dates(event, "RDATE", notes):
        for text in stated.value.split(","):
            if text.strip():
                at, length = _period(text, stated, zones)
                found[at] = length
    return tuple(found.items())


def _dates(event: Block, name: str, notes: Notes) -> list[Property]:
    """The properties of this name, which hold dates; counted before any of them is looked at."""
    stated = list(event.all(name))
    count = sum(one.value.count(",") + 1 for one in stated)
    if count > MAX_DATES:
        raise BadProperty(f"it has more than {MAX_DATES} {name}s")
    if count and notes.dates + count > MAX_DATES_OF_FILE:
        raise BadProperty(f"the file has more than {MAX_DATES_OF_FILE} EXDATEs and RDATEs up to here")
    notes.dates += count
    return stated


def _period(text: str, stated: Property, zones: Zones) -> tuple[Moment, Span | None]:
    """An RDATE: a moment, or a period with an end or a duration."""
    first, slash, rest = text.partition("/")
    start = moment(_alone(stated, first), zones)
    if not slash:
        return start, None
    if rest.strip()[:1].upper() in ("P", "+", "-"):
        try:
            return start, _not_negative(span(rest), stated)
        except ValueError:
            raise BadProperty(f"RDATE on line {stated.line} holds a period that makes no sense") from None
    end = moment(_alone(stated, rest), zones)
    return start, _not_negative(Span(seconds=int((end.instant - start.instant).total_seconds())), stated)


def _alone(stated: Property, value: str) -> Property:
    return Property(stated.name, stated.parameters, value, stated.line)


def _less(event: Block, zones: Zones, notes: Notes) -> tuple[Moment, ...]:
    return tuple(one for stated in _dates(event, "EXDATE", notes) for one in moments(stated, zones))


def _title(stated: Property | None) -> str | None:
    """The SUMMARY: unescaped, in one line, without control characters, at most 500 characters."""
    if stated is None:
        return None
    lines = (line.strip() for line in str(unescape_backslash(stated.value)).splitlines())
    text = " ".join(line for line in lines if line)
    text = "".join(letter for letter in text if not _is_control(letter)).strip()
    return text[:MAX_TITLE].rstrip() or None


def _is_control(letter: str) -> bool:
    return letter < " " or "\x7f" <= letter <= "\x9f"


def _kind(event: Block) -> Kind:
    for stated in event.all("CATEGORIES"):
        for word in stated.value.split(","):
            if word.strip().lower() in _KINDS:
                return Kind(word.strip().lower())
    return Kind.OTHER
