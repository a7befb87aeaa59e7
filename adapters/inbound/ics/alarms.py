"""VALARM components become triggers (RFC 5545 section 3.6.6).

Read from the text: a library's timedelta does not tell `-P1D` (same wall clock) from `-PT24H` (24 hours).
"""

import re
from collections.abc import Iterator
from datetime import timedelta

from attrs import frozen

from adapters.inbound.ics.moments import Span, moment, span
from adapters.inbound.ics.notes import Notes
from adapters.inbound.ics.source import BadProperty, Block, Property
from adapters.inbound.ics.zones import Zones
from domain.errors import Invalid
from domain.triggers import (
    MAX_TRIGGERS,
    AtInstant,
    DaysBeforeEnd,
    DaysBeforeStart,
    MinutesBeforeEnd,
    MinutesBeforeStart,
    Trigger,
)

MAX_REPEATS = 10
_REPEAT = re.compile(r"\d{1,18}")


@frozen
class Alarms:
    """The triggers of one event, each once. `none_wanted`: the file says outright that there is no alarm."""

    triggers: tuple[Trigger, ...]
    none_wanted: bool = False


def read_alarms(event: Block, uid: str, zones: Zones, notes: Notes) -> Alarms:
    """The alarms of a VEVENT; one that cannot be read costs itself only."""
    found: dict[Trigger, None] = {}
    none_wanted = False
    for block in event.inside("VALARM"):
        try:
            if block.broken:
                raise BadProperty(block.broken)
            action = block.one("ACTION")
            if action is not None and action.value.strip().upper() == "NONE":
                none_wanted = True
                continue
            triggers = list(_triggers(block, zones, notes))
        except (BadProperty, Invalid, OverflowError) as problem:
            notes.refuse("VALARM", uid, block.line, str(problem))
            continue
        new = [one for one in dict.fromkeys(triggers) if one not in found]
        if not new:
            notes.counts["alarms_collapsed"] += 1
        elif len(found) + len(new) > MAX_TRIGGERS:
            notes.refuse("VALARM", uid, block.line, f"the event has more than {MAX_TRIGGERS} reminders")
        else:
            found.update(dict.fromkeys(new))
    return Alarms(tuple(found), none_wanted and not found)


def _triggers(alarm: Block, zones: Zones, notes: Notes) -> Iterator[Trigger]:
    stated = alarm.one("TRIGGER")
    if stated is None:
        raise BadProperty("it has no TRIGGER")
    repeats, gap = _repeats(alarm, notes)
    for number in range(repeats + 1):
        yield _trigger(stated, zones, gap * number)


def _repeats(alarm: Block, notes: Notes) -> tuple[int, timedelta]:
    """How many more times, and how far apart; none without both REPEAT and DURATION."""
    repeat, duration = alarm.one("REPEAT"), alarm.one("DURATION")
    if repeat is None or duration is None:
        return 0, timedelta(0)
    if not _REPEAT.fullmatch(repeat.value.strip()):
        raise BadProperty(f"REPEAT on line {repeat.line} is no number")
    try:
        gap = span(duration.value)
    except ValueError:
        raise BadProperty(f"DURATION on line {duration.line} is no duration") from None
    times = int(repeat.value)
    if times > MAX_REPEATS:
        notes.warn(f"an alarm repeats more than {MAX_REPEATS} times; {MAX_REPEATS} were taken", repeat.line)
    return min(times, MAX_REPEATS), timedelta(days=gap.days, seconds=gap.seconds)


def _trigger(stated: Property, zones: Zones, later: timedelta) -> Trigger:
    if not re.match(r"[+-]?P", stated.value.strip(), re.IGNORECASE):
        at = moment(stated, zones)
        if at.all_day:
            raise BadProperty(f"TRIGGER on line {stated.line} is a date; a date-time or a duration is wanted")
        return AtInstant(at.instant + later)
    try:
        after = span(stated.value)
    except ValueError:
        raise BadProperty(f"TRIGGER on line {stated.line} is no duration") from None
    related = stated.parameters.get("RELATED", "START").upper()
    minutes = _minutes_before(after) - _minutes(later)
    if related == "END":
        return DaysBeforeEnd(-after.days, minutes) if after.days else MinutesBeforeEnd(minutes)
    return DaysBeforeStart(-after.days, minutes=minutes) if after.days else MinutesBeforeStart(minutes)


def _minutes_before(after: Span) -> int:
    """Whole minutes before; a part of a minute makes it earlier, never later."""
    return -(after.seconds // 60)


def _minutes(later: timedelta) -> int:
    return later // timedelta(minutes=1)
