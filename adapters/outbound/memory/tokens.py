"""Tokens in memory."""

from collections.abc import Sequence
from datetime import datetime

from attrs import evolve, frozen

from adapters.outbound.memory.store import MemoryStore
from application.ports.errors import AlreadyThere
from application.ports.tokens import KeptToken, Token, TokenId
from domain.values import TenantId


@frozen
class MemoryTokens:
    store: MemoryStore

    def add(self, kept: KeptToken) -> None:
        token = kept.token
        with self.store.changed:
            if token.session is None and any(
                token.name == one.name for one in self.of_tenant(token.tenant_id)
            ):
                raise AlreadyThere(f"token {token.name} is there already")
            self.store.tokens[token.id] = kept

    def by_digest(self, digest: bytes) -> Token | None:
        with self.store.changed:
            found = next((one for one in self.store.tokens.values() if one.digest == digest), None)
            return None if found is None else self._as_read(found.token)

    def of_tenant(self, tenant_id: TenantId) -> Sequence[Token]:
        with self.store.changed:
            own = [
                kept.token
                for kept in self.store.tokens.values()
                if kept.token.tenant_id == tenant_id and kept.token.session is None
            ]
        return sorted(own, key=lambda one: one.name)

    def token(self, id: TokenId) -> Token | None:
        with self.store.changed:
            found = self.store.tokens.get(id)
            return None if found is None else self._as_read(found.token)

    def revoke(self, id: TokenId, at: datetime) -> bool:
        with self.store.changed:
            found = self.store.tokens.get(id)
            if found is None:
                return False
            if found.token.revoked_at is None:
                self.store.tokens[id] = evolve(found, token=evolve(found.token, revoked_at=at))
            return True

    def forget_ended(self, before: datetime, limit: int) -> int:
        with self.store.changed:
            ended = [
                kept.token.id
                for kept in self.store.tokens.values()
                if kept.token.session is not None and not self._as_read(kept.token).holds(before)
            ][:limit]
            for id_ in ended:
                del self.store.tokens[id_]
            return len(ended)

    def _as_read(self, token: Token) -> Token:
        parent = None if token.parent is None else self.store.tokens.get(token.parent)
        if parent is None or parent.token.revoked_at is None or token.revoked_at is not None:
            return token
        return evolve(token, revoked_at=parent.token.revoked_at)
