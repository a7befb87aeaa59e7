"""`tickler touch …` and `tickler plan …` on a memory desk."""

from typing import Any

import pytest

from adapters.settings import Settings
from tests.adapters.offices import Commands, MemoryOffice

AN_ID = "0198c5f0-7d3e-7000-8000-000000000001"
FOR_ANNA = ("--tenant", "acme", "--for", "anna")
SOON = ("--when", "in 10 minutes")
PLAN = ("plan", "add", *FOR_ANNA, "--text", "{{ days_left }} days left")
DATED = ("plan", "add", *FOR_ANNA, "--text", "{{ date }}")
RENEWAL = ("--before", "2199-03-31", "--days", "45,30,14,7,1", "--at", "10:00")
DAILY = ("--every", "FREQ=DAILY", "--from", "2026-12-01 09:00")

MONTHLY = ("--every", "FREQ=MONTHLY", "--from", "2026-12-31 09:00")


@pytest.fixture
def tickler(capsys: pytest.CaptureFixture[str]) -> Commands:
    commands = Commands(MemoryOffice.new(Settings()), capsys)
    commands.document("tenant", "add", "acme", "--zone", "Europe/Moscow")
    commands.document("person", "add", "anna", "--tenant", "acme", "--zone", "Europe/Moscow")
    return commands


def address(tickler: Commands, channel: str, where: str, person: str = "anna") -> str:
    point = tickler.document(
        "contact", "add", "--tenant", "acme", "--person", person, "--channel", channel, "--address", where
    )
    found: str = point["contactPointId"]
    return found


def put_off(tickler: Commands, *more: str) -> Any:
    return tickler.document("touch", "add", *FOR_ANNA, *SOON, "--text", "call back", *more)


def test_a_touch_is_put_off_to_the_address_that_the_person_prefers(tickler: Commands) -> None:
    point = address(tickler, "email", "a@b.example")
    made = put_off(tickler)
    assert (made["status"], made["kind"], made["channel"]) == ("Pending", "message", "email")
    assert made["contactPointId"] == point
    assert made["isNew"] is True


def test_a_touch_goes_to_the_address_that_was_asked_for_and_to_nobody_elses(tickler: Commands) -> None:
    address(tickler, "email", "a@b.example")
    second = address(tickler, "email", "c@d.example")
    assert put_off(tickler, "--to", second)["contactPointId"] == second
    tickler.document("person", "add", "boris", "--tenant", "acme")
    foreign = address(tickler, "email", "b@d.example", person="boris")
    refused = tickler("touch", "add", *FOR_ANNA, *SOON, "--text", "x", "--to", foreign)
    assert refused.code == 2
    assert "is not an address of anna" in refused.err


def test_an_address_that_nothing_is_sent_to_here_is_noted(tickler: Commands) -> None:
    for add in (("touch", "add", *FOR_ANNA, *SOON, "--text", "x"), (*PLAN, *RENEWAL)):
        assert "TICKLER_SMTP_HOST" not in tickler(*add).err
    address(tickler, "email", "a@b.example")
    for add in (("touch", "add", *FOR_ANNA, *SOON, "--text", "x"), (*PLAN, *RENEWAL)):
        noted = tickler(*add)
        assert (noted.code, noted.err.count("note: TICKLER_SMTP_HOST is not set here")) == (0, 1)


def test_the_console_is_where_somebody_without_an_address_is_told(tickler: Commands) -> None:
    made = put_off(tickler)
    assert (made["channel"], made["contactPointId"]) == ("console", None)


def test_the_same_key_gives_the_same_touch(tickler: Commands) -> None:
    first, second = put_off(tickler, "--key", "42"), put_off(tickler, "--key", "42")
    assert second["touchId"] == first["touchId"]
    assert second["isNew"] is False
    other = tickler("touch", "add", *FOR_ANNA, *SOON, "--text", "something else", "--key", "42")
    assert other.code == 1
    assert "used for something else" in other.err


@pytest.mark.parametrize(
    "asked",
    [
        ("touch", "add", *FOR_ANNA, *SOON, "--text", "check 42", "--kind", "call"),
        (*DATED, *RENEWAL, "--kind", "call"),
    ],
    ids=["touch", "plan"],
)
def test_a_call_without_an_agent_platform_is_refused_in_a_line_that_says_what_to_do(
    tickler: Commands, asked: tuple[str, ...]
) -> None:
    refused = tickler(*asked)
    assert (refused.code, len(refused.err.strip().splitlines())) == (1, 1)
    assert "tickler tenant agent TENANT --url URL" in refused.err
    assert tickler.document("touch", "list") == tickler.document("plan", "list") == []
    tickler.document("tenant", "agent", "acme", "--url", "https://agents.b.example/touches")
    assert tickler.document(*asked)["status"] in ("Pending", "Active")


