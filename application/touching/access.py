"""Who is let in, and as whom they speak: a tenant's tokens, and the sessions that are opened with them.

A session stands for a conversation with one person at one place. The platform that leads it opens the session
with its own token and hands the agent the session's; where an answer goes back to is fixed there, out of the
agent's reach (INV-TCH-2). Source: the specification, "Доставка идёт туда, откуда пришёл запрос".
"""

import hashlib
import re
from collections.abc import Callable, Collection
from datetime import datetime, timedelta

from attrs import field, frozen

from application.notifying import CONSOLE, preferred
from application.ports.machine import Clock, Ids
from application.ports.people import People
from application.ports.tokens import KeptToken, Scope, Session, Token, TokenId, Tokens
from application.ports.touches import Touches
from application.touching.deferring import Caller
from domain import deferred_touch
from domain.errors import Invalid, NoSuchPerson, NoSuchTouch, TouchIsNotInWork
from domain.values import ContactPointId, Origin, TenantId, TouchId, UserId

PREFIX = "tickler_"
SECRET = re.compile(PREFIX + r"[A-Za-z0-9_-]{43}")
NAME = re.compile(r"\w[\w.@+-]{0,63}")
SHORTEST, USUAL, LONGEST = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


class NotAdmitted(Exception):
    """There is no such token, or it holds no more; which of these is not said."""


class NotAllowed(Exception):
    """The token holds, and is not for this; the message says what would do."""


@frozen
class Issued:
    """A new token, and its secret, which is never shown again."""

    token: Token
    secret: str = field(repr=False)


@frozen
class Speaker:
    """A session's person, and the zone in which they speak of times."""

    caller: Caller
    time_zone: str


@frozen
class Access:
    """`new_secret` gives 256 random bits as 43 letters of URL-safe base64."""

    tokens: Tokens
    people: People
    touches: Touches
    clock: Clock
    ids: Ids
    new_secret: Callable[[], str]

    def issue(
        self, tenant_id: TenantId, name: str, scopes: Collection[Scope], expires_at: datetime | None = None
    ) -> Issued:
        """A token of the tenant itself; Invalid for a name or an end that will not do, or AlreadyThere."""
        now = self.clock.now()
        if not NAME.fullmatch(name):
            raise Invalid(f"name: {name[:40]!r} is not a letter or digit, then at most 63 of those and ._@+-")
        if not scopes:
            raise Invalid(f"scopes: some of {', '.join(Scope)} are wanted")
        if expires_at is not None and expires_at <= now:
            raise Invalid("expires: that has passed")
        return self._issue(
            Token(TokenId(self.ids.new()), tenant_id, name, frozenset(scopes), now, expires_at)
        )

    def revoke(self, tenant_id: TenantId, token_id: TokenId) -> bool:
        """End it and the sessions that it opened; False where the tenant has none of this id."""
        found = self.tokens.token(token_id)
        return (
            found is not None
            and found.tenant_id == tenant_id
            and self.tokens.revoke(token_id, self.clock.now())
        )

    def end_session(self, opener: Token, token_id: TokenId) -> bool:
        """End a session that this token opened; False where there is none such."""
        found = self.tokens.token(token_id)
        return (
            found is not None and found.parent == opener.id and self.tokens.revoke(token_id, self.clock.now())
        )

    def admit(self, secret: str) -> Token:
        """The token of this secret; NotAdmitted for one that is none, has expired or was revoked."""
        found = self.tokens.by_digest(_digest(secret)) if SECRET.fullmatch(secret) else None
        if found is None or not found.holds(self.clock.now()):
            raise NotAdmitted
        return found

    def open_session(
        self,
        opener: Token,
        person: UserId | str,
        contact_point_id: ContactPointId | None = None,
        lasts: timedelta = USUAL,
    ) -> Issued:
        """A session for a conversation with a person, at this address of theirs or else where `place` says.

        NoSuchPerson for somebody whom the tenant has not, who left it, or has not that address.
        """
        must_have(opener, Scope.SESSIONS)
        return self._open(opener, Session(self.place(opener.tenant_id, person, contact_point_id)), lasts)

    def open_session_in_work(self, opener: Token, touch_id: TouchId, lasts: timedelta = USUAL) -> Issued:
        """A session for the work on a touch: what is put off in it goes where the touch's answer goes, and
        counts as deeper than the touch.
        """
        must_have(opener, Scope.SESSIONS)
        found = self.touches.touch(touch_id)
        if found is None or found.state.tenant_id != opener.tenant_id:
            raise NoSuchTouch
        if found.state.status is not deferred_touch.Status.IN_PROGRESS:
            raise TouchIsNotInWork
        return self._open(opener, Session(found.state.origin, found.state.depth + 1), lasts)

    def speaker(self, token: Token) -> Speaker:
        """As whom a session asks; NotAllowed for a token that is no session's, or whose person has left.

        Each place of each person has quotas and idempotency keys of its own.
        """
        session = session_of(token)
        origin = session.origin
        person = self.people.person(token.tenant_id, origin.user_id)
        if person is None or not person.is_member:
            raise NotAllowed("the person of this session has left")
        place = origin.contact_point_id or origin.channel
        name = f"{token.name}/{origin.user_id}/{place}"
        return Speaker(Caller(token.tenant_id, name, origin, session.depth), person.time_zone)

    def place(
        self, tenant_id: TenantId, person: UserId | str, contact_point_id: ContactPointId | None = None
    ) -> Origin:
        """Where a person of the tenant is reached: at this address of theirs, or else at the one that they
        prefer of those that they have not opted out of; the console is for one without any address.

        NoSuchPerson as above.
        """
        found = self.people.person(tenant_id, person)
        if found is None or not found.is_member:
            raise NoSuchPerson
        if contact_point_id is None:
            first = preferred(self.people.contact_points(found.id))
            return Origin(found.id, CONSOLE) if first is None else Origin(found.id, first.channel, first.id)
        point = self.people.contact_point(contact_point_id)
        if point is None or point.user_id != found.id:
            raise NoSuchPerson("the person has no such contact point")
        return Origin(found.id, point.channel, point.id)

    def _open(self, opener: Token, session: Session, lasts: timedelta) -> Issued:
        if not SHORTEST <= lasts <= LONGEST:
            raise Invalid("lasts: from 1 minute to 24 hours")
        now = self.clock.now()
        self.tokens.forget_ended(now, limit=100)
        token = Token(
            TokenId(self.ids.new()),
            opener.tenant_id,
            opener.name,
            frozenset(),
            now,
            now + lasts if opener.expires_at is None else min(now + lasts, opener.expires_at),
            session=session,
            parent=opener.id,
        )
        return self._issue(token)

    def _issue(self, token: Token) -> Issued:
        secret = PREFIX + self.new_secret()
        self.tokens.add(KeptToken(token, _digest(secret)))
        return Issued(token, secret)


def must_have(token: Token, scope: Scope) -> None:
    """NotAllowed for a token without this scope."""
    if scope not in token.scopes:
        raise NotAllowed(f"a token with the scope {scope.value} is wanted")


def session_of(token: Token) -> Session:
    """The token's session; NotAllowed for one that is no session's."""
    if token.session is None:
        raise NotAllowed("a session's token is wanted: open a session for the person, and use its own")
    return token.session


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
