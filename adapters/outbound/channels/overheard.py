"""What the library requests is told while Apprise sends with it, which Apprise keeps from its caller."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cache, wraps
from http import HTTPStatus
from threading import local
from typing import Any

import requests
from attrs import define, field
from urllib3.exceptions import ConnectTimeoutError, NewConnectionError, SSLError

from application.ports.channel import Later, Outcome, OutcomeUnknown, RefusedForGood

LONGEST_RETRY_AFTER = timedelta(days=1)
_LATER = (
    HTTPStatus.PROXY_AUTHENTICATION_REQUIRED,
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.TOO_EARLY,
    HTTPStatus.TOO_MANY_REQUESTS,
)
_of_this_thread = local()


@define
class Overheard:
    """The answers to what was sent by this thread, and how often none came: because no connection came
    about (`unreached`), or after one had (`lost`).
    """

    answers: list[requests.Response] = field(factory=list)
    unreached: int = 0
    lost: int = 0

    def failure(self) -> Outcome:
        """What it means when Apprise says no. Only a 4xx to everything that was sent is a refusal."""
        if self.lost:
            return OutcomeUnknown("it was not taken, or its answer was lost")
        if not self.answers:
            return (
                Later("its server was not reached: no such name, no connection or no certificate to trust")
                if self.unreached
                else OutcomeUnknown("it was not taken, or its answer was lost: Apprise does not say which")
            )
        for one in self.answers:
            if not 400 <= one.status_code < 500:
                return OutcomeUnknown(f"answered {one.status_code}, which does not say that it was not taken")
        if self.unreached:
            return Later("its server was not reached every time")
        last = self.answers[-1]
        if last.status_code in _LATER:
            return Later(f"answered {last.status_code}", _retry_after(last))
        return RefusedForGood(f"answered {last.status_code}")


@contextmanager
def overhearing() -> Iterator[Overheard]:
    """Hear what requests sends in this thread, and nothing of others."""
    _listen()
    _of_this_thread.heard = heard = Overheard()
    try:
        yield heard
    finally:
        del _of_this_thread.heard


@cache
def _listen() -> None:
    """Every plugin makes sessions of its own, so it is their class that is listened to, once a process."""
    send = requests.Session.send

    @wraps(send)
    def overheard(
        self: requests.Session, request: requests.PreparedRequest, **differently: Any
    ) -> requests.Response:
        heard: Overheard | None = getattr(_of_this_thread, "heard", None)
        if heard is None:
            return send(self, request, **differently)
        try:
            response = send(self, request, **differently)
        except Exception as problem:
            if _never_arrived(problem):
                heard.unreached += 1
            else:
                heard.lost += 1
            raise
        heard.answers.append(response)
        return response

    requests.Session.send = overheard  # type: ignore[method-assign]


def _never_arrived(problem: Exception) -> bool:
    """Whether there was no connection that a request could have gone over.

    Of TLS it is only an untrusted certificate that cannot come up later than the handshake.
    """
    if not isinstance(problem, requests.ConnectionError) or not problem.args:
        return False
    reason = getattr(problem.args[0], "reason", None)
    if isinstance(reason, SSLError):
        return any(isinstance(one, ssl.SSLCertVerificationError) for one in reason.args)
    return isinstance(reason, NewConnectionError | ConnectTimeoutError)


def _retry_after(response: requests.Response) -> timedelta | None:
    """The seconds that Retry-After asks for, a day at most; a date is left to our own pace."""
    asked = response.headers.get("retry-after", "").strip()
    if not (asked.isascii() and asked.isdigit()):
        return None
    return min(timedelta(seconds=int(asked[:9])), LONGEST_RETRY_AFTER)
