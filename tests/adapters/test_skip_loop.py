"""The loop that skips what nobody here can send, as a process without a mail server has it."""

import attrs
import pytest
from structlog.testing import capture_logs

from adapters.__main__ import services
from adapters.inbound.cli.running import make_loops
from adapters.inbound.loops import Stop
from adapters.inbound.skip_loop import REST, SkipStep
from adapters.settings import Settings
from adapters.testkit.deliveries.examples import OTHER_REMINDER, REMINDER, made
from adapters.testkit.examples import MINUTE, NOON
from application.ports.deliveries import Received
from domain.delivery import Delivery, Status
from tests.adapters.offices import MemoryOffice


@pytest.fixture
def desk() -> MemoryOffice:
    return MemoryOffice.new(Settings())


def never() -> bool:
    return False


def step(desk: MemoryOffice, limit: int = 100) -> SkipStep:
    return SkipStep(attrs.evolve(services(desk.container).skipping, limit=limit), 1.0, never)


def keep(desk: MemoryOffice, *deliveries: Delivery) -> None:
    """Their event is not there: none is to be sent any more."""
    desk.clock.set(NOON)
    desk.container.deliveries().receive([Received(REMINDER, deliveries)], NOON)


def status(desk: MemoryOffice, one: Delivery) -> Status:
    found: Delivery | None = desk.container.deliveries().by_id(one.id)
    assert found is not None
    return found.status


def test_without_a_mail_server_what_is_on_the_other_channels_is_left_to_their_loops(
    desk: MemoryOffice,
) -> None:
    console, email, fax = made(1), made(2, channel="email"), made(3, channel="fax")
    keep(desk, console, email, fax)
    with capture_logs() as lines:
        assert step(desk)() == REST
    assert [status(desk, one) for one in (console, email, fax)] == [
        Status.PENDING,
        Status.SKIPPED,
        Status.SKIPPED,
    ]
    (first, second) = [line for line in lines if line["event"] == "delivery handled"]
    assert (first["DeliveryId"], first["channel"], first["reason"]) == (email.id, "email", "cancelled")
    assert (first["log_level"], first["status"], second["channel"]) == ("info", "Skipped", "fax")
    skipped = desk.container.metrics().deliveries.items.labels("email", "skipped")
    assert skipped._value.get() == 1


def test_with_one_e_mail_is_left_to_its_own_loop() -> None:
    desk = MemoryOffice.new(Settings(smtp_host="mail.example.org"))
    email = made(1, channel="email")
    keep(desk, email)
    step(desk)()
    assert status(desk, email) is Status.PENDING


def test_a_turn_looks_at_one_batch_and_the_next_goes_on_behind_it(desk: MemoryOffice) -> None:
    kept = [made(number, channel="email") for number in range(1, 6)]
    keep(desk, *kept)
    turns = step(desk, limit=2)
    pauses, left = [], []
    for _ in range(3):
        pauses.append(turns())
        left.append(sum(status(desk, one) is Status.PENDING for one in kept))
    assert (pauses, left) == ([1.0, 1.0, REST], [3, 1, 0])
    late = made(6, OTHER_REMINDER, channel="email", due_at=NOON - MINUTE)
    desk.container.deliveries().receive([Received(OTHER_REMINDER, [late])], NOON)
    turns()
    assert status(desk, late) is Status.SKIPPED


def test_it_is_among_the_loops_that_deliver(desk: MemoryOffice) -> None:
    office = services(desk.container)
    for kind, is_there in (("deliver", True), ("dispatch", False)):
        loops = make_loops(office, desk.settings, (kind,), Stop())
        assert ("skip" in [thread.name for thread in loops._threads]) is is_there
