"""The loop that skips what nobody here can send, once it is not to be sent any more."""

from collections.abc import Callable

from attrs import define, field

from adapters.inbound.loops import tell_handled
from application.delivering.skipping import Skipping
from domain.delivery import Delivery

REST = 15.0


@define
class SkipStep:
    """One batch a turn, so that many that are still wanted cost little and hide none; from the first again
    `REST` seconds after the last, or `interval` where that is longer.
    """

    skipping: Skipping
    interval: float
    stopping: Callable[[], bool]
    _after: Delivery | None = field(default=None, init=False)

    def __call__(self) -> float:
        looked = self.skipping.batch(self._after, self.stopping)
        self._after = looked.last
        for one in looked.skipped:
            tell_handled("skip", one)
        return self.interval if looked.last is not None else max(REST, self.interval)
