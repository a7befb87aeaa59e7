"""The agent's tools: put off, list, cancel, look ahead. They do what the session's client may ask for."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import frozen
from pydantic import ValidationError

from adapters.codec import instant_text
from adapters.inbound import wording
from adapters.inbound.http.strict_json import check_characters
from adapters.inbound.mcp.arguments import CancelTouch, DeferTouch, ListTouches, Upcoming
from adapters.inbound.shapes import Shape, asked, local_text, shown_shape, touch_shape
from adapters.observability.logging import log
from application.ports.errors import Busy, Conflict, Unavailable
from application.ports.tokens import Token
from application.ports.touches import KeyReused, TooMany
from application.touching.access import NotAdmitted, NotAllowed
from application.touching.asking import Ask, Asking
from application.touching.words.resolved import Unclear
from domain.errors import Invalid, NoSuchTouch, Refused
from domain.values import TouchId

Answer = dict[str, Any]


@frozen
class ToolTexts:
    """What a tool is called and how the agent is told of it."""

    name: str
    description: str
    arguments: type[Shape]
    changes: bool


TOOLS: Sequence[ToolTexts] = (
    ToolTexts(
        "defer_touch",
        "Put work off until a time, and go on with the conversation: the answer comes to the client later,"
        " here, where they asked. Returns at once with the date that your words were taken for, and a note"
        " where a clock change moves it: say both to the client. Where they may mean several dates it"
        " returns a question with the candidates, and nothing is put off: ask the client, then call again"
        " with one candidate's 'local' as 'when'.",
        DeferTouch,
        changes=True,
    ),
    ToolTexts(
        "list_touches",
        "What was put off in this conversation's place, with where each stands, oldest request first.",
        ListTouches,
        changes=False,
    ),
    ToolTexts(
        "cancel_touch",
        "Take back what was put off, by its touchId. To take it back twice changes nothing.",
        CancelTouch,
        changes=True,
    ),
    ToolTexts(
        "upcoming",
        "What was put off and will come back to the client here in the next days, soonest first. Reminders of"
        " the client's calendar come too, and are not in this list.",
        Upcoming,
        changes=False,
    ),
)


class Wrong(Exception):
    """The call will not do: one line for the agent to read."""


@frozen
class Toolbox:
    """The tools by name, over the use cases; each call says whose session it is in."""

    asking: Asking

    def call(self, name: str, arguments: Mapping[str, Any], session: Callable[[], Token]) -> Answer:
        """What the tool answers; raises Wrong with what to tell the agent instead."""
        tool = next((one for one in TOOLS if one.name == name), None)
        if tool is None:
            raise Wrong(f"there is no tool {name[:40]!r}; there are {', '.join(one.name for one in TOOLS)}")
        try:
            token = session()
            check_characters(dict(arguments), "arguments")
            return self._answer(tool.arguments.model_validate(dict(arguments)), token)
        except Exception as problem:
            raise Wrong(_line(problem)) from None

    def _answer(self, given: Shape, token: Token) -> Answer:
        match given:
            case DeferTouch():
                return self._defer(given, token)
            case ListTouches(limit=limit, after=after):
                last = None if after is None else TouchId(after)
                shown = self.asking.listed(token, limit, after=last)
                return {"touches": [_json(shown_shape(one)) for one in shown]}
            case CancelTouch(touch_id=touch_id):
                return _json(touch_shape(self.asking.cancel(token, TouchId(touch_id)), None))
            case Upcoming(days=days, limit=limit):
                ahead = self.asking.upcoming(token, limit, days)
                return {"touches": [_json(shown_shape(one)) for one in ahead]}
            case _:
                raise AssertionError(type(given).__name__)

    def _defer(self, given: DeferTouch, token: Token) -> Answer:
        ask = Ask(given.when, given.text, given.kind, given.key, given.when_client_writes)
        made = self.asking.defer(token, ask)
        if isinstance(made, Unclear):
            told = asked(made)
            return {"deferred": False, "ask": made.question, "candidates": told["candidates"]}
        return {
            "deferred": True,
            "touchId": str(made.touch.id),
            "status": made.touch.status.value,
            "dueAt": instant_text(made.due.at),
            "local": local_text(made.due.local),
            "weekday": f"{made.due.local:%A}",
            "timeZone": made.due.time_zone,
            "isNew": made.is_new,
            **({} if made.due.note is None else {"note": made.due.note}),
        }


def _json(shape: Shape) -> Answer:
    return shape.model_dump(by_alias=True, exclude_none=True)


def _line(problem: Exception) -> str:
    match problem:
        case ValidationError():
            return wording.told(problem.errors(include_input=False, include_url=False))
        case NotAdmitted():
            return "the session's token holds no more; the platform has to open another session"
        case NoSuchTouch():
            return "there is no such touch here"
        case NotAllowed() | Invalid() | Refused() | KeyReused() | TooMany():
            return str(problem)
        case Busy() | Conflict() | Unavailable():
            return "busy, nothing was changed; try again in a moment"
        case _:
            # Of an error that nobody foresaw only the kind: its text may hold rows.
            log().error("tool failed", problem=type(problem).__name__)
            return "an unexpected error; nothing more is told here"


def text_of(answer: Answer) -> str:
    return json.dumps(answer, ensure_ascii=False)
