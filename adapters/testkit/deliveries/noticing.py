"""Keeping what an operator is to be told of, together with the outcome that tells of it."""

from collections.abc import Sequence
from datetime import timedelta

import attrs
import pytest

from adapters.testkit.deliveries.examples import LEASE_END, REMINDER, ids, made
from adapters.testkit.deliveries.surroundings import Surroundings
from adapters.testkit.examples import NOON, OWNER, numbered
from application.ports.deliveries import Deliveries, Received
from application.ports.notices import Matter, MatterKind, Matters, Notice
from domain import delivery
from domain.delivery import Delivery, Template
from domain.errors import ClaimIsLost
from domain.values import DeliveryId, NoticeId

NOTICE = NoticeId(numbered(701))
TOLD_AT = NOON + timedelta(hours=1)


class NoticingContract(Surroundings):
    """A matter is kept once, with the outcome, and its notice once for each address."""

    def test_a_matter_and_its_notice_are_kept_with_the_outcome(self, deliveries: Deliveries) -> None:
        (one,) = _claimed(deliveries, 1)
        notice = _notice(one)
        _refuse(deliveries, one, notice)
        assert deliveries.matters(NOTICE, 10) == Matters(1, [notice.matter])
        assert list(deliveries.claim("email", 5, TOLD_AT - timedelta(seconds=1), TOLD_AT)) == []
        (told,) = deliveries.claim("email", 5, TOLD_AT, TOLD_AT + timedelta(minutes=1))
        assert (
            attrs.evolve(told, status=delivery.Status.PENDING, attempts=0, claim=0, lease_until=None)
            == (notice.deliveries[0])
        )

    def test_many_matters_make_one_notice_and_are_counted(self, deliveries: Deliveries) -> None:
        claimed = _claimed(deliveries, 12)
        for one in reversed(claimed):
            _refuse(deliveries, one, _notice(one))
        found = deliveries.matters(NOTICE, 5)
        assert (found.count, [matter.id for matter in found.first]) == (12, ids(claimed[:5]))
        assert len(deliveries.claim("email", 20, TOLD_AT, TOLD_AT + timedelta(minutes=1))) == 1

    def test_a_matter_that_comes_again_is_kept_once(self, deliveries: Deliveries) -> None:
        first, second = _claimed(deliveries, 2)
        notice = _notice(first)
        _refuse(deliveries, first, notice)
        _refuse(deliveries, second, notice)
        assert deliveries.matters(NOTICE, 10) == Matters(1, [notice.matter])

    def test_another_address_is_another_delivery_of_the_same_notice(self, deliveries: Deliveries) -> None:
        first, second = _claimed(deliveries, 2)
        _refuse(deliveries, first, _notice(first))
        _refuse(deliveries, second, _notice(second, address_key="another"))
        assert len(deliveries.claim("email", 20, TOLD_AT, TOLD_AT + timedelta(minutes=1))) == 2

    def test_a_lost_claim_makes_no_notice(self, deliveries: Deliveries) -> None:
        (one,) = _claimed(deliveries, 1)
        _refuse(deliveries, one, None)
        with pytest.raises(ClaimIsLost):
            _refuse(deliveries, one, _notice(one))
        assert deliveries.matters(NOTICE, 10) == Matters(0, [])
        assert list(deliveries.claim("email", 20, TOLD_AT, TOLD_AT + timedelta(minutes=1))) == []

    def test_of_an_unknown_notice_there_is_nothing_to_tell(self, deliveries: Deliveries) -> None:
        assert deliveries.matters(NoticeId(numbered(404)), 10) == Matters(0, [])


def _claimed(deliveries: Deliveries, count: int) -> Sequence[Delivery]:
    deliveries.receive([Received(REMINDER, [made(number) for number in range(1, count + 1)])], NOON)
    return deliveries.claim("console", count, NOON, LEASE_END)


def _notice(about: Delivery, address_key: str = "operator") -> Notice:
    create = delivery.Create(
        id=DeliveryId(numbered(about.id.int % 1000 + 800)),
        tenant_id=about.tenant_id,
        about_id=NOTICE,
        event_id=None,
        user_id=OWNER,
        channel="email",
        contact_point_id=None,
        address_key=address_key,
        template=Template.OPERATOR_NOTICE,
        due_at=TOLD_AT,
        at=TOLD_AT,
    )
    (created,) = delivery.decide(None, create)
    matter = Matter(MatterKind.DELIVERY, about.id, about.event_id)
    return Notice(NOTICE, matter, [delivery.evolve(None, created)])


def _refuse(deliveries: Deliveries, before: Delivery, notice: Notice | None) -> None:
    (happened,) = delivery.decide(before, delivery.Refuse(1, "no such mailbox", NOON))
    deliveries.settle(before, [happened], delivery.evolve(before, happened), (), notice)
