"""What mail does beyond the contract: each answer of a real server, TLS, login, and texts as typed."""

import email.header
import email.message
import email.policy
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import UUID

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from adapters.outbound.channels.email import EmailChannel
from adapters.outbound.templates.jinja import JinjaTemplates
from adapters.testkit.channel import AS_TYPED, outgoing
from adapters.testkit.clock import SettableClock
from adapters.testkit.templates import HARMFUL, Page, example
from application.ports.channel import Accepted, Later, Outcome, OutcomeUnknown, RefusedForGood
from domain.delivery import REMINDERS, Template
from domain.errors import Invalid
from tests import mail_samples
from tests.certificate import tls_contexts
from tests.mail_server import DROP, HANG, HOST, MailServer, free_port

ANN = "ann@example.org"
CLOCK = SettableClock(datetime(2026, 11, 29, 12, 0, tzinfo=UTC))
SHORT = timedelta(seconds=0.5)
LONG = "x" * 9000  # a line that is longer than smtplib reads


def channel(port: int, **settings: Any) -> EmailChannel:
    settings = {"host": HOST, "security": "none", **settings}
    return EmailChannel(port=port, sender="desk@b.example", clock=CLOCK, **settings)


@pytest.fixture
def server() -> Iterator[MailServer]:
    with MailServer() as server:
        yield server


def test_a_mail_says_whose_it_is_when_and_that_nobody_wrote_it(server: MailServer) -> None:
    channel(server.port, sender_name="Салон «Анна»").send(outgoing(ANN))

    (mail,) = server.mails
    assert str(mail["From"]) == "Салон «Анна» <desk@b.example>"
    assert str(mail["To"]) == ANN
    assert mail["Message-ID"] == f"<{UUID(int=1)}@b.example>"
    assert mail["Date"].datetime == CLOCK.now()
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail.get_content_type() == "text/plain"
    assert mail.get_content_charset() == "utf-8"
    assert server.greetings == ["b.example"]
    assert server.recipients == [ANN]


def test_the_domain_of_message_ids_can_be_set(server: MailServer) -> None:
    channel(server.port, domain="tickler.example").send(outgoing(ANN))

    assert server.mails[0]["Message-ID"] == f"<{UUID(int=1)}@tickler.example>"
    assert server.greetings == ["tickler.example"]


@pytest.mark.parametrize(
    ("said", "provider_id"),
    [
        ("250 2.0.0 Ok: queued as 4XyZ0Queue", "4XyZ0Queue"),
        ("250 OK id=1rBcDe-000abc-2F", "1rBcDe-000abc-2F"),
        ("250 thanks", None),
        ("250 queued as annabel@example.org", None),
    ],
)
def test_the_servers_own_name_for_a_mail_is_kept_where_it_gives_one(
    server: MailServer, said: str, provider_id: str | None
) -> None:
    server.answers["DATA"].append(said)

    assert channel(server.port).send(outgoing(ANN)) == Accepted(provider_id)


