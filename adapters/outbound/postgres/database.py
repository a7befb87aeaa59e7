"""Connections to one database, and transactions over them that cannot hang.

Nothing is kept in a session, so a transaction pooler may stand between: what a transaction needs is set in
the message that begins it.
"""

import contextlib
import select
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from functools import partial
from time import monotonic
from typing import LiteralString
from uuid import UUID

import psycopg
from attrs import frozen
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout, TooManyRequests

from adapters.outbound.postgres.connection import CANCEL_SECONDS, BoundedConnection, Row
from adapters.outbound.postgres.errors import DatabaseRefused, one_line, translated, without
from adapters.outbound.postgres.session import Parameters, Session
from application.ports.errors import Unavailable

# Keepalives notice a dead peer within 11 s, and unanswered data within 10 s; a socket file ignores them.
NETWORK = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
CHECKOUT_SLICE_SECONDS = 0.2
MOST_WAITING = 50


@frozen
class Patience:
    """How long a transaction waits, for what.

    `lock` before Busy; `statement` on the server's side, which counts the wait for a lock too; `idle` between
    two statements, after which the server lets go of the locks of a frozen client; `silence` on our side;
    `checkout` for a connection that is free; `reconnect` is how long the pool itself tries to make one.
    """

    lock: timedelta = timedelta(seconds=15)
    statement: timedelta = timedelta(seconds=20)
    idle: timedelta = timedelta(seconds=10)
    silence: timedelta = timedelta(seconds=25)
    checkout: timedelta = timedelta(seconds=10)
    reconnect: timedelta = timedelta(seconds=20)


@frozen
class PoolUse:
    """How many connections there are, how many of them work, how many askers wait for one, and the most that
    there may be.
    """

    size: int
    in_use: int
    waiting: int
    most: int


