"""What every Publisher must keep.

For a publisher of your own: subclass, and say in the fixtures what yours is, what arrived on its other side,
what it is when nobody is there, how that is mended and what it is when its other side goes half way; and in
`refused` what it never publishes.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from time import monotonic
from uuid import UUID

import pytest
from attrs import evolve, frozen

from adapters.codec import encode_due
from application.dispatching import TOPIC
from application.ports.outbox import Message
from application.ports.publisher import LONGEST_PUBLISH, Never, NotNow, Published, Publisher
from domain.policies import ReminderDueEvent
from domain.values import EventId, Kind, ReminderId, TenantId, UserId

Arrived = Callable[[], Sequence[ReminderDueEvent]]
Mend = Callable[[], Arrived]


@frozen
class HalfWay:
    """A publisher whose other side goes away within its first batch, for good; what reached that side."""

    publisher: Publisher
    arrived: Arrived


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
    longest_publish = LONGEST_PUBLISH

    @pytest.fixture
    def publisher(self) -> Publisher:
        """A publisher whose other side is there."""
        raise NotImplementedError

    @pytest.fixture
    def arrived(self) -> Arrived:
        """Asks the other side of `publisher` what reached it, as its reader decodes it, repeats included.

        Its reader passes over what makes no sense, which the suite publishes too.
        """
        raise NotImplementedError

    @pytest.fixture
    def cut_off(self) -> Publisher:
        """A publisher whose other side is away; `params` where it can be away in several ways."""
        raise NotImplementedError

    @pytest.fixture
    def mend(self) -> Mend:
        """Brings the other side of `cut_off` back; what it gives asks that side what reached it."""
        raise NotImplementedError

    @pytest.fixture
    def half_way(self) -> HalfWay:
        """One whose other side goes away within its first batch, which is of twenty."""
        raise NotImplementedError

    def refused(self, number: int) -> Message | None:
        """A message that `publisher` surely never publishes; None where it takes any bytes."""
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

    @pytest.mark.parametrize(
        "bad",
        [
            b"",
            b"{",
            b"\xff\xfe",
            b"null",
            b"[]",
            b"{}",
            b"9" * 100_000,
            b"Anna",
            b"Anna\n\xff",
            b'{"Anna":"Anna"}',
            b'{"contractVersion":"Anna"}',
            b'{"contractVersion":1,"reminderId":"Anna"}',
        ],
    )
    def test_a_message_that_makes_no_sense_stops_nobody_and_is_not_repeated_in_the_reason(
        self, publisher: Publisher, arrived: Arrived, bad: bytes
    ) -> None:
        answer, *others = publisher.publish([message(due(1), bad), message(due(2)), message(due(3))])

        assert others == [Published()] * 2
        assert set(arrived()) == {due(2), due(3)}
        # One that only carries bytes may carry these; one that reads them says Never. It never is NotNow.
        assert isinstance(answer, Published | Never)
        assert isinstance(answer, Published) or _tells_little(answer.reason, "Anna")

    @pytest.mark.parametrize(("count", "bad"), [(3, {0}), (5, {0, 3})])
    def test_answers_stand_in_the_order_of_their_messages(
        self, publisher: Publisher, arrived: Arrived, count: int, bad: set[int]
    ) -> None:
        sent = [due(number) for number in range(count)]
        refused = {place: one for place in bad if (one := self.refused(place))}

        answers = publisher.publish([refused.get(place, message(one)) for place, one in enumerate(sent)])

        assert [isinstance(answer, Never) for answer in answers] == [
            place in refused for place in range(count)
        ]
        assert [answer == Published() for answer in answers] == [
            place not in refused for place in range(count)
        ]
        assert set(arrived()) == {one for place, one in enumerate(sent) if place not in refused}

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
        assert _tells_little(answer.reason, str(sent.owner_user_id))

    def test_what_was_for_later_is_published_once_the_other_side_is_back(
        self, cut_off: Publisher, mend: Mend
    ) -> None:
        (before,) = cut_off.publish([message(due(1))])
        arrived = mend()
        (after,) = cut_off.publish([message(due(1))])

        assert isinstance(before, NotNow)
        assert after == Published()
        assert set(arrived()) == {due(1)}

    def test_of_a_batch_that_is_cut_off_half_way_only_what_arrived_is_published(
        self, half_way: HalfWay
    ) -> None:
        sent = [due(number) for number in range(1, 21)]
        started = monotonic()

        answers = half_way.publisher.publish([message(one) for one in sent])

        assert timedelta(seconds=monotonic() - started) < self.longest_publish
        published = {one for one, answer in zip(sent, answers, strict=True) if answer == Published()}
        assert published <= set(half_way.arrived())
        assert len(published) < len(sent)
        assert not any(isinstance(answer, Never) for answer in answers)

    def test_threads_share_it(self, publisher: Publisher, arrived: Arrived) -> None:
        batches = [[message(due(first + one)) for one in range(25)] for first in (100, 200, 300, 400)]

        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(publisher.publish, batches))

        assert all(list(answer) == [Published()] * 25 for answer in answers)
        assert len({one.reminder_id for one in arrived()}) == 100


def _tells_little(reason: str, content: str) -> bool:
    return bool(reason) and reason.isprintable() and content not in reason
