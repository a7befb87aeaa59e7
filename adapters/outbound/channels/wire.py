"""What the channels that use the network share: names in one spelling, an end to waiting."""

import socket
import ssl
import unicodedata
from functools import lru_cache
from queue import Empty, SimpleQueue
from threading import Thread

import idna

from adapters.leash import Deadline
from domain.errors import Invalid

_ALIKE = frozenset({"LATIN", "CYRILLIC", "GREEK"})


@lru_cache(maxsize=1)
def system_trust() -> ssl.SSLContext:
    """A TLS client's context that trusts whom the system trusts, read once: that takes a while."""
    return ssl.create_default_context()


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
