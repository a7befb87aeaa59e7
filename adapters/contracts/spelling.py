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
            return f'"(?:{_not_kept(pattern[1:-1])})"'
        case {"type": "integer", "const": int(number)}:
            return str(number)
        case {"type": "integer", "minimum": int(low), "maximum": int(high)} if low < 0 < high:
            # Numbers with as many digits as a bound may lie past it, and are left to the thorough check.
            digits = min(len(str(-low)), len(str(high))) - 1
            return rf"(?:0|-?[1-9][0-9]{{0,{digits - 1}}})"
        case {"type": "boolean"}:
            return "(?:true|false)"
    raise ValueError("no closed list, anchored pattern, whole number with bounds, or true or false")


def _not_kept(pattern: str) -> str:
    return re.sub(r"(?<!\\)\((?!\?)", "(?:", pattern)
