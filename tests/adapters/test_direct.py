"""What publishing without a broker does beyond the contract: which message is at fault, and which is not."""

from collections.abc import Callable, Sequence

import pytest
from attrs import field, frozen

from adapters.outbound.direct import DirectPublisher
from adapters.testkit.publisher import due, message
from application.notifying import Notifying
from application.ports.errors import Busy, Conflict, Unavailable
from application.ports.publisher import Never, NotNow, Published
from application.receiving import Receiving
from domain.policies import ReminderDueEvent
from tests.application.world import World

Trouble = Callable[[Sequence[int]], Exception | None]


@frozen
class Troubled(Notifying):
    """The notifications, with a store that fails as `trouble` says of the numbers of the reminders."""

    trouble: Trouble = lambda _: None
    asked: list[list[int]] = field(factory=list)

    def receive(self, due: Sequence[ReminderDueEvent]) -> Sequence[bool]:
        numbers = [one.reminder_id.int for one in due]
        self.asked.append(numbers)
        if (problem := self.trouble(numbers)) is not None:
            raise problem
        return super().receive(due)


def troubled(trouble: Trouble) -> tuple[DirectPublisher, Troubled, World]:
    world = World()
    notifying = Troubled(world.deliveries, world.people, world.clock, world.ids, trouble)
    return DirectPublisher(Receiving(notifying)), notifying, world


MESSAGES = [message(due(number)) for number in (1, 2, 3)]


def test_a_batch_is_taken_in_in_one_go() -> None:
    publisher, notifying, world = troubled(lambda _: None)

    assert publisher.publish(MESSAGES) == [Published()] * 3

    assert notifying.asked == [[1, 2, 3]]
    assert len(world.store.inbox) == 3


def test_a_message_that_cannot_be_read_is_never_published_and_the_rest_is_in_one_go() -> None:
    publisher, notifying, _ = troubled(lambda _: None)

    first, bad, last = publisher.publish(
        [MESSAGES[0], message(due(2), b'{"contractVersion":2}'), MESSAGES[2]]
    )

    assert (first, last) == (Published(), Published())
    assert isinstance(bad, Never)
    assert "contractVersion" in bad.reason
    assert notifying.asked == [[1, 3]]


@pytest.mark.parametrize("away", [Unavailable, Busy, Conflict])
def test_with_the_store_away_the_whole_batch_is_for_later_after_one_question(away: type[Exception]) -> None:
    publisher, notifying, world = troubled(lambda _: away("10.0.0.1 refused"))

    answers = publisher.publish(MESSAGES)

    assert answers == [NotNow(f"the notifications' store: {away.__name__}")] * 3
    assert len(notifying.asked) == 1
    assert world.store.inbox == {}


def test_one_message_that_fails_by_itself_twice_is_never_published_and_stops_nobody() -> None:
    publisher, notifying, world = troubled(lambda numbers: RuntimeError("secret") if 2 in numbers else None)

    answers = publisher.publish(MESSAGES)

    assert answers == [Published(), Never("the notifications failed: RuntimeError"), Published()]
    assert notifying.asked == [[1, 2, 3], [1], [2, 3], [2], [3], [2]]
    assert len(world.store.inbox) == 2


def test_a_failure_that_passes_costs_nobody_anything() -> None:
    problems = iter([RuntimeError(), None, RuntimeError(), None, None])
    publisher, _, world = troubled(lambda _: next(problems))

    assert publisher.publish(MESSAGES) == [Published()] * 3
    assert len(world.store.inbox) == 3


def test_when_all_fail_it_is_the_store_and_not_the_messages() -> None:
    publisher, _, _ = troubled(lambda _: RuntimeError())

    assert publisher.publish(MESSAGES) == [NotNow("the notifications failed: RuntimeError")] * 3


def test_one_alone_that_fails_is_for_later_since_nothing_tells_whose_fault_it_is() -> None:
    publisher, _, _ = troubled(lambda _: RuntimeError())

    assert publisher.publish(MESSAGES[:1]) == [NotNow("the notifications failed: RuntimeError")]


def test_a_store_that_goes_away_between_two_is_not_asked_for_each_of_the_rest() -> None:
    problems = iter([RuntimeError(), None, Unavailable()])
    publisher, notifying, _ = troubled(lambda _: next(problems))

    answers = publisher.publish(MESSAGES)

    assert answers == [Published(), *[NotNow("the notifications' store: Unavailable")] * 2]
    assert notifying.asked == [[1, 2, 3], [1], [2, 3]]


def test_a_message_twice_in_a_batch_is_answered_twice_and_taken_in_once() -> None:
    publisher, _, world = troubled(lambda _: None)

    assert publisher.publish([MESSAGES[0], MESSAGES[0]]) == [Published()] * 2
    assert len(world.store.inbox) == 1
    assert len(world.all_deliveries()) == 2
