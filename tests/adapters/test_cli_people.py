import pytest

from adapters.settings import Settings
from tests.adapters.offices import Commands, MemoryOffice

AN_ID = "0198c5f0-7d3e-7000-8000-000000000001"


@pytest.fixture
def desk() -> MemoryOffice:
    return MemoryOffice.new(Settings(time_zone="Asia/Tokyo", language="ja"))


@pytest.fixture
def tickler(desk: MemoryOffice, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(desk, capsys)


def test_a_new_tenant_is_made_along_the_way_and_said_once(tickler: Commands) -> None:
    first = tickler(
        "person", "add", "anna", "--tenant", "acme", "--language", "ru", "--zone", "Europe/Moscow"
    )
    second = tickler("person", "add", "boris", "--tenant", "acme")
    assert (first.code, second.code) == (0, 0)
    assert "made the tenant acme" in first.err
    assert second.err == ""
    people = tickler.document("person", "list", "--tenant", "acme")
    assert [(one["handle"], one["language"], one["timeZone"]) for one in people] == [
        ("anna", "ru", "Europe/Moscow"),
        ("boris", "ja", "Europe/Moscow"),
    ]


def test_the_zone_of_a_new_tenant_is_never_guessed(
    desk: MemoryOffice, tickler: Commands, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tickler.document("person", "add", "anna", "--tenant", "acme")["timeZone"] == "Asia/Tokyo"
    without = Commands(MemoryOffice.new(Settings()), capsys)
    answer = without("person", "add", "anna", "--tenant", "acme")
    assert (answer.code, len(answer.err.splitlines())) == (2, 1)
    assert "--zone: the tenant 'acme' is new" in answer.err
    assert without.document("person", "add", "anna", "--tenant", "acme", "--zone", "UTC")["timeZone"] == "UTC"


def test_ids_of_ones_own_serve_as_well_as_handles(tickler: Commands) -> None:
    tenant = "0198c5f0-7d3e-7000-8000-0000000000aa"
    added = tickler.document("person", "add", "anna", "--tenant", tenant, "--id", AN_ID)
    assert (added["tenantId"], added["userId"]) == (tenant, AN_ID)
    point = tickler.document(
        "contact", "add", "--tenant", tenant, "--person", AN_ID, "--channel", "console", "--address", "anna"
    )
    assert point["userId"] == AN_ID


def test_a_name_that_is_taken_is_refused_with_exit_code_1(tickler: Commands) -> None:
    tickler("person", "add", "anna", "--tenant", "acme")
    again = tickler("person", "add", "anna", "--tenant", "acme")
    assert (again.code, len(again.err.splitlines())) == (1, 1)
    assert tickler("person", "add", "anna", "--tenant", "umbrella").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a b", "--tenant", "acme"), "HANDLE: 'a b' is not a handle"),
        (("", "--tenant", "acme"), "HANDLE: '' is not a handle"),
        (("x" * 65, "--tenant", "acme"), "is not a handle"),
        ((AN_ID, "--tenant", "acme"), "is not a handle"),
        (("anna", "--tenant", "a\0"), "--tenant: 'a\\x00' is not a handle"),
        (("anna", "--tenant", "acme", "--zone", "Moscow"), "time zone 'Moscow' is unknown"),
        (("anna", "--tenant", "acme", "--language", "Russian"), "--language: 'Russian' is not a code"),
        (("anna", "--tenant", "acme", "--id", "7"), "--id: '7' is not an id"),
    ],
)
def test_bad_input_for_a_person_makes_neither_person_nor_tenant(
    desk: MemoryOffice, tickler: Commands, arguments: tuple[str, ...], said: str
) -> None:
    answer = tickler("person", "add", *arguments)
    assert (answer.code, len(answer.err.splitlines())) == (2, 1)
    assert said in answer.err
    assert not desk.container.memory().tenants
    assert not desk.container.memory().persons


def contact(tickler: Commands, channel: str, address: str, person: str = "anna") -> tuple[int, str]:
    said = tickler(
        "contact", "add", "--tenant", "acme", "--person", person, "--channel", channel, "--address", address
    )
    return said.code, said.err


def test_contacts_come_in_the_order_in_which_they_were_added(tickler: Commands) -> None:
    tickler("person", "add", "anna", "--tenant", "acme")
    assert contact(tickler, "email", "Anna@B.example")[0] == 0
    assert contact(tickler, "webhook", "https://hooks.example/a")[0] == 0
    points = tickler.document("contact", "list", "--tenant", "acme", "--person", "anna")
    assert [(one["channel"], one["address"]) for one in points] == [
        ("email", "anna@b.example"),
        ("webhook", "https://hooks.example/a"),
    ]


def test_an_address_for_mail_without_a_mail_server_is_kept_and_said(tickler: Commands) -> None:
    tickler("person", "add", "anna", "--tenant", "acme")
    assert "TICKLER_SMTP_HOST is not set here" in contact(tickler, "email", "anna@b.example")[1]


