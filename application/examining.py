"""What is wrong with a database for Tickler, and what to do about each.

Source: `study/reliability.md` 0.4 and 4.
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from enum import StrEnum

from attrs import frozen

from application.ports.facts import DatabaseFacts, LoginFacts, Role

SKEW_WARNED, SKEW_FAILED = timedelta(seconds=1), timedelta(seconds=30)
LONG_TRANSACTION = timedelta(seconds=60)
FREE_WARNED, FREE_FAILED = 2 * 1024**3, 256 * 1024**2
# A login for these is not for working with, and may be there on purpose.
FOR_LESS = {
    Role.API: "sees one tenant at a time, as it is meant to, to answer requests",
    Role.READONLY: "reads ids and times alone, as it is meant to",
}
OFF = ("0", "0ms", "0s", "")


class Level(StrEnum):
    """A warning is a risk that some take knowingly; what failed breaks a promise or stops the work."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@frozen
class Check:
    """`about` is one word, for machines; `do` what to do, where it is not ok."""

    about: str
    level: Level
    text: str
    do: str | None = None


def examined(facts: DatabaseFacts, pool: int, tz_version: str, *, own_server: bool) -> Sequence[Check]:
    """All checks in order. `pool` is how many connections we may want, `own_server` that only we use it."""
    return [
        _of_migrations(facts.pending),
        *_of_login(facts.login, own_server=own_server),
        *_of_roles(facts),
        _of_transport(facts),
        _of_clock(facts),
        *_of_time_outs(facts, own_server=own_server),
        *_of_safety(facts),
        *_of_writing(facts),
        *_of_indexes(facts),
        *_of_tables(facts.table_faults),
        _of_zone_data(facts, tz_version),
        _of_transactions(facts),
        _of_slots(facts),
        _of_connections(facts, pool),
    ]


def examined_api(login: LoginFacts) -> Check:
    """The login of the requests over the wire."""
    if login.role not in (None, Role.API):
        return _failed(
            "api",
            f"{login.name} is the {login.role}, which no policy holds to one tenant",
            "give TICKLER_API_DATABASE_URL the role tickler_api",
        )
    if login.lacks:
        return _failed("api", f"{login.name} may not {', '.join(login.lacks)}", "tickler migrate --roles")
    if not login.is_held:
        return _failed(
            "api",
            f"{login.name} sees all tenants: no policy holds it",
            "give TICKLER_API_DATABASE_URL the role tickler_api",
        )
    return _ok("api", f"{login.name} sees the tenant that it asks for and no other")


def examined_disk(free: int) -> Check:
    """The free bytes where the embedded Postgres keeps its data."""
    text = f"{free / 1024**3:.1f} GiB are free"
    if free >= FREE_WARNED:
        return _ok("disk", text)
    level = Level.FAILED if free < FREE_FAILED else Level.WARNING
    return Check("disk", level, text, "make room: a full disk stops the database")


def _of_migrations(pending: Sequence[str]) -> Check:
    if pending:
        return _failed("migrations", f"pending: {', '.join(pending)}", "tickler migrate")
    return _ok("migrations", "the schema is up to date")


def _of_login(login: LoginFacts, *, own_server: bool) -> Iterator[Check]:
    if login.lacks:
        yield _failed("rights", f"{login.name} may not {', '.join(login.lacks)}", "tickler migrate --roles")
    elif own_server:
        yield _ok("rights", f"{login.name} owns the server, where nobody else can log in")
    elif login.is_superuser or login.bypasses_policies or login.owns_schema:
        what = "is a superuser" if login.is_superuser else "owns the schema"
        if login.bypasses_policies and not login.is_superuser:
            what = "passes by all policies"
        yield _warning(
            "rights",
            f"{login.name} {what}: it may do more than Tickler needs",
            "tickler migrate --roles, and log in as tickler_worker",
        )
    elif login.role in FOR_LESS:
        yield _warning(
            "rights",
            f"{login.name} {FOR_LESS[login.role]}: `tickler run` and most commands need more",
            "log in as tickler_worker for those",
        )
    else:
        yield _ok("rights", f"{login.name} may do what is needed, and history can only be added to")


def _of_roles(facts: DatabaseFacts) -> Iterator[Check]:
    for fault in facts.role_faults:
        yield _failed("roles", fault, "tickler migrate --roles")
    for right in facts.strangers:
        yield _warning(
            "roles", f"others have rights, too: {right}", "revoke it, unless it was given on purpose"
        )
    if not facts.role_faults and not facts.strangers:
        yield _ok("roles", "what holds each to its own, and keeps history, is as it was made")


def _of_transport(facts: DatabaseFacts) -> Check:
    if facts.is_local or facts.is_encrypted:
        return _ok("transport", "on this machine" if facts.is_local else "encrypted")
    return _warning("transport", "not encrypted", "add sslmode=verify-full to TICKLER_DATABASE_URL")


