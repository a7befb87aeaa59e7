"""The words for times that are understood, English and Russian; each names one thing."""

import re
from collections.abc import Mapping
from datetime import time

WEEKDAYS: Mapping[str, int] = {
    word: day
    for day, words in enumerate(
        (
            "monday mon понедельник пн",
            "tuesday tue tues вторник вт",
            "wednesday wed среда среду ср",
            "thursday thu thurs четверг чт",
            "friday fri пятница пятницу пт",
            "saturday sat суббота субботу сб",
            "sunday sun воскресенье воскресение вс",
        )
    )
    for word in words.split()
}
MONTHS: Mapping[str, int] = {
    word: month
    for month, words in enumerate(
        (
            "january jan января",
            "february feb февраля",
            "march mar марта",
            "april apr апреля",
            "may мая",
            "june jun июня",
            "july jul июля",
            "august aug августа",
            "september sep sept сентября",
            "october oct октября",
            "november nov ноября",
            "december dec декабря",
        ),
        1,
    )
    for word in words.split()
}
DAYS: Mapping[str, int] = {
    "today": 0,
    "сегодня": 0,
    "tomorrow": 1,
    "завтра": 1,
    "the day after tomorrow": 2,
    "day after tomorrow": 2,
    "послезавтра": 2,
}


def _counted(words: str, first: int) -> Mapping[str, float]:
    return {word: number for number, word in enumerate(words.split(), first)}


NUMBERS: Mapping[str, float] = {
    "a": 1,
    "an": 1,
    "half a": 0.5,
    "half an": 0.5,
    "one and a half": 1.5,
    "a couple of": 2,
    **_counted("one two three four five six seven eight nine ten eleven twelve", 1),
    **dict.fromkeys(["один", "одну", "одна"], 1),
    **dict.fromkeys(["два", "две", "пару"], 2),
    **dict.fromkeys(["полтора", "полторы"], 1.5),
    **_counted("три четыре пять шесть семь восемь девять десять одиннадцать двенадцать", 3),
}
UNITS: Mapping[str, str] = {
    **dict.fromkeys(["minute", "minutes", "min", "mins", "минуту", "минуты", "минут", "мин"], "minute"),
    **dict.fromkeys(["hour", "hours", "h", "час", "часа", "часов", "ч"], "hour"),
    **dict.fromkeys(["day", "days", "день", "дня", "дней"], "day"),
    **dict.fromkeys(["week", "weeks", "неделю", "недели", "недель"], "week"),
    **dict.fromkeys(["month", "months", "месяц", "месяца", "месяцев"], "month"),
    **dict.fromkeys(["year", "years", "год", "года", "лет"], "year"),
}
HALVES: Mapping[str, tuple[float, str]] = {"полчаса": (0.5, "hour"), "полгода": (6, "month")}
PARTS_OF_DAY: Mapping[str, time] = {
    **dict.fromkeys(("morning", "in the morning", "утром"), time(9)),
    **dict.fromkeys(("noon", "at noon", "в полдень"), time(12)),
    **dict.fromkeys(("afternoon", "in the afternoon", "днем"), time(15)),
    **dict.fromkeys(("evening", "in the evening", "вечером"), time(19)),
}
VAGUE = frozenset(
    {
        *("soon", "later", "sometime", "someday", "позже", "потом", "скоро", "как-нибудь"),
        *("this week", "next week", "next month"),
        *("на этой неделе", "на следующей неделе", "в следующем месяце"),
    }
)


def any_of(words: Mapping[str, object]) -> str:
    """An expression for any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def simple(text: str) -> str:
    """In small letters, with single spaces and without the dots and commas that mean nothing."""
    return " ".join(text.casefold().replace("ё", "е").replace(",", " ").split()).rstrip(".!")
