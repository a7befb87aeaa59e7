"""What can go wrong outside of the rules."""

from domain.errors import Refused
from domain.values import UserId


class Conflict(Exception):
    """Somebody else changed it first; load it and try again."""


class Busy(Exception):
    """A lock was not had in time (15 s); nothing was changed, try again."""


class Unavailable(Exception):
    """The store cannot be reached, or fell silent; what was not committed did not happen."""


class RemindersAreLost(Refused):
    """Rows of this event's reminders are lost: run `tickler rebuild` first, then change it."""

    rule = "ROW-3"


class PersonIsErased(Exception):
    """The person was erased, for good: nothing is taken about them any more. `user_id` is who."""

    def __init__(self, user_id: UserId) -> None:
        super().__init__(f"the person {user_id} is erased for good; nothing is taken about them any more")
        self.user_id = user_id


class AlreadyThere(Exception):
    """The name is taken already."""
