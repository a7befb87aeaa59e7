"""How a database stands, as whoever looks for faults wants to know it."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from attrs import frozen


class Role(StrEnum):
    """What a role of the database is made for: to migrate, to work, to answer requests, to look."""

    OWNER = "owner"
    WORKER = "worker"
    API = "api"
    READONLY = "readonly"


@frozen
class LoginFacts:
    """Who we are there: `lacks` is what we need and may not do, as `insert on outbox`; `is_held` whether
    policies hold us to one tenant; `role` which of the roles we are, or are a member of: we need what it is
    made for, and without one what a worker needs.
    """

    name: str
    is_superuser: bool
    owns_schema: bool
    bypasses_policies: bool
    is_held: bool
    lacks: Sequence[str]
    role: Role | None


@frozen
class DatabaseFacts:
    """`clock` is the database's at an instant between `asked` and `answered` of ours; `settings` are the
    server's as this login has them, in the server's own words. `role_faults` say what of roles, policies and
    the guard of the history is not as it was made, `strangers` who else may do what. `other_indexes` are not
    as the migrations make them; `table_faults` say what else of the tables is not. Of `oldest_transaction` it
    is known whether it is of all or of our own alone. `otherwise_reckoned` counts open events reckoned by
    other zone data.
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
    table_faults: Sequence[str]
    oldest_transaction: timedelta
    sees_all_transactions: bool
    connections: int
    most_connections: int
    idle_slots: int
    otherwise_reckoned: int
