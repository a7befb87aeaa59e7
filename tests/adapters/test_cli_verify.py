"""`contact verify`: a real test message, and an exit code that says what came of it."""

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import pytest
from attrs import evolve
from dependency_injector import providers

from adapters.settings import Security, Settings
from adapters.testkit.channels import RecordingChannel
from application.ports.channel import Accepted, Later, Outcome, OutcomeUnknown, RefusedForGood
from domain.values import ContactPointId
from tests.adapters.offices import Commands, MemoryOffice
from tests.mail_server import HOST, MailServer

ANNA = ("--tenant", "acme", "--person", "anna")


@pytest.fixture
def channel() -> RecordingChannel:
    return RecordingChannel()


@pytest.fixture
def desk(channel: RecordingChannel) -> MemoryOffice:
    desk = MemoryOffice.new(Settings(time_zone="Europe/Moscow"))
    desk.container.channels.override(providers.Object([channel, desk.container.email()]))
    return desk


@pytest.fixture
def tickler(desk: MemoryOffice, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(desk, capsys)


def contact(tickler: Commands, address: str = "anna", channel: str = "recording") -> str:
    tickler("person", "add", "anna", "--tenant", "acme", "--language", "ru")
    added = tickler.document("contact", "add", *ANNA, "--channel", channel, "--address", address)
    return str(added["contactPointId"])


def test_a_test_message_leaves_at_once_in_the_persons_language(
    tickler: Commands, channel: RecordingChannel
) -> None:
    point = contact(tickler)

    said = tickler("contact", "verify", *ANNA)

    assert (said.code, said.out) == (0, f"recording ({point}): accepted\n")
    (sent,) = channel.sent
    assert sent.address == "anna"
    assert sent.subject == "Проверка: напоминания будут приходить сюда"
    assert '<html lang="ru">' in str(sent.html)


def test_a_test_message_carries_the_contacts_secret_and_none_of_it_is_shown(
    desk: MemoryOffice, tickler: Commands, channel: RecordingChannel
) -> None:
    id_ = ContactPointId(UUID(contact(tickler)))
    points = desk.container.memory().contact_points
    points[id_] = evolve(points[id_], secret="canary-7")

    said = tickler("contact", "verify", *ANNA)

    assert [one.secret for one in channel.sent] == ["canary-7"]
    assert "canary-7" not in said.out + said.err


def test_a_contact_is_found_by_its_id_too(tickler: Commands, channel: RecordingChannel) -> None:
    contact(tickler, "first")
    second = contact(tickler, "second")

    assert tickler("contact", "verify", second, "--tenant", "acme").code == 0
    assert [one.address for one in channel.sent] == ["second"]


@pytest.mark.parametrize(
    ("outcome", "code", "said"),
    [
        (Accepted("x-1"), 0, ("accepted", None, "x-1")),
        (RefusedForGood("no such box"), 1, ("refused", "no such box", None)),
        (Later("busy", timedelta(minutes=1)), 3, ("later", "busy, not before 0:01:00", None)),
        (OutcomeUnknown("no answer"), 3, ("unknown", "no answer", None)),
    ],
)
def test_each_outcome_has_its_exit_code(
    tickler: Commands,
    channel: RecordingChannel,
    outcome: Outcome,
    code: int,
    said: tuple[str, str | None, str | None],
) -> None:
    contact(tickler)
    channel.answer(outcome)

    answer = tickler("contact", "verify", *ANNA, "--json")

    assert answer.code == code
    shown = answer.document
    assert (shown["outcome"], shown["reason"], shown["providerId"]) == said


def test_a_channel_that_breaks_leaves_it_unknown(tickler: Commands, channel: RecordingChannel) -> None:
    contact(tickler)
    channel.answer(RuntimeError("anna's secret"))

    said = tickler("contact", "verify", *ANNA)

    assert (said.code, "RuntimeError" in said.out, "secret" in said.out) == (3, True, False)


def test_one_who_opted_out_gets_none(
    desk: MemoryOffice, tickler: Commands, channel: RecordingChannel
) -> None:
    id_ = ContactPointId(UUID(contact(tickler)))
    points = desk.container.memory().contact_points
    points[id_] = evolve(points[id_], opted_out=True)

    said = tickler("contact", "verify", *ANNA)

    assert (said.code, channel.sent) == (1, [])
    assert "opted out" in said.out


def test_a_channel_that_is_not_set_up_is_said_with_the_setting(tickler: Commands) -> None:
    contact(tickler, "anna@b.example", "email")

    said = tickler("contact", "verify", *ANNA, "--channel", "email")

    assert (said.code, len(said.err.splitlines())) == (3, 1)
    assert "TICKLER_SMTP_HOST is not set" in said.err


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--tenant", "acme"), "give either the contact's id or --person"),
        ((AN := "0198c5f0-7d3e-7000-8000-000000000001", *ANNA), "give either the contact's id or --person"),
        ((AN, "--tenant", "acme"), "there is no contact"),
        (("7", "--tenant", "acme"), "CONTACT_ID: '7' is not an id"),
        (("--tenant", "acme", "--person", "boris"), "there is no person 'boris'"),
        ((*ANNA, "--channel", "pigeon"), "'anna' has no contact on 'pigeon'"),
    ],
)
def test_bad_input_is_one_line_and_sends_nothing(
    tickler: Commands, channel: RecordingChannel, arguments: tuple[str, ...], line: str
) -> None:
    contact(tickler)

    said = tickler("contact", "verify", *arguments)

    assert (said.code, said.out, len(said.err.splitlines())) == (2, "", 1)
    assert line in said.err
    assert channel.sent == []


class TestByMail:
    @pytest.fixture
    def server(self) -> Iterator[MailServer]:
        with MailServer() as server:
            yield server

    @pytest.fixture
    def tickler(self, server: MailServer, capsys: pytest.CaptureFixture[str]) -> Commands:
        settings = Settings(
            time_zone="Europe/Moscow",
            smtp_host=HOST,
            smtp_port=server.port,
            smtp_security=Security.NONE,
        )
        return Commands(MemoryOffice.new(settings), capsys)

    def test_a_mail_goes_out_by_the_settings_and_says_what_the_server_called_it(
        self, tickler: Commands, server: MailServer
    ) -> None:
        contact(tickler, "anna@b.example", "email")

        answer = tickler.document("contact", "verify", *ANNA)

        assert (answer["outcome"], answer["providerId"]) == ("accepted", "4XyZ0Queue")
        (mail,) = server.mails
        assert mail.get_content_type() == "multipart/alternative"
        assert mail["Subject"] == "Проверка: напоминания будут приходить сюда"

    def test_a_box_that_there_is_not_is_refused(self, tickler: Commands, server: MailServer) -> None:
        contact(tickler, "anna@b.example", "email")
        server.answers["RCPT"].append("550 5.1.1 <anna@b.example> no such user")

        said = tickler("contact", "verify", *ANNA)

        assert said.code == 1
        assert "the recipient was answered 550 5.1.1" in said.out
        assert "anna@" not in said.out
