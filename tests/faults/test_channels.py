"""200 messages by mail and signed webhook, through servers that refuse, ask to wait, hang and drop.

Real servers, real connections, PostgreSQL; only the time to the next try is made to pass.
"""

import base64
import hmac
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from datetime import timedelta
from email.utils import format_datetime
from uuid import UUID

import psycopg
import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session

from adapters.outbound.channels.email import EmailChannel
from adapters.outbound.channels.signing import new_secret
from adapters.outbound.channels.webhook import WebhookChannel
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.deliveries import PostgresDeliveries
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.postgres.outbox import PostgresOutbox
from adapters.outbound.postgres.people import PostgresPeople
from adapters.testkit.channels import RecordingChannel
from application.calendar import Calendar
from application.delivering.handled import Handled
from application.notifying import Notifying
from application.ports.channel import Channel
from application.ports.people import ContactPoint, Person, Tenant
from domain.delivery import Status
from domain.values import ContactPointId, UserId
from tests.application.world import NOON, TENANT, World
from tests.mail_server import DROP, HANG, HOST, MailServer, _said
from tests.web_server import Request, WebServer, _Handler, drop, hang, status

EACH = 100
LATER = range(3, 3 + EACH // 3)  # the numbers that are asked to wait at their first try
RETRY_AFTER = timedelta(seconds=120)
FIRST_SENT = NOON + timedelta(minutes=46)
ASKS_TO_WAIT = (
    status(429, retry_after="120"),
    status(429, retry_after=format_datetime(FIRST_SENT + RETRY_AFTER, usegmt=True)),
    status(425, retry_after="120"),
    status(408, retry_after="120"),
)
MAIL_TIMEOUT = timedelta(seconds=12)
OPERATOR = UserId(UUID(int=0xF))
SECRET = new_secret()


class Mail(MailServer):
    """It answers by whom the mail is for."""

    def __init__(self) -> None:
        super().__init__()
        self.tries: Counter[str] = Counter()

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.tries[address] += 1
        if address.startswith("refused"):
            return "550 5.1.1 no such user"
        if address.startswith("later") and self.tries[address] == 1:
            return "451 4.7.1 greylisted, try again in 120 s"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        taken = await super().handle_DATA(server, session, envelope)
        kind = envelope.rcpt_tos[0].partition("-")[0]
        return await _said(server, {"hang": HANG, "drop": DROP}.get(kind, taken))


class Hooks(WebServer):
    """It answers by the path, and keeps what it was sent unless it asked to wait."""

    def handle(self, handler: _Handler, request: Request) -> None:
        with self._lock:
            is_first = request.path not in {one.path for one in self.seen}
            self.seen.append(request)
        kind = request.path[1:].partition("-")[0]
        if kind == "later" and is_first:
            number = int(request.path.rpartition("-")[2])
            ASKS_TO_WAIT[number % len(ASKS_TO_WAIT)](handler, self)
            return
        with self._lock:
            self.taken.append(request)
        {"hang": hang, "drop": drop}.get(kind, status(204))(handler, self)


def kind(number: int) -> str:
    return {0: "hang", 1: "drop", 2: "refused"}.get(number, "later" if number in LATER else "usual")


class Office:
    """100 people by mail and 100 by webhook, two at each event, and 10 on a channel of their own."""

    def __init__(self, database: Database, mail: Mail, hooks: Hooks) -> None:
        self.world = world = World()
        world.ledger, world.outbox = PostgresLedger(database), PostgresOutbox(database)
        world.deliveries, world.people = PostgresDeliveries(database), PostgresPeople(database)
        world.calendar = Calendar(world.ledger, world.clock, world.ids)
        world.notifying = Notifying(world.deliveries, world.people, world.clock, world.ids)
        world.people.add_tenant(Tenant(TENANT, "office"))
        world.people.add_person(Person(OPERATOR, TENANT, "operator"))
        self.point(OPERATOR, "recording", "operator")
        world.people.set_tenant(Tenant(TENANT, "office", operator_id=OPERATOR))
        self.recording = RecordingChannel("recording")
        self.handled: Counter[tuple[str, Status]] = Counter()
        self.channels: list[Channel] = [
            EmailChannel(
                HOST, mail.port, "desk@b.example", world.clock, security="none", timeout=MAIL_TIMEOUT
            ),
            WebhookChannel(
                world.clock, allow_http=True, allow_private=True, read_timeout=timedelta(seconds=2)
            ),
            self.recording,
        ]
        for number in range(EACH):
            path = "usual" if kind(number) == "refused" else kind(number)
            url = f"http://{HOST}:{hooks.port}/{path}-{number}"
            owner = self.person("email", f"{kind(number)}-{number}@example.org")
            client = self.person("webhook", url)
            if kind(number) == "refused":
                self.point(owner, "webhook", f"http://{HOST}:{hooks.port}/instead-{number}")
            world.plan(owner=owner, client=client, lasts=None)
        for number in range(10):
            world.plan(owner=self.person("recording", f"quick-{number}"), client=None, lasts=None)
        world.remind()

    def person(self, channel: str, address: str) -> UserId:
        user = UserId(self.world.ids.new())
        self.world.people.add_person(Person(user, TENANT, f"person{user.int}"))
        self.point(user, channel, address)
        return user

    def point(self, user: UserId, channel: str, address: str) -> None:
        secret = SECRET if channel == "webhook" else None
        self.world.people.add_contact_point(
            ContactPoint(ContactPointId(self.world.ids.new()), user, channel, address, secret=secret)
        )

    def all_channels_after(self, wait: timedelta) -> None:
        self.world.clock.advance(wait)
        self.all_channels_at_once()

    def all_channels_at_once(self, when_recorded: Callable[[], object] = lambda: None) -> None:
        def loop(channel: Channel) -> Sequence[Handled]:
            handled = self.world.deliver(channel=channel)
            if channel is self.recording:
                when_recorded()
            return handled

        with ThreadPoolExecutor(len(self.channels)) as loops:
            for handled in loops.map(loop, self.channels):
                self.handled.update((one.channel, one.status) for one in handled)


@pytest.fixture
def servers() -> Iterator[tuple[Mail, Hooks]]:
    with Mail() as mail, Hooks() as hooks:
        yield mail, hooks


def states(url: str) -> Counter[tuple[str, str]]:
    with psycopg.connect(url) as connection:
        rows = connection.execute("select channel, status from tickler.deliveries").fetchall()
    return Counter((str(channel), str(status)) for channel, status in rows)


def test_r48_of_200_messages_each_arrives_once_or_is_unknown_and_counted(
    postgres_url: str, servers: tuple[Mail, Hooks]
) -> None:
    mail, hooks = servers
    with ExitStack() as opened:
        database = opened.enter_context(closing(Database(postgres_url)))
        office = Office(database, mail, hooks)
        assert office.world.clock.now() == FIRST_SENT
        meanwhile: list[Counter[tuple[str, str]]] = []
        office.all_channels_at_once(lambda: meanwhile.append(states(postgres_url)))

        (when_recorded,) = meanwhile
        assert when_recorded["recording", "Delivered"] == 10
        assert when_recorded["email", "Unknown"] < 2, "the other channel waited for the mail that hangs"
        assert states(postgres_url)["email", "Pending"] == len(LATER)

        office.all_channels_after(RETRY_AFTER - timedelta(seconds=1))
        too_early = Counter(request.path for request in hooks.seen if request.path.startswith("/later"))
        assert too_early == {f"/later-{number}": 1 for number in LATER}
        for wait in (timedelta(seconds=1), *[RETRY_AFTER] * 7):
            office.all_channels_after(wait)

    assert states(postgres_url) == {
        ("recording", "Delivered"): 10 + 1,
        ("email", "Delivered"): EACH - 3,
        ("email", "Failed"): 1,
        ("email", "Unknown"): 2,
        ("webhook", "Delivered"): EACH - 2 + 1,
        ("webhook", "Unknown"): 2,
    }
    by_mail = Counter(mail.recipients)
    assert by_mail == {f"{kind(number)}-{number}@example.org": 1 for number in range(EACH) if number != 2}
    assert mail.tries["refused-2@example.org"] == 1
    assert {mail.tries[f"later-{number}@example.org"] for number in LATER} == {2}
    assert len({one["Message-ID"] for one in mail.mails}) == len(mail.mails)
    assert_hooks(hooks)
    assert_unknown_is_counted(office)


def assert_unknown_is_counted(office: Office) -> None:
    """By what the loops hand on, which is logged, and to the tenant's operator."""
    assert [office.handled[channel, Status.UNKNOWN] for channel in ("email", "webhook")] == [2, 2]
    told = office.recording.accepted[-1]
    assert (told.address, told.template, told.data["count"]) == ("operator", "OperatorNotice", 4)


def assert_hooks(hooks: Hooks) -> None:
    """Each path once, or again and again under one id where the answer was lost; all of it signed."""
    by_path: dict[str, list[Request]] = {}
    for request in hooks.taken:
        by_path.setdefault(request.path, []).append(request)
    assert len(by_path) == EACH + 1
    assert "/instead-2" in by_path
    for path, requests in by_path.items():
        again = path.startswith(("/hang", "/drop"))
        assert len(requests) == (5 if again else 1), path
        assert len({one.headers["webhook-id"] for one in requests}) == 1
    for number in LATER:
        first, second = (one for one in hooks.seen if one.path == f"/later-{number}")
        assert first.headers["webhook-id"] == second.headers["webhook-id"]
        waited = int(second.headers["webhook-timestamp"]) - int(first.headers["webhook-timestamp"])
        assert waited >= RETRY_AFTER.total_seconds()
    for request in hooks.seen:
        assert request.headers["webhook-signature"] == signed(request)
        assert json.loads(request.body)["template"] == "CalendarReminder"


def signed(request: Request) -> str:
    """By the formula of Standard Webhooks, not by the library that signs."""
    said = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode()
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    return "v1," + base64.b64encode(hmac.digest(key, said + request.body, "sha256")).decode()
