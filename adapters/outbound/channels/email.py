"""E-mail over SMTP (RFC 5321), one message a connection."""

import re
import smtplib
import socket
import ssl
from contextlib import suppress
from datetime import timedelta
from email.errors import MessageError
from email.header import Header
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Any, Literal

from attrs import field, frozen

from adapters.leash import Deadline, Leash
from adapters.outbound.channels.wire import (
    host_name,
    no_secret,
    one_visible_line,
    resolve,
    system_trust,
)
from application.ports.channel import (
    Accepted,
    Later,
    Outcome,
    OutcomeUnknown,
    OutgoingMessage,
    RefusedForGood,
)
from application.ports.machine import Clock
from domain.errors import Invalid

Security = Literal["none", "starttls", "ssl"]

_ATOM = r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LOCAL = re.compile(rf"{_ATOM}(\.{_ATOM})*")
_ENHANCED = re.compile(rb"[245]\.\d{1,3}\.\d{1,3}\b")
_QUEUED = re.compile(rb"(?:queued as |\bid=)([A-Za-z0-9][A-Za-z0-9.-]{3,63})(?=\s|$)", re.IGNORECASE)
_GOODBYE = 2.0  # seconds
_SEVEN_BIT = SMTP.clone(cte_type="7bit")
# The server wants a login first: the operator's fault, whatever the number says.
_LOGIN_IS_WANTED = (530, 534, 535, 538)


@frozen
class EmailChannel:
    """Mail through one server, which `sender` may use.

    `domain` stands in Message-ID and EHLO; it is the sender's unless given. `timeout` bounds a whole `send`.
    A message whose fate is unknown is held: a mailbox does not tell repeats apart.
    """

    host: str
    port: int
    sender: str
    clock: Clock
    security: Security = "starttls"
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    domain: str = ""
    sender_name: str = ""
    timeout: timedelta = timedelta(seconds=20)
    context: ssl.SSLContext = field(factory=system_trust, repr=False)
    name: str = field(default="email", init=False)
    repeats_unknown: bool = field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        if self.user is not None and self.security == "none":
            raise Invalid("email: a login needs a connection by starttls or ssl")
        if not _is_one_line(self.sender + self.sender_name + self.domain):
            raise Invalid("email: the sender holds a line break or a control character")

    def check(self, address: str) -> str:
        """One mailbox in lower case, its domain by IDNA; quoted and non-ASCII local parts are not taken.

        RFC 5321 lets a host tell `Ann@` from `ann@`. None does, and a person written both ways is one person.
        """
        local, at, domain = one_visible_line(address, 254).rpartition("@")
        local = local.lower()
        if not at or len(local) > 64 or not _LOCAL.fullmatch(local):
            raise Invalid("address: one address such as ann@example.org is wanted")
        domain = host_name(domain)
        if "." not in domain:
            raise Invalid("address: its domain has no dot")
        return f"{local}@{domain}"

    def secret(self, given: str | None) -> None:
        no_secret(given)

    def send(self, message: OutgoingMessage) -> Outcome:
        try:
            address = self.check(message.address)
            content = self._written(message, address)
        except (Invalid, MessageError, ValueError):
            return RefusedForGood("it cannot be written as a mail: its address, subject or text will not do")
        deadline = Deadline(self.timeout.total_seconds())
        with Leash(deadline) as leash:
            smtp = _Smtp(self._domain, deadline, leash)
            try:
                refused = self._introduce(smtp, address)
                return refused or _hand_over(smtp, content)
            finally:
                smtp.leave()

    def _introduce(self, smtp: "_Smtp", address: str) -> Outcome | None:
        """All that comes before the text, none of which can have sent anything: what stopped it, or None."""
        step = "the connection"
        try:
            smtp.open(self.host, self.port, self.context if self.security == "ssl" else None)
            step = "EHLO"
            smtp.ehlo_or_helo_if_needed()
            if self.security == "starttls":
                step = "STARTTLS"
                smtp.starttls(context=self.context)
                smtp.ehlo_or_helo_if_needed()
            if self.user is not None:
                step = "the login"
                smtp.login(self.user, self.password or "")
            step = "the sender"
            _wanted(200, smtp.mail(self.sender))
            step = "the recipient"
            _wanted(200, smtp.rcpt(address))
            step = "DATA"
            _wanted(300, smtp.docmd("DATA"))
        except smtplib.SMTPResponseException as answer:
            return _refused(step, answer.smtp_code, answer.smtp_error)
        except Exception as problem:
            return Later(f"{step} failed: {_kind(problem)}")
        return None

    @property
    def _domain(self) -> str:
        return self.domain or self.sender.rpartition("@")[2]

    def _written(self, message: OutgoingMessage, address: str) -> bytes:
        """The mail as it goes over the wire, dots doubled and lines ended; ValueError for a header of two
        lines or text that UTF-8 does not have.
        """
        (message.subject + message.text + (message.html or "")).encode()
        if not _is_one_line(message.subject):
            raise ValueError("subject")
        mail = EmailMessage(policy=_SEVEN_BIT)
        mail["From"] = Address(self.sender_name, addr_spec=self.sender)
        mail["To"] = address
        mail["Date"] = format_datetime(self.clock.now())
        mail["Message-ID"] = f"<{message.id}@{self._domain}>"
        mail["Auto-Submitted"] = "auto-generated"  # RFC 3834: no out-of-office answers, please
        mail.set_content(message.text, charset="utf-8")
        if message.html is not None:
            mail.add_alternative(message.html, subtype="html", charset="utf-8")
        # Not by EmailMessage, which lets a title pass that looks like an encoded word, and so is read as one.
        subject = Header(message.subject, "utf-8", header_name="Subject").encode(linesep="\r\n")
        content = f"Subject: {subject}\r\n".encode() + mail.as_bytes()
        return re.sub(rb"(?m)^\.", b"..", content if content.endswith(b"\r\n") else content + b"\r\n")


