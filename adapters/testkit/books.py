"""The promises of the Books port, executed."""

from collections.abc import Sequence
from typing import TypeVar
from uuid import UUID

import pytest

from adapters.testkit.deliveries.examples import made
from adapters.testkit.examples import (
    CYCLE,
    NOON,
    OTHER_TENANT,
    OWNER,
    TENANT,
    Planned,
    due,
    keep,
    numbered,
    planned,
    sending_new,
)
from adapters.testkit.touches.examples import CONTEXT as TOUCHING
from adapters.testkit.touches.examples import answer, claim_due, registered, touch_of
from adapters.testkit.touches.examples import planned as planned_touches
from application.ports.auditing import (
    Books,
    CalendarFacts,
    DeliveryFacts,
    Facts,
    MessageFacts,
    Part,
    PlanFacts,
    ReminderFacts,
    StrayReminder,
    StrayStream,
    TouchFacts,
)
from application.ports.deliveries import Deliveries, Received
from application.ports.ledger import Ledger, Unreadable
from application.ports.people import ContactPoint, People, Person, Tenant
from application.ports.touches import Touches
from domain.triggers import MinutesBeforeStart
from domain.values import ContactPointId, EventId, ReminderId, TenantId, UserId

Kind = TypeVar("Kind", bound=Facts)
TRIGGERS = (MinutesBeforeStart(15), MinutesBeforeStart(30))


