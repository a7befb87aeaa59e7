"""How many requests are taken, of one token and at once: each process counts for itself."""

import math
from collections.abc import Callable
from threading import Lock

import anyio
from attrs import define, field, frozen
from starlette.types import ASGIApp, Receive, Scope, Send

from adapters.inbound.http.problems import TooFast, problem
from application.ports.tokens import TokenId

MOST_TOKENS = 10_000
# As many as there are threads to answer them: one more would wait for a thread, whatever the store does.
MOST_AT_WORK = 40
TURN_SECONDS = 1.0


@define
class _Bucket:
    left: float
    seen: float


@frozen
class RequestRates:
    """Of each token `rate` requests a second, and up to `burst` at once after a rest."""

    rate: float
    burst: int
    monotonic: Callable[[], float]
    _buckets: dict[TokenId, _Bucket] = field(factory=dict, init=False)
    _lock: Lock = field(factory=Lock, init=False)

    def take(self, token_id: TokenId) -> None:
        """Count one more; raises TooFast, and counts nothing."""
        with self._lock:
            now = self.monotonic()
            if token_id not in self._buckets and len(self._buckets) >= MOST_TOKENS:
                self._forget(now)
            bucket = self._buckets.setdefault(token_id, _Bucket(self.burst, now))
            bucket.left, bucket.seen = self._left(bucket, now), now
            if bucket.left < 1:
                raise TooFast(math.ceil((1 - bucket.left) / self.rate))
            bucket.left -= 1

    def _left(self, bucket: _Bucket, now: float) -> float:
        return min(self.burst, bucket.left + (now - bucket.seen) * self.rate)

    def _forget(self, now: float) -> None:
        """Leave out the full ones, which a new one is no different from; all, where none is full."""
        full = [key for key, bucket in self._buckets.items() if self._left(bucket, now) >= self.burst]
        for key in full or list(self._buckets):
            del self._buckets[key]


@frozen
class Turns:
    """Lets so many requests be worked on at once; one that has no turn within a second is answered 503."""

    app: ASGIApp
    _free: anyio.Semaphore = field(factory=lambda: anyio.Semaphore(MOST_AT_WORK), init=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            with anyio.fail_after(TURN_SECONDS):
                await self._free.acquire()
        except TimeoutError:
            said = "busy, nothing was changed; try again"
            await problem(503, said, {"Retry-After": "1"})(scope, receive, send)
            return
        try:
            await self.app(scope, receive, send)
        finally:
            self._free.release()
