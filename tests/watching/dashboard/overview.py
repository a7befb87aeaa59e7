"""The dashboard `calendar-overview`: what each panel asks Prometheus.

Each process shows what the store holds, so gauges are taken as their maximum and counters as their sum.
"""

from tests.watching.dashboard.panels import Dashboard, Kind, Panel, Query, Row, Unit

DISPATCH = "calendar_reminder_dispatch"
RELAY = "calendar_outbox_relay"
DELIVERY = "notifications_delivery"
TOUCH = "deferred_touch"
DATABASE = "tickler_database"
OBJECTIVE_S = 120.0


def most(metric: str, by: str = "job") -> str:
    return f'max by ({by}) ({metric}{{job=~"$job"}})'


def since(metric: str, by: str = "job") -> str:
    return f"time() - {most(metric, by)}"


def rate(metric: str, by: str = "job") -> str:
    return f'sum by ({by}) (rate({metric}{{job=~"$job"}}[$__rate_interval]))'


def quantiles(metric: str, by: str = "") -> list[Query]:
    labels, legend = (f"le, {by}", f" {{{{{by}}}}}") if by else ("le", "")
    buckets = rate(f"{metric}_bucket", labels)
    return [
        Query(f"histogram_quantile({share}, {buckets})", f"{name}{legend}")
        for share, name in ((0.5, "half within"), (0.99, "99 of 100 within"))
    ]


BACKGROUND_JOBS = Row(
    "Background jobs",
    [
        Panel(
            "Background jobs",
            "How long ago each loop last succeeded, in any process; with nothing to do, too.",
            Unit.SECONDS,
            [Query(since("tickler_loop_last_success_timestamp_seconds", "loop"), "{{loop}}")],
            kind=Kind.NUMBER,
            width=12,
            limit=300.0,
        ),
        Panel(
            "Last dispatch cycle that succeeded",
            "An alert is raised at 5 minutes.",
            Unit.SECONDS,
            [Query(since(f"{DISPATCH}_last_success_timestamp_seconds"), "{{job}}")],
            kind=Kind.NUMBER,
            width=6,
            limit=300.0,
        ),
        Panel(
            "Processes",
            "Those that answer, by version.",
            Unit.COUNT,
            [Query('count by (version) (tickler_build_info{job=~"$job"})', "{{version}}")],
            kind=Kind.NUMBER,
            width=6,
        ),
        Panel(
            "Backlog",
            "Pending reminders that are due. It rises for a moment at each full minute.",
            Unit.COUNT,
            [Query(most(f"{DISPATCH}_backlog"), "Pending and due")],
        ),
        Panel(
            "Oldest of the backlog",
            "How long the reminder has waited that has waited the longest. An alert is raised at 5 minutes.",
            Unit.SECONDS,
            [Query(most(f"{DISPATCH}_oldest_due_age_seconds"), "oldest")],
            limit=300.0,
        ),
        Panel(
            "Lateness",
            "SentAt − DueAt. The objective is 2 minutes; a cycle begins each 60 s.",
            Unit.SECONDS,
            quantiles(f"{DISPATCH}_lateness_seconds"),
            limit=OBJECTIVE_S,
        ),
        Panel(
            "Reminders",
            "What cycles made of those that were due.",
            Unit.PER_SECOND,
            [Query(rate(f"{DISPATCH}_items_total", "result"), "{{result}}")],
            is_stacked=True,
        ),
        Panel(
            "Duration of a cycle",
            "A cycle takes no more rows in after 30 s.",
            Unit.SECONDS,
            quantiles(f"{DISPATCH}_cycle_duration_seconds"),
            limit=30.0,
        ),
        Panel(
            "What went wrong",
            "Cycles that failed, and poison rows once a tick; dropped ticks; rows that others held locked.",
            Unit.PER_SECOND,
            [
                Query(rate(f"{DISPATCH}_errors_total"), "errors"),
                Query(rate(f"{DISPATCH}_overruns_total"), "dropped ticks"),
                Query(rate(f"{DISPATCH}_skip_locked_total"), "passed over as locked"),
            ],
        ),
        Panel(
            "Failures of loops",
            "Turns that failed, by loop.",
            Unit.PER_SECOND,
            [Query(rate("tickler_loop_errors_total", "loop"), "{{loop}}")],
            width=12,
        ),
        Panel(
            "Last sign of life",
            "How long ago each loop last showed one, in the process where it has been silent the longest.",
            Unit.SECONDS,
            [
                Query(
                    'time() - min by (loop) (tickler_loop_last_turn_timestamp_seconds{job=~"$job"})',
                    "{{loop}}",
                )
            ],
            width=12,
        ),
    ],
)

OUTBOX = Row(
    "Outbox",
    [
        Panel(
            "Messages that wait",
            "Written by cycles and not published yet. Parked ones wait for a person.",
            Unit.COUNT,
            [
                Query(most("calendar_outbox_lag_rows"), "wait"),
                Query(most("calendar_outbox_parked"), "parked"),
            ],
        ),
        Panel(
            "Oldest message that waits",
            "An alert is raised at 2 minutes.",
            Unit.SECONDS,
            [Query(most("calendar_outbox_lag_seconds"), "oldest")],
            limit=OBJECTIVE_S,
        ),
        Panel(
            "Relayed",
            "What became of messages that a relay had claimed.",
            Unit.PER_SECOND,
            [Query(rate(f"{RELAY}_items_total", "result"), "{{result}}")],
            is_stacked=True,
        ),
        Panel(
            "Duration of a batch",
            "From the claim to the mark, with the broker's acknowledgement between them.",
            Unit.SECONDS,
            quantiles(f"{RELAY}_batch_duration_seconds"),
        ),
        Panel(
            "Taken in",
            "What was made of records of the topic; without Kafka, of what the relay hands over.",
            Unit.PER_SECOND,
            [Query(rate("notifications_consumer_items_total", "result"), "{{result}}")],
            is_stacked=True,
        ),
        Panel(
            "Errors",
            "Of the relay, and of the consumer of the topic.",
            Unit.PER_SECOND,
            [
                Query(rate(f"{RELAY}_errors_total"), "relay"),
                Query(rate("notifications_consumer_errors_total"), "consumer"),
            ],
        ),
    ],
)

