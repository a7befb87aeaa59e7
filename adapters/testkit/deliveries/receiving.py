"""Taking due reminders in."""

import attrs
import pytest

from adapters.testkit.deliveries.examples import (
    INSTANT,
    LEASE_END,
    OTHER_REMINDER,
    REMINDER,
    ids,
    made,
    settle,
)
from adapters.testkit.deliveries.surroundings import Surroundings
from adapters.testkit.examples import MINUTE, NOON, numbered
from adapters.testkit.threads import at_once
from application.ports.deliveries import Deliveries, Received
from domain import delivery
from domain.delivery import Template
from domain.values import ContactPointId, ReminderId

TRACEPARENT = "00-0195000000007000800000000000000a-00000000000000ff-01"


class ReceivingContract(Surroundings):
    """A reminder is taken in once, with the deliveries that it makes."""

    @pytest.mark.parametrize(
        "kept",
        [
            pytest.param({}, id="to the console"),
            pytest.param({"contact_point_id": ContactPointId(numbered(9))}, id="to a contact point"),
            pytest.param({"template": Template.APPOINTMENT_REMINDER}, id="of an appointment"),
            pytest.param({"due_at": NOON - INSTANT, "not_before": NOON + INSTANT}, id="with microseconds"),
        ],
    )
    def test_what_is_received_comes_back_equal(self, deliveries: Deliveries, kept: dict[str, object]) -> None:
        one = attrs.evolve(made(1), **kept)  # type: ignore[arg-type]
        assert list(deliveries.receive([Received(REMINDER, [one])], NOON)) == [True]
        assert list(deliveries.of_reminder(REMINDER)) == [one]

    def test_deliveries_of_a_reminder_are_its_own_ordered_by_id(self, deliveries: Deliveries) -> None:
        two, one = made(2), made(1, due_at=NOON + MINUTE)
        other = made(3, OTHER_REMINDER)
        deliveries.receive([Received(REMINDER, [two, one]), Received(OTHER_REMINDER, [other])], NOON)
        assert list(deliveries.of_reminder(REMINDER)) == [one, two]
        assert list(deliveries.of_reminder(OTHER_REMINDER)) == [other]
        assert list(deliveries.of_reminder(ReminderId(numbered(404)))) == []

    def test_a_reminder_is_taken_in_once(self, deliveries: Deliveries) -> None:
        assert list(deliveries.receive([Received(REMINDER, [made(1)])], NOON)) == [True]
        again = [Received(REMINDER, [made(2)]), Received(OTHER_REMINDER, [made(3, OTHER_REMINDER)])]
        assert list(deliveries.receive(again, NOON + MINUTE)) == [False, True]
        assert ids(deliveries.of_reminder(REMINDER)) == [made(1).id]
        assert ids(deliveries.of_reminder(OTHER_REMINDER)) == [made(3).id]

    def test_the_trace_that_a_reminder_came_with_is_that_of_all_that_follows_from_it(
        self, deliveries: Deliveries
    ) -> None:
        followed = Received(REMINDER, [made(1), made(2, channel="email")], TRACEPARENT)
        deliveries.receive([followed, Received(OTHER_REMINDER, [made(3, OTHER_REMINDER)])], NOON)
        (claimed,) = deliveries.claim("email", 1, NOON, LEASE_END)
        settle(deliveries, claimed, delivery.Refuse(claimed.claim, "no", NOON), made(4))
        asked = [made(number).id for number in (1, 2, 3, 4, 404)]
        found = deliveries.traceparents(asked)
        assert found == dict.fromkeys([made(number).id for number in (1, 2, 4)], TRACEPARENT)
        assert deliveries.traceparents([]) == {}

    def test_when_a_reminder_was_taken_in_is_told_and_of_no_other(self, deliveries: Deliveries) -> None:
        deliveries.receive([Received(REMINDER, [])], NOON + INSTANT)
        deliveries.receive([Received(REMINDER, [made(1)])], NOON + MINUTE)
        assert deliveries.received_at(REMINDER) == NOON + INSTANT
        assert deliveries.received_at(OTHER_REMINDER) is None

    def test_a_reminder_that_comes_twice_in_one_batch_is_taken_in_once(self, deliveries: Deliveries) -> None:
        batch = [Received(REMINDER, [made(1)]), Received(REMINDER, [made(2)])]
        assert list(deliveries.receive(batch, NOON)) == [True, False]
        assert ids(deliveries.of_reminder(REMINDER)) == [made(1).id]

    def test_a_reminder_that_makes_no_delivery_is_taken_in_too(self, deliveries: Deliveries) -> None:
        assert list(deliveries.receive([Received(REMINDER, [])], NOON)) == [True]
        assert list(deliveries.receive([Received(REMINDER, [made(1)])], NOON)) == [False]
        assert list(deliveries.of_reminder(REMINDER)) == []

    def test_an_empty_batch_is_answered_by_nothing(self, deliveries: Deliveries) -> None:
        assert list(deliveries.receive([], NOON)) == []

    def test_of_several_consumers_at_once_one_takes_a_reminder_in(self, deliveries: Deliveries) -> None:
        def receive(number: int) -> list[bool]:
            return list(deliveries.receive([Received(REMINDER, [made(number)])], NOON))

        answers = at_once(*(lambda number=number: receive(number) for number in (1, 2, 3, 4)))
        assert answers.count([True]) == 1, answers
        assert answers.count([False]) == 3, answers
        assert ids(deliveries.of_reminder(REMINDER)) == [made(answers.index([True]) + 1).id]

    def test_batches_in_opposite_orders_at_once_keep_each_reminder_once(self, deliveries: Deliveries) -> None:
        reminders = [ReminderId(numbered(600 + n)) for n in range(30)]

        def batch(first_id: int) -> list[Received]:
            return [Received(one, [made(first_id + index, one)]) for index, one in enumerate(reminders)]

        answers = at_once(
            lambda: list(deliveries.receive(batch(100), NOON)),
            lambda: list(deliveries.receive(batch(200)[::-1], NOON))[::-1],
        )
        assert all(isinstance(answer, list) for answer in answers), answers
        one, other = (answer for answer in answers if isinstance(answer, list))
        assert [taken + again for taken, again in zip(one, other, strict=True)] == [1] * 30
        assert [len(deliveries.of_reminder(reminder)) for reminder in reminders] == [1] * 30

    def test_of_several_to_one_address_the_first_is_kept(self, deliveries: Deliveries) -> None:
        owner = made(2, address_key="same")
        client = made(1, address_key="same")
        deliveries.receive([Received(REMINDER, [owner, client])], NOON)
        assert list(deliveries.of_reminder(REMINDER)) == [owner]

    def test_another_channel_or_another_address_is_another_delivery(self, deliveries: Deliveries) -> None:
        batch = [
            made(1, address_key="a"),
            made(2, address_key="b"),
            made(3, address_key="a", channel="email"),
        ]
        other = made(4, OTHER_REMINDER, address_key="a")
        deliveries.receive([Received(REMINDER, batch), Received(OTHER_REMINDER, [other])], NOON)
        assert list(deliveries.of_reminder(REMINDER)) == batch
        assert list(deliveries.of_reminder(OTHER_REMINDER)) == [other]
