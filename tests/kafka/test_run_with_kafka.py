"""`tickler run` with a cluster set: from a due reminder over the topic to a message, and away again."""

import json
import signal
from datetime import UTC, datetime, timedelta

from adapters.codec import decode_due
from application.dispatching import TOPIC
from tests.adapters.test_run import Home, ends, home
from tests.kafka.broker import KafkaBroker
from tests.kafka.reading import records

__all__ = ["home"]


def test_a_due_reminder_goes_over_the_topic_and_comes_back_as_a_message(
    home: Home, own_kafka: KafkaBroker
) -> None:
    home.environment["TICKLER_KAFKA_BOOTSTRAP_SERVERS"] = own_kafka.bootstrap
    assert home.tickler("kafka", "create-topic", "--partitions", "3").returncode == 0
    process = home.start("run", "--json")
    assert process.stdout is not None
    ready = json.loads(process.stdout.readline())
    assert own_kafka.bootstrap in ready["reminders"]
    home.document("tenant", "add", "acme", "--zone", "UTC")
    home.document("person", "add", "anna", "--tenant", "acme")
    # More than one, for a machine that is too slow for the first.
    due = [datetime.now(UTC) + timedelta(seconds=seconds) for seconds in (6, 30, 90)]
    plan = ("event", "plan", "--tenant", "acme", "--owner", "anna", "--zone", "UTC", "--title", "Talk")
    start = f"{due[0] + timedelta(hours=1):%Y-%m-%d %H:%M}"
    reminders = [word for one in due for word in ("--remind", f"at {one.isoformat()}")]
    event = home.document(*plan, "--start", start, *reminders)
    assert isinstance(event, dict)

    message = json.loads(process.stdout.readline())

    assert (message["to"], message["subject"]) == ("anna", "Reminder: Talk")
    record, *_ = records(own_kafka.bootstrap, TOPIC)
    assert record.value is not None
    assert str(decode_due(record.value).event_id) == event["eventId"]
    assert ends(process, signal.SIGTERM) == (0, True)
    assert home.tickler("kafka", "quarantined").stdout == "none\n"


def test_it_ends_in_time_though_the_cluster_is_gone(home: Home, own_kafka: KafkaBroker) -> None:
    home.environment["TICKLER_KAFKA_BOOTSTRAP_SERVERS"] = own_kafka.bootstrap
    assert home.tickler("kafka", "create-topic", "--partitions", "3").returncode == 0
    process = home.run()
    own_kafka.kill()

    assert ends(process) == (0, True)
