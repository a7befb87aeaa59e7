"""What can be wrong with a file as a whole, and what costs a component itself only."""

import os
from pathlib import Path
from random import Random
from time import thread_time

import pytest

from adapters.inbound.ics.asked import Reading
from adapters.inbound.ics.budget import Budget
from adapters.inbound.ics.components import MAX_DATES, MAX_DATES_OF_FILE
from adapters.inbound.ics.reading import read
from adapters.inbound.ics.source import MAX_BLOCKS, MAX_BYTES, BadProperty, Block, Property, Unreadable, load
from adapters.testkit.calendars import realistic_calendar
from tests.adapters.ics_files import NOW, only, options, read_events, refusals, starts, vcalendar, vevent

GOOD = vevent("good", "DTSTART:20260902T100000Z")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"\r\n\r\n", "empty"),
        (b"hello", "no iCalendar file"),
        (b"<html></html>", "no iCalendar file"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not UTF-8"),
        ("BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n".encode("utf-16"), "not UTF-8"),
        ("BEGIN:VCALENDAR\nX-NOTE:Привет\nEND:VCALENDAR\n".encode("cp1251"), "line 2 is not UTF-8"),
        (b"BEGIN:VEVENT\r\nUID:1\r\nEND:VEVENT\r\n", "no iCalendar file"),
        (vcalendar(GOOD).removesuffix(b"END:VCALENDAR\r\n"), "ends in the middle"),
        (vcalendar(GOOD)[:-60], "ends in the middle"),
        (b"BEGIN:VCALENDAR\r\n" * 2 + b"END:VCALENDAR\r\n", "ends in the middle"),
    ],
)
def test_what_is_no_calendar_is_refused_whole_in_one_line(data: bytes, said: str) -> None:
    with pytest.raises(Unreadable, match=said) as refused:
        read(data, options())
    assert "\n" not in str(refused.value)


def test_a_missing_file_a_directory_and_a_pipe_are_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, said in (
        (tmp_path / "none.ics", "there is no such file"),
        (tmp_path, "it is a directory"),
        (pipe, "no regular file"),
        (Path("a\x00b"), "cannot be read"),
    ):
        with pytest.raises(Unreadable, match=said):
            load(path)


def test_a_file_of_50_mb_is_refused_before_it_is_read(tmp_path: Path) -> None:
    large = tmp_path / "large.ics"
    with large.open("wb") as file:
        file.truncate(50_000_000)
    with pytest.raises(Unreadable, match="larger than 20 MB"):
        load(large)


def test_a_file_of_just_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "limit.ics"
    path.write_bytes(b" " * MAX_BYTES)
    assert len(load(path)) == MAX_BYTES


def test_a_byte_order_mark_is_passed_over() -> None:
    assert starts(read(b"\xef\xbb\xbf" + vcalendar(GOOD), options())) == ["2026-09-02T10:00Z"]


def test_bare_line_feeds_blank_lines_and_lower_case_are_read() -> None:
    data = vcalendar(GOOD).replace(b"\r\n", b"\n\n").replace(b"BEGIN:VEVENT", b"begin:vevent")
    assert starts(read(data, options())) == ["2026-09-02T10:00Z"]


def test_a_fold_inside_a_character_is_undone() -> None:
    line = "SUMMARY:Приём".encode()
    folded = b"\r\n ".join(line[i : i + 1] for i in range(len(line)))
    data = vcalendar(vevent("folded", "DTSTART:20260902T100000Z", "SUMMARY:?")).replace(b"SUMMARY:?", folded)
    assert only(read(data, options())).draft.title == "Приём"


def test_several_calendars_in_one_file_are_all_read() -> None:
    second = vcalendar(vevent("second", "DTSTART:20260903T100000Z"))
    assert starts(read(vcalendar(GOOD) + second, options())) == ["2026-09-02T10:00Z", "2026-09-03T10:00Z"]


def test_an_empty_calendar_gives_nothing_and_refuses_nothing() -> None:
    reading = read_events()
    assert not reading.take
    assert not reading.notes.refused


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["SUMMARY:no start"], "it has no DTSTART"),
        (["DTSTART:yesterday"], "neither a date nor a date-time"),
        (["DTSTART:20261301T100000Z"], "neither a date nor a date-time"),
        (["DTSTART:99991231T235959", "DURATION:P2D"], "no duration"),
        (["DTSTART:99991231T235959"], "9999"),
        (["DTSTART:20260902T100000Z", "DTEND:20260902T090000Z"], "it ends before it starts"),
        (["DTSTART;VALUE=DATE:20260902", "DTEND;VALUE=DATE:20260901"], "it ends before it starts"),
        (["DTSTART:20260902T100000Z", "DURATION:-PT1H"], "it ends before it starts"),
        (["DTSTART:20260902T100000Z", "DURATION:P1000000000000000000W"], "no duration"),
        (["DTSTART:20260902T100000Z", "SUMMARY:null\x00"], "holds a NUL"),
        (['DTSTART;TZID="Europe:20260902T100000Z'], "no content line"),
        (["DTSTART:20260902T100000Z", "END:VALARM"], "ends a VALARM that was not begun"),
    ],
)
def test_one_bad_component_costs_itself_only(lines: list[str], said: str) -> None:
    reading = read_events(GOOD, vevent("bad", *lines), vevent("also good", "DTSTART:20260903T100000Z"))
    assert starts(reading) == ["2026-09-02T10:00Z", "2026-09-03T10:00Z"]
    ((component, uid, reason),) = refusals(reading)
    assert (component, uid) == ("VEVENT", "bad")
    assert said in reason


