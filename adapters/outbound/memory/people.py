"""People in memory."""

from collections.abc import Collection, Mapping, Sequence

from attrs import evolve, frozen

from adapters.outbound.memory.store import MemoryStore
from application.ports.errors import AlreadyThere
from application.ports.people import ContactPoint, Person, Recipient, Tenant
from domain.values import TenantId, UserId


@frozen
class MemoryPeople:
    store: MemoryStore

    def add_tenant(self, tenant: Tenant) -> None:
        with self.store.changed:
            if tenant.id in self.store.tenants or self.tenant(tenant.handle) is not None:
                raise AlreadyThere(f"tenant {tenant.handle} is there already")
            self.store.tenants[tenant.id] = tenant

    def tenant(self, key: TenantId | str) -> Tenant | None:
        with self.store.changed:
            return next((one for one in self.store.tenants.values() if key in (one.id, one.handle)), None)

    def add_person(self, person: Person) -> None:
        with self.store.changed:
            taken = self.person(person.tenant_id, person.handle) is not None
            if person.id in self.store.persons or taken:
                raise AlreadyThere(f"person {person.handle} is there already")
            self.store.persons[person.id] = person

    def person(self, tenant_id: TenantId, key: UserId | str) -> Person | None:
        with self.store.changed:
            own = (one for one in self.store.persons.values() if one.tenant_id == tenant_id)
            return next((one for one in own if key in (one.id, one.handle)), None)

    def of_tenant(self, tenant_id: TenantId) -> Sequence[Person]:
        with self.store.changed:
            own = [one for one in self.store.persons.values() if one.tenant_id == tenant_id]
        return sorted(own, key=lambda one: one.handle)

    def add_contact_point(self, contact_point: ContactPoint) -> None:
        with self.store.changed:
            others = self.contact_points(contact_point.user_id)
            place = (contact_point.channel, contact_point.address)
            if any(place == (other.channel, other.address) for other in others):
                raise AlreadyThere(f"this address on {contact_point.channel} is there already")
            last = max((other.position for other in others), default=-1) + 1
            self.store.contact_points[contact_point.id] = evolve(contact_point, position=last)

    def contact_points(self, user_id: UserId) -> Sequence[ContactPoint]:
        with self.store.changed:
            own = [one for one in self.store.contact_points.values() if one.user_id == user_id]
        return sorted(own, key=lambda one: one.position)

    def recipients(self, wanted: Collection[tuple[TenantId, UserId]]) -> Mapping[UserId, Recipient]:
        with self.store.changed:
            known = [self.person(tenant_id, user_id) for tenant_id, user_id in wanted]
            return {
                person.id: Recipient(person, self.contact_points(person.id))
                for person in known
                if person is not None
            }
