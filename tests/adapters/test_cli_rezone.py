"""`tickler rezone`, the start of `tickler run`, and the name of the zone data in use."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from uuid import UUID

import attrs
import pytest

from adapters.inbound.cli import reading
from adapters.inbound.cli.rezoning import rezone_at_start
from adapters.settings import Settings
from application.ports.ledger import Versioned
from domain.values import EventId
from tests.adapters.offices import Commands, MemoryOffice

BEFORE = timezone(timedelta(hours=4))


@pytest.fixture
def desk() -> MemoryOffice:
    return MemoryOffice.new(Settings())


@pytest.fixture
def tickler(desk: MemoryOffice, capsys: pytest.CaptureFixture[str]) -> Commands:
    commands = Commands(desk, capsys)
    commands.document("person", "add", "anna", "--tenant", "acme", "--zone", "Europe/Moscow")
    return commands


def planted(desk: MemoryOffice, tickler: Commands) -> EventId:
    """An event in Moscow that was planned when Moscow was still at +04, with a reminder an hour before."""
    planned = tickler.document(
        "event", "plan", "--tenant", "acme", "--owner", "anna", "--start", "2026-12-01 10:00",
        "--zone", "Europe/Moscow", "--remind", "60", "--title", "Call",
    )  # fmt: skip
    event_id = EventId(UUID(planned["eventId"]))
    store = desk.container.memory()
    row = store.events[event_id]
    start_at = row.state.timing.start_local.replace(tzinfo=BEFORE).astimezone(UTC)
    timing = attrs.evolve(row.state.timing, start_at=start_at, tz_version="2014a")
    store.events[event_id] = Versioned(attrs.evolve(row.state, timing=timing), row.version)
    for id_, one in list(store.reminders.items()):
        due = one.state.due_at - timedelta(hours=1)
        store.reminders[id_] = Versioned(attrs.evolve(one.state, due_at=due), one.version)
    return event_id


def dues(tickler: Commands) -> list[str]:
    return [row["dueAt"] for row in tickler.document("upcoming", "--tenant", "acme")]


def test_r28_rezone_moves_the_reminder_and_says_which(desk: MemoryOffice, tickler: Commands) -> None:
    event_id = planted(desk, tickler)
    assert dues(tickler) == ["2026-12-01T05:00:00Z"]
    said = tickler("rezone")
    assert said.code == 0
    assert f"event {event_id}: 2026-12-01 10:00 Europe/Moscow is 2026-12-01T07:00:00Z" in said.out
    assert "start-60m: 2026-12-01 09:00 Europe/Moscow (2026-12-01T06:00:00Z)" in said.out
    assert "was 2026-12-01T05:00:00Z" in said.out
    assert "Call" not in said.out
    assert dues(tickler) == ["2026-12-01T06:00:00Z"]
    assert "0 events were reckoned by others" in tickler("rezone").out


def test_a_dry_run_of_rezone_says_it_and_changes_nothing(desk: MemoryOffice, tickler: Commands) -> None:
    event_id = planted(desk, tickler)
    told = tickler.document("rezone", "--dry-run")
    assert dues(tickler) == ["2026-12-01T05:00:00Z"]
    assert told == {**tickler.document("rezone"), "dryRun": True}
    (one,) = told["events"]
    assert (one["eventId"], one["startAtBefore"], one["startAt"]) == (
        str(event_id),
        "2026-12-01T06:00:00Z",
        "2026-12-01T07:00:00Z",
    )
    assert one["reminders"] == [
        {
            "trigger": "start-60m",
            "dueAtBefore": "2026-12-01T05:00:00Z",
            "dueAt": "2026-12-01T06:00:00Z",
            "past": False,
        }
    ]


def test_a_reminder_whose_new_time_has_passed_is_told_as_such(desk: MemoryOffice, tickler: Commands) -> None:
    planted(desk, tickler)
    store = desk.container.memory()
    for id_, one in list(store.reminders.items()):
        late = datetime(2026, 12, 1, 9, tzinfo=UTC)
        store.reminders[id_] = Versioned(attrs.evolve(one.state, due_at=late), one.version)
    desk.clock.set(datetime(2026, 12, 1, 6, 30, tzinfo=UTC))
    assert "which has passed: it will not be sent" in tickler("rezone").out


def test_r28_a_start_moves_what_the_new_zone_data_move_and_says_so_once(
    desk: MemoryOffice, tickler: Commands, capsys: pytest.CaptureFixture[str]
) -> None:
    event_id = planted(desk, tickler)
    with desk.open(lambda text: None) as services:
        rezone_at_start(services)
        assert f"event {event_id}" in capsys.readouterr().err
        rezone_at_start(services)
        assert capsys.readouterr() == ("", "")
    assert dues(tickler) == ["2026-12-01T06:00:00Z"]


def test_the_zone_data_are_named_by_where_zoneinfo_takes_them_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "TZPATH", (str(tmp_path / "none"), str(tmp_path)))
    monkeypatch.setattr(reading, "version", lambda package: f"{package} of the package")
    assert reading.tz_version() == "tzdata of the package"
    (tmp_path / "Europe").mkdir()
    (tmp_path / "Europe" / "London").write_bytes(b"TZif")
    (tmp_path / "tzdata.zi").write_text("# version 2031a\n# more\n")
    assert reading.tz_version() == "system 2031a"


def test_zone_data_of_the_system_without_a_version_are_named_by_their_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "TZPATH", (str(tmp_path),))
    (tmp_path / "Europe").mkdir()
    (tmp_path / "Europe" / "London").write_bytes(b"TZif")
    assert reading.tz_version().startswith("system of 20")
