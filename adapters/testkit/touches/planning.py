"""Plans: kept whole, due when their next occurrence is, and each occurrence made once."""

from contextlib import suppress
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import get_args

import attrs
import pytest

from adapters.testkit.examples import NOON, OTHER_TENANT, TENANT, numbered
from adapters.testkit.threads import at_once
from adapters.testkit.touches.examples import CONTEXT, DAILY, ORIGIN, plan_change, planned, touch_of
from application.ports.errors import Conflict
from application.ports.ledger import Versioned
from application.ports.touches import KeyReused, Request, Touches
from domain import touch_plan
from domain.errors import Invalid
from domain.recurrence import BeforeDeadline, Every, ShortMonth
from domain.touch_plan import Status, Terms, TouchPlan
from domain.values import PlanId, TouchId

wall = datetime.fromisoformat
DAY = timedelta(days=1)

ASKED = Request("agent-a", "key", "body")


def plan_of(number: int) -> TouchPlan:
    return TouchPlan(PlanId(numbered(number)), TENANT, DAILY, NOON)


class PlanningContract:
    @pytest.fixture
    def touches(self) -> Touches:
        raise NotImplementedError

    @pytest.mark.parametrize(
        "terms",
        [
            DAILY,
            Terms(
                Every("FREQ=MONTHLY", wall("2026-12-31T09:30"), "Europe/Berlin", ShortMonth.LAST),
                ORIGIN,
                "call",
                7,
                timedelta(hours=2),
                timedelta(seconds=0.5),
            ),
            Terms(BeforeDeadline(date(2027, 3, 31), (45, 30, 1), time(10), "Europe/Moscow"), ORIGIN),
        ],
        ids=["daily", "monthly, else the last", "before a deadline"],
    )
    def test_a_plan_comes_back_equal_with_its_text(self, touches: Touches, terms: Terms) -> None:
        plan = planned(touches, terms=terms)
        assert touches.plan(plan.id) == Versioned(plan, 1)
        assert touches.text_of_plan(plan.id) == "renew the policy"
        assert list(touches.plans(TENANT)) == [plan]
        assert list(touches.plans(OTHER_TENANT)) == []

    def test_plans_are_listed_page_by_page_by_their_ids(self, touches: Touches) -> None:
        ids = [planned(touches, number).id for number in (303, 301, 302)]
        assert [one.id for one in touches.plans(TENANT)] == sorted(ids)
        assert [one.id for one in touches.plans(TENANT, 2)] == sorted(ids)[:2]
        assert [one.id for one in touches.plans(None, 2, sorted(ids)[1])] == sorted(ids)[2:]
        assert list(touches.plans(OTHER_TENANT, 2)) == []

    def test_a_request_for_a_plan_is_the_plan_that_it_made_at_first(self, touches: Touches) -> None:
        first, second = plan_of(301), plan_of(302)
        with touches.transaction(CONTEXT) as transaction:
            assert transaction.plan_of_request(ASKED, first, NOON) == first.id
            assert transaction.plan_of_request(ASKED, second, NOON) == first.id
        with touches.transaction(CONTEXT) as transaction:
            assert transaction.plan_of_request(ASKED, second, NOON) == first.id
            for other in (attrs.evolve(ASKED, caller="another"), attrs.evolve(ASKED, key="KEY")):
                assert transaction.plan_of_request(other, second, NOON) == second.id
            elsewhere = attrs.evolve(second, tenant_id=OTHER_TENANT)
            assert transaction.plan_of_request(ASKED, elsewhere, NOON) == second.id
        with pytest.raises(KeyReused), touches.transaction(CONTEXT) as transaction:
            transaction.plan_of_request(attrs.evolve(ASKED, body="another"), second, NOON)
        with pytest.raises(Invalid), touches.transaction(CONTEXT) as transaction:
            transaction.plan_of_request(attrs.evolve(ASKED, key="a\0b"), second, NOON)

    def test_a_request_whose_plan_was_not_kept_left_no_key_behind(self, touches: Touches) -> None:
        with suppress(RuntimeError), touches.transaction(CONTEXT) as transaction:
            transaction.plan_of_request(ASKED, plan_of(301), NOON)
            raise RuntimeError
        with touches.transaction(CONTEXT) as transaction:
            assert transaction.plan_of_request(ASKED, plan_of(302), NOON) == PlanId(numbered(302))

    def test_of_two_requests_for_a_plan_at_once_one_makes_it(self, touches: Touches) -> None:
        def ask(number: int) -> PlanId:
            with touches.transaction(CONTEXT) as transaction:
                return transaction.plan_of_request(ASKED, plan_of(number), NOON)

        answers = at_once(*(partial(ask, number) for number in range(301, 306)))
        assert len(set(answers)) == 1

    def test_a_plan_that_is_not_there_is_none(self, touches: Touches) -> None:
        nobody = PlanId(numbered(301))
        assert touches.plan(nobody) is None
        assert touches.text_of_plan(nobody) is None
        with touches.transaction(CONTEXT) as transaction:
            assert transaction.plan(nobody) is None

    def test_every_state_of_a_plan_comes_back_equal_and_is_the_fold_of_its_events(
        self, touches: Touches
    ) -> None:
        plan = planned(touches)
        commands: list[touch_plan.Command] = [
            touch_plan.Advance(NOON + DAY),
            touch_plan.Pause(NOON + DAY),
            touch_plan.Resume(NOON + 2 * DAY),
            touch_plan.Edit(attrs.evolve(DAILY, catch_up=3), NOON + 2 * DAY),
            touch_plan.End(NOON + 3 * DAY),
        ]
        assert {type(command) for command in commands} | {touch_plan.Create} == set(
            get_args(touch_plan.Command)
        )
        for command in commands:
            with touches.transaction(CONTEXT) as transaction:
                found = transaction.plan(plan.id)
                assert found is not None
                change = plan_change(found, command)
                transaction.record([change])
            kept = touches.plan(plan.id)
            assert kept is not None
            assert kept.state == change.state
        folded: TouchPlan | None = None
        for one in touches.history(plan.id):
            assert isinstance(one.event, touch_plan.Event)
            folded = touch_plan.evolve(folded, one.event)
        assert folded == change.state
        assert folded.status is Status.ENDED

    def test_a_plan_is_due_from_the_instant_of_its_next_occurrence(self, touches: Touches) -> None:
        plan = planned(touches)
        tomorrow = NOON + DAY
        with touches.transaction(CONTEXT) as transaction:
            assert transaction.due_plan(tomorrow - timedelta(microseconds=1)) is None
            found = transaction.due_plan(tomorrow)
            assert found is not None
            transaction.record([plan_change(found, touch_plan.Advance(tomorrow))])
            assert transaction.due_plan(tomorrow) is None
        assert found.state.id == plan.id

    def test_plans_are_due_the_one_that_waits_longest_first_and_those_left_out_are_not(
        self, touches: Touches
    ) -> None:
        hour_later = attrs.evolve(DAILY, schedule=Every("FREQ=DAILY", wall("2026-12-01T13:00"), "UTC"))
        planned(touches, 301, hour_later)
        planned(touches, 302)
        late = NOON + 2 * DAY
        with touches.transaction(CONTEXT) as transaction:
            first = transaction.due_plan(late)
            second = transaction.due_plan(late, [PlanId(numbered(302)), PlanId(numbered(303))])
        assert first is not None
        assert first.state.id == PlanId(numbered(301))  # 13:00 of the first day
        assert second is not None
        assert second.state.id == PlanId(numbered(301))

    def test_a_plan_in_somebodys_hands_is_passed_over(self, touches: Touches) -> None:
        planned(touches, 301)
        planned(touches, 302)
        with touches.transaction(CONTEXT) as one, touches.transaction(CONTEXT) as another:
            first, second = one.due_plan(NOON + DAY), another.due_plan(NOON + DAY)
            third = another.due_plan(NOON + DAY, [PlanId(numbered(302))])
        assert first is not None
        assert second is not None
        assert {first.state.id, second.state.id} == {PlanId(numbered(301)), PlanId(numbered(302))}
        assert third is None

    def test_an_occurrence_becomes_one_touch_whoever_makes_it(self, touches: Touches) -> None:
        plan = planned(touches)
        slot = wall("2026-12-02T12:00")

        def make(number: int) -> None:
            with touches.transaction(CONTEXT) as transaction:
                transaction.record([touch_of(plan, number, slot)])
                transaction.keep_text(TouchId(numbered(number)), "renew")

        answers = at_once(lambda: make(1), lambda: make(2), lambda: make(3))

        assert [answer for answer in answers if isinstance(answer, Exception)] == []
        (kept,) = touches.listed(TENANT, 10)
        assert kept.occurrence is not None
        assert kept.occurrence.slot == slot
        lost = {TouchId(numbered(number)) for number in (1, 2, 3)} - {kept.id}
        assert [list(touches.history(one)) for one in lost] == [[], []]
        assert [touches.texts(one).text for one in lost] == [None, None]
        assert touches.texts(kept.id).text == "renew"

    def test_another_slot_or_revision_is_another_touch(self, touches: Touches) -> None:
        plan = planned(touches)
        slot = wall("2026-12-02T12:00")
        with touches.transaction(CONTEXT) as transaction:
            transaction.record(
                [
                    touch_of(plan, 1, slot),
                    touch_of(plan, 2, slot + DAY),
                    touch_of(attrs.evolve(plan, revision=2), 3, slot),
                ]
            )
        assert len(touches.listed(TENANT, 10)) == 3

    def test_a_plan_and_its_touches_are_written_together_or_not_at_all(self, touches: Touches) -> None:
        plan = planned(touches)
        with suppress(RuntimeError), touches.transaction(CONTEXT) as transaction:
            found = transaction.due_plan(NOON + DAY)
            assert found is not None
            transaction.record(
                [
                    plan_change(found, touch_plan.Advance(NOON + DAY)),
                    touch_of(plan, 1, wall("2026-12-02T12:00")),
                ]
            )
            raise RuntimeError
        assert touches.plan(plan.id) == Versioned(plan, 1)
        assert list(touches.listed(TENANT, 10)) == []

    def test_a_plan_on_a_version_that_has_passed_is_a_conflict(self, touches: Touches) -> None:
        plan = planned(touches)
        stale = plan_change(Versioned(plan, 1), touch_plan.Pause(NOON))
        with touches.transaction(CONTEXT) as transaction:
            transaction.record([stale])
        with pytest.raises(Conflict), touches.transaction(CONTEXT) as transaction:
            transaction.record([stale])

    def test_the_text_of_a_plan_is_replaced_by_the_next(self, touches: Touches) -> None:
        plan = planned(touches)
        with touches.transaction(CONTEXT) as transaction:
            transaction.keep_text(plan.id, "another")
        assert touches.text_of_plan(plan.id) == "another"
