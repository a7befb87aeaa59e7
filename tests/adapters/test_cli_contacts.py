"""`tickler person set|show|remove|erase` and `tickler contact remove|prefer|opt-out|opt-in`."""

from typing import Any

import pytest

from adapters.settings import Settings
from tests.adapters.offices import Commands, MemoryOffice

AN_ID = "0198c5f0-7d3e-7000-8000-000000000001"
ANNA = ("anna", "--tenant", "acme")
OF_ANNA = ("--tenant", "acme", "--person", "anna")


@pytest.fixture
def desk() -> MemoryOffice:
    return MemoryOffice.new(Settings())


@pytest.fixture
def tickler(desk: MemoryOffice, capsys: pytest.CaptureFixture[str]) -> Commands:
    commands = Commands(desk, capsys)
    commands.document("tenant", "add", "acme", "--zone", "UTC")
    commands.document("person", "add", *ANNA)
    return commands


def add(tickler: Commands, channel: str, address: str) -> str:
    point = tickler.document("contact", "add", *OF_ANNA, "--channel", channel, "--address", address)
    found: str = point["contactPointId"]
    return found


def listed(tickler: Commands) -> list[tuple[str, bool]]:
    points = tickler.document("contact", "list", *OF_ANNA)
    return [(one["address"], one["optedOut"]) for one in points]


def shown(tickler: Commands) -> Any:
    return tickler.document("person", "show", *ANNA)


def test_a_person_is_changed_in_what_is_given(tickler: Commands) -> None:
    before = shown(tickler)
    tickler.document("person", "set", *ANNA, "--language", "ru")
    assert shown(tickler) == {**before, "language": "ru"}
    changed = tickler.document("person", "set", *ANNA, "--handle", "ann", "--zone", "Asia/Tokyo")
    assert (changed["handle"], changed["timeZone"], changed["language"]) == ("ann", "Asia/Tokyo", "ru")
    assert tickler("person", "show", *ANNA).code == 2


def test_a_person_does_not_take_anothers_handle(tickler: Commands) -> None:
    tickler.document("person", "add", "boris", "--tenant", "acme")
    assert tickler("person", "set", "boris", "--tenant", "acme", "--handle", "anna").code == 1


def test_a_person_is_shown_with_addresses_and_opt_outs(tickler: Commands) -> None:
    add(tickler, "email", "a@b.example")
    tickler.document("contact", "opt-out", *OF_ANNA, "--channel", "console")
    found = shown(tickler)
    assert (found["optedOutOf"], found["isMember"]) == (["console"], True)
    assert [one["address"] for one in found["contactPoints"]] == ["a@b.example"]
    told = tickler("person", "show", *ANNA).out
    assert "opted out of console" in told
    assert "a@b.example" in told


def test_who_was_removed_is_listed_as_left_until_it_is_undone(tickler: Commands) -> None:
    assert tickler.document("person", "remove", *ANNA)["isMember"] is False
    assert "has left" in tickler("person", "list", "--tenant", "acme").out
    assert "has left" in tickler("person", "show", *ANNA).out
    assert "nothing was changed" in tickler("person", "remove", *ANNA).err
    assert tickler.document("person", "remove", *ANNA, "--undo")["isMember"] is True
    assert shown(tickler)["isMember"] is True


def test_an_event_of_one_who_was_removed_stays(tickler: Commands) -> None:
    planned = tickler.document(
        "event", "plan", *OF_ANNA[:2], "--owner", "anna", "--start", "2026-12-05 10:00", "--zone", "UTC"
    )
    tickler.document("person", "remove", *ANNA)
    assert tickler.document("event", "show", planned["eventId"]) == planned


def test_the_preferred_address_comes_first(tickler: Commands) -> None:
    add(tickler, "email", "a@b.example")
    add(tickler, "email", "c@b.example")
    last = add(tickler, "console", "desk")
    assert tickler("contact", "prefer", last).code == 0
    assert [address for address, _ in listed(tickler)] == ["desk", "a@b.example", "c@b.example"]


def test_a_removed_address_is_gone(tickler: Commands) -> None:
    gone = add(tickler, "email", "a@b.example")
    add(tickler, "email", "c@b.example")
    assert tickler.document("contact", "remove", gone)["address"] == "a@b.example"
    assert listed(tickler) == [("c@b.example", False)]
    assert tickler("contact", "remove", gone).code == 2


def test_one_address_is_opted_out_of_and_in_again(tickler: Commands) -> None:
    first = add(tickler, "email", "a@b.example")
    add(tickler, "email", "c@b.example")
    out = tickler.document("contact", "opt-out", first)
    assert (out["contactPointId"], out["channel"], out["optedOut"]) == (first, "email", True)
    assert listed(tickler) == [("a@b.example", True), ("c@b.example", False)]
    tickler.document("contact", "opt-in", first)
    assert listed(tickler) == [("a@b.example", False), ("c@b.example", False)]


