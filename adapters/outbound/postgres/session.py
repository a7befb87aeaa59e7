"""What is said within one transaction."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, LiteralString, TypeVar

from attrs import define, field
from psycopg import Cursor

from adapters.outbound.postgres.connection import Row

Result = TypeVar("Result")
Parameters = Sequence[Any] | Mapping[str, Any]


@define
class Session:
    """One transaction's hands on its connection; answers come in the binary format."""

    cursor: Cursor[Row]
    _open_part: bool = field(init=False, default=False)

    def rows(self, statement: LiteralString, parameters: Parameters | None = None) -> list[Row]:
        return self.cursor.execute(statement, parameters).fetchall()

    def row(self, statement: LiteralString, parameters: Parameters | None = None) -> Row | None:
        return self.cursor.execute(statement, parameters).fetchone()

    def row_and_commit(
        self, statement: LiteralString, parameters: Parameters | None = None
    ) -> tuple[Row | None, str]:
        """The first row, and the tag of the commit that goes with the statement: one round trip for both,
        and for preparing the statement where that is still to be done.
        """
        connection = self.cursor.connection
        with connection.pipeline():
            self.cursor.execute(statement, parameters)
            commit = connection.execute("commit", prepare=False)
        return self.cursor.fetchone(), commit.statusmessage or ""

    def change(self, statement: LiteralString, parameters: Parameters | None = None) -> int:
        """How many rows the statement touched."""
        return self.cursor.execute(statement, parameters).rowcount

    def change_each(self, statement: LiteralString, parameters: Sequence[Sequence[Any]]) -> int:
        """How many rows the statement touched, over all the parameters."""
        self.cursor.executemany(statement, parameters)
        return self.cursor.rowcount

    def copy(self, statement: LiteralString, data: bytes) -> None:
        """Feed a COPY … FROM STDIN."""
        with self.cursor.copy(statement) as copy:
            copy.write(data)

    @contextmanager
    def savepoint(
        self, statement: LiteralString, parameters: Sequence[Any], meanwhile: Callable[[], Result]
    ) -> Iterator[tuple[list[Row], Result]]:
        """Under a savepoint, the rows of a statement, and what was done here while the server was at it.

        All that was done in the block is taken back, and it alone, when it raises. What was done before in
        such a block cannot be any more: its savepoint is released on the way, or by the commit.
        """
        try:
            with self.cursor.connection.pipeline():
                if self._open_part:
                    self.cursor.execute("release savepoint part")
                self.cursor.execute("savepoint part")
                self.cursor.execute(statement, parameters)
                result = meanwhile()
            yield self.cursor.fetchall(), result
        except Exception:
            self._open_part = False
            self.say("rollback to savepoint part; release savepoint part")
            raise
        self._open_part = True

    def say(self, statement: LiteralString) -> str:
        """A statement without parameters, in the simple protocol: several may stand in one; its tag."""
        return self.cursor.execute(statement, prepare=False, binary=False).statusmessage or ""
