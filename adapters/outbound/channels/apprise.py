"""Telegram, WhatsApp and the many others that the library Apprise reaches: one URL an address."""

import logging
from datetime import timedelta
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

from attrs import field, frozen

from adapters.leash import Deadline
from adapters.outbound.channels.open_internet import may_be_talked_to
from adapters.outbound.channels.wire import (
    host_name,
    no_secret,
    one_visible_line,
    resolve,
)
from application.ports.channel import (
    Accepted,
    Later,
    Outcome,
    OutcomeUnknown,
    OutgoingMessage,
    RefusedForGood,
)
from domain.errors import Invalid

if TYPE_CHECKING:
    from apprise.plugins.base import NotifyBase

TELEGRAM = ("tgram",)
WHATSAPP = ("whatsapp",)
# They show something on the screen, or in the log, of the machine that Tickler runs on.
ON_THIS_MACHINE = frozenset({"dbus", "glib", "gnome", "kde", "macosx", "qt", "syslog", "windows"})

# What they log holds pieces of URLs, which are secrets, and nobody's wish is that it goes anywhere.
for _name in ("apprise", "urllib3", "requests"):
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)


@frozen
class AppriseChannel:
    """One URL of Apprise, which is a secret as a whole, for one recipient; of these schemes, where named.

    Apprise says neither why a message was not taken nor whether it may have been; what it sends by HTTP is
    overheard. A server that was never reached means later, a 4xx a refusal (or later, by its code); every
    other failure leaves the message's fate unknown, and it is held. Neither its redirects nor its own repeats
    are used, and it checks certificates whatever the URL says. Where the URL names a server, a private one is
    refused; Apprise looks the name up once more by itself, so only a firewall keeps out a name that changes
    its mind in between.
    """

    name: str = "apprise"
    schemes: tuple[str, ...] = ()
    allow_private: bool = False
    timeout: timedelta = timedelta(seconds=15)
    read_timeout: timedelta = timedelta(seconds=5)
    repeats_unknown: bool = field(default=False, init=False)

    def check(self, address: str) -> str:
        """An Apprise URL for one recipient, its scheme in lower case."""
        scheme, colon, rest = one_visible_line(address, 2048).partition("://")
        scheme = scheme.lower()
        if not colon:
            example = self.schemes[0] if self.schemes else "tgram"
            raise Invalid(f"address: a URL of Apprise such as {example}://… is wanted")
        if scheme in ON_THIS_MACHINE or (self.schemes and scheme not in self.schemes):
            raise Invalid(f"address: its scheme is none of the channel {self.name}")
        address = f"{scheme}://{rest}"
        self._check_host(self._plugin(address))
        return address

    def secret(self, given: str | None) -> None:
        no_secret(given)

    def send(self, message: OutgoingMessage) -> Outcome:
        try:
            plugin = self._plugin(self.check(message.address))
            (message.subject + message.text).encode()
        except (Invalid, ValueError):
            return RefusedForGood("its address or text will not do")
        outcomes: SimpleQueue[Outcome] = SimpleQueue()
        # Its time-outs are for each read: one that drips would hold us for ever, so it is left to itself.
        Thread(target=lambda: outcomes.put(self._sent(plugin, message)), daemon=True).start()
        try:
            return outcomes.get(timeout=self.timeout.total_seconds())
        except Empty:
            return OutcomeUnknown("no answer in time")

    def _sent(self, plugin: "NotifyBase", message: OutgoingMessage) -> Outcome:
        from apprise import Apprise, NotifyFormat

        from adapters.outbound.channels.overheard import overhearing

        try:
            refusal = self._resolved(plugin)
            if refusal is not None:
                return refusal
            one = Apprise(asset=plugin.asset)
            one.add(plugin)
            with overhearing() as heard:
                result = one.notify(
                    message.text,
                    title=message.subject,
                    body_format=NotifyFormat.TEXT,
                    interpret_escapes=False,
                )
            return Accepted() if result else heard.failure()
        except Exception as problem:
            return OutcomeUnknown(f"it broke off: {type(problem).__name__}")

    def _plugin(self, url: str) -> "NotifyBase":
        """What sends to this URL, an object for one message; Invalid when Apprise has none."""
        from apprise import Apprise, AppriseAsset, PersistentStoreMode

        # Without a time-out of its own Apprise works in our thread, and not in one of a few that all share.
        asset = AppriseAsset(
            async_mode=False,
            service_timeout=0.0,
            storage_mode=PersistentStoreMode.MEMORY,
            pgp_autogen=False,
            pem_autogen=False,
        )
        plugin = Apprise.instantiate(url, asset=asset)
        if plugin is None:
            raise Invalid("address: Apprise does not know such a URL, or something in it is missing or wrong")
        plugin.retry, plugin.redirects, plugin.verify_certificate = 0, False, True
        seconds = self.read_timeout.total_seconds()
        plugin.socket_connect_timeout = plugin.socket_read_timeout = seconds
        if len(plugin) > 1:
            raise Invalid("address: a URL for one recipient is wanted, and this one has several")
        return plugin

    def _check_host(self, plugin: "NotifyBase") -> None:
        """Invalid for a server that the open Internet cannot have, as far as that can be seen in the URL."""
        host = _server(plugin)
        if host is None or self.allow_private:
            return
        try:
            public = may_be_talked_to(host)
        except ValueError:
            public = "." in host_name(host)
        if not public:
            raise Invalid("address: its server is at a private address")

    def _resolved(self, plugin: "NotifyBase") -> Outcome | None:
        host = _server(plugin)
        if host is None or self.allow_private:
            return None
        try:
            addresses = resolve(host, plugin.port or 443, Deadline(self.timeout.total_seconds()))
        except OSError as problem:
            return Later(f"its server was not found: {type(problem).__name__}")
        if not all(may_be_talked_to(one) for one in addresses):
            return RefusedForGood("its server is at a private address")
        return None


def _server(plugin: "NotifyBase") -> str | None:
    """The server that a URL names; None where the place of a host holds a token or the like."""
    names_one = "{host}" in str(plugin.templates)
    return str(plugin.host).strip("[]") if names_one and plugin.host else None
