"""A channel that reaches nobody and remembers everything."""

from collections import deque
from collections.abc import Callable
from datetime import timedelta
from threading import Lock

from application.ports.channel import Accepted, Outcome, OutgoingMessage
from domain.errors import Invalid

Answer = Outcome | Exception | Callable[[OutgoingMessage], Outcome]


class RecordingChannel:
    """What it was asked to send is in `sent`, every try; what it took is in `accepted`.

    It takes everything until told otherwise: by `answer` for the tries to come, one answer each, or by
    `answer_for` for all tries to one address. An answer is an outcome, an exception to raise, or a function
    of the message, called while it is being sent.
    """

    def __init__(
        self,
        name: str = "recording",
        *,
        repeats_unknown: bool = False,
        timeout: timedelta = timedelta(seconds=10),
    ) -> None:
        self._name = name
        self._repeats_unknown = repeats_unknown
        self._timeout = timeout
        self._lock = Lock()
        self._answers: deque[Answer] = deque()
        self._answers_for: dict[str, Answer] = {}
        self.sent: list[OutgoingMessage] = []
        self.accepted: list[OutgoingMessage] = []

    @property
    def name(self) -> str:
        return self._name

    @property
    def repeats_unknown(self) -> bool:
        return self._repeats_unknown

    @property
    def timeout(self) -> timedelta:
        return self._timeout

    def check(self, address: str) -> str:
        """Any short line is an address."""
        address = address.strip()
        if not address or len(address) > 256 or not address.isprintable():
            raise Invalid("address: one line of 1 to 256 characters is wanted")
        return address

    def secret(self, given: str | None) -> str | None:
        """Whatever is given; it signs nothing, and tells `sent` of it."""
        return given

    def answer(self, *answers: Answer) -> None:
        """Answer the next tries so, in this order."""
        with self._lock:
            self._answers.extend(answers)

    def answer_for(self, address: str, answer: Answer) -> None:
        """Answer every try to this address so."""
        with self._lock:
            self._answers_for[address] = answer

    def send(self, message: OutgoingMessage) -> Outcome:
        with self._lock:
            self.sent.append(message)
            answer = self._answers_for.get(message.address)
            if answer is None:
                answer = self._answers.popleft() if self._answers else Accepted()
        if isinstance(answer, Exception):
            raise answer
        outcome = answer(message) if callable(answer) else answer
        if isinstance(outcome, Accepted):
            with self._lock:
                self.accepted.append(message)
        return outcome
