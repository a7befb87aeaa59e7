"""Make room: what is over and was kept as long as it should be, goes. Source: design section 5."""

from collections.abc import Callable, Iterator

from attrs import frozen

from application.ports.machine import Clock
from application.ports.pruning import Batch, Place, Prunable, What
from application.retention import Retention


@frozen
class Pruned:
    """One batch, for whoever watches: of `what`, of which there are about `rows` to look at."""

    what: What
    batch: Batch
    rows: int


@frozen
class Pruning:
    store: Prunable
    clock: Clock
    retention: Retention
    limit: int = 1_000

    def run(
        self, stopping: Callable[[], bool] = lambda: False, *, only_count: bool = False
    ) -> Iterator[Pruned]:
        """Once through everything, a batch a commit, until that is done or somebody wants it to stop."""
        now = self.clock.now()
        for what in What:
            before, rows = self.retention.before(what, now), self.store.rows(what)
            place: Place | None = None
            while not stopping():
                batch = self.store.prune(what, before, place, limit=self.limit, only_count=only_count)
                yield Pruned(what, batch, rows)
                place = batch.then
                if place is None:
                    break
