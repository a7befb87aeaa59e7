"""Messages printed for whoever watches the terminal."""

import sys
import unicodedata
from datetime import timedelta
from threading import Lock
from typing import TextIO

from adapters.outbound.channels.wire import one_visible_line
from application.ports.channel import Accepted, Later, Outcome, OutcomeUnknown, OutgoingMessage

_JOINERS = "\u200c\u200d"  # they hold emoji and letters of some scripts together


class ConsoleChannel:
    """One block a message: whom it is for, the subject, and the text indented, so that no text passes for
    a message. A message whose printing failed half way is printed again.
    """

    name = "console"
    repeats_unknown = True
    timeout = timedelta(seconds=5)

    def __init__(self, stream: TextIO | None = None) -> None:
        """`stream` is standard output, as it is at each message, unless given."""
        self._stream = stream
        self._lock = Lock()

    def check(self, address: str) -> str:
        """Any word is an address: the console is the same for all."""
        return one_visible_line(address, 256)

    def send(self, message: OutgoingMessage) -> Outcome:
        stream = self._stream or sys.stdout
        lines = [visible(line) for line in message.text.split("\n")]
        head = f"[{visible(message.address)}] {visible(message.subject)}\n"
        block = head + "".join(f"    {line}\n" for line in lines)
        encoding = stream.encoding or "utf-8"
        block = block.encode(encoding, "backslashreplace").decode(encoding)
        with self._lock:
            try:
                stream.write(block)
                stream.flush()
            except ValueError:
                return Later("the console is closed")
            except OSError as problem:
                return OutcomeUnknown(f"the console broke off: {type(problem).__name__}")
        return Accepted()


def visible(text: str) -> str:
    """The text with everything escaped that could move a cursor, turn a line round or begin a new one."""
    return "".join(letter if _is_seen(letter) else ascii(letter)[1:-1] for letter in text)


def _is_seen(letter: str) -> bool:
    return letter in _JOINERS or unicodedata.category(letter) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
