"""Signatures of webhooks, and the secrets that they are made with.

Source: Standard Webhooks, "Signature scheme".
"""

import base64
import binascii
import secrets
from collections.abc import Mapping
from datetime import datetime

from standardwebhooks.webhooks import Webhook

from domain.errors import Invalid

PREFIX = "whsec_"
SHORTEST, LONGEST = 24, 64  # bytes


def new_secret() -> str:
    """A secret that nobody knows yet."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def checked_secret(given: str) -> str:
    """The secret, or two with a space between them while one takes the other's place; Invalid for others."""
    found = given.split()
    if not 1 <= len(found) <= 2 or not all(_will_do(one) for one in found):
        raise Invalid(
            "secret: whsec_ and the base64 of 24 to 64 bytes is wanted, or two of them with a space"
        )
    return " ".join(found)


def signature(secret: str, id: str, at: datetime, content: bytes) -> Mapping[str, str]:
    """The header that signs these bytes by each of the secrets."""
    said = content.decode()
    return {"webhook-signature": " ".join(Webhook(one).sign(id, at, said) for one in secret.split())}


def _will_do(secret: str) -> bool:
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX).encode("ascii"), validate=True)
    except (binascii.Error, UnicodeError):
        return False
    return secret.startswith(PREFIX) and SHORTEST <= len(key) <= LONGEST
