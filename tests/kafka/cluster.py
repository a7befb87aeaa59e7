"""What a test sees of a real cluster: an address, and names that nobody else uses."""

import secrets
import time

from attrs import frozen
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

Options = dict[str, str | int | float | bool]

ANSWER_SECONDS = 30.0


@frozen
class Kafka:
    """A running Apache Kafka, as somebody sees it. It makes unknown topics for a client that asks it to.

    `account` is the name and password to log in with, where the cluster wants one.
    """

    bootstrap: str
    account: tuple[str, str] | None = None

    @property
    def client(self) -> Options:
        """The options by which any client of librdkafka reaches it, silently."""
        options: Options = {"bootstrap.servers": self.bootstrap, "log_level": 0}
        if self.account:
            name, password = self.account
            options |= {"security.protocol": "sasl_plaintext", "sasl.mechanism": "PLAIN"}
            options |= {"sasl.username": name, "sasl.password": password}
        return options

    def admin(self) -> AdminClient:
        return AdminClient(self.client)

    def topic(self, partitions: int = 4, name: str | None = None, **options: str) -> str:
        """Make a topic that is ready, and tell its name; options with underscores for the dots of Kafka's."""
        name = name or f"topic-{secrets.token_hex(6)}"
        config = {option.replace("_", "."): value for option, value in options.items()}
        admin = self.admin()
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


def _is_led(admin: AdminClient, name: str, partitions: int) -> bool:
    found = admin.list_topics(name, timeout=ANSWER_SECONDS).topics[name].partitions
    return len(found) == partitions and all(one.leader > 0 for one in found.values())
