"""What can go wrong outside of the rules."""


class Conflict(Exception):
    """Somebody else changed it first; load it and try again."""


class Busy(Exception):
    """A lock was not had in time (15 s); nothing was changed, try again."""


class Unavailable(Exception):
    """The store cannot be reached, or fell silent; what was not committed did not happen."""


class AlreadyThere(Exception):
    """The name is taken already."""
