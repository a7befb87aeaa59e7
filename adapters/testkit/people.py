"""The promises of the People port, executed."""

from uuid import UUID

import attrs
import pytest

from adapters.testkit.examples import CLIENT, OTHER_TENANT, OWNER, TENANT, numbered
from adapters.testkit.threads import at_once
from application.ports.errors import AlreadyThere
from application.ports.people import ContactPoint, People, Person, Recipient, Tenant
from domain.values import ContactPointId, TenantId, UserId

ACME = Tenant(TENANT, "acme", "Europe/Moscow", "ru")
OTHER = Tenant(OTHER_TENANT, "umbrella")
ANNA = Person(OWNER, TENANT, "anna", "ru", "Asia/Tokyo")
BORIS = Person(CLIENT, TENANT, "boris")
NAMESAKE = Person(UserId(numbered(31)), OTHER_TENANT, "anna")


class PeopleContract:
    """Each test has a store of its own, without any rows."""

    @pytest.fixture
    def people(self) -> People:
        raise NotImplementedError

    @pytest.fixture
    def known(self, people: People) -> People:
        """Two tenants; Anna and Boris in one, another Anna in the other."""
        for tenant in (ACME, OTHER):
            people.add_tenant(tenant)
        for person in (ANNA, BORIS, NAMESAKE):
            people.add_person(person)
        return people

    def test_a_tenant_is_found_by_id_and_by_handle(self, known: People) -> None:
        for tenant in (ACME, OTHER):
            assert known.tenant(tenant.id) == tenant
            assert known.tenant(tenant.handle) == tenant

    def test_an_unknown_tenant_is_none(self, known: People) -> None:
        assert known.tenant("nobody") is None
        assert known.tenant(TenantId(numbered(404))) is None
        assert known.tenant(TenantId(OWNER)) is None

    def test_a_handle_is_text_even_where_it_looks_like_an_id(self, people: People) -> None:
        tenant = Tenant(TENANT, str(OTHER_TENANT))
        people.add_tenant(tenant)
        assert people.tenant(str(OTHER_TENANT)) == tenant
        assert people.tenant(OTHER_TENANT) is None
        assert people.tenant(str(TENANT)) is None

    def test_a_tenants_handle_is_taken_once(self, known: People) -> None:
        with pytest.raises(AlreadyThere):
            known.add_tenant(Tenant(TenantId(numbered(77)), ACME.handle))
        assert known.tenant(ACME.handle) == ACME
        assert known.tenant(TenantId(numbered(77))) is None

    def test_a_person_is_found_by_id_and_by_handle(self, known: People) -> None:
        for person in (ANNA, BORIS, NAMESAKE):
            assert known.person(person.tenant_id, person.id) == person
            assert known.person(person.tenant_id, person.handle) == person

    def test_another_tenants_person_is_not_found(self, known: People) -> None:
        assert known.person(OTHER_TENANT, BORIS.id) is None
        assert known.person(OTHER_TENANT, BORIS.handle) is None
        assert known.person(TENANT, NAMESAKE.id) is None

    def test_an_unknown_person_is_none(self, known: People) -> None:
        assert known.person(TENANT, "nobody") is None
        assert known.person(TENANT, UserId(numbered(404))) is None
        assert known.person(TenantId(numbered(404)), ANNA.id) is None

    def test_a_persons_handle_is_taken_once_within_a_tenant(self, known: People) -> None:
        with pytest.raises(AlreadyThere):
            known.add_person(Person(UserId(numbered(77)), TENANT, ANNA.handle))
        assert known.person(TENANT, ANNA.handle) == ANNA
        assert known.person(TENANT, UserId(numbered(77))) is None

    def test_of_two_who_take_a_handle_at_once_one_has_it(self, known: People) -> None:
        answers = at_once(
            lambda: known.add_person(Person(UserId(numbered(71)), TENANT, "carl")),
            lambda: known.add_person(Person(UserId(numbered(72)), TENANT, "carl")),
        )
        assert [type(answer) for answer in answers if answer is not None] == [AlreadyThere]
        found = known.person(TENANT, "carl")
        assert found is not None
        assert found.id == numbered(71 + answers.index(None))

    def test_of_two_who_take_a_tenants_handle_at_once_one_has_it(self, people: People) -> None:
        answers = at_once(
            lambda: people.add_tenant(Tenant(TenantId(numbered(71)), "acme")),
            lambda: people.add_tenant(Tenant(TenantId(numbered(72)), "acme")),
        )
        assert [type(answer) for answer in answers if answer is not None] == [AlreadyThere]
        found = people.tenant("acme")
        assert found is not None
        assert found.id == numbered(71 + answers.index(None))

    def test_the_people_of_a_tenant_are_ordered_by_handle(self, known: People) -> None:
        zoe, upper = Person(UserId(numbered(30)), TENANT, "zoe"), Person(UserId(numbered(32)), TENANT, "Carl")
        for person in (zoe, upper):
            known.add_person(person)
        assert list(known.of_tenant(TENANT)) == [upper, ANNA, BORIS, zoe]
        assert list(known.of_tenant(OTHER_TENANT)) == [NAMESAKE]
        assert list(known.of_tenant(TenantId(numbered(404)))) == []

    def test_contact_points_are_in_the_order_in_which_they_were_added(self, known: People) -> None:
        added = [_point(3), _point(1, channel="webhook"), _point(2)]
        for point in added:
            known.add_contact_point(point)
        found = known.contact_points(ANNA.id)
        assert [_without_position(point) for point in found] == added
        positions = [point.position for point in found]
        assert positions == sorted(set(positions))

    def test_what_an_address_is_signed_with_comes_back_and_is_not_printed(self, known: People) -> None:
        signed = attrs.evolve(_point(1), secret="whsec_abc")
        known.add_contact_point(signed)
        (kept,) = known.contact_points(ANNA.id)
        assert kept.secret == "whsec_abc"
        assert "whsec_" not in repr(kept)
        assert known.recipients({(TENANT, ANNA.id)})[ANNA.id].contact_points == [kept]

    def test_a_contact_point_comes_last_whatever_position_it_names(self, known: People) -> None:
        known.add_contact_point(attrs.evolve(_point(1), position=5))
        known.add_contact_point(attrs.evolve(_point(2), position=0))
        assert _ids(known, ANNA.id) == [_point(1).id, _point(2).id]

    def test_an_opted_out_contact_point_stays_in_its_place(self, known: People) -> None:
        out = attrs.evolve(_point(1), opted_out=True)
        known.add_contact_point(out)
        known.add_contact_point(_point(2))
        assert [_without_position(point) for point in known.contact_points(ANNA.id)] == [out, _point(2)]

    def test_nobody_has_the_contact_points_of_another(self, known: People) -> None:
        known.add_contact_point(_point(1))
        known.add_contact_point(_point(2, BORIS))
        assert _ids(known, ANNA.id) == [_point(1).id]
        assert _ids(known, BORIS.id) == [_point(2).id]
        assert _ids(known, NAMESAKE.id) == []

    def test_a_person_has_an_address_once_on_a_channel(self, known: People) -> None:
        known.add_contact_point(_point(1))
        with pytest.raises(AlreadyThere):
            known.add_contact_point(attrs.evolve(_point(2), address=_point(1).address))
        assert _ids(known, ANNA.id) == [_point(1).id]

    def test_another_channel_or_person_may_have_the_same_address(self, known: People) -> None:
        address = _point(1).address
        known.add_contact_point(_point(1))
        known.add_contact_point(attrs.evolve(_point(2, channel="webhook"), address=address))
        known.add_contact_point(attrs.evolve(_point(3, BORIS), address=address))
        assert _ids(known, ANNA.id) == [_point(1).id, _point(2).id]
        assert _ids(known, BORIS.id) == [_point(3).id]

    def test_contact_points_added_at_once_are_all_kept_in_some_order(self, known: People) -> None:
        answers = at_once(
            *(lambda number=number: known.add_contact_point(_point(number)) for number in range(1, 7))
        )
        assert answers == [None] * 6
        found = known.contact_points(ANNA.id)
        assert {point.id for point in found} == {_point(number).id for number in range(1, 7)}
        assert len({point.position for point in found}) == 6

    def test_recipients_are_those_who_are_known_in_that_tenant(self, known: People) -> None:
        for point in (_point(2), _point(1)):
            known.add_contact_point(point)
        found = known.recipients(
            {
                (TENANT, ANNA.id),
                (TENANT, BORIS.id),
                (TENANT, NAMESAKE.id),
                (TENANT, UserId(numbered(404))),
                (TenantId(numbered(404)), BORIS.id),
            }
        )
        assert {user_id: recipient.person for user_id, recipient in found.items()} == {
            ANNA.id: ANNA,
            BORIS.id: BORIS,
        }
        assert [_without_position(one) for one in found[ANNA.id].contact_points] == [_point(2), _point(1)]
        assert list(found[ANNA.id].contact_points) == list(known.contact_points(ANNA.id))
        assert list(found[BORIS.id].contact_points) == []
        assert isinstance(found[ANNA.id], Recipient)

    def test_recipients_of_several_tenants_are_found_together(self, known: People) -> None:
        found = known.recipients([(TENANT, ANNA.id), (OTHER_TENANT, NAMESAKE.id)])
        assert {user_id: recipient.person for user_id, recipient in found.items()} == {
            ANNA.id: ANNA,
            NAMESAKE.id: NAMESAKE,
        }

    def test_nobody_wanted_is_nobody_found(self, known: People) -> None:
        assert dict(known.recipients([])) == {}

    def test_an_address_is_not_shown_where_a_contact_point_is_printed(self, known: People) -> None:
        known.add_contact_point(_point(1))
        (found,) = known.contact_points(ANNA.id)
        assert found.address == _point(1).address
        assert found.address not in repr(found)


def _point(number: int, person: Person = ANNA, channel: str = "email") -> ContactPoint:
    id_ = ContactPointId(numbered(900 + number))
    return ContactPoint(id_, person.id, channel, f"{person.handle}.{number}@example.test")


def _without_position(point: ContactPoint) -> ContactPoint:
    return attrs.evolve(point, position=0)


def _ids(people: People, user_id: UserId) -> list[UUID]:
    return [point.id for point in people.contact_points(user_id)]
