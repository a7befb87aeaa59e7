"""The dashboard `calendar-overview`: what each panel asks Prometheus."""

from tests.watching.dashboard.panels import Dashboard, Kind, Panel, Query, Row, Unit
from tests.watching.dashboard.shapes import counts, most, oldest, quantiles, rate, rates, since
from tests.watching.dashboard.store import STORE

DISPATCH = "calendar_reminder_dispatch"
RELAY = "calendar_outbox_relay"
DELIVERY = "notifications_delivery"
TOUCH = "deferred_touch"
OBJECTIVE_S = 120.0


BACKGROUND_JOBS = Row(
    "Background jobs",
    [
        Panel(
            "Background jobs",
            "How long ago each loop last succeeded, beyond its rest, in any process; idle ones too.",
            Unit.SECONDS,
            [
                Query(
                    f"clamp_min({since('tickler_loop_last_success_timestamp_seconds', 'loop')}"
                    f" - {most('tickler_loop_rest_seconds', 'loop')}, 0)",
                    "{{loop}}",
                )
            ],
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
        oldest(
            "Oldest of the backlog",
            "How long the reminder has waited that has waited the longest. An alert is raised at 5 minutes.",
            f"{DISPATCH}_oldest_due_age_seconds",
            limit=300.0,
        ),
        quantiles(
            "Lateness",
            "SentAt − DueAt. The objective is 2 minutes; a cycle begins each 60 s.",
            f"{DISPATCH}_lateness_seconds",
            limit=OBJECTIVE_S,
        ),
        rates(
            "Reminders",
            "What cycles made of those that were due.",
            f"{DISPATCH}_items_total",
            "result",
            is_stacked=True,
        ),
        quantiles(
            "Duration of a cycle",
            "A cycle takes no more rows in after 30 s.",
            f"{DISPATCH}_cycle_duration_seconds",
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
        rates(
            "Failures of loops", "Turns that failed, by loop.", "tickler_loop_errors_total", "loop", width=12
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
        oldest(
            "Oldest message that waits",
            "An alert is raised at 2 minutes.",
            "calendar_outbox_lag_seconds",
            limit=OBJECTIVE_S,
        ),
        rates(
            "Relayed",
            "What became of messages that a relay had claimed.",
            f"{RELAY}_items_total",
            "result",
            is_stacked=True,
        ),
        quantiles(
            "Duration of a batch",
            "From the claim to the mark, with the broker's acknowledgement between them.",
            f"{RELAY}_batch_duration_seconds",
        ),
        rates(
            "Taken in",
            "What was made of records of the topic; without Kafka, of what the relay hands over.",
            "notifications_consumer_items_total",
            "result",
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
        rates(
            "Outcomes",
            "What became of messages, on all channels.",
            f"{DELIVERY}_items_total",
            "outcome",
            is_stacked=True,
        ),
        counts(
            "Messages that wait",
            "Those that could be sent now, by channel.",
            f"{DELIVERY}_backlog",
            "channel",
        ),
        oldest(
            "Oldest message that waits",
            "How long one has waited since it could be sent. An alert is raised at 5 minutes.",
            f"{DELIVERY}_oldest_age_seconds",
            limit=300.0,
            by="channel",
        ),
        quantiles(
            "Lateness",
            "When it was delivered − when it was due, by channel.",
            f"{DELIVERY}_lateness_seconds",
            by="channel",
            limit=OBJECTIVE_S,
        ),
        quantiles(
            "Duration of an attempt",
            "How long the other side takes to answer, by channel.",
            f"{DELIVERY}_attempt_duration_seconds",
            by="channel",
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
        rates("Errors", "By channel.", f"{DELIVERY}_errors_total", "channel", width=12),
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
        oldest(
            "Oldest touch that waits",
            "An alert is raised at 5 minutes.",
            f"{TOUCH}_oldest_due_age_seconds",
            limit=300.0,
        ),
        quantiles(
            "Lateness",
            "First claim − when it was due. Touches are looked for every 2 seconds.",
            f"{TOUCH}_lateness_seconds",
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
        rates("Outcomes", "What came of the work.", f"{TOUCH}_items_total", "result", is_stacked=True),
        Panel(
            "Errors",
            "Of the work on touches.",
            Unit.PER_SECOND,
            [Query(rate(f"{TOUCH}_errors_total"), "errors")],
        ),
    ],
)

OVERVIEW = Dashboard(
    uid="calendar-overview",
    title="Calendar overview",
    what="Tickler's loops, outbox, deliveries, deferred touches and database. Runbooks: docs/runbooks.",
    rows=[BACKGROUND_JOBS, OUTBOX, DELIVERIES, TOUCHES, STORE],
)
