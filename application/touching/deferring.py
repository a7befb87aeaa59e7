"""Put work off, look at what was put off, and take it back: what an agent may ask for.

Registering writes one row and gives control back; the work is done by others, later (INV-TCH-1).
"""

import hashlib
import json
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from functools import reduce

from attrs import field, frozen

from application.ports.ledger import Context, Versioned
from application.ports.machine import Clock, Ids
from application.ports.touches import Registered, Registration, Request, TouchChange, Touches
from application.touching.fitting import MAX_TEXT, OVERRIDES, is_blank
from domain import deferred_touch
from domain.deferred_touch import DeferredTouch, WhenClientWrites
from domain.errors import Invalid, NoSuchTouch
from domain.values import LATEST, Origin, TenantId, TouchId

MAX_KEY = 200
MESSAGE = "message"
CALL = "call"
"""The kind whose work the tenant's agent platform does, so that its tenant must have one."""
PAGE = 200


@frozen
class Limits:
    """What one request and one caller may ask for."""

    most_of_tenant: int = 100_000
    most_of_caller: int = 10_000
    depth: int = 8
    furthest: timedelta = timedelta(days=5 * 366)


@frozen
class Caller:
    """Who asks, as the session says and never the request: the origin of what they put off is theirs.

    `depth` is one more than that of the touch in whose work they ask, and 0 outside of any.
    """

    tenant_id: TenantId
    name: str
    origin: Origin
    depth: int = 0


@frozen
class Wish:
    """Work to be put off until `due_at`, an instant. `key` makes a repeat of the request the same touch.

    `asked` is the time as it was asked for, where `due_at` was reckoned from words and so from the moment.
    """

    kind: str
    due_at: datetime
    text: str | None = field(repr=False)
    key: str
    when_client_writes: WhenClientWrites = WhenClientWrites.KEEP
    asked: str | None = None


