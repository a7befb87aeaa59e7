"""Every channel keeps what the port promises, against a real other side."""

import io
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest

from adapters.outbound.channels.apprise import AppriseChannel
from adapters.outbound.channels.console import ConsoleChannel
from adapters.outbound.channels.email import EmailChannel
from adapters.outbound.channels.webhook import WebhookChannel
from adapters.testkit.channel import Arrived, ChannelContract
from adapters.testkit.channels import RecordingChannel
from adapters.testkit.clock import SettableClock
from application.ports.channel import Accepted, Channel, Later, Outcome, OutcomeUnknown, RefusedForGood
from tests import mail_server, web_server
from tests.mail_server import MailServer
from tests.web_server import WebServer

# mypy holds them against the port
_: tuple[type[Channel], ...] = (
    ConsoleChannel,
    EmailChannel,
    WebhookChannel,
    AppriseChannel,
    RecordingChannel,
)

CLOCK = SettableClock(datetime(2026, 11, 29, 12, 0, tzinfo=UTC))


class Terminal(io.StringIO):
    encoding = "utf-8"
    problem: Exception | None = None

    def write(self, text: str) -> int:
        if self.problem is not None:
            problem, self.problem = self.problem, None
            raise problem
        return super().write(text)

    def answer(self, outcome: type[Outcome]) -> None:
        if outcome is not Accepted:
            self.problem = ValueError("closed") if outcome is Later else BrokenPipeError()

    def arrived(self) -> Sequence[Arrived]:
        found: list[Arrived] = []
        for line in self.getvalue().splitlines():
            if line.startswith("["):
                found.append(Arrived(None, line.partition("] ")[2], ""))
            else:
                last = found.pop()
                text = f"{last.text}\n{line[4:]}" if last.text else line[4:]
                found.append(Arrived(None, last.subject, text))
        return found


class TestConsole(ChannelContract):
    outcomes = (Accepted, Later, OutcomeUnknown)

    @pytest.fixture
    def other_side(self) -> Terminal:
        return Terminal()

    @pytest.fixture
    def channel(self, other_side: Terminal) -> ConsoleChannel:
        return ConsoleChannel(other_side)

    @pytest.fixture
    def address(self) -> str:
        return "00000000-0000-7000-8000-00000000000a"


def _unix(text: str) -> str:
    """Lines as they were before the mail's CRLF, without the end of the last one."""
    return text.replace("\r\n", "\n").removesuffix("\n")


def _text(mail: EmailMessage) -> str:
    part = mail.get_body(("plain",))
    assert part is not None
    text = part.get_content()
    assert isinstance(text, str)
    return text


class Mailbox:
    def __init__(self, server: MailServer) -> None:
        self.server = server

    def answer(self, outcome: type[Outcome]) -> None:
        if outcome is RefusedForGood:
            self.server.answers["RCPT"].append("550 5.1.1 <ann@example.org> no such user")
        if outcome is Later:
            self.server.answers["DATA"].append("451 4.3.0 <ann@example.org> try again")
        if outcome is OutcomeUnknown:
            self.server.answers["DATA"].append(mail_server.DROP)

    def arrived(self) -> Sequence[Arrived]:
        return [Arrived(one["Message-ID"], one["Subject"], _unix(_text(one))) for one in self.server.mails]


class TestEmail(ChannelContract):
    @pytest.fixture
    def server(self) -> Iterator[MailServer]:
        with MailServer() as server:
            yield server

    @pytest.fixture
    def other_side(self, server: MailServer) -> Mailbox:
        return Mailbox(server)

    @pytest.fixture
    def channel(self, server: MailServer) -> EmailChannel:
        return EmailChannel(mail_server.HOST, server.port, "desk@b.example", CLOCK, security="none")

    @pytest.fixture
    def address(self) -> str:
        return "ann@example.org"


class Hook:
    def __init__(self, server: WebServer) -> None:
        self.server = server

    def answer(self, outcome: type[Outcome]) -> None:
        if outcome is RefusedForGood:
            self.server.answers.append(web_server.status(410))
        if outcome is Later:
            self.server.answers.append(web_server.status(503))
        if outcome is OutcomeUnknown:
            self.server.answers.append(web_server.drop)

    def arrived(self) -> Sequence[Arrived]:
        return [
            Arrived(one.headers["webhook-id"], said["subject"], said["text"])
            for one in self.server.taken
            for said in [json.loads(one.body)]
        ]


class TestWebhook(ChannelContract):
    @pytest.fixture
    def server(self) -> Iterator[WebServer]:
        with WebServer() as server:
            yield server

    @pytest.fixture
    def other_side(self, server: WebServer) -> Hook:
        return Hook(server)

    @pytest.fixture
    def channel(self) -> WebhookChannel:
        return WebhookChannel(CLOCK, allow_http=True, allow_private=True)

    @pytest.fixture
    def address(self, server: WebServer) -> str:
        return f"http://{web_server.HOST}:{server.port}/hooks/1?of=Ann"


class Service(Hook):
    """It has its JSON from Apprise, in which there is no key."""

    def answer(self, outcome: type[Outcome]) -> None:
        if outcome is OutcomeUnknown:
            self.server.answers.append(web_server.status(503))

    def arrived(self) -> Sequence[Arrived]:
        taken = [json.loads(one.body) for one in self.server.taken]
        return [Arrived(None, said["title"], said["message"]) for said in taken]


class TestApprise(ChannelContract):
    outcomes = (Accepted, OutcomeUnknown)

    @pytest.fixture
    def server(self) -> Iterator[WebServer]:
        with WebServer() as server:
            yield server

    @pytest.fixture
    def other_side(self, server: WebServer) -> Service:
        return Service(server)

    @pytest.fixture
    def channel(self) -> AppriseChannel:
        return AppriseChannel(allow_private=True)

    @pytest.fixture
    def address(self, server: WebServer) -> str:
        return f"JSON://{web_server.HOST}:{server.port}/hooks/1"


class Recorded:
    def __init__(self, channel: RecordingChannel) -> None:
        self.channel = channel

    def answer(self, outcome: type[Outcome]) -> None:
        answers: dict[type[Outcome], Outcome] = {
            Accepted: Accepted("1"),
            RefusedForGood: RefusedForGood("no such address"),
            Later: Later("not now", timedelta(minutes=1)),
            OutcomeUnknown: OutcomeUnknown("no answer"),
        }
        self.channel.answer(answers[outcome])

    def arrived(self) -> Sequence[Arrived]:
        return [Arrived(str(one.id), one.subject, one.text) for one in self.channel.accepted]


class TestRecording(ChannelContract):
    @pytest.fixture
    def channel(self) -> RecordingChannel:
        return RecordingChannel()

    @pytest.fixture
    def other_side(self, channel: RecordingChannel) -> Recorded:
        return Recorded(channel)

    @pytest.fixture
    def address(self) -> str:
        return "ann"
