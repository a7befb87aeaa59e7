"""Databases that begin alike: each is a copy, file by file, of one that was filled and vacuumed once."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.conninfo import make_conninfo

from adapters.outbound.postgres.migrations import migrate
from tests.benchmarks.dispatch.calendar import fill

TEMPLATE = "dispatch_template"


def prepare(server: str, reminders: int) -> None:
    with psycopg.connect(server, autocommit=True) as admin:
        # A vacuum that came in the middle of a run would be measured with it.
        admin.execute("alter system set autovacuum = off")
        admin.execute("alter system set log_line_prefix = '[%a] '")
        admin.execute("select pg_reload_conf()")
        admin.execute(f"create database {TEMPLATE}")
    template = make_conninfo(server, dbname=TEMPLATE)
    migrate(template)
    fill(template, reminders)


@contextmanager
def copy_of_template(server: str, name: str) -> Iterator[str]:
    """The conninfo of a fresh copy, with all of it on the disk; dropped afterwards."""
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f"create database {name} template {TEMPLATE} strategy file_copy")
        admin.execute("checkpoint")
        try:
            yield make_conninfo(server, dbname=name)
        finally:
            admin.execute(f"drop database {name} with (force)")