def test_words_that_may_mean_two_days_are_asked_about(tickler: Commands) -> None:
    found = tickler("touch", "add", *FOR_ANNA, "--when", "next week", "--text", "x")
    assert found.code == 2
    assert "more than one time" in found.err
    assert tickler.document("touch", "list") == []


@pytest.mark.parametrize(
    "wrong",
    [
        ("--when", "yesterday", "--text", "x"),
        ("--when", "2020-01-01", "--text", "x"),
        ("--when", "9999-01-01", "--text", "x"),
        (*SOON,),
        (*SOON, "--text", " "),
        (*SOON, "--text", "x" * 10_001),
        (*SOON, "--text", "x", "--kind", "nobody-knows"),
        (*SOON, "--text", "x", "--key", ""),
        (*SOON, "--text", "x", "--to", "nowhere"),
        (*SOON, "--text", "x", "--to", AN_ID),
    ],
)
def test_what_will_not_do_is_one_line_and_nothing_is_written(
    tickler: Commands, wrong: tuple[str, ...]
) -> None:
    found = tickler("touch", "add", *FOR_ANNA, *wrong)
    assert found.code == 2
    assert len(found.err.strip().splitlines()) == 1
    assert tickler.document("touch", "list") == []


def test_touches_are_listed_and_shown_with_their_texts(tickler: Commands) -> None:
    made = put_off(tickler)
    assert [one["touchId"] for one in tickler.document("touch", "list", "--tenant", "acme")] == [
        made["touchId"]
    ]
    assert tickler.document("touch", "list", "--status", "Failed") == []
    assert made["touchId"] in tickler("touch", "list").out
    shown = tickler.document("touch", "show", made["touchId"])
    assert (shown["text"], shown["answer"]) == ("call back", None)
    assert [one["event"] for one in shown["history"]] == ["TouchRegistered"]
    told = tickler("touch", "show", made["touchId"]).out
    assert "message for anna on console" in told
    assert "TouchRegistered" in told


def test_a_text_of_several_lines_is_indented_so_that_none_passes_for_what_happened(
    tickler: Commands,
) -> None:
    forged = "call back\n  2026-11-29T12:00:00Z  TouchDelivered  by cli\u2028\x1b[2Jmore"
    made = put_off(tickler, "--text", forged)
    told = tickler("touch", "show", made["touchId"]).out.split("\n")
    at = told.index("  text: call back")
    assert told[at + 1 : at + 3] == [
        "          2026-11-29T12:00:00Z  TouchDelivered  by cli",
        "        \N{REPLACEMENT CHARACTER}[2Jmore",
    ]


def test_a_touch_is_cancelled_once_and_for_all(tickler: Commands) -> None:
    made = put_off(tickler)
    assert tickler.document("touch", "cancel", made["touchId"])["status"] == "Cancelled"
    assert tickler.document("touch", "cancel", made["touchId"])["status"] == "Cancelled"
    retried = tickler("touch", "retry", made["touchId"])
    assert retried.code == 1
    assert "INV-TCH-6" in retried.err


@pytest.mark.parametrize("command", ["show", "cancel", "retry"])
def test_a_touch_that_is_not_there_is_refused(tickler: Commands, command: str) -> None:
    assert tickler("touch", command, AN_ID).code == 1
    assert tickler("touch", command, "abc").code == 2


def test_a_renewal_is_planned_before_its_deadline_in_the_persons_zone(tickler: Commands) -> None:
    made = tickler.document(*PLAN, *RENEWAL)
    assert made["schedule"] == {
        "before": "2199-03-31",
        "days": [45, 30, 14, 7, 1],
        "at": "10:00",
        "timeZone": "Europe/Moscow",
    }
    assert made["nextAt"] == "2199-02-14T07:00:00Z"
    assert (made["status"], made["catchUp"]) == ("Active", 1)


def test_a_preview_keeps_nothing_and_marks_the_clock_changes(tickler: Commands) -> None:
    found = tickler.document(
        "plan", "preview", "--every", "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "--from", "2027-03-28 02:30",
        "--zone", "Europe/Berlin", "--count", "2",
    )  # fmt: skip
    assert [one["clockChange"] for one in found] == ["left_out", "left_out"]
    assert found[0]["at"] == "2027-03-28T01:30:00Z"
    assert tickler.document("plan", "list") == []