def test_an_event_that_is_not_ended_costs_itself_only() -> None:
    reading = read_events(vevent("open", "DTSTART:20260902T110000Z")[:-1], GOOD)
    assert starts(reading) == ["2026-09-02T10:00Z"]
    assert refusals(reading) == [("VEVENT", "open", "its END:VEVENT is missing")]


def test_a_refusal_names_uid_and_line_and_no_title() -> None:
    (refused,) = read_events(vevent("bad", "SUMMARY:Secret")).notes.refused
    assert refused.line == 4
    assert "Secret" not in repr(refused)


def test_a_uid_that_would_break_a_line_or_a_terminal_is_shown_harmless() -> None:
    (refused,) = read_events(vevent("\x1b[31m" + "u" * 500)).notes.refused
    assert refused.uid.isprintable()
    assert len(refused.uid) < 100


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ('SUMMARY:  Созвон 🚀 №5 "срочно" <b>  ', 'Созвон 🚀 №5 "срочно" <b>'),
        ("SUMMARY:a\\, b\\; c\\nd\\\\e", "a, b; c d\\e"),
        ("SUMMARY;LANGUAGE=en:bell\x07 and escape\x1b[31m", "bell and escape[31m"),
        ("SUMMARY:" + "x" * 900, "x" * 500),
        ("SUMMARY:   ", None),
        ("DESCRIPTION:only", None),
    ],
)
def test_titles_are_unescaped_trimmed_and_capped(written: str, title: str | None) -> None:
    assert only(read_events(vevent("titled", "DTSTART:20260902T100000Z", written))).draft.title == title


@pytest.mark.parametrize(
    ("written", "kind"),
    [("CATEGORIES:Work,MEETING", "meeting"), ("CATEGORIES:Work", "other"), ("X-A:meeting", "other")],
)
def test_the_kind_comes_from_a_category_of_that_name(written: str, kind: str) -> None:
    assert only(read_events(vevent("kind", "DTSTART:20260902T100000Z", written))).draft.kind == kind


def test_a_file_of_nothing_but_short_lines_is_refused_before_it_fills_the_memory() -> None:
    with pytest.raises(Unreadable, match="more than 2000000 lines"):
        read(b"BEGIN:VCALENDAR\n" + b"x\n" * 2_000_001, options())


def test_more_refusals_than_ten_thousand_are_not_all_listed() -> None:
    reading = read_events(*[vevent(f"bad-{n}") for n in range(10_100)])
    assert len(reading.notes.refused) == 10_000
    assert reading.notes.warnings()[0].count == 100


def test_however_a_file_is_damaged_it_is_read_in_part_or_refused_whole() -> None:
    random = Random(3)
    whole = realistic_calendar(NOW, seed=3).data.replace(b"\r\n ", b"").decode()[:20_000]
    outcomes = set()
    for _ in range(60):
        damaged = list(whole)
        for _ in range(random.choice((1, 10, 100))):
            at = random.randrange(len(damaged))
            if random.random() < 0.5:
                damaged[at] = random.choice('\x00:;,="\\\n ZTP-019AEIxeЖ')
            else:
                del damaged[at : at + random.randint(1, 40)]
        data = ("".join(damaged) + "\r\nEND:VCALENDAR\r\n").encode()
        try:
            reading = read(data, options(), [Budget(each=0.2)])
            outcomes.add((bool(reading.take), bool(reading.notes.refused)))
        except Unreadable:
            outcomes.add((False, True))
    assert outcomes >= {(True, False), (True, True)}


PARAMETERS = [
    ('X="a:b;c,d"', {"X": "a:b;c,d"}),
    ('X="first","second",third', {"X": "first"}),
    ("X=first,second;Y=2", {"X": "first", "Y": "2"}),
    ("X=^^ ^n ^'q^' ^x", {"X": '^ \n "q" ^x'}),
    (r"X=Doe\, John\; Jr", {"X": "Doe, John; Jr"}),
    (r'X="C:\dir\\"', {"X": "C:\\dir\\"}),
    (' X = spaced ; y = "2" ', {"X": "spaced", "Y": "2"}),
    ('X="";Y=', {"X": "", "Y": ""}),
]


