"""People, and how to reach them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from attrs import field, frozen

from domain.values import ContactPointId, TenantId, UserId


@frozen
class Tenant:
    id: TenantId
    handle: str
    time_zone: str = "UTC"
    language: str = "en"


@frozen
class Person:
    id: UserId
    tenant_id: TenantId
    handle: str
    language: str = "en"
    time_zone: str = "UTC"


@frozen
class ContactPoint:
    """An address of a person on a channel; a lower `position` is preferred.

    `secret` is what messages to it are signed with, where the channel signs.
    """

    id: ContactPointId
    user_id: UserId
    channel: str
    address: str = field(repr=False)
    position: int = 0
    opted_out: bool = False
    secret: str | None = field(default=None, repr=False)


@frozen
class Recipient:
    """A person and their contact points in order of preference."""

    person: Person
    contact_points: Sequence[ContactPoint]


class People(Protocol):
    """Tenants, their people, and how to reach them. Addresses live here and nowhere else."""

    def add_tenant(self, tenant: Tenant) -> None:
        """Keep a tenant; AlreadyThere when its handle is taken."""

    def tenant(self, key: TenantId | str) -> Tenant | None:
        """The tenant of this id or handle."""

    def add_person(self, person: Person) -> None:
        """Keep a person; AlreadyThere when the handle is taken within the tenant."""

    def person(self, tenant_id: TenantId, key: UserId | str) -> Person | None:
        """The person of this id or handle within a tenant; another tenant's person is not found."""

    def of_tenant(self, tenant_id: TenantId) -> Sequence[Person]:
        """The people of a tenant, ordered by handle; nobody for an unknown one."""

    def add_contact_point(self, contact_point: ContactPoint) -> None:
        """Keep a contact point, last in the order; AlreadyThere when the person has this address there."""

    def contact_points(self, user_id: UserId) -> Sequence[ContactPoint]:
        """A person's contact points in order of preference."""

    def recipients(self, wanted: Collection[tuple[TenantId, UserId]]) -> Mapping[UserId, Recipient]:
        """Who of these is known in that tenant; a constant number of questions to the store."""
