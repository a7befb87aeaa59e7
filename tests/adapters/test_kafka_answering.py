import time

import pytest
from confluent_kafka import KafkaException

from adapters.kafka_options import client_options
from adapters.outbound.kafka.answering import ANSWER_SECONDS, KafkaAnswers
from adapters.settings import Settings
from tests.kafka.broker import KafkaBroker


def answers_at(bootstrap: str) -> KafkaAnswers:
    return KafkaAnswers(client_options(Settings(kafka_bootstrap_servers=bootstrap)))


def test_a_cluster_that_is_there_answers_again_and_again(own_kafka: KafkaBroker) -> None:
    answers = answers_at(own_kafka.bootstrap)
    for _ in range(3):
        answers()
    own_kafka.suspend()
    try:
        began = time.monotonic()
        with pytest.raises((KafkaException, TimeoutError)):
            answers()
        assert time.monotonic() - began < ANSWER_SECONDS + 2
    finally:
        own_kafka.resume()
    deadline = time.monotonic() + 20
    while not is_there(answers):
        assert time.monotonic() < deadline


def is_there(answers: KafkaAnswers) -> bool:
    try:
        answers()
    except (KafkaException, TimeoutError):
        return False
    return True


def test_nobody_at_its_address_is_no_answer_and_nothing_on_stderr(
    capfd: pytest.CaptureFixture[str],
) -> None:
    began = time.monotonic()
    assert not is_there(answers_at("127.0.0.1:1"))
    assert time.monotonic() - began < ANSWER_SECONDS + 2
    assert capfd.readouterr().err == ""
