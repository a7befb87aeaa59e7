"""A person is erased: nothing that was said to them or for them stays, and nothing comes back."""

from datetime import datetime

import pytest
from attrs import evolve

from adapters.testkit.clock import SettableClock
from adapters.testkit.examples import CLIENT, OTHER_TENANT, OWNER, TENANT, numbered
from adapters.testkit.ids import CountedIds
from adapters.testkit.threads import at_once
from adapters.testkit.touches.examples import (
    CONTEXT,
    DAILY,
    LATER,
    answer,
    claim_due,
    planned,
    registered,
    registration,
    tell,
)
from application.erasing import Erasing
from application.ports.errors import PersonIsErased
from application.ports.people import People, Person, Tenant
from application.ports.touches import Registered, Request, Room, Touches, TouchTexts
from application.touching.deferring import Deferring
from application.touching.planning import Planning
from domain import touch_plan
from domain.deferred_touch import Fail, Limits, Release, Status, TouchCancelled
from domain.recurrence import Schedule
from domain.touch_plan import TouchPlan
from domain.values import Origin, PlanId, TouchId

NOTHING = TouchTexts(None, None)


class NoWords:
    """Of plans whose words do not matter."""

    def text_of_occurrence(self, template: str, schedule: Schedule, slot: datetime) -> str:
        return template


def erasing(touches: Touches, people: People) -> Erasing:
    clock, ids = SettableClock(LATER), CountedIds()
    deferring = Deferring(touches, clock, ids, {"message"})
    return Erasing(people, touches, deferring, Planning(touches, people, clock, ids, NoWords(), {"message"}))


def status(touches: Touches, touch_id: TouchId) -> Status:
    found = touches.touch(touch_id)
    assert found is not None
    return found.state.status


def plan_status(touches: Touches, plan: TouchPlan) -> touch_plan.Status:
    found = touches.plan(plan.id)
    assert found is not None
    return found.state.status


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

    def test_the_key_by_which_a_plan_of_theirs_was_asked_for_goes_with_the_person(
        self, touches: Touches, people: People, somebody: Person
    ) -> None:
        plan = planned(touches)
        asked = Request("agent-a", "a telling key", "a digest that can be guessed at")
        with touches.transaction(CONTEXT) as transaction:
            transaction.plan_of_request(asked, plan, LATER)

        people.erase(TENANT, somebody.id)

        another = evolve(plan, id=PlanId(numbered(309)))
        with touches.transaction(CONTEXT) as transaction:
            assert transaction.plan_of_request(asked, another, LATER) == another.id

    def test_what_waits_for_them_is_taken_back_and_is_no_row_that_waits_for_its_time(
        self, touches: Touches, people: People, somebody: Person
    ) -> None:
        people.add_person(Person(CLIENT, TENANT, "boris"))
        elsewhere = Origin(OWNER, "console")
        waiting = [registered(touches, 1).id, registered(touches, 2, origin=elsewhere).id]
        (in_work,) = [one for one in claim_due(touches, room=Room(1, {"message"}, 1)) if one.id == waiting[0]]
        failed = registered(touches, 3)
        (claimed,) = [one for one in claim_due(touches) if one.id == failed.id]
        tell(touches, failed.id, Fail(claimed.claim, "no", LATER, Limits(attempts=1)))
        tell(touches, waiting[1], Release(1, LATER))
        others = registered(touches, 4, origin=Origin(CLIENT, "console"))
        plan = planned(touches)
        others_plan = planned(touches, 302, evolve(DAILY, target=Origin(CLIENT, "console")))

        gone = erasing(touches, people).erase(TENANT, somebody.id)

        assert gone is not None
        assert (gone.touches, gone.plans, gone.left) == (2, 1, 0)
        assert status(touches, waiting[1]) is status(touches, failed.id) is Status.CANCELLED
        assert status(touches, in_work.id) is Status.IN_PROGRESS
        assert status(touches, others.id) is Status.PENDING
        assert plan_status(touches, plan) is touch_plan.Status.ENDED
        assert plan_status(touches, others_plan) is touch_plan.Status.ACTIVE
        last = touches.history(waiting[1])[-1]
        assert (last.event, last.actor) == (TouchCancelled(LATER), "erasure")
        assert touches.history(plan.id)[-1].actor == "erasure"

        tell(touches, in_work.id, Release(in_work.claim, LATER))
        again = erasing(touches, people).erase(TENANT, somebody.id)
        assert again is not None
        assert (again.touches, again.plans) == (1, 0)
        assert status(touches, in_work.id) is Status.CANCELLED

    def test_nobody_is_nobody_to_take_anything_back_of(
        self, touches: Touches, people: People, somebody: Person
    ) -> None:
        made = registered(touches)
        assert erasing(touches, people).erase(OTHER_TENANT, somebody.id) is None
        assert status(touches, made.id) is Status.PENDING

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
