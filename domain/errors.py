"""What can be wrong: a value that is none, a wish that the rules refuse, a history that cannot be."""

from typing import ClassVar


class Invalid(ValueError):
    """A value that cannot be what it is meant to be; the message names the field and what would do."""


class Refused(Exception):
    """The rules said no. `rule` is the id of the rule; a leaf's docstring is its message."""

    rule: ClassVar[str]

    def __str__(self) -> str:
        said = super().__str__()
        return f"{self.rule}: {said or (type(self).__doc__ or '').strip()}"


class NoSuchEvent(Refused):
    """There is no such event."""

    rule = "INV-EVT-1"


class EventIsOver(Refused):
    """The event is completed or cancelled; nothing changes it any more."""

    rule = "INV-EVT-2"


class NoSuchReminder(Refused):
    """There is no such reminder."""

    rule = "INV-REM-1"


class ReminderIsOver(Refused):
    """A sent or skipped reminder never changes."""

    rule = "INV-REM-2"


class EventIsNotOpen(Refused):
    """A reminder leaves only while its event is planned or in progress."""

    rule = "INV-REM-4"


class ReminderIsNotDue(Refused):
    """A reminder never leaves before its time: DueAt < AsOf."""

    rule = "INV-REM-3"


class NoSuchDelivery(Refused):
    """There is no such delivery."""

    rule = "INV-DLV-1"


class DeliveryIsOver(Refused):
    """A delivered or skipped message never changes, and a failed one only by a person's retry."""

    rule = "INV-DLV-2"


class ClaimIsLost(Refused):
    """Only the current claim may say what became of a message."""

    rule = "INV-DLV-3"


class DeliveryIsUnderWay(Refused):
    """It waits to be sent or is being sent; only of an Unknown message may a person say that it arrived."""

    rule = "INV-DLV-3"


class NoSuchPerson(Refused):
    """There is no such person."""

    rule = "INV-TCH-2"


class MayArriveTwice(Refused):
    """Nobody knows whether the message arrived; it is sent again only at that risk."""

    rule = "INV-DLV-4"


class NoSuchTouch(Refused):
    """There is no such touch."""

    rule = "INV-TCH-1"


class NoAgentPlatform(Refused):
    """Its tenant has no agent platform to call: set one with tickler tenant agent TENANT --url URL."""

    rule = "INV-TCH-1"


class TouchIsNotDue(Refused):
    """A touch is never worked on before its time."""

    rule = "INV-TCH-3"


class TouchClaimIsLost(Refused):
    """Only the current claim may answer, fail or release a touch."""

    rule = "INV-TCH-3"


class TouchIsInProgress(Refused):
    """The touch is being worked on."""

    rule = "INV-TCH-3"


class TouchIsNotInWork(Refused):
    """Nobody is working on the touch."""

    rule = "INV-TCH-3"


class TouchIsAnswered(Refused):
    """The touch has its one answer, which is on its way."""

    rule = "INV-TCH-4"


class LeaseHasNotRunOut(Refused):
    """A claim is taken back only when its lease has run out."""

    rule = "INV-TCH-5"


class TouchIsOver(Refused):
    """A delivered, closed or cancelled touch never changes."""

    rule = "INV-TCH-6"


class NoSuchPlan(Refused):
    """There is no such plan."""

    rule = "INV-PLN-1"


class PlanIsOver(Refused):
    """An ended plan never changes."""

    rule = "INV-PLN-2"


class BrokenHistory(Exception):
    """A stream that cannot have happened: a bug, never a refusal."""
