"""Whether one contract may follow another under the same version: its readers and its messages stay.

Messages of the earlier one are still on the topic and in outboxes, and readers of the earlier one are out of
our hands: each side must take the other's messages. So what is there stays as it is, and what is new is
optional.
"""

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]

TELLING = {"$comment", "title", "description", "examples"}
OF_A_CONTRACT = {"$schema", "$id", "type", "additionalProperties", "required", "properties"}
OF_A_FIELD = {"type", "format", "const", "enum", "pattern", "minimum", "maximum"}

# The only texts that are no closed lists. Whatever else is to be a text is free to hold a name or an address.
FORMS = {
    "id": r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
    "instant": r"^(19[7-9][0-9]|2[01][0-9]{2})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?Z$",
    "time zone": r"^[A-Za-z][A-Za-z0-9_+-]{0,13}(/[A-Za-z][A-Za-z0-9_+-]{0,13}){0,2}$",
}


def breaches(before: Schema, after: Schema) -> list[str]:
    """Why `after` may not follow `before`, a line each; none where it may."""
    return [*_of_the_whole(before, after), *_of_its_fields(before, after), *_of_what_it_may_say(after)]


def meaning(schema: Schema) -> Schema:
    """A schema without what only tells."""
    fields = {name: _bound(field) for name, field in schema["properties"].items()}
    return {**_bound(schema), "required": sorted(schema["required"]), "properties": fields}


def _of_the_whole(before: Schema, after: Schema) -> Iterator[str]:
    for keyword in sorted(after.keys() - OF_A_CONTRACT - TELLING):
        yield f"{keyword}: nobody knows here what it does to readers"
    for keyword in ("$schema", "$id", "type"):
        if before.get(keyword) != after.get(keyword):
            yield f"{keyword}: it was changed"
    if after.get("additionalProperties", True) is not True:
        yield "additionalProperties: readers would refuse later fields"


def _of_its_fields(before: Schema, after: Schema) -> Iterator[str]:
    old, new = before["properties"], after["properties"]
    was, is_now = set(before["required"]), set(after["required"])
    for name in sorted(old.keys() - new.keys()):
        yield f"{name}: it was removed or renamed"
    for name in sorted(is_now - was):
        yield f"{name}: it is required now, and earlier messages lack it"
    for name in sorted(was - is_now):
        yield f"{name}: it is no longer required, and readers count on it"
    for name in sorted(old.keys() & new.keys()):
        if _bound(old[name]) != _bound(new[name]):
            yield f"{name}: what it may be was changed"


def _of_what_it_may_say(schema: Schema) -> Iterator[str]:
    for name, field in schema["properties"].items():
        if unknown := sorted(field.keys() - OF_A_FIELD - TELLING):
            yield f"{name}: nobody knows here what {', '.join(unknown)} lets through"
        elif not _says_nothing_of_people(field):
            yield f"{name}: it is free to hold anything"


def _says_nothing_of_people(field: Schema) -> bool:
    match field:
        case {"type": "string", "pattern": pattern}:
            return pattern in FORMS.values()
        case {"type": "string" | "integer", "enum": _} | {"type": "string" | "integer", "const": _}:
            return True
        case {"type": "integer", "minimum": low, "maximum": high}:
            return bool(-(10**9) < low < high < 10**9)  # no room for a telephone number
        case {"type": "boolean"}:
            return True
    return False


def _bound(schema: Schema) -> Schema:
    return {keyword: value for keyword, value in schema.items() if keyword not in TELLING}