class Database:
    """One database, and up to `connections` connections to it, made as they are needed.

    `prepared=False` is for a pooler that keeps no prepared statements. Each transaction speaks for the
    `tenant` of that moment, where there is one: the policies of the API's role go by it.
    """

    def __init__(
        self,
        conninfo: str,
        *,
        prepared: bool = True,
        connections: int = 10,
        patience: Patience = Patience(),
        tenant: Callable[[], UUID | None] = lambda: None,
    ) -> None:
        try:
            given = conninfo_to_dict(conninfo)
        except psycopg.ProgrammingError:
            raise Unavailable("the database's connection string cannot be read") from None
        self._password = str(given.get("password") or "")
        self._patience = patience
        self._begin = _begin(patience, "read committed read write")
        self._look = _begin(patience, "repeatable read read only")
        self._tenant = tenant
        self._lock = threading.Lock()
        self._busy: set[BoundedConnection] = set()
        self._interrupts = 0
        self._failure: tuple[float, str] = (0.0, "")
        network = {name: value for name, value in NETWORK.items() if name not in given}
        self._new_pool = partial(
            ConnectionPool[BoundedConnection],
            make_conninfo(conninfo, **network),
            connection_class=BoundedConnection,
            kwargs={
                "autocommit": True,  # transactions begin in words of ours
                "prepare_threshold": 1 if prepared else None,
                "silence": patience.silence.total_seconds(),
                "on_failure": self._note_failure,
            },
            min_size=0,
            max_size=connections,
            max_waiting=MOST_WAITING,
            reconnect_timeout=patience.reconnect.total_seconds(),
            check=_check,
            open=False,
        )
        self._pool = self._new_pool()
        self._closed = False

    def transaction(self) -> AbstractContextManager[Session]:
        """All of the block or nothing of it; READ COMMITTED.

        Raises Busy, Conflict or Unavailable, and DatabaseRefused for what should not happen.
        """
        return self._block(self._begin)

    def snapshot(self) -> AbstractContextManager[Session]:
        """All of the block sees one moment, that of its first statement, and cannot write; as `transaction`.

        While it lasts no vacuum removes what died since: it is for blocks that are soon over.
        """
        return self._block(self._look)

    @contextmanager
    def _block(self, begin: str) -> Iterator[Session]:
        connection = self._checkout()
        try:
            session = Session(connection.cursor(binary=True))
            session.say(self._speaking(begin))
            yield session
            _must_be_committed(session.say("commit"))
        except psycopg.Error as error:
            raise translated(error, self._password) from None
        finally:
            self._give_back(connection)

    def row(self, statement: LiteralString, parameters: Parameters) -> Row | None:
        """The first row of a statement that is a transaction alone, in two round trips; as `transaction`."""
        connection = self._checkout()
        try:
            session = Session(connection.cursor(binary=True))
            session.say(self._speaking(self._begin))
            found, tag = session.row_and_commit(statement, parameters)
            _must_be_committed(tag)
        except psycopg.Error as error:
            raise translated(error, self._password) from None
        finally:
            self._give_back(connection)
        return found

    def ask(self, question: LiteralString) -> Row:
        """The one row of a question that locks nothing and takes no time: no transaction is made for it,
        and one round trip.
        """
        connection = self._checkout()
        try:
            found = connection.cursor(binary=True).execute(question, prepare=False).fetchone()
        except psycopg.Error as error:
            raise translated(error, self._password) from None
        finally:
            self._give_back(connection)
        assert found is not None
        return found

    @property
    def use(self) -> PoolUse:
        """How busy the connections are; nothing is asked of the database."""
        figures = self._pool.get_stats()
        size, available = figures.get("pool_size", 0), figures.get("pool_available", 0)
        return PoolUse(
            size, max(0, size - available), figures.get("requests_waiting", 0), figures.get("pool_max", 0)
        )

    def interrupt(self) -> None:
        """From another thread: end the statements in flight, and the waits for a connection, within 2 s.

        They raise Unavailable; what is between two statements goes on. Bounded though the server be silent.
        """
        self._interrupts += 1
        with self._lock:
            busy = list(self._busy)
        threads = [threading.Thread(target=connection.interrupt, daemon=True) for connection in busy]
        for thread in threads:
            thread.start()
        end = monotonic() + 2 * CANCEL_SECONDS
        for thread in threads:
            thread.join(max(0.0, end - monotonic()))

    def close(self) -> None:
        """Close the connections; those in use when they come back."""
        self._closed = True
        self._pool.close(timeout=CANCEL_SECONDS)

    def _speaking(self, begin: str) -> str:
        tenant = self._tenant()
        return begin if tenant is None else f"{begin};set local tickler.tenant = '{tenant}'"

    def _checkout(self) -> BoundedConnection:
        began, interrupts = monotonic(), self._interrupts
        end = began + self._patience.checkout.total_seconds()
        while True:
            pool = self._pool
            try:
                pool.open()
                connection = pool.getconn(timeout=CHECKOUT_SLICE_SECONDS)
            except (TooManyRequests, PoolClosed, PoolTimeout) as problem:
                if not isinstance(problem, PoolTimeout):
                    self._renew(pool)
                failed_at, reason = self._failure
                if failed_at >= began:
                    raise Unavailable(reason) from None
                if self._interrupts != interrupts:
                    raise Unavailable("interrupted while it waited for a connection") from None
                if monotonic() >= end:
                    raise Unavailable("no connection to the database was free in time") from None
            else:
                with self._lock:
                    self._busy.add(connection)
                return connection

    def _renew(self, spent: ConnectionPool[BoundedConnection]) -> None:
        """Go on with a pool that is not full of requests whose askers have long gone.

        While the database is away the pool keeps each of them, and when it is full of them it neither hands
        out connections nor makes any, though the database be back.
        """
        with self._lock:
            if self._closed:
                raise Unavailable("the connections to the database are closed")
            if self._pool is not spent:
                return
            self._pool = self._new_pool()
        spent.close(timeout=0)

    def _give_back(self, connection: BoundedConnection) -> None:
        if connection.info.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
            with contextlib.suppress(psycopg.Error):
                connection.execute("rollback", prepare=False)
        with self._lock:
            self._busy.discard(connection)
        if connection.info.transaction_status is not TransactionStatus.IDLE:
            connection.close()
        try:
            self._pool.putconn(connection)
        except ValueError:
            connection.close()  # of a pool that was renewed meanwhile

    def _note_failure(self, problem: psycopg.Error) -> None:
        self._failure = (monotonic(), without(self._password, one_line(problem)))


def _must_be_committed(tag: str) -> None:
    if tag != "COMMIT":
        raise DatabaseRefused("a statement had failed, so that nothing was committed")


def _begin(patience: Patience, isolation: LiteralString) -> LiteralString:
    # Of the transaction, not of the session. The planner's choices are held to indexes: the work is always a
    # batch out of a table of any size, and a batch of 1,000 would else make it read small tables whole.
    return (
        f"begin isolation level {isolation};"
        f"set local lock_timeout = {_milliseconds(patience.lock)};"
        f"set local statement_timeout = {_milliseconds(patience.statement)};"
        f"set local idle_in_transaction_session_timeout = {_milliseconds(patience.idle)};"
        "set local timezone = 'UTC';"
        "set local enable_seqscan = off;"
        "set local enable_hashjoin = off;"
        "set local enable_mergejoin = off;"
        "set local jit = off"
    )


def _milliseconds(time: timedelta) -> int:
    return time // timedelta(milliseconds=1)


def _check(connection: BoundedConnection) -> None:
    # An idle connection has nothing to say, unless it is that it has ended: no round trip for the rest.
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    if poll.poll(0):
        connection.execute("", prepare=False)
