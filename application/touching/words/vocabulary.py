"""The words for times that are understood, English and Russian; each names one thing."""

import re
from collections.abc import Iterable, Mapping
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


def _with_tens(small: Mapping[str, float], tens: Mapping[str, float], joints: str) -> Mapping[str, float]:
    ones = [(word, number) for word, number in small.items() if 1 <= number <= 9 and number % 1 == 0]
    return dict(tens) | {
        f"{ten}{joint}{one}": many + few
        for ten, many in tens.items()
        for one, few in ones
        for joint in joints
    }


_ENGLISH = _counted("one two three four five six seven eight nine ten eleven twelve", 1)
_RUSSIAN = {
    **_counted("один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать", 1),
    **dict.fromkeys(["одну", "одна"], 1),
    "две": 2,
}
NUMBERS: Mapping[str, float] = {
    "a": 1,
    "an": 1,
    "half a": 0.5,
    "half an": 0.5,
    **dict.fromkeys(["a quarter of an", "quarter of an"], 0.25),
    "three quarters of an": 0.75,
    **dict.fromkeys(["a couple of", "couple of", "a couple"], 2),
    **_ENGLISH,
    **_counted("thirteen fourteen fifteen sixteen seventeen eighteen nineteen", 13),
    **_with_tens(_ENGLISH, {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60}, " -"),
    "ninety": 90,
    **_RUSSIAN,
    **_counted("тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать", 13),
    **_with_tens(
        _RUSSIAN, {"двадцать": 20, "тридцать": 30, "сорок": 40, "пятьдесят": 50, "шестьдесят": 60}, " "
    ),
    "девяносто": 90,
    "пару": 2,
    **_counted("двое трое четверо", 2),
    **dict.fromkeys(["полтора", "полторы"], 1.5),
    "четверть": 0.25,
}
AND_A_HALF = ("and a half", "с половиной")
UNITS: Mapping[str, str] = {
    **dict.fromkeys(["second", "seconds", "sec", "secs", "s"], "second"),
    **dict.fromkeys(["секунду", "секунды", "секунд", "сек", "с"], "second"),
    **dict.fromkeys(["minute", "minutes", "min", "mins", "m"], "minute"),
    **dict.fromkeys(["минуту", "минуты", "минут", "минутку", "минуточку", "мин"], "minute"),
    **dict.fromkeys(["hour", "hours", "hr", "hrs", "h", "час", "часа", "часов", "часик", "ч"], "hour"),
    **dict.fromkeys(["day", "days", "день", "дня", "дней", "денек", "сутки", "суток"], "day"),
    **dict.fromkeys(["week", "weeks", "неделю", "недели", "недель", "недельку"], "week"),
    **dict.fromkeys(["fortnight", "fortnights"], "fortnight"),
    **dict.fromkeys(["month", "months", "месяц", "месяца", "месяцев"], "month"),
    **dict.fromkeys(["year", "years", "год", "года", "лет"], "year"),
}
HALVES: Mapping[str, tuple[float, str]] = {
    "полминуты": (0.5, "minute"),
    "полчаса": (0.5, "hour"),
    "полчасика": (0.5, "hour"),
    "полмесяца": (0.5, "month"),
    "полгода": (6, "month"),
}
PARTS_OF_DAY: Mapping[str, time] = {
    **dict.fromkeys(("morning", "in the morning", "утром", "с утра"), time(9)),
    **dict.fromkeys(
        ("noon", "at noon", "midday", "at midday", "полдень", "в полдень", "к полудню"), time(12)
    ),
    **dict.fromkeys(("afternoon", "in the afternoon", "днем"), time(15)),
    **dict.fromkeys(("evening", "in the evening", "вечером", "к вечеру"), time(19)),
}
MIDNIGHT = frozenset(("midnight", "at midnight", "полночь", "в полночь"))
SAME_TIME = frozenset(
    (
        "at this time",
        "at the same time",
        "same time",
        "this time",
        "в это время",
        "в это же время",
        "в то же время",
    )
)
HOURS: Mapping[str, int] = {
    **{word: int(number) for word, number in _ENGLISH.items()},
    **{word: int(number) for word, number in _RUSSIAN.items() if word not in ("одну", "одна", "две")},
    "час": 1,
}
"""The hour of the half or quarter that has begun: половина десятого is 9:30."""
HOURS_BEGUN: Mapping[str, int] = {
    word: int(hour)
    for word, hour in _counted(
        "первого второго третьего четвертого пятого шестого седьмого восьмого девятого десятого"
        " одиннадцатого двенадцатого",
        1,
    ).items()
}
MORNING_WORDS = frozenset(("am", "a.m", "a.m.", "утра", "in the morning", "morning", "утром", "с утра"))
LATE_WORDS = frozenset(
    (
        *("pm", "p.m", "p.m.", "дня", "вечера", "in the afternoon", "in the evening"),
        *("afternoon", "evening", "днем", "вечером", "к вечеру"),
    )
)
NIGHT_WORDS = frozenset(("ночи", "at night"))
VAGUE = frozenset(
    {
        *("soon", "later", "sometime", "someday", "позже", "потом", "скоро", "как-нибудь", "попозже"),
        *("later today", "in a while", "in a bit", "in a few minutes", "in a few hours", "in a few days"),
        *(
            "asap",
            "as soon as possible",
            "какое-то время спустя",
            "через какое-то время",
            "через некоторое время",
        ),
        *("через несколько минут", "через несколько часов", "через несколько дней", "на днях"),
        *("this week", "next week", "next month", "this month", "next year", "later this week"),
        *("this weekend", "next weekend", "at the weekend", "on the weekend", "over the weekend"),
        *("на этой неделе", "на следующей неделе", "в этом месяце", "в следующем месяце", "в следующем году"),
        *("в выходные", "на выходных", "в эти выходные", "в следующие выходные"),
        *("end of the day", "end of day", "at the end of the day", "eod", "by the end of the day"),
        *("end of the week", "at the end of the week", "end of the month", "at the end of the month"),
        *(
            "в конце дня",
            "к концу дня",
            "в конце недели",
            "к концу недели",
            "в конце месяца",
            "к концу месяца",
        ),
        *(
            "ночью",
            "at night",
            "сегодня ночью",
            "завтра ночью",
            "tomorrow night",
            "after lunch",
            "after work",
        ),
        *("после обеда", "завтра после обеда", "сегодня после обеда", "after lunch tomorrow", "после работы"),
    }
)
AGAIN_AND_AGAIN = (
    *("every ", "each ", "daily", "weekly", "monthly", "yearly", "on weekdays"),
    *("каждый ", "каждую ", "каждое ", "каждые ", "ежедневно", "еженедельно", "ежемесячно", "по будням"),
)
NOW = frozenset(
    ("now", "right now", "at once", "immediately", "сейчас", "прямо сейчас", "сразу", "немедленно")
)
GONE = re.compile(r".* (?:ago|назад)|(?:yesterday|вчера|позавчера|last )\b.*")


def any_of(words: Iterable[str]) -> str:
    """An expression for any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def simple(text: str) -> str:
    """In small letters, with single spaces and a point in numbers, without what means nothing."""
    small = text.casefold().replace("ё", "е").replace("’", "'")
    pointed = re.sub(r"(?<=\d),(?=\d{1,2}(?!\d))", ".", small)
    return " ".join(pointed.replace(",", " ").split()).rstrip(".!?")
