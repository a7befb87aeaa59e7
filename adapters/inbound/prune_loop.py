"""The loop that makes room."""

from collections import Counter
from collections.abc import Callable

from attrs import frozen

from adapters.observability.logging import log
from application.pruning import Pruning


@frozen
class PruneStep:
    """Once through everything; `interval` in seconds. What went is told in counts."""

    pruning: Pruning
    interval: float
    stopping: Callable[[], bool]

    def __call__(self) -> float:
        pruned: Counter[str] = Counter()
        for one in self.pruning.run(self.stopping):
            pruned[one.what.value] += one.batch.pruned
        if pruned.total():
            log(loop="prune").info("pruned", **{what: count for what, count in pruned.items() if count})
        return self.interval
