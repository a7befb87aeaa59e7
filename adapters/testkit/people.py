"""The promises of the People port, executed."""

from collections.abc import Callable, Sequence
from uuid import UUID

import attrs
import pytest

from adapters.testkit.examples import CLIENT, OTHER_TENANT, OWNER, TENANT, TRIGGERS, numbered
from adapters.testkit.threads import at_once
from application.ports.errors import AlreadyThere, PersonIsErased
from application.ports.people import AgentPlatform, ContactPoint, Erased, People, Person, Recipient, Tenant
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

    def test_a_persons_id_alone_finds_them_in_whichever_tenant(self, known: People) -> None:
        assert [known.by_id(one.id) for one in (ANNA, NAMESAKE)] == [ANNA, NAMESAKE]
        assert known.by_id(UserId(numbered(404))) is None

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

    def test_a_tenant_keeps_what_it_is_set_to(self, known: People) -> None:
        settings = attrs.evolve(
            ACME,
            handle="acme2",
            time_zone="Asia/Tokyo",
            language="en",
            default_triggers=TRIGGERS,
            all_day_triggers=(),
            operator_id=BORIS.id,
            agent=AgentPlatform("https://agents.example/touches", "whsec_c2VjcmV0"),
        )
        assert "agents.example" not in repr(settings)
        assert "whsec" not in repr(settings)
        assert known.set_tenant(settings)
        assert known.tenant(TENANT) == known.tenant("acme2") == settings
        assert known.tenant("acme") is None
        assert list(known.tenants()) == [settings, OTHER]
        assert known.set_tenant(ACME)
        assert known.tenant(TENANT) == ACME

    def test_a_tenant_is_added_with_all_that_it_is_set_to(self, people: People) -> None:
        tenant = attrs.evolve(ACME, default_triggers=TRIGGERS[:2], all_day_triggers=TRIGGERS[2:])
        people.add_tenant(tenant)
        assert people.tenant(TENANT) == tenant

    def test_a_tenant_that_is_not_there_is_not_made_by_setting_it(self, people: People) -> None:
        assert not people.set_tenant(ACME)
        assert list(people.tenants()) == []

    def test_a_tenant_does_not_take_the_handle_of_another(self, known: People) -> None:
        with pytest.raises(AlreadyThere):
            known.set_tenant(attrs.evolve(OTHER, handle="acme"))
        assert list(known.tenants()) == [ACME, OTHER]

    def test_tenants_are_ordered_by_handle(self, known: People) -> None:
        upper = Tenant(TenantId(numbered(77)), "Zeta")
        known.add_tenant(upper)
        assert list(known.tenants()) == [upper, ACME, OTHER]

    def test_a_person_is_changed_in_their_tenant_alone(self, known: People) -> None:
        changed = Person(ANNA.id, TENANT, "anna2", "en", "UTC", is_member=False)
        assert known.set_person(changed)
        assert known.person(TENANT, ANNA.id) == known.person(TENANT, "anna2") == changed
        assert known.person(TENANT, "anna") is None
        assert not known.set_person(attrs.evolve(ANNA, tenant_id=OTHER_TENANT, handle="stolen"))
        assert not known.set_person(Person(UserId(numbered(404)), TENANT, "new"))
        assert known.person(TENANT, ANNA.id) == changed
        assert known.person(TENANT, "new") is None
        assert known.person(OTHER_TENANT, "anna") == NAMESAKE

    def test_a_person_does_not_take_the_handle_of_another(self, known: People) -> None:
        with pytest.raises(AlreadyThere):
            known.set_person(attrs.evolve(BORIS, handle="anna"))
        assert list(known.of_tenant(TENANT)) == [ANNA, BORIS]

    def test_who_is_no_member_any_more_is_still_known_and_said_to_be_none(self, known: People) -> None:
        known.add_contact_point(_point(1))
        known.set_person(attrs.evolve(ANNA, is_member=False))
        found = known.recipients([(TENANT, ANNA.id)])[ANNA.id]
        assert not found.person.is_member
        assert [point.id for point in found.contact_points] == [_point(1).id]
        assert [one.is_member for one in known.of_tenant(TENANT)] == [False, True]

    def test_a_contact_point_is_found_by_its_id(self, known: People) -> None:
        known.add_contact_point(_point(1))
        assert known.contact_point(_point(1).id) == known.contact_points(ANNA.id)[0]
        assert known.contact_point(_point(2).id) is None

    def test_a_contact_point_that_was_removed_is_gone_and_its_address_free_again(self, known: People) -> None:
        for number in (1, 2):
            known.add_contact_point(_point(number))
        assert known.remove_contact_point(_point(1).id)
        assert not known.remove_contact_point(_point(1).id)
        assert _ids(known, ANNA.id) == [_point(2).id]
        known.add_contact_point(_point(1))
        assert _ids(known, ANNA.id) == [_point(2).id, _point(1).id]

    def test_what_is_preferred_comes_first_and_the_others_keep_their_order(self, known: People) -> None:
        for number in (1, 2, 3):
            known.add_contact_point(_point(number))
        known.add_contact_point(_point(4, BORIS))
        assert known.prefer(_point(3).id)
        assert _ids(known, ANNA.id) == [_point(number).id for number in (3, 1, 2)]
        assert known.prefer(_point(2).id)
        assert known.prefer(_point(2).id)
        assert _ids(known, ANNA.id) == [_point(number).id for number in (2, 3, 1)]
        assert not known.prefer(_point(9).id)
        known.add_contact_point(_point(5))
        assert _ids(known, ANNA.id)[-1] == _point(5).id

    def test_of_two_that_are_preferred_at_once_both_come_before_the_rest(self, known: People) -> None:
        for number in (1, 2, 3):
            known.add_contact_point(_point(number))
        assert at_once(lambda: known.prefer(_point(2).id), lambda: known.prefer(_point(3).id)) == [True, True]
        found = known.contact_points(ANNA.id)
        assert found[-1].id == _point(1).id
        assert len({point.position for point in found}) == 3

    def test_one_address_can_be_opted_out_of_and_in_again(self, known: People) -> None:
        for number in (1, 2):
            known.add_contact_point(_point(number))
        assert known.opt_out(_point(1).id, True)
        assert _out(known) == [True, False]
        assert known.opt_out(_point(1).id, False)
        assert _out(known) == [False, False]
        assert not known.opt_out(_point(9).id, True)

    def test_a_channel_that_is_opted_out_of_is_so_at_addresses_still_to_come(self, known: People) -> None:
        known.add_contact_point(_point(1))
        known.add_contact_point(_point(2, channel="webhook"))
        known.add_contact_point(_point(3, BORIS))
        assert known.opt_out_of(ANNA.id, "email", True)
        assert known.opt_out_of(ANNA.id, "email", True)
        known.add_contact_point(_point(4))
        assert _out(known) == [True, False, True]
        assert [point.opted_out for point in known.contact_points(BORIS.id)] == [False]
        found = known.recipients([(TENANT, ANNA.id), (TENANT, BORIS.id)])
        assert (found[ANNA.id].opted_out, found[BORIS.id].opted_out) == ({"email"}, frozenset())
        assert known.contact_point(_point(4).id) == known.contact_points(ANNA.id)[-1]

    def test_a_channel_is_opted_out_of_without_any_address(self, known: People) -> None:
        assert known.opt_out_of(ANNA.id, "console", True)
        assert known.recipients([(TENANT, ANNA.id)])[ANNA.id].opted_out == {"console"}
        assert not known.opt_out_of(UserId(numbered(404)), "console", True)

    def test_one_address_stays_out_while_its_channel_is(self, known: People) -> None:
        known.add_contact_point(_point(1))
        known.opt_out_of(ANNA.id, "email", True)
        known.opt_out(_point(1).id, False)
        assert _out(known) == [True]

    def test_in_to_a_channel_again_is_in_at_all_its_addresses(self, known: People) -> None:
        for number in (1, 2):
            known.add_contact_point(_point(number))
        known.add_contact_point(_point(3, channel="webhook"))
        for number in (1, 3):
            known.opt_out(_point(number).id, True)
        known.opt_out_of(ANNA.id, "email", True)
        assert known.opt_out_of(ANNA.id, "email", False)
        assert _out(known) == [False, False, True]
        assert known.recipients([(TENANT, ANNA.id)])[ANNA.id].opted_out == frozenset()

    def test_of_a_person_who_is_erased_the_id_is_left(self, known: People) -> None:
        for number in (1, 2):
            known.add_contact_point(_point(number))
        known.add_contact_point(_point(3, BORIS))
        known.opt_out_of(ANNA.id, "email", True)
        known.set_tenant(attrs.evolve(ACME, operator_id=ANNA.id))

        assert known.erase(TENANT, ANNA.id) == Erased(addresses=2, titles=0)

        left = Person(ANNA.id, TENANT, str(ANNA.id), is_member=False, is_erased=True)
        assert known.person(TENANT, ANNA.id) == left
        assert known.person(TENANT, "anna") is None
        found = known.recipients([(TENANT, ANNA.id)])[ANNA.id]
        assert found == Recipient(left, [], frozenset())
        assert known.tenant(TENANT) == ACME
        assert _ids(known, BORIS.id) == [_point(3).id]
        known.add_person(attrs.evolve(ANNA, id=UserId(numbered(77))))
        assert known.erase(TENANT, ANNA.id) == Erased(addresses=0, titles=0)

    def test_of_a_person_who_is_erased_nothing_is_taken_again(self, known: People) -> None:
        known.erase(TENANT, ANNA.id)
        left, home = known.person(TENANT, ANNA.id), known.tenant(TENANT)
        assert left is not None
        attempts: tuple[Callable[[], object], ...] = (
            lambda: known.set_person(ANNA),
            lambda: known.set_person(attrs.evolve(left, is_member=True)),
            lambda: known.set_person(attrs.evolve(left, is_erased=False)),
            lambda: known.add_person(ANNA),
            lambda: known.add_person(attrs.evolve(ANNA, tenant_id=OTHER_TENANT, handle="ann")),
            lambda: known.add_contact_point(_point(1)),
            lambda: known.opt_out_of(ANNA.id, "email", True),
            lambda: known.opt_out_of(ANNA.id, "email", False),
            lambda: known.set_tenant(attrs.evolve(ACME, operator_id=ANNA.id)),
            lambda: known.add_tenant(Tenant(TenantId(numbered(77)), "new", operator_id=ANNA.id)),
        )
        for says_something in attempts:
            with pytest.raises(PersonIsErased, match=str(ANNA.id)):
                says_something()
        assert known.by_id(ANNA.id) == left
        assert known.recipients([(TENANT, ANNA.id)])[ANNA.id] == Recipient(left, [], frozenset())
        assert known.tenant(TENANT) == home
        assert list(known.tenants()) == [ACME, OTHER]

    def test_nobody_is_made_erased_but_by_being_erased(self, known: People) -> None:
        known.set_person(attrs.evolve(ANNA, is_erased=True))
        known.add_person(Person(UserId(numbered(77)), TENANT, "carl", is_member=False, is_erased=True))
        assert [one.is_erased for one in known.of_tenant(TENANT)] == [False, False, False]

    def test_whoever_is_erased_while_they_are_written_about_is_empty_in_the_end(self, known: People) -> None:
        for number in range(1, 9):
            one = Person(UserId(numbered(500 + number)), TENANT, f"one{number}")
            known.add_person(one)
            answers = at_once(*_all_that_is_said_of(known, one, number))
            assert isinstance(answers[-1], Erased)
            assert {type(answer) for answer in answers[:-1]} <= {type(None), bool, PersonIsErased}
            left = Person(one.id, TENANT, str(one.id), is_member=False, is_erased=True)
            assert known.recipients([(TENANT, one.id)])[one.id] == Recipient(left, [], frozenset())
            assert known.tenant(TENANT) == ACME

    def test_nobody_is_erased_from_another_tenant(self, known: People) -> None:
        known.add_contact_point(_point(1))
        assert known.erase(OTHER_TENANT, ANNA.id) is None
        assert known.erase(TENANT, UserId(numbered(404))) is None
        assert known.person(TENANT, "anna") == ANNA
        assert _ids(known, ANNA.id) == [_point(1).id]


def _all_that_is_said_of(people: People, one: Person, number: int) -> Sequence[Callable[[], object]]:
    """Whatever keeps something about a person, and last of all their erasure."""
    return (
        lambda: people.add_contact_point(_point(number, one)),
        lambda: people.set_person(attrs.evolve(one, handle=one.handle + "x")),
        lambda: people.opt_out_of(one.id, "email", True),
        lambda: people.set_tenant(attrs.evolve(ACME, operator_id=one.id)),
        lambda: people.erase(TENANT, one.id),
    )


def _out(people: People) -> list[bool]:
    return [point.opted_out for point in people.contact_points(ANNA.id)]


def _point(number: int, person: Person = ANNA, channel: str = "email") -> ContactPoint:
    id_ = ContactPointId(numbered(900 + number))
    return ContactPoint(id_, person.id, channel, f"{person.handle}.{number}@example.test")


def _without_position(point: ContactPoint) -> ContactPoint:
    return attrs.evolve(point, position=0)


def _ids(people: People, user_id: UserId) -> list[UUID]:
    return [point.id for point in people.contact_points(user_id)]
