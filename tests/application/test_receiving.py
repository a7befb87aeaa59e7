"""Of a batch that fails as a whole, what is at fault is found, and the rest is taken in."""

from collections.abc import Callable, Sequence

from attrs import field, frozen

from adapters.testkit.publisher import due
from application.notifying import Notifying
from application.ports.errors import Unavailable
from application.receiving import NotYet, Receiving, TakenIn, Unfit
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


def troubled(trouble: Trouble) -> tuple[Receiving, Troubled, World]:
    world = World()
    notifying = Troubled(world.deliveries, world.people, world.clock, world.ids, trouble)
    return Receiving(notifying), notifying, world


def test_nothing_is_asked_for_nothing() -> None:
    receiving, notifying, _ = troubled(lambda _: None)

    assert list(receiving.take_in([])) == []
    assert notifying.asked == []


def test_what_was_taken_in_before_is_taken_in_and_not_new() -> None:
    receiving, _, world = troubled(lambda _: None)
    receiving.take_in([due(1)])

    assert list(receiving.take_in([due(1), due(2)])) == [TakenIn(False), TakenIn(True)]
    assert len(world.store.inbox) == 2


def test_two_at_fault_among_five_hundred_are_found_in_a_few_questions() -> None:
    at_fault = {7, 444}
    receiving, notifying, world = troubled(
        lambda numbers: RuntimeError("secret") if at_fault & {*numbers} else None
    )

    outcomes = receiving.take_in([due(number) for number in range(500)])

    refused = {place for place, outcome in enumerate(outcomes) if isinstance(outcome, Unfit)}
    assert refused == at_fault
    assert outcomes[7] == Unfit("the notifications failed: RuntimeError")
    assert len(world.store.inbox) == 498
    assert len(notifying.asked) < 45


def test_a_store_that_goes_away_while_the_one_at_fault_is_tried_again_accuses_nobody() -> None:
    questions = iter([RuntimeError(), None, RuntimeError(), RuntimeError(), RuntimeError(), Unavailable()])
    receiving, notifying, _ = troubled(lambda _: next(questions))

    outcomes = receiving.take_in([due(1), due(2), due(3)])

    away = NotYet("the notifications' store: Unavailable")
    assert outcomes == [TakenIn(True), away, away]
    assert notifying.asked == [[1, 2, 3], [1], [2, 3], [2], [3], [2]]