@pytest.mark.parametrize(
    ("step", "said", "outcome"),
    [
        ("RCPT", "550 5.1.1 <ann@example.org> no", RefusedForGood("the recipient was answered 550 5.1.1")),
        ("RCPT", "530 5.7.0 log in first", Later("the recipient was answered 530 5.7.0")),
        ("RCPT", "450 4.2.1 <ann@example.org> busy", Later("the recipient was answered 450 4.2.1")),
        ("RCPT", "421 4.3.2 closing", Later("the recipient was answered 421 4.3.2")),
        ("RCPT", "452 too many", Later("the recipient was answered 452")),
        ("DATA", "554 5.7.1 spam for ann@example.org", RefusedForGood("the text was answered 554 5.7.1")),
        ("DATA", "451 4.3.0 later", Later("the text was answered 451 4.3.0")),
        ("DATA", "421 4.3.2 closing", Later("the text was answered 421 4.3.2")),
        ("DATA", "354 go on", OutcomeUnknown("no sensible answer to the text")),
        ("DATA", DROP, OutcomeUnknown("no answer to the text: SMTPServerDisconnected")),
        ("RCPT", DROP, Later("the recipient failed: SMTPServerDisconnected")),
        ("RCPT", f"250 {LONG}", Later("the recipient failed: an unreadable reply")),
        ("RCPT", f"550 {LONG}", Later("the recipient failed: an unreadable reply")),
        ("RCPT", "999 9.9.9 who knows", Later("the recipient failed: an unreadable reply")),
        ("RCPT", "well", Later("the recipient failed: an unreadable reply")),
        ("DATA", f"250 {LONG}", OutcomeUnknown("no answer to the text: an unreadable reply")),
        ("DATA", f"550 {LONG}", OutcomeUnknown("no answer to the text: an unreadable reply")),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_each_answer_means_one_outcome_told_in_numbers_alone(
    server: MailServer, step: str, said: str, outcome: Outcome
) -> None:
    server.answers[step].append(said)

    assert channel(server.port).send(outgoing(ANN)) == outcome


def test_a_server_that_takes_the_text_and_then_hangs_leaves_its_fate_unknown(server: MailServer) -> None:
    server.answers["DATA"].append(HANG)

    outcome = channel(server.port, timeout=SHORT).send(outgoing(ANN))

    assert isinstance(outcome, OutcomeUnknown)
    assert server.received == []


def test_a_server_that_hangs_before_the_text_is_for_later(server: MailServer) -> None:
    server.answers["RCPT"].append(HANG)

    assert isinstance(channel(server.port, timeout=SHORT).send(outgoing(ANN)), Later)


def test_nobody_at_the_port_is_for_later() -> None:
    assert channel(free_port()).send(outgoing(ANN)) == Later("the connection failed: ConnectionRefusedError")


def test_a_host_without_an_address_is_for_later() -> None:
    outcome = channel(25, host="no-such-host.invalid").send(outgoing(ANN))

    assert isinstance(outcome, Later)


def talker(first: bytes, piece: bytes) -> int:
    """A port where one caller hears `first`, and then `piece` again and again, for as long as it listens."""
    listening = socket.create_server((HOST, 0))

    def talk() -> None:
        with listening, listening.accept()[0] as caller:
            try:
                caller.sendall(first)
                caller.settimeout(0.05)
                while True:
                    try:
                        if not caller.recv(4096):
                            return
                    except TimeoutError:
                        caller.sendall(piece)
            except OSError:
                pass

    Thread(target=talk, daemon=True).start()
    return int(listening.getsockname()[1])


@pytest.mark.parametrize(
    ("first", "piece"),
    [
        (b"554 no service for you\r\n", b""),
        (b"421 4.3.2 busy\r\n", b""),
        (b"", b"2"),
        (b"220-hi\r\n", b"220-hi\r\n"),
    ],
)
def test_a_greeting_that_is_none_is_for_later_and_ends_in_time(first: bytes, piece: bytes) -> None:
    outcome = channel(talker(first, piece), timeout=SHORT).send(outgoing(ANN))

    assert isinstance(outcome, Later)


class TestTls:
    def test_starttls_and_login_come_before_the_text(self, tmp_path: Path) -> None:
        ours, theirs = tls_contexts(tmp_path)
        with MailServer(ours, login=True) as server:
            sending = channel(
                server.port,
                host="localhost",
                security="starttls",
                user="desk",
                password="right",
                context=theirs,
            )

            assert isinstance(sending.send(outgoing(ANN)), Accepted)

            assert server.logins == [b"desk"]
            assert server.secured == [True]

    def test_tls_from_the_first_byte(self, tmp_path: Path) -> None:
        ours, theirs = tls_contexts(tmp_path)
        with MailServer(ours, starttls=False) as server:
            sending = channel(server.port, host="localhost", security="ssl", context=theirs)

            assert isinstance(sending.send(outgoing(ANN)), Accepted)

            assert len(server.mails) == 1

    def test_a_wrong_password_is_for_later(self, tmp_path: Path) -> None:
        ours, theirs = tls_contexts(tmp_path)
        with MailServer(ours, login=True) as server:
            sending = channel(
                server.port,
                host="localhost",
                security="starttls",
                user="desk",
                password="wrong",
                context=theirs,
            )

            assert sending.send(outgoing(ANN)) == Later("the login was answered 535 5.7.8")

            assert server.mails == []

    @pytest.mark.parametrize("security", ["starttls", "ssl"])
    def test_a_certificate_that_nobody_vouches_for_is_for_later(self, tmp_path: Path, security: str) -> None:
        ours, _ = tls_contexts(tmp_path)
        with MailServer(ours, starttls=security == "starttls") as server:
            outcome = channel(server.port, host="localhost", security=security).send(outgoing(ANN))

            assert isinstance(outcome, Later)
            assert "TLS, self-signed certificate" in outcome.reason
            assert server.mails == []

    def test_a_certificate_for_another_name_is_for_later(self, tmp_path: Path) -> None:
        ours, theirs = tls_contexts(tmp_path, host="other.example")
        with MailServer(ours) as server:
            sending = channel(server.port, host="localhost", security="starttls", context=theirs)

            outcome = sending.send(outgoing(ANN))

            assert isinstance(outcome, Later)
            assert "Hostname mismatch" in outcome.reason
            assert server.mails == []

    def test_a_server_without_starttls_is_told_nothing(self, server: MailServer) -> None:
        outcome = channel(server.port, security="starttls", user="desk", password="right").send(outgoing(ANN))

        assert outcome == Later("STARTTLS failed: the server does not offer it")
        assert server.mails == []

    def test_a_login_without_tls_is_refused_at_once(self) -> None:
        with pytest.raises(Invalid, match="starttls or ssl"):
            channel(25, user="desk", password="right")


def test_the_password_is_in_no_repr() -> None:
    sending = channel(25, security="ssl", user="desk", password="canary-7")

    assert "canary-7" not in repr(sending)


@pytest.mark.parametrize("text", [".\n..\n.hidden\nQUIT", "a\n.\nMAIL FROM:<eve@example.org>", "я\n.", "."])
def test_a_text_with_lines_that_begin_with_a_dot_arrives_as_typed(server: MailServer, text: str) -> None:
    assert isinstance(channel(server.port).send(evolve(outgoing(ANN), text=text)), Accepted)

    (mail,) = server.mails
    assert mail.get_content().replace("\r\n", "\n") == f"{text}\n"


@pytest.mark.parametrize("bad", ["two\r\nBcc: eve@example.org", "two\nlines", "a\rb", "\0", "\u2028"])
def test_a_subject_of_two_lines_is_refused_and_never_sent(server: MailServer, bad: str) -> None:
    outcome = channel(server.port).send(evolve(outgoing(ANN), subject=bad))

    assert isinstance(outcome, RefusedForGood)
    assert server.received == []


def test_a_sender_of_two_lines_is_refused_at_once() -> None:
    with pytest.raises(Invalid):
        channel(25, sender_name="Desk\r\nBcc: eve@example.org")


@given(
    st.lists(
        st.sampled_from([*AS_TYPED.split(), "=?utf-8?q?x?=", "я" * 60, "e" * 80, "👨‍👩‍👧", "", "(c)"])
    ).map(" ".join)
)
def test_a_subject_is_read_as_typed_by_old_and_new_readers(subject: str) -> None:
    subject = subject.strip()
    content = channel(25)._written(evolve(outgoing(ANN), subject=subject), ANN)

    assert str(email.message_from_bytes(content, policy=email.policy.default)["Subject"]) == subject
    old = email.message_from_bytes(content)["Subject"]
    assert str(email.header.make_header(email.header.decode_header(old))) == subject
    assert all(len(line) <= 998 for line in content.split(b"\r\n"))


@pytest.mark.parametrize(
    ("typed", "spelt"),
    [
        ("Ann@Example.ORG", "ann@example.org"),
        (" ann+tag@example.org\n", "ann+tag@example.org"),
        ("ann@почта.рф", "ann@xn--80a1acny.xn--p1ai"),
        ("ann@straße.example", "ann@xn--strae-oqa.example"),
        ("ann@example.org.", "ann@example.org"),
    ],
)
def test_an_address_is_spelt_in_one_way(typed: str, spelt: str) -> None:
    assert channel(25).check(typed) == spelt


@pytest.mark.parametrize(
    "bad",
    [
        "ann",
        "@example.org",
        "ann@",
        "ann@example",
        "ann@@example.org",
        "ann@example.org, eve@example.org",
        "Ann <ann@example.org>",
        '"ann"@example.org',
        "ann..b@example.org",
        ".ann@example.org",
        "анна@example.org",
        "ann@[127.0.0.1]",
        "ann@127.0.0.1",
        "bas@ba$.com",
        "ann@exаmple.org",  # a Cyrillic а
        "ann@example.org\r\nBcc: eve@example.org",
        "javascript:alert(1)",
        "a" * 65 + "@example.org",
        "ann@" + "a" * 64 + ".org",
        "ann@" + "abc." * 63 + "org",
    ],
)
def test_what_is_no_single_mailbox_is_refused(bad: str) -> None:
    with pytest.raises(Invalid, match="address"):
        channel(25).check(bad)


def parts(mail: email.message.EmailMessage) -> dict[str, str]:
    """The alternatives of a mail by their type, in their order."""
    return {part.get_content_type(): part.get_content() for part in mail.iter_parts()}


class TestHtml:
    HTML = "<!DOCTYPE html>\n<p>Созвон 🚀 №5 &#34;срочно&#34; &lt;b&gt;</p>\n.\n"

    def test_the_text_comes_first_and_the_same_in_html_after_it(self, server: MailServer) -> None:
        channel(server.port).send(evolve(outgoing(ANN), html=self.HTML))

        (mail,) = server.mails
        assert mail.get_content_type() == "multipart/alternative"
        assert list(parts(mail)) == ["text/plain", "text/html"]
        assert parts(mail)["text/html"].replace("\r\n", "\n") == self.HTML
        assert {part.get_content_charset() for part in mail.iter_parts()} == {"utf-8"}
        assert list(mail.iter_attachments()) == []

    def test_every_line_of_it_goes_through_any_server(self, server: MailServer) -> None:
        channel(server.port).send(evolve(outgoing(ANN), html=f"<p>{'ы' * 5000}</p>"))

        (content,) = server.received
        assert content.isascii()
        assert max(len(line) for line in content.split(b"\r\n")) <= 998

    def test_html_that_utf_8_does_not_have_is_refused_and_never_sent(self, server: MailServer) -> None:
        outcome = channel(server.port).send(evolve(outgoing(ANN), html="<p>\udc80</p>"))

        assert isinstance(outcome, RefusedForGood)
        assert server.received == []


@pytest.mark.parametrize("title", HARMFUL)
@pytest.mark.parametrize("language", ["en", "ru"])
def test_r53_a_reminder_arrives_by_mail_exactly_as_typed(
    server: MailServer, language: str, title: str
) -> None:
    said = JinjaTemplates().reminder(Template.CALENDAR_REMINDER, example(), title, language, "Europe/Moscow")
    sent = evolve(outgoing(ANN), subject=said.subject, text=said.text, html=said.html)

    assert isinstance(channel(server.port).send(sent), Accepted)

    (mail,) = server.mails
    before = {"en": "Reminder", "ru": "Напоминание"}[language]
    assert str(mail["Subject"]) == f"{before}: {title}"
    old = email.message_from_bytes(server.received[0])["Subject"]
    assert str(email.header.make_header(email.header.decode_header(old))) == f"{before}: {title}"
    assert parts(mail)["text/plain"].split("\r\n")[0] == title
    assert title in Page.of(parts(mail)["text/html"]).texts


def test_r53_mails_written_to_files_read_as_typed_in_each_language(tmp_path: Path) -> None:
    written = mail_samples.write(tmp_path)

    assert len(written) == 12
    for template in REMINDERS:
        russian = (tmp_path / f"{template.value}.ru.txt").read_text("utf-8").splitlines()
        english = (tmp_path / f"{template.value}.en.txt").read_text("utf-8").splitlines()
        assert russian == [AS_TYPED, "Начало: понедельник, 6 июля 2026 г., 15:00 (Europe/Moscow, UTC+3)"]
        assert english == [AS_TYPED, "Starts: Monday, 6 July 2026, 14:00 (Europe/Madrid, UTC+2)"]
        for language in ("ru", "en"):
            page = Page.of((tmp_path / f"{template.value}.{language}.html").read_text("utf-8"))
            assert AS_TYPED in page.texts
