"""What the database said, in the ports' words; neither a password nor a row's data is ever among them."""

import psycopg
from psycopg import errors

from application.ports.errors import AlreadyThere, Busy, Conflict, Unavailable

# SQLSTATE classes of a refused row: data, integrity, a view's check, a limit, what a trigger raised.
ABOUT_A_ROW = ("22", "23", "44", "54", "P0")
# The server let go of a transaction that was silent or lasted too long: whoever was frozen hears of it late.
LET_GO = ("25P03", "25P04")
# Where the server says that a login may not do something, and no policy or trigger refuses a row.
LACKS_A_RIGHT = "aclcheck_error"
NAMED_BY_PEOPLE = ("tenants", "people", "contact_points", "tokens")


class DatabaseRefused(Exception):
    """The database refused what the ports do not foresee: a bug, or a schema that is not ours."""


class Silent(psycopg.OperationalError):
    """The database gave no answer in the time it has for one."""


def is_about_a_row(error: psycopg.Error) -> bool:
    """Whether the statement was refused for what is in a row, so that other rows may still be written."""
    return (error.sqlstate or "")[:2] in ABOUT_A_ROW


def translated(error: psycopg.Error, password: str = "") -> Exception:
    """The exception to raise instead, for everything but a refused row of a batch."""
    match error:
        case errors.LockNotAvailable() | errors.QueryCanceled() if not _was_asked_for(error):
            return Busy("somebody else is changing it; try again")
        case errors.SerializationFailure() | errors.DeadlockDetected():
            return Conflict("somebody else changed it at the same time; try again")
        case errors.UniqueViolation() if error.diag.table_name in NAMED_BY_PEOPLE:
            return AlreadyThere("that name or address is taken")
        case errors.UniqueViolation():
            return Conflict("somebody else wrote it first; load it and try again")
        case errors.UndefinedTable() | errors.InvalidSchemaName() | errors.UndefinedColumn():
            return Unavailable("the database has not this version's schema; run `tickler migrate`")
        case errors.InsufficientPrivilege() if error.diag.source_function == LACKS_A_RIGHT:
            return Unavailable(
                f"{one_line(error)}: commands want the worker's role, as tickler_worker;"
                " `tickler doctor` says what this login lacks"
            )
        case psycopg.OperationalError() | psycopg.InterfaceError() | errors.ReadOnlySqlTransaction():
            return Unavailable(without(password, one_line(error)))
        case _ if error.sqlstate in LET_GO:
            return Unavailable(one_line(error))
        case _:
            return DatabaseRefused(refusal(error))


def _was_asked_for(error: psycopg.Error) -> bool:
    """Whether an interrupt of ours ended the statement, and not its time."""
    return "user request" in (error.diag.message_primary or "")


def refusal(error: psycopg.Error) -> str:
    """Why a row was refused: the kind of error and the constraint, where one has a name."""
    constraint = error.diag.constraint_name
    if error.sqlstate and error.sqlstate.startswith("P0"):
        return one_line(error)
    return type(error).__name__ + (f" ({constraint})" if constraint else "")


def one_line(error: psycopg.Error) -> str:
    """The first line of what was said: the lines after it may quote a row."""
    lines = (error.diag.message_primary or str(error)).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def without(password: str, text: str) -> str:
    return text.replace(password, "***") if password else text
