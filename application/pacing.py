"""How fast messages leave, and how many at once to one host."""

from collections.abc import Callable
from threading import Lock
from urllib.parse import urlsplit

from attrs import define, field, frozen

from domain.values import TenantId

MOST_TENANTS = 10_000


@define
class _Bucket:
    """A token a message, `rate` of them a second, and no more than a second's worth together."""

    rate: float
    seen: float
    tokens: float
    turn: float = 0.0

    def refill(self, now: float) -> None:
        self.tokens = min(self.tokens + (now - self.seen) * self.rate, max(self.rate, 1.0))
        self.seen = now

    def next_turn(self) -> float:
        """Seconds until the turn of one more that waits: those that wait come back one after the other."""
        self.turn = max(self.turn, self.seen) + 1 / self.rate
        return self.turn - self.seen


@frozen
class Rates:
    """Messages a second: of each channel, and of each tenant over all channels; None is no limit.

    Each process counts for itself. `monotonic` is the Clock's.
    """

    monotonic: Callable[[], float]
    per_channel: float | None = None
    per_tenant: float | None = None
    _buckets: dict[str | TenantId, _Bucket] = field(factory=dict, init=False)
    _lock: Lock = field(factory=Lock, init=False)

    def wait(self, channel: str, tenant_id: TenantId) -> float:
        """0.0 when one more message may leave now, which is counted; else the seconds that it should wait."""
        with self._lock:
            now = self.monotonic()
            wanted = ((channel, self.per_channel), (tenant_id, self.per_tenant))
            buckets = [self._bucket(key, rate, now) for key, rate in wanted if rate is not None]
            empty = [bucket for bucket in buckets if bucket.tokens < 1]
            if empty:
                return max(bucket.next_turn() for bucket in empty)
            for bucket in buckets:
                bucket.tokens -= 1
            return 0.0

    def _bucket(self, key: str | TenantId, rate: float, now: float) -> _Bucket:
        if key not in self._buckets and len(self._buckets) >= MOST_TENANTS:
            self._buckets.clear()
        bucket = self._buckets.setdefault(key, _Bucket(rate, now, max(rate, 1.0)))
        bucket.refill(now)
        return bucket


@frozen
class Lanes:
    """No more than `width` at once to one host; an address without a host is not counted."""

    width: int
    _busy: dict[str, int] = field(factory=dict, init=False)
    _lock: Lock = field(factory=Lock, init=False)

    def enter(self, address: str) -> bool:
        """Whether there is room; who came in leaves again."""
        host = host_of(address)
        with self._lock:
            if host is None or self._busy.get(host, 0) < self.width:
                if host is not None:
                    self._busy[host] = self._busy.get(host, 0) + 1
                return True
            return False

    def leave(self, address: str) -> None:
        host = host_of(address)
        with self._lock:
            if host is not None:
                self._busy[host] -= 1
                if not self._busy[host]:
                    del self._busy[host]


def host_of(address: str) -> str | None:
    """The host in an address that is a URL; None for others."""
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
