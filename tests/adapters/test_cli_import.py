import shlex
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.settings import Settings
from tests.adapters.offices import NOW, Commands, MemoryOffice
from tests.specification import ROOT

WHO = ("--tenant", "acme", "--owner", "anna")


@pytest.fixture
def desk() -> MemoryOffice:
    return MemoryOffice.new(Settings())


@pytest.fixture
def tickler(desk: MemoryOffice, capsys: pytest.CaptureFixture[str]) -> Commands:
    commands = Commands(desk, capsys)
    commands.document("person", "add", "anna", "--tenant", "acme", "--zone", "Europe/Moscow")
    commands.document("person", "add", "boris", "--tenant", "acme")
    return commands


def calendar(tmp_path: Path, *events: str) -> str:
    path = tmp_path / "team.ics"
    inside = "".join(f"BEGIN:VEVENT\r\n{event}\r\nEND:VEVENT\r\n" for event in events)
    head = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\n"
    path.write_bytes(f"{head}{inside}END:VCALENDAR\r\n".encode())
    return str(path)


def event(uid: str, start: str = "DTSTART:20261201T100000", *more: str) -> str:
    return "\r\n".join([f"UID:{uid}", "DTSTAMP:20261101T000000Z", start, f"SUMMARY:Title {uid}", *more])


def nothing_was_planned(desk: MemoryOffice) -> bool:
    store = desk.container.memory()
    return not store.events and not store.reminders and not store.history


def test_a_file_is_taken_once_and_its_floating_times_are_the_owners(
    tickler: Commands, tmp_path: Path
) -> None:
    file = calendar(tmp_path, event("a"), event("b", "DTSTART:20261202T090000Z"))
    said = tickler("import", file, *WHO, "--client", "boris", "--json")
    assert said.code == 0, said.err
    assert said.document["counts"]["eventsNew"] == 2
    assert "zone: Europe/Moscow" in said.err
    assert "2/2" not in said.err  # a bar is for a terminal
    rows = tickler.document("upcoming", "--tenant", "acme")
    assert [(row["dueAt"], row["event"]["title"]) for row in rows] == [
        ("2026-12-01T06:45:00Z", "Title a"),
        ("2026-12-02T08:45:00Z", "Title b"),
    ]
    again = tickler.document("import", file, *WHO, "--client", "boris")["counts"]
    assert (again["eventsNew"], again["eventsUnchanged"]) == (0, 2)


def test_offsets_and_zone_by_hand_are_those_that_are_taken(tickler: Commands, tmp_path: Path) -> None:
    file = calendar(tmp_path, event("a"), event("b", "DTSTART;VALUE=DATE:20261205"))
    tickler.document(
        "import", file, *WHO, "--zone", "UTC", "--offset", "30", "--offset", "start-1d",
        "--all-day-offset", "start-2d@08:00",
    )  # fmt: skip
    rows = tickler.document("upcoming", "--tenant", "acme")
    assert [(row["trigger"], row["dueAt"]) for row in rows] == [
        ("start-1d", "2026-11-30T10:00:00Z"),
        ("start-30m", "2026-12-01T09:30:00Z"),
        ("start-2d@08:00", "2026-12-03T08:00:00Z"),
    ]


def test_what_was_refused_is_reported_beside_what_was_taken(tickler: Commands, tmp_path: Path) -> None:
    file = calendar(tmp_path, event("good"), event("bad", "DTSTART:yesterday"))
    said = tickler("import", file, *WHO)
    assert said.code == 1
    assert said.err.splitlines()[-1] == "tickler: not all of the file was taken: 1 refused"
    assert "refused: 1" in said.out
    assert "'bad'" in said.out


