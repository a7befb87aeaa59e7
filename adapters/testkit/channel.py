"""What every Channel must keep.

For a channel of your own: subclass, and give the channel, an address that it takes, and its other side.
"""

from base64 import b64encode
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from html import escape
from time import monotonic
from typing import ClassVar, Protocol
from uuid import UUID

import pytest
from attrs import evolve, frozen

from application.ports.channel import (
    Accepted,
    Channel,
    Later,
    Outcome,
    OutcomeUnknown,
    OutgoingMessage,
    RefusedForGood,
)
from domain.errors import Invalid

SECRET = "whsec_" + b64encode(bytes(32)).decode()
AS_TYPED = 'Созвон 🚀 №5 "срочно" <b>'


@frozen
class Arrived:
    """A message as the other side has it; `key` is what it could tell repeats by, None where it cannot."""

    key: str | None
    subject: str
    text: str


class OtherSide(Protocol):
    """Whoever the channel talks to."""

    def answer(self, outcome: type[Outcome]) -> None:
        """Answer the next message so that this comes of it; after that, take them again."""

    def arrived(self) -> Sequence[Arrived]:
        """The messages that it took, in the order in which they came."""


def outgoing(address: str, number: int = 1) -> OutgoingMessage:
    """A message, the same for the same number."""
    return OutgoingMessage(
        id=UUID(int=number),
        address=address,
        template="CalendarReminder",
        subject=f"Reminder {number}: {AS_TYPED}",
        text=f"{AS_TYPED}\n.\nStarts: Monday, 2026-11-30, 12:00 (Europe/Moscow)",
        data={"reminderId": str(UUID(int=number)), "startAt": "2026-11-30T09:00:00+00:00"},
        secret=SECRET,
    )


class ChannelContract:
    # Every outcome that its other side can bring about.
    outcomes: ClassVar[Collection[type[Outcome]]] = (Accepted, RefusedForGood, Later, OutcomeUnknown)

    @pytest.fixture
    def channel(self) -> Channel:
        raise NotImplementedError

    @pytest.fixture
    def address(self) -> str:
        """An address of `channel` at `other_side`."""
        raise NotImplementedError

    @pytest.fixture
    def other_side(self) -> OtherSide:
        raise NotImplementedError

    def test_its_name_is_one_word(self, channel: Channel) -> None:
        assert channel.name.isidentifier()

    def test_a_send_takes_a_minute_at_most(self, channel: Channel) -> None:
        assert timedelta(0) < channel.timeout <= timedelta(minutes=1)

    def test_an_address_has_one_spelling(self, channel: Channel, address: str) -> None:
        spelt = channel.check(f"  {address} ")

        assert spelt == channel.check(address) == channel.check(spelt)

    @pytest.mark.parametrize(
        "bad", ["", "  ", "a\nb", "a\r\nBcc: x@y.example", "a\0b", "x" * 10_000, "\u202ea"]
    )
    def test_what_is_no_address_is_refused_and_not_repeated(self, channel: Channel, bad: str) -> None:
        with pytest.raises(Invalid) as refusal:
            channel.check(bad)

        assert str(refusal.value).isprintable()
        assert not bad.strip() or bad not in str(refusal.value)

    def test_a_secret_that_it_makes_is_one_that_it_takes(self, channel: Channel) -> None:
        made = channel.secret(None)

        if made is None:
            with suppress(Invalid):
                assert channel.secret("given") == "given"
        else:
            assert channel.secret(made) == made

    def test_a_message_arrives_once_and_as_typed(
        self, channel: Channel, address: str, other_side: OtherSide
    ) -> None:
        sent = outgoing(address)

        assert isinstance(channel.send(sent), Accepted)

        (arrived,) = other_side.arrived()
        assert arrived.subject == sent.subject
        assert arrived.text == sent.text

    def test_a_message_with_html_beside_it_arrives_with_its_text_as_typed(
        self, channel: Channel, address: str, other_side: OtherSide
    ) -> None:
        sent = evolve(outgoing(address), html=f"<p>{escape(AS_TYPED)}</p>")

        assert isinstance(channel.send(sent), Accepted)

        (arrived,) = other_side.arrived()
        assert (arrived.subject, arrived.text) == (sent.subject, sent.text)

    def test_each_answer_becomes_its_outcome_and_touches_its_own_message_only(
        self, channel: Channel, address: str, other_side: OtherSide
    ) -> None:
        for number, outcome in enumerate(self.outcomes, start=1):
            other_side.answer(outcome)
            first = channel.send(outgoing(address, number))
            assert isinstance(first, outcome), outcome

            assert isinstance(channel.send(outgoing(address, 100 + number)), Accepted)

    def test_reasons_hold_neither_address_nor_text(
        self, channel: Channel, address: str, other_side: OtherSide
    ) -> None:
        for outcome in self.outcomes:
            other_side.answer(outcome)
            said = channel.send(outgoing(address))
            if not isinstance(said, Accepted):
                assert said.reason.isprintable()
                assert said.reason
                assert address not in said.reason
                assert AS_TYPED not in said.reason

    def test_no_send_outlasts_its_timeout(
        self, channel: Channel, address: str, other_side: OtherSide
    ) -> None:
        for outcome in self.outcomes:
            other_side.answer(outcome)
            started = monotonic()
            channel.send(outgoing(address))
            # A second for the machine to be busy with something else.
            assert monotonic() - started < channel.timeout.total_seconds() + 1

    def test_a_repeat_carries_the_same_key(
        self, channel: Channel, address: str, other_side: OtherSide
    ) -> None:
        for number in (1, 1, 2):
            channel.send(outgoing(address, number))

        first, again, other = other_side.arrived()
        assert first.key == again.key
        assert first.key is None or first.key != other.key

    @pytest.mark.parametrize("bad", ["two\r\nlines: x", "\udc80", "\0", "\u2028x"])
    def test_words_that_cannot_be_carried_raise_nothing(
        self, channel: Channel, address: str, other_side: OtherSide, bad: str
    ) -> None:
        outcome = channel.send(evolve(outgoing(address), subject=bad, text=bad))

        assert isinstance(outcome, Accepted | RefusedForGood)
        assert len(other_side.arrived()) == isinstance(outcome, Accepted)

    def test_threads_share_it(self, channel: Channel, address: str, other_side: OtherSide) -> None:
        sent = [outgoing(address, number) for number in range(1, 25)]

        with ThreadPoolExecutor(8) as threads:
            outcomes = list(threads.map(channel.send, sent))

        assert all(isinstance(outcome, Accepted) for outcome in outcomes)
        assert sorted(one.subject for one in other_side.arrived()) == sorted(one.subject for one in sent)
