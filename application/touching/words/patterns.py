"""How days are said: each expression ends with `time`, the words of a time of day, where there are any."""

import re
from collections.abc import Sequence

from application.touching.words.vocabulary import DAYS, MONTHS, WEEKDAYS, any_of

_TIME = r"(?:\s+(?P<time>.+))?"
_WEEKDAY_WORD = any_of(WEEKDAYS)
DAY = re.compile(rf"(?:на\s+)?(?P<day>{any_of(DAYS)}){_TIME}")
_WHICH = (
    "this coming|the coming|this|next|coming|этот|эту|это|следующий|следующую|следующее|ближайший|ближайшую"
    "|ближайшее"
)
WEEKDAY = re.compile(rf"(?:(?:on|в|во|на)\s+)?(?:(?P<which>{_WHICH})\s+)?(?P<weekday>{_WEEKDAY_WORD}){_TIME}")
_MONTH = any_of(MONTHS)
_TH = "(?:st|nd|rd|th|-?(?:го|е|ое))?"
# A weekday may stand before a date, and has to be that of the date.
_ON = rf"(?:(?:on|в|во|на)\s+)?(?:(?P<weekday>{_WEEKDAY_WORD})\s+)?"
NAMED_DATE = re.compile(
    rf"{_ON}(?:(?:the\s+)?(?P<d1>\d{{1,2}}){_TH}\s+(?:of\s+)?(?P<m1>{_MONTH})"
    rf"|(?P<m2>{_MONTH})\.?\s+(?:the\s+)?(?P<d2>\d{{1,2}}){_TH})(?![:\d])"
    rf"(?:\s+(?P<year>\d{{4}})(?:\s+(?:года|год|г\.?))?(?!\w))?{_TIME}"
)
_MONTH_NUMBER = "(?P<m>0?[1-9]|1[0-2])"
DOTTED_DATE = re.compile(
    rf"{_ON}(?P<d>\d{{1,2}})\.{_MONTH_NUMBER}(?:\.(?P<year>\d{{4}}|\d{{2}}))?(?:\s+г(?:ода)?\.?)?{_TIME}"
)
SLASHED_DATE = re.compile(rf"{_ON}(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})(?:/(?P<year>\d{{4}}|\d{{2}}))?{_TIME}")
ISO_DATE = re.compile(rf"{_ON}(?P<year>\d{{4}})-(?P<m>\d{{1,2}})-(?P<d>\d{{1,2}})(?:t(?=\d))?{_TIME}")
ISO_LIKE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[t ].*)?")
_OF_NEXT = r"(?:\s+(?:of\s+)?(?P<of>next month|this month|следующего месяца|этого месяца))?"
DAY_OF_MONTH = re.compile(
    rf"(?:on\s+)?(?:(?:the\s+)?(?P<d1>\d{{1,2}})(?:st|nd|rd|th)|(?P<d2>\d{{1,2}})(?:-?го)?\s+числа"
    rf"|(?P<d3>\d{{1,2}})-?го){_OF_NEXT}{_TIME}"
)
FROM = re.compile(rf"(?P<span>.+?)\s+(?:from|after)\s+(?P<day>now|{any_of(DAYS)}|{_WEEKDAY_WORD}){_TIME}")
INSTEAD: Sequence[tuple[re.Pattern[str], str]] = (
    (re.compile(r"\btonight\b(?: evening)?"), "today evening"),
    (re.compile(r"\b(?:later )?this (morning|afternoon|evening)\b"), r"today \1"),
    (
        re.compile(r"\bfirst thing (?:in the morning )?tomorrow\b|\btomorrow first thing\b"),
        "tomorrow morning",
    ),
    (re.compile(rf"(?:on\s+)?({_WEEKDAY_WORD}) week\b"), r"a week from \1"),
    (re.compile(r"^(?:next|следующий) (?:day|день)\b|^на следующий день\b"), "tomorrow"),
)
