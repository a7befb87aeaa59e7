"""`tickler demo`: a few events that fall due within seconds, on a store that is thrown away afterwards."""

import sys
import tempfile
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import typer
from attrs import define, field, frozen

from adapters.inbound.cli.office import Services, office
from adapters.inbound.cli.output import AsJson, put, put_json, put_table, say, utc
from adapters.inbound.cli.reading import tz_version
from adapters.inbound.cli.running import KINDS, make_loops
from adapters.inbound.cli.stopping import StopSignals
from adapters.inbound.loops import Stop
from application.calendar import Draft
from application.ports.people import Person, Tenant
from domain import delivery, reminder
from domain.triggers import MinutesBeforeStart
from domain.values import AppointmentId, EventId, Kind, ReminderId, TenantId, Timing, UserId, zone

ZONE = "Europe/Moscow"
PATIENCE = timedelta(seconds=20)
LATEST = timedelta(seconds=5)


@frozen
class Wish:
    """What is planned, and what should come of it: so many messages, or none and this reason."""

    event_id: EventId
    what: str
    reminders: int
    messages: int


@define
class Seen:
    """One reminder as it was last seen, and when each of its messages was first seen to be delivered."""

    state: reminder.Reminder
    delivered_at: list[datetime] = field(factory=list)


def demo(context: typer.Context, as_json: AsJson = False) -> None:
    """Plan a few events that fall due within seconds, and watch their reminders leave. Nothing is kept.

    \b
    Example: tickler demo
    """
    with StopSignals(), tempfile.TemporaryDirectory(prefix="tickler-demo-") as folder:
        # As root the server runs under another account, which has to pass through.
        Path(folder).chmod(0o711)
        desk = office(context).throwaway(Path(folder) / "home", sys.stderr if as_json else sys.stdout)
        say("starting a Postgres of its own, for this demo only …")
        with desk.open(say, migrating=True) as services:
            loops = make_loops(services, desk.settings, KINDS, stop := Stop())
            try:
                wishes = _plan(services)
                if not as_json:
                    put("planned four events; their reminders are due in 3 to 7 seconds")
                    put("")
                loops.start()
                seen = _watch(services, wishes, stop)
            finally:
                loops.stop()
        problems = _problems(wishes, seen)
        _show(wishes, seen, problems, as_json=as_json)
        if problems:
            raise typer.Exit(1)


def _plan(services: Services) -> list[Wish]:
    tenant = Tenant(TenantId(services.ids.new()), "acme", ZONE)
    anna = Person(UserId(services.ids.new()), tenant.id, "anna", "ru", ZONE)
    boris = Person(UserId(services.ids.new()), tenant.id, "boris", "en", ZONE)
    services.people.add_tenant(tenant)
    for person in (anna, boris):
        services.people.add_person(person)
    now = services.clock.now()

    def start(minutes: int, due_in: float) -> datetime:
        due = now + timedelta(minutes=minutes, seconds=due_in)
        return due.astimezone(zone(ZONE)).replace(tzinfo=None, fold=0)

    def plan(
        title: str, minutes: int, due_in: float, client: Person | None = None, appointment: bool = False
    ) -> EventId:
        draft = Draft(
            tenant_id=tenant.id,
            owner_user_id=anna.id,
            timing=Timing.of(start(minutes, due_in), ZONE, tz_version=tz_version()),
            title=title,
            client_user_id=client.id if client else None,
            kind=Kind.APPOINTMENT if appointment else Kind.MEETING,
            appointment_id=AppointmentId(services.ids.new()) if appointment else None,
            triggers=(MinutesBeforeStart(minutes),),
        )
        return services.calendar.plan(draft).event.id

    call = plan("Call about the contract", 15, 3, boris)
    visit = plan("Приём у врача", 0, 5, appointment=True)
    lunch = plan("Lunch", 15, 4)
    services.calendar.cancel(lunch)
    signing = plan("Signing", 30, 3)
    services.calendar.move(signing, start(30, 7), tz_version=tz_version())
    return [
        Wish(call, "a call, owner and client", 1, 2),
        Wish(visit, "an appointment, at its start", 1, 1),
        Wish(lunch, "a lunch, cancelled", 1, 0),
        Wish(signing, "a signing, moved", 2, 1),
    ]


def _watch(services: Services, wishes: Sequence[Wish], stop: Stop) -> dict[ReminderId, Seen]:
    """Look until every reminder is settled and every message delivered, at most for PATIENCE."""
    seen: dict[ReminderId, Seen] = {}
    began = services.clock.now()
    while True:
        now = services.clock.now()
        for wish in wishes:
            for row in services.ledger.reminders(wish.event_id):
                one = seen.setdefault(row.state.id, Seen(row.state))
                one.state = row.state
                if row.state.status is reminder.Status.SENT:
                    found = services.deliveries.of_reminder(row.state.id)
                    delivered = sum(each.status is delivery.Status.DELIVERED for each in found)
                    one.delivered_at += [now] * (delivered - len(one.delivered_at))
        if not _problems(wishes, seen) or now - began > PATIENCE or stop.wait(0.1):
            return seen


def _problems(wishes: Sequence[Wish], seen: dict[ReminderId, Seen]) -> list[str]:
    """What is not as it should be; empty when all is well."""
    problems = []
    for wish in wishes:
        mine = [one for one in seen.values() if one.state.event_id == wish.event_id]
        if len(mine) != wish.reminders:
            problems.append(f"{wish.what}: {len(mine)} reminders in place of {wish.reminders}")
        if any(one.state.status is reminder.Status.PENDING for one in mine):
            problems.append(f"{wish.what}: a reminder has not left")
        messages = sum(len(one.delivered_at) for one in mine)
        if messages != wish.messages:
            problems.append(f"{wish.what}: {messages} messages in place of {wish.messages}")
        if any(at - one.state.due_at > LATEST for one in mine for at in one.delivered_at):
            problems.append(f"{wish.what}: later than {LATEST.seconds} s")
    return problems


def _show(
    wishes: Sequence[Wish], seen: dict[ReminderId, Seen], problems: Sequence[str], *, as_json: bool
) -> None:
    what = {wish.event_id: wish.what for wish in wishes}
    rows = sorted(seen.values(), key=lambda one: one.state.due_at)
    if as_json:
        put_json(
            {
                "ok": not problems,
                "problems": list(problems),
                "reminders": [
                    {
                        "what": what[one.state.event_id],
                        "dueAt": utc(one.state.due_at),
                        "status": one.state.status.value,
                        "reason": one.state.reason.value if one.state.reason else None,
                        "sentAt": utc(one.state.sent_at),
                        "deliveredAt": [utc(at) for at in one.delivered_at],
                    }
                    for one in rows
                ],
            }
        )
        return
    put("")
    put_table(
        ("EVENT", "DUE", "REMINDER", "SENT AFTER", "DELIVERED AFTER"),
        (
            (
                what[one.state.event_id],
                f"{one.state.due_at.astimezone(zone(ZONE)):%H:%M:%S}",
                one.state.status.value + (f" ({one.state.reason.value})" if one.state.reason else ""),
                _after(one.state.due_at, one.state.sent_at),
                ", ".join(_after(one.state.due_at, at) for at in one.delivered_at),
            )
            for one in rows
        ),
    )
    put("")
    if not problems:
        put("all as it should be: what was due left once, what was cancelled did not")
    for problem in problems:
        put(f"wrong: {problem}")


def _after(due: datetime, then: datetime | None) -> str:
    return "" if then is None else f"{(then - due).total_seconds():.1f} s"
