"""Signed webhooks: a message as JSON, posted to an address of the recipient's own."""

import json
import ssl
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import StrEnum
from http import HTTPStatus
from typing import Any

import httpx
from attrs import field, frozen

from adapters.outbound.channels.open_internet import may_be_talked_to
from adapters.outbound.channels.signing import checked_secret, new_secret, signature
from adapters.outbound.channels.wire import (
    Deadline,
    Leash,
    host_name,
    one_visible_line,
    resolve,
    system_trust,
)
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

LONGEST_ANSWER = 64 * 1024
LONGEST_RETRY_AFTER = timedelta(days=1)

ALLOW_HTTP = "TICKLER_WEBHOOK_ALLOW_HTTP=true"
PRIVATE_HELP = "TICKLER_WEBHOOK_ALLOW_PRIVATE=true lets it pass"

# Addresses kept before there were secrets have none, and one made now would be known to nobody else.
UNSIGNED = "its address has no secret to sign with: remove the address, and add it again"

_LATER = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS)


class Unheard(StrEnum):
    """Why the text of an answer was not heard to its end."""

    TOO_LONG = f"and more than {LONGEST_ANSWER // 1024} kB of text"
    TOO_SLOW = "and its text did not end in time"
    BROKEN_OFF = "and its text broke off"


