"""People, and how to reach them."""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol

from attrs import field, frozen

from domain.triggers import Trigger
from domain.values import ContactPointId, TenantId, UserId


@frozen
class AgentPlatform:
    """Where a tenant's agents are called for deferred touches, and what the calls are signed with."""

    url: str = field(repr=False)
    secret: str = field(repr=False)


@frozen
class Tenant:
    """`default_triggers` are those of events that bring none, `all_day_triggers` of events of whole days;
    None leaves it to whoever plans them. `operator_id` is the person to turn to when something is wrong.
    """

    id: TenantId
    handle: str
    time_zone: str = "UTC"
    language: str = "en"
    default_triggers: tuple[Trigger, ...] | None = None
    all_day_triggers: tuple[Trigger, ...] | None = None
    operator_id: UserId | None = None
    agent: AgentPlatform | None = None


@frozen
class Person:
    """One who is no member any more is still known, and nothing reaches them.

    `is_erased` when read: only `People.erase` makes it so, and nothing undoes it.
    """

    id: UserId
    tenant_id: TenantId
    handle: str
    language: str = "en"
    time_zone: str = "UTC"
    is_member: bool = True
    is_erased: bool = False


@frozen
class ContactPoint:
    """An address of a person on a channel; a lower `position` is preferred.

    `opted_out` when read: of this address, or of its whole channel. `secret` is what messages to it are
    signed with, where the channel signs.
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
    """A person, their contact points in order of preference, and the channels they opted out of."""

    person: Person
    contact_points: Sequence[ContactPoint]
    opted_out: AbstractSet[str] = frozenset()


@frozen
class Erased:
    """How many of a person's addresses and of their events' titles there were."""

    addresses: int
    titles: int


class People(Protocol):
    """Tenants, their people, and how to reach them. Addresses live here and nowhere else.

    What changes something answers False where there is nothing of that id to change. What would say anything
    of a person who is erased raises PersonIsErased, also when they are erased at the same moment.
    """

    def add_tenant(self, tenant: Tenant) -> None:
        """Keep a tenant; AlreadyThere when its handle is taken."""

    def tenant(self, key: TenantId | str) -> Tenant | None:
        """The tenant of this id or handle."""

    def tenants(self) -> Sequence[Tenant]:
        """All tenants, ordered by handle."""

    def set_tenant(self, tenant: Tenant) -> bool:
        """Keep the tenant of this id as it is given; AlreadyThere when another has its handle."""

    def add_person(self, person: Person) -> None:
        """Keep a person; AlreadyThere when the handle is taken within the tenant."""

    def person(self, tenant_id: TenantId, key: UserId | str) -> Person | None:
        """The person of this id or handle within a tenant; another tenant's person is not found."""

    def by_id(self, id: UserId) -> Person | None:
        """The person of this id, whatever their tenant: for whoever may see all tenants."""

    def of_tenant(self, tenant_id: TenantId) -> Sequence[Person]:
        """The people of a tenant, ordered by handle, those who left too; nobody for an unknown one."""

    def set_person(self, person: Person) -> bool:
        """Keep the person of this id and tenant as given; AlreadyThere when another has the handle there."""

    def add_contact_point(self, contact_point: ContactPoint) -> None:
        """Keep a contact point, last in the order; AlreadyThere when the person has this address there."""

    def contact_points(self, user_id: UserId) -> Sequence[ContactPoint]:
        """A person's contact points in order of preference."""

    def contact_point(self, id: ContactPointId) -> ContactPoint | None:
        """The contact point of this id."""

    def remove_contact_point(self, id: ContactPointId) -> bool:
        """Forget the contact point; what was to go there is not sent any more."""

    def prefer(self, id: ContactPointId) -> bool:
        """Put the contact point first in its person's order; the others keep theirs."""

    def opt_out(self, id: ContactPointId, out: bool) -> bool:
        """Opt out of this one address, or in again; a channel that was opted out of as a whole stays so."""

    def opt_out_of(self, user_id: UserId, channel: str, out: bool) -> bool:
        """Opt a person out of a channel, also at addresses still to come; or in again, at all of them."""

    def recipients(self, wanted: Collection[tuple[TenantId, UserId]]) -> Mapping[UserId, Recipient]:
        """Who of these is known in that tenant; a constant number of questions to the store."""

    def erase(self, tenant_id: TenantId, user_id: UserId) -> Erased | None:
        """Empty all that tells who the person is, in one commit; None for a person who is not there.

        The id stays and is the handle from then on, no member and nobody's operator. Gone are language and
        zone, contact points and opt-outs, the titles of events that are theirs as owner or client, from their
        deliveries the hash of the address and what channels said, and all texts of touches and plans of which
        they are the origin or target, with the keys that these were asked for by.

        The touches and plans themselves are `Erasing`'s to end.

        Busy when transactions that hold the person (`Transaction.erased`) do so for longer than 15 s.
        """
