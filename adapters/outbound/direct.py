"""A publisher without a broker: messages go straight to the notifications of this process."""

from collections.abc import Sequence

from attrs import frozen

from adapters.codec import Malformed, decode_due
from application.ports.outbox import Message
from application.ports.publisher import Acknowledgement, Never, NotNow, Published
from application.receiving import NotYet, Outcome, Receiving, TakenIn, Unfit
from domain.policies import ReminderDueEvent


@frozen
class DirectPublisher:
    """Published is what was taken in, now or before; Never what cannot be read, or is itself at fault."""

    receiving: Receiving

    def publish(self, messages: Sequence[Message]) -> Sequence[Acknowledgement]:
        answers: dict[int, Acknowledgement] = {}
        due: dict[int, ReminderDueEvent] = {}
        for place, message in enumerate(messages):
            try:
                due[place] = decode_due(message.payload)
            except Malformed as problem:
                answers[place] = Never(str(problem))
        outcomes = self.receiving.take_in(list(due.values()))
        answers |= zip(due, map(_acknowledged, outcomes), strict=True)
        return [answers[place] for place in range(len(messages))]


def _acknowledged(outcome: Outcome) -> Acknowledgement:
    match outcome:
        case TakenIn():
            return Published()
        case NotYet(reason):
            return NotNow(reason)
        case Unfit(reason):
            return Never(reason)