def test_an_address_for_mail_beside_a_mail_server_is_kept_without_a_word(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tickler = Commands(MemoryOffice.new(Settings(time_zone="UTC", smtp_host="mail.example")), capsys)
    tickler("person", "add", "anna", "--tenant", "acme")
    assert contact(tickler, "email", "anna@b.example") == (0, "")


@pytest.mark.parametrize(
    ("channel", "address", "person"),
    [
        ("pigeon", "roof", "anna"),
        ("email", "not an address", "anna"),
        ("email", "a@b.example\nBcc: c@d.example", "anna"),
        ("webhook", "ftp://hooks.example", "anna"),
        ("email", "a@b.example", "nobody"),
        ("email", "a@b.example", AN_ID),
    ],
)
def test_bad_input_for_a_contact_is_one_line_and_adds_nothing(
    desk: MemoryOffice, tickler: Commands, channel: str, address: str, person: str
) -> None:
    tickler("person", "add", "anna", "--tenant", "acme")
    code, said = contact(tickler, channel, address, person)
    assert (code, len(said.splitlines())) == (2, 1)
    assert not desk.container.memory().contact_points


@pytest.mark.parametrize(
    ("address", "named"),
    [
        ("http://hooks.example/a", "TICKLER_WEBHOOK_ALLOW_HTTP"),
        ("https://127.0.0.1/a", "TICKLER_WEBHOOK_ALLOW_PRIVATE"),
        ("https://localhost/a", "TICKLER_WEBHOOK_ALLOW_PRIVATE"),
        ("https://hooks.example:80/a", "TICKLER_WEBHOOK_ALLOW_PRIVATE"),
    ],
)
def test_a_webhook_that_a_setting_would_let_pass_is_refused_with_its_name(
    tickler: Commands, address: str, named: str
) -> None:
    tickler("person", "add", "anna", "--tenant", "acme")
    code, said = contact(tickler, "webhook", address)
    assert (code, len(said.splitlines())) == (2, 1)
    assert named in said
    assert "TICKLER_" not in contact(tickler, "webhook", "ftp://hooks.example/a")[1]


def test_one_address_twice_is_refused_with_exit_code_1(tickler: Commands) -> None:
    tickler("person", "add", "anna", "--tenant", "acme")
    assert contact(tickler, "email", "a@b.example")[0] == 0
    assert contact(tickler, "email", "A@B.example")[0] == 1


IN_B23 = [
    ("webhook", "javascript:alert(1)"),
    ("webhook", "file:///etc/passwd"),
    ("webhook", "https://hooks.example/" + "x" * 10_240),
    ("webhook", "https://hооks.example/"),  # two Cyrillic letters
    ("email", "x" * 10_240 + "@b.example"),
    ("email", "anna@exаmple.org"),  # a Cyrillic letter
    ("email", '"anna b"@b.example'),
    ("email", '"anna"@b.example'),
    ("whatsapp", "whatsapp://token@phone/+7-CALL-ME"),
    ("whatsapp", "+7 CALL ME"),
    ("telegram", "javascript:alert(1)"),
    ("apprise", "file:///etc/passwd"),
    ("apprise", "x" * 10_240),
]
IN_B24 = [
    "http://169.254.169.254",
    "https://169.254.169.254",
    "https://[::ffff:169.254.169.254]/",
    "https://0251.0376.0251.0376/",
    "https://2852039166/",
    "https://0xa9fea9fe/",
    "https://localhost./",
    "https://a@hooks.example/",
    "https://a:b@hooks.example/",
    "https://hooks.example:22/",
    "https://0.0.0.0/",
    "https://[::1]/",
]


@pytest.mark.parametrize(("channel", "address"), [*IN_B23, *(("webhook", url) for url in IN_B24)])
def test_each_bad_address_of_b23_and_b24_is_refused_in_one_line_and_not_kept(
    desk: MemoryOffice, tickler: Commands, channel: str, address: str
) -> None:
    tickler("person", "add", "anna", "--tenant", "acme")
    code, said = contact(tickler, channel, address)
    assert (code, len(said.splitlines())) == (2, 1)
    assert said.startswith("tickler: address:") or "address" in said
    assert address not in said
    assert not desk.container.memory().contact_points


def added(tickler: Commands, *more: str) -> dict[str, object]:
    where = ("--channel", "webhook", "--address", "https://hooks.example/a")
    return dict(tickler.document("contact", "add", "--tenant", "acme", "--person", "anna", *where, *more))


def test_the_secret_of_a_webhook_is_made_kept_and_shown_once(desk: MemoryOffice, tickler: Commands) -> None:
    tickler("person", "add", "anna", "--tenant", "acme")
    secret = added(tickler)["secret"]
    (kept,) = desk.container.memory().contact_points.values()
    assert kept.secret == secret
    assert str(secret).startswith("whsec_")
    listed = tickler("contact", "list", "--tenant", "acme", "--person", "anna", "--json")
    assert "whsec_" not in listed.out + listed.err


def test_a_secret_of_ones_own_is_taken_and_a_bad_one_is_not(desk: MemoryOffice, tickler: Commands) -> None:
    own = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    tickler("person", "add", "anna", "--tenant", "acme")
    where = ("--tenant", "acme", "--person", "anna", "--address", "https://hooks.example/a")
    bad = tickler("contact", "add", *where, "--channel", "webhook", "--secret", "hunter2")
    unused = tickler(
        "contact", "add", *where[:4], "--channel", "email", "--address", "a@b.example", "--secret", own
    )
    assert [(one.code, len(one.err.splitlines())) for one in (bad, unused)] == [(2, 1), (2, 1)]
    assert "hunter2" not in bad.err
    assert added(tickler, "--secret", own)["secret"] == own
    assert len(desk.container.memory().contact_points) == 1