def test_a_channel_is_opted_out_of_with_addresses_still_to_come(tickler: Commands) -> None:
    first = add(tickler, "email", "a@b.example")
    tickler.document("contact", "opt-out", *OF_ANNA, "--channel", "email")
    add(tickler, "email", "c@b.example")
    add(tickler, "console", "desk")
    assert listed(tickler) == [("a@b.example", True), ("c@b.example", True), ("desk", False)]
    still = tickler("contact", "opt-in", first)
    assert (still.code, "--channel email" in still.err) == (2, True)
    tickler.document("contact", "opt-in", *OF_ANNA, "--channel", "email")
    assert {out for _, out in listed(tickler)} == {False}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("contact", "opt-out"), "CONTACT: give it alone, or --tenant"),
        (("contact", "opt-out", AN_ID, "--channel", "email"), "CONTACT: give it alone, or --tenant"),
        (("contact", "opt-out", *OF_ANNA), "CONTACT: give it alone, or --tenant"),
        (("contact", "opt-out", *OF_ANNA, "--channel", "pigeon"), "--channel: 'pigeon' is none of"),
        (("contact", "opt-in", AN_ID), f"CONTACT: there is no contact {AN_ID}"),
        (("contact", "prefer", "7"), "CONTACT: '7' is not an id"),
        (("contact", "remove", AN_ID), f"CONTACT: there is no contact {AN_ID}"),
        (("person", "set", *ANNA), "nothing to change"),
        (("person", "set", *ANNA, "--zone", "Moscow"), "time zone 'Moscow' is unknown"),
        (("person", "set", *ANNA, "--handle", "a b"), "--handle: 'a b' is not a handle"),
        (("person", "show", "nobody", "--tenant", "acme"), "PERSON: there is no person 'nobody'"),
        (("person", "remove", AN_ID, "--tenant", "acme"), f"PERSON: there is no person '{AN_ID}'"),
        (("person", "erase", *ANNA), "--yes: it cannot be undone, and the titles of all events"),
        (("person", "erase", "nobody", "--tenant", "acme", "--yes"), "there is no person 'nobody'"),
    ],
)
def test_bad_input_is_one_line_and_changes_nobody(
    tickler: Commands, arguments: tuple[str, ...], said: str
) -> None:
    before = shown(tickler)
    answer = tickler(*arguments)
    assert (answer.code, len(answer.err.splitlines())) == (2, 1)
    assert said in answer.err
    assert shown(tickler) == before


def test_of_who_was_erased_an_id_is_left_and_their_handle_is_free(tickler: Commands) -> None:
    anna = shown(tickler)["userId"]
    add(tickler, "email", "a@b.example")
    tickler.document(
        "event", "plan", "--tenant", "acme", "--owner", "anna", "--title", "Anna's visit",
        "--start", "2026-12-05 10:00", "--zone", "UTC",
    )  # fmt: skip
    gone = tickler.document("person", "erase", *ANNA, "--yes")
    assert gone == {"userId": anna, "addresses": 1, "titles": 1, "touches": 0, "plans": 0, "left": 0}
    (left,) = tickler.document("person", "list", "--tenant", "acme")
    assert (left["handle"], left["isMember"]) == (anna, False)
    (event,) = tickler.document("event", "list", "--tenant", "acme")
    assert (event["title"], event["ownerUserId"]) == (None, anna)
    assert tickler("person", "add", *ANNA).code == 0


TOKENS = {
    "telegram": ("tgram://123456789:abcdefg_hijklmnop/12315544", "tgram://…5544"),
    "whatsapp": ("whatsapp://token@123456/+74951234567", "whatsapp://…4567"),
    "apprise": ("json://hooks.example/", "json://…"),
}


@pytest.mark.parametrize("channel", TOKENS)
def test_of_an_address_with_a_token_only_the_end_is_shown_unless_more_is_asked_for(
    tickler: Commands, channel: str
) -> None:
    address, masked = TOKENS[channel]
    add(tickler, channel, address)
    commands = ("contact", "list", *OF_ANNA), ("person", "show", *ANNA)

    for command in commands:
        for form in ((), ("--json",)):
            said = tickler(*command, *form).out
            assert (masked in said, address in said) == (True, False)
            assert address in tickler(*command, *form, "--reveal").out


def test_adding_and_removing_show_no_token_either(tickler: Commands) -> None:
    address, masked = TOKENS["telegram"]
    new = ("--channel", "telegram", "--address", address)
    added = tickler.document("contact", "add", *OF_ANNA, *new)
    removed = tickler.document("contact", "remove", added["contactPointId"])
    assert (added["address"], removed["address"]) == (masked, masked)
