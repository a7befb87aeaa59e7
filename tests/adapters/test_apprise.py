"""What the channels through Apprise do beyond the contract: their URLs are secrets, and for one recipient."""

import json
import logging
import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from html import unescape
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
import requests
from apprise.plugins.telegram import NotifyTelegram
from attrs import evolve

from adapters.outbound.channels.apprise import TELEGRAM, WHATSAPP, AppriseChannel
from adapters.outbound.channels.overheard import overhearing
from adapters.outbound.templates.jinja import JinjaTemplates
from adapters.testkit.channel import outgoing
from adapters.testkit.templates import HARMFUL, example
from application.ports.channel import Accepted, Later, Outcome, OutcomeUnknown, RefusedForGood
from domain.delivery import Template
from domain.errors import Invalid
from tests.certificate import tls_contexts
from tests.mail_server import free_port
from tests.web_server import HOST, WebServer, body, drip, drop, hang, status

TELEGRAM_URL = "tgram://123456789:abcdefg_hijklmnop/12315544"
WHATSAPP_URL = "whatsapp://token@123456/+74951234567"


@pytest.fixture
def server() -> Iterator[WebServer]:
    with WebServer() as server:
        yield server


def sent(url: str, **settings: Any) -> Outcome:
    return AppriseChannel(**{"allow_private": True, **settings}).send(outgoing(url))


def at(server: WebServer, more: str = "") -> str:
    return f"json://{HOST}:{server.port}/hook{more}"


def test_telegram_and_whatsapp_take_their_own_urls_only() -> None:
    telegram, whatsapp = AppriseChannel("telegram", TELEGRAM), AppriseChannel("whatsapp", WHATSAPP)

    assert telegram.check(TELEGRAM_URL) == TELEGRAM_URL
    assert whatsapp.check(WHATSAPP_URL) == WHATSAPP_URL
    for channel, other in (
        (telegram, WHATSAPP_URL),
        (whatsapp, TELEGRAM_URL),
        (telegram, "json://h.example"),
    ):
        with pytest.raises(Invalid, match=f"none of the channel {channel.name}"):
            channel.check(other)
        assert isinstance(channel.send(outgoing(other)), RefusedForGood)


@pytest.mark.parametrize(
    "url",
    [
        "tgram://bad",
        "tgram://123456789:abcdefg_hijklmnop/1/2",
        "whatsapp://token@123456/+74951234567/+74951234568",
        "pigeon://roof",
        "syslog://",
        "SYSLOG://",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "json://localhost/a",
        "jsons://10.0.0.1/a",
        "json://169.254.169.254/a",
        "json://[::1]/a",
        "json://2852039166/a",
        "gotify://192.168.1.1/token",
        "ntfy://127.0.0.1/topic",
        "mailto://ann:secret@b.example?to=c@b.example,d@b.example",
    ],
)
def test_such_a_url_is_refused_at_saving_and_at_sending_and_not_repeated(url: str) -> None:
    channel = AppriseChannel()

    with pytest.raises(Invalid, match="address") as refusal:
        channel.check(url)

    assert url not in str(refusal.value)
    assert "secret" not in str(refusal.value)
    assert isinstance(channel.send(outgoing(url)), RefusedForGood)


def test_a_server_whose_name_leads_to_a_private_address_is_refused_at_sending(
    server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (HOST, server.port))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    url = f"json://hooks.example.org:{server.port}/"

    assert sent(url, allow_private=False) == RefusedForGood("its server is at a private address")
    assert server.seen == []
    assert sent(url) == Accepted()


def test_a_server_that_nobody_knows_is_for_later() -> None:
    assert isinstance(sent("jsons://no-such-host.invalid/", allow_private=False), Later)


def answered(code: int) -> OutcomeUnknown:
    return OutcomeUnknown(f"answered {code}, which does not say that it was not taken")


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (301, answered(301)),
        (400, RefusedForGood("answered 400")),
        (401, RefusedForGood("answered 401")),
        (403, RefusedForGood("answered 403")),
        (404, RefusedForGood("answered 404")),
        (408, Later("answered 408")),
        (429, Later("answered 429", timedelta(seconds=7))),
        (500, answered(500)),
        (503, answered(503)),
    ],
)
def test_a_4xx_is_a_refusal_by_its_code_and_all_else_but_yes_leaves_the_fate_unknown(
    server: WebServer, code: int, outcome: Outcome
) -> None:
    wait = {"retry-after": "7"} if code == 429 else {}
    server.answers.append(status(code, location=at(server), **wait))

    assert sent(at(server, "?retry=3&wait=0&redirect=yes")) == outcome

    assert len(server.seen) == 1


