"""Who is erased stays so, whatever is planned, changed or read in after it or beside it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from attrs import evolve, field, frozen

from adapters.inbound.ics.importing import import_file, silent
from adapters.inbound.ics.report import Report
from adapters.outbound.memory.imports import MemoryImports
from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.people import MemoryPeople
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.imports import PostgresImports
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.postgres.people import PostgresPeople
from adapters.testkit.clock import SettableClock
from adapters.testkit.examples import timing
from adapters.testkit.ids import CountedIds
from adapters.testkit.threads import Beside, at_once
from application.calendar import Calendar, Done, Draft
from application.ports.errors import PersonIsErased
from application.ports.imports import Imports
from application.ports.ledger import Context, Ledger
from application.ports.people import Erased, People, Person, Tenant
from domain.values import EventId, UserId
from tests.adapters.ics_files import CLIENT, NOW, OWNER, TENANT, options, vcalendar, vevent
from tests.features.interposed import Interposed, Moments

CONTEXT = Context(UUID(int=99))
UNTIL = NOW + timedelta(days=400)
TIMING = timing("2026-09-10T10:00", "UTC")
DRAFT = Draft(TENANT, OWNER, TIMING, title="Heart surgery")
WITH_CLIENT = evolve(DRAFT, client_user_id=CLIENT)
EVENT = EventId(UUID(int=77))
OTHER = UserId(UUID(int=4))
STRANGER = UserId(UUID(int=5))


@frozen
class Desk:
    folder: Path
    ledger: Ledger
    people: People
    imports: Imports
    ids: CountedIds = field(factory=CountedIds)

    @property
    def calendar(self) -> Calendar:
        return self.calendar_over(self.ledger)

    def calendar_over(self, ledger: Ledger) -> Calendar:
        return Calendar(ledger, SettableClock(NOW), self.ids)

    def erase(self, user_id: UserId = OWNER) -> Erased:
        gone = self.people.erase(TENANT, user_id)
        assert gone is not None
        return gone

    def read(
        self,
        *components: Sequence[str],
        progress: Callable[[int, int], None] = silent,
        **differently: object,
    ) -> Report:
        file = self.folder / "a.ics"
        file.write_bytes(vcalendar(*components, also=("X-WR-CALNAME:Team",)))
        return import_file(file, self.calendar, self.imports, options(**differently), progress)

    def titles(self) -> list[str | None]:
        """Of all events that there are."""
        rows = self.ledger.events(NOW - timedelta(days=1), UNTIL, 1000, closed_too=True).rows
        return [row.title for row in rows]


@pytest.fixture(params=["memory", "postgres"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    if request.param == "memory":
        store = MemoryStore()
        yield _peopled(Desk(tmp_path, MemoryLedger(store), MemoryPeople(store), MemoryImports(store)))
        return
    with closing(Database(request.getfixturevalue("postgres_url"))) as database:
        ledger, people = PostgresLedger(database), PostgresPeople(database)
        yield _peopled(Desk(tmp_path, ledger, people, PostgresImports(database)))


def _peopled(desk: Desk) -> Desk:
    desk.people.add_tenant(Tenant(TENANT, "acme"))
    for user_id, handle in ((OWNER, "anna"), (CLIENT, "boris"), (OTHER, "clara")):
        desk.people.add_person(Person(user_id, TENANT, handle))
    return desk


def days(*numbers: int) -> list[Sequence[str]]:
    return [
        vevent(f"uid{day}", f"DTSTART:202609{day:02d}T080000Z", f"SUMMARY:About {day}") for day in numbers
    ]


class TestTheHold:
    def test_those_who_are_erased_are_named_and_nobody_else(self, desk: Desk) -> None:
        desk.erase(CLIENT)
        with desk.ledger.transaction(CONTEXT) as transaction:
            assert transaction.erased([OWNER, CLIENT, OTHER, STRANGER, CLIENT]) == {CLIENT}
            assert transaction.erased([]) == set()

    def test_who_is_held_is_erased_only_after_the_block(self, desk: Desk) -> None:
        with desk.ledger.transaction(CONTEXT) as transaction:
            assert transaction.erased([OWNER]) == set()
            eraser = Beside(desk.erase)
            assert eraser.waits(), "a person was erased while a transaction held them"
            assert desk.people.person(TENANT, "anna") is not None
        assert eraser.answer() == Erased(0, 0)

    def test_they_are_let_go_of_when_the_block_fails(self, desk: Desk) -> None:
        def fail() -> None:
            with desk.ledger.transaction(CONTEXT) as transaction:
                transaction.erased([OWNER])
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fail()
        assert desk.erase() == Erased(0, 0)

    def test_several_hold_a_person_at_once(self, desk: Desk) -> None:
        with desk.ledger.transaction(CONTEXT) as one, desk.ledger.transaction(CONTEXT) as other:
            assert one.erased([OWNER, CLIENT]) == other.erased([CLIENT, OWNER]) == set()

    def test_others_may_be_erased_meanwhile(self, desk: Desk) -> None:
        with desk.ledger.transaction(CONTEXT) as transaction:
            transaction.erased([OWNER])
            assert desk.erase(CLIENT) == Erased(0, 0)

    def test_who_is_not_known_yet_is_held_too(self, desk: Desk) -> None:
        with desk.ledger.transaction(CONTEXT) as transaction:
            assert transaction.erased([STRANGER]) == set()
            desk.people.add_person(Person(STRANGER, TENANT, "dora"))
            eraser = Beside(lambda: desk.erase(STRANGER))
            assert eraser.waits(), "a person was erased while a transaction held them"
        assert eraser.answer() == Erased(0, 0)


class TestCommands:
    @pytest.mark.parametrize("draft", [DRAFT, evolve(WITH_CLIENT, owner_user_id=OTHER, client_user_id=OWNER)])
    def test_nothing_is_planned_for_one_who_is_erased(self, desk: Desk, draft: Draft) -> None:
        desk.erase()
        with pytest.raises(PersonIsErased, match=str(OWNER)):
            desk.calendar.plan(draft)
        with pytest.raises(PersonIsErased, match=str(OWNER)):
            desk.calendar.plan(draft, EVENT)
        with pytest.raises(PersonIsErased, match=str(OWNER)):
            desk.calendar.put(draft, EVENT)
        assert desk.titles() == []

    def test_no_event_is_given_to_one_who_is_erased(self, desk: Desk) -> None:
        of_another = evolve(DRAFT, owner_user_id=OTHER)
        desk.calendar.plan(of_another, EVENT)
        desk.erase()
        before = desk.ledger.event(EVENT)
        with pytest.raises(PersonIsErased):
            desk.calendar.change(EVENT, tz_version="", owner_user_id=OWNER)
        with pytest.raises(PersonIsErased):
            desk.calendar.change(EVENT, tz_version="", client_user_id=OWNER)
        with pytest.raises(PersonIsErased):
            desk.calendar.put(DRAFT, EVENT)
        with pytest.raises(PersonIsErased):
            desk.calendar.put(evolve(of_another, client_user_id=OWNER), EVENT)
        assert desk.ledger.event(EVENT) == before
        assert desk.ledger.title(EVENT) == "Heart surgery"

    def test_an_event_of_theirs_goes_on_without_a_title(self, desk: Desk) -> None:
        desk.calendar.put(WITH_CLIENT, EVENT)
        desk.erase(CLIENT)
        later = timing("2026-09-11T10:00", "UTC")
        done = desk.calendar.put(evolve(DRAFT, timing=later), EVENT)
        assert (done.untitled, done.retitled, done.event.timing) == (True, False, later)
        assert desk.calendar.change(EVENT, tz_version="", time_zone="Asia/Tokyo").happened
        assert desk.calendar.move(EVENT, datetime.fromisoformat("2026-09-12T10:00"), tz_version="").happened
        assert desk.titles() == [None]
        assert desk.calendar.cancel(EVENT).happened
        assert desk.calendar.put(DRAFT, EVENT).untitled
        assert desk.titles() == [None]

    def test_an_event_that_is_taken_off_them_may_be_named_again(self, desk: Desk) -> None:
        desk.calendar.put(WITH_CLIENT, EVENT)
        desk.erase(CLIENT)
        done = desk.calendar.put(evolve(DRAFT, title="Lunch", no_client=True), EVENT)
        assert (done.untitled, done.retitled) == (False, True)
        assert desk.titles() == ["Lunch"]

    def test_an_event_without_a_title_is_not_said_to_have_lost_one(self, desk: Desk) -> None:
        desk.calendar.put(evolve(WITH_CLIENT, title=None), EVENT)
        desk.erase(CLIENT)
        assert not desk.calendar.put(evolve(DRAFT, title=None), EVENT).untitled


def planning(calendar: Calendar) -> Done:
    return calendar.plan(DRAFT)


def putting(calendar: Calendar) -> Done:
    return calendar.put(evolve(WITH_CLIENT, owner_user_id=OTHER, client_user_id=OWNER), EVENT)


def retitling(calendar: Calendar) -> Done:
    return calendar.put(evolve(DRAFT, timing=timing("2026-09-09T09:00", "UTC"), title="Other"), EVENT)


def giving(calendar: Calendar) -> Done:
    return calendar.change(EVENT, tz_version="", client_user_id=OWNER)


WRITING = [planning, putting, retitling, giving]


class TestRaces:
    @pytest.mark.parametrize("write", WRITING)
    def test_an_erasure_waits_for_what_is_being_written_and_empties_it(
        self, desk: Desk, write: Callable[[Calendar], Done]
    ) -> None:
        _plant(desk, write)
        erasers: list[Beside[Erased]] = []

        def erase_beside() -> None:
            erasers.append(Beside(desk.erase))
            assert erasers[0].waits(), "a person was erased while an event of theirs was being written"

        write(desk.calendar_over(Interposed(desk.ledger, Moments(before_commit=erase_beside))))
        assert erasers[0].answer() == Erased(0, 1)
        assert desk.titles() == [None]

    @pytest.mark.parametrize("write", WRITING)
    def test_what_is_begun_before_an_erasure_and_comes_after_it_is_refused(
        self, desk: Desk, write: Callable[[Calendar], Done]
    ) -> None:
        _plant(desk, write)
        late = Interposed(desk.ledger, Moments(at_the_beginning=lambda: _only_once(desk)))
        with pytest.raises(PersonIsErased):
            write(desk.calendar_over(late))
        assert [title for title in desk.titles() if title == "Other"] == []
        events = desk.ledger.events(NOW, UNTIL, 10).rows
        titled = [row for row in events if row.title is not None]
        assert [row for row in titled if OWNER in (row.event.owner_user_id, row.event.client_user_id)] == []

    def test_of_an_erasure_and_plans_at_once_no_title_is_left(self, desk: Desk) -> None:
        for number in range(10):
            user_id = UserId(UUID(int=1000 + number))
            desk.people.add_person(Person(user_id, TENANT, f"one{number}"))
            draft = evolve(DRAFT, owner_user_id=user_id)
            first, second = (EventId(UUID(int=user_id.int * 10 + one)) for one in (0, 1))
            answers = at_once(
                partial(desk.calendar.put, draft, first),
                partial(desk.erase, user_id),
                partial(desk.calendar.put, draft, second),
            )
            assert isinstance(answers[1], Erased)
            assert {type(answers[0]), type(answers[2])} <= {Done, PersonIsErased}
        assert set(desk.titles()) <= {None}


def _plant(desk: Desk, write: Callable[[Calendar], Done]) -> None:
    if write in (retitling, giving):
        desk.calendar.put(DRAFT if write is retitling else evolve(DRAFT, owner_user_id=OTHER), EVENT)


def _only_once(desk: Desk) -> None:
    found = desk.people.by_id(OWNER)
    assert found is not None
    if not found.is_erased:
        desk.erase()


class TestImports:
    def test_an_import_ends_when_its_owner_is_erased_on_the_way(self, desk: Desk) -> None:
        def erase_after_three(done: int, total: int) -> None:
            assert total == 6
            if done == 3:
                assert desk.erase() == Erased(0, 3)

        with pytest.raises(PersonIsErased, match=str(OWNER)):
            desk.read(*days(10, 11, 12, 13, 14, 15), progress=erase_after_three)
        assert desk.titles() == [None, None, None]

    @pytest.mark.parametrize("whose", ["owner_user_id", "client_user_id"])
    def test_the_same_file_brings_no_title_back(self, desk: Desk, whose: str) -> None:
        mine: dict[str, Any] = {"owner_user_id": OTHER, whose: OWNER}
        desk.read(*days(10, 11), **mine)
        assert desk.titles() == ["About 10", "About 11"]
        desk.erase()
        with pytest.raises(PersonIsErased):
            desk.read(*days(10, 11, 12), **mine)
        assert desk.titles() == [None, None]

    def test_a_client_who_is_erased_and_kept_costs_the_title_and_is_told(self, desk: Desk) -> None:
        desk.read(*days(10, 11), client_user_id=CLIENT)
        desk.erase(CLIENT)
        again = desk.read(*days(10, 11, 12))
        assert desk.titles() == [None, None, "About 12"]
        (warning,) = again.warnings
        assert (warning.text, warning.count) == (
            "its title was not taken, for its owner or client is erased",
            2,
        )
        assert (again.counts.events_new, again.counts.events_unchanged) == (1, 2)
        assert not desk.read(*days(10, 11, 12), no_client=True).warnings
        assert desk.titles() == ["About 10", "About 11", "About 12"]
