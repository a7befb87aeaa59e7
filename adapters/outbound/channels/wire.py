"""What the channels that use the network share: names in one spelling, an end to waiting."""

import socket
import ssl
import unicodedata
from contextlib import suppress
from functools import lru_cache
from queue import Empty, SimpleQueue
from threading import Lock, Thread, Timer
from time import monotonic

import idna

from domain.errors import Invalid

_ALIKE = frozenset({"LATIN", "CYRILLIC", "GREEK"})


@lru_cache(maxsize=1)
def system_trust() -> ssl.SSLContext:
    """A TLS client's context that trusts whom the system trusts, read once: that takes a while."""
    return ssl.create_default_context()


class Deadline:
    """A moment after which nothing is waited for."""

    def __init__(self, seconds: float) -> None:
        self._end = monotonic() + seconds

    def left(self) -> float:
        """Seconds until then; TimeoutError when there are none."""
        left = self._end - monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def is_over(self) -> bool:
        return monotonic() >= self._end


class Leash:
    """Ends a connection at the deadline, whoever waits for it.

    A time-out for each read is not enough: a peer that sends one byte a second keeps every one of them.
    """

    def __init__(self, deadline: Deadline) -> None:
        self._lock = Lock()
        self._held: socket.socket | None = None
        self._is_over = False
        self._timer = Timer(deadline.left(), self._end)
        self._timer.daemon = True

    def hold(self, connection: socket.socket) -> None:
        """Mind this connection from now on, also when it becomes a TLS one."""
        with self._lock:
            self._held = connection.dup()
            if self._is_over:
                self._shut_down()

    def _end(self) -> None:
        with self._lock:
            self._is_over = True
            self._shut_down()

    def _shut_down(self) -> None:
        if self._held is not None:
            with suppress(OSError):
                self._held.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> "Leash":
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            if self._held is not None:
                self._held.close()
                self._held = None


def resolve(host: str, port: int, deadline: Deadline) -> list[str]:
    """The addresses of a host, resolved once and no longer than the deadline; OSError when there are none."""
    answers: SimpleQueue[list[str] | OSError] = SimpleQueue()

    def look_up() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answers.put(list(dict.fromkeys(str(entry[4][0]) for entry in found)))
        except (OSError, UnicodeError) as problem:
            answers.put(problem if isinstance(problem, OSError) else OSError("no such name"))

    # The system's resolver has time-outs of its own and takes none of ours.
    Thread(target=look_up, daemon=True).start()
    try:
        answer = answers.get(timeout=deadline.left())
    except Empty:
        raise TimeoutError from None
    if isinstance(answer, OSError):
        raise answer
    return answer


def host_name(host: str) -> str:
    """A host's name in its one spelling: lower case, IDNA 2008, no dot at the end.

    Raises Invalid for what is no name, for a number, and for a label that mixes look-alike scripts.
    """
    name = host.removesuffix(".")
    wrong = Invalid("address: its host is not a name such as mail.example.org")
    if any(_mixes_scripts(label) for label in name.split(".")):
        raise Invalid("address: a name that mixes letters of several scripts is not taken")
    try:
        ascii_name = idna.encode(name, uts46=True).decode().lower()
    except idna.IDNAError:
        raise wrong from None
    last = ascii_name.rpartition(".")[2]
    # What ends in a number would be read as an IPv4 address, in any of its old spellings.
    if len(ascii_name) > 253 or last.isdigit() or last.startswith("0x"):
        raise wrong
    return ascii_name


def no_secret(given: str | None) -> None:
    """For channels that sign nothing: Invalid when a secret is given."""
    if given is not None:
        raise Invalid("secret: this channel signs nothing")


def one_visible_line(address: str, longest: int) -> str:
    """The address without spaces around it; Invalid when empty, too long, or holding what is not seen."""
    address = address.strip()
    if not address:
        raise Invalid("address: it is empty")
    if len(address) > longest:
        raise Invalid(f"address: it is longer than {longest} characters")
    if " " in address or not address.isprintable():
        raise Invalid("address: it holds a space, a line break or a control character")
    return address


def _mixes_scripts(label: str) -> bool:
    scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in label if letter.isalpha()}
    return len(scripts & _ALIKE) > 1