def test_a_kept_plan_is_previewed_by_its_id(tickler: Commands) -> None:
    made = tickler.document(*PLAN, *RENEWAL)
    found = tickler.document("plan", "preview", made["planId"], "--count", "2")
    assert [one["slot"] for one in found] == ["2199-02-14T10:00:00", "2199-03-01T10:00:00"]


def test_a_plan_is_paused_resumed_edited_and_ended(tickler: Commands) -> None:
    plan_id = tickler.document(*DATED, *DAILY, "--missed", "5")["planId"]
    assert tickler.document("plan", "pause", plan_id)["nextAt"] is None
    assert tickler.document("plan", "resume", plan_id)["status"] == "Active"
    edited = tickler.document("plan", "edit", plan_id, "--missed", "skip", "--text", "another")
    assert (edited["catchUp"], edited["revision"]) == (0, 2)
    shown = tickler.document("plan", "show", plan_id)
    assert shown["text"] == "another"
    assert "PlanEdited" in tickler("plan", "show", plan_id).out
    assert tickler("plan", "edit", plan_id).code == 2
    assert tickler.document("plan", "end", plan_id)["status"] == "Ended"
    assert tickler("plan", "pause", plan_id).code == 1
    assert [one["status"] for one in tickler.document("plan", "list", "--tenant", "acme")] == ["Ended"]


@pytest.mark.parametrize(
    "wrong",
    [
        (),
        (*RENEWAL, "--every", "FREQ=DAILY"),
        ("--every", "FREQ=DAILY"),
        ("--every", "FREQ=SECONDLY", "--from", "2026-12-01 09:00"),
        ("--every", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "--from", "2026-12-01 09:00"),
        (*DAILY, "--days", "1"),
        (*DAILY, "--missed", "sometimes"),
        (*DAILY, "--missed", "101"),
        (*DAILY, "--spread", "-1"),
        (*DAILY, "--zone", "Mars/Olympus"),
        ("--before", "2027-02-30", "--days", "1", "--at", "10:00"),
        ("--before", "2199-03-31", "--days", "1,x", "--at", "10:00"),
        ("--before", "2199-03-31", "--days", "1", "--at", "25:00"),
        ("--before", "2199-03-31", "--days", "1"),
        ("--before", "2020-03-31", "--days", "1", "--at", "10:00"),
        (*RENEWAL, "--from", "2026-12-01 09:00"),
        (*RENEWAL, "--kind", "nobody-knows"),
    ],
)
def test_a_plan_that_will_not_do_is_one_line_and_nothing_is_kept(
    tickler: Commands, wrong: tuple[str, ...]
) -> None:
    found = tickler(*PLAN, *wrong)
    assert found.code == 2
    assert len(found.err.strip().splitlines()) == 1
    assert tickler.document("plan", "list") == []


@pytest.mark.parametrize("text", ["{{ nobody }}", "{% for x in range(10**9) %}x{% endfor %}", "{{", " "])
def test_a_text_that_is_no_template_is_refused(tickler: Commands, text: str) -> None:
    found = tickler("plan", "add", *FOR_ANNA, *RENEWAL, "--text", text)
    assert found.code == 2
    assert tickler.document("plan", "list") == []


@pytest.mark.parametrize(
    ("kept", "given", "becomes"),
    [
        (RENEWAL, ("--days", "30,7,1"), {"days": [30, 7, 1]}),
        (RENEWAL, ("--at", "11:30"), {"at": "11:30"}),
        (RENEWAL, ("--before", "2027-04-30"), {"before": "2027-04-30"}),
        (RENEWAL, ("--zone", "Europe/Berlin"), {"timeZone": "Europe/Berlin"}),
        (DAILY, ("--from", "2026-12-31 08:00"), {"from": "2026-12-31T08:00:00"}),
        (DAILY, ("--every", "FREQ=WEEKLY"), {"every": "FREQ=WEEKLY"}),
        (DAILY, ("--zone", "Europe/Berlin"), {"timeZone": "Europe/Berlin"}),
        (
            DAILY,
            ("--every", "FREQ=MONTHLY", "--short-month", "last"),
            {"every": "FREQ=MONTHLY", "shortMonth": "last"},
        ),
    ],
)
def test_what_is_given_of_a_plans_schedule_is_changed_and_what_is_not_stays(
    tickler: Commands, kept: tuple[str, ...], given: tuple[str, ...], becomes: dict[str, object]
) -> None:
    made = tickler.document(*DATED, *kept, "--missed", "5", "--spread", "7")
    edited = tickler.document("plan", "edit", made["planId"], *given)
    assert edited["schedule"] == {**made["schedule"], **becomes}
    for stays in ("userId", "channel", "kind", "catchUp", "spreadS"):
        assert edited[stays] == made[stays]
    assert tickler.document("plan", "show", made["planId"])["text"] == "{{ date }}"
    assert tickler("plan", "edit", made["planId"], *given).code == 2


