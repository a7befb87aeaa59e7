"""Two tenants' files that mean something else by one TZID: each is read by its own rules (R38, R39)."""

from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from uuid import UUID

import pytest

from adapters.inbound.ics.importing import import_file
from adapters.inbound.ics.reading import read
from adapters.testkit.threads import at_once
from domain.values import TenantId, UserId
from tests.adapters.ics_files import at, options, vcalendar, vevent
from tests.reports.desks import Desk, utc

NAME = "Customized Time Zone"
# What each tenant's file says of the zone: hours east of Greenwich. 13:00 there is so much earlier in UTC.
EAST = {1: 5, 2: -7}
STARTS = {1: "2026-09-17T08:00Z", 2: "2026-09-17T20:00Z"}


def file_of(tenant: int, *, events: int = 1) -> bytes:
    offset = f"{EAST[tenant]:+03d}00"
    zone = [
        "BEGIN:VTIMEZONE", f"TZID:{NAME}", "BEGIN:STANDARD", "DTSTART:16010101T000000",
        f"TZOFFSETFROM:{offset}", f"TZOFFSETTO:{offset}", "END:STANDARD", "END:VTIMEZONE",
    ]  # fmt: skip
    zoned = [vevent(f"x-{number}", f"DTSTART;TZID={NAME}:20260917T130000") for number in range(events)]
    return vcalendar(zone, *zoned)


def starts(tenant: int, data: bytes) -> set[str]:
    reading = read(data, options(tenant_id=TenantId(UUID(int=tenant))))
    return {at(one.draft.timing.start_at) for one in reading.take}


@pytest.mark.parametrize("order", list(permutations(EAST)))
def test_r38_files_that_define_one_tzid_differently_each_keep_their_own_in_either_order(
    desk: Desk, tmp_path: Path, order: Sequence[int]
) -> None:
    desk.clock.set(utc("2026-09-01 08:00"))
    for tenant in (*order, *order):
        file = tmp_path / "calendar.ics"
        file.write_bytes(file_of(tenant))
        asked = options(tenant_id=TenantId(UUID(int=tenant)), owner_user_id=UserId(UUID(int=9)))
        import_file(file, desk.calendar, desk.imports, asked)
    for tenant in order:
        rows = desk.ledger.upcoming(utc("2026-12-01 00:00"), 10, TenantId(UUID(int=tenant))).rows
        assert [at(row.event.timing.start_at) for row in rows] == [STARTS[tenant]]


def test_r38_files_that_define_one_tzid_differently_each_keep_their_own_at_the_same_time() -> None:
    files = {tenant: file_of(tenant, events=300) for tenant in EAST}
    turns = [tenant for _ in range(4) for tenant in EAST]
    found = at_once(*(lambda tenant=tenant: starts(tenant, files[tenant]) for tenant in turns))
    assert found == [{STARTS[tenant]} for tenant in turns]


def test_r38_two_calendars_in_one_file_each_keep_their_own() -> None:
    data = file_of(1) + file_of(2).replace(b"UID:x-0", b"UID:y-0")
    assert starts(1, data) == set(STARTS.values())


def test_r37_a_vtimezone_by_an_iana_name_does_not_change_what_that_name_means() -> None:
    data = file_of(1).replace(NAME.encode(), b"Europe/Berlin")
    assert starts(1, data) == {"2026-09-17T11:00Z"}
