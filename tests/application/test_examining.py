"""What `tickler doctor` finds in how a database stands."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from attrs import evolve

from application.examining import Level, examined, examined_api, examined_disk
from application.ports.facts import DatabaseFacts, LoginFacts, Role

NOW = datetime(2026, 12, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
WORKER = LoginFacts("tickler_worker", False, False, False, False, (), Role.WORKER)
GOOD = DatabaseFacts(
    version="15.8",
    is_encrypted=True,
    is_local=False,
    pending=(),
    login=WORKER,
    role_faults=(),
    strangers=(),
    settings={
        "statement_timeout": "10s",
        "lock_timeout": "2s",
        "idle_in_transaction_session_timeout": "10s",
        "transaction_timeout": "1min",
        "fsync": "on",
        "full_page_writes": "on",
        "synchronous_commit": "on",
        "autovacuum": "on",
        "default_transaction_read_only": "off",
        "in_hot_standby": "off",
    },
    asked=NOW,
    clock=NOW,
    answered=NOW + SECOND,
    missing_indexes=(),
    invalid_indexes=(),
    other_indexes=(),
    table_faults=(),
    oldest_transaction=SECOND,
    sees_all_transactions=True,
    connections=3,
    most_connections=100,
    idle_slots=0,
    otherwise_reckoned=0,
)


def found(facts: DatabaseFacts, *, own_server: bool = False) -> list[tuple[str, str]]:
    checks = examined(facts, 24, "2026b", own_server=own_server)
    assert all((one.do is None) == (one.level is Level.OK) for one in checks)
    return [(one.about, one.level.value) for one in checks if one.level is not Level.OK]


def login(**more: Any) -> DatabaseFacts:
    return evolve(GOOD, login=evolve(WORKER, **more))


def setting(**more: str) -> DatabaseFacts:
    return evolve(GOOD, settings={**GOOD.settings, **more})


def test_nothing_is_wrong_with_a_good_database() -> None:
    assert found(GOOD) == []


@pytest.mark.parametrize(
    ("facts", "wrong"),
    [
        (evolve(GOOD, pending=("0026_x.sql",)), ("migrations", "failed")),
        (login(lacks=("insert on outbox",)), ("rights", "failed")),
        (login(is_superuser=True), ("rights", "warning")),
        (login(owns_schema=True), ("rights", "warning")),
        (login(bypasses_policies=True), ("rights", "warning")),
        (login(role=Role.READONLY), ("rights", "warning")),
        (login(role=Role.READONLY, lacks=("select on outbox",)), ("rights", "failed")),
        (login(role=Role.API, is_held=True), ("rights", "warning")),
        (evolve(GOOD, role_faults=("x is off",)), ("roles", "failed")),
        (evolve(GOOD, strangers=("joe select on texts",)), ("roles", "warning")),
        (evolve(GOOD, is_encrypted=False), ("transport", "warning")),
        (evolve(GOOD, clock=NOW + 3.1 * SECOND), ("clock", "warning")),
        (evolve(GOOD, clock=NOW - 1.1 * SECOND), ("clock", "warning")),
        (evolve(GOOD, clock=NOW - 31 * SECOND), ("clock", "failed")),
        (setting(statement_timeout="0"), ("statement_timeout", "warning")),
        (setting(lock_timeout="0"), ("lock_timeout", "warning")),
        (
            setting(idle_in_transaction_session_timeout="0"),
            ("idle_in_transaction_session_timeout", "warning"),
        ),
        (setting(transaction_timeout="0"), ("transaction_timeout", "warning")),
        (setting(fsync="off"), ("fsync", "failed")),
        (setting(full_page_writes="off"), ("full_page_writes", "failed")),
        (setting(synchronous_commit="off"), ("synchronous_commit", "failed")),
        (setting(autovacuum="off"), ("autovacuum", "warning")),
        (setting(default_transaction_read_only="on"), ("read_only", "failed")),
        (setting(in_hot_standby="on"), ("read_only", "failed")),
        (evolve(GOOD, missing_indexes=("ix_a",)), ("indexes", "failed")),
        (evolve(GOOD, invalid_indexes=("ix_a",)), ("indexes", "failed")),
        (evolve(GOOD, other_indexes=("ix_a",)), ("indexes", "failed")),
        (evolve(GOOD, table_faults=("the rule x of outbox is not ours",)), ("tables", "failed")),
        (evolve(GOOD, otherwise_reckoned=1), ("zones", "warning")),
        (evolve(GOOD, oldest_transaction=61 * SECOND), ("transactions", "warning")),
        (evolve(GOOD, idle_slots=1), ("slots", "warning")),
        (evolve(GOOD, connections=77), ("connections", "warning")),
    ],
)
def test_what_is_wrong_is_found_and_nothing_else(facts: DatabaseFacts, wrong: tuple[str, str]) -> None:
    assert found(facts) == [wrong]


@pytest.mark.parametrize(
    "facts",
    [
        evolve(GOOD, clock=NOW + 2 * SECOND),
        evolve(GOOD, clock=NOW - SECOND),
        evolve(GOOD, oldest_transaction=60 * SECOND),
        evolve(GOOD, connections=76),
        evolve(GOOD, is_encrypted=False, is_local=True),
        evolve(GOOD, settings={}),
    ],
)
def test_what_is_at_the_bound_or_unknown_is_not_wrong(facts: DatabaseFacts) -> None:
    assert found(facts) == []


def test_a_server_of_our_own_may_be_owned_and_have_no_time_outs() -> None:
    facts = evolve(setting(statement_timeout="0"), login=evolve(WORKER, is_superuser=True))
    assert found(facts, own_server=True) == []


@pytest.mark.parametrize("name", ["default_transaction_read_only", "in_hot_standby"])
def test_a_reader_need_not_write(name: str) -> None:
    assert found(evolve(setting(**{name: "on"}), login=evolve(WORKER, role=Role.READONLY))) == [
        ("rights", "warning")
    ]


@pytest.mark.parametrize(
    ("more", "level"),
    [
        ({"is_held": True, "role": Role.API}, Level.OK),
        ({"is_held": True, "role": None}, Level.OK),
        # Policies are for the worker and the reader, too, and let all pass.
        ({"is_held": True, "role": Role.WORKER}, Level.FAILED),
        ({"is_held": True, "role": Role.READONLY}, Level.FAILED),
        ({"is_held": False, "role": None}, Level.FAILED),
        ({"is_held": True, "role": Role.API, "lacks": ("select on tokens",)}, Level.FAILED),
    ],
)
def test_the_login_of_requests_must_be_held_to_a_tenant(more: dict[str, Any], level: Level) -> None:
    assert examined_api(evolve(WORKER, **more)).level is level


@pytest.mark.parametrize(
    ("free", "level"), [(1 << 40, Level.OK), (1 << 30, Level.WARNING), (1 << 20, Level.FAILED)]
)
def test_a_full_disk_is_seen_coming(free: int, level: Level) -> None:
    assert examined_disk(free).level is level