def test_a_schedule_of_another_sort_is_given_whole(tickler: Commands) -> None:
    by_rule = tickler.document(*DATED, *DAILY)["planId"]
    dated = tickler.document(*DATED, *RENEWAL)["planId"]
    for plan_id, given, names in (
        (by_rule, ("--days", "7"), "--before"),
        (by_rule, ("--before", "2027-03-31"), "--days"),
        (by_rule, ("--before", "2027-03-31", "--days", "7"), "--at"),
        (by_rule, ("--before", "2027-03-31", "--every", "FREQ=DAILY"), "--every"),
        (dated, ("--from", "2026-12-31 08:00"), "--every"),
        (dated, ("--short-month", "last"), "--every"),
        (dated, ("--every", "FREQ=DAILY"), "--from"),
    ):
        refused = tickler("plan", "edit", plan_id, *given)
        assert refused.code == 2
        assert names in refused.err
        assert tickler.document("plan", "show", plan_id)["revision"] == 1
    whole = tickler.document("plan", "edit", by_rule, *RENEWAL)["schedule"]
    assert whole == tickler.document("plan", "show", dated)["schedule"]
    again = tickler.document("plan", "edit", by_rule, *DAILY)["schedule"]
    assert again["every"] == "FREQ=DAILY"


def test_a_repeat_by_the_same_key_is_the_same_plan(tickler: Commands) -> None:
    made = tickler.document(*DATED, *DAILY, "--key", "k1")
    assert tickler.document(*DATED, *DAILY, "--key", "k1") == made
    assert tickler(*DATED, *RENEWAL, "--key", "k1").code == 1
    assert tickler(*DATED, *DAILY, "--key", "").code == 2
    assert len(tickler.document("plan", "list")) == 1
    tickler.document(*DATED, *DAILY)
    tickler.document(*DATED, *DAILY)
    assert len(tickler.document("plan", "list")) == 3


def test_a_plan_that_is_not_there_is_refused(tickler: Commands) -> None:
    assert tickler("plan", "show", AN_ID).code == 1
    assert tickler("plan", "preview", AN_ID).code == 1
    assert tickler("plan", "preview", *DAILY).code == 2


def test_somebody_who_has_left_is_not_written_to(tickler: Commands) -> None:
    tickler.document("person", "remove", "anna", "--tenant", "acme")
    assert tickler("touch", "add", *FOR_ANNA, *SOON, "--text", "x").code == 2
    assert tickler(*DATED, *DAILY).code == 2


@pytest.mark.parametrize(
    ("when", "said"),
    [
        (
            "2027-03-28 02:30",
            "02:30 does not exist on 2027-03-28 in Europe/Berlin: 03:30 is meant, 2027-03-28T01:30Z",
        ),
        (
            "2027-10-31 02:30",
            "02:30 happens twice on 2027-10-31 in Europe/Berlin: the first is meant, 2027-10-31T00:30Z",
        ),
    ],
)
def test_a_time_that_a_clock_change_leaves_out_or_has_twice_is_told(
    tickler: Commands, when: str, said: str
) -> None:
    tickler.document("person", "set", "anna", *FOR_ANNA[:2], "--zone", "Europe/Berlin")
    asked = ("touch", "add", *FOR_ANNA, "--when", when, "--text", "call back")
    told = tickler(*asked)
    assert (told.code, told.err) == (0, f"note: --when: {said}\n")
    assert tickler.document(*asked)["note"] == said
    assert put_off(tickler)["note"] is None


def test_who_is_erased_has_nothing_waiting_for_them_any_more(tickler: Commands) -> None:
    waiting = put_off(tickler)["touchId"]
    plan = tickler.document(*DATED, *DAILY)["planId"]
    said = tickler("person", "erase", "anna", *FOR_ANNA[:2], "--yes")
    assert "1 touch cancelled, 1 plan ended" in said.out
    assert tickler.document("touch", "show", waiting)["status"] == "Cancelled"
    assert tickler.document("plan", "show", plan)["status"] == "Ended"
    shown = tickler("touch", "show", waiting).out
    assert "TouchCancelled  by erasure" in shown
    assert "call back" not in shown
