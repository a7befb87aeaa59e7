"""What every Kafka client of ours is made with."""

from datetime import timedelta
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer
from pydantic import SecretStr

from adapters.kafka_options import client_options, consumer_options, producer_options
from adapters.settings import KafkaSecurity, SaslMechanism, Settings
from application.ports.publisher import LONGEST_PUBLISH

OURS = Settings(kafka_bootstrap_servers="127.0.0.1:1")


def test_librdkafka_takes_the_options_as_they_are() -> None:
    Producer(producer_options(OURS)).close()
    Consumer(consumer_options(OURS)).close()


def test_a_login_and_certificates_reach_the_client(tmp_path: Path) -> None:
    file = tmp_path / "one.pem"
    options = client_options(
        Settings(
            kafka_bootstrap_servers="kafka.example:9093",
            kafka_security_protocol=KafkaSecurity.SASL_SSL,
            kafka_sasl_mechanism=SaslMechanism.SCRAM_SHA_512,
            kafka_sasl_username="desk",
            kafka_sasl_password=SecretStr("hunter2"),
            kafka_ssl_ca_location=tmp_path,
        ).model_copy(
            update={
                "kafka_ssl_certificate_location": file,
                "kafka_ssl_key_location": file,
                "kafka_ssl_key_password": SecretStr("hunter3"),
            }
        )
    )
    assert (
        options
        | {
            "bootstrap.servers": "kafka.example:9093",
            "security.protocol": "sasl_ssl",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.username": "desk",
            "sasl.password": "hunter2",
            "ssl.ca.location": str(tmp_path),
            "ssl.certificate.location": str(file),
            "ssl.key.location": str(file),
            "ssl.key.password": "hunter3",
            "ssl.endpoint.identification.algorithm": "https",
        }
        == options
    )


def test_nothing_of_a_login_is_set_without_one() -> None:
    options = client_options(OURS)
    assert [name for name in options if name.startswith("sasl.") or name.endswith(".location")] == []


def test_a_message_is_given_up_well_before_its_relays_patience_ends() -> None:
    given_up = timedelta(milliseconds=producer_options(OURS)["message.timeout.ms"])
    assert given_up <= LONGEST_PUBLISH * 0.75


def test_without_a_cluster_there_are_no_options() -> None:
    with pytest.raises(ValueError, match="no cluster"):
        client_options(Settings(kafka_bootstrap_servers=None))
