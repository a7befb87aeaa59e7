"""Run by `test_suites` alone: that the run's server is the oldest that Tickler works with."""

import psycopg

from adapters.outbound.postgres.migrations import OLDEST_SERVER


def test_the_server_is_of_the_oldest_version_that_is_promised(postgres_server: str) -> None:
    with psycopg.connect(postgres_server) as connection:
        assert connection.info.server_version // 10000 == OLDEST_SERVER // 10000
