"""The promises of the Tokens port, executed."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from attrs import evolve

from adapters.testkit.examples import NOON, OTHER_TENANT, OWNER, TENANT, numbered
from application.ports.errors import AlreadyThere
from application.ports.tokens import KeptToken, Scope, Session, Token, TokenId, Tokens
from domain.values import ContactPointId, Origin

HOUR = timedelta(hours=1)
PLATFORM = Token(TokenId(numbered(801)), TENANT, "agents", frozenset({Scope.SESSIONS, Scope.PLANS}), NOON)
CONVERSATION = Token(
    TokenId(numbered(802)),
    TENANT,
    "agents",
    frozenset(),
    NOON,
    expires_at=NOON + HOUR,
    session=Session(Origin(OWNER, "whatsapp", ContactPointId(numbered(77))), 3),
    parent=PLATFORM.id,
)


def kept(token: Token, digest: int = 1) -> KeptToken:
    return KeptToken(token, digest.to_bytes(32, "big"))


class TokensContract:
    """Each test has a store of its own, without any rows."""

    @pytest.fixture
    def tokens(self) -> Tokens:
        raise NotImplementedError

    def test_a_token_is_found_whole_by_its_digest_and_its_id_and_by_no_other(self, tokens: Tokens) -> None:
        ends = evolve(PLATFORM, expires_at=NOON + HOUR)
        tokens.add(kept(ends, 1))
        tokens.add(kept(CONVERSATION, 2))
        for token, digest in ((ends, 1), (CONVERSATION, 2)):
            assert tokens.by_digest(kept(token, digest).digest) == token
            assert tokens.token(token.id) == token
        assert tokens.by_digest(kept(ends, 3).digest) is None
        assert tokens.by_digest(b"") is None
        assert tokens.token(TokenId(numbered(404))) is None

    def test_a_tenants_tokens_are_listed_by_name_and_sessions_and_others_tokens_are_not(
        self, tokens: Tokens
    ) -> None:
        second = evolve(PLATFORM, id=TokenId(numbered(803)), name="Back office")
        others = evolve(PLATFORM, id=TokenId(numbered(804)), tenant_id=OTHER_TENANT)
        listed: Sequence[Token] = [PLATFORM, second, others, CONVERSATION]
        for number, token in enumerate(listed):
            tokens.add(kept(token, number))
        assert tokens.of_tenant(TENANT) == [second, PLATFORM]
        assert tokens.of_tenant(OTHER_TENANT) == [others]

    def test_a_name_is_taken_once_in_a_tenant_and_sessions_share_theirs(self, tokens: Tokens) -> None:
        tokens.add(kept(PLATFORM, 1))
        with pytest.raises(AlreadyThere):
            tokens.add(kept(evolve(PLATFORM, id=TokenId(numbered(805))), 2))
        for number in (3, 4):
            tokens.add(kept(evolve(CONVERSATION, id=TokenId(numbered(810 + number))), number))
        assert tokens.of_tenant(TENANT) == [PLATFORM]

    def test_a_token_that_was_revoked_says_so_and_keeps_when_that_was(self, tokens: Tokens) -> None:
        tokens.add(kept(PLATFORM))
        assert tokens.revoke(PLATFORM.id, NOON)
        assert tokens.revoke(PLATFORM.id, NOON + HOUR)
        found = tokens.by_digest(kept(PLATFORM).digest)
        assert found == evolve(PLATFORM, revoked_at=NOON)
        assert not found.holds(NOON)
        assert not tokens.revoke(TokenId(numbered(404)), NOON)

    def test_whoever_revokes_a_token_revokes_the_sessions_that_it_opened(self, tokens: Tokens) -> None:
        tokens.add(kept(PLATFORM, 1))
        tokens.add(kept(CONVERSATION, 2))
        tokens.revoke(PLATFORM.id, NOON)
        found = tokens.by_digest(kept(CONVERSATION, 2).digest)
        assert found == evolve(CONVERSATION, revoked_at=NOON)

    def test_only_sessions_that_ended_are_forgotten_and_no_more_than_was_asked(self, tokens: Tokens) -> None:
        stays = evolve(CONVERSATION, id=TokenId(numbered(820)), expires_at=NOON + 2 * HOUR)
        ended = [evolve(CONVERSATION, id=TokenId(numbered(830 + number))) for number in range(3)]
        past = evolve(PLATFORM, expires_at=NOON + HOUR)
        for number, token in enumerate([past, stays, *ended]):
            tokens.add(kept(token, number))
        assert tokens.forget_ended(NOON + HOUR, limit=2) == 2
        assert tokens.forget_ended(NOON + HOUR, limit=2) == 1
        assert tokens.forget_ended(NOON + HOUR, limit=2) == 0
        assert tokens.token(stays.id) == stays
        assert tokens.token(past.id) == past
