"""Registering: one row, whoever asks however often."""

from collections.abc import Callable

import attrs
import pytest

from adapters.testkit.examples import CLIENT, MINUTE, NOON, OTHER_TENANT, OWNER, TENANT, numbered
from adapters.testkit.threads import at_once
from adapters.testkit.touches.examples import (
    CALLER,
    CONTEXT,
    ORIGIN,
    claim_due,
    registered,
    registration,
)
from application.ports.ledger import Versioned
from application.ports.people import AgentPlatform, People, Tenant
from application.ports.touches import (
    KeyReused,
    RecordedTouchEvent,
    Registered,
    Request,
    TooMany,
    Touches,
    TouchTexts,
)
from domain.deferred_touch import Status
from domain.errors import Invalid, NoAgentPlatform
from domain.values import Origin, TouchId


class RegisteringContract:
    """`people` are those of the same store."""

    @pytest.fixture
    def touches(self) -> Touches:
        raise NotImplementedError

    @pytest.fixture
    def people(self) -> People:
        raise NotImplementedError

    def test_what_an_agent_platform_is_to_do_wants_one_of_its_own_tenant(
        self, touches: Touches, people: People
    ) -> None:
        platform = AgentPlatform("https://agents.b.example/", "whsec_bnVtYmF0")
        people.add_tenant(Tenant(OTHER_TENANT, "other", agent=platform))
        with pytest.raises(NoAgentPlatform):
            touches.register(registration(1, wants_agent=True), CONTEXT)
        people.add_tenant(Tenant(TENANT, "acme"))
        with pytest.raises(NoAgentPlatform):
            touches.register(registration(1, wants_agent=True), CONTEXT)
        assert touches.touch(TouchId(numbered(1))) is None
        assert list(touches.history(TouchId(numbered(1)))) == []

        people.set_tenant(Tenant(TENANT, "acme", agent=platform))
        made = touches.register(registration(1, wants_agent=True), CONTEXT)
        people.set_tenant(Tenant(TENANT, "acme"))
        again = registration(2, wants_agent=True, request=Request(CALLER, "key 1", "body"))
        assert touches.register(again, CONTEXT) == Registered(made.touch, is_new=False)

    def test_a_registered_touch_comes_back_equal_with_its_text_and_history(self, touches: Touches) -> None:
        asked = registration()

        made = touches.register(asked, CONTEXT)

        assert made == Registered(asked.touch, is_new=True)
        assert touches.touch(asked.touch.id) == Versioned(asked.touch, 1)
        assert touches.texts(asked.touch.id) == TouchTexts("call the clinic", None)
        assert list(touches.history(asked.touch.id)) == [
            RecordedTouchEvent(1, asked.event, CONTEXT.correlation_id, "tester", NOON)
        ]

    def test_a_touch_that_is_not_there_is_none_without_texts_or_history(self, touches: Touches) -> None:
        nobody = TouchId(numbered(1))
        assert touches.touch(nobody) is None
        assert touches.texts(nobody) == TouchTexts(None, None)
        assert list(touches.history(nobody)) == []

    def test_a_repeat_of_the_request_gives_back_the_touch_that_it_made(self, touches: Touches) -> None:
        first = registered(touches)
        repeat = attrs.evolve(registration(2), request=Request(CALLER, "key 1", "body"))

        assert touches.register(repeat, CONTEXT) == Registered(first, is_new=False)
        assert touches.touch(repeat.touch.id) is None
        assert list(touches.history(repeat.touch.id)) == []

    def test_a_repeat_shows_what_has_become_of_the_touch_since(self, touches: Touches) -> None:
        registered(touches)
        (claimed,) = claim_due(touches)
        again = touches.register(registration(2, request=Request(CALLER, "key 1", "body")), CONTEXT)
        assert again.touch.status is Status.IN_PROGRESS
        assert again == Registered(claimed, is_new=False)

    def test_the_same_key_for_something_else_is_refused_and_nothing_is_written(
        self, touches: Touches
    ) -> None:
        registered(touches)
        other = attrs.evolve(registration(2), request=Request(CALLER, "key 1", "another body"))

        with pytest.raises(KeyReused):
            touches.register(other, CONTEXT)

        assert touches.touch(other.touch.id) is None
        assert list(touches.history(other.touch.id)) == []

    @pytest.mark.parametrize(
        "more",
        [
            {"tenant_id": OTHER_TENANT, "request": Request(CALLER, "key 1", "body")},
            {"request": Request("agent-b", "key 1", "body")},
            {"request": Request(CALLER, "кеy 1", "body")},
            {"request": Request(CALLER, "KEY 1", "body")},
        ],
        ids=["another tenant", "another caller", "a look-alike", "other case"],
    )
    def test_keys_have_nothing_to_do_with_those_of_others(
        self, touches: Touches, more: dict[str, object]
    ) -> None:
        registered(touches)
        assert touches.register(registration(2, **more), CONTEXT).is_new  # type: ignore[arg-type]

    def test_of_two_requests_with_one_key_at_once_one_makes_the_touch(self, touches: Touches) -> None:
        request = Request(CALLER, "the key", "body")

        def ask(number: int) -> Callable[[], Registered]:
            return lambda: touches.register(registration(number, request=request), CONTEXT)

        answers = at_once(*(ask(number) for number in range(1, 7)))

        made = [answer for answer in answers if isinstance(answer, Registered)]
        assert len(made) == 6
        assert sum(answer.is_new for answer in made) == 1
        assert len({answer.touch.id for answer in made}) == 1
        assert len(touches.listed(TENANT, 100)) == 1

    def test_no_more_wait_than_a_tenant_may_have(self, touches: Touches) -> None:
        registered(touches, 1)
        registered(touches, 2)
        with pytest.raises(TooMany, match="tenant"):
            touches.register(registration(3, most_of_tenant=2), CONTEXT)
        assert touches.touch(TouchId(numbered(3))) is None
        assert touches.register(registration(4, most_of_tenant=3), CONTEXT).is_new
        assert touches.register(registration(5, tenant_id=OTHER_TENANT, most_of_tenant=1), CONTEXT).is_new

    def test_no_more_wait_than_a_caller_may_have(self, touches: Touches) -> None:
        registered(touches, 1)
        with pytest.raises(TooMany, match="caller"):
            touches.register(registration(2, most_of_caller=1), CONTEXT)
        other = registration(3, request=Request("agent-b", "key", "body"), most_of_caller=1)
        assert touches.register(other, CONTEXT).is_new

    def test_a_repeat_is_answered_though_no_more_are_taken(self, touches: Touches) -> None:
        first = registered(touches)
        repeat = registration(2, request=Request(CALLER, "key 1", "body"), most_of_tenant=1)
        assert touches.register(repeat, CONTEXT) == Registered(first, is_new=False)

    @pytest.mark.parametrize("text", ["a\0b", "\ud800", "\udfff x"])
    def test_what_no_store_keeps_is_refused_at_the_door(self, touches: Touches, text: str) -> None:
        with pytest.raises(Invalid):
            touches.register(registration(text=text), CONTEXT)
        with pytest.raises(Invalid):
            touches.register(registration(request=Request(CALLER, text, "body")), CONTEXT)
        assert list(touches.listed(None, 10)) == []

    @pytest.mark.parametrize("text", [None, "", "👩‍👩‍👧 <b>'\"\\ %s", "x" * 10_000])
    def test_any_other_text_comes_back_as_it_was(self, touches: Touches, text: str | None) -> None:
        made = registered(touches, text=text)
        assert touches.texts(made.id).text == text

    def test_touches_are_listed_by_tenant_caller_and_status_page_by_page(self, touches: Touches) -> None:
        for number in (3, 1, 2):
            registered(touches, number)
        registered(touches, 4, tenant_id=OTHER_TENANT)
        registered(touches, 5, request=Request("agent-b", "key", "body"), due_at=NOON + 5 * MINUTE)
        claim_due(touches)

        def ids(**more: object) -> list[int]:
            found = touches.listed(TENANT, 2, **more)  # type: ignore[arg-type]
            return [one.id.int - numbered(0).int for one in found]

        assert ids() == [1, 2]
        assert ids(after=TouchId(numbered(2))) == [3, 5]
        assert ids(caller="agent-b") == [5]
        assert ids(statuses=[Status.PENDING]) == [5]
        assert len(touches.listed(None, 100)) == 5

    def test_touches_of_one_origin_are_those_that_go_back_to_exactly_there(self, touches: Touches) -> None:
        here = registered(touches, 1)
        console = Origin(OWNER, "console")
        elsewhere = registered(touches, 2, origin=console)
        assert touches.listed(TENANT, 9, origin=ORIGIN) == [here]
        assert touches.listed(TENANT, 9, origin=console) == [elsewhere]
        assert list(touches.listed(TENANT, 9, origin=attrs.evolve(ORIGIN, user_id=CLIENT))) == []
        assert list(touches.listed(OTHER_TENANT, 9, origin=ORIGIN)) == []

    def test_the_backlog_is_what_is_due_and_pending(self, touches: Touches) -> None:
        registered(touches, 1, due_at=NOON)
        registered(touches, 2, due_at=NOON - MINUTE)
        assert (touches.backlog(NOON).count, touches.backlog(NOON).oldest) == (1, NOON - MINUTE)
        claim_due(touches)
        assert (touches.backlog(NOON + MINUTE).count, touches.backlog(NOON).oldest) == (0, None)
