"""Whether a cluster answers, asked again and again by one client that stays."""

import logging
from typing import Any

from attrs import define, field
from confluent_kafka.admin import AdminClient

from adapters.kafka_options import Options

ANSWER_SECONDS = 2.0

_silent = logging.Logger("tickler.kafka.answering")
_silent.addHandler(logging.NullHandler())


@define
class KafkaAnswers:
    """One at a time may ask."""

    options: Options = field(repr=False)
    _client: AdminClient | None = field(default=None, init=False)

    def __call__(self) -> None:
        """Raises KafkaException or TimeoutError when no broker answers within two seconds."""
        if self._client is None:
            quiet: dict[str, Any] = {"error_cb": lambda error: None, "logger": _silent}
            self._client = AdminClient(self.options | quiet)
        # What it would tell of itself piles up else.
        self._client.poll(0)
        self._client.describe_cluster(request_timeout=ANSWER_SECONDS).result(ANSWER_SECONDS)
