"""`tickler plan add|preview|list|show|edit|pause|resume|end`."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Annotated

import attrs
import typer

from adapters.inbound.cli.finding import person_named, tenant_id_of
from adapters.inbound.cli.office import Services, office
from adapters.inbound.cli.options import MaybeTenant, OfTenant
from adapters.inbound.cli.output import AsJson, Json, put, put_json, put_table, put_text, say, utc
from adapters.inbound.cli.reading import uuid
from adapters.inbound.cli.schedules import (
    AnchorOption,
    AtOption,
    BeforeOption,
    DaysOption,
    EveryOption,
    MaybeShortMonth,
    ShortMonthOption,
    ZoneOption,
    edited_schedule,
    given_schedule,
    planned_json,
    planned_rows,
    schedule_json,
    told_schedule,
)
from adapters.inbound.cli.targets import (
    ForOption,
    MaybeFor,
    ToOption,
    note_where_nothing_leaves,
    origin_of,
)
from adapters.inbound.cli.touches import CALLER
from application.touching.deferring import MESSAGE
from domain.errors import Invalid, NoSuchPlan
from domain.recurrence import ShortMonth, upcoming
from domain.touch_plan import Status, Terms, TouchPlan, next_occurrence
from domain.values import PlanId

app = typer.Typer(no_args_is_help=True, help="Touches of a tenant's own, with the periodicity that it sets.")

PlanArgument = Annotated[str, typer.Argument(metavar="PLAN", help="Its id, as `tickler plan list` shows it.")]
TextOption = Annotated[
    str,
    typer.Option(
        help="What is to be said; {{ date }} and {{ time }} stand for the occurrence, before a deadline also"
        " {{ deadline }} and {{ days_left }}."
    ),
]
MissedOption = Annotated[
    str,
    typer.Option(
        metavar="POLICY",
        help="What was missed while nothing ran: skip, once (the last stands for all), or a number: up to so"
        " many of the last ones.",
    ),
]
ZoneOfPlan = Annotated[str | None, typer.Option(metavar="ZONE", help="The IANA zone of the schedule.")]
KeyOption = Annotated[
    str | None, typer.Option(help="Idempotency key: the same one again gives the same plan.")
]
SpreadOption = Annotated[float, typer.Option(help="Seconds between those that are made up for.")]


@app.command("add")
def add(
    context: typer.Context,
    whom: ForOption,
    text: TextOption,
    tenant: MaybeTenant = None,
    contact: ToOption = None,
    every: EveryOption = None,
    anchor: AnchorOption = None,
    before: BeforeOption = None,
    days: DaysOption = None,
    at: AtOption = None,
    zone: ZoneOption = None,
    short_month: ShortMonthOption = ShortMonth.SKIP,
    kind: Annotated[str, typer.Option(help="message, call, or a kind of your own.")] = MESSAGE,
    missed: MissedOption = "once",
    spread: SpreadOption = 60.0,
    key: KeyOption = None,
    as_json: AsJson = False,
) -> None:
    """Keep a plan: by a rule, or so many days before a deadline.

    \b
    Examples: tickler plan add --tenant acme --for boris --before 2027-03-31 --days 45,30,14,7,1 \\
                --at 10:00 --zone Europe/Moscow --text "{{ days_left }} days left. Shall we renew?"
              tickler plan add --tenant acme --for anna --every FREQ=MONTHLY --from "2026-12-31 09:00" \\
                --zone Europe/Berlin --short-month last --text "The month is over."
    """
    with office(context).open(say) as services:
        person = person_named(services.people, "--for", whom, tenant)
        schedule = given_schedule(every, anchor, before, days, at, zone or person.time_zone, short_month)
        terms = Terms(
            schedule,
            origin_of(services.people, person, contact),
            kind,
            catch_up=_catch_up(missed),
            spread=timedelta(seconds=spread),
        )
        own_key = str(services.ids.new()) if key is None else key
        kept = services.planning.create_once(person.tenant_id, terms, text, CALLER, own_key)
        note_where_nothing_leaves(services, terms.target.channel)
        _put(kept.plan, as_json)


@app.command("preview")
def preview(
    context: typer.Context,
    plan: Annotated[str | None, typer.Argument(metavar="[PLAN]", help="A plan that was kept.")] = None,
    every: EveryOption = None,
    anchor: AnchorOption = None,
    before: BeforeOption = None,
    days: DaysOption = None,
    at: AtOption = None,
    zone: ZoneOption = None,
    short_month: ShortMonthOption = ShortMonth.SKIP,
    count: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 10,
    as_json: AsJson = False,
) -> None:
    """The next occurrences, with the clock changes marked; nothing is kept.

    \b
    Examples: tickler plan preview --every "FREQ=WEEKLY;BYDAY=SU" --from "2027-03-14 02:30" \\
                --zone Europe/Berlin
              tickler plan preview 0198c5f0-7d3e-7000-8000-0123456789ab --count 3
    """
    with office(context).open(say) as services:
        if plan is not None:
            kept = _plan(services, plan)
            schedule, since = kept.terms.schedule, max(kept.handled_until, services.clock.now())
            found = upcoming(schedule, since, count) if kept.status is Status.ACTIVE else []
        else:
            if zone is None:
                raise Invalid("--zone: an IANA zone such as Europe/Moscow is wanted")
            schedule = given_schedule(every, anchor, before, days, at, zone, short_month)
            found = list(services.planning.preview(schedule, count))
    if as_json:
        put_json([planned_json(one, schedule.time_zone) for one in found])
    elif found:
        put_table(("WALL TIME", "NOTE", "INSTANT"), planned_rows(found, schedule.time_zone))
    else:
        put("none")


@app.command("list")
def list_(context: typer.Context, tenant: OfTenant = None, as_json: AsJson = False) -> None:
    """Plans, the oldest first.

    \b
    Example: tickler plan list --tenant acme
    """
    with office(context).open(say) as services:
        tenant_id = None if tenant is None else tenant_id_of(services.people, tenant)
        found = services.touches.plans(tenant_id)
    if as_json:
        put_json([plan_json(one) for one in found])
    elif found:
        put_table(("NEXT", "STATUS", "SCHEDULE", "PLAN"), [_row(one) for one in found])
    else:
        put("none")


@app.command("show")
def show(context: typer.Context, plan: PlanArgument, as_json: AsJson = False) -> None:
    """A plan, its text, and all that happened to it.

    \b
    Example: tickler plan show 0198c5f0-7d3e-7000-8000-0123456789ab
    """
    with office(context).open(say) as services:
        found = _plan(services, plan)
        text, history = services.touches.text_of_plan(found.id), services.touches.history(found.id)
    if as_json:
        put_json({**plan_json(found), "text": text})
        return
    _put(found, as_json)
    if text is not None:
        put_text(text, after="  text: ")
    for one in history:
        put(f"  {utc(one.occurred_at)}  {type(one.event).__name__}  by {one.actor}")


@app.command("edit")
def edit(
    context: typer.Context,
    plan: PlanArgument,
    text: Annotated[str | None, typer.Option(help="Another text.")] = None,
    whom: MaybeFor = None,
    contact: ToOption = None,
    every: EveryOption = None,
    anchor: AnchorOption = None,
    before: BeforeOption = None,
    days: DaysOption = None,
    at: AtOption = None,
    zone: ZoneOfPlan = None,
    short_month: MaybeShortMonth = None,
    missed: Annotated[str | None, typer.Option(metavar="POLICY", help="skip, once or a number.")] = None,
    spread: Annotated[float | None, typer.Option(help="Seconds between those made up for.")] = None,
    as_json: AsJson = False,
) -> None:
    """Change what is given; what is not given stays, and what became a touch stays one.

    A plan that goes by a rule is given a deadline with --before, --days and --at together, and one that has
    a deadline a rule with --every and --from.

    \b
    Examples: tickler plan edit 0198c5f0-7d3e-7000-8000-0123456789ab --missed skip
              tickler plan edit 0198c5f0-7d3e-7000-8000-0123456789ab --days 30,7,1
    """
    with office(context).open(say) as services:
        found = _plan(services, plan)
        terms = found.terms
        schedule = edited_schedule(terms.schedule, every, anchor, before, days, at, zone, short_month)
        terms = attrs.evolve(terms, schedule=schedule)
        if whom is not None or contact is not None:
            who = whom or str(terms.target.user_id)
            person = person_named(services.people, "--for", who, str(found.tenant_id))
            terms = attrs.evolve(terms, target=origin_of(services.people, person, contact))
            note_where_nothing_leaves(services, terms.target.channel)
        if missed is not None:
            terms = attrs.evolve(terms, catch_up=_catch_up(missed))
        if spread is not None:
            terms = attrs.evolve(terms, spread=timedelta(seconds=spread))
        kept = services.touches.text_of_plan(found.id) or ""
        if terms == found.terms and text in (None, kept):
            raise Invalid(
                "nothing to change: give --text, --for, --to, --missed, --spread or some of the schedule"
            )
        words = kept if text is None else text
        _put(services.planning.edit(found.tenant_id, found.id, terms, words, CALLER), as_json)


@app.command("pause")
def pause(context: typer.Context, plan: PlanArgument, as_json: AsJson = False) -> None:
    """Make no touches of a plan until it is resumed.

    \b
    Example: tickler plan pause 0198c5f0-7d3e-7000-8000-0123456789ab
    """
    _tell(context, plan, as_json, lambda services: services.planning.pause)


@app.command("resume")
def resume(context: typer.Context, plan: PlanArgument, as_json: AsJson = False) -> None:
    """Go on with what comes from now; what fell into the pause is not made up for.

    \b
    Example: tickler plan resume 0198c5f0-7d3e-7000-8000-0123456789ab
    """
    _tell(context, plan, as_json, lambda services: services.planning.resume)


@app.command("end")
def end(context: typer.Context, plan: PlanArgument, as_json: AsJson = False) -> None:
    """End a plan for good; what became a touch stays one.

    \b
    Example: tickler plan end 0198c5f0-7d3e-7000-8000-0123456789ab
    """
    _tell(context, plan, as_json, lambda services: services.planning.end)


Told = Callable[..., TouchPlan]


def _tell(context: typer.Context, plan: str, as_json: bool, what: Callable[[Services], Told]) -> None:
    with office(context).open(say) as services:
        found = _plan(services, plan)
        _put(what(services)(found.tenant_id, found.id, CALLER), as_json)


def plan_json(plan: TouchPlan) -> dict[str, Json]:
    terms, planned = plan.terms, next_occurrence(plan)
    return {
        "planId": str(plan.id),
        "tenantId": str(plan.tenant_id),
        "status": plan.status.value,
        "revision": plan.revision,
        "schedule": schedule_json(terms.schedule),
        "userId": str(terms.target.user_id),
        "channel": terms.target.channel,
        "contactPointId": str(terms.target.contact_point_id) if terms.target.contact_point_id else None,
        "kind": terms.kind,
        "catchUp": terms.catch_up,
        "spreadS": terms.spread.total_seconds(),
        "nextAt": utc(planned.at) if planned else None,
    }


def _plan(services: Services, text: str) -> TouchPlan:
    found = services.touches.plan(PlanId(uuid("PLAN", text)))
    if found is None:
        raise NoSuchPlan
    return found.state


def _put(plan: TouchPlan, as_json: bool) -> None:
    if as_json:
        put_json(plan_json(plan))
        return
    planned = next_occurrence(plan)
    next_at = f"  next {utc(planned.at)}" if planned else ""
    put(f"{plan.id}  {plan.status.value}  {told_schedule(plan.terms.schedule)}{next_at}")


def _row(plan: TouchPlan) -> Sequence[str]:
    planned = next_occurrence(plan)
    next_at = utc(planned.at) if planned else None
    return (next_at or "", plan.status.value, told_schedule(plan.terms.schedule), str(plan.id))


def _catch_up(policy: str) -> int:
    if policy in ("skip", "once"):
        return int(policy == "once")
    if not policy.isascii() or not policy.isdigit() or len(policy) > 4:
        raise Invalid(f"--missed: {policy[:20]!r} is not skip, once or a number")
    return int(policy)
