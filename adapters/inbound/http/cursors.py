"""Where a list goes on: opaque, and of use only to the token that was given it, for the same list."""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from hashlib import sha256
from uuid import UUID

from application.ports.tokens import Token
from domain.errors import Invalid

TAG_BYTES = 16


def cursor_after(secret: str, token: Token, of_list: str, last: UUID) -> str:
    """`of_list` names the list by what it was asked for."""
    return urlsafe_b64encode(last.bytes + _tag(secret, token, of_list, last)).decode().rstrip("=")


def read_cursor(secret: str, token: Token, of_list: str, cursor: str) -> UUID:
    """The id after which the list goes on; Invalid for a cursor that was not given to this token for it."""
    wrong = Invalid("cursor: it is none of this list's; begin without one")
    if len(cursor) > 100 or not cursor.isascii():
        raise wrong
    try:
        data = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        last = UUID(bytes=data[:16])
    except (Error, ValueError):
        raise wrong from None
    if not hmac.compare_digest(data[16:], _tag(secret, token, of_list, last)):
        raise wrong
    return last


def _tag(secret: str, token: Token, of_list: str, last: UUID) -> bytes:
    # The secret is nobody's but the bearer's, so a cursor is worth nothing in other hands.
    said = f"{token.id}\n{of_list}\n{last}".encode()
    return hmac.new(secret.encode(), said, sha256).digest()[:TAG_BYTES]
