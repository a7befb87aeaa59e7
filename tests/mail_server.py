"""A real SMTP server on this machine that answers as it is told."""

import asyncio
import email
import email.policy
import socket
import ssl
from email.message import EmailMessage
from typing import Any, Self

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

HOST = "127.0.0.1"
HANG = "hang"
DROP = "drop"
_ACCEPT = "250 2.0.0 Ok: queued as 4XyZ0Queue"


def free_port() -> int:
    """A port that nobody has now; aiosmtpd cannot be asked for any."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


class _Hooks:
    """What aiosmtpd looks at, whole, for each connection: `mails` would be read anew each time."""

    def __init__(self, server: "MailServer") -> None:
        self.handle_EHLO = server.handle_EHLO
        self.handle_RCPT = server.handle_RCPT
        self.handle_DATA = server.handle_DATA


class MailServer:
    """`answers` maps a step (`RCPT`, `DATA`) to its next answers, in order; HANG and DROP are answers too."""

    def __init__(self, context: ssl.SSLContext | None = None, *, starttls: bool = True, login: bool = False):
        self.answers: dict[str, list[str]] = {"RCPT": [], "DATA": []}
        self.received: list[bytes] = []
        self.recipients: list[str] = []
        self.logins: list[bytes] = []
        self.greetings: list[str] = []
        self.secured: list[bool] = []
        implicit = context if context and not starttls else None
        self._controller = Controller(
            _Hooks(self),
            hostname=HOST,
            port=free_port(),
            ssl_context=implicit,
            ready_timeout=10,
            tls_context=context if starttls else None,
            authenticator=self._authenticate if login else None,
            auth_require_tls=starttls,
            auth_required=login,
        )
        self.port = int(self._controller.port)

    def __enter__(self) -> Self:
        self._controller.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._controller.stop()

    @property
    def mails(self) -> list[EmailMessage]:
        return [email.message_from_bytes(one, policy=email.policy.default) for one in self.received]

    async def handle_EHLO(
        self, server: SMTP, session: Session, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        session.host_name = hostname
        self.greetings.append(hostname)
        return responses

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.answers["RCPT"]:
            return await _said(server, self.answers["RCPT"].pop(0))
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        answer = self.answers["DATA"].pop(0) if self.answers["DATA"] else _ACCEPT
        if answer.startswith("2"):
            assert isinstance(envelope.content, bytes)
            self.received.append(envelope.content)
            self.recipients += envelope.rcpt_tos
            self.secured.append(session.ssl is not None)
        return await _said(server, answer)

    def _authenticate(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any
    ) -> AuthResult:
        assert isinstance(data, LoginPassword)
        self.logins.append(data.login)
        return AuthResult(success=data == LoginPassword(b"desk", b"right"), handled=False)


async def _said(server: SMTP, answer: str) -> str:
    if answer == HANG:
        await asyncio.Event().wait()
    if answer == DROP:
        assert isinstance(server.transport, asyncio.WriteTransport)
        server.transport.abort()
    return answer
