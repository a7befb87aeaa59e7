"""The console prints each message as one block, whatever its text tries."""

import io
import json

import pytest

from adapters.outbound.channels.console import ConsoleChannel, visible
from adapters.testkit.channel import AS_TYPED, outgoing
from application.ports.channel import Accepted, Later, OutgoingMessage

ANN = "00000000-0000-7000-8000-00000000000a"


def printed(message: OutgoingMessage) -> str:
    stream = io.StringIO()
    assert ConsoleChannel(stream).send(message) == Accepted()
    return stream.getvalue()


def message(subject: str, text: str) -> OutgoingMessage:
    sent = outgoing(ANN)
    return OutgoingMessage(sent.id, sent.address, sent.template, subject, text, {})


def test_a_block_names_the_recipient_and_shows_subject_and_text_as_typed() -> None:
    assert printed(message(AS_TYPED, f"{AS_TYPED}\nStarts: 12:00")) == (
        f"[{ANN}] {AS_TYPED}\n    {AS_TYPED}\n    Starts: 12:00\n"
    )


def test_an_emoji_of_several_letters_stays_whole() -> None:
    assert visible("👨‍👩‍👧 ❤️") == "👨‍👩‍👧 ❤️"


@pytest.mark.parametrize(
    "forged", ["a\n[b] Pay", "a\r[b] Pay", "a\x85b", "a\u2028b", "\x1b[2Ja", "\u202eab", "\0"]
)
def test_a_subject_is_one_line_without_a_control_character(forged: str) -> None:
    (head, text) = printed(message(forged, "text")).splitlines()

    assert head.replace("\u200d", "").isprintable()
    assert text == "    text"


def test_a_text_cannot_pass_for_another_message() -> None:
    lines = printed(message("one", f"a\n[{ANN}] two\r[{ANN}] three\x1b[A")).split("\n")

    assert [line for line in lines if line.startswith("[")] == [f"[{ANN}] one"]
    assert not any(letter in "".join(lines) for letter in "\r\x1b")


def test_a_terminal_without_the_letters_is_shown_their_numbers() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")

    assert ConsoleChannel(stream).send(message("Созвон", "🚀")) == Accepted()

    assert (
        raw.getvalue() == b"[%s] \\u0421\\u043e\\u0437\\u0432\\u043e\\u043d\n    \\U0001f680\n" % ANN.encode()
    )


def test_a_closed_console_is_for_later() -> None:
    stream = io.StringIO()
    stream.close()

    assert isinstance(ConsoleChannel(stream).send(message("a", "b")), Later)


@pytest.mark.parametrize("text", ["plain", "two\nlines\u2028and \x1b[2J", "Созвон 🚀", "half \ud800"])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "koi8-r"])
def test_as_json_a_message_is_one_line_and_reads_back_as_typed(text: str, encoding: str) -> None:
    raw = io.BytesIO()
    sent = message(text, text)
    stream = io.TextIOWrapper(raw, encoding=encoding)
    assert ConsoleChannel(stream, json_lines=True).send(sent) == Accepted()
    said = raw.getvalue()
    assert said.endswith(b"\n")
    assert said.count(b"\n") == 1
    assert json.loads(said.decode(encoding)) == {
        "deliveryId": str(sent.id),
        "to": ANN,
        "template": sent.template,
        "subject": text,
        "text": text,
        "data": {},
    }