@frozen
class Deferring:
    """Every method raises Refused where the rules say no, and knows only the caller's own tenant."""

    touches: Touches
    clock: Clock
    ids: Ids
    kinds: Collection[str]
    limits: Limits = field(factory=Limits)

    def defer(self, caller: Caller, wish: Wish) -> Registered:
        """Register a touch, or give back the one that this request made before.

        Raises Invalid, KeyReused, TooMany or NoAgentPlatform, and nothing is written then.
        """
        now = self.clock.now()
        self._check(caller, wish, now)
        register = deferred_touch.Register(
            id=TouchId(self.ids.new()),
            tenant_id=caller.tenant_id,
            kind=wish.kind,
            origin=caller.origin,
            due_at=wish.due_at.astimezone(UTC),
            at=now,
            depth=caller.depth,
            when_client_writes=wish.when_client_writes,
        )
        (event,) = deferred_touch.decide(None, register)
        assert isinstance(event, deferred_touch.TouchRegistered)
        registration = Registration(
            touch=deferred_touch.evolve(None, event),
            event=event,
            text=wish.text,
            request=Request(caller.name, wish.key, _digest(caller, wish)),
            most_of_tenant=self.limits.most_of_tenant,
            most_of_caller=self.limits.most_of_caller,
            wants_agent=wish.kind == CALL,
        )
        return self.touches.register(registration, self._context(caller.name))

    def touch(self, tenant_id: TenantId, touch_id: TouchId, origin: Origin | None = None) -> DeferredTouch:
        """The touch; NoSuchTouch for one that is not there, and alike for another tenant's or origin's."""
        found = self.touches.touch(touch_id)
        if found is None or not _is_theirs(found.state, tenant_id, origin):
            raise NoSuchTouch
        return found.state

    def listed(
        self,
        tenant_id: TenantId,
        limit: int,
        *,
        caller: str | None = None,
        statuses: Collection[deferred_touch.Status] = (),
        origin: Origin | None = None,
        after: TouchId | None = None,
    ) -> Sequence[DeferredTouch]:
        """The touches of a tenant, of one of its callers or origins, ordered by id, those after `after`."""
        return self.touches.listed(
            tenant_id, limit, caller=caller, statuses=statuses, origin=origin, after=after
        )

    def cancel(
        self, tenant_id: TenantId, touch_id: TouchId, actor: str, origin: Origin | None = None
    ) -> DeferredTouch:
        """Take a touch back that nobody works on yet; with `origin`, only one that goes back there."""
        return self._change(tenant_id, touch_id, actor, deferred_touch.Cancel, origin)

    def retry(self, tenant_id: TenantId, touch_id: TouchId, actor: str) -> DeferredTouch:
        """Try a Failed touch again, with all its attempts."""
        return self._change(tenant_id, touch_id, actor, deferred_touch.Retry)

    def hear(self, tenant_id: TenantId, touch_ids: Collection[TouchId], actor: str) -> list[DeferredTouch]:
        """The client wrote first: each of these touches is cancelled or kept, by its own policy."""
        return [
            self._change(tenant_id, touch_id, actor, deferred_touch.HearFromClient) for touch_id in touch_ids
        ]

    def hear_from(self, tenant_id: TenantId, origin: Origin, actor: str) -> list[DeferredTouch]:
        """The client wrote first, there: what became of every touch that waits to go back there."""
        after: TouchId | None = None
        told: list[DeferredTouch] = []
        while page := self.listed(
            tenant_id, PAGE, statuses=(deferred_touch.Status.PENDING,), origin=origin, after=after
        ):
            after = page[-1].id
            told += self.hear(tenant_id, [one.id for one in page], actor)
        return told

    def _change(
        self,
        tenant_id: TenantId,
        touch_id: TouchId,
        actor: str,
        command: type[deferred_touch.Cancel | deferred_touch.Retry | deferred_touch.HearFromClient],
        origin: Origin | None = None,
    ) -> DeferredTouch:
        now = self.clock.now()  # before, since a clock may want a connection of its own
        with self.touches.transaction(self._context(actor)) as transaction:
            found = transaction.touch(touch_id)
            if found is None or not _is_theirs(found.state, tenant_id, origin):
                raise NoSuchTouch
            change = change_of(found, command(now))
            transaction.record([change])
            return change.state

    def _context(self, actor: str) -> Context:
        return Context(self.ids.new(), actor)

    def _check(self, caller: Caller, wish: Wish, now: datetime) -> None:
        if wish.kind not in self.kinds:
            raise Invalid(f"kind: {wish.kind[:40]!r} is none of {', '.join(sorted(self.kinds))}")
        if wish.due_at.tzinfo is None:
            raise Invalid("due: an instant with an offset is wanted")
        if wish.due_at > min(now + self.limits.furthest, LATEST):
            raise Invalid(f"due: more than {self.limits.furthest.days} days from now is too far")
        if wish.due_at < now - timedelta(days=1):
            raise Invalid("due: that was more than a day ago")
        check_key(wish.key)
        if wish.kind == MESSAGE and wish.text is None:
            raise Invalid("text: a message without words is none")
        if wish.text is not None and is_blank(wish.text):
            raise Invalid("text: it is blank")
        check_text("text", wish.text)
        if caller.depth > self.limits.depth:
            raise Invalid(f"a touch that was put off by another touch, {caller.depth} deep, is too deep")


def change_of(found: Versioned[DeferredTouch], command: deferred_touch.Command) -> TouchChange:
    """What a command comes to on a touch as it was found."""
    return then(TouchChange(found.version, (), found.state), command)


def then(change: TouchChange, command: deferred_touch.Command) -> TouchChange:
    """The change, and what a further command comes to."""
    happened = deferred_touch.decide(change.state, command)
    after = reduce(deferred_touch.evolve, happened, change.state)
    return TouchChange(change.after, [*change.events, *happened], after)


def _is_theirs(touch: DeferredTouch, tenant_id: TenantId, origin: Origin | None) -> bool:
    return touch.tenant_id == tenant_id and origin in (None, touch.origin)


def check_key(key: str) -> None:
    """Invalid for what is no idempotency key."""
    if not key or len(key) > MAX_KEY or not key.isprintable():
        raise Invalid(f"idempotency key: from 1 to {MAX_KEY} printable characters")


def check_text(what: str, text: str | None) -> None:
    """Invalid for a text that is too long, or that no store would take."""
    if text is None:
        return
    if len(text) > MAX_TEXT:
        raise Invalid(f"{what}: {len(text)} characters are more than {MAX_TEXT}")
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise Invalid(f"{what}: it holds what is no character (a NUL or half of a surrogate pair)")
    if any(character in OVERRIDES for character in text):
        raise Invalid(f"{what}: it holds an override of the direction of writing, and would read as another")


def _digest(caller: Caller, wish: Wish) -> str:
    asked = [
        wish.kind,
        wish.asked or wish.due_at.timestamp(),
        wish.text,
        wish.when_client_writes.value,
        str(caller.origin.user_id),
        caller.origin.channel,
        str(caller.origin.contact_point_id),
    ]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()
