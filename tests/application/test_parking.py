"""What was refused for good is given back whole, page by page, and what is refused again stays."""

from collections.abc import Collection
from uuid import UUID

from attrs import frozen

from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.outbox import MemoryOutbox
from adapters.outbound.memory.store import MemoryStore
from adapters.testkit.examples import CYCLE, MINUTE, NOON, due, keep, sending_new
from application.parking import Parking


def parked(outbox: MemoryOutbox, count: int) -> list[UUID]:
    example = due(1, *(NOON - n * MINUTE for n in range(count)))
    ledger = MemoryLedger(outbox.store)
    keep(ledger, example)
    with ledger.transaction(CYCLE) as cycle:
        cycle.settle(sending_new(example))
    claims = outbox.claim("relay", count, NOON, MINUTE)
    outbox.park([(claim, "too large") for claim in claims], NOON)
    return [claim.message.id for claim in claims]


@frozen
class Refusing(MemoryOutbox):
    """An outbox whose relay parks again at once what is given back."""

    def unpark(self, ids: Collection[UUID]) -> Collection[UUID]:
        given_back = super().unpark(ids)
        claims = self.claim("relay", len(given_back), NOON, MINUTE)
        self.park([(claim, "too large") for claim in claims], NOON + MINUTE)
        return given_back


def test_all_are_given_back_though_a_page_does_not_hold_them() -> None:
    outbox = MemoryOutbox(MemoryStore())
    parked(outbox, 5)
    assert Parking(outbox, page=2).retry_all(NOON).count == 5
    assert outbox.parked(1).count == 0
    assert outbox.backlog(NOON).count == 5


def test_what_is_refused_again_meanwhile_is_not_tried_for_ever() -> None:
    outbox = Refusing(MemoryStore())
    parked(outbox, 5)
    assert Parking(outbox).retry_all(NOON).count == 5
    assert outbox.parked(1).count == 5
