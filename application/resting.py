"""A host that keeps its senders waiting is left alone for a while: a circuit breaker an endpoint."""

from collections.abc import Callable
from threading import Lock

from attrs import define, field, frozen

from application.pacing import host_of
from application.ports.channel import Later, Outcome, OutcomeUnknown

MOST_KNOWN = 10_000


@define
class _Endpoint:
    """`silent` sends in a row; nothing goes there before `until`, by the monotonic clock."""

    silent: int = 0
    until: float = 0.0


@frozen
class Rests:
    """After `enough` sends in a row that held their sender for `slow` seconds or longer and were not
    answered, an endpoint rests for `rest` seconds; then one try goes there, and it rests again, until a try
    is over soon or answered.

    Counted by host, since each person may have an address of their own there, and by address, since one that
    hangs may have good neighbours on its host. Without a host nothing is counted. Each process counts for
    itself. `monotonic` is the Clock's. The rest is shorter than the later waits between a message's tries,
    so that none has all of its tries fall into the rests of a host that answers again.
    """

    monotonic: Callable[[], float]
    slow: float = 2.0
    enough: int = 2
    rest: float = 30.0
    _endpoints: dict[str, _Endpoint] = field(factory=dict, init=False, repr=False)
    _lock: Lock = field(factory=Lock, init=False)

    def enter(self, address: str) -> bool:
        """Whether something may be sent there now."""
        with self._lock:
            now = self.monotonic()
            known = [self._endpoints[key] for key in _keys(address) if key in self._endpoints]
            resting = [one for one in known if one.silent >= self.enough]
            if any(now < one.until for one in resting):
                return False
            for one in resting:
                one.until = now + self.rest
            return True

    def leave(self, address: str, held: float, outcome: Outcome) -> None:
        """A send there has ended so, after `held` seconds."""
        is_silent = held >= self.slow and isinstance(outcome, Later | OutcomeUnknown)
        with self._lock:
            for key in _keys(address):
                if is_silent:
                    one = self._endpoint(key)
                    one.silent += 1
                    one.until = self.monotonic() + self.rest
                else:
                    self._endpoints.pop(key, None)

    def _endpoint(self, key: str) -> _Endpoint:
        if key not in self._endpoints and len(self._endpoints) >= MOST_KNOWN:
            self._endpoints.clear()
        return self._endpoints.setdefault(key, _Endpoint())


def _keys(address: str) -> tuple[str, ...]:
    host = host_of(address)
    return () if host is None else (host, address)
