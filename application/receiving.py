"""Due reminders are taken in a batch at a time; where that fails, only what is at fault is left out."""

from collections.abc import Sequence

from attrs import frozen

from application.notifying import Notifying
from application.ports.errors import Busy, Conflict, Unavailable
from domain.policies import ReminderDueEvent


@frozen
class TakenIn:
    """It is in the inbox, and its deliveries are kept; not `is_new` when that was so before."""

    is_new: bool


@frozen
class NotYet:
    """It was not taken in and is to be tried again: the store is away, or nothing tells whose fault it is."""

    reason: str


@frozen
class Unfit:
    """It failed by itself twice while others were taken in: it is the message and not the store."""

    reason: str


Outcome = TakenIn | NotYet | Unfit


@frozen
class Receiving:
    """Takes a batch in as a whole, in one commit; where that fails, by halves, down to the one at fault."""

    notifying: Notifying

    def take_in(self, due: Sequence[ReminderDueEvent]) -> Sequence[Outcome]:
        """One outcome for each, in their order; never raises for one of them.

        With nothing taken in beside it a failure is NotYet, however often it comes. Reasons are one line
        without content.
        """
        outcomes = self._by_halves(due)
        was_any_taken_in = any(isinstance(outcome, TakenIn) for outcome in outcomes)
        for place, outcome in enumerate(outcomes):
            if not isinstance(outcome, Unfit):
                continue
            if not was_any_taken_in:
                outcomes[place] = NotYet(outcome.reason)
                continue
            again = self._receive([due[place]])
            if isinstance(again, NotYet):
                # The store went away; asking it for each of the rest would take its time-out each time.
                return outcomes[:place] + [
                    again if isinstance(rest, Unfit) else rest for rest in outcomes[place:]
                ]
            outcomes[place] = _only(again)
        return outcomes

    def _by_halves(self, due: Sequence[ReminderDueEvent]) -> list[Outcome]:
        match self._receive(due) if due else []:
            case NotYet() as away:
                return _all(due, away)
            case Unfit() as failure if len(due) == 1:
                return [failure]
            case Unfit():
                middle = len(due) // 2
                first = self._by_halves(due[:middle])
                gone = next((outcome for outcome in first if isinstance(outcome, NotYet)), None)
                rest = due[middle:]
                return first + (_all(rest, gone) if gone else self._by_halves(rest))
            case taken_in:
                return list(taken_in)

    def _receive(self, due: Sequence[ReminderDueEvent]) -> Sequence[TakenIn] | NotYet | Unfit:
        try:
            return [TakenIn(is_new) for is_new in self.notifying.receive(due)]
        except (Unavailable, Busy, Conflict) as problem:
            return NotYet(f"the notifications' store: {type(problem).__name__}")
        except Exception as problem:
            return Unfit(f"the notifications failed: {type(problem).__name__}")


def _all(due: Sequence[ReminderDueEvent], outcome: Outcome) -> list[Outcome]:
    return [outcome] * len(due)


def _only(answer: Sequence[TakenIn] | Unfit) -> Outcome:
    return answer if isinstance(answer, Unfit) else answer[0]
