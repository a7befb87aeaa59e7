"""What a client may ask for in a conversation, whatever wire the agent uses: put off, look ahead, take back.

Times are given as people say them, and read by a fixed rule in the client's zone, or asked about.
"""

from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256

from attrs import evolve, field, frozen

from application.ports.machine import Clock
from application.ports.tokens import Token
from application.ports.touches import Touches
from application.touching.access import Access, session_of
from application.touching.deferring import MESSAGE, Caller, Deferring, Wish
from application.touching.words.reading import read_time
from application.touching.words.resolved import Resolved, Unclear
from domain.deferred_touch import DeferredTouch, Status, WhenClientWrites
from domain.values import TouchId, zone

AHEAD = (Status.PENDING, Status.IN_PROGRESS)
MOST_READ = 1_000
MOST_IN_WORK = 100


@frozen
class Ask:
    """Without a `key`, the same words for the same minute in the same conversation are the same request."""

    when: str
    text: str | None = field(repr=False)
    kind: str = MESSAGE
    key: str | None = None
    when_client_writes: WhenClientWrites = WhenClientWrites.KEEP


@frozen
class Deferred:
    """`due` is when it will be worked on, by the client's clock."""

    touch: DeferredTouch
    due: Resolved
    is_new: bool


@frozen
class Shown:
    touch: DeferredTouch
    text: str | None = field(repr=False)


@frozen
class Asking:
    """Every method takes a session's token, and knows only what goes back to that session's origin.

    NotAllowed for any other token; Refused, Invalid and the rest as `Deferring` has them.
    """

    access: Access
    deferring: Deferring
    touches: Touches
    clock: Clock

    def defer(self, token: Token, ask: Ask) -> Deferred | Unclear:
        """Put it off; or ask, with nothing written, where the time may mean several."""
        speaker = self.access.speaker(token)
        reading = read_time(ask.when, self.clock.now(), speaker.time_zone)
        if isinstance(reading, Unclear):
            return reading
        caller = self._in_work(speaker.caller)
        made = self.deferring.defer(caller, _wish(ask, token, reading))
        return Deferred(made.touch, _at_first(made.touch, reading), made.is_new)

    def listed(
        self, token: Token, limit: int, statuses: Sequence[Status] = (), after: TouchId | None = None
    ) -> Sequence[Shown]:
        """What was put off here, ordered by id, those after `after`, with its text."""
        found = self.deferring.listed(
            token.tenant_id, limit, statuses=statuses, origin=session_of(token).origin, after=after
        )
        return [Shown(touch, self.touches.texts(touch.id).text) for touch in found]

    def upcoming(self, token: Token, limit: int, days: int) -> Sequence[Shown]:
        """What is to come back here within so many days, soonest first."""
        until = self.clock.now() + timedelta(days=days)
        found: list[DeferredTouch] = []
        after: TouchId | None = None
        while len(found) < MOST_READ:
            page = self.deferring.listed(
                token.tenant_id, 200, statuses=AHEAD, origin=session_of(token).origin, after=after
            )
            if not page:
                break
            after = page[-1].id
            found += [touch for touch in page if touch.due_at < until]
        soonest = sorted(found, key=lambda touch: (touch.due_at, touch.id))[:limit]
        return [Shown(touch, self.touches.texts(touch.id).text) for touch in soonest]

    def touch(self, token: Token, touch_id: TouchId) -> Shown:
        touch = self.deferring.touch(token.tenant_id, touch_id, session_of(token).origin)
        return Shown(touch, self.touches.texts(touch.id).text)

    def cancel(self, token: Token, touch_id: TouchId) -> DeferredTouch:
        return self.deferring.cancel(
            token.tenant_id, touch_id, self.access.speaker(token).caller.name, session_of(token).origin
        )

    def _in_work(self, caller: Caller) -> Caller:
        """The caller, deeper than whatever is in work for this place: it may be that work which asks, in a
        session that was opened by the person.
        """
        in_work = self.deferring.listed(
            caller.tenant_id, MOST_IN_WORK, statuses=(Status.IN_PROGRESS,), origin=caller.origin
        )
        return evolve(caller, depth=max([caller.depth, *(one.depth + 1 for one in in_work)]))

    def hear(self, token: Token) -> Sequence[DeferredTouch]:
        """The client wrote first: each touch that waits to come back here is cancelled or kept."""
        speaker = self.access.speaker(token)
        return self.deferring.hear_from(token.tenant_id, speaker.caller.origin, speaker.caller.name)


def _wish(ask: Ask, token: Token, reading: Resolved) -> Wish:
    if ask.key is not None:
        return Wish(ask.kind, reading.at, ask.text, ask.key, ask.when_client_writes, ask.when)
    minute = f"{reading.at:%Y-%m-%dT%H:%M}"
    same = f"{token.id}\n{ask.kind}\n{minute}\n{ask.when_client_writes}\n{ask.text}"
    key = sha256(same.encode("utf-8", "surrogatepass")).hexdigest()
    return Wish(ask.kind, reading.at, ask.text, key, ask.when_client_writes, minute)


def _at_first(touch: DeferredTouch, reading: Resolved) -> Resolved:
    """Of a repeat the time that was reckoned at first."""
    if touch.due_at == reading.at:
        return reading
    local = touch.due_at.astimezone(zone(reading.time_zone)).replace(tzinfo=None)
    return Resolved(touch.due_at, local, reading.time_zone)
