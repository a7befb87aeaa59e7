"""Signed webhooks: a message as JSON, posted to an address of the recipient's own."""

import json
import ssl
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus

import httpx
from attrs import field, frozen

from adapters.outbound.channels.posting import Answered, NoAnswer, NotSent, SignedPosts, Unheard
from adapters.outbound.channels.signing import checked_secret, new_secret
from adapters.outbound.channels.wire import system_trust
from application.ports.channel import (
    Accepted,
    Later,
    Outcome,
    OutcomeUnknown,
    OutgoingMessage,
    RefusedForGood,
)
from application.ports.machine import Clock
from domain.errors import Invalid

LONGEST_RETRY_AFTER = timedelta(days=1)

# Addresses kept before there were secrets have none, and one made now would be known to nobody else.
UNSIGNED = "its address has no secret to sign with: remove the address, and add it again"

_LATER = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS)


@frozen
class WebhookChannel:
    """POST of `{template, subject, text, data}`, signed as Standard Webhooks are; `webhook-id` is the
    delivery's at every try, `webhook-timestamp` the try's own. Nothing leaves unsigned.

    An answer is taken for a yes only when all of it came, unpacked and no longer than LONGEST_ANSWER: to any
    other 2xx the outcome is unknown, and the message is repeated under its id. The rest is as in SignedPosts.
    """

    clock: Clock
    allow_http: bool = False
    allow_private: bool = False
    timeout: timedelta = timedelta(seconds=10)
    read_timeout: timedelta = timedelta(seconds=5)
    context: ssl.SSLContext = field(factory=system_trust, repr=False)
    name: str = field(default="webhook", init=False)
    repeats_unknown: bool = field(default=True, init=False)

    def check(self, address: str) -> str:
        """As SignedPosts has it."""
        return self._posts.check(address)

    def secret(self, given: str | None) -> str:
        return new_secret() if given is None else checked_secret(given)

    def send(self, message: OutgoingMessage) -> Outcome:
        try:
            url = self.check(message.address)
            content = _content(message)
        except Invalid as problem:
            # It was taken when it was added: a setting is another one now, and the reason names it.
            return RefusedForGood(str(problem))
        except ValueError:
            return RefusedForGood("its text will not do for a webhook")
        if not message.secret:
            return RefusedForGood(UNSIGNED)
        match self._posts.post(url, message.secret, str(message.id), content):
            case NotSent(reason, for_good):
                return RefusedForGood(reason) if for_good else Later(reason)
            case NoAnswer(reason):
                return OutcomeUnknown(reason)
            case Answered() as answer:
                return self._outcome(answer)

    @property
    def _posts(self) -> SignedPosts:
        return SignedPosts(
            self.clock, self.timeout, self.read_timeout, self.allow_http, self.allow_private, self.context
        )

    def _outcome(self, answer: Answered) -> Outcome:
        status = answer.status
        if 200 <= status < 300:
            return _taken(answer)
        if 300 <= status < 400:
            return RefusedForGood(f"answered {status}; redirects are not followed")
        if status in _LATER or status >= 500:
            return Later(f"answered {status}", retry_after(answer.headers, self.clock.now()))
        return RefusedForGood(f"answered {status}")


def _taken(answer: Answered) -> Outcome:
    """What a 2xx means: some say in the answer's text that they failed."""
    status, said = answer.status, answer.body
    if isinstance(said, Unheard):
        return OutcomeUnknown(f"answered {status}, {said}")
    if answer.is_packed:
        return OutcomeUnknown(f"answered {status}, packed though it was asked not to")
    return Later(f"answered {status} with an error") if _tells_of_an_error(said) else Accepted()


def _tells_of_an_error(said: bytes) -> bool:
    """Whether it begins with the word error, or a JSON object that says `error` or `ok: false`."""
    try:
        found = json.loads(said)
    except (ValueError, RecursionError):
        return said.lstrip().lower().startswith(b"error")
    return isinstance(found, dict) and (
        bool(found.get("error") or found.get("errors"))
        or found.get("ok") is False
        or found.get("success") is False
    )


def _content(message: OutgoingMessage) -> bytes:
    said = {
        "template": message.template,
        "subject": message.subject,
        "text": message.text,
        "data": dict(message.data),
    }
    return json.dumps(said, ensure_ascii=False, allow_nan=False).encode()


def retry_after(headers: httpx.Headers, now: datetime) -> timedelta | None:
    """The wait that Retry-After asks for, in seconds or until a date; a day at most, None where it makes no
    sense. Source: RFC 9110, section 10.2.3.
    """
    asked = headers.get("retry-after", "").strip()
    if asked.isascii() and asked.isdigit():
        return min(timedelta(seconds=int(asked[:9])), LONGEST_RETRY_AFTER)
    try:
        until = parsedate_to_datetime(asked)
    except (ValueError, OverflowError):
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return min(max(until - now, timedelta(0)), LONGEST_RETRY_AFTER)