def _hand_over(smtp: "_Smtp", content: bytes) -> Outcome:
    """Send the text; from its last line to the answer nobody knows what became of it."""
    try:
        smtp.send(content)
    except OSError as problem:
        # Without its last line no server may take a message (RFC 5321, section 4.1.1.4).
        return Later(f"the text was not sent: {_kind(problem)}")
    try:
        smtp.send(b".\r\n")
        code, said = smtp.getreply()
    except (OSError, smtplib.SMTPException) as problem:
        return OutcomeUnknown(f"no answer to the text: {_kind(problem)}")
    if 200 <= code < 300:
        return Accepted(_queue_id(said))
    if 400 <= code < 600:
        return _refused("the text", code, said)
    return OutcomeUnknown("no sensible answer to the text")


class _NoAnswer(smtplib.SMTPException):
    """What came is no reply."""


class _Smtp(smtplib.SMTP):
    """An SMTP connection that never waits past its deadline."""

    def __init__(self, domain: str, deadline: Deadline, leash: Leash) -> None:
        super().__init__(local_hostname=domain)
        self._deadline = deadline
        self._leash = leash

    def open(self, host: str, port: int, tls: ssl.SSLContext | None) -> None:
        """Connect to the first of the host's addresses that answers, and hear its greeting."""
        problem: OSError = OSError("no address")
        for address in resolve(host, port, self._deadline):
            try:
                self.sock = socket.create_connection((address, port), self._deadline.left())
                break
            except OSError as failed:
                problem = failed
        else:
            raise problem
        self._leash.hold(self.sock)
        self._host = host  # smtplib's own name for whom a certificate is to be of
        if tls is not None:
            self.sock = tls.wrap_socket(self.sock, server_hostname=host)
        _wanted(200, self.getreply())

    def send(self, s: Any) -> None:
        self._wait_no_longer()
        super().send(s)

    def getreply(self) -> tuple[int, bytes]:
        """The server's own number and words; _NoAnswer for a reply that breaks RFC 5321, 4.5.3.1.5.

        For one that smtplib cannot read it makes up numbers of its own, 500 and -1, that nobody said.
        """
        self._wait_no_longer()
        try:
            code, said = super().getreply()
        except smtplib.SMTPResponseException:
            raise _NoAnswer from None
        if not 200 <= code < 600:
            raise _NoAnswer
        return code, said

    def leave(self) -> None:
        """Say goodbye where there is time for it, and close."""
        with suppress(OSError, smtplib.SMTPException):
            self._deadline = Deadline(min(self._deadline.left(), _GOODBYE))
            self.quit()
        self.close()

    def _wait_no_longer(self) -> None:
        if self.sock is not None:
            self.sock.settimeout(self._deadline.left())


def _wanted(hundred: int, answer: tuple[int, bytes]) -> None:
    code, said = answer
    if not hundred <= code < hundred + 100:
        raise smtplib.SMTPResponseException(code, said)


def _refused(step: str, code: int, said: bytes | str) -> Outcome:
    """What a refusal means. A reply often repeats the address: only its numbers are kept."""
    enhanced = _ENHANCED.match(said if isinstance(said, bytes) else said.encode())
    reason = f"{step} was answered {code}" + (f" {enhanced[0].decode()}" if enhanced else "")
    for_good = step in ("the recipient", "DATA", "the text") and 500 <= code < 600
    return RefusedForGood(reason) if for_good and code not in _LOGIN_IS_WANTED else Later(reason)


def _kind(problem: Exception) -> str:
    match problem:
        case ssl.SSLCertVerificationError():
            return f"TLS, {problem.verify_message}"
        case ssl.SSLError():
            return f"TLS, {problem.reason}"
        case _NoAnswer():
            return "an unreadable reply"
        case smtplib.SMTPNotSupportedError():
            return "the server does not offer it"
        case _:
            return type(problem).__name__


def _queue_id(said: bytes) -> str | None:
    found = _QUEUED.search(said)
    return found[1].decode() if found else None


def _is_one_line(text: str) -> bool:
    return not any(ord(letter) < 32 or letter in "\x7f\x85\u2028\u2029" for letter in text)