DELIVERIES = Row(
    "Deliveries",
    [
        Panel(
            "Outcomes",
            "What became of messages, on all channels.",
            Unit.PER_SECOND,
            [Query(rate(f"{DELIVERY}_items_total", "outcome"), "{{outcome}}")],
            is_stacked=True,
        ),
        Panel(
            "Messages that wait",
            "Those that could be sent now, by channel.",
            Unit.COUNT,
            [Query(most(f"{DELIVERY}_backlog", "channel"), "{{channel}}")],
        ),
        Panel(
            "Oldest message that waits",
            "How long one has waited since it could be sent. An alert is raised at 5 minutes.",
            Unit.SECONDS,
            [Query(most(f"{DELIVERY}_oldest_age_seconds", "channel"), "{{channel}}")],
            limit=300.0,
        ),
        Panel(
            "Lateness",
            "When it was delivered − when it was due, by channel.",
            Unit.SECONDS,
            quantiles(f"{DELIVERY}_lateness_seconds", "channel"),
            limit=OBJECTIVE_S,
        ),
        Panel(
            "Duration of an attempt",
            "How long the other side takes to answer, by channel.",
            Unit.SECONDS,
            quantiles(f"{DELIVERY}_attempt_duration_seconds", "channel"),
        ),
        Panel(
            "Unknown and Failed",
            "How many stand so and wait for a person. Alerts are raised when they become more.",
            Unit.COUNT,
            [
                Query(most(f"{DELIVERY}_unknown"), "Unknown"),
                Query(most(f"{DELIVERY}_failed"), "Failed"),
            ],
        ),
        Panel(
            "Delivered by channel",
            "What arrived.",
            Unit.PER_SECOND,
            [
                Query(
                    f'sum by (channel) (rate({DELIVERY}_items_total{{job=~"$job", outcome="delivered"}}'
                    "[$__rate_interval]))",
                    "{{channel}}",
                )
            ],
            width=12,
            is_stacked=True,
        ),
        Panel(
            "Errors",
            "By channel.",
            Unit.PER_SECOND,
            [Query(rate(f"{DELIVERY}_errors_total", "channel"), "{{channel}}")],
            width=12,
        ),
    ],
)

TOUCHES = Row(
    "Deferred touches",
    [
        Panel(
            "Touches that wait",
            "Pending and due; those whose worker fell silent; those that are Failed for good.",
            Unit.COUNT,
            [
                Query(most(f"{TOUCH}_backlog"), "wait"),
                Query(most(f"{TOUCH}_stuck"), "lease over"),
                Query(most(f"{TOUCH}_failed"), "Failed"),
            ],
        ),
        Panel(
            "Oldest touch that waits",
            "An alert is raised at 5 minutes.",
            Unit.SECONDS,
            [Query(most(f"{TOUCH}_oldest_due_age_seconds"), "oldest")],
            limit=300.0,
        ),
        Panel(
            "Lateness",
            "First claim − when it was due. Touches are looked for every 2 seconds.",
            Unit.SECONDS,
            quantiles(f"{TOUCH}_lateness_seconds"),
            limit=OBJECTIVE_S,
        ),
        Panel(
            "Claims",
            "By kind; recoveries are claims that were taken back from a worker that fell silent.",
            Unit.PER_SECOND,
            [
                Query(rate(f"{TOUCH}_claims_total", "kind"), "{{kind}}"),
                Query(rate(f"{TOUCH}_recoveries_total"), "recoveries"),
            ],
        ),
        Panel(
            "Outcomes",
            "What came of the work.",
            Unit.PER_SECOND,
            [Query(rate(f"{TOUCH}_items_total", "result"), "{{result}}")],
            is_stacked=True,
        ),
        Panel(
            "Errors",
            "Of the work on touches.",
            Unit.PER_SECOND,
            [Query(rate(f"{TOUCH}_errors_total"), "errors")],
        ),
    ],
)

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
        Panel(
            "Stuck claims",
            "Claims whose lease ran out and that nobody took over.",
            Unit.COUNT,
            [Query(most("tickler_stuck_claims", "kind"), "{{kind}}")],
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
        Panel(
            "Oldest open transaction",
            "Anybody's in this database. An alert is raised at 5 minutes.",
            Unit.SECONDS,
            [Query(most(f"{DATABASE}_oldest_transaction_seconds"), "oldest")],
            width=6,
            limit=300.0,
        ),
        Panel(
            "Dead rows",
            "What autovacuum has still to clear away, by table.",
            Unit.COUNT,
            [Query(most(f"{DATABASE}_dead_tuples", "table"), "{{table}}")],
            width=12,
        ),
        Panel(
            "Live rows",
            "By table, as the database estimates them.",
            Unit.COUNT,
            [Query(most(f"{DATABASE}_live_tuples", "table"), "{{table}}")],
            width=12,
        ),
    ],
)

OVERVIEW = Dashboard(
    uid="calendar-overview",
    title="Calendar overview",
    what="Tickler's loops, outbox, deliveries, deferred touches and database. Runbooks: docs/runbooks.",
    rows=[BACKGROUND_JOBS, OUTBOX, DELIVERIES, TOUCHES, STORE],
)
