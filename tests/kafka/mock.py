"""librdkafka's own mock cluster, by its C interface: brokers in this process that misbehave when told to.

They listen on free ports of 127.0.0.1, so clients of other processes reach them too. Nothing is on disk,
aborted transactions are read like others and nobody is fenced: the mock shows what a client does when a
cluster fails, and never what a cluster keeps.
"""

import ctypes
from collections.abc import Callable
from enum import IntEnum
from glob import glob
from pathlib import Path
from typing import Any, Self

import confluent_kafka
from confluent_kafka import cimpl

PRODUCER = 0
OK = 0
REBALANCE_DELAY_MS = 50
SAID_BYTES = 256


class Api(IntEnum):
    """The protocol's numbers of the requests that a test may want to fail."""

    PRODUCE = 0
    FETCH = 1
    LIST_OFFSETS = 2
    METADATA = 3
    OFFSET_COMMIT = 8
    OFFSET_FETCH = 9
    FIND_COORDINATOR = 10
    JOIN_GROUP = 11
    HEARTBEAT = 12
    LEAVE_GROUP = 13
    SYNC_GROUP = 14
    INIT_PRODUCER_ID = 22
    CONSUMER_GROUP_HEARTBEAT = 68


class MockCluster:
    """Brokers numbered from 1. A topic that nobody made appears with 4 partitions when it is asked about."""

    def __init__(self, brokers: int = 3) -> None:
        self.brokers = range(1, brokers + 1)
        said = ctypes.create_string_buffer(SAID_BYTES)
        options = _conf_new()
        # It tells standard error of each client that leaves, past what pytest captures.
        _conf_set(options, b"log_level", b"0", said, SAID_BYTES)
        self._handle: int | None = _new(PRODUCER, options, said, SAID_BYTES)
        if not self._handle:
            raise RuntimeError(f"librdkafka made no handle for its mock: {said.value.decode()}")
        self._cluster: int = _cluster_new(self._handle, brokers)
        if not self._cluster:
            raise RuntimeError(f"librdkafka made no mock cluster of {brokers} brokers")
        # 3 s by default, which each test of a group would wait for.
        _rebalance_delay(self._cluster, REBALANCE_DELAY_MS)
        self.bootstrap: str = _bootstraps(self._cluster).decode()

    def topic(self, name: str, partitions: int, replication: int = 1) -> None:
        """Make a topic; RuntimeError where it is already there."""
        if _topic_create(self._cluster, name.encode(), partitions, replication) != OK:
            raise RuntimeError(f"the mock cluster did not make the topic {name}")

    def refuse(self, topic: str, code: int) -> None:
        """Answer everything about one topic with this KafkaError code, until told 0."""
        _topic_set_error(self._cluster, topic.encode(), code)

    def errors(self, api: Api, *codes: int) -> None:
        """Answer the next requests of this kind, on whatever broker, with these KafkaError codes in turn."""
        _push_errors(self._cluster, api, len(codes), (ctypes.c_int * len(codes))(*codes))

    def forgive(self, api: Api) -> None:
        """Take back the errors that no request has met yet."""
        _clear_errors(self._cluster, api)

    def down(self, broker: int | None = None) -> None:
        """Close a broker's connections and let none in; all brokers where none is named."""
        self._set(_set_down, broker)

    def up(self, broker: int | None = None) -> None:
        self._set(_set_up, broker)

    def rtt(self, milliseconds: int, broker: int | None = None) -> None:
        """Answer every request that much later."""
        self._set(_set_rtt, broker, milliseconds)

    def lead(self, topic: str, partition: int, broker: int) -> None:
        """Make the broker the leader of the partition."""
        if _set_leader(self._cluster, topic.encode(), partition, broker) != OK:
            raise RuntimeError(
                f"the mock cluster has no partition {partition} of {topic} or no broker {broker}"
            )

    def close(self) -> None:
        if self._handle:
            _cluster_destroy(self._cluster)
            _destroy(self._handle)
            self._handle = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _set(self, setter: Callable[..., Any], broker: int | None, *values: int) -> None:
        for one in self.brokers if broker is None else (broker,):
            if setter(self._cluster, one, *values) != OK:
                raise RuntimeError(f"the mock cluster has no broker {one}")


def _library() -> ctypes.CDLL:
    """The very library that the wheel's client uses, wherever the wheels of this machine keep it."""
    package = Path(confluent_kafka.__file__).parent
    for pattern in (
        f"{package}.libs/librdkafka*.so*",
        f"{package}/.dylibs/librdkafka*.dylib",
        f"{package}.libs/librdkafka*.dll",
    ):
        if found := sorted(glob(pattern)):
            return ctypes.CDLL(found[0])
    return ctypes.CDLL(cimpl.__file__)


_librdkafka = _library()
_pointer, _text, _int, _size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_size_t


def _function(name: str, result: type | None, *arguments: Any) -> Callable[..., Any]:
    found = getattr(_librdkafka, f"rd_kafka_{name}")
    found.restype, found.argtypes = result, arguments
    return found  # type: ignore[no-any-return]


_conf_new = _function("conf_new", _pointer)
_conf_set = _function("conf_set", _int, _pointer, _text, _text, _text, _size)
_new = _function("new", _pointer, _int, _pointer, _text, _size)
_destroy = _function("destroy", None, _pointer)
_cluster_new = _function("mock_cluster_new", _pointer, _pointer, _int)
_cluster_destroy = _function("mock_cluster_destroy", None, _pointer)
_bootstraps = _function("mock_cluster_bootstraps", _text, _pointer)
_rebalance_delay = _function("mock_group_initial_rebalance_delay_ms", None, _pointer, ctypes.c_int32)
_topic_create = _function("mock_topic_create", _int, _pointer, _text, _int, _int)
_topic_set_error = _function("mock_topic_set_error", None, _pointer, _text, _int)
_push_errors = _function(
    "mock_push_request_errors_array", None, _pointer, ctypes.c_int16, _size, ctypes.POINTER(_int)
)
_clear_errors = _function("mock_clear_request_errors", None, _pointer, ctypes.c_int16)
_set_down = _function("mock_broker_set_down", _int, _pointer, ctypes.c_int32)
_set_up = _function("mock_broker_set_up", _int, _pointer, ctypes.c_int32)
_set_rtt = _function("mock_broker_set_rtt", _int, _pointer, ctypes.c_int32, _int)
_set_leader = _function("mock_partition_set_leader", _int, _pointer, _text, ctypes.c_int32, ctypes.c_int32)
