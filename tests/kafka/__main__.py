"""A Kafka to try `make run` with: `make kafka`. Its data goes when it is stopped."""

import signal
import sys
import tempfile
from pathlib import Path

from tests.kafka.broker import KafkaBroker
from tests.kafka.fetching import find_programs
from tests.kafka.programs import KafkaMissing, KafkaUnusable

PORT = 9092


def main() -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        say("getting Apache Kafka ready; the first time it is fetched from Maven Central (45 MB)")
        with (
            tempfile.TemporaryDirectory(prefix="tickler-kafka-") as folder,
            KafkaBroker(Path(folder), find_programs(), port=PORT) as broker,
        ):
            print(f"TICKLER_KAFKA_BOOTSTRAP_SERVERS={broker.bootstrap}", flush=True)
            say("running with no topics; Ctrl-C stops it and its data goes")
            signal.pause()
    except KeyboardInterrupt:
        say("stopped")
    except (KafkaMissing, KafkaUnusable) as error:
        say(str(error))
        return 3
    return 0


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
