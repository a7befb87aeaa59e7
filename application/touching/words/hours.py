"""A time of day in words: by the 24-hour clock, unless a part of the day is said with it."""

import re
from datetime import time

from application.touching.words.vocabulary import (
    HOURS,
    HOURS_BEGUN,
    LATE_WORDS,
    MIDNIGHT,
    MORNING_WORDS,
    NIGHT_WORDS,
    PARTS_OF_DAY,
    any_of,
)
from domain.errors import Invalid

_AT = r"(?:(?:at|around|about|by|в|во|к|по|около)\s+)?"
_HALF = any_of({"am", "pm", "a.m", "a.m.", "p.m", "p.m.", *MORNING_WORDS, *LATE_WORDS, *NIGHT_WORDS})
_SAID_HALF = rf"(?:\s*(?P<half>{_HALF}))?"
_CLOCK = re.compile(
    rf"{_AT}(?:(?P<hour>\d{{1,2}})(?:[:.h-](?P<minute>\d{{2}}))?|(?P<word>{any_of(HOURS)}))"
    rf"(?:\s*(?:o'clock|oclock|часов|часа|час|ч|h)(?!\w))?{_SAID_HALF}"
)
_PAST = re.compile(
    rf"{_AT}(?P<what>half|(?:a\s+)?quarter)\s+(?P<way>past|to)\s+"
    rf"(?:(?P<hour>\d{{1,2}})|(?P<word>{any_of(HOURS)})){_SAID_HALF}"
)
_BEGUN = re.compile(
    rf"(?:в\s+)?(?P<what>половине\s|половину\s|половина\s|пол[ -]?|четверть\s)"
    rf"(?P<begun>{any_of(HOURS_BEGUN)}){_SAID_HALF}"
)
_SHORT_OF = re.compile(rf"без\s+четверти\s+(?:(?P<hour>\d{{1,2}})|(?P<word>{any_of(HOURS)})){_SAID_HALF}")
_IN_PART = re.compile(rf"(?P<part>{any_of(PARTS_OF_DAY)})\s+(?P<clock>.+)")
HALF_AN_HOUR, QUARTER, THREE_QUARTERS = 30, 15, 45


def hour_in(text: str) -> time | None:
    """The time of day that the words are; None for other words, Invalid for an hour that there is not."""
    if text in PARTS_OF_DAY:
        return PARTS_OF_DAY[text]
    if text in MIDNIGHT:
        return time(0)
    if match := _IN_PART.fullmatch(text):
        clock = _CLOCK.fullmatch(match["clock"])
        return None if clock is None else _read(clock, int(clock["minute"] or 0), half=match["part"])
    if match := _CLOCK.fullmatch(text):
        return _read(match, int(match["minute"] or 0))
    if match := _PAST.fullmatch(text):
        is_half, is_to = match["what"] == "half", match["way"] == "to"
        if is_half and is_to:
            return None
        return _read(match, HALF_AN_HOUR if is_half else THREE_QUARTERS if is_to else QUARTER, is_to=is_to)
    if match := _SHORT_OF.fullmatch(text):
        return _read(match, THREE_QUARTERS, is_to=True)
    if match := _BEGUN.fullmatch(text):
        minute = QUARTER if match["what"].startswith("четв") else HALF_AN_HOUR
        return _of(HOURS_BEGUN[match["begun"]], minute, match["half"] or "", is_to=True)
    return None


def _read(match: re.Match[str], minute: int, *, half: str | None = None, is_to: bool = False) -> time:
    hour = int(match["hour"]) if match["hour"] else HOURS[match["word"]]
    return _of(hour, minute, half or match["half"] or "", is_to=is_to)


def _of(hour: int, minute: int, half: str, *, is_to: bool) -> time:
    """The hour by the 24-hour clock; with `is_to` the minutes are those of the hour before it."""
    said = f"{hour}:{minute:02d}" + (f" {half}" if half else "")
    if hour > 23 or minute > 59 or (hour > 12 and half in MORNING_WORDS | NIGHT_WORDS):
        raise Invalid(f"when: there is no hour {said}")
    if half in MORNING_WORDS | NIGHT_WORDS and hour == 12:
        hour = 0
    if (half in LATE_WORDS and 1 <= hour < 12) or (half in NIGHT_WORDS and 6 <= hour < 12):
        hour += 12
    return time((hour - 1) % 24 if is_to else hour, minute)
