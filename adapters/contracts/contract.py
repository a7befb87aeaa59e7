"""Holding messages to their contract: quickly where they are spelled as ours are, else by the schema."""

import json
from collections.abc import Callable, Mapping
from importlib import resources
from re import Pattern
from typing import Any

import fastjsonschema
from attrs import field, frozen
from fastjsonschema import JsonSchemaValueException

from adapters.contracts.spelling import spelling

Check = Callable[[Any], Any]


class Breach(ValueError):
    """A message that breaks its contract; the text is one line and names the field, never its value."""


@frozen
class Contract:
    """The contract of one message.

    The schema is open, as readers need it: a field that it does not name is passed over, so that a newer
    writer may have one. What is written here is held to the same schema, closed (docs/decisions/0021).
    """

    schema: Mapping[str, Any] = field(repr=False)
    is_plainly_kept: Callable[[bytes], object] = field(repr=False)
    _written: Check = field(repr=False)
    _read: Check = field(repr=False)

    @classmethod
    def named(cls, name: str) -> "Contract":
        """The contract of this name and version, such as `pin.calendar.reminder-due.v1`."""
        file = resources.files(__package__).joinpath(f"{name}.schema.json")
        return cls.of(json.loads(file.read_bytes()))

    @classmethod
    def of(cls, schema: Mapping[str, Any]) -> "Contract":
        plain: Pattern[bytes] = spelling(schema)
        closed = {**schema, "additionalProperties": False}
        return cls(schema, plain.fullmatch, _compiled(closed), _compiled(schema))

    def check_written(self, fields: Any) -> None:
        """Breach for what may not be written: also for fields that the contract does not name."""
        _check(self._written, fields)

    def check_read(self, fields: Any) -> None:
        """Breach for what cannot be read; fields that the contract does not name are no breach."""
        _check(self._read, fields)


def _compiled(schema: Mapping[str, Any]) -> Check:
    # Patterns bound the texts; what `format` says beside them is for whoever makes types from the schema.
    check: Check = fastjsonschema.compile(dict(schema), use_default=False, use_formats=False)
    return check


def _check(check: Check, fields: Any) -> None:
    try:
        check(fields)
    except JsonSchemaValueException as problem:
        raise Breach(_told(problem)) from None


def _told(problem: JsonSchemaValueException) -> str:
    """The breach in one line: names of fields come from the schema, and nothing from the message."""
    match problem.rule:
        case "additionalProperties":
            return "it has a field that the contract does not name"
        case "required":
            missing = next(name for name in problem.rule_definition if name not in problem.value)
            return _of_another_version(problem) or f"{missing}: it is missing"
        case "type" if len(problem.path) == 1:
            return "it is not a JSON object"
    return f"{problem.path[-1]}: {_wanted(problem.definition)} is wanted"


def _of_another_version(problem: JsonSchemaValueException) -> str | None:
    """Where the version is another one, that is what is wrong, and not the fields that this one lacks."""
    for name, field_ in problem.definition["properties"].items():
        if "const" in field_ and problem.value.get(name, field_["const"]) != field_["const"]:
            return f"{name}: {_wanted(field_)} is wanted"
    return None


def _wanted(field: Mapping[str, Any]) -> str:
    match field:
        case {"const": value}:
            return str(value)
        case {"enum": values}:
            return f"one of {', '.join(values)}"
        case {"minimum": low, "maximum": high}:
            return f"a whole number from {low} to {high}"
        case {"examples": [example, *_]}:
            return f"one such as {example}"
    return f"a {field['type']}"
