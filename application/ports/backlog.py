"""How much waits."""

from datetime import datetime

from attrs import frozen


@frozen
class Backlog:
    """How many wait, and since when the oldest does."""

    count: int
    oldest: datetime | None
