"""The promises of the Quarantine port, executed."""

from collections.abc import Sequence

import attrs
import pytest

from adapters.testkit.examples import MINUTE, NOON
from adapters.testkit.threads import at_once
from application.ports.quarantine import Quarantine, Quarantined

_RECORD = Quarantined("due", 3, 41, b"key", b"value", (("name", b"one"),), "it is not JSON", NOON)


def record(offset: int = 41, **more: object) -> Quarantined:
    return attrs.evolve(_RECORD, offset=offset, **more)  # type: ignore[arg-type]


class QuarantineContract:
    """Each test has a store of its own, without any rows."""

    @pytest.fixture
    def quarantine(self) -> Quarantine:
        raise NotImplementedError

    def test_nothing_is_in_an_empty_one(self, quarantine: Quarantine) -> None:
        assert quarantine.keep([]) == 0
        assert list(quarantine.latest(10)) == []
        assert quarantine.count() == 0

    @pytest.mark.parametrize(
        "kept",
        [
            pytest.param(record(), id="usual"),
            pytest.param(record(key=None, value=None, headers=()), id="of nothing"),
            pytest.param(record(key=b"", value=b"", headers=(("", b""),)), id="of empty parts"),
            pytest.param(record(key=b"\0\xff", value=b"\xff\xfe\0"), id="of bytes that are no text"),
            pytest.param(record(value=b"\x89" * 1_100_000), id="of a megabyte"),
            pytest.param(record(headers=(("a", None), ("a", b"\0"), ("ж", b"x"))), id="with odd headers"),
            pytest.param(record(0, partition=0), id="the first of the first partition"),
            pytest.param(record(2**62, partition=2**31 - 1), id="far down the topic"),
        ],
    )
    def test_what_is_kept_comes_back_equal(self, quarantine: Quarantine, kept: Quarantined) -> None:
        assert quarantine.keep([kept]) == 1
        assert list(quarantine.latest(10)) == [kept]

    def test_a_record_that_is_read_again_is_kept_once_as_it_was_at_first(
        self, quarantine: Quarantine
    ) -> None:
        quarantine.keep([record()])

        assert quarantine.keep([record(reason="another", at=NOON + MINUTE), record(42)]) == 1

        assert list(quarantine.latest(10)) == [record(42), record()]

    def test_a_record_twice_in_a_batch_is_kept_once(self, quarantine: Quarantine) -> None:
        assert quarantine.keep([record(), record()]) == 1
        assert quarantine.count() == 1

    @pytest.mark.parametrize(
        "other",
        [
            record(topic="another"),
            record(partition=4),
            record(42),
            record(value=b"other bytes"),
            record(value=None),
            record(key=None),
            record(key=b"keyvalue", value=b""),
            record(headers=()),
            record(headers=(("name", None),)),
        ],
        ids=str,
    )
    def test_another_place_or_other_bytes_are_another_record(
        self, quarantine: Quarantine, other: Quarantined
    ) -> None:
        assert quarantine.keep([record(), other]) == 2
        assert quarantine.count() == 2

    def test_the_last_kept_come_first_and_no_more_than_wanted(self, quarantine: Quarantine) -> None:
        quarantine.keep([record(9, at=NOON), record(1, at=NOON + MINUTE)])
        quarantine.keep([record(2, at=NOON + MINUTE), record(1, partition=4, at=NOON + MINUTE)])

        assert _places(quarantine.latest(3)) == [(4, 1), (3, 2), (3, 1)]
        assert quarantine.count() == 4

    def test_two_at_once_keep_a_record_once(self, quarantine: Quarantine) -> None:
        batch = [record(offset) for offset in range(50)]

        kept = at_once(lambda: quarantine.keep(batch), lambda: quarantine.keep(batch[::-1]))

        assert sum(one if isinstance(one, int) else 0 for one in kept) == 50
        assert not any(isinstance(one, Exception) for one in kept)
        assert quarantine.count() == 50


def _places(records: Sequence[Quarantined]) -> list[tuple[int, int]]:
    return [(one.partition, one.offset) for one in records]
