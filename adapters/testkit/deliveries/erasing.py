"""A person is erased while a message to them is in a sender's hands."""

from collections.abc import Sequence
from functools import partial

import attrs
import pytest

from adapters.testkit.deliveries.examples import LEASE_END, REMINDER, claimed_one, made, settle
from adapters.testkit.deliveries.settling import OUTCOMES
from adapters.testkit.examples import NOON, OWNER, TENANT, numbered
from adapters.testkit.threads import at_once
from application.ports.deliveries import Attempt, Deliveries, Received
from application.ports.people import People, Person, Tenant
from domain import delivery
from domain.delivery import Delivery, Status
from domain.errors import ClaimIsLost
from domain.values import ReminderId, UserId


class ErasingContract:
    """`deliveries` and `people` are over one store; OWNER is a person of TENANT there."""

    @pytest.fixture
    def deliveries(self) -> Deliveries:
        raise NotImplementedError

    @pytest.fixture
    def people(self) -> People:
        raise NotImplementedError

    @pytest.fixture(autouse=True)
    def _owner(self, people: People) -> None:
        people.add_tenant(Tenant(TENANT, "acme"))
        people.add_person(Person(OWNER, TENANT, "anna"))

    @pytest.mark.parametrize("command", OUTCOMES, ids=lambda command: type(command).__name__)
    def test_an_outcome_that_is_heard_after_the_erasure_is_kept_without_the_channels_words(
        self, deliveries: Deliveries, people: People, command: delivery.Command
    ) -> None:
        claimed = claimed_one(deliveries)
        people.erase(TENANT, OWNER)
        after = settle(deliveries, claimed, command)
        reason = after.reason if after.status is Status.SKIPPED else None
        kept = attrs.evolve(after, address_key=str(after.id), provider_id=None, reason=reason)
        assert list(deliveries.of_reminder(REMINDER)) == [kept]

    def test_the_attempts_of_one_who_is_erased_keep_none_of_the_channels_words(
        self, deliveries: Deliveries, people: People
    ) -> None:
        claimed = claimed_one(deliveries)
        settle(deliveries, claimed, delivery.Refuse(1, "no such mailbox", NOON))
        people.erase(TENANT, OWNER)
        assert list(deliveries.attempts(claimed.id)) == [Attempt(1, NOON, NOON, "refused")]

    def test_a_message_that_was_made_before_the_erasure_and_is_kept_after_it_has_no_hash(
        self, deliveries: Deliveries, people: People
    ) -> None:
        other = attrs.evolve(made(2), user_id=UserId(made(9).id))
        people.erase(TENANT, OWNER)
        deliveries.receive([Received(REMINDER, [made(1), other])], NOON)
        nameless = attrs.evolve(made(1), address_key=str(made(1).id))
        assert list(deliveries.of_reminder(REMINDER)) == [nameless, other]

    def test_nor_has_one_that_follows_from_somebody_elses(
        self, deliveries: Deliveries, people: People
    ) -> None:
        stranger = UserId(made(9).id)
        deliveries.receive([Received(REMINDER, [attrs.evolve(made(1), user_id=stranger)])], NOON)
        (claimed,) = deliveries.claim("console", 1, NOON, LEASE_END)
        people.erase(TENANT, OWNER)
        settle(deliveries, claimed, delivery.Refuse(1, "no", NOON), made(2))
        keys = [one.address_key for one in deliveries.of_reminder(REMINDER)]
        assert keys == [claimed.address_key, str(made(2).id)]

    def test_of_a_message_that_is_made_while_its_person_is_erased_no_hash_is_left(
        self, deliveries: Deliveries, people: People
    ) -> None:
        for number in range(1, 9):
            user_id, about = UserId(numbered(600 + number)), ReminderId(numbered(700 + number))
            people.add_person(Person(user_id, TENANT, f"one{number}"))
            one = attrs.evolve(made(number), user_id=user_id, about_id=about)
            answers: Sequence[object] = at_once(
                partial(deliveries.receive, [Received(about, [one])], NOON),
                partial(people.erase, TENANT, user_id),
            )
            assert [answer for answer in answers if isinstance(answer, BaseException)] == []
            assert [kept.address_key for kept in deliveries.of_reminder(about)] == [str(one.id)]

    def test_no_other_address_of_an_erased_person_is_tried_and_others_are(
        self, deliveries: Deliveries, people: People
    ) -> None:
        claimed = claimed_one(deliveries)
        people.erase(TENANT, OWNER)
        other = attrs.evolve(made(3), user_id=UserId(made(9).id))
        settle(deliveries, claimed, delivery.Refuse(1, "no", NOON), made(2), other)
        assert [one.id for one in deliveries.of_reminder(REMINDER)] == [claimed.id, other.id]

    def test_a_claim_that_was_lost_is_so_after_an_erasure_too(
        self, deliveries: Deliveries, people: People
    ) -> None:
        claimed = claimed_one(deliveries)
        settle(deliveries, claimed, delivery.LoseTrack(1, "silence", NOON))
        people.erase(TENANT, OWNER)
        with pytest.raises(ClaimIsLost):
            settle(deliveries, claimed, delivery.Accept(1, "provider-7", NOON))

    def test_of_an_outcome_and_an_erasure_at_once_no_trace_is_left(
        self, deliveries: Deliveries, people: People
    ) -> None:
        claimed = claimed_one(deliveries)

        def hear() -> Sequence[Delivery]:
            return [settle(deliveries, claimed, delivery.Accept(1, "provider-7", NOON))]

        answers = at_once(hear, lambda: people.erase(TENANT, OWNER))
        assert [answer for answer in answers if isinstance(answer, BaseException)] == []
        (kept,) = deliveries.of_reminder(REMINDER)
        assert (kept.status, kept.provider_id) == (Status.DELIVERED, None)
