"""So much time, in words: "in two hours and a half", "через 2 ч 30 мин", "a week from Tuesday"."""

import calendar
import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from attrs import frozen

from application.touching.words.vocabulary import AND_A_HALF, HALVES, NUMBERS, UNITS, any_of
from domain.errors import Invalid
from domain.values import LATEST

_HALF = rf"(?:\s+(?:{any_of(AND_A_HALF)}))"
_AMOUNT = re.compile(
    rf"(?:(?:(?P<digits>\d{{1,4}}(?:\.\d{{1,2}})?)|(?P<word>{any_of(NUMBERS)})(?!\w))(?P<half>{_HALF})?\s*)?"
    rf"(?P<unit>{any_of(UNITS)})(?![^\W\d_])(?P<half_more>{_HALF})?"
)
_HALVED = re.compile(rf"(?P<halved>{any_of(HALVES)})(?!\w)")
_AND = re.compile(r"\s*(?:(?:and|и)\s+)?")
_IN = re.compile(r"(?:in|after|через|спустя)\s+(?:about\s+|around\s+|примерно\s+)?")
_TURNED = re.compile(
    rf"(?P<unit>{any_of(UNITS)})\s+через\s+(?P<number>\d{{1,4}}|{any_of(NUMBERS)})(?P<rest>.*)"
)
_TIME = re.compile(r"(?<=s)'?\s+time\b|(?<=[a-z])'s\s+time\b")
SMALL = {"second": 1, "minute": 60, "hour": 3600}
MOST_AMOUNTS = 4


@frozen
class Span:
    """Amounts of units, the largest number of kinds being four, and the words that come after them."""

    amounts: tuple[tuple[float, str], ...]
    rest: str

    @property
    def seconds(self) -> float:
        """Of the units whose length is the same on every day."""
        return sum(count * SMALL[unit] for count, unit in self.amounts if unit in SMALL)

    @property
    def large(self) -> tuple[tuple[float, str], ...]:
        return tuple((count, unit) for count, unit in self.amounts if unit not in SMALL)


def span_in(text: str) -> Span | None:
    """What "in …" says; None for other words."""
    if match := _TURNED.fullmatch(text):
        text = f"через {match['number']} {match['unit']}{match['rest']}"
    prefix = _IN.match(text)
    return None if prefix is None else amounts_in(_TIME.sub("", text[prefix.end() :]))


def amounts_in(text: str) -> Span | None:
    """The amounts that the words begin with; None where they begin with none."""
    found: list[tuple[float, str]] = []
    while len(found) < MOST_AMOUNTS:
        joint = _AND.match(text)
        at = joint.end() if joint and found else 0
        if halved := _HALVED.match(text, at):
            found.append(HALVES[halved["halved"]])
            text = text[halved.end() :]
        elif match := _AMOUNT.match(text, at):
            found.append((_count(match), UNITS[match["unit"]]))
            text = text[match.end() :]
        else:
            break
    return Span(tuple(found), text.strip()) if found else None


def _count(match: re.Match[str]) -> float:
    more = 0.5 if match["half"] or match["half_more"] else 0
    if match["digits"]:
        return float(match["digits"]) + more
    return (NUMBERS[match["word"]] if match["word"] else 1) + more


def later(since: datetime, amounts: Sequence[tuple[float, str]]) -> datetime:
    """So many days, weeks, months or years on by the calendar, at the same wall clock."""
    months, days, hours = 0, 0, 0.0
    for count, unit in amounts:
        whole, part = int(count), count % 1
        match unit:
            case "year" if (12 * count) % 1 == 0:
                months += int(12 * count)
            case "month" if part in (0, 0.5):
                months += whole
                days += 15 if part else 0
            case "fortnight" | "week":
                days += int(count * (14 if unit == "fortnight" else 7))
            case "day":
                days += whole
                hours += 24 * part
            case _:
                raise Invalid(f"when: {count:g} of a {unit} is not understood; say it in days")
    try:
        day = _months_on(since.date(), months) + timedelta(days=days)
        return datetime.combine(day, since.time()) + timedelta(hours=hours)
    except (OverflowError, ValueError):
        raise Invalid("when: that is too far") from None


def _months_on(day: date, months: int) -> date:
    month = day.year * 12 + day.month - 1 + months
    year, month = month // 12, month % 12 + 1
    if not 1 <= year <= LATEST.year:
        raise ValueError
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))
