"""Each kind of damage is found, by the rule that it breaks and the id that it was done to."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import cast

import pytest
from attrs import frozen

from adapters.outbound.postgres.auditing.books import PostgresBooks
from adapters.outbound.postgres.connection import BoundedConnection
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.pruning import PostgresPrunable
from adapters.outbound.postgres.session import Session
from adapters.testkit.clock import SettableClock
from application.auditing.auditing import Auditing, Report
from application.auditing.rules import Rule
from tests.auditing.damage import DAMAGES, do
from tests.auditing.office import HOUR, NOON, ZONE_DATA, Known, clocked, found, live_a_little, opened

NewDatabase = Callable[[str], tuple[str, Callable[[], None]]]


@frozen
class OneTransaction:
    """A database as a transaction sees it that will never be committed."""

    connection: BoundedConnection

    @contextmanager
    def snapshot(self) -> Iterator[Session]:
        yield Session(self.connection.cursor(binary=True))


@pytest.fixture(scope="module")
def office(new_database: NewDatabase, postgres_template: str) -> Iterator[tuple[BoundedConnection, Known]]:
    """A database that has seen a bit of everything, and what is in it."""
    url, drop = new_database(postgres_template)
    with opened("postgres", url) as container:
        known = live_a_little(container, clocked(container))
    with closing(BoundedConnection.connect(url, silence=25.0, on_failure=lambda _: None)) as connection:
        yield connection, known
    drop()


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_audit_finds(damage: str, office: tuple[BoundedConnection, Known]) -> None:
    connection, known = office
    rule, statement = DAMAGES[damage]
    books = PostgresBooks(cast(Database, OneTransaction(connection)))
    auditing = Auditing(books, PostgresPrunable(books.database), SettableClock(NOON + HOUR))
    try:
        assert found(auditing.run(Report(), ZONE_DATA)) == {}
        harmed = do(connection, known, statement)
        told = found(auditing.run(Report(), ZONE_DATA))
        unstuck = found(auditing.run(Report(), ZONE_DATA, except_stuck=True))
    finally:
        connection.rollback()
    assert harmed
    assert harmed <= set(told[rule])
    assert rule.is_stuck or rule in unstuck
    assert not any(each.is_stuck for each in unstuck)


def test_every_rule_has_damage_that_breaks_it_but_the_end_of_a_plan_and_what_waits_in_a_topic() -> None:
    assert set(Rule) - {rule for rule, _ in DAMAGES.values()} == {Rule.PLAN_IS_OVER, Rule.STUCK_RECORD}
