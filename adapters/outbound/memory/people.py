"""People in memory."""

from collections.abc import Collection, Mapping, Sequence

from attrs import evolve, frozen

from adapters.outbound.memory.deliveries import erased, without_words
from adapters.outbound.memory.store import MemoryStore
from application.ports.errors import AlreadyThere, PersonIsErased
from application.ports.people import ContactPoint, Erased, Person, Recipient, Tenant
from domain.values import ContactPointId, TenantId, UserId

LOCK_WAIT = 15.0


@frozen
class MemoryPeople:
    store: MemoryStore

    def add_tenant(self, tenant: Tenant) -> None:
        with self.store.changed:
            if tenant.id in self.store.tenants or self.tenant(tenant.handle) is not None:
                raise AlreadyThere(f"tenant {tenant.handle} is there already")
            self._must_not_be_erased(tenant.operator_id)
            self.store.tenants[tenant.id] = tenant

    def tenant(self, key: TenantId | str) -> Tenant | None:
        with self.store.changed:
            return next((one for one in self.store.tenants.values() if key in (one.id, one.handle)), None)

    def tenants(self) -> Sequence[Tenant]:
        with self.store.changed:
            return sorted(self.store.tenants.values(), key=lambda one: one.handle)

    def set_tenant(self, tenant: Tenant) -> bool:
        with self.store.changed:
            if tenant.id not in self.store.tenants:
                return False
            namesake = self.tenant(tenant.handle)
            if namesake is not None and namesake.id != tenant.id:
                raise AlreadyThere(f"tenant {tenant.handle} is there already")
            self._must_not_be_erased(tenant.operator_id)
            self.store.tenants[tenant.id] = tenant
            return True

    def add_person(self, person: Person) -> None:
        with self.store.changed:
            self._must_not_be_erased(person.id)
            taken = self.person(person.tenant_id, person.handle) is not None
            if person.id in self.store.persons or taken:
                raise AlreadyThere(f"person {person.handle} is there already")
            self.store.persons[person.id] = evolve(person, is_erased=False)

    def person(self, tenant_id: TenantId, key: UserId | str) -> Person | None:
        with self.store.changed:
            own = (one for one in self.store.persons.values() if one.tenant_id == tenant_id)
            return next((one for one in own if key in (one.id, one.handle)), None)

    def by_id(self, id: UserId) -> Person | None:
        with self.store.changed:
            return self.store.persons.get(id)

    def of_tenant(self, tenant_id: TenantId) -> Sequence[Person]:
        with self.store.changed:
            own = [one for one in self.store.persons.values() if one.tenant_id == tenant_id]
        return sorted(own, key=lambda one: one.handle)

    def set_person(self, person: Person) -> bool:
        with self.store.changed:
            self._must_not_be_erased(person.id)
            if self.person(person.tenant_id, person.id) is None:
                return False
            namesake = self.person(person.tenant_id, person.handle)
            if namesake is not None and namesake.id != person.id:
                raise AlreadyThere(f"person {person.handle} is there already")
            self.store.persons[person.id] = evolve(person, is_erased=False)
            return True

    def add_contact_point(self, contact_point: ContactPoint) -> None:
        with self.store.changed:
            self._must_not_be_erased(contact_point.user_id)
            others = self.contact_points(contact_point.user_id)
            place = (contact_point.channel, contact_point.address)
            if any(place == (other.channel, other.address) for other in others):
                raise AlreadyThere(f"this address on {contact_point.channel} is there already")
            last = max((other.position for other in others), default=-1) + 1
            self.store.contact_points[contact_point.id] = evolve(contact_point, position=last)

    def contact_points(self, user_id: UserId) -> Sequence[ContactPoint]:
        with self.store.changed:
            own = [one for one in self.store.contact_points.values() if one.user_id == user_id]
            return [self._as_read(one) for one in sorted(own, key=lambda one: one.position)]

    def contact_point(self, id: ContactPointId) -> ContactPoint | None:
        with self.store.changed:
            found = self.store.contact_points.get(id)
            return None if found is None else self._as_read(found)

    def remove_contact_point(self, id: ContactPointId) -> bool:
        with self.store.changed:
            return self.store.contact_points.pop(id, None) is not None

    def prefer(self, id: ContactPointId) -> bool:
        with self.store.changed:
            found = self.store.contact_points.get(id)
            if found is None:
                return False
            first = min(one.position for one in self.contact_points(found.user_id))
            self.store.contact_points[id] = evolve(found, position=first - 1)
            return True

    def opt_out(self, id: ContactPointId, out: bool) -> bool:
        with self.store.changed:
            found = self.store.contact_points.get(id)
            if found is None:
                return False
            self.store.contact_points[id] = evolve(found, opted_out=out)
            return True

    def opt_out_of(self, user_id: UserId, channel: str, out: bool) -> bool:
        with self.store.changed:
            if user_id not in self.store.persons:
                return False
            self._must_not_be_erased(user_id)
            if out:
                self.store.channel_opt_outs.add((user_id, channel))
                return True
            self.store.channel_opt_outs.discard((user_id, channel))
            for point in self.contact_points(user_id):
                if point.channel == channel:
                    self.opt_out(point.id, False)
            return True

    def recipients(self, wanted: Collection[tuple[TenantId, UserId]]) -> Mapping[UserId, Recipient]:
        with self.store.changed:
            known = [self.person(tenant_id, user_id) for tenant_id, user_id in wanted]
            return {
                person.id: Recipient(person, self.contact_points(person.id), self._opted_out(person.id))
                for person in known
                if person is not None
            }

    def erase(self, tenant_id: TenantId, user_id: UserId) -> Erased | None:
        eraser = object()
        with self.store.changed:
            self.store.locks.take(("person", user_id), eraser, LOCK_WAIT)
            try:
                return self._erase(tenant_id, user_id)
            finally:
                self.store.locks.release(eraser)

    def _erase(self, tenant_id: TenantId, user_id: UserId) -> Erased | None:
        store = self.store
        if self.person(tenant_id, user_id) is None:
            return None
        store.persons[user_id] = Person(user_id, tenant_id, str(user_id), is_member=False, is_erased=True)
        for tenant in store.tenants.values():
            if tenant.operator_id == user_id:
                store.tenants[tenant.id] = evolve(tenant, operator_id=None)
        points = [one.id for one in self.contact_points(user_id)]
        for point_id in points:
            del store.contact_points[point_id]
        store.channel_opt_outs -= {one for one in store.channel_opt_outs if one[0] == user_id}
        for one in store.deliveries.values():
            if one.user_id == user_id:
                store.deliveries[one.id] = erased(one)
                store.attempts[one.id] = without_words(store.attempts.get(one.id, ()))
        self._forget_touches(user_id)
        titled = [
            row.state.id
            for row in store.events.values()
            if row.state.tenant_id == tenant_id
            and user_id in (row.state.owner_user_id, row.state.client_user_id)
            and row.state.id in store.titles
        ]
        for event_id in titled:
            del store.titles[event_id]
        return Erased(len(points), len(titled))

    def _forget_touches(self, user_id: UserId) -> None:
        """What their touches and plans say, and by which keys they were asked for."""
        store = self.store
        theirs = {id_ for id_, row in store.touches.items() if row.touch.state.origin.user_id == user_id}
        for touch_id in theirs:
            store.touch_texts.pop(touch_id, None)
        for asked, (_, touch_id) in list(store.touch_requests.items()):
            if touch_id in theirs:
                del store.touch_requests[asked]
                store.touch_requests[asked[0], asked[1], str(touch_id)] = (str(touch_id), touch_id)
        for asked, (_, plan_id, asked_for) in list(store.plan_requests.items()):
            if asked_for == user_id:
                del store.plan_requests[asked]
                emptied = (str(plan_id), plan_id, asked_for)
                store.plan_requests[asked[0], asked[1], str(plan_id)] = emptied
        for plan_id, plan in store.plans.items():
            if plan.state.terms.target.user_id == user_id:
                store.plan_texts.pop(plan_id, None)

    def _must_not_be_erased(self, user_id: UserId | None) -> None:
        if user_id is not None and self.store.is_erased(user_id):
            raise PersonIsErased(user_id)

    def _as_read(self, point: ContactPoint) -> ContactPoint:
        out_of_all = (point.user_id, point.channel) in self.store.channel_opt_outs
        return evolve(point, opted_out=point.opted_out or out_of_all)

    def _opted_out(self, user_id: UserId) -> frozenset[str]:
        return frozenset(channel for whose, channel in self.store.channel_opt_outs if whose == user_id)
