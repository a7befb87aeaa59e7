"""A publisher without a broker: messages go straight to the notifications of this process."""

from collections.abc import Sequence

from attrs import frozen

from adapters.codec import Malformed, decode_due
from application.notifying import Notifying
from application.ports.errors import Busy, Conflict, Unavailable
from application.ports.outbox import Message
from application.ports.publisher import Acknowledgement, Never, NotNow, Published
from domain.policies import ReminderDueEvent


@frozen
class DirectPublisher:
    """Takes a batch in as a whole, in one commit; where that fails, each message by itself.

    A message is Never published when it cannot be read, or when it failed by itself twice while others of its
    batch were taken in: then it is the message and not the store. One that was taken in before is Published.
    """

    notifying: Notifying

    def publish(self, messages: Sequence[Message]) -> Sequence[Acknowledgement]:
        answers: dict[int, Acknowledgement] = {}
        due: dict[int, ReminderDueEvent] = {}
        for place, message in enumerate(messages):
            try:
                due[place] = decode_due(message.payload)
            except Malformed as problem:
                answers[place] = Never(str(problem))
        answers |= self._hand_over(due)
        return [answers[place] for place in range(len(messages))]

    def _hand_over(self, due: dict[int, ReminderDueEvent]) -> dict[int, Acknowledgement]:
        if not due:
            return {}
        whole = self._receive(list(due.values()))
        if not isinstance(whole, Never) or len(due) == 1:
            return dict.fromkeys(due, _not_now(whole))
        alone = self._one_by_one(due)
        if not any(isinstance(answer, Published) for answer in alone.values()):
            return {place: _not_now(answer) for place, answer in alone.items()}
        failed = {place: due[place] for place, answer in alone.items() if isinstance(answer, Never)}
        return alone | self._one_by_one(failed)

    def _one_by_one(self, due: dict[int, ReminderDueEvent]) -> dict[int, Acknowledgement]:
        answers: dict[int, Acknowledgement] = {}
        for place, one in due.items():
            answers[place] = self._receive([one])
            if isinstance(answers[place], NotNow):
                # The store is away; asking it for each of the rest would take its time-out each time.
                return dict.fromkeys(due, answers[place]) | answers
        return answers

    def _receive(self, due: Sequence[ReminderDueEvent]) -> Acknowledgement:
        """Published when it was taken in, NotNow when the store is away, Never for any other failure."""
        try:
            self.notifying.receive(due)
        except (Unavailable, Busy, Conflict) as problem:
            return NotNow(f"the notifications' store: {type(problem).__name__}")
        except Exception as problem:
            return Never(f"the notifications failed: {type(problem).__name__}")
        return Published()


def _not_now(answer: Acknowledgement) -> Acknowledgement:
    return NotNow(answer.reason) if isinstance(answer, Never) else answer