@frozen
class WebhookChannel:
    """POST of `{template, subject, text, data}`, signed as Standard Webhooks are; `webhook-id` is the
    delivery's at every try, `webhook-timestamp` the try's own. Nothing leaves unsigned.

    The host is resolved once a try and that address is connected to, so that a name cannot answer one thing
    to the check and another to the connection. Neither redirects nor the environment's proxies are followed.
    An answer is taken for a yes only when all of it came, unpacked and no longer than LONGEST_ANSWER: to any
    other 2xx the outcome is unknown, and the message is repeated under its id.
    `allow_http` and `allow_private` are for one's own machine. `timeout` bounds a whole `send`,
    `read_timeout` each wait within it.
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
        """An https URL without user, password and fragment, on port 443 or one from 1024 on."""
        address = one_visible_line(address, 2048)
        try:
            url = httpx.URL(address)
        except (httpx.InvalidURL, UnicodeError):
            raise Invalid("address: it is not a URL such as https://example.org/hooks/1") from None
        if url.scheme != "https" and not (url.scheme == "http" and self.allow_http):
            help_ = f"; {ALLOW_HTTP} lets http:// pass" if url.scheme == "http" else ""
            raise Invalid(f"address: a URL that begins with https:// is wanted{help_}")
        if url.userinfo:
            raise Invalid("address: a user or password in a URL is not taken")
        if url.fragment or "#" in address:
            raise Invalid("address: a URL without # is wanted")
        if url.port is not None and not (self.allow_private or url.port == 443 or 1024 <= url.port < 65_536):
            raise Invalid(f"address: its port is neither 443 nor one from 1024 to 65535; {PRIVATE_HELP}")
        return str(url.copy_with(host=self._host(url.host), raw_path=url.raw_path, fragment=None))

    def secret(self, given: str | None) -> str:
        return new_secret() if given is None else checked_secret(given)

    def send(self, message: OutgoingMessage) -> Outcome:
        try:
            url = httpx.URL(self.check(message.address))
            content = _content(message)
        except Invalid as problem:
            # It was taken when it was added: a setting is another one now, and the reason names it.
            return RefusedForGood(str(problem))
        except ValueError:
            return RefusedForGood("its text will not do for a webhook")
        if not message.secret:
            return RefusedForGood(UNSIGNED)
        deadline = Deadline(self.timeout.total_seconds())
        port = url.port or (443 if url.scheme == "https" else 80)
        try:
            addresses = resolve(url.raw_host.decode(), port, deadline)
        except OSError as problem:
            return Later(f"its host was not found: {type(problem).__name__}")
        if not all(may_be_talked_to(one, allow_private=self.allow_private) for one in addresses):
            return RefusedForGood(f"its host is at a private address; {PRIVATE_HELP}")
        outcome: Outcome = Later("its host has no address")
        for one in addresses:
            try:
                return self._post(url, one, content, message, deadline)
            except (httpx.ConnectError, httpx.ConnectTimeout, OSError) as problem:
                outcome = Later(f"no connection: {type(problem).__name__}")
        return outcome

    def _host(self, host: str) -> str:
        """The host in its one spelling; Invalid for one that the open Internet cannot have."""
        try:
            literal = may_be_talked_to(host, allow_private=self.allow_private)
        except ValueError:
            name = host_name(host)
            if "." not in name and not self.allow_private:
                raise Invalid(f"address: its host has no dot; {PRIVATE_HELP}") from None
            return name
        if not literal:
            raise Invalid(f"address: its host is a private address; {PRIVATE_HELP}")
        return host

    def _post(
        self, url: httpx.URL, address: str, content: bytes, message: OutgoingMessage, deadline: Deadline
    ) -> Outcome:
        """One try at one resolved address; raises as httpx does when no connection came about."""
        left, now = deadline.left(), self.clock.now()
        with (
            Leash(deadline) as leash,
            httpx.Client(
                verify=self.context,
                trust_env=False,
                follow_redirects=False,
                timeout=httpx.Timeout(left, read=min(left, self.read_timeout.total_seconds())),
            ) as client,
        ):
            request = client.build_request(
                "POST",
                url.copy_with(host=address),
                content=content,
                headers={
                    "host": url.netloc.decode(),
                    "content-type": "application/json",
                    "accept-encoding": "identity",
                    "user-agent": "tickler",
                    "webhook-id": str(message.id),
                    "webhook-timestamp": str(int(now.timestamp())),
                    "idempotency-key": str(message.id),
                    **signature(message.secret or "", message.id, now, content),
                },
                extensions={"sni_hostname": url.raw_host.decode(), "trace": _Tracing(leash)},
            )
            try:
                response = client.send(request, stream=True)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                raise
            except httpx.HTTPError as problem:
                return OutcomeUnknown(f"no answer: {type(problem).__name__}")
            return self._outcome(response, _hear_out(response, deadline))

    def _outcome(self, response: httpx.Response, said: bytes | Unheard) -> Outcome:
        status = response.status_code
        if response.is_success:
            return _taken(response, said)
        if response.is_redirect or 300 <= status < 400:
            return RefusedForGood(f"answered {status}; redirects are not followed")
        if status in _LATER or status >= 500:
            return Later(f"answered {status}", retry_after(response.headers, self.clock.now()))
        return RefusedForGood(f"answered {status}")


@frozen
class _Tracing:
    """Puts the connection on the leash as soon as there is one."""

    leash: Leash

    def __call__(self, event: str, about: dict[str, Any]) -> None:
        if event == "connection.connect_tcp.complete":
            self.leash.hold(about["return_value"].get_extra_info("socket"))


def _hear_out(response: httpx.Response, deadline: Deadline) -> bytes | Unheard:
    """What is said, as it comes, packed or not."""
    said = b""
    try:
        for piece in response.iter_raw():
            said += piece
            if len(said) >= LONGEST_ANSWER:
                return Unheard.TOO_LONG
    except httpx.TimeoutException:
        return Unheard.TOO_SLOW
    except httpx.HTTPError:
        return Unheard.TOO_SLOW if deadline.is_over() else Unheard.BROKEN_OFF
    finally:
        response.close()
    return said


def _taken(response: httpx.Response, said: bytes | Unheard) -> Outcome:
    """What a 2xx means: some say in the answer's text that they failed."""
    status = response.status_code
    if isinstance(said, Unheard):
        return OutcomeUnknown(f"answered {status}, {said}")
    if response.headers.get("content-encoding", "identity").lower() != "identity":
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
