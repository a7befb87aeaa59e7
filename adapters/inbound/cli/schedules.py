"""A plan's schedule on the command line: read from options, and told."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import Annotated

import typer

from adapters.inbound.cli.output import Json, utc, wall
from adapters.inbound.cli.reading import wall_time
from domain.errors import Invalid
from domain.recurrence import BeforeDeadline, ClockChange, Every, Planned, Schedule, ShortMonth

EveryOption = Annotated[
    str | None, typer.Option(metavar="RRULE", help="A rule such as FREQ=WEEKLY;BYDAY=MO (RFC 5545).")
]
AnchorOption = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="TIME", help="The wall time that --every counts from, '2026-12-31 09:00'."
    ),
]
BeforeOption = Annotated[
    str | None, typer.Option(metavar="DAY", help="A deadline, such as 2027-03-31, in place of --every.")
]
DaysOption = Annotated[str | None, typer.Option(help="How many days before it: 45,30,14,7,1.")]
AtOption = Annotated[str | None, typer.Option(metavar="HH:MM", help="At what time of those days.")]
ZoneOption = Annotated[
    str | None, typer.Option(metavar="ZONE", help="The IANA zone of all of these; else the person's own.")
]
ShortMonthOption = Annotated[
    ShortMonth, typer.Option(help="A day that a month has not: skip it, or take the month's last.")
]

MaybeShortMonth = Annotated[
    ShortMonth | None, typer.Option(help="A day that a month has not: skip it, or take the month's last.")
]

NOTES = {
    ClockChange.LEFT_OUT: "the clock leaves this time out: it comes later by the gap",
    ClockChange.TWICE: "the clock shows this time twice: the first is meant",
    None: "",
}


def given_schedule(
    every: str | None,
    anchor: str | None,
    before: str | None,
    days: str | None,
    at: str | None,
    time_zone: str,
    short_month: ShortMonth,
) -> Schedule:
    """The schedule that the options say; Invalid names the one that will not do."""
    if (every is None) == (before is None):
        raise Invalid("--every: give either --every with --from, or --before with --days and --at")
    if every is not None:
        if anchor is None:
            raise Invalid("--from: the wall time that the rule counts from is wanted")
        if days is not None or at is not None:
            raise Invalid("--days: it goes with --before")
        return Every(every, wall_time("--from", anchor), time_zone, short_month)
    if anchor is not None or short_month is not ShortMonth.SKIP:
        raise Invalid("--from: it goes with --every")
    if days is None or at is None:
        raise Invalid("--days: days and an hour are wanted, such as --days 45,30,14,7,1 --at 10:00")
    return BeforeDeadline(_day(before or ""), _days(days), _hour(at), time_zone)


def edited_schedule(
    kept: Schedule,
    every: str | None,
    anchor: str | None,
    before: str | None,
    days: str | None,
    at: str | None,
    time_zone: str | None,
    short_month: ShortMonth | None,
) -> Schedule:
    """The schedule with what is given in the place of its own; another sort of schedule is given whole.

    Invalid names the option that will not do.
    """
    own_zone = time_zone or kept.time_zone
    if every is not None and before is not None:
        raise Invalid("--every: give either --every or --before")
    match kept:
        case Every() if before is None:
            if days is not None or at is not None:
                raise Invalid("--days: this plan goes by a rule; --days and --at go with --before, all three")
            return Every(
                kept.rule if every is None else every,
                kept.anchor if anchor is None else wall_time("--from", anchor),
                own_zone,
                kept.short_month if short_month is None else short_month,
            )
        case BeforeDeadline() if every is None:
            if anchor is not None or short_month is not None:
                raise Invalid("--from: this plan has a deadline; --from and --short-month go with --every")
            return BeforeDeadline(
                kept.deadline if before is None else _day(before),
                kept.days if days is None else _days(days),
                kept.at if at is None else _hour(at),
                own_zone,
            )
        case _:
            return given_schedule(every, anchor, before, days, at, own_zone, short_month or ShortMonth.SKIP)


def told_schedule(schedule: Schedule) -> str:
    match schedule:
        case Every(rule, anchor, time_zone, short_month):
            last = ", else the last day" if short_month is ShortMonth.LAST else ""
            return f"{rule}{last} from {anchor:%Y-%m-%d %H:%M} {time_zone}"
        case BeforeDeadline(deadline, days, at, time_zone):
            return f"{', '.join(map(str, days))} days before {deadline} at {at:%H:%M} {time_zone}"


def schedule_json(schedule: Schedule) -> dict[str, Json]:
    match schedule:
        case Every(rule, anchor, time_zone, short_month):
            return {
                "every": rule,
                "from": anchor.isoformat(),
                "timeZone": time_zone,
                "shortMonth": short_month.value,
            }
        case BeforeDeadline(deadline, days, at, time_zone):
            return {
                "before": deadline.isoformat(),
                "days": list(days),
                "at": f"{at:%H:%M}",
                "timeZone": time_zone,
            }


def planned_json(planned: Planned, time_zone: str) -> dict[str, Json]:
    return {
        "slot": planned.slot.isoformat(),
        "timeZone": time_zone,
        "at": utc(planned.at),
        "clockChange": planned.clock_change.value if planned.clock_change else None,
    }


def planned_rows(found: Sequence[Planned], time_zone: str) -> Iterator[Sequence[str]]:
    for one in found:
        yield wall(one.at, time_zone), NOTES[one.clock_change], utc(one.at) or ""


def _day(text: str) -> date:
    try:
        return datetime.strptime(text.strip(), "%Y-%m-%d").date()  # noqa: DTZ007
    except ValueError:
        raise Invalid(f"--before: {text[:40]!r} is no day such as 2027-03-31") from None


def _days(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 6 for part in parts):
        raise Invalid(f"--days: {text[:40]!r} is not such as 45,30,14,7,1")
    return tuple(int(part) for part in parts)


def _hour(text: str) -> time:
    try:
        return datetime.strptime(text.strip(), "%H:%M").time()  # noqa: DTZ007
    except ValueError:
        raise Invalid(f"--at: {text[:20]!r} is no time of day such as 10:00") from None
