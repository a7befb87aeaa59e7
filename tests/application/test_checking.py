"""What `tickler kafka check` finds in how a topic stands."""

from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve

from application.checking import LARGEST_MESSAGE, Level, findings
from application.ports.topics import Rights, Settings, TopicState

INBOX = timedelta(days=4)
GOOD = TopicState(
    brokers=3,
    partitions=32,
    replication=3,
    in_sync=3,
    leaderless=0,
    settings=Settings(
        retention=timedelta(days=3),
        retention_bytes=None,
        min_in_sync=2,
        is_compacted=False,
        max_message_bytes=1_048_588,
    ),
    rights=Rights(read=True, write=True, group=True),
)


def found(state: TopicState | None) -> list[tuple[str, str]]:
    return [(one.level.value, one.about) for one in findings(state, INBOX)]


def set_to(**more: Any) -> TopicState:
    assert GOOD.settings is not None
    return evolve(GOOD, settings=evolve(GOOD.settings, **more))


@pytest.mark.parametrize("state", [GOOD, evolve(GOOD, rights=Rights())], ids=["seen", "of untold rights"])
def test_nothing_is_wrong_with_a_good_topic(state: TopicState) -> None:
    assert found(state) == []


def test_a_missing_topic_is_an_error_that_says_what_makes_it() -> None:
    (finding,) = findings(None, INBOX)
    assert finding.level is Level.ERROR
    assert "tickler kafka create-topic" in finding.text


@pytest.mark.parametrize(
    ("state", "wrong"),
    [
        (evolve(GOOD, leaderless=2, in_sync=0), [("error", "partitions")]),
        (evolve(GOOD, partitions=1), [("warning", "partitions")]),
        (evolve(GOOD, in_sync=2), [("warning", "replication")]),
        (evolve(GOOD, in_sync=1), [("error", "min.insync.replicas"), ("warning", "replication")]),
        (
            evolve(set_to(min_in_sync=1), replication=1, in_sync=1),
            [("warning", "replication")],
        ),
        (
            evolve(GOOD, replication=1, in_sync=1),
            [("error", "min.insync.replicas"), ("warning", "replication")],
        ),
        (
            evolve(GOOD, replication=2, in_sync=2),
            [("warning", "replication"), ("warning", "min.insync.replicas")],
        ),
        (set_to(min_in_sync=1), [("warning", "min.insync.replicas")]),
        (set_to(min_in_sync=3), [("warning", "min.insync.replicas")]),
        (set_to(min_in_sync=4), [("error", "min.insync.replicas")]),
        (set_to(is_compacted=True), [("error", "cleanup.policy")]),
        (set_to(retention=None), [("error", "retention.ms")]),
        (set_to(retention=INBOX), [("error", "retention.ms")]),
        (set_to(retention=INBOX - timedelta(seconds=1)), []),
        (set_to(retention=timedelta(hours=23)), [("warning", "retention.ms")]),
        (set_to(retention=timedelta(days=1)), []),
        (set_to(retention_bytes=1_000_000), [("warning", "retention.bytes")]),
        (set_to(max_message_bytes=LARGEST_MESSAGE - 1), [("error", "max.message.bytes")]),
        (set_to(max_message_bytes=LARGEST_MESSAGE), []),
        (evolve(GOOD, settings=None), [("warning", "settings")]),
        (evolve(GOOD, rights=Rights(read=False, write=True, group=True)), [("error", "rights")]),
        (evolve(GOOD, rights=Rights(read=False, write=False, group=False)), [("error", "rights")] * 3),
    ],
)
def test_what_is_wrong_is_found_and_nothing_else(state: TopicState, wrong: list[tuple[str, str]]) -> None:
    assert found(state) == wrong


def test_errors_come_before_warnings() -> None:
    assert found(evolve(set_to(is_compacted=True), partitions=1)) == [
        ("error", "cleanup.policy"),
        ("warning", "partitions"),
    ]


def test_a_finding_tells_the_numbers() -> None:
    (finding,) = findings(set_to(retention=timedelta(days=30)), INBOX)
    assert finding.text == (
        "records are kept 30 days, and the inbox knows them for 4 days: a replay would deliver again"
    )
