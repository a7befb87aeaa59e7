"""Answers: one a touch, one delivery an answer, and how that ended."""

from contextlib import suppress

import attrs
import pytest

from adapters.testkit.examples import MINUTE, numbered
from adapters.testkit.touches.examples import (
    CONTEXT,
    LATER,
    answer,
    change,
    claim_due,
    registered,
    tell,
)
from application.ports.deliveries import Deliveries
from application.ports.notices import Matter, MatterKind, Notice
from application.ports.touches import Touches, TouchTexts
from domain import deferred_touch, delivery
from domain.errors import Invalid
from domain.values import DeliveryId, NoticeId


class AnsweringContract:
    """`deliveries` are those of the same store."""

    @pytest.fixture
    def touches(self) -> Touches:
        raise NotImplementedError

    @pytest.fixture
    def deliveries(self) -> Deliveries:
        raise NotImplementedError

    def test_an_answer_is_kept_with_the_one_delivery_that_brings_it(
        self, touches: Touches, deliveries: Deliveries
    ) -> None:
        """INV-TCH-4."""
        made = registered(touches)
        (claimed,) = claim_due(touches)

        brings = answer(touches, claimed)

        assert touches.texts(made.id) == TouchTexts("call the clinic", "all is well")
        assert [one.id for one in deliveries.claim("whatsapp", 9, LATER, LATER + MINUTE)] == [brings.id]

    def test_a_second_delivery_of_one_answer_is_not_kept(
        self, touches: Touches, deliveries: Deliveries
    ) -> None:
        registered(touches)
        (claimed,) = claim_due(touches)
        first = answer(touches, claimed)
        with touches.transaction(CONTEXT) as transaction:
            transaction.keep_answer(claimed.id, "all is well", _renumbered(first))
        assert [one.id for one in deliveries.claim("whatsapp", 9, LATER, LATER + MINUTE)] == [first.id]

    def test_nothing_of_an_answer_is_kept_when_its_transaction_fails(
        self, touches: Touches, deliveries: Deliveries
    ) -> None:
        registered(touches)
        (claimed,) = claim_due(touches)
        with suppress(RuntimeError), touches.transaction(CONTEXT) as transaction:
            found = transaction.touch(claimed.id)
            assert found is not None
            transaction.record([change(found, deferred_touch.Answer(1, LATER))])
            transaction.keep_answer(claimed.id, "all is well", None)
            raise RuntimeError
        kept = touches.touch(claimed.id)
        assert kept is not None
        assert kept.version == 2
        assert touches.texts(claimed.id).answer is None
        assert list(deliveries.claim("whatsapp", 9, LATER, LATER + MINUTE)) == []

    def test_an_answered_touch_is_found_when_its_delivery_is_over(
        self, touches: Touches, deliveries: Deliveries
    ) -> None:
        for number in (1, 2, 3):
            registered(touches, number)
        claimed = claim_due(touches)
        made = [answer(touches, one, 600 + place) for place, one in enumerate(claimed)]
        with touches.transaction(CONTEXT) as transaction:
            assert list(transaction.answered(9)) == []
        sending = {one.about_id: one for one in deliveries.claim("whatsapp", 9, LATER, LATER + MINUTE)}
        commands: list[delivery.Command] = [
            delivery.Accept(1, "provider's id", LATER),
            delivery.Refuse(1, "no such number", LATER),
            delivery.LoseTrack(1, "no answer", LATER),
        ]
        for one, command in zip(made, commands, strict=True):
            before = sending[one.about_id]
            (happened,) = delivery.decide(before, command)
            deliveries.settle(before, [happened], delivery.evolve(before, happened))

        with touches.transaction(CONTEXT) as transaction:
            ended = [(found.state.id, how) for found, how in transaction.answered(9)]
        assert ended == [
            (claimed[0].id, delivery.Status.DELIVERED),
            (claimed[1].id, delivery.Status.FAILED),
        ]
        tell(touches, claimed[0].id, deferred_touch.ConfirmDelivered(LATER))
        with touches.transaction(CONTEXT) as transaction:
            assert [found.state.id for found, _ in transaction.answered(9)] == [claimed[1].id]

    def test_what_the_operator_is_to_be_told_is_kept_with_it(
        self, touches: Touches, deliveries: Deliveries
    ) -> None:
        made = registered(touches)
        matter = Matter(MatterKind.TOUCH, made.id)
        notice = Notice(NoticeId(numbered(800)), matter, [])
        for _ in range(2):
            with touches.transaction(CONTEXT) as transaction:
                transaction.keep_notice(notice)
        told = deliveries.matters(notice.id, 10)
        assert (told.count, list(told.first)) == (1, [matter])

    @pytest.mark.parametrize("text", ["a\0b", "\ud800"])
    def test_what_no_store_keeps_is_no_text_of_an_answer(self, touches: Touches, text: str) -> None:
        made = registered(touches)
        with pytest.raises(Invalid), touches.transaction(CONTEXT) as transaction:
            transaction.keep_answer(made.id, text, None)
        with pytest.raises(Invalid), touches.transaction(CONTEXT) as transaction:
            transaction.keep_text(made.id, text)
        assert touches.texts(made.id) == TouchTexts("call the clinic", None)


def _renumbered(one: delivery.Delivery) -> delivery.Delivery:
    return attrs.evolve(one, id=DeliveryId(numbered(699)))