def _of_clock(facts: DatabaseFacts) -> Check:
    """No more than is certain: what the question took may be all of the difference."""
    ahead, behind = facts.clock - facts.answered, facts.asked - facts.clock
    skew = max(ahead, behind, timedelta(0))
    text = f"the database's clock differs from this machine's by {skew.total_seconds():.1f} s"
    if skew <= SKEW_WARNED:
        return _ok("clock", "the database's clock and this machine's agree")
    level = Level.FAILED if skew > SKEW_FAILED else Level.WARNING
    return Check("clock", level, text, "look after NTP on both: what is due goes by the database's clock")


def _of_time_outs(facts: DatabaseFacts, *, own_server: bool) -> Iterator[Check]:
    wanted = [
        "statement_timeout",
        "lock_timeout",
        "idle_in_transaction_session_timeout",
        "transaction_timeout",
    ]
    for name in wanted:
        value = facts.settings.get(name)
        if value is None:
            continue
        if value not in OFF:
            yield _ok(name, value)
        elif own_server:
            yield _ok(name, "off, and only Tickler's transactions are there, which have their own")
        else:
            yield _warning(
                name,
                "off for this login: Tickler's own transactions have theirs, a session by hand has none",
                "tickler migrate --roles, or alter role … set " + name,
            )


def _of_safety(facts: DatabaseFacts) -> Iterator[Check]:
    lost = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
    for name, bad in lost.items():
        value = facts.settings.get(name)
        if value == bad:
            yield _failed(name, f"{value}: what was committed may be lost", f"turn {name} on")
        elif value is not None:
            yield _ok(name, value)
    if facts.settings.get("autovacuum") == "off":
        yield _warning("autovacuum", "off: each claim gets slower", "turn autovacuum on")


def _of_writing(facts: DatabaseFacts) -> Iterator[Check]:
    is_standby = facts.settings.get("in_hot_standby") == "on"
    if not is_standby and facts.settings.get("default_transaction_read_only") != "on":
        return
    if facts.login.role is Role.READONLY:
        yield _ok("read_only", f"{facts.login.name} writes nothing, and is not meant to")
    elif is_standby:
        yield _failed(
            "read_only",
            "this is a standby: nothing can be written here",
            "name the primary in TICKLER_DATABASE_URL",
        )
    else:
        yield _failed(
            "read_only",
            f"{facts.login.name} can write nothing: default_transaction_read_only is on",
            "turn default_transaction_read_only off for this login",
        )


def _of_indexes(facts: DatabaseFacts) -> Iterator[Check]:
    for name in facts.missing_indexes:
        yield _failed("indexes", f"{name} is missing", "make it again as its migration does")
    for name in facts.invalid_indexes:
        yield _failed("indexes", f"{name} is invalid", f"reindex index concurrently tickler.{name}")
    for name in facts.other_indexes:
        yield _failed(
            "indexes",
            f"{name} is not what its migration makes",
            "drop it, with its constraint where it has one, and make it again as its migration does",
        )
    if not facts.missing_indexes and not facts.invalid_indexes and not facts.other_indexes:
        yield _ok("indexes", "all are there, valid, and what they should be")


def _of_tables(faults: Sequence[str]) -> Iterator[Check]:
    for fault in faults:
        yield _failed(
            "tables", fault, "drop what is not ours, make what is missing again as its migration does"
        )
    if not faults:
        yield _ok("tables", "columns, constraints, triggers and rules are what they should be")


def _of_zone_data(facts: DatabaseFacts, tz_version: str) -> Check:
    if facts.otherwise_reckoned:
        return _warning(
            "zones",
            f"{facts.otherwise_reckoned} open events were reckoned by other zone data than {tz_version}",
            "tickler rezone, or start `tickler run` anew",
        )
    return _ok("zones", f"all open events are reckoned by {tz_version}")


def _of_transactions(facts: DatabaseFacts) -> Check:
    seen = "" if facts.sees_all_transactions else " of our own; others' are not shown to this login"
    text = f"the oldest{seen} is {facts.oldest_transaction.total_seconds():.0f} s old"
    if facts.oldest_transaction > LONG_TRANSACTION:
        return _warning("transactions", text, "find it in pg_stat_activity by xact_start, and end it")
    return _ok("transactions", text)


def _of_slots(facts: DatabaseFacts) -> Check:
    if facts.idle_slots:
        return _warning(
            "slots",
            f"{facts.idle_slots} replication slots are read by nobody: the disk fills",
            "drop them, or bound them by max_slot_wal_keep_size",
        )
    return _ok("slots", "no replication slot is forgotten")


def _of_connections(facts: DatabaseFacts, pool: int) -> Check:
    text = f"{facts.connections} of {facts.most_connections} are taken, and we may want {pool}"
    if facts.connections + pool > facts.most_connections:
        return _warning("connections", text, "lower TICKLER_MAX_POOL_SIZE, or put a pooler between")
    return _ok("connections", text)


def _ok(about: str, text: str) -> Check:
    return Check(about, Level.OK, text)


def _warning(about: str, text: str, do: str) -> Check:
    return Check(about, Level.WARNING, text, do)


def _failed(about: str, text: str, do: str) -> Check:
    return Check(about, Level.FAILED, text, do)
