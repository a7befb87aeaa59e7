"""`tickler kafka …`: the topic on its cluster, and the records of it that could not be taken in."""

import base64
from datetime import timedelta
from typing import Annotated

import typer

from adapters.inbound.cli.office import office
from adapters.inbound.cli.output import AsJson, Json, put, put_json, put_table, say, utc
from application.checking import Finding, Level, findings
from application.dispatching import TOPIC
from application.explaining.explanation import counted
from application.ports.quarantine import Quarantined
from application.ports.topics import ClusterFailed, NewTopic, TopicState
from domain.errors import Invalid

SURROUNDINGS = 3
USUAL_PARTITIONS = 32
USUAL_RETENTION_DAYS = 3.0
MOST_PARTITIONS = 10_000
MOST_SHOWN = 1_000

app = typer.Typer(no_args_is_help=True, help="The topic on its Kafka cluster.")


@app.command("check")
def check(context: typer.Context, as_json: AsJson = False) -> None:
    """What is wrong with the topic on the cluster; exit code 3 where a promise would break.

    \b
    Example: TICKLER_KAFKA_BOOTSTRAP_SERVERS=broker:9092 tickler kafka check
    """
    desk = office(context)
    group = desk.settings.kafka_group
    state: TopicState | None = None
    try:
        state = desk.topics.look(TOPIC, group)
        found = list(findings(state, desk.settings.retention().inbox))
    except ClusterFailed as problem:
        found = [Finding(Level.ERROR, "cluster", str(problem))]
    is_good = all(one.level is not Level.ERROR for one in found)
    if as_json:
        put_json(
            {
                "topic": TOPIC,
                "group": group,
                "good": is_good,
                "state": None if state is None else _state_json(state),
                "findings": [
                    {"level": one.level.value, "about": one.about, "text": one.text} for one in found
                ],
            }
        )
    else:
        put(f"{TOPIC}: {_told(state)}")
        for one in found:
            put(f"  {one.level.value}: {one.about}: {one.text}")
        put("good" if is_good else "not good")
    if not is_good:
        raise typer.Exit(SURROUNDINGS)


@app.command("create-topic")
def create_topic(
    context: typer.Context,
    partitions: Annotated[
        int, typer.Option(min=1, max=MOST_PARTITIONS, help="How many consumers can share the work.")
    ] = USUAL_PARTITIONS,
    replication: Annotated[
        int | None,
        typer.Option(
            min=1, max=100, help="Copies of each record; without it 3, or as many as there are brokers."
        ),
    ] = None,
    retention_days: Annotated[
        float,
        typer.Option(help="How long records are kept: less than TICKLER_RETENTION_INBOX_DAYS."),
    ] = USUAL_RETENTION_DAYS,
    as_json: AsJson = False,
) -> None:
    """Make the topic. Nothing else ever does: neither the relay nor the consumer.

    \b
    Example: tickler kafka create-topic --partitions 32 --replication 3
    """
    desk = office(context)
    retention = _retention(retention_days, desk.settings.retention().inbox)
    copies = desk.topics.create(NewTopic(TOPIC, partitions, replication, retention))
    if as_json:
        put_json(
            {
                "topic": TOPIC,
                "partitions": partitions,
                "replication": copies,
                "retentionDays": retention_days,
            }
        )
    else:
        put(
            f"made {TOPIC}: {counted(partitions, 'partition')}, replication {copies},"
            f" kept {retention_days:g} days"
        )


@app.command("quarantined")
def quarantined(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=MOST_SHOWN, help="How many, the latest first.")] = 20,
    with_bytes: Annotated[
        bool,
        typer.Option(
            "--bytes", help="With --json: keys, values and headers too, in base64; they may be anything."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Records of the topic that no reader can take in, with the reason; the consumer goes on past them.

    \b
    Example: tickler kafka quarantined --json --bytes --limit 1
    """
    if with_bytes and not as_json:
        raise Invalid("--bytes: give it with --json")
    with office(context).open(say) as services:
        total = services.quarantine.count()
        found = services.quarantine.latest(limit)
    if as_json:
        put_json({"count": total, "records": [_json(one, with_bytes=with_bytes) for one in found]})
        return
    if not found:
        put("none")
        return
    put_table(
        ("SINCE", "PARTITION", "OFFSET", "BYTES", "REASON"),
        (
            (utc(one.at) or "", str(one.partition), str(one.offset), _size(one.value), one.reason)
            for one in found
        ),
    )
    if total > len(found):
        put(f"and {total - len(found)} more")


def _retention(days: float, inbox: timedelta) -> timedelta:
    """What `check` would not fault. Raises Invalid."""
    longest = inbox / timedelta(days=1)
    if 0 < days < longest:
        retention = timedelta(days=days)
        if retention < inbox:
            return retention
    raise Invalid(
        f"--retention-days: more than 0 and less than {longest:g}, which the inbox knows records for"
    )


def _told(state: TopicState | None) -> str:
    if state is None:
        return "not seen"
    copies = f"replication {state.replication}, {state.in_sync} in sync"
    if state.settings is None:
        return f"{counted(state.partitions, 'partition')}, {copies}"
    kept = state.settings.retention
    days = "for ever" if kept is None else f"{kept / timedelta(days=1):g} days"
    return f"{counted(state.partitions, 'partition')}, {copies}, kept {days}"


def _state_json(state: TopicState) -> Json:
    settings = state.settings
    retention = settings.retention if settings else None
    return {
        "brokers": state.brokers,
        "partitions": state.partitions,
        "leaderless": state.leaderless,
        "replication": state.replication,
        "inSync": state.in_sync,
        "minInSync": settings.min_in_sync if settings else None,
        "retentionDays": None if retention is None else retention / timedelta(days=1),
        "mayRead": state.rights.read,
        "mayWrite": state.rights.write,
        "mayReadAsGroup": state.rights.group,
    }


def _json(one: Quarantined, *, with_bytes: bool) -> Json:
    known: dict[str, Json] = {
        "topic": one.topic,
        "partition": one.partition,
        "offset": one.offset,
        "bytes": None if one.value is None else len(one.value),
        "reason": one.reason,
        "at": utc(one.at),
    }
    if with_bytes:
        known |= {
            "key": _base64(one.key),
            "value": _base64(one.value),
            "headers": [[name, _base64(value)] for name, value in one.headers],
        }
    return known


def _base64(given: bytes | None) -> str | None:
    return None if given is None else base64.b64encode(given).decode()


def _size(value: bytes | None) -> str:
    return "null" if value is None else str(len(value))