class BooksContract:
    """Each test has a store of its own, without any rows; the fixtures are adapters over that one store."""

    @pytest.fixture
    def books(self) -> Books:
        raise NotImplementedError

    @pytest.fixture
    def ledger(self) -> Ledger:
        raise NotImplementedError

    @pytest.fixture
    def deliveries(self) -> Deliveries:
        raise NotImplementedError

    @pytest.fixture
    def touches(self) -> Touches:
        raise NotImplementedError

    def spoil_event(self, event_id: EventId) -> None:
        """Make an event's row unreadable."""
        raise NotImplementedError

    @pytest.fixture
    def people(self) -> People:
        raise NotImplementedError

    def lose_people(self) -> None:
        """Take the rows of all people away, and leave their addresses."""
        raise NotImplementedError

    def lose(self, row: EventId | ReminderId) -> None:
        """Take the row of an event or a reminder away, and leave its history."""
        raise NotImplementedError

    @pytest.mark.parametrize("part", Part)
    def test_of_nothing_there_is_nothing_to_see(self, books: Books, part: Part) -> None:
        page = books.page(part, None, 10)
        assert (list(page.facts), page.looked_at, page.last) == ([], 0, None)
        assert books.about(part) == 0
        assert list(books.look_again(part, [numbered(1)])) == []

    def test_pages_follow_upon_each_other_in_the_order_of_ids_and_end(
        self, books: Books, ledger: Ledger
    ) -> None:
        keep(ledger, *(planned(number, *TRIGGERS) for number in (3, 1, 2)))
        pages, after = [], None
        while True:
            page = books.page(Part.EVENTS, after, 2)
            if page.last is None:
                break
            pages.append([one.id for one in page.facts])
            assert page.looked_at == len(page.facts)
            after = page.last
        assert [sorted(page) for page in pages] == [[numbered(1000), numbered(2000)], [numbered(3000)]]
        assert (books.about(Part.EVENTS), books.about(Part.REMINDERS)) == (3, 6)

    def test_an_event_comes_with_its_reminders_their_streams_messages_and_deliveries(
        self, books: Books, ledger: Ledger, deliveries: Deliveries
    ) -> None:
        example = due(1, NOON)
        self._send(ledger, example)
        (sent,) = example.reminders
        told = made(700, sent.id)
        deliveries.receive([Received(sent.id, [told])], NOON)
        (facts,) = _facts(books, Part.EVENTS, CalendarFacts)
        (one,) = facts.reminders
        assert (facts.id, facts.row.state, facts.row.version) == (example.event.id, example.event, 1)
        assert [happened.event for happened in facts.stream] == list(example.changes[0].events)
        assert (one.id, one.row.version) == (sent.id, 2)
        assert [happened.version for happened in one.stream] == [1, 2]
        assert [happened.actor for happened in one.stream] == ["system", "system"]
        (message,) = one.messages
        assert not isinstance(message.payload, Unreadable)
        assert (message.key, message.payload.reminder_id) == (example.event.id, sent.id)
        assert [each.id for each in one.deliveries] == [told.id]

    def test_what_cannot_be_read_hides_nothing_else(self, books: Books, ledger: Ledger) -> None:
        keep(ledger, planned(1, *TRIGGERS), planned(2, *TRIGGERS))
        self.spoil_event(EventId(numbered(1000)))
        spoilt, sound = sorted(_facts(books, Part.EVENTS, CalendarFacts), key=lambda one: one.id)
        assert isinstance(spoilt.row.state, Unreadable)
        assert (len(spoilt.stream), len(spoilt.reminders)) == (1, 2)
        assert not isinstance(sound.row.state, Unreadable)

    def test_a_reminder_whose_event_has_no_row_is_a_stray(self, books: Books, ledger: Ledger) -> None:
        keep(ledger, due(1, NOON), due(2, NOON))
        assert _facts(books, Part.REMINDERS, StrayReminder) == []
        self.lose(EventId(numbered(1000)))
        (stray,) = _facts(books, Part.REMINDERS, StrayReminder)
        assert (stray.id, stray.event_id) == (numbered(1001), numbered(1000))
        assert books.page(Part.REMINDERS, None, 10).looked_at == 2

    def test_a_stream_without_a_row_is_a_stray_and_comes_whole(self, books: Books, ledger: Ledger) -> None:
        example = due(1, NOON)
        self._send(ledger, example)
        registered_streams = books.page(Part.STREAMS, None, 10)
        assert (list(registered_streams.facts), registered_streams.looked_at) == ([], 2)
        self.lose(example.reminders[0].id)
        (stray,) = _facts(books, Part.STREAMS, StrayStream)
        assert (stray.id, len(stray.stream)) == (example.reminders[0].id, 2)

    def test_a_message_tells_whether_its_reminder_is_known_and_was_sent(
        self, books: Books, ledger: Ledger
    ) -> None:
        example = due(1, NOON)
        self._send(ledger, example)
        (facts,) = _facts(books, Part.OUTBOX, MessageFacts)
        assert (facts.id, facts.about) == (example.reminders[0].id, example.reminders[0].id)
        assert (facts.is_known, facts.was_sent) == (True, True)
        assert (facts.published_at, facts.parked_at, facts.claimed_by, facts.claimed_until) == (None,) * 4
        self.lose(example.reminders[0].id)
        (facts,) = _facts(books, Part.OUTBOX, MessageFacts)
        assert (facts.is_known, facts.was_sent) == (False, True)

    def test_a_delivery_tells_whether_what_it_is_about_ever_was(
        self, books: Books, ledger: Ledger, deliveries: Deliveries, touches: Touches
    ) -> None:
        example = due(1, NOON)
        self._send(ledger, example)
        sent, unknown = example.reminders[0].id, ReminderId(numbered(800))
        deliveries.receive([Received(sent, [made(700, sent)]), Received(unknown, [made(701, unknown)])], NOON)
        registered(touches)
        (claimed,) = claim_due(touches)
        answer(touches, claimed, 702)
        found = _facts(books, Part.DELIVERIES, DeliveryFacts)
        assert {one.id: one.is_about_something for one in found} == {
            numbered(700): True,
            numbered(701): False,
            numbered(702): True,
        }
        assert all(not isinstance(one.delivery, Unreadable) for one in found)

    def test_a_touch_comes_with_its_stream_its_deliveries_and_its_plans_tenant(
        self, books: Books, touches: Touches
    ) -> None:
        registered(touches)
        (claimed,) = claim_due(touches)
        brings = answer(touches, claimed)
        plan = planned_touches(touches)
        made_touch = touch_of(plan, 2, plan.handled_until.replace(tzinfo=None))
        with touches.transaction(TOUCHING) as transaction:
            transaction.record([made_touch])
        answered, of_plan = sorted(_facts(books, Part.TOUCHES, TouchFacts), key=lambda one: one.id)
        assert (len(answered.stream), answered.row.version) == (3, 3)
        assert [one.id for one in answered.deliveries] == [brings.id]
        assert (answered.plan_tenant_id, of_plan.plan_tenant_id) == (None, TENANT)
        (facts,) = _facts(books, Part.PLANS, PlanFacts)
        assert [(one[0], one[1]) for one in facts.made] == [(of_plan.id, TENANT)]
        assert facts.next_at is not None
        assert (facts.row.version, len(facts.stream)) == (1, 1)

    def test_whether_the_inbox_has_a_reminder_is_told_of_those_with_deliveries(
        self, books: Books, ledger: Ledger, deliveries: Deliveries
    ) -> None:
        example = due(1, NOON)
        self._send(ledger, example)
        (sent,) = example.reminders
        assert not self._reminder(books).was_taken_in
        deliveries.receive([Received(sent.id, [made(700, sent.id)])], NOON)
        assert self._reminder(books).was_taken_in

    def test_a_person_whose_address_is_kept_is_told_apart_from_one_who_never_was(
        self, books: Books, ledger: Ledger, deliveries: Deliveries, people: People
    ) -> None:
        example = due(1, NOON)
        self._send(ledger, example)
        sent = example.reminders[0].id
        deliveries.receive([Received(sent, [made(700, sent)])], NOON)
        assert self._known(books) == ([], False)
        people.add_tenant(Tenant(TENANT, "acme"))
        people.add_person(Person(OWNER, TENANT, "anna"))
        people.add_contact_point(ContactPoint(ContactPointId(numbered(77)), OWNER, "console", "anna"))
        assert self._known(books) == ([], True)
        self.lose_people()
        assert self._known(books) == ([OWNER], False)

    def test_a_touch_tells_of_its_person_and_its_texts(
        self, books: Books, touches: Touches, people: People
    ) -> None:
        registered(touches)
        assert self._of_touch(books) == (False, False, True, False)
        people.add_tenant(Tenant(TENANT, "acme"))
        people.add_person(Person(OWNER, TENANT, "anna"))
        (claimed,) = claim_due(touches)
        answer(touches, claimed)
        assert self._of_touch(books) == (True, False, True, True)
        people.erase(TENANT, OWNER)
        assert self._of_touch(books) == (True, True, False, False)

    @pytest.mark.parametrize(("home", "is_foreign"), [(TENANT, False), (OTHER_TENANT, True)])
    def test_a_person_of_another_tenant_is_told_from_ones_own(
        self,
        books: Books,
        ledger: Ledger,
        deliveries: Deliveries,
        touches: Touches,
        people: People,
        home: TenantId,
        is_foreign: bool,
    ) -> None:
        for tenant_id, handle in ((TENANT, "acme"), (OTHER_TENANT, "other")):
            people.add_tenant(Tenant(tenant_id, handle))
        people.add_person(Person(OWNER, home, "anna"))
        example = due(1, NOON)
        self._send(ledger, example)
        sent = example.reminders[0].id
        deliveries.receive([Received(sent, [made(700, sent)])], NOON)
        registered(touches)
        planned_touches(touches)
        (event,) = _facts(books, Part.EVENTS, CalendarFacts)
        (told,) = _facts(books, Part.DELIVERIES, DeliveryFacts)
        (touch,) = _facts(books, Part.TOUCHES, TouchFacts)
        (plan,) = _facts(books, Part.PLANS, PlanFacts)
        assert list(event.foreign) == ([OWNER] if is_foreign else [])
        assert {one.is_foreign for one in (told, touch, plan)} == {is_foreign}
        assert told.is_known
        assert touch.is_known

    def test_looking_again_gives_what_is_there_by_now(self, books: Books, ledger: Ledger) -> None:
        keep(ledger, due(1, NOON), due(2, NOON))
        both: list[UUID] = [numbered(1000), numbered(2000)]
        assert {one.id for one in books.look_again(Part.EVENTS, both)} == set(both)
        self.lose(EventId(numbered(1000)))
        assert [one.id for one in books.look_again(Part.EVENTS, both)] == [numbered(2000)]

    @staticmethod
    def _reminder(books: Books) -> ReminderFacts:
        ((one,),) = (facts.reminders for facts in _facts(books, Part.EVENTS, CalendarFacts))
        return one

    @staticmethod
    def _known(books: Books) -> tuple[Sequence[UserId], bool]:
        (event,) = _facts(books, Part.EVENTS, CalendarFacts)
        (told,) = _facts(books, Part.DELIVERIES, DeliveryFacts)
        return list(event.lost), told.is_known

    @staticmethod
    def _of_touch(books: Books) -> tuple[bool, ...]:
        (one,) = _facts(books, Part.TOUCHES, TouchFacts)
        return one.is_known, one.is_erased, one.has_texts, one.has_answer

    @staticmethod
    def _send(ledger: Ledger, example: Planned) -> None:
        keep(ledger, example)
        with ledger.transaction(CYCLE) as transaction:
            settlement = transaction.settle(sending_new(example))
        assert len(settlement.written) == len(example.reminders)


def _facts(books: Books, part: Part, kind: type[Kind]) -> Sequence[Kind]:
    facts = books.page(part, None, 100).facts
    found = [one for one in facts if isinstance(one, kind)]
    assert len(found) == len(facts)
    return found
