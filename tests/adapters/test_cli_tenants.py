import pytest

from adapters.settings import Settings
from tests.adapters.offices import Commands, MemoryOffice

AN_ID = "0198c5f0-7d3e-7000-8000-000000000001"


@pytest.fixture
def desk() -> MemoryOffice:
    return MemoryOffice.new(Settings(language="en"))


@pytest.fixture
def tickler(desk: MemoryOffice, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(desk, capsys)


def triggers(tickler: Commands, *more: str) -> list[str]:
    planned = tickler.document(
        "event", "plan", "--tenant", "acme", "--owner", "anna", "--start",
        "2026-12-05" if "--all-day" in more else "2026-12-05 10:00", "--zone", "UTC", *more,
    )  # fmt: skip
    found: list[str] = planned["triggers"]
    return found


def test_a_tenant_is_what_it_was_added_as(tickler: Commands) -> None:
    added = tickler.document(
        "tenant", "add", "acme", "--zone", "Europe/Moscow", "--language", "ru", "--id", AN_ID,
        "--offset", "30", "--offset", "start-1d", "--all-day-offset", "start-1d@18:00",
    )  # fmt: skip
    assert added == {
        "tenantId": AN_ID,
        "handle": "acme",
        "language": "ru",
        "timeZone": "Europe/Moscow",
        "defaultOffsets": ["start-30m", "start-1d"],
        "allDayOffsets": ["start-1d@18:00"],
        "operatorUserId": None,
        "operator": None,
    }
    assert tickler.document("tenant", "show", "acme") == tickler.document("tenant", "show", AN_ID) == added
    assert tickler.document("tenant", "list") == [added]
    told = tickler("tenant", "show", "acme").out
    assert "reminders of events that bring none: start-30m, start-1d" in told
    assert AN_ID in tickler("tenant", "list").out


def test_people_have_their_tenants_zone_and_language_unless_they_bring_their_own(tickler: Commands) -> None:
    tickler.document("tenant", "add", "acme", "--zone", "Asia/Tokyo", "--language", "ru")
    anna = tickler.document("person", "add", "anna", "--tenant", "acme")
    boris = tickler.document("person", "add", "boris", "--tenant", "acme", "--language", "en")
    assert (anna["timeZone"], anna["language"]) == ("Asia/Tokyo", "ru")
    assert (boris["timeZone"], boris["language"]) == ("Asia/Tokyo", "en")


def test_events_without_reminders_have_the_tenants(tickler: Commands) -> None:
    tickler.document("tenant", "add", "acme", "--zone", "UTC")
    tickler.document("person", "add", "anna", "--tenant", "acme")
    assert triggers(tickler) == ["start-15m"]
    tickler.document("tenant", "set", "acme", "--offset", "45", "--all-day-offset", "start-2d@08:00")
    assert triggers(tickler) == ["start-45m"]
    assert triggers(tickler, "--all-day") == ["start-2d@08:00"]
    assert triggers(tickler, "--remind", "5") == ["start-5m"]
    assert triggers(tickler, "--no-remind") == []
    tickler.document("tenant", "set", "acme", "--no-offsets")
    assert triggers(tickler) == triggers(tickler, "--all-day") == []
    tickler.document("tenant", "set", "acme", "--usual-offsets")
    assert triggers(tickler) == ["start-15m"]


def test_imported_events_without_alarms_have_the_tenants(
    tickler: Commands, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tickler.document("tenant", "add", "acme", "--zone", "UTC", "--offset", "45", "--all-day-offset", "120")
    tickler.document("person", "add", "anna", "--tenant", "acme")
    file = tmp_path_factory.mktemp("ics") / "team.ics"
    events = [
        "UID:a\r\nDTSTART:20261205T100000Z",
        "UID:b\r\nDTSTART;VALUE=DATE:20261206",
        "UID:c\r\nDTSTART:20261207T100000Z\r\nBEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT7M\r\nEND:VALARM",
    ]
    inside = "".join(f"BEGIN:VEVENT\r\nDTSTAMP:20261101T000000Z\r\n{one}\r\nEND:VEVENT\r\n" for one in events)
    file.write_bytes(
        f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\n{inside}END:VCALENDAR\r\n".encode()
    )
    tickler.document("import", str(file), "--tenant", "acme", "--owner", "anna")
    listed = tickler.document("event", "list", "--tenant", "acme")
    assert [one["triggers"] for one in listed] == [["start-45m"], ["start-120m"], ["start-7m"]]
    tickler.document("import", str(file), "--tenant", "acme", "--owner", "anna", "--offset", "10")
    listed = tickler.document("event", "list", "--tenant", "acme")
    assert [one["triggers"] for one in listed] == [["start-10m"], ["start-120m"], ["start-7m"]]


def test_what_is_not_set_stays(tickler: Commands) -> None:
    before = tickler.document("tenant", "add", "acme", "--zone", "UTC", "--offset", "45")
    after = tickler.document("tenant", "set", "acme", "--zone", "Asia/Tokyo", "--handle", "acme2")
    assert after == {**before, "timeZone": "Asia/Tokyo", "handle": "acme2"}
    assert tickler.document("tenant", "show", "acme2") == after
    assert tickler("tenant", "show", "acme").code == 2


def test_an_operator_is_a_person_of_the_tenant(tickler: Commands) -> None:
    tickler.document("tenant", "add", "acme", "--zone", "UTC")
    tickler.document("tenant", "add", "umbrella", "--zone", "UTC")
    anna = tickler.document("person", "add", "anna", "--tenant", "acme")["userId"]
    stranger = tickler.document("person", "add", "carl", "--tenant", "umbrella")["userId"]
    named = tickler.document("tenant", "set", "acme", "--operator", "anna")
    assert (named["operatorUserId"], named["operator"]) == (anna, "anna")
    for who in ("carl", stranger, AN_ID):
        assert tickler("tenant", "set", "acme", "--operator", who).code == 2
    assert tickler.document("tenant", "show", "acme") == named
    assert "still the tenant's operator" in tickler("person", "remove", "anna", "--tenant", "acme").err
    assert tickler("tenant", "set", "acme", "--operator", "anna").code == 2
    assert tickler.document("tenant", "set", "acme", "--no-operator")["operatorUserId"] is None


def test_an_operators_address_is_that_of_a_person_who_is_made_for_it_once(tickler: Commands) -> None:
    added = tickler.document("tenant", "add", "acme", "--zone", "UTC", "--operator", "email:Ops@b.example")
    assert added["operator"] == "operator"
    for text in ("console:desk", "email:ops@b.example", "email:ops@b.example"):
        again = tickler.document("tenant", "set", "acme", "--operator", text)
        assert again["operatorUserId"] == added["operatorUserId"]
    points = tickler.document("contact", "list", "--tenant", "acme", "--person", "operator")
    assert [(one["channel"], one["address"]) for one in points] == [
        ("email", "ops@b.example"),
        ("console", "desk"),
    ]


def test_a_tenant_that_is_there_is_refused_with_exit_code_1(tickler: Commands) -> None:
    tickler.document("tenant", "add", "acme", "--zone", "UTC")
    tickler.document("tenant", "add", "umbrella", "--zone", "UTC")
    assert tickler("tenant", "add", "acme", "--zone", "UTC").code == 1
    assert tickler("tenant", "set", "umbrella", "--handle", "acme").code == 1
    assert [one["handle"] for one in tickler.document("tenant", "list")] == ["acme", "umbrella"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("add", "new"), "--zone: give one"),
        (("add", "new", "--zone", "Moscow"), "time zone 'Moscow' is unknown"),
        (("add", "a b", "--zone", "UTC"), "HANDLE: 'a b' is not a handle"),
        (("add", "new", "--zone", "UTC", "--language", "Russian"), "--language: 'Russian' is not a code"),
        (("add", "new", "--zone", "UTC", "--offset", "soon"), "--offset: 'soon' is not minutes"),
        (("add", "new", "--zone", "UTC", "--offset", "at 2026-12-01T09:00:00Z"), "suits one event only"),
        (("add", "new", "--zone", "UTC", "--operator", "anna"), "a new tenant has no people yet"),
        (("add", "new", "--zone", "UTC", "--operator", "pigeon:roof"), "--operator: 'pigeon' is none of"),
        (("add", "new", "--zone", "UTC", "--operator", "email:nonsense"), "tickler: "),
        (("add", "new", "--zone", "UTC", "--no-offsets", "--offset", "5"), "--no-offsets: give it or"),
        (("set", "acme"), "nothing to change"),
        (("set", "acme", "--operator", "x", "--no-operator"), "--no-operator: give either"),
        (("set", "acme", "--usual-offsets", "--offset", "5"), "--usual-offsets: give it or"),
        (("set", "nobody", "--zone", "UTC"), "--tenant: there is no tenant 'nobody'"),
        (("set", AN_ID, "--zone", "UTC"), f"there is no tenant {AN_ID}"),
        (("show", "nobody"), "`tickler tenant add nobody` adds one"),
    ],
)
def test_bad_input_for_a_tenant_is_one_line_and_changes_nothing(
    desk: MemoryOffice, tickler: Commands, arguments: tuple[str, ...], said: str
) -> None:
    before = tickler.document("tenant", "add", "acme", "--zone", "UTC")
    answer = tickler("tenant", *arguments)
    assert (answer.code, len(answer.err.splitlines())) == (2, 1)
    assert said in answer.err
    assert tickler.document("tenant", "list") == [before]
    assert not desk.container.memory().persons
