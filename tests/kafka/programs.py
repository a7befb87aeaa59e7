"""What a broker of our own is run with: Java, the libraries, and the properties of a cluster of one."""

from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

LOGGING = Path(__file__).parent / "log4j2.properties"
# Java's quicker compiler alone: a broker of some minutes never earns the better one's work back.
FLAGS = ("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xlog:disable")


class KafkaMissing(Exception):
    """This machine has no Java or no Maven for it: one line that says what to install."""


class KafkaUnusable(Exception):
    """Kafka was not fetched, did not start or has ended: one line that says why."""


@frozen
class KafkaPrograms:
    """`java` runs what is in `home`: `libs/`, and `formatted/`, the data of an empty broker."""

    java: Path
    home: Path
    flags: tuple[str, ...] = ()

    @property
    def formatted(self) -> Path:
        return self.home / "formatted"

    def command(self, main: str, *arguments: str | Path) -> list[str | Path]:
        # Sorted, since Java maps no classes in when the libraries come in another order.
        path = ":".join(map(str, sorted((self.home / "libs").glob("*.jar"))))
        logging = f"-Dlog4j2.configurationFile={LOGGING.as_uri()}"
        return [self.java, *FLAGS, *self.flags, logging, "-cp", path, main, *arguments]


def settings(data: Path, port: int, controller_port: int) -> dict[str, str]:
    """One broker that is its own controller, with what a lone and short-lived one has to be told."""
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@127.0.0.1:{controller_port}",
        "listeners": f"CLIENTS://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}",
        "controller.listener.names": "CONTROLLER",
        "inter.broker.listener.name": "CLIENTS",
        "listener.security.protocol.map": "CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs": str(data),
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "4",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "1",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
        "group.initial.rebalance.delay.ms": "0",
        # A broker that was killed is not let in again before this is over: 9 s by default.
        "broker.session.timeout.ms": "3000",
        "broker.heartbeat.interval.ms": "500",
    }


def guarded(accounts: Mapping[str, str]) -> dict[str, str]:
    """Over the settings: clients have to log in, and only the first account may do anything yet.

    `accounts` are names and passwords (SASL PLAIN without TLS). Rights are given as the first, by ACLs.
    """
    first, password = next(iter(accounts.items()))
    users = "".join(f' user_{name}="{secret}"' for name, secret in accounts.items())
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    return {
        "listener.security.protocol.map": "CLIENTS:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT",
        "sasl.enabled.mechanisms": "PLAIN",
        "sasl.mechanism.inter.broker.protocol": "PLAIN",
        "listener.name.clients.plain.sasl.jaas.config": (
            f'{module} required username="{first}" password="{password}"{users};'
        ),
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        # The controller's own connection has no account.
        "super.users": f"User:{first};User:ANONYMOUS",
    }


def spell(properties: Mapping[str, str]) -> str:
    return "".join(f"{name}={value}\n" for name, value in properties.items())
