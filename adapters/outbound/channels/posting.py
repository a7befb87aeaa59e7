"""One signed POST to a stranger's URL, with nobody led astray and nothing waited for without end."""

import ssl
from datetime import timedelta
from enum import StrEnum
from typing import Any

import httpx
from attrs import field, frozen

from adapters.leash import Deadline, Leash
from adapters.outbound.channels.open_internet import may_be_talked_to
from adapters.outbound.channels.signing import signature
from adapters.outbound.channels.wire import (
    host_name,
    one_visible_line,
    resolve,
    system_trust,
)
from application.ports.machine import Clock
from domain.errors import Invalid

LONGEST_ANSWER = 64 * 1024

ALLOW_HTTP = "TICKLER_WEBHOOK_ALLOW_HTTP=true"
PRIVATE_HELP = "TICKLER_WEBHOOK_ALLOW_PRIVATE=true lets it pass"


class Unheard(StrEnum):
    """Why the text of an answer was not heard to its end."""

    TOO_LONG = f"and more than {LONGEST_ANSWER // 1024} kB of text"
    TOO_SLOW = "and its text did not end in time"
    BROKEN_OFF = "and its text broke off"


@frozen
class Answered:
    status: int
    headers: httpx.Headers
    body: bytes | Unheard = field(repr=False)

    @property
    def is_packed(self) -> bool:
        return str(self.headers.get("content-encoding", "identity")).lower() != "identity"


@frozen
class NotSent:
    """Nothing has left."""

    reason: str
    for_good: bool = False


@frozen
class NoAnswer:
    """It left, and nothing came back."""

    reason: str


Reply = Answered | NotSent | NoAnswer


@frozen
class SignedPosts:
    """POST of JSON, signed as Standard Webhooks are.

    The host is resolved once a try and that address is connected to, so that a name cannot answer one thing
    to the check and another to the connection. Neither redirects nor the environment's proxies are followed.
    `allow_http` and `allow_private` are for one's own machine. `timeout` bounds a whole `post`,
    `read_timeout` each wait within it.
    """

    clock: Clock
    timeout: timedelta
    read_timeout: timedelta
    allow_http: bool = False
    allow_private: bool = False
    context: ssl.SSLContext = field(factory=system_trust, repr=False)

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

    def post(self, address: str, secret: str, id: str, content: bytes) -> Reply:
        """One try at an address that `check` let pass; `webhook-id` is `id`, its timestamp the try's own."""
        url = httpx.URL(address)
        deadline = Deadline(self.timeout.total_seconds())
        port = url.port or (443 if url.scheme == "https" else 80)
        try:
            addresses = resolve(url.raw_host.decode(), port, deadline)
        except OSError as problem:
            return NotSent(f"its host was not found: {type(problem).__name__}")
        if not all(may_be_talked_to(one, allow_private=self.allow_private) for one in addresses):
            return NotSent(f"its host is at a private address; {PRIVATE_HELP}", for_good=True)
        reply: Reply = NotSent("its host has no address")
        for one in addresses:
            try:
                return self._post(url, one, secret, id, content, deadline)
            except (httpx.ConnectError, httpx.ConnectTimeout, OSError) as problem:
                reply = NotSent(f"no connection: {type(problem).__name__}")
        return reply

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
        self, url: httpx.URL, address: str, secret: str, id: str, content: bytes, deadline: Deadline
    ) -> Reply:
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
                    "webhook-id": id,
                    "webhook-timestamp": str(int(now.timestamp())),
                    "idempotency-key": id,
                    **signature(secret, id, now, content),
                },
                extensions={"sni_hostname": url.raw_host.decode(), "trace": _Tracing(leash)},
            )
            try:
                response = client.send(request, stream=True)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                raise
            except httpx.HTTPError as problem:
                return NoAnswer(f"no answer: {type(problem).__name__}")
            return Answered(response.status_code, response.headers, hear_out(response, deadline))


@frozen
class _Tracing:
    """Puts the connection on the leash as soon as there is one."""

    leash: Leash

    def __call__(self, event: str, about: dict[str, Any]) -> None:
        if event == "connection.connect_tcp.complete":
            self.leash.hold(about["return_value"].get_extra_info("socket"))


def hear_out(response: httpx.Response, deadline: Deadline) -> bytes | Unheard:
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
