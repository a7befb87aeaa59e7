"""Messages printed for whoever watches the terminal."""

import json
import sys
import unicodedata
from datetime import timedelta
from threading import Lock
from typing import TextIO

from adapters.outbound.channels.wire import no_secret, one_visible_line
from application.ports.channel import Accepted, Later, Outcome, OutcomeUnknown, OutgoingMessage

_JOINERS = "\u200c\u200d"  # they hold emoji and letters of some scripts together


class ConsoleChannel:
    """One block a message: whom it is for, the subject, and the text indented, so that no text passes for
    a message. A message whose printing failed half way is printed again.
    """

    name = "console"
    repeats_unknown = True
    timeout = timedelta(seconds=5)

    def __init__(self, stream: TextIO | None = None, *, json_lines: bool = False) -> None:
        """`stream` is standard output, as it is at each message, unless given.

        With `json_lines` a message is one line instead: `{deliveryId, to, template, subject, text, data}`.
        """
        self._stream = stream
        self._as_text = _json_line if json_lines else _block
        self._lock = Lock()

    def check(self, address: str) -> str:
        """Any word is an address: the console is the same for all."""
        return one_visible_line(address, 256)

    def secret(self, given: str | None) -> None:
        no_secret(given)

    def send(self, message: OutgoingMessage) -> Outcome:
        stream = self._stream or sys.stdout
        text = self._as_text(message, stream.encoding or "utf-8")
        with self._lock:
            try:
                stream.write(text)
                stream.flush()
            except ValueError:
                return Later("the console is closed")
            except OSError as problem:
                return OutcomeUnknown(f"the console broke off: {type(problem).__name__}")
        return Accepted()


def _block(message: OutgoingMessage, encoding: str) -> str:
    lines = [visible(line) for line in message.text.split("\n")]
    head = f"[{visible(message.address)}] {visible(message.subject)}\n"
    block = head + "".join(f"    {line}\n" for line in lines)
    return block.encode(encoding, "backslashreplace").decode(encoding)


def _json_line(message: OutgoingMessage, encoding: str) -> str:
    """All in ASCII where the stream has fewer letters than Unicode, or the text what would move a cursor or
    end a line for some reader.
    """
    document = {
        "deliveryId": str(message.id),
        "to": message.address,
        "template": message.template,
        "subject": message.subject,
        "text": message.text,
        "data": dict(message.data),
    }
    line = json.dumps(document, ensure_ascii=False)
    try:
        line.encode(encoding)
    except UnicodeEncodeError:
        return json.dumps(document) + "\n"
    return (line if all(map(_is_seen, line)) else json.dumps(document)) + "\n"


def visible(text: str) -> str:
    """The text with everything escaped that could move a cursor, turn a line round or begin a new one."""
    return "".join(letter if _is_seen(letter) else ascii(letter)[1:-1] for letter in text)


def _is_seen(letter: str) -> bool:
    return letter in _JOINERS or unicodedata.category(letter) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
