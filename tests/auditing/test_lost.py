"""What a bad hand deleted of that which no history makes again is told from what was erased or never was."""

from collections.abc import Callable, Iterator

import attrs
import psycopg
import pytest
from attrs import frozen

from adapters.container import Container
from adapters.testkit.clock import SettableClock
from adapters.testkit.examples import numbered
from application.auditing.auditing import Report
from application.auditing.rules import Rule
from application.calendar import Draft
from application.ports.quarantine import Quarantined
from domain.delivery import Status
from domain.triggers import MinutesBeforeStart
from domain.values import ReminderId, Timing, UserId
from tests.auditing.office import (
    ACME,
    ANNA,
    CLARA,
    DAY,
    HOUR,
    MINUTE,
    NOON,
    OTHER,
    STRANGER,
    ZONE_DATA,
    Known,
    audited,
    clocked,
    found,
    live_a_little,
    opened,
)


@frozen
class Place:
    container: Container
    clock: SettableClock
    known: Known
    url: str | None

    def execute(self, *statements: str) -> None:
        assert self.url is not None
        with psycopg.connect(self.url) as connection:
            for one in ("set session_replication_role = replica", *statements):
                connection.execute(one)


@pytest.fixture(params=["memory", "postgres"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    with opened(request.param, url) as container:
        clock = clocked(container)
        yield Place(container, clock, live_a_little(container, clock), url)


def lose_anna(place: Place) -> None:
    if place.url is None:
        del place.container.memory().persons[ANNA]
    else:
        place.execute(f"delete from tickler.people where id = '{ANNA}'")


def lose_anna_and_her_addresses(place: Place) -> None:
    lose_anna(place)
    if place.url is None:
        place.container.memory().contact_points.clear()
    else:
        place.execute("delete from tickler.contact_points")


def move_anna_to_another_tenant(place: Place) -> None:
    if place.url is None:
        persons = place.container.memory().persons
        persons[ANNA] = attrs.evolve(persons[ANNA], tenant_id=OTHER)
    else:
        place.execute(f"update tickler.people set tenant_id = '{OTHER}' where id = '{ANNA}'")


def lose_clara(place: Place) -> None:
    if place.url is None:
        del place.container.memory().persons[CLARA]
    else:
        place.execute(f"delete from tickler.people where id = '{CLARA}'")


def lose_texts(place: Place) -> None:
    if place.url is None:
        place.container.memory().touch_texts.clear()
    else:
        place.execute("delete from tickler.touch_texts")


def lose_inbox(place: Place) -> None:
    if place.url is None:
        place.container.memory().inbox.clear()
    else:
        place.execute("delete from tickler.inbox")


def of_touches(place: Place) -> set[object]:
    return {one.id for one in place.container.touches().listed(ACME, 100)}


def of_deliveries(place: Place, user_id: UserId = ANNA) -> set[object]:
    return {one.id for one in place.container.deliveries().latest(Status, 100) if one.user_id == user_id}


def of_events(place: Place) -> set[object]:
    return {
        one.event.id
        for one in place.container.ledger().events(NOON, NOON + 9 * DAY, 100, closed_too=True).rows
    }


def sent(place: Place) -> set[ReminderId]:
    told = place.container.deliveries().latest(Status, 100)
    return {ReminderId(one.about_id) for one in told if one.event_id is not None}


@pytest.mark.parametrize(
    ("lose", "rule", "named"),
    [
        (lose_anna, Rule.PERSON_IS_THERE, lambda at: of_touches(at) | of_deliveries(at) | of_events(at)),
        (lose_anna_and_her_addresses, Rule.PERSON_IS_THERE, lambda at: of_touches(at) | of_deliveries(at)),
        (
            move_anna_to_another_tenant,
            Rule.TENANT,
            lambda at: of_touches(at) | of_deliveries(at) | of_events(at) | {at.known.plan},
        ),
        (lose_texts, Rule.TEXT_IS_THERE, of_touches),
        (lose_inbox, Rule.WAS_TAKEN_IN, sent),
    ],
)
def test_what_was_deleted_is_missed(
    place: Place, lose: Callable[[Place], None], rule: Rule, named: Callable[[Place], set[object]]
) -> None:
    assert len(named(place)) > 5
    lose(place)
    told = found(audited(place.container))
    assert set(told) == {rule}
    assert set(told[rule]) == named(place)


def test_who_has_no_address_and_no_touch_is_missed_by_nothing(place: Place) -> None:
    """An id that nobody has told us of would look alike: events for such a one are sound."""
    lose_clara(place)
    assert found(audited(place.container)) == {}


def test_what_was_erased_is_not_missed(place: Place) -> None:
    gone = place.container.erasing().erase(ACME, ANNA)
    assert gone is not None
    assert gone.touches > 0
    assert found(audited(place.container)) == {}


def test_what_is_told_to_an_id_that_nobody_has_told_us_of_is_sound(place: Place) -> None:
    somebody = UserId(numbered(404))
    place.clock.set(NOON + HOUR)
    timing = Timing.of((NOON + HOUR + 10 * MINUTE).replace(tzinfo=None), "UTC", tz_version=ZONE_DATA)
    place.container.calendar().plan(Draft(ACME, somebody, timing, triggers=(MinutesBeforeStart(5),)))
    place.clock.set(NOON + HOUR + 6 * MINUTE)
    work_once_more(place)
    assert of_deliveries(place, somebody)
    assert found(audited(place.container, except_stuck=True)) == {}


def work_once_more(place: Place) -> None:
    list(place.container.dispatch_job().tick())
    place.clock.advance(MINUTE / 60)
    place.container.relay().batch()
    list(place.container.delivering(channel=place.container.console()).tick())


def lose_all_that_came_of_reminders(place: Place) -> None:
    if place.url is None:
        store = place.container.memory()
        store.inbox.clear()
        for id_, one in list(store.deliveries.items()):
            if one.event_id is not None:
                del store.deliveries[id_], store.attempts[id_]
        return
    place.execute(
        "delete from tickler.delivery_attempts where delivery_id in"
        " (select id from tickler.deliveries where event_id is not null)",
        "delete from tickler.deliveries where event_id is not null",
        "delete from tickler.inbox",
    )


def quarantine_all(place: Place) -> None:
    keys = {one.event_id for one in place.container.deliveries().latest(Status, 100) if one.event_id}
    records = [
        Quarantined("topic", 0, offset, str(key).encode(), b"", (), "unfit", place.clock.now())
        for offset, key in enumerate(keys)
    ]
    assert place.container.quarantine().keep(records) == len(keys) > 0


def test_what_was_published_and_left_no_trace_is_missed(place: Place) -> None:
    lost = sent(place)
    lose_all_that_came_of_reminders(place)
    told = found(audited(place.container))
    assert set(told) == {Rule.IS_TAKEN_IN}
    assert set(told[Rule.IS_TAKEN_IN]) == lost != set()


def test_behind_a_topic_it_may_wait_for_a_quarter_of_an_hour_and_no_longer(place: Place) -> None:
    lost = sent(place)
    lose_all_that_came_of_reminders(place)
    auditing = attrs.evolve(place.container.auditing(), is_direct=False)
    assert found(auditing.run(Report(), ZONE_DATA)) == {}
    place.clock.advance(15 * MINUTE)
    told = found(auditing.run(Report(), ZONE_DATA))
    assert set(told[Rule.STUCK_RECORD]) == lost != set()
    assert Rule.IS_TAKEN_IN not in told


def test_what_is_in_the_quarantine_was_not_lost(place: Place) -> None:
    quarantine_all(place)
    lose_all_that_came_of_reminders(place)
    assert found(audited(place.container)) == {}


def test_a_delivery_that_arrived_and_is_to_be_sent_again_is_named_and_not_sent(place: Place) -> None:
    arrived = place.container.deliveries().latest([Status.DELIVERED], 100)
    if place.url is None:
        rows = place.container.memory().deliveries
        rows.update({one.id: attrs.evolve(one, status=Status.PENDING) for one in arrived})
    else:
        place.execute("update tickler.deliveries set status = 'Pending' where status = 'Delivered'")
    told = found(audited(place.container, except_stuck=True))
    assert set(told[Rule.DELIVERY_IS_TRIED]) == {one.id for one in arrived} != set()
    console = place.container.console()
    assert list(place.container.delivering(channel=console).tick()) == []


def test_one_delivery_with_two_faults_is_counted_once_by_a_rule(place: Place) -> None:
    """It goes to whom its reminder is not for, and to whom its address is not."""
    one = next(
        each
        for each in place.container.deliveries().latest(Status, 100)
        if each.event_id is not None and each.contact_point_id is not None
    )
    if place.url is None:
        place.container.memory().deliveries[one.id] = attrs.evolve(one, user_id=STRANGER)
    else:
        place.execute(f"update tickler.deliveries set user_id = '{STRANGER}' where id = '{one.id}'")
    told = found(audited(place.container))
    assert told[Rule.DELIVERY_IS_WANTED] == [one.id]
    assert told[Rule.ADDRESS_FITS] == [one.id]
