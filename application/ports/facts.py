"""How a database stands, as whoever looks for faults wants to know it."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from attrs import frozen


@frozen
class LoginFacts:
    """Who we are there: `lacks` is what we need and may not do, as `insert on outbox`; `is_held` whether
    policies hold us to one tenant.
    """

    name: str
    is_superuser: bool
    owns_schema: bool
    bypasses_policies: bool
    is_held: bool
    lacks: Sequence[str]


@frozen
class DatabaseFacts:
    """`clock` is the database's at an instant between `asked` and `answered` of ours; `settings` are the
    server's as this login has them, in the server's own words. `role_faults` say what of roles, policies and
    the guard of the history is not as it was made, `strangers` who else may do what. `other_indexes` are not
    as the migrations make them. Of `oldest_transaction` it is known whether it is of all or of our own alone.
    `otherwise_reckoned` counts open events reckoned by other zone data.
    """

    version: str
    is_encrypted: bool
    is_local: bool
    pending: Sequence[str]
    login: LoginFacts
    role_faults: Sequence[str]
    strangers: Sequence[str]
    settings: Mapping[str, str]
    asked: datetime
    clock: datetime
    answered: datetime
    missing_indexes: Sequence[str]
    invalid_indexes: Sequence[str]
    other_indexes: Sequence[str]
    oldest_transaction: timedelta
    sees_all_transactions: bool
    connections: int
    most_connections: int
    idle_slots: int
    otherwise_reckoned: int