@pytest.mark.parametrize(("said", "meant"), PARAMETERS, ids=[said for said, _ in PARAMETERS])
def test_parameters_are_read_with_quotes_lists_escapes_and_spaces(said: str, meant: dict[str, str]) -> None:
    (property_,) = Block("VEVENT", 1, [(7, f"dtstart;{said}:a:b;c")]).all("DTSTART")
    assert property_ == Property("DTSTART", meant, "a:b;c", 7)


@pytest.mark.parametrize("said", ['X="open', 'X=a"b', 'X="a"b', "X", "=a", "", 'X=a;;Y="b"', 'X="a",="b"'])
def test_parameters_that_make_no_sense_are_refused(said: str) -> None:
    with pytest.raises(BadProperty, match="line 7 is no content line"):
        list(Block("VEVENT", 1, [(7, f"DTSTART;{said}:20260902T100000Z")]).all("DTSTART"))


# What each of these took before was 5 to 18 seconds of the processor's time, outside of every budget.
MOST_SECONDS = 2.0


def seconds_of_reading(data: bytes) -> tuple[float, Reading]:
    began = thread_time()
    reading = read(data, options())
    return thread_time() - began, reading


@pytest.mark.parametrize(
    "parameter", ['A="' + ";;," * 30_000 + '"', "A=" + "^^" * 45_000, "A=x" + ',"y"' * 20_000]
)
def test_parameters_of_many_kilobytes_cost_little(parameter: str) -> None:
    events = [vevent(f"q{n}", f"DTSTART;{parameter}:20260902T100000Z") for n in range(100)]
    seconds, reading = seconds_of_reading(vcalendar(*events))
    assert len(reading.take) == 100
    assert seconds < MOST_SECONDS


def test_dates_are_counted_before_they_are_looked_at() -> None:
    for name in ("EXDATE", "RDATE"):
        lines = [f"{name}:" + ",".join(["20260905T100000Z"] * 100)] * 101
        reading = read_events(GOOD, vevent("many", "DTSTART:20260902T100000Z", *lines, f"{name}:nonsense"))
        assert refusals(reading) == [("VEVENT", "many", f"it has more than 10000 {name}s")]
        assert starts(reading) == ["2026-09-02T10:00Z"]


def test_a_file_of_too_many_dates_costs_the_components_that_have_more_of_them() -> None:
    line = f"EXDATE:{','.join(['20260905T100000Z'] * (MAX_DATES // 2))}"
    start = "DTSTART:20260902T100000Z"
    events = [vevent(f"e{n}", start, line, line) for n in range(MAX_DATES_OF_FILE // MAX_DATES)]
    more = vevent("more", start, line, line, line)
    reading = read_events(*events, more, GOOD)
    assert [one.uid for one in reading.take][-1] == "good"
    assert len(reading.take) == len(events) + 1
    assert refusals(reading) == [("VEVENT", "more", "it has more than 10000 EXDATEs")]
    more = vevent("more", start, "EXDATE:20260905T100000Z")
    reading = read_events(*events, more, GOOD)
    reason = "the file has more than 200000 EXDATEs and RDATEs up to here"
    assert ("VEVENT", "more", reason) in refusals(reading)
    assert [one.uid for one in reading.take][-1] == "good"


def test_zones_that_nobody_knows_cost_little_and_are_named_up_to_a_thousand() -> None:
    events = [vevent(f"z{n}", f"DTSTART;TZID=/a/b/c/Nowhere/City{n}:20260902T100000") for n in range(3_000)]
    seconds, reading = seconds_of_reading(vcalendar(*events))
    assert len(reading.take) == 3_000
    warned = [one.text for one in reading.notes.warnings()]
    assert len(warned) == 1_001
    assert warned[0] == "time zone '/a/b/c/Nowhere/City0' is unknown; taken in Europe/Berlin"
    assert warned[-1] == "more than 1000 warnings; from here on they are not listed"
    assert seconds < MOST_SECONDS


@pytest.mark.parametrize("begin", ["BEGIN:VEVENT", "begin : vevent"])
def test_a_file_of_too_many_components_is_refused_whole_before_they_are_looked_at(begin: str) -> None:
    data = vcalendar([begin, "END:VEVENT"] * MAX_BLOCKS)
    with pytest.raises(Unreadable, match="more than 200000 components; split it"):
        read(data, options())


def test_todos_and_journals_are_left_alone() -> None:
    todo = ["BEGIN:VTODO", "UID:todo", "DUE:20260902T100000Z", "END:VTODO"]
    reading = read_events(todo, GOOD)
    assert len(reading.take) == 1
    assert not reading.notes.refused
