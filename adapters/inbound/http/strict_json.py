"""Bodies as strangers send them: bounded in size and depth, and of one meaning only (RFC 8259, RFC 7493).

What passes here is read again by frameworks that know no better than the last of two equal keys.
"""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from domain.errors import Invalid

MOST_BYTES = 64 * 1024
DEEPEST = 16
LARGEST = 2**53 - 1
NO_CHARACTER = "it holds what is no character (a NUL or half of a surrogate pair)"
# A string that does not end is one to the end: else each of its quotes would be looked at as a beginning.
_MARKS = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


class NoJson(Invalid):
    """No reader can make anything of it."""


def check_json(body: bytes) -> None:
    """NoJson for what is none, Invalid for what two readers may understand differently; each in one line."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise NoJson("body: it is not UTF-8") from None
    if text.startswith("\ufeff"):
        raise NoJson("body: it begins with a byte order mark")
    _check_depth(text)
    try:
        json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_no_number,
        )
    except json.JSONDecodeError as problem:
        raise NoJson(f"body: it is no JSON from its character {problem.pos + 1} on") from None
    check_characters(json.loads(text), "body")


def _check_depth(text: str) -> None:
    depth = 0
    for mark in _MARKS.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(mark[0], 0)
        if depth > DEEPEST:
            raise Invalid(f"body: it is nested more than {DEEPEST} deep")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise Invalid("body: an object has the same key twice")
    return made


def _integer(digits: str) -> int:
    if len(digits) > 17 or abs(int(digits)) > LARGEST:
        raise Invalid(f"body: a whole number is beyond {LARGEST}")
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits[:400])
    if len(digits) > 400 or not math.isfinite(number):
        raise Invalid("body: a number is too large")
    return number


def _no_number(word: str) -> float:
    raise Invalid(f"body: {word} is no number in JSON")


def check_characters(value: Any, whole: str) -> None:
    """Invalid, naming the member of `whole`, for a text that holds a NUL or half of a surrogate pair."""
    for place, text in _texts(value, ""):
        if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
            raise Invalid(f"{place[1:101] or whole}: {NO_CHARACTER}")


def _texts(value: Any, place: str) -> Iterator[tuple[str, str]]:
    """Every text in it, keys too, and at which member it is."""
    match value:
        case str():
            yield place, value
        case list():
            for one in value:
                yield from _texts(one, place)
        case dict():
            for key, one in value.items():
                yield place, key
                yield from _texts(one, f"{place}.{key}" if key.isidentifier() else place)
