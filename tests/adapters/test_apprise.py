"""What the channels through Apprise do beyond the contract: their URLs are secrets, and for one recipient."""

import json
import logging
import re
import socket
from collections.abc import Iterator
from datetime import timedelta
from html import unescape
from time import monotonic
from typing import Any

import pytest
from apprise.plugins.telegram import NotifyTelegram
from attrs import evolve

from adapters.outbound.channels.apprise import TELEGRAM, WHATSAPP, AppriseChannel
from adapters.outbound.templates.jinja import JinjaTemplates
from adapters.testkit.channel import outgoing
from adapters.testkit.templates import HARMFUL, example
from application.ports.channel import Accepted, Later, Outcome, OutcomeUnknown, RefusedForGood
from domain.delivery import Template
from domain.errors import Invalid
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


@pytest.mark.parametrize("code", [301, 400, 403, 429, 500, 503])
def test_whatever_it_says_but_yes_leaves_the_fate_unknown_and_is_said_once(
    server: WebServer, code: int
) -> None:
    server.answers.append(status(code, location=at(server)))

    assert isinstance(sent(at(server, "?retry=3&wait=0&redirect=yes")), OutcomeUnknown)

    assert len(server.seen) == 1


@pytest.mark.parametrize("answer", [hang, drip, drop])
def test_no_answer_leaves_the_fate_unknown_and_ends_in_time(server: WebServer, answer: Any) -> None:
    server.answers.append(answer)
    started = monotonic()

    outcome = sent(at(server), timeout=timedelta(seconds=0.5), read_timeout=timedelta(seconds=0.3))

    assert isinstance(outcome, OutcomeUnknown)
    assert monotonic() - started < 5
    assert len(server.seen) == 1


def test_nobody_at_the_port_leaves_the_fate_unknown() -> None:
    assert isinstance(sent(f"json://{HOST}:{free_port()}/"), OutcomeUnknown)


def test_the_url_is_in_no_log_line_and_in_no_reason(
    server: WebServer, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.answers += [status(403), drop]
    said = [str(sent(at(server, "/canary-5f1e"))) for _ in range(3)]
    said.append(str(sent("tgram://canary-5f1e")))

    everything = "".join([*said, caplog.text, *capfd.readouterr()])

    assert [one.partition("(")[0] for one in said] == [
        "OutcomeUnknown",
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
