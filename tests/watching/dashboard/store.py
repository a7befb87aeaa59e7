"""The dashboard's row for the database that all processes share."""

from tests.watching.dashboard.panels import Kind, Panel, Query, Row, Unit
from tests.watching.dashboard.shapes import counts, oldest

DATABASE = "tickler_database"

STORE = Row(
    "Database",
    [
        Panel(
            "Database",
            "Whether each process can use it: 1 if so.",
            Unit.COUNT,
            [Query(f'min by (instance) ({DATABASE}_up{{job=~"$job"}})', "{{instance}}")],
            kind=Kind.NUMBER,
            width=6,
        ),
        counts(
            "Stuck claims",
            "Claims whose lease ran out and that nobody took over.",
            "tickler_stuck_claims",
            "kind",
            width=6,
            limit=1.0,
        ),
        Panel(
            "Connections",
            "Of all processes: in use, made, the most that there may be, and threads that wait for one.",
            Unit.COUNT,
            [
                Query(f'sum by (job) ({DATABASE}_pool_in_use{{job=~"$job"}})', "in use"),
                Query(f'sum by (job) ({DATABASE}_pool_size{{job=~"$job"}})', "made"),
                Query(f'sum by (job) ({DATABASE}_pool_max{{job=~"$job"}})', "at most"),
                Query(f'sum by (job) ({DATABASE}_pool_waiting{{job=~"$job"}})', "wait for one"),
            ],
            width=6,
        ),
        oldest(
            "Oldest open transaction",
            "Anybody's in this database. An alert is raised at 5 minutes.",
            f"{DATABASE}_oldest_transaction_seconds",
            limit=300.0,
            width=6,
        ),
        counts(
            "Dead rows",
            "What autovacuum has still to clear away, by table.",
            f"{DATABASE}_dead_tuples",
            "table",
        ),
        counts("Live rows", "By table, as the database estimates them.", f"{DATABASE}_live_tuples", "table"),
        Panel(
            "Figures that cannot be read",
            "1 where no process can read it: what it is of is not shown, and alerts on it stay silent.",
            Unit.COUNT,
            [Query('min by (figure) (tickler_figures_unread{job=~"$job"})', "{{figure}}")],
            limit=1.0,
        ),
    ],
)
