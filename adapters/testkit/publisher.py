"""What every Publisher must keep.

For a publisher of your own: subclass, and say in the three fixtures what yours is, what arrived on its other
side, and what it is when nobody is there.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from time import monotonic
from uuid import UUID

import pytest
from attrs import evolve

from adapters.codec import encode_due
from application.dispatching import TOPIC
from application.ports.outbox import Message
from application.ports.publisher import Never, NotNow, Published, Publisher
from domain.policies import ReminderDueEvent
from domain.values import EventId, Kind, ReminderId, TenantId, UserId

Arrived = Callable[[], Sequence[ReminderDueEvent]]

_DUE = ReminderDueEvent(
    reminder_id=ReminderId(UUID(int=0)),
    event_id=EventId(UUID(int=0xE)),
    tenant_id=TenantId(UUID(int=0xA)),
    owner_user_id=UserId(UUID(int=0xB)),
    client_user_id=UserId(UUID(int=0xC)),
    kind=Kind.MEETING,
    start_at=datetime(2026, 11, 30, 9, 0, tzinfo=UTC),
    time_zone="Europe/Moscow",
    offset_minutes=15,
    appointment_id=None,
)


def due(number: int, event: int = 0xE) -> ReminderDueEvent:
    """A due reminder, the same for the same number."""
    return evolve(_DUE, reminder_id=ReminderId(UUID(int=number)), event_id=EventId(UUID(int=event)))


def message(of: ReminderDueEvent, payload: bytes | None = None) -> Message:
    """The outbox message of a due reminder; `payload` puts other bytes into it."""
    return Message(
        id=of.reminder_id,
        topic=TOPIC,
        key=of.event_id,
        payload=encode_due(of) if payload is None else payload,
        headers={"correlationId": str(UUID(int=7)), "contractVersion": "1"},
    )


class PublisherContract:
    longest_publish = timedelta(seconds=30)

    @pytest.fixture
    def publisher(self) -> Publisher:
        """A publisher whose other side is there."""
        raise NotImplementedError

    @pytest.fixture
    def arrived(self) -> Arrived:
        """Asks the other side of `publisher` what reached it, as its reader decodes it, repeats included."""
        raise NotImplementedError

    @pytest.fixture
    def cut_off(self) -> Publisher:
        """A publisher whose other side is away."""
        raise NotImplementedError

    def test_nothing_is_answered_for_nothing(self, publisher: Publisher, arrived: Arrived) -> None:
        assert list(publisher.publish([])) == []
        assert list(arrived()) == []

    def test_what_is_answered_published_has_arrived_whole(
        self, publisher: Publisher, arrived: Arrived
    ) -> None:
        sent = [due(number) for number in range(1, 4)]

        answers = publisher.publish([message(one) for one in sent])

        assert list(answers) == [Published()] * 3
        assert set(arrived()) == set(sent)

    def test_messages_of_one_key_arrive_in_their_order(self, publisher: Publisher, arrived: Arrived) -> None:
        sent = [due(number, event=number % 3 + 1) for number in range(1, 501)]

        publisher.publish([message(one) for one in sent])

        heard = arrived()
        for key in (1, 2, 3):
            of_key = [one.reminder_id for one in heard if one.event_id.int == key]
            assert of_key == [one.reminder_id for one in sent if one.event_id.int == key]

    def test_a_message_published_again_is_published(self, publisher: Publisher, arrived: Arrived) -> None:
        first = publisher.publish([message(due(1))])
        second = publisher.publish([message(due(1))])

        assert list(first) == list(second) == [Published()]
        assert set(arrived()) == {due(1)}

    @pytest.mark.parametrize("bad", [b"", b"{", b"\xff\xfe", b"null", b"[]", b"{}", b"9" * 100_000])
    def test_a_message_that_makes_no_sense_stops_nobody(
        self, publisher: Publisher, arrived: Arrived, bad: bytes
    ) -> None:
        answers = publisher.publish([message(due(1)), message(due(2), bad), message(due(3))])

        # One that only carries bytes may carry these; one that reads them says Never. It never is NotNow.
        assert answers[0] == answers[2] == Published()
        assert isinstance(answers[1], Published | Never)
        assert len(answers) == 3

    def test_with_nobody_there_all_is_for_later_and_soon_said(self, cut_off: Publisher) -> None:
        started = monotonic()

        answers = cut_off.publish([message(due(number)) for number in range(1, 21)])

        assert timedelta(seconds=monotonic() - started) < self.longest_publish
        assert len(answers) == 20
        assert all(isinstance(answer, NotNow) for answer in answers)

    def test_reasons_are_one_line_without_the_payload(self, cut_off: Publisher) -> None:
        sent = due(1)

        (answer,) = cut_off.publish([message(sent)])

        assert isinstance(answer, NotNow)
        assert answer.reason.isprintable()
        assert answer.reason
        assert str(sent.owner_user_id) not in answer.reason

    def test_threads_share_it(self, publisher: Publisher, arrived: Arrived) -> None:
        batches = [[message(due(first + one)) for one in range(25)] for first in (100, 200, 300, 400)]

        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(publisher.publish, batches))

        assert all(list(answer) == [Published()] * 25 for answer in answers)
        assert len({one.reminder_id for one in arrived()}) == 100
