"""A person is erased: nothing that was said to them or for them stays, and nothing comes back."""

import pytest

from adapters.testkit.examples import OWNER, TENANT, numbered
from adapters.testkit.threads import at_once
from adapters.testkit.touches.examples import (
    CONTEXT,
    answer,
    claim_due,
    planned,
    registered,
    registration,
)
from application.ports.errors import PersonIsErased
from application.ports.people import People, Person, Tenant
from application.ports.touches import Registered, Touches, TouchTexts
from domain.values import TouchId

NOTHING = TouchTexts(None, None)


class ErasingContract:
    """`people` are those of the same store."""

    @pytest.fixture
    def touches(self) -> Touches:
        raise NotImplementedError

    @pytest.fixture
    def people(self) -> People:
        raise NotImplementedError

    @pytest.fixture
    def somebody(self, people: People) -> Person:
        """The origin of the examples, known."""
        people.add_tenant(Tenant(TENANT, "acme"))
        person = Person(OWNER, TENANT, "anna")
        people.add_person(person)
        return person

    def test_what_touches_and_plans_say_goes_with_the_person(
        self, touches: Touches, people: People, somebody: Person
    ) -> None:
        made = registered(touches)
        (claimed,) = claim_due(touches)
        answer(touches, claimed)
        plan = planned(touches)

        people.erase(TENANT, somebody.id)

        assert touches.texts(made.id) == NOTHING
        assert touches.text_of_plan(plan.id) is None
        assert touches.touch(made.id) is not None
        assert len(touches.history(made.id)) == 3

    def test_nothing_more_is_put_off_for_them(
        self, touches: Touches, people: People, somebody: Person
    ) -> None:
        people.erase(TENANT, somebody.id)
        with pytest.raises(PersonIsErased):
            touches.register(registration(), CONTEXT)
        with pytest.raises(PersonIsErased):
            planned(touches)
        assert touches.touch(TouchId(numbered(1))) is None
        assert list(touches.history(TouchId(numbered(1)))) == []
        assert list(touches.plans(None)) == []

    def test_a_worker_that_comes_after_keeps_no_words(
        self, touches: Touches, people: People, somebody: Person
    ) -> None:
        registered(touches)
        (claimed,) = claim_due(touches)
        people.erase(TENANT, somebody.id)
        answer(touches, claimed)
        with touches.transaction(CONTEXT) as transaction:
            transaction.keep_text(claimed.id, "anna again")
        assert touches.texts(claimed.id) == NOTHING

    def test_who_is_erased_at_the_same_moment_leaves_nothing_either(
        self, touches: Touches, people: People, somebody: Person
    ) -> None:
        for number in range(1, 6):
            registered(touches, number)

        def put_off(number: int) -> Registered:
            return touches.register(registration(number), CONTEXT)

        at_once(
            lambda: put_off(11),
            lambda: put_off(12),
            lambda: people.erase(TENANT, somebody.id),
            lambda: put_off(13),
        )

        for one in touches.listed(TENANT, 100):
            assert touches.texts(one.id) == NOTHING
