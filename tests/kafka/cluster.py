"""What a test sees of a real cluster: an address, and names that nobody else uses."""

import secrets
import time
from collections.abc import Mapping

from attrs import frozen
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

ANSWER_SECONDS = 30.0


@frozen
class Kafka:
    """A running Apache Kafka, in plain text and without accounts. It makes unknown topics when asked to."""

    bootstrap: str

    def topic(self, partitions: int = 4, name: str | None = None, **options: str) -> str:
        """Make a topic that is ready, and tell its name; options with underscores for the dots of Kafka's."""
        name = name or f"topic-{secrets.token_hex(6)}"
        config = {option.replace("_", "."): value for option, value in options.items()}
        admin = quiet_admin(self.bootstrap)
        new = NewTopic(name, num_partitions=partitions, replication_factor=1, config=config)
        admin.create_topics([new], request_timeout=ANSWER_SECONDS)[name].result()
        deadline = time.monotonic() + ANSWER_SECONDS
        while not _is_led(admin, name, partitions):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the topic {name} has no leaders after {ANSWER_SECONDS:.0f} s")
        return name

    def group(self) -> str:
        """The name of a consumer group that nobody has joined."""
        return f"group-{secrets.token_hex(6)}"


def quiet_admin(bootstrap: str, **options: str | int) -> AdminClient:
    defaults: Mapping[str, str | int] = {"bootstrap.servers": bootstrap, "log_level": 0}
    return AdminClient({**defaults, **options})


def _is_led(admin: AdminClient, name: str, partitions: int) -> bool:
    found = admin.list_topics(name, timeout=ANSWER_SECONDS).topics[name].partitions
    return len(found) == partitions and all(one.leader > 0 for one in found.values())
