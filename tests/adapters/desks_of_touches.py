"""A desk for agents over either store, with a clock that stands still, and its server on this machine."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import Any

import httpx
from attrs import field, frozen

from adapters.inbound.desk import Desk
from adapters.inbound.http.app import make_app
from adapters.inbound.http.serving import HttpServer
from adapters.outbound.memory.people import MemoryPeople
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.memory.tokens import MemoryTokens
from adapters.outbound.memory.touches import MemoryTouches
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.people import PostgresPeople
from adapters.outbound.postgres.places import PostgresPlaces
from adapters.outbound.postgres.tokens import PostgresTokens
from adapters.outbound.postgres.touches.store import PostgresTouches
from adapters.outbound.system import new_secret
from adapters.tenancy import spoken_for
from adapters.testkit.clock import SettableClock
from adapters.testkit.examples import numbered
from adapters.testkit.ids import CountedIds
from application.ports.people import AgentPlatform, ContactPoint, People, Person, Tenant
from application.ports.tokens import Scope, Tokens
from application.ports.touches import Touches
from application.touching.access import Access
from application.touching.asking import Asking
from application.touching.deferring import Deferring, Limits
from application.touching.planning import Planning
from domain.recurrence import Schedule
from domain.values import ContactPointId, TenantId, UserId
from tests.roles import roles_in

# A Sunday; in Moscow it is three in the afternoon.
NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
ACME, OTHER = TenantId(numbered(1)), TenantId(numbered(2))
ANNA, BORIS, STRANGER = UserId(numbered(3)), UserId(numbered(4)), UserId(numbered(5))
WHATSAPP, EMAIL = ContactPointId(numbered(77)), ContactPointId(numbered(78))
# Made once: what trusts no authority is made in no time, and nothing here is reached over TLS.
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
AGENT = AgentPlatform("https://agents.b.example/touches", "whsec_bnVtYmF0bnVtYmF0bnVtYmF0bnVtYmF0")
KINDS = ("message", "call")
ALL = tuple(Scope)


class PlainTexts:
    """A template's words are its words."""

    def text_of_occurrence(self, template: str, schedule: Schedule, slot: datetime) -> str:
        return template


@frozen
class TouchDesk:
    """`access` lets in whom the tests want let in; the desk's own may have fewer rights."""

    desk: Desk
    access: Access
    people: People
    touches: Touches
    tokens: Tokens
    clock: SettableClock
    platform: str = field(repr=False)
    others_platform: str = field(repr=False)

    def session(self, person: UserId = ANNA, point: ContactPointId | None = WHATSAPP) -> str:
        """The token of a session of ACME's."""
        access = self.access
        return access.open_session(access.admit(self.platform), person, point).secret

    def others_session(self) -> str:
        access = self.access
        return access.open_session(access.admit(self.others_platform), STRANGER).secret

    def issue(self, name: str, *scopes: Scope) -> str:
        return self.access.issue(ACME, name, scopes).secret

    def nothing_is_written(self) -> bool:
        return not self.touches.listed(None, 10) and not self.touches.plans(None)


@contextmanager
def desk_over(
    store: str, database_url: Callable[[], str], limits: Limits | None = None
) -> Iterator[TouchDesk]:
    if store == "memory":
        memory = MemoryStore()
        stores = _Stores(MemoryPeople(memory), MemoryTouches(memory), MemoryTokens(memory))
        yield _desk(stores, stores, limits)
        return
    url = database_url()
    with closing(Database(url)) as database:
        kept = _Stores(PostgresPeople(database), PostgresTouches(database), PostgresTokens(database))
        if store == "postgres":
            yield _desk(kept, kept, limits)
            return
        with roles_in(url) as roles, closing(Database(roles.as_("api"), tenant=spoken_for)) as requests:
            asked = _Stores(PostgresPlaces(requests), PostgresTouches(requests), PostgresTokens(requests))
            yield _desk(kept, asked, limits)


@frozen
class _Stores:
    people: People
    touches: Touches
    tokens: Tokens


def _desk(kept: _Stores, asked: _Stores, limits: Limits | None) -> TouchDesk:
    """A desk that asks by some adapters, over a store that is filled and looked at by others."""
    people, touches, tokens = kept.people, kept.touches, kept.tokens
    clock, ids = SettableClock(NOW), CountedIds()
    for tenant_id, handle in ((ACME, "acme"), (OTHER, "other")):
        people.add_tenant(
            Tenant(tenant_id, handle, "Europe/Moscow", agent=AGENT if handle == "acme" else None)
        )
    for user_id, tenant_id, name in ((ANNA, ACME, "anna"), (BORIS, ACME, "boris"), (STRANGER, OTHER, "anna")):
        people.add_person(Person(user_id, tenant_id, name, "ru", "Europe/Moscow"))
    people.add_contact_point(ContactPoint(WHATSAPP, ANNA, "whatsapp", "+10000000001"))
    people.add_contact_point(ContactPoint(EMAIL, ANNA, "email", "anna@b.example"))
    access = Access(tokens, people, touches, clock, ids, new_secret)
    deferring = Deferring(asked.touches, clock, ids, KINDS, limits or Limits())
    of_requests = Access(asked.tokens, asked.people, asked.touches, clock, ids, new_secret)
    asking = Asking(of_requests, deferring, asked.touches, clock)
    planning = Planning(asked.touches, asked.people, clock, ids, PlainTexts(), KINDS)
    desk = Desk(of_requests, asking, deferring, planning, asked.touches, clock)
    platform = access.issue(ACME, "agents", ALL).secret
    others = access.issue(OTHER, "agents", ALL).secret
    return TouchDesk(desk, access, people, touches, tokens, clock, platform, others)


@frozen
class Api:
    """Speaks to the server as a platform or an agent does."""

    desk: TouchDesk
    url: str
    client: httpx.Client

    def __call__(
        self,
        method: str,
        path: str,
        token: str | None = None,
        body: Any = None,
        headers: dict[str, str] | None = None,
        **more: Any,
    ) -> httpx.Response:
        sent = dict(headers or {})
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        if body is not None:
            more["json"] = body
        return self.client.request(method, f"{self.url}/api/v1{path}", headers=sent, **more)

    def defer(self, token: str, key: str = "k1", **body: Any) -> httpx.Response:
        asked = {"when": "in 10 minutes", "text": "the kettle", **body}
        return self("POST", "/touches", token, asked, {"Idempotency-Key": key})

    def send(self, token: str, content: bytes, content_type: str = "application/json") -> httpx.Response:
        """A body of a touch's to be, as it is given."""
        headers = {"Idempotency-Key": "k1", "Content-Type": content_type}
        return self("POST", "/touches", token, None, headers, content=content)


@contextmanager
def api_over(desk: TouchDesk) -> Iterator[Api]:
    with (
        HttpServer(make_app(desk.desk), "127.0.0.1", 0) as server,
        httpx.Client(timeout=20, trust_env=False, verify=_NO_TLS) as client,
    ):
        yield Api(desk, server.url, client)
