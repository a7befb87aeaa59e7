"""One regular expression for a contract's messages in the spelling in which they are written here.

JSON without white space, fields in the schema's order, nothing escaped. Whatever it matches keeps the
contract; what it does not match may keep it all the same, in another spelling.
"""

import re
from collections.abc import Mapping
from typing import Any

_WRITTEN_AS_IS = re.compile(r"[A-Za-z0-9_-]+")


def spelling(schema: Mapping[str, Any]) -> re.Pattern[bytes]:
    """Wants an object of flat fields whose first is required.

    ValueError for a field of another kind: it names the field.
    """
    required = schema["required"]
    parts: list[str] = []
    for name, field in schema["properties"].items():
        try:
            value = _value(field)
        except ValueError as problem:
            raise ValueError(f"{name}: {problem}") from None
        comma = "," if parts else ""
        part = f'{comma}"{name}":{value}'
        if name not in required and not parts:
            raise ValueError(f"{name}: the first field is to be a required one")
        parts.append(part if name in required else f"(?:{part})?")
    return re.compile(rf"\{{{''.join(parts)}\}}".encode("ascii"))


def _value(field: Mapping[str, Any]) -> str:
    match field:
        case {"type": "string", "enum": [*values]} if all(_WRITTEN_AS_IS.fullmatch(one) for one in values):
            return f'"(?:{"|".join(values)})"'
        case {"type": "string", "pattern": str(pattern)} if pattern[0] == "^" and pattern[-1] == "$":
            return f'"(?:{_without_looking_back(pattern[1:-1])})"'
        case {"type": "integer", "const": int(number)}:
            return str(number)
        case {"type": "integer", "minimum": int(low), "maximum": int(high)} if low <= 0 <= high:
            return f"(?:0{_shorter_than(high)}{_shorter_than(low)})"
        case {"type": "boolean"}:
            return "(?:true|false)"
    raise ValueError("no closed list, anchored pattern, whole number within bounds about 0, or true or false")


def _shorter_than(bound: int) -> str:
    """Numbers with fewer digits than a bound; those with as many may lie past it, and are not matched."""
    sign, digits = "-" if bound < 0 else "", len(str(abs(bound))) - 1
    return f"|{sign}[1-9][0-9]{{0,{digits - 1}}}+" if digits else ""


def _without_looking_back(pattern: str) -> str:
    """The same with groups that are not kept and counts that are possessive: a third quicker.

    What is possessive matches less at most, and that is then left to the thorough check.
    """
    without_groups = re.sub(r"(?<!\\)\((?!\?)", "(?:", pattern)
    return re.sub(r"(?<!\\)\{[0-9]+(?:,[0-9]+)?\}(?![?+])", r"\g<0>+", without_groups)
