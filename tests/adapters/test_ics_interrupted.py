"""An import that is killed at any point, and one beside which another reads the same calendar."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from attrs import define, evolve, frozen

from adapters.inbound.ics.report import Report
from adapters.testkit.threads import at_once
from application.ports.ledger import Context, Transaction
from domain.values import UserId
from tests.adapters.ics_desk import STORES, UNTIL, Desk, opened_desk, single
from tests.adapters.ics_files import at

File = Sequence[Sequence[str]]

WHOLE = [single(f"u-{day}", day) for day in (10, 11, 12, 13)]
SHORTER = WHOLE[:2]
RENAMED = [single(f"w-{day}", day) for day in (10, 11, 12, 13)]
DUE = {
    10: "2026-09-10T07:45Z",
    11: "2026-09-11T07:45Z",
    12: "2026-09-12T07:45Z",
    13: "2026-09-13T07:45Z",
}
ALL, FIRST_TWO = list(DUE.values()), list(DUE.values())[:2]


class Killed(BaseException):
    """No `except Exception` hears of it, and nothing that the dead would do on leaving is done."""


@define
class Steps:
    """Calls `reached` before each step of an import: each transaction and each question to what was read."""

    reached: Callable[[int], None]
    taken: int = 0

    def step(self) -> None:
        self.reached(self.taken)
        self.taken += 1


@frozen
class Stepping:
    """A port's adapter whose every use is a step."""

    inner: Any
    steps: Steps

    def __getattr__(self, name: str) -> Any:
        self.steps.step()
        return getattr(self.inner, name)

    @contextmanager
    def transaction(self, context: Context) -> Iterator[Transaction]:
        self.steps.step()
        with self.inner.transaction(context) as transaction:
            yield transaction


@pytest.fixture(params=STORES)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    with opened_desk(request.param, request, tmp_path) as desk:
        yield desk


@frozen
class Owner:
    """Somebody whose calendar nobody else reads."""

    desk: Desk
    id: UserId

    def read(self, file: File, reached: Callable[[int], None] | None = None) -> Report:
        desk = self.desk
        if reached is not None:
            steps = Steps(reached)
            desk = evolve(desk, ledger=Stepping(desk.ledger, steps), imports=Stepping(desk.imports, steps))
        return desk.read(*file, owner_user_id=self.id)

    def pending(self) -> list[str]:
        rows = self.desk.ledger.upcoming(UNTIL, 10_000).rows
        return [at(row.reminder.due_at) for row in rows if row.event.owner_user_id == self.id]

    def counts(self, file: File) -> Mapping[str, int]:
        """What another import of this file comes to, without what is nothing."""
        said = self.read(file).counts
        named = ("events_new", "events_unchanged", "events_cancelled", "events_over", "events_moved")
        return {name: number for name in named if (number := getattr(said, name))}


def owners(desk: Desk) -> Iterator[Owner]:
    return (Owner(desk, UserId(UUID(int=1000 + number))) for number in range(100))


def killed_at_each_step(desk: Desk, before: Sequence[File], file: File) -> Iterator[Owner]:
    """Owners who have read `before`, and whose import of `file` then was killed, each a step later."""
    for last, owner in enumerate(owners(desk)):
        for earlier in before:
            owner.read(earlier)

        def dies(step: int, last: int = last) -> None:
            if step >= last:
                raise Killed

        try:
            owner.read(file, dies)
        except Killed:
            yield owner
        else:
            assert last > len(file)
            return


def test_what_a_killed_import_planned_is_cancelled_when_the_calendar_has_it_no_longer(desk: Desk) -> None:
    for owner in killed_at_each_step(desk, [], WHOLE):
        owner.read(SHORTER)
        assert owner.pending() == FIRST_TWO


def test_what_a_killed_import_cancelled_is_planned_again_when_the_calendar_has_it_again(desk: Desk) -> None:
    for owner in killed_at_each_step(desk, [WHOLE], SHORTER):
        again = owner.counts(WHOLE)
        assert again.get("events_new", 0) + again["events_unchanged"] == 4
        assert owner.pending() == ALL
        assert owner.counts(WHOLE) == {"events_unchanged": 4}


def test_what_a_killed_import_knew_again_under_new_uids_stays_one_event_each(desk: Desk) -> None:
    for owner in killed_at_each_step(desk, [WHOLE], RENAMED):
        assert owner.counts(RENAMED) == {"events_unchanged": 4}
        assert owner.pending() == ALL


def beside_each_step(desk: Desk, file: File, other: File) -> Iterator[Owner]:
    """Owners of WHOLE who read `file`, and before one step of that, each a step later, `other` as a whole."""
    for when, owner in enumerate(owners(desk)):
        owner.read(WHOLE)
        reached: list[int] = []

        def comes_between(
            step: int, owner: Owner = owner, when: int = when, reached: list[int] = reached
        ) -> None:
            if step == when:
                reached.append(step)
                owner.read(other)

        owner.read(file, comes_between)
        if not reached:
            assert when > len(file)
            return
        yield owner


def test_two_imports_of_one_file_with_new_uids_cancel_nothing(desk: Desk) -> None:
    for owner in beside_each_step(desk, RENAMED, RENAMED):
        assert owner.pending() == ALL
        assert owner.counts(RENAMED) == {"events_unchanged": 4}


@pytest.mark.parametrize(
    ("file", "other"), [(SHORTER, RENAMED), (RENAMED, SHORTER), (WHOLE, RENAMED), (SHORTER, WHOLE)]
)
def test_after_two_different_imports_at_once_the_next_one_finds_the_calendar_as_it_reads_it(
    desk: Desk, file: File, other: File
) -> None:
    for last in (RENAMED, SHORTER):
        for owner in beside_each_step(desk, file, other):
            owner.read(last)
            due = ALL if last is RENAMED else FIRST_TWO
            assert owner.pending() == due
            assert owner.counts(last) == {"events_unchanged": len(last)}


def test_imports_in_several_threads_at_once_cancel_nothing(desk: Desk) -> None:
    for owner, _ in zip(owners(desk), range(5), strict=False):
        owner.read(WHOLE)
        desks = [evolve(owner, desk=evolve(desk, folder=desk.folder / str(n))) for n in range(3)]
        for one in desks:
            one.desk.folder.mkdir(exist_ok=True)
        came = at_once(*(lambda one=one: one.read(RENAMED) for one in desks))
        assert [one for one in came if isinstance(one, Exception) or one.refused] == []
        assert owner.pending() == ALL
        assert owner.counts(RENAMED) == {"events_unchanged": 4}
