"""`tickler outbox parked` and `tickler outbox retry`."""

from datetime import timedelta
from uuid import UUID

import pytest

from adapters.settings import Settings
from adapters.testkit.examples import CYCLE, MINUTE, NOON, due, keep, sending_new
from tests.adapters.offices import NOW, Commands, MemoryOffice

REASON = "Kafka: Topic authorization failed: topic pin.calendar.reminder-due.v1"


@pytest.fixture
def desk() -> MemoryOffice:
    return MemoryOffice.new(Settings())


@pytest.fixture
def tickler(desk: MemoryOffice, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(desk, capsys)


def park(desk: MemoryOffice, count: int) -> list[UUID]:
    """So many messages of one event, refused for good by now; their ids."""
    example = due(1, *(NOON - n * MINUTE for n in range(count)))
    ledger, outbox = desk.container.ledger(), desk.container.outbox()
    keep(ledger, example)
    with ledger.transaction(CYCLE) as cycle:
        cycle.settle(sending_new(example))
    claims = outbox.claim("relay", count, NOW, timedelta(minutes=1))
    assert outbox.park([(claim, REASON) for claim in claims], NOW) == count
    return [claim.message.id for claim in claims]


def parked(tickler: Commands) -> list[str]:
    return [one["messageId"] for one in tickler.document("outbox", "parked")["messages"]]


def test_nothing_is_parked_at_first(tickler: Commands) -> None:
    assert tickler("outbox", "parked").out == "none\n"
    assert tickler.document("outbox", "parked") == {"count": 0, "messages": []}


def test_a_parked_message_is_listed_with_its_reason_and_without_its_content(
    desk: MemoryOffice, tickler: Commands
) -> None:
    (id_,) = park(desk, 1)
    row = desk.container.memory().outbox[id_]
    assert tickler.document("outbox", "parked") == {
        "count": 1,
        "messages": [
            {
                "messageId": str(id_),
                "eventId": str(row.message.key),
                "topic": row.message.topic,
                "bytes": len(row.message.payload),
                "reason": REASON,
                "at": "2026-11-29T12:00:00Z",
            }
        ],
    }
    said = tickler("outbox", "parked")
    assert REASON in said.out
    assert str(id_) in said.out
    assert "ownerUserId" not in said.out


def test_what_the_list_leaves_out_is_counted(desk: MemoryOffice, tickler: Commands) -> None:
    park(desk, 5)
    assert tickler("outbox", "parked", "--limit", "2").out.endswith("and 3 more\n")
    assert tickler.document("outbox", "parked", "--limit", "2")["count"] == 5


def test_those_that_are_named_are_given_back(desk: MemoryOffice, tickler: Commands) -> None:
    first, second = park(desk, 2)
    said = tickler("outbox", "retry", str(first))
    assert (said.code, said.out) == (0, "given back: 1\n")
    assert parked(tickler) == [str(second)]
    assert [claim.message.id for claim in desk.container.outbox().claim("relay", 9, NOW, MINUTE)] == [first]


def test_all_are_given_back_at_once(desk: MemoryOffice, tickler: Commands) -> None:
    park(desk, 5)
    assert tickler.document("outbox", "retry", "--all") == {"retried": 5, "notParked": []}
    assert parked(tickler) == []
    assert desk.container.outbox().backlog(NOW).count == 5
    assert tickler.document("outbox", "retry", "--all") == {"retried": 0, "notParked": []}


def test_one_that_is_not_parked_is_named_and_the_others_are_given_back(
    desk: MemoryOffice, tickler: Commands
) -> None:
    (id_,) = park(desk, 1)
    said = tickler("outbox", "retry", str(id_), str(UUID(int=5)))
    assert (said.code, said.out) == (1, "given back: 1\n")
    assert said.err == f"tickler: not parked: {UUID(int=5)}\n"
    assert parked(tickler) == []


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        ((), "name the messages, or give --all"),
        ((str(UUID(int=5)), "--all"), "name the messages, or give --all"),
        (("yesterday",), "'yesterday' is not an id"),
    ],
)
def test_a_retry_of_nothing_in_particular_is_bad_usage(
    desk: MemoryOffice, tickler: Commands, arguments: tuple[str, ...], about: str
) -> None:
    (id_,) = park(desk, 1)
    said = tickler("outbox", "retry", *arguments)
    assert said.code == 2
    assert about in said.err
    assert len(said.err.splitlines()) == 1
    assert parked(tickler) == [str(id_)]
