"""What webhooks do beyond the contract: each status, endless answers, and addresses that are a trap."""

import base64
import gzip
import hmac
import json
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import UUID

import pytest
from attrs import evolve

from adapters.leash import Deadline
from adapters.outbound.channels import posting
from adapters.outbound.channels.signing import signature
from adapters.outbound.channels.webhook import WebhookChannel
from adapters.outbound.templates.jinja import JinjaTemplates
from adapters.testkit.channel import AS_TYPED, outgoing
from adapters.testkit.clock import SettableClock
from adapters.testkit.templates import HARMFUL, example
from application.ports.channel import Accepted, Later, Outcome, OutcomeUnknown, RefusedForGood
from domain.delivery import Template
from domain.errors import Invalid
from tests.certificate import tls_contexts
from tests.mail_server import free_port
from tests.web_server import HOST, Request, WebServer, body, drip, drop, endless_body, hang, status

CLOCK = SettableClock(datetime(2026, 11, 29, 12, 0, tzinfo=UTC))
SHORT = timedelta(seconds=0.5)


def channel(**settings: Any) -> WebhookChannel:
    return WebhookChannel(CLOCK, **{"allow_http": True, "allow_private": True, **settings})


@pytest.fixture
def server() -> Iterator[WebServer]:
    with WebServer() as server:
        yield server


def sent(server: WebServer, **settings: Any) -> Outcome:
    return channel(**settings).send(outgoing(f"http://{HOST}:{server.port}/hooks/Ann"))


def test_the_body_holds_the_words_as_typed_and_the_data(server: WebServer) -> None:
    assert sent(server) == Accepted()

    (request,) = server.taken
    message = outgoing("")
    assert request.path == "/hooks/Ann"
    assert json.loads(request.body) == {
        "template": message.template,
        "subject": message.subject,
        "text": message.text,
        "data": dict(message.data),
    }
    assert AS_TYPED.replace('"', '\\"').encode() in request.body


@pytest.mark.parametrize("title", HARMFUL)
@pytest.mark.parametrize("language", ["en", "ru"])
def test_r53_a_reminder_arrives_by_webhook_exactly_as_typed(
    server: WebServer, language: str, title: str
) -> None:
    said = JinjaTemplates().reminder(Template.CALENDAR_REMINDER, example(), title, language, "Europe/Moscow")
    message = outgoing(f"http://{HOST}:{server.port}/hooks/Ann")

    assert channel().send(evolve(message, subject=said.subject, text=said.text)) == Accepted()

    (request,) = server.taken
    told = json.loads(request.body)
    before = {"en": "Reminder", "ru": "Напоминание"}[language]
    assert told["subject"] == f"{before}: {title}"
    assert told["text"].splitlines()[0] == title


def test_every_try_has_the_same_id_and_a_time_of_its_own(server: WebServer) -> None:
    clock = SettableClock(CLOCK.now())
    sending = WebhookChannel(clock, allow_http=True, allow_private=True)
    message = outgoing(f"http://{HOST}:{server.port}/")

    sending.send(message)
    clock.advance(timedelta(seconds=90))
    sending.send(message)

    first, again = (request.headers for request in server.taken)
    assert first["webhook-id"] == again["webhook-id"] == first["idempotency-key"] == str(UUID(int=1))
    assert int(again["webhook-timestamp"]) - int(first["webhook-timestamp"]) == 90
    assert int(first["webhook-timestamp"]) == CLOCK.now().timestamp()
    assert first["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (200, Accepted()),
        (202, Accepted()),
        (301, RefusedForGood("answered 301; redirects are not followed")),
        (304, RefusedForGood("answered 304; redirects are not followed")),
        (400, RefusedForGood("answered 400")),
        (404, RefusedForGood("answered 404")),
        (410, RefusedForGood("answered 410")),
        (408, Later("answered 408")),
        (425, Later("answered 425")),
        (429, Later("answered 429")),
        (500, Later("answered 500")),
        (503, Later("answered 503")),
        (599, Later("answered 599")),
    ],
)
def test_each_status_means_one_outcome(server: WebServer, code: int, outcome: Outcome) -> None:
    server.answers.append(status(code))

    assert sent(server) == outcome


@pytest.mark.parametrize(
    ("asked", "wait"),
    [
        ("34", timedelta(seconds=34)),
        ("0", timedelta(0)),
        ("10072", timedelta(seconds=10_072)),
        ("Sun, 29 Nov 2026 12:02:00 GMT", timedelta(minutes=2)),
        ("Sunday, 29-Nov-26 12:02:00 GMT", timedelta(minutes=2)),
        ("Sun, 29 Nov 2026 11:00:00 GMT", timedelta(0)),
        ("Fri, 01 Jan 2100 00:00:00 GMT", timedelta(days=1)),
        ("999999999999999999999999", timedelta(days=1)),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
        ("٣٤", None),
    ],
)
@pytest.mark.parametrize("code", [429, 503])
def test_retry_after_is_heard_in_both_its_forms(
    server: WebServer, code: int, asked: str, wait: timedelta | None
) -> None:
    server.answers.append(status(code, retry_after=asked.encode().decode("latin-1")))

    assert sent(server) == Later(f"answered {code}", wait)