def test_a_file_of_which_nothing_can_be_taken_is_exit_code_2(
    desk: MemoryOffice, tickler: Commands, tmp_path: Path
) -> None:
    said = tickler("import", calendar(tmp_path, event("bad", "DTSTART:yesterday")), *WHO)
    assert said.code == 2
    assert "nothing in the file could be taken" in said.err
    assert nothing_was_planned(desk)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"hello", "no iCalendar file"),
        (b"\x00\xff\xfe" * 100, "not UTF-8"),
        (b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n", "ends in the middle"),
        (b"BEGIN:VCALENDAR\r\n" + b"X" * (50 * 1024 * 1024), "larger than 20 MB"),
    ],
)
def test_what_is_no_calendar_is_one_line_exit_code_2_and_changes_nothing(
    desk: MemoryOffice, tickler: Commands, tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "team.ics"
    path.write_bytes(content)
    answer = tickler("import", str(path), *WHO, "--zone", "UTC")
    assert (answer.code, len(answer.err.splitlines())) == (2, 1), answer
    assert said in answer.err
    assert answer.out == ""
    assert nothing_was_planned(desk)


@pytest.mark.parametrize(
    "more",
    [
        ("--offset", "-1"),
        ("--offset", "1000000000"),
        ("--offset", "ten"),
        ("--zone", "Mars/Olympus"),
        ("--horizon", "0"),
        ("--horizon", "-1"),
        ("--horizon", "1000000"),
        ("--owner", "nobody"),
        ("--tenant", "nobody"),
        ("--client", "nobody"),
    ],
)
def test_a_bad_option_of_import_is_one_line_exit_code_2_and_changes_nothing(
    desk: MemoryOffice, tickler: Commands, tmp_path: Path, more: tuple[str, str]
) -> None:
    answer = tickler("import", calendar(tmp_path, event("a")), *WHO, *more)
    assert (answer.code, len(answer.err.splitlines())) == (2, 1)
    assert more[0] in answer.err or more[1] in answer.err
    assert nothing_was_planned(desk)


def test_a_file_that_is_not_there_is_one_line_and_exit_code_2(tickler: Commands, tmp_path: Path) -> None:
    answer = tickler("import", str(tmp_path / "none.ics"), *WHO, "--zone", "UTC")
    assert answer.code == 2
    assert "there is no such file" in answer.err


def test_what_is_gone_from_a_named_calendar_is_cancelled_unless_it_is_to_be_kept(
    tickler: Commands, tmp_path: Path
) -> None:
    both = event("a"), event("b", "DTSTART:20261202T100000")
    tickler.document("import", calendar(tmp_path, *both), *WHO, "--zone", "UTC", "--calendar", "work")
    fewer = calendar(tmp_path, both[0])
    again = ("import", fewer, *WHO, "--zone", "UTC", "--calendar", "work")
    assert tickler.document(*again, "--keep-missing")["counts"]["eventsCancelled"] == 0
    assert tickler.document(*again)["counts"]["eventsCancelled"] == 1
    assert len(tickler.document("upcoming", "--tenant", "acme")) == 1


def test_a_calendar_without_events_cancels_only_when_that_is_asked_for(
    tickler: Commands, tmp_path: Path
) -> None:
    named = (*WHO, "--zone", "UTC", "--calendar", "work")
    tickler.document("import", calendar(tmp_path, event("a")), *named)

    said = tickler("import", calendar(tmp_path), *named)

    assert (said.code, said.out) == (2, "")
    assert said.err == (
        "tickler: the file has no event, and of its calendar 1 are still to come:"
        " --allow-empty cancels them, --keep-missing leaves them\n"
    )
    assert len(tickler.document("upcoming")) == 1
    assert (
        tickler.document("import", calendar(tmp_path), *named, "--keep-missing")["counts"]["eventsCancelled"]
        == 0
    )
    assert (
        tickler.document("import", calendar(tmp_path), *named, "--allow-empty")["counts"]["eventsCancelled"]
        == 1
    )
    assert tickler("import", calendar(tmp_path), *named).code == 0


def test_the_zone_that_is_said_is_the_files_where_it_names_one(tickler: Commands, tmp_path: Path) -> None:
    file = Path(calendar(tmp_path, event("a")))
    file.write_text(file.read_text().replace("PRODID", "X-WR-TIMEZONE:Asia/Tokyo\r\nPRODID"))
    assert "zone: Asia/Tokyo, for times in the file that have none" in tickler("import", str(file), *WHO).err
    said = tickler("import", str(file), *WHO, "--zone", "UTC").err
    assert "zone: Asia/Tokyo, for times in the file that have none" in said
    assert "zone: " not in tickler("import", str(file), *WHO, "--zone", "Asia/Tokyo").err
    (row,) = tickler.document("upcoming")
    assert row["event"]["startAt"] == "2026-12-01T01:00:00Z"


def test_the_report_as_json_has_the_names_of_every_other_document(tickler: Commands, tmp_path: Path) -> None:
    said = tickler("import", calendar(tmp_path, event("good"), event("bad", "DTSTART:no")), *WHO, "--json")
    report = said.document
    assert [one["uid"] for one in report["refused"]] == ["bad"]
    assert report["counts"]["remindersMade"] == 1
    assert not any("_" in name for name in (*report, *report["counts"], *report["refused"][0]))


def test_a_client_is_taken_off_only_when_that_is_asked_for(tickler: Commands, tmp_path: Path) -> None:
    file = calendar(tmp_path, event("a"))
    tickler.document("import", file, *WHO, "--client", "boris")
    tickler.document("import", file, *WHO)
    assert tickler.document("upcoming")[0]["event"]["clientHandle"] == "boris"
    tickler.document("import", file, *WHO, "--no-client")
    assert tickler.document("upcoming")[0]["event"]["clientHandle"] is None
    assert tickler("import", file, *WHO, "--client", "boris", "--no-client").code == 2


@pytest.mark.parametrize("ahead", [timedelta(0), timedelta(days=365), timedelta(days=3650)])
def test_the_readmes_line_imports_the_example_today_and_in_years(
    desk: MemoryOffice, tickler: Commands, ahead: timedelta, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    desk.clock.set(NOW + ahead)
    (line,) = [
        one for one in (ROOT / "README.md").read_text().splitlines() if one.startswith("tickler import")
    ]
    report = tickler.document(*shlex.split(line)[1:])
    # Of 90 days: 12 or 13 Mondays, 6 or 7 reviews, 2 or 3 ends of a month.
    assert 20 <= report["counts"]["eventsNew"] <= 23
    assert (report["refused"], report["warnings"], report["zones"]) == ([], [], ["Europe/Moscow"])
