"""`tickler delivery list`, `show`, `retry` and `arrived`."""

from uuid import UUID

import pytest

from adapters.settings import Settings
from adapters.testkit.channels import RecordingChannel
from adapters.testkit.deliveries.examples import LEASE_END, OTHER_REMINDER, REMINDER, made, settle
from adapters.testkit.examples import MINUTE, NOON, OTHER_TENANT, OWNER, TENANT
from application.ports.deliveries import Received
from application.ports.people import Person, Tenant
from domain import delivery
from domain.delivery import Delivery
from tests.adapters.offices import Commands, MemoryOffice


@pytest.fixture
def desk() -> MemoryOffice:
    desk = MemoryOffice.new(Settings())
    desk.container.people().add_tenant(Tenant(TENANT, "acme"))
    desk.container.people().add_person(Person(OWNER, TENANT, "anna"))
    return desk


@pytest.fixture
def tickler(desk: MemoryOffice, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(desk, capsys)


@pytest.fixture
def ended(desk: MemoryOffice) -> list[Delivery]:
    """One that Failed, one that is Unknown, and one that arrived; all about one reminder."""
    deliveries = desk.container.deliveries()
    kept = [made(n, channel="recording", due_at=NOON - n * MINUTE) for n in (3, 2, 1)]
    deliveries.receive([Received(REMINDER, kept)], NOON)
    commands: tuple[delivery.Command, ...] = (
        delivery.Refuse(1, "no such mailbox", NOON),
        delivery.LoseTrack(1, "no answer", NOON),
        delivery.Accept(1, None, NOON),
    )
    claimed = deliveries.claim("recording", 3, NOON, LEASE_END)
    return [settle(deliveries, one, command) for one, command in zip(claimed, commands, strict=True)]


def listed(tickler: Commands, *arguments: str) -> list[str]:
    return [one["deliveryId"] for one in tickler.document("delivery", "list", *arguments)]


def test_those_that_reached_nobody_are_listed_the_latest_first(
    tickler: Commands, ended: list[Delivery]
) -> None:
    failed, unknown, arrived = (str(one.id) for one in ended)
    assert listed(tickler) == [unknown, failed]
    assert listed(tickler, "--limit", "1") == [unknown]
    assert listed(tickler, "--status", "Delivered", "--status", "Failed") == [arrived, failed]
    assert listed(tickler, "--tenant", "acme") == [unknown, failed]
    assert listed(tickler, "--tenant", str(OTHER_TENANT)) == []
    said = tickler("delivery", "list")
    for word in (failed, unknown, "anna", "no such mailbox", "no answer"):
        assert word in said.out


def test_without_any_there_is_none(tickler: Commands) -> None:
    assert tickler("delivery", "list").out == "none\n"
    assert tickler.document("delivery", "list") == []


def test_one_is_shown_beside_the_others_about_the_same(tickler: Commands, ended: list[Delivery]) -> None:
    failed, unknown, arrived = ended
    document = tickler.document("delivery", "show", str(unknown.id))
    assert document["inDoubt"]
    assert document["status"] == "Unknown"
    assert [one["deliveryId"] for one in document["others"]] == sorted([str(failed.id), str(arrived.id)])
    said = tickler("delivery", "show", str(unknown.id))
    assert "it may have arrived" in said.out
    assert str(REMINDER) in said.out
    assert tickler("delivery", "show", str(UUID(int=5))).code == 1


def test_what_failed_is_sent_again_under_its_id(
    desk: MemoryOffice, tickler: Commands, ended: list[Delivery]
) -> None:
    failed, _, _ = ended
    assert tickler("delivery", "retry", str(failed.id)).out == "to be sent again: 1\n"

    assert listed(tickler, "--status", "Pending") == [str(failed.id)]
    handled = list(desk.container.delivering(channel=RecordingChannel()).tick())
    assert [one.delivery_id for one in handled] == [failed.id]


def test_what_waits_or_is_being_sent_is_named_left_as_it_is_and_not_counted(
    desk: MemoryOffice, tickler: Commands, ended: list[Delivery]
) -> None:
    failed = str(ended[0].id)
    deliveries = desk.container.deliveries()
    never_tried, being_sent = made(8, channel="email"), made(9, channel="fax")
    deliveries.receive([Received(OTHER_REMINDER, [never_tried, being_sent])], NOON)
    before = [never_tried, *deliveries.claim("fax", 1, NOON, LEASE_END)]
    waiting = [str(one.id) for one in before]
    said = tickler("delivery", "retry", *waiting, failed)
    assert (said.code, said.out) == (0, "to be sent again: 1\n")
    assert [line.split(": ")[1] for line in said.err.splitlines()] == waiting
    assert "it waits to be sent or is being sent already" in said.err
    assert [deliveries.by_id(one.id) for one in before] == before
    assert tickler.document("delivery", "retry", failed) == {"retried": 0, "refused": []}


def test_what_may_have_arrived_is_retried_only_at_that_risk(tickler: Commands, ended: list[Delivery]) -> None:
    failed, unknown, _ = (str(one.id) for one in ended)
    said = tickler("delivery", "retry", unknown, failed)
    assert (said.code, said.out) == (1, "to be sent again: 1\n")
    assert unknown in said.err
    assert "INV-DLV-4" in said.err
    assert listed(tickler) == [unknown]
    assert tickler.document("delivery", "retry", unknown, "--may-arrive-twice") == {
        "retried": 1,
        "refused": [],
    }
    assert listed(tickler) == []


def test_what_arrived_or_is_not_there_is_named_and_not_sent(tickler: Commands, ended: list[Delivery]) -> None:
    arrived, nobody = ended[2].id, UUID(int=5)
    said = tickler("delivery", "retry", str(arrived), str(nobody), "--may-arrive-twice")
    assert (said.code, said.out) == (1, "to be sent again: 0\n")
    assert [line.split(": ")[1] for line in said.err.splitlines()] == [str(arrived), str(nobody)]
    assert listed(tickler, "--status", "Delivered") == [str(arrived)]


def test_what_turns_out_to_have_arrived_is_delivered_by_a_persons_word_and_told_so(
    desk: MemoryOffice, tickler: Commands, ended: list[Delivery]
) -> None:
    _, unknown, arrived = (str(one.id) for one in ended)
    assert f"`tickler delivery arrived {unknown}` says so" in tickler("why", unknown).out
    assert tickler("delivery", "arrived", unknown, unknown, arrived).out == "arrived: 2\n"

    assert listed(tickler, "--status", "Delivered") == [arrived, unknown]
    word = "a person at the command line says that it arrived"
    assert word in tickler("delivery", "show", unknown).out
    why = tickler.document("why", unknown)
    assert (why["situation"], why["status"]) == ("delivered", "Delivered")
    assert f"its answer was lost, and {word}." in why["says"]
    assert word in tickler("history", unknown).out
    assert word not in tickler("why", arrived).out
    assert list(desk.container.delivering(channel=RecordingChannel()).tick()) == []
    assert tickler.document("delivery", "arrived", unknown) == {"arrived": 1, "refused": []}


def test_only_what_is_unknown_can_be_said_to_have_arrived(tickler: Commands, ended: list[Delivery]) -> None:
    failed, unknown, _ = (str(one.id) for one in ended)
    tickler("delivery", "retry", unknown, "--may-arrive-twice")
    nobody = str(UUID(int=5))
    said = tickler("delivery", "arrived", failed, unknown, nobody)
    assert (said.code, said.out) == (1, "arrived: 0\n")
    assert [line.split(": ")[1:3] for line in said.err.splitlines()] == [
        [failed, "INV-DLV-2"],
        [unknown, "INV-DLV-3"],
        [nobody, "INV-DLV-1"],
    ]
    assert tickler("delivery", "arrived", failed, "--json").document == {"arrived": 0, "refused": [failed]}
    assert listed(tickler, "--status", "Delivered", "--status", "Failed") != []


@pytest.mark.parametrize(
    "arguments", [("retry",), ("retry", "yesterday"), ("show", "yesterday"), ("arrived",), ("arrived", "now")]
)
def test_an_id_that_is_none_is_bad_usage(tickler: Commands, arguments: tuple[str, ...]) -> None:
    assert tickler("delivery", *arguments).code == 2
