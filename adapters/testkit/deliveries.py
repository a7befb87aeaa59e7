"""The promises of the Deliveries port, executed."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from threading import Barrier

import attrs
import pytest

from adapters.testkit.examples import MINUTE, NOON, OTHER_TENANT, OWNER, TENANT, numbered
from adapters.testkit.threads import PATIENCE, at_once
from application.ports.backlog import Backlog
from application.ports.deliveries import Deliveries, Received
from domain import delivery
from domain.delivery import Delivery, SkipReason, Status, Template
from domain.errors import ClaimIsLost
from domain.values import ContactPointId, DeliveryId, EventId, ReminderId, TenantId

REMINDER = ReminderId(numbered(501))
OTHER_REMINDER = ReminderId(numbered(502))
LEASE_END = NOON + MINUTE
INSTANT = timedelta(microseconds=1)

OUTCOMES: list[delivery.Command] = [
    delivery.Accept(1, "provider-7", NOON),
    delivery.Accept(1, None, NOON),
    delivery.Refuse(1, "no such mailbox", NOON),
    delivery.Postpone(1, "busy", NOON + 5 * MINUTE, NOON),
    delivery.GiveBack(1, NOON),
    delivery.GiveBack(1, NOON, NOON + MINUTE),
    delivery.Skip(1, SkipReason.CANCELLED, NOON),
    delivery.Skip(1, SkipReason.EVENT_OVER, NOON),
    delivery.Skip(1, SkipReason.OPTED_OUT, NOON),
    delivery.LoseTrack(1, "the answer was lost", NOON),
]


class DeliveriesContract:
    """Each test has a store of its own, without any rows."""

    @pytest.fixture
    def deliveries(self) -> Deliveries:
        raise NotImplementedError

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
        one = attrs.evolve(_delivery(1), **kept)  # type: ignore[arg-type]
        assert list(deliveries.receive([Received(REMINDER, [one])], NOON)) == [True]
        assert list(deliveries.of_reminder(REMINDER)) == [one]

    def test_deliveries_of_a_reminder_are_its_own_ordered_by_id(self, deliveries: Deliveries) -> None:
        two, one = _delivery(2), _delivery(1, due_at=NOON + MINUTE)
        other = _delivery(3, OTHER_REMINDER)
        deliveries.receive([Received(REMINDER, [two, one]), Received(OTHER_REMINDER, [other])], NOON)
        assert list(deliveries.of_reminder(REMINDER)) == [one, two]
        assert list(deliveries.of_reminder(OTHER_REMINDER)) == [other]
        assert list(deliveries.of_reminder(ReminderId(numbered(404)))) == []

    def test_a_reminder_is_taken_in_once(self, deliveries: Deliveries) -> None:
        assert list(deliveries.receive([Received(REMINDER, [_delivery(1)])], NOON)) == [True]
        again = [Received(REMINDER, [_delivery(2)]), Received(OTHER_REMINDER, [_delivery(3, OTHER_REMINDER)])]
        assert list(deliveries.receive(again, NOON + MINUTE)) == [False, True]
        assert _ids(deliveries.of_reminder(REMINDER)) == [_delivery(1).id]
        assert _ids(deliveries.of_reminder(OTHER_REMINDER)) == [_delivery(3).id]

    def test_a_reminder_that_comes_twice_in_one_batch_is_taken_in_once(self, deliveries: Deliveries) -> None:
        batch = [Received(REMINDER, [_delivery(1)]), Received(REMINDER, [_delivery(2)])]
        assert list(deliveries.receive(batch, NOON)) == [True, False]
        assert _ids(deliveries.of_reminder(REMINDER)) == [_delivery(1).id]

    def test_a_reminder_that_makes_no_delivery_is_taken_in_too(self, deliveries: Deliveries) -> None:
        assert list(deliveries.receive([Received(REMINDER, [])], NOON)) == [True]
        assert list(deliveries.receive([Received(REMINDER, [_delivery(1)])], NOON)) == [False]
        assert list(deliveries.of_reminder(REMINDER)) == []

    def test_an_empty_batch_is_answered_by_nothing(self, deliveries: Deliveries) -> None:
        assert list(deliveries.receive([], NOON)) == []

    def test_of_several_consumers_at_once_one_takes_a_reminder_in(self, deliveries: Deliveries) -> None:
        def receive(number: int) -> list[bool]:
            return list(deliveries.receive([Received(REMINDER, [_delivery(number)])], NOON))

        answers = at_once(*(lambda number=number: receive(number) for number in (1, 2, 3, 4)))
        assert answers.count([True]) == 1, answers
        assert answers.count([False]) == 3, answers
        assert _ids(deliveries.of_reminder(REMINDER)) == [_delivery(answers.index([True]) + 1).id]

    def test_batches_in_opposite_orders_at_once_keep_each_reminder_once(self, deliveries: Deliveries) -> None:
        reminders = [ReminderId(numbered(600 + n)) for n in range(30)]

        def batch(first_id: int) -> list[Received]:
            return [Received(one, [_delivery(first_id + index, one)]) for index, one in enumerate(reminders)]

        answers = at_once(
            lambda: list(deliveries.receive(batch(100), NOON)),
            lambda: list(deliveries.receive(batch(200)[::-1], NOON))[::-1],
        )
        assert all(isinstance(answer, list) for answer in answers), answers
        one, other = (answer for answer in answers if isinstance(answer, list))
        assert [taken + again for taken, again in zip(one, other, strict=True)] == [1] * 30
        assert [len(deliveries.of_reminder(reminder)) for reminder in reminders] == [1] * 30

    def test_of_several_to_one_address_the_first_is_kept(self, deliveries: Deliveries) -> None:
        owner = _delivery(2, address_key="same")
        client = _delivery(1, address_key="same")
        deliveries.receive([Received(REMINDER, [owner, client])], NOON)
        assert list(deliveries.of_reminder(REMINDER)) == [owner]

    def test_another_channel_or_another_address_is_another_delivery(self, deliveries: Deliveries) -> None:
        batch = [
            _delivery(1, address_key="a"),
            _delivery(2, address_key="b"),
            _delivery(3, address_key="a", channel="email"),
        ]
        other = _delivery(4, OTHER_REMINDER, address_key="a")
        deliveries.receive([Received(REMINDER, batch), Received(OTHER_REMINDER, [other])], NOON)
        assert list(deliveries.of_reminder(REMINDER)) == batch
        assert list(deliveries.of_reminder(OTHER_REMINDER)) == [other]

    def test_a_claimed_delivery_is_sending_until_its_lease_ends(self, deliveries: Deliveries) -> None:
        one = _delivery(1)
        deliveries.receive([Received(REMINDER, [one])], NOON)
        (claimed,) = deliveries.claim("console", 5, NOON, LEASE_END)
        assert claimed == attrs.evolve(one, status=Status.SENDING, attempts=1, claim=1, lease_until=LEASE_END)
        assert list(deliveries.of_reminder(REMINDER)) == [claimed]

    def test_the_oldest_due_are_claimed_first_up_to_the_limit(self, deliveries: Deliveries) -> None:
        late, early, middle = (
            _delivery(n, due_at=NOON - ago * MINUTE) for n, ago in ((1, 1), (2, 3), (3, 2))
        )
        deliveries.receive([Received(REMINDER, [late, early, middle])], NOON)
        assert _ids(deliveries.claim("console", 2, NOON, LEASE_END)) == [early.id, middle.id]
        assert _ids(deliveries.claim("console", 2, NOON, LEASE_END)) == [late.id]
        assert list(deliveries.claim("console", 2, NOON, LEASE_END)) == []

    def test_a_delivery_of_another_channel_is_not_claimed(self, deliveries: Deliveries) -> None:
        console, email = _delivery(1), _delivery(2, channel="email")
        deliveries.receive([Received(REMINDER, [console, email])], NOON)
        assert _ids(deliveries.claim("email", 5, NOON, LEASE_END)) == [email.id]

    def test_nothing_is_claimed_before_its_not_before(self, deliveries: Deliveries) -> None:
        one = _delivery(1, not_before=NOON)
        deliveries.receive([Received(REMINDER, [one])], NOON)
        assert list(deliveries.claim("console", 5, NOON - INSTANT, LEASE_END)) == []
        assert _ids(deliveries.claim("console", 5, NOON, LEASE_END)) == [one.id]

    def test_what_must_wait_makes_room_within_the_limit(self, deliveries: Deliveries) -> None:
        waits = _delivery(1, due_at=NOON - 5 * MINUTE, not_before=NOON + MINUTE)
        ready = _delivery(2, due_at=NOON - MINUTE)
        deliveries.receive([Received(REMINDER, [waits, ready])], NOON)
        assert _ids(deliveries.claim("console", 1, NOON, LEASE_END)) == [ready.id]

    def test_a_lease_that_has_run_out_does_not_make_it_pending_again(self, deliveries: Deliveries) -> None:
        deliveries.receive([Received(REMINDER, [_delivery(1)])], NOON)
        deliveries.claim("console", 5, NOON, LEASE_END)
        assert list(deliveries.claim("console", 5, LEASE_END + MINUTE, LEASE_END + 2 * MINUTE)) == []

    def test_two_senders_at_once_share_no_delivery_and_leave_none(self, deliveries: Deliveries) -> None:
        kept = [_delivery(number, address_key=str(number)) for number in range(1, 41)]
        deliveries.receive([Received(REMINDER, kept)], NOON)
        step = Barrier(2)

        def send() -> list[DeliveryId]:
            taken: list[DeliveryId] = []
            for _ in range(8):
                step.wait(PATIENCE)
                taken += _ids(deliveries.claim("console", 5, NOON, LEASE_END))
            return taken

        one, other = at_once(send, send)
        assert isinstance(one, list)
        assert isinstance(other, list)
        assert sorted([*one, *other]) == [each.id for each in kept]

    def test_of_one_tenant_no_more_are_taken_than_it_may_have_in_hand(self, deliveries: Deliveries) -> None:
        many = [_delivery(n, due_at=NOON - MINUTE, address_key=str(n)) for n in range(1, 6)]
        other = [_delivery(n, address_key=str(n), tenant_id=OTHER_TENANT) for n in range(6, 9)]
        email = _delivery(9, channel="email")
        deliveries.receive([Received(REMINDER, [*many, *other, email])], NOON)

        def claim(limit: int, per_tenant: int | None) -> list[DeliveryId]:
            return _ids(deliveries.claim("console", limit, NOON, LEASE_END, per_tenant))

        assert claim(1, 2) == [many[0].id]
        assert claim(8, 2) == [many[1].id, other[0].id, other[1].id]
        assert claim(8, 2) == []
        assert _ids(deliveries.claim("email", 8, NOON, LEASE_END, 1)) == [email.id]
        assert claim(3, 3) == [many[2].id, other[2].id]
        assert claim(8, None) == [many[3].id, many[4].id]

    def test_what_follows_from_an_outcome_is_kept_with_it(self, deliveries: Deliveries) -> None:
        claimed, following = _claimed(deliveries), _delivery(2, channel="email")
        settled = _settle(deliveries, claimed, delivery.Refuse(1, "no such mailbox", NOON), following)
        assert list(deliveries.of_reminder(REMINDER)) == [settled, following]
        assert _ids(deliveries.claim("email", 1, NOON, LEASE_END)) == [following.id]

    def test_what_follows_to_an_address_that_was_written_to_is_not_kept(self, deliveries: Deliveries) -> None:
        claimed = _claimed(deliveries)
        same, twice = (_delivery(n, address_key=claimed.address_key) for n in (2, 3))
        new = _delivery(4)
        settled = _settle(deliveries, claimed, delivery.Refuse(1, "no", NOON), same, twice, new)
        assert list(deliveries.of_reminder(REMINDER)) == [settled, new]

    def test_nothing_follows_from_a_lost_claim(self, deliveries: Deliveries) -> None:
        mine = _claimed(deliveries)
        settled = _settle(deliveries, mine, delivery.Accept(1, None, NOON))
        with pytest.raises(ClaimIsLost):
            _settle(deliveries, mine, delivery.Refuse(1, "no", NOON), _delivery(2))
        assert list(deliveries.of_reminder(REMINDER)) == [settled]

    def test_that_an_answer_was_lost_once_is_remembered(self, deliveries: Deliveries) -> None:
        unknown = _settle(deliveries, _claimed(deliveries), delivery.LoseTrack(1, "silence", NOON))
        _settle(deliveries, unknown, delivery.Repeat(NOON, NOON))
        (again,) = deliveries.claim("console", 1, NOON, LEASE_END)
        settled = _settle(deliveries, again, delivery.Refuse(2, "gone", NOON))
        assert settled.in_doubt
        assert list(deliveries.of_reminder(REMINDER)) == [settled]

    @pytest.mark.parametrize("command", OUTCOMES, ids=lambda command: type(command).__name__)
    def test_every_outcome_of_a_claim_comes_back_equal(
        self, deliveries: Deliveries, command: delivery.Command
    ) -> None:
        claimed = _claimed(deliveries)
        settled = _settle(deliveries, claimed, command)
        assert list(deliveries.of_reminder(REMINDER)) == [settled]

    @pytest.mark.parametrize(
        "command", [delivery.Repeat(NOON + MINUTE, NOON), delivery.Confirm(NOON)], ids=["repeat", "confirm"]
    )
    def test_what_becomes_of_an_unknown_one_comes_back_equal(
        self, deliveries: Deliveries, command: delivery.Command
    ) -> None:
        unknown = _settle(deliveries, _claimed(deliveries), delivery.LoseTrack(1, "silence", NOON))
        settled = _settle(deliveries, unknown, command)
        assert list(deliveries.of_reminder(REMINDER)) == [settled]

    def test_a_repeated_delivery_is_claimed_under_its_id_and_the_next_number(
        self, deliveries: Deliveries
    ) -> None:
        unknown = _settle(deliveries, _claimed(deliveries), delivery.LoseTrack(1, "silence", NOON))
        _settle(deliveries, unknown, delivery.Repeat(NOON + MINUTE, NOON))
        assert list(deliveries.claim("console", 5, NOON, LEASE_END)) == []
        (again,) = deliveries.claim("console", 5, NOON + MINUTE, LEASE_END + MINUTE)
        assert (again.id, again.claim, again.attempts) == (unknown.id, 2, 2)

    def test_what_is_over_is_not_claimed(self, deliveries: Deliveries) -> None:
        _settle(deliveries, _claimed(deliveries), delivery.Accept(1, None, NOON))
        assert list(deliveries.claim("console", 5, NOON + MINUTE, LEASE_END + MINUTE)) == []

    def test_a_lost_claim_writes_nothing(self, deliveries: Deliveries) -> None:
        mine = _claimed(deliveries)
        _settle(deliveries, mine, delivery.GiveBack(1, NOON))
        (current,) = deliveries.claim("console", 5, NOON, LEASE_END)
        with pytest.raises(ClaimIsLost):
            _settle(deliveries, mine, delivery.Accept(1, "provider-7", NOON))
        assert list(deliveries.of_reminder(REMINDER)) == [current]

    def test_an_outcome_is_written_once(self, deliveries: Deliveries) -> None:
        mine = _claimed(deliveries)
        settled = _settle(deliveries, mine, delivery.LoseTrack(1, "silence", NOON))
        with pytest.raises(ClaimIsLost):
            _settle(deliveries, mine, delivery.Accept(1, None, NOON))
        assert list(deliveries.of_reminder(REMINDER)) == [settled]

    def test_a_delivery_that_is_not_there_cannot_be_settled(self, deliveries: Deliveries) -> None:
        ghost = attrs.evolve(_delivery(9), status=Status.SENDING, claim=1, attempts=1, lease_until=LEASE_END)
        with pytest.raises(ClaimIsLost):
            _settle(deliveries, ghost, delivery.Accept(1, None, NOON))
        assert list(deliveries.of_reminder(REMINDER)) == []

    def test_of_two_outcomes_at_once_one_is_written(self, deliveries: Deliveries) -> None:
        mine = _claimed(deliveries)
        answers = at_once(
            lambda: _settle(deliveries, mine, delivery.Accept(1, "provider-7", NOON)),
            lambda: _settle(deliveries, mine, delivery.LoseTrack(1, "silence", NOON)),
        )
        (written,) = (answer for answer in answers if isinstance(answer, Delivery))
        assert [type(answer) for answer in answers if answer is not written] == [ClaimIsLost]
        assert list(deliveries.of_reminder(REMINDER)) == [written]

    def test_overdue_are_those_whose_lease_has_run_out(self, deliveries: Deliveries) -> None:
        first, second = _delivery(1, due_at=NOON - MINUTE), _delivery(2)
        email, pending = _delivery(3, channel="email"), _delivery(4)
        deliveries.receive([Received(REMINDER, [second, first, email, pending])], NOON)
        claimed = deliveries.claim("console", 2, NOON, LEASE_END)
        deliveries.claim("email", 1, NOON, LEASE_END)
        assert _ids(claimed) == [first.id, second.id]
        assert list(deliveries.overdue("console", LEASE_END - INSTANT, 10)) == []
        late = deliveries.overdue("console", LEASE_END, 10)
        assert sorted(late, key=lambda one: one.id) == list(claimed)
        assert len(deliveries.overdue("console", LEASE_END, 1)) == 1
        for one in claimed:
            _settle(deliveries, one, delivery.Accept(1, None, NOON))
        assert list(deliveries.overdue("console", LEASE_END, 10)) == []

    def test_the_backlog_is_what_is_pending_and_may_be_sent(self, deliveries: Deliveries) -> None:
        assert deliveries.backlog(NOON) == Backlog(0, None)
        oldest = _delivery(1, due_at=NOON - 3 * MINUTE)
        email = _delivery(2, due_at=NOON - 2 * MINUTE, channel="email")
        waits = _delivery(3, due_at=NOON - 4 * MINUTE, not_before=NOON + INSTANT)
        deliveries.receive([Received(REMINDER, [oldest, email, waits])], NOON)
        assert deliveries.backlog(NOON) == Backlog(2, oldest.due_at)
        deliveries.claim("console", 5, NOON, LEASE_END)
        assert deliveries.backlog(NOON) == Backlog(1, email.due_at)
        assert deliveries.backlog(NOON + INSTANT) == Backlog(2, waits.due_at)


def _delivery(
    number: int,
    reminder_id: ReminderId = REMINDER,
    *,
    channel: str = "console",
    address_key: str | None = None,
    due_at: datetime = NOON,
    not_before: datetime = NOON,
    tenant_id: TenantId = TENANT,
) -> Delivery:
    create = delivery.Create(
        id=DeliveryId(numbered(number)),
        tenant_id=tenant_id,
        reminder_id=reminder_id,
        event_id=EventId(numbered(500)),
        user_id=OWNER,
        channel=channel,
        contact_point_id=None,
        address_key=address_key or f"address {number}",
        template=Template.CALENDAR_REMINDER,
        due_at=due_at,
        at=not_before,
    )
    (created,) = delivery.decide(None, create)
    return delivery.evolve(None, created)


def _claimed(deliveries: Deliveries) -> Delivery:
    deliveries.receive([Received(REMINDER, [_delivery(1)])], NOON)
    (claimed,) = deliveries.claim("console", 1, NOON, LEASE_END)
    return claimed


def _settle(deliveries: Deliveries, before: Delivery, command: delivery.Command, *then: Delivery) -> Delivery:
    (happened,) = delivery.decide(before, command)
    after = delivery.evolve(before, happened)
    deliveries.settle(before, [happened], after, then)
    return after


def _ids(found: Sequence[Delivery]) -> list[DeliveryId]:
    return [one.id for one in found]
