"""A record as no Python client can write it: its header's name is no text."""

import ctypes
from glob import glob
from pathlib import Path

import confluent_kafka
from confluent_kafka import cimpl

# Of rd_kafka_producev: which argument comes next.
_END, _TOPIC, _PARTITION, _VALUE, _FLAGS, _HEADER = 0, 1, 3, 4, 7, 9
_COPY = 2
_PRODUCER = 0


def write_with_a_header_named(name: bytes, value: bytes, bootstrap: str, topic: str, partition: int) -> None:
    """Write it through librdkafka itself, and wait until it is there."""
    library = _library()
    error = ctypes.create_string_buffer(256)
    options = ctypes.c_void_p(library.rd_kafka_conf_new())
    library.rd_kafka_conf_set(options, b"bootstrap.servers", bootstrap.encode(), error, 256)
    producer = ctypes.c_void_p(library.rd_kafka_new(_PRODUCER, options, error, 256))
    assert producer.value, error.value
    failed = library.rd_kafka_producev(
        producer,
        *(_TOPIC, topic.encode(), _PARTITION, ctypes.c_int32(partition), _FLAGS, _COPY),
        *(_VALUE, ctypes.c_char_p(value), ctypes.c_size_t(len(value))),
        *(_HEADER, ctypes.c_char_p(name), ctypes.c_char_p(b"v"), ctypes.c_ssize_t(1)),
        _END,
    )
    unsent = library.rd_kafka_flush(producer, 10_000)
    library.rd_kafka_destroy(producer)
    assert (failed, unsent) == (0, 0)


def _library() -> ctypes.CDLL:
    beside = Path(confluent_kafka.__file__).parent.with_suffix(".libs")
    found = sorted(glob(str(beside / "librdkafka*")))
    library = ctypes.CDLL(found[0] if found else cimpl.__file__)
    library.rd_kafka_conf_new.restype = ctypes.c_void_p
    library.rd_kafka_new.restype = ctypes.c_void_p
    return library
