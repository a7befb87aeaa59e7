"""Handlers of touches from installed packages, by the entry point group `tickler.touch_handlers`.

See docs/guides/write-a-touch-handler.md.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points

from adapters.settings import WrongSetting
from application.ports.work import TouchHandler

GROUP = "tickler.touch_handlers"
KIND = re.compile(r"[a-z][a-z0-9_-]{0,39}")


class WrongHandler(WrongSetting):
    """One line: a kind that is none or stands twice, or a handler that cannot be loaded."""


class Kinds(Collection[str]):
    """The kinds that are built in and those that packages bring; found when asked for, and none is loaded."""

    def __init__(self, built_in: Mapping[str, TouchHandler]) -> None:
        self._built_in = built_in

    @cached_property
    def _all(self) -> frozenset[str]:
        return frozenset(self._built_in) | frozenset(_installed(self._built_in))

    def __contains__(self, kind: object) -> bool:
        return kind in self._all

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._all))

    def __len__(self) -> int:
        return len(self._all)


def load_handlers(built_in: Mapping[str, TouchHandler]) -> Mapping[str, TouchHandler]:
    """Those that are built in, and those of installed packages, which are imported for it."""
    return {**built_in, **{kind: _loaded(point) for kind, point in _installed(built_in).items()}}


def _installed(built_in: Collection[str]) -> Mapping[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        if not KIND.fullmatch(point.name):
            raise WrongHandler(
                f"{GROUP}: {point.name[:60]!r} is no kind: lower-case letters, digits, - and _ are wanted"
            )
        if point.name in built_in:
            raise WrongHandler(f"{GROUP}: {point.name!r} is built in; {point.value} cannot have its name")
        if point.name in found and found[point.name].value != point.value:
            both = sorted((found[point.name].value, point.value))
            raise WrongHandler(f"{GROUP}: {point.name!r} is both {' and '.join(both)}")
        found[point.name] = point
    return found


def _loaded(point: EntryPoint) -> TouchHandler:
    wrong = f"{GROUP}: {point.name!r}: {point.value}"
    try:
        handler = point.load()
    except Exception as problem:
        raise WrongHandler(f"{wrong} cannot be loaded: {type(problem).__name__}") from None
    if not callable(handler) or isinstance(handler, type):
        raise WrongHandler(f"{wrong} is nothing that can be called with a piece of work")
    made: TouchHandler = handler
    return made
