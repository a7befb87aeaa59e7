"""What a shape says no to, in a user's words: which member, and what would do."""

from collections.abc import Mapping, Sequence
from typing import Any

Problem = Mapping[str, Any]

_WANTED = {
    "missing": "it is wanted",
    "extra_forbidden": "there is no such member",
    "string_type": "a text is wanted",
    "int_type": "a whole number is wanted",
    "int_from_float": "a whole number is wanted",
    "int_parsing": "a whole number is wanted",
    "int_parsing_size": "a whole number is wanted",
    "list_type": "a list is wanted",
    "model_type": "an object is wanted",
    "model_attributes_type": "an object is wanted",
    "dict_type": "an object is wanted",
    "uuid_parsing": "an id is wanted, such as 0198c5f0-7d3e-7000-8000-0123456789ab",
    "string_too_long": "at most {max_length} characters are wanted",
    "too_short": "at least {min_length} are wanted",
    "too_long": "at most {max_length} are wanted",
    "greater_than_equal": "{ge} or more is wanted",
    "less_than_equal": "{le} or less is wanted",
    "enum": "{expected} is wanted",
    "wanted": "{wanted} is wanted",
}


def told(problems: Sequence[Problem], outer: int = 0) -> str:
    """The first of a check's problems in one line; `outer` parts of its place are the framework's own."""
    first = problems[0]
    parts = [str(part) for part in first["loc"]]
    member = ".".join(parts[outer:] or parts)[:100] or "arguments"
    said = _WANTED.get(first["type"], "it will not do")
    return f"{member}: {said.format(**first.get('ctx', {}))}"
