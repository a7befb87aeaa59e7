"""A ledger that lets a scenario do something at a point of a transaction; the rest is the ledger's own."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from attrs import frozen

from application.ports.ledger import Change, Context, Ledger, Settled, Settlement, Transaction


def nothing() -> None:
    """What happens where a scenario has nothing to do."""


@frozen
class Moments:
    """What is done at these points of a transaction: changes write by `record`, cycles by `settle`."""

    at_the_beginning: Callable[[], None] = nothing
    between_read_and_write: Callable[[], None] = nothing
    after_record: Callable[[], None] = nothing
    before_commit: Callable[[], None] = nothing


class Interposed:
    def __init__(self, ledger: Ledger, moments: Moments) -> None:
        self._ledger = ledger
        self._moments = moments

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    @contextmanager
    def transaction(self, context: Context) -> Iterator[Transaction]:
        self._moments.at_the_beginning()
        with self._ledger.transaction(context) as transaction:
            yield _Transaction(transaction, self._moments)
            self._moments.before_commit()


class _Transaction:
    def __init__(self, transaction: Transaction, moments: Moments) -> None:
        self._transaction = transaction
        self._moments = moments

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transaction, name)

    def record(self, changes: Sequence[Change]) -> None:
        self._transaction.record(changes)
        self._moments.after_record()

    def settle(self, batch: Sequence[Settled]) -> Settlement:
        self._moments.between_read_and_write()
        return self._transaction.settle(batch)