def test_a_redirect_is_not_followed(server: WebServer) -> None:
    with WebServer() as other:
        server.answers.append(status(307, location=f"http://{HOST}:{other.port}/"))

        assert isinstance(sent(server), RefusedForGood)

        assert len(server.seen) == 1
        assert other.seen == []


def test_an_endless_answer_is_cut_and_is_no_yes(server: WebServer) -> None:
    server.answers += [endless_body(200), endless_body(500), endless_body(404)]

    assert [sent(server) for _ in range(3)] == [
        OutcomeUnknown("answered 200, and more than 64 kB of text"),
        Later("answered 500"),
        RefusedForGood("answered 404"),
    ]


@pytest.mark.parametrize("size", [posting.LONGEST_ANSWER // 2, posting.LONGEST_ANSWER])
def test_no_more_than_64_kb_of_an_answer_is_read(size: int) -> None:
    pieces = iter([b"x" * size] * 10)

    class Response:
        closed = False

        def iter_raw(self) -> Iterator[bytes]:
            return pieces

        def close(self) -> None:
            self.closed = True

    response = Response()
    posting.hear_out(response, Deadline(60))  # type: ignore[arg-type]

    assert response.closed
    assert 10 - len(list(pieces)) == posting.LONGEST_ANSWER // size


def test_an_answer_that_drips_is_cut_at_the_timeout_and_is_no_yes(server: WebServer) -> None:
    server.answers.append(endless_body(200, b"x", pause=0.02))
    started = monotonic()

    assert sent(server, timeout=SHORT) == OutcomeUnknown("answered 200, and its text did not end in time")

    assert monotonic() - started < 5


def test_an_answer_that_breaks_off_is_said_to_have(server: WebServer) -> None:
    def half(handler: Any, _: WebServer) -> None:
        handler.close_connection = True
        handler.send_response(200)
        handler.send_header("content-length", "100")
        handler.end_headers()
        handler.wfile.write(b"half")

    server.answers.append(half)

    assert sent(server) == OutcomeUnknown("answered 200, and its text broke off")


@pytest.mark.parametrize(
    ("url", "setting"),
    [
        ("http://hooks.example.org/a", "TICKLER_WEBHOOK_ALLOW_HTTP=true lets http:// pass"),
        ("https://127.0.0.1/a", "TICKLER_WEBHOOK_ALLOW_PRIVATE=true lets it pass"),
        ("https://hooks/a", "TICKLER_WEBHOOK_ALLOW_PRIVATE=true lets it pass"),
    ],
)
def test_a_refusal_by_a_setting_that_has_changed_names_the_setting(url: str, setting: str) -> None:
    assert channel().check(url)

    outcome = channel(allow_http=False, allow_private=False).send(outgoing(url))

    assert isinstance(outcome, RefusedForGood)
    assert setting in outcome.reason
    assert url not in outcome.reason


def test_an_answer_of_a_usual_length_is_a_yes(server: WebServer) -> None:
    server.answers += [body(200, b"x" * 60_000), body(202, b'{"ok": true, "error": null}')]

    assert [sent(server), sent(server)] == [Accepted(), Accepted()]


def test_a_small_answer_that_unpacks_to_a_large_one_is_not_unpacked_and_no_yes(server: WebServer) -> None:
    server.answers.append(body(200, gzip.compress(b"\0" * 50_000_000), content_encoding="gzip"))
    started = monotonic()

    assert sent(server) == OutcomeUnknown("answered 200, packed though it was asked not to")

    assert monotonic() - started < 5


@pytest.mark.parametrize(
    "text",
    [
        b'{"error": "queue is full"}',
        b'{"ok": false}',
        b'{"success": false}',
        b'{"errors": ["x"]}',
        b"Error: queue is full",
        b"\nerror",
    ],
)
def test_a_200_with_the_text_of_an_error_is_for_later(server: WebServer, text: bytes) -> None:
    server.answers.append(body(200, text))

    assert sent(server) == Later("answered 200 with an error")


@pytest.mark.parametrize("text", [b"", b"ok", b"{", b"[]", b"null", b"no errors", b"[" * 20_000])
def test_a_200_with_any_other_text_is_a_yes(server: WebServer, text: bytes) -> None:
    server.answers.append(body(200, text))

    assert sent(server) == Accepted()


class TestSignatures:
    """Verified by the formula of Standard Webhooks, not by the library that signs."""

    def signed(self, secret: str, request: Request) -> str:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        said = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode()
        return "v1," + base64.b64encode(hmac.digest(key, said + request.body, "sha256")).decode()

    def sent(self, server: WebServer, secret: str, clock: SettableClock = CLOCK) -> Request:
        message = evolve(outgoing(f"http://{HOST}:{server.port}/"), secret=secret)
        assert WebhookChannel(clock, allow_http=True, allow_private=True).send(message) == Accepted()
        return server.taken[-1]

    def test_the_very_bytes_are_signed_with_their_id_and_time(self, server: WebServer) -> None:
        secret = channel().secret(None)

        request = self.sent(server, secret)

        assert request.headers["webhook-signature"] == self.signed(secret, request)

    def test_the_formula_is_the_one_of_the_published_example(self) -> None:
        made = signature(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            datetime.fromtimestamp(1_614_265_330, UTC),
            b'{"test": 2432232314}',
        )
        assert made["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    def test_a_repeat_is_signed_anew_under_its_id_with_its_own_time(self, server: WebServer) -> None:
        clock, secret = SettableClock(CLOCK.now()), channel().secret(None)
        first = self.sent(server, secret, clock)
        clock.advance(timedelta(seconds=90))
        again = self.sent(server, secret, clock)

        assert first.headers["webhook-id"] == again.headers["webhook-id"]
        assert first.headers["webhook-timestamp"] != again.headers["webhook-timestamp"]
        assert first.headers["webhook-signature"] != again.headers["webhook-signature"]
        assert again.headers["webhook-signature"] == self.signed(secret, again)

    def test_while_a_secret_is_replaced_both_sign(self, server: WebServer) -> None:
        old, new = channel().secret(None), channel().secret(None)

        request = self.sent(server, f"{new} {old}")

        signatures = request.headers["webhook-signature"].split()
        assert signatures == [self.signed(new, request), self.signed(old, request)]

    @pytest.mark.parametrize("secret", [None, ""])
    def test_an_address_kept_before_there_were_secrets_gets_nothing_and_the_reason_says_what_to_do(
        self, server: WebServer, secret: str | None
    ) -> None:
        message = evolve(outgoing(f"http://{HOST}:{server.port}/"), secret=secret)

        outcome = channel().send(message)

        assert isinstance(outcome, RefusedForGood)
        assert "no secret" in outcome.reason
        assert "add it again" in outcome.reason
        assert server.seen == []

    def test_each_address_gets_a_secret_of_its_own(self) -> None:
        made = {channel().secret(None) for _ in range(10)}

        assert len(made) == 10
        assert all(channel().secret(one) == one for one in made)

    @pytest.mark.parametrize(
        "given",
        ["", "whsec_", "secret", "whsec_c2hvcnQ=", "whsec_!!!", "a b c", "whsec_" + "QUFB" * 40, "ключ"],
    )
    def test_a_secret_that_will_not_do_is_refused_and_not_repeated(self, given: str) -> None:
        with pytest.raises(Invalid, match="secret") as refusal:
            channel().secret(given)

        assert given in ("", "secret", "whsec_") or given not in str(refusal.value)

    def test_the_secret_is_in_no_message_that_is_printed(self) -> None:
        assert "whsec_" not in repr(evolve(outgoing("x"), secret="whsec_abc"))


@pytest.mark.parametrize("answer", [hang, drip, drop])
def test_no_answer_leaves_the_fate_unknown_and_ends_in_time(server: WebServer, answer: Any) -> None:
    server.answers.append(answer)
    started = monotonic()

    assert isinstance(sent(server, timeout=SHORT), OutcomeUnknown)

    assert monotonic() - started < 5
    assert len(server.seen) == 1


def test_nobody_at_the_port_is_for_later() -> None:
    outcome = channel().send(outgoing(f"http://{HOST}:{free_port()}/"))

    assert outcome == Later("no connection: ConnectError")


def test_a_host_without_an_address_is_for_later() -> None:
    assert isinstance(channel().send(outgoing("https://no-such-host.invalid/")), Later)


class TestTls:
    def test_the_name_of_the_url_is_what_the_certificate_is_checked_against(self, tmp_path: Path) -> None:
        ours, theirs = tls_contexts(tmp_path)
        with WebServer(ours) as server:
            sending = channel(context=theirs)

            assert sending.send(outgoing(f"https://localhost:{server.port}/a")) == Accepted()
            by_number = sending.send(outgoing(f"https://{HOST}:{server.port}/a"))

            assert server.taken[0].headers["host"] == f"localhost:{server.port}"
            assert by_number == Later("no connection: ConnectError")

    def test_a_certificate_that_nobody_vouches_for_is_for_later(self, tmp_path: Path) -> None:
        ours, _ = tls_contexts(tmp_path)
        with WebServer(ours) as server:
            outcome = channel().send(outgoing(f"https://localhost:{server.port}/a"))

            assert isinstance(outcome, Later)
            assert server.seen == []

    def test_a_server_that_never_finishes_the_handshake_is_for_later(self) -> None:
        with socket.create_server((HOST, 0)) as silent:
            url = f"https://localhost:{silent.getsockname()[1]}/"

            assert isinstance(channel(timeout=SHORT).send(outgoing(url)), Later)


class TestPrivateAddresses:
    """Refused when the address is kept where that can be seen in it, and always when it is used."""

    def test_a_name_that_leads_to_this_machine_is_refused_unless_allowed(
        self, server: WebServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def looked_up(*_: object, **__: object) -> list[Any]:
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (HOST, server.port))]

        monkeypatch.setattr(socket, "getaddrinfo", looked_up)
        url = f"http://hooks.example.org:{server.port}/"

        outcome = channel(allow_private=False).send(outgoing(url))
        allowed = channel().send(outgoing(url))

        assert outcome == RefusedForGood(
            "its host is at a private address; TICKLER_WEBHOOK_ALLOW_PRIVATE=true lets it pass"
        )
        assert allowed == Accepted()
        assert len(server.seen) == 1

    def test_a_name_is_looked_up_once_a_try(self, server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[object] = []

        def looked_up(host: object, *_: object, **__: object) -> list[Any]:
            asked.append(host)
            address = HOST if len(asked) == 1 else "10.0.0.1"
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, server.port))]

        # Only the lookup of names: a number is no name, and connecting to one asks too.
        real = socket.getaddrinfo
        monkeypatch.setattr(
            socket,
            "getaddrinfo",
            lambda host, *more, **named: (
                real(host, *more, **named) if host == HOST else looked_up(host, *more, **named)
            ),
        )

        assert channel().send(outgoing(f"http://hooks.example.org:{server.port}/")) == Accepted()
        assert asked == ["hooks.example.org"]

    @pytest.mark.parametrize(
        "url",
        [
            "https://169.254.169.254/latest",
            "https://[::ffff:169.254.169.254]/",
            "https://0251.0376.0251.0376/",
            "https://2852039166/",
            "https://0xa9fea9fe/",
            "https://a.0xa9/",
            "https://localhost/",
            "https://localhost./",
            "https://0.0.0.0/",
            "https://[::1]/",
            "https://192.0.0.192/",
            "https://192.88.99.1/",
            "https://[fec0::1]/",
            "https://[3fff::1]/",
            "https://[64:ff9b::a00:1]/",
            "https://[::10.0.0.1]/",
            "https://[fe80::1%25eth0]/",
            "https://example.org:22/",
            "https://ann:secret@example.org/",
            "https://ann@example.org/",
            "http://example.org/",
            "ftp://example.org/",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "//example.org/",
            "https:///x",
            "https://exаmple.org/",  # a Cyrillic а
            "https://example.org/#part",
            "https://example.org/ a",
            "https://exa\nmple.org/",
            "https://example.org:99999/",
            "https://" + "a" * 3000 + ".org/",
            "example.org",
        ],
    )
    def test_such_an_address_is_refused_at_saving_and_at_sending(self, url: str) -> None:
        sending = WebhookChannel(CLOCK)

        with pytest.raises(Invalid, match="address") as refusal:
            sending.check(url)

        assert "secret" not in str(refusal.value)
        assert isinstance(sending.send(outgoing(url)), RefusedForGood)

    @pytest.mark.parametrize(
        ("typed", "spelt"),
        [
            ("HTTPS://Example.ORG/Hooks/A?b=C", "https://example.org/Hooks/A?b=C"),
            ("https://example.org", "https://example.org/"),
            ("https://example.org:443/a", "https://example.org/a"),
            ("https://example.org:8443/a", "https://example.org:8443/a"),
            ("https://example.org./a", "https://example.org/a"),
            ("https://почта.рф/", "https://xn--80a1acny.xn--p1ai/"),
            ("https://8.8.8.8/a", "https://8.8.8.8/a"),
            ("https://[2606:4700::1111]/a", "https://[2606:4700::1111]/a"),
        ],
    )
    def test_an_address_is_spelt_in_one_way(self, typed: str, spelt: str) -> None:
        assert WebhookChannel(CLOCK).check(typed) == spelt


def test_text_that_cannot_be_written_is_refused_and_never_sent(server: WebServer) -> None:
    message = evolve(outgoing(f"http://{HOST}:{server.port}/"), text="\udc80")

    assert isinstance(channel().send(message), RefusedForGood)
    assert server.seen == []
