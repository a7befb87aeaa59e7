"""The functions that the migrations leave in the schema, as their files have them."""

import re
from collections.abc import Iterable, Mapping

from attrs import frozen

FUNCTION = re.compile(r"create (?:or replace )?function (tickler\.(\w+)\(.*?)\bas \$\$(.*?)\$\$;", re.DOTALL)
DROPPED = re.compile(r"drop function (?:if exists )?tickler\.(\w+)")
SEARCH_PATH = re.compile(r"\bset search_path = ([\w, ]+?)\s*$")


@frozen
class Function:
    """`head` begins with the name and goes as far as the body; `settings` are those of `pg_proc`."""

    head: str
    body: str

    @property
    def text(self) -> str:
        return f"create or replace function {self.head}as $${self.body}$$"

    @property
    def is_definer(self) -> bool:
        return "security definer" in self.head

    @property
    def settings(self) -> list[str]:
        return [f"search_path={path}" for path in SEARCH_PATH.findall(self.head)]


def functions_of(migrations: Iterable[str]) -> Mapping[str, Function]:
    """By name; of one that is made again the last counts."""
    made: dict[str, Function] = {}
    for text in migrations:
        made |= {name: Function(head, body) for head, name, body in FUNCTION.findall(text)}
        for name in DROPPED.findall(text):
            made.pop(name, None)
    return made
