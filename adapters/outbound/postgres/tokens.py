"""Tokens in PostgreSQL."""

from collections.abc import Sequence
from datetime import datetime

from attrs import frozen

from adapters.outbound.postgres.connection import Row
from adapters.outbound.postgres.database import Database
from application.ports.tokens import KeptToken, Scope, Session, Token, TokenId
from domain.values import Origin, TenantId

ADD = (
    "insert into tickler.tokens (id, digest, tenant_id, name, scopes, made_at, expires_at, revoked_at,"
    " parent, user_id, channel, contact_point_id, depth)"
    " values (%s, %s, %s, %s, %s::text[], %s, %s, %s, %s, %s, %s, %s, %s)"
)
OF_DIGEST = (
    "select id, tenant_id, name, scopes, made_at, expires_at, revoked_at, parent, user_id, channel,"
    " contact_point_id, depth from tickler.token_of(%b)"
)
SELECT = (
    "select t.id, t.tenant_id, t.name, t.scopes, t.made_at, t.expires_at,"
    " coalesce(t.revoked_at, p.revoked_at), t.parent, t.user_id, t.channel, t.contact_point_id, t.depth"
    " from tickler.tokens t left join tickler.tokens p on p.id = t.parent"
)
REVOKE = "update tickler.tokens set revoked_at = coalesce(revoked_at, %s) where id = %s"
# Sessions always end, so those of a parent that was revoked follow with their time at the latest.
FORGET = (
    "delete from tickler.tokens where id = any(array(select t.id from tickler.tokens t"
    " left join tickler.tokens p on p.id = t.parent where t.user_id is not null and"
    " (t.expires_at <= %(before)s or coalesce(t.revoked_at, p.revoked_at) is not null)"
    " order by t.expires_at limit %(limit)s))"
)


@frozen
class PostgresTokens:
    database: Database

    def add(self, kept: KeptToken) -> None:
        token, session = kept.token, kept.token.session
        origin = session.origin if session else None
        values = (
            token.id,
            kept.digest,
            token.tenant_id,
            token.name,
            sorted(token.scopes),
            token.made_at,
            token.expires_at,
            token.revoked_at,
            token.parent,
            origin.user_id if origin else None,
            origin.channel if origin else None,
            origin.contact_point_id if origin else None,
            session.depth if session else None,
        )
        with self.database.transaction() as transaction:
            transaction.change(ADD, values)

    def by_digest(self, digest: bytes) -> Token | None:
        with self.database.transaction() as session:
            found = session.row(OF_DIGEST, (digest,))
        return _token(found) if found else None

    def of_tenant(self, tenant_id: TenantId) -> Sequence[Token]:
        with self.database.transaction() as session:
            rows = session.rows(
                SELECT + " where t.tenant_id = %s and t.user_id is null order by t.name", (tenant_id,)
            )
        return sorted(map(_token, rows), key=lambda one: one.name)

    def token(self, id: TokenId) -> Token | None:
        with self.database.transaction() as session:
            found = session.row(SELECT + " where t.id = %s", (id,))
        return _token(found) if found else None

    def revoke(self, id: TokenId, at: datetime) -> bool:
        with self.database.transaction() as session:
            return session.change(REVOKE, (at, id)) == 1

    def forget_ended(self, before: datetime, limit: int) -> int:
        with self.database.transaction() as session:
            session.cursor.execute(FORGET, {"before": before, "limit": limit})
            return session.cursor.rowcount


def _token(row: Row) -> Token:
    id_, tenant_id, name, scopes, made_at, expires_at, revoked_at, parent, user_id, channel, point, depth = (
        row
    )
    session = None if user_id is None else Session(Origin(user_id, channel, point), depth)
    return Token(
        id_,
        tenant_id,
        name,
        frozenset(map(Scope, scopes)),
        made_at,
        expires_at,
        revoked_at,
        session,
        parent,
    )