def test_a_refusal_on_telegram_is_one(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NotifyTelegram, "notify_url", f"http://{HOST}:{server.port}/bot")
    server.answers.append(body(403, b'{"ok": false, "description": "bot was blocked by the user"}'))

    assert AppriseChannel("telegram", TELEGRAM).send(outgoing(TELEGRAM_URL)) == RefusedForGood("answered 403")


def test_what_a_server_heard_in_part_is_not_taken_for_refused(server: WebServer) -> None:
    server.answers += [status(200), status(403)]
    long = evolve(outgoing(at(server, "?overflow=split")), text="a " * 30_000)

    outcome = AppriseChannel(allow_private=True).send(long)

    assert len(server.seen) == 2
    assert outcome == answered(200)


def test_one_thread_hears_nothing_of_what_another_sends(server: WebServer) -> None:
    server.answers.append(status(403))
    with overhearing() as heard, ThreadPoolExecutor(1) as other:
        other.submit(requests.post, f"http://{HOST}:{server.port}/", timeout=5).result()
        assert heard.answers == []
        requests.post(f"http://{HOST}:{server.port}/", timeout=5)
        assert [one.status_code for one in heard.answers] == [204]


@pytest.mark.parametrize("answer", [hang, drip, drop])
def test_no_answer_leaves_the_fate_unknown_and_ends_in_time(server: WebServer, answer: Any) -> None:
    server.answers.append(answer)
    started = monotonic()

    outcome = sent(at(server), timeout=timedelta(seconds=0.5), read_timeout=timedelta(seconds=0.3))

    assert isinstance(outcome, OutcomeUnknown)
    assert monotonic() - started < 5
    assert len(server.seen) == 1


def test_a_server_that_was_never_reached_is_for_later() -> None:
    unreached = Later("its server was not reached: no such name, no connection or no certificate to trust")

    assert sent(f"json://{HOST}:{free_port()}/") == unreached
    assert sent("json://no-such-host.invalid/") == unreached


def test_a_certificate_that_is_not_trusted_is_for_later_and_nothing_was_sent(tmp_path: Path) -> None:
    ours, _ = tls_contexts(tmp_path)
    with WebServer(ours) as server:
        outcome = sent(f"jsons://localhost:{server.port}/")

    assert isinstance(outcome, Later)
    assert server.seen == []


def test_the_url_is_in_no_log_line_and_in_no_reason(
    server: WebServer, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.answers += [status(403), drop]
    said = [str(sent(at(server, "/canary-5f1e"))) for _ in range(3)]
    said.append(str(sent("tgram://canary-5f1e")))

    everything = "".join([*said, caplog.text, *capfd.readouterr()])

    assert [one.partition("(")[0] for one in said] == [
        "RefusedForGood",
        "OutcomeUnknown",
        "Accepted",
        "RefusedForGood",
    ]
    assert "canary-5f1e" not in everything
    assert HOST not in everything


@pytest.mark.parametrize("title", HARMFUL)
@pytest.mark.parametrize("language", ["en", "ru"])
def test_r53_a_reminder_arrives_on_telegram_exactly_as_typed(
    server: WebServer, monkeypatch: pytest.MonkeyPatch, language: str, title: str
) -> None:
    monkeypatch.setattr(NotifyTelegram, "notify_url", f"http://{HOST}:{server.port}/bot")
    server.answers.append(body(200, b'{"ok": true, "result": {}}'))
    said = JinjaTemplates().reminder(Template.CALENDAR_REMINDER, example(), title, language, "Europe/Moscow")
    message = evolve(outgoing(TELEGRAM_URL), subject=said.subject, text=said.text)

    assert AppriseChannel("telegram", TELEGRAM).send(message) == Accepted()

    (request,) = server.seen
    told = json.loads(request.body)
    assert told["parse_mode"] == "HTML"
    # Of tags there is the one in which Apprise puts the subject; whatever the title has of them is text.
    shown = re.sub(r"</?b>", "", told["text"])
    assert "<" not in shown
    assert [line for line in unescape(shown).splitlines() if line] == [
        line for line in (said.subject + "\n" + said.text).splitlines() if line
    ]
