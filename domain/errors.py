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
    """A delivered, failed or skipped message never changes."""

    rule = "INV-DLV-2"


class ClaimIsLost(Refused):
    """Only the current claim may say what became of a message."""

    rule = "INV-DLV-3"


class BrokenHistory(Exception):
    """A stream that cannot have happened: a bug, never a refusal."""
