"""Tokens: who may ask for what over the wire, for which tenant, and from where they speak."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from enum import StrEnum
from typing import NewType, Protocol
from uuid import UUID

from attrs import field, frozen

from domain.values import Origin, TenantId

TokenId = NewType("TokenId", UUID)


class Scope(StrEnum):
    """What a tenant's token may do. A session's may do none of it: only what its client may ask for."""

    SESSIONS = "sessions"  # open a session for a person
    TOUCHES = "touches"  # see, cancel and retry all touches of the tenant
    PLANS = "plans"  # see, make and change the tenant's plans


@frozen
class Session:
    """A conversation with one person: all that is put off in it goes back to `origin`.

    `depth` counts the touches in whose work it was opened, one within another.
    """

    origin: Origin
    depth: int = 0


@frozen
class Token:
    """`name` is who calls, as it is written into the history; a session's `parent` is who opened it.

    It holds from `made_at` until `expires_at`, or until it is revoked; None for one without an end.
    """

    id: TokenId
    tenant_id: TenantId
    name: str
    scopes: AbstractSet[Scope]
    made_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    session: Session | None = None
    parent: TokenId | None = None

    def holds(self, now: datetime) -> bool:
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@frozen
class KeptToken:
    """A token, and the SHA-256 of its secret, which itself is kept nowhere."""

    token: Token
    digest: bytes = field(repr=False)


class Tokens(Protocol):
    """The tokens of all tenants, by the digest of their secret."""

    def add(self, kept: KeptToken) -> None:
        """Keep a token; AlreadyThere when the tenant has one of this name that is no session's."""

    def by_digest(self, digest: bytes) -> Token | None:
        """The token of this digest, also one that does not hold any more.

        One whose parent was revoked was revoked with it.
        """

    def of_tenant(self, tenant_id: TenantId) -> Sequence[Token]:
        """The tenant's own tokens, ordered by name; no session's."""

    def token(self, id: TokenId) -> Token | None:
        """The token of this id."""

    def revoke(self, id: TokenId, at: datetime) -> bool:
        """It and all sessions that it opened hold no more; False where there is none.

        One that was revoked before stays as it is.
        """

    def forget_ended(self, before: datetime, limit: int) -> int:
        """Remove up to `limit` sessions that expired or were had been revoked by then; how many."""
