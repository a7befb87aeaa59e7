"""The mails as they arrive, for a person to look at: `python -m tests.mail_samples FOLDER` writes them."""

import email
import email.policy
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

from attrs import evolve

from adapters.outbound.channels.email import EmailChannel
from adapters.outbound.templates.jinja import JinjaTemplates
from adapters.testkit.channel import outgoing
from adapters.testkit.clock import SettableClock
from adapters.testkit.templates import AS_TYPED, example
from application.ports.channel import Accepted
from domain.delivery import REMINDERS
from tests.mail_server import HOST, MailServer

ZONES = {"ru": "Europe/Moscow", "en": "Europe/Madrid"}
NOW = datetime(2026, 7, 6, 11, 0, tzinfo=UTC)


def write(folder: Path) -> Sequence[Path]:
    """Send both reminders in each language through a real server; what arrived is written whole (.eml), as
    its text and as its HTML.
    """
    written: list[Path] = []
    with MailServer() as server:
        channel = EmailChannel(HOST, server.port, "desk@b.example", SettableClock(NOW), security="none")
        for language, zone in ZONES.items():
            for template in REMINDERS:
                said = JinjaTemplates().reminder(template, example(), AS_TYPED, language, zone)
                message = evolve(
                    outgoing("ann@example.org"), subject=said.subject, text=said.text, html=said.html
                )
                assert isinstance(channel.send(message), Accepted)
                written += _keep(server.received[-1], folder / f"{template.value}.{language}")
    return written


def _keep(received: bytes, name: Path) -> list[Path]:
    mail = email.message_from_bytes(received, policy=email.policy.default)
    files = {".eml": received, ".txt": _part(mail, "plain"), ".html": _part(mail, "html")}
    paths = [name.with_name(name.name + ending) for ending in files]
    for path, content in zip(paths, files.values(), strict=True):
        path.write_bytes(content)
    return paths


def _part(mail: EmailMessage, kind: str) -> bytes:
    part = mail.get_body((kind,))
    assert part is not None
    content = part.get_payload(decode=True)
    assert isinstance(content, bytes)
    return content


if __name__ == "__main__":
    for path in write(Path(sys.argv[1])):
        print(path)
