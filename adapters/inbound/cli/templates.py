"""`tickler template …`: messages as they will look."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from adapters.inbound.cli import reading
from adapters.inbound.cli.office import office
from adapters.inbound.cli.output import AsJson, put, put_json, put_text, say
from application.ports.notices import Matter, MatterKind, Matters
from domain.calendar_event import CalendarEvent
from domain.delivery import Template
from domain.errors import Invalid, NoSuchEvent
from domain.values import EventId, Kind, TenantId, Timing, UserId, zone

app = typer.Typer(no_args_is_help=True, help="The words of messages.")

SAMPLE_TITLE = 'Sample 🚀 №5 "quoted" <b>'
SAMPLE_START = datetime.fromisoformat("2030-01-15T15:00")
SAMPLE_ZONE = "UTC"
SAMPLE_MATTERS = Matters(2, [Matter(MatterKind.DELIVERY, UUID(int=0), EventId(UUID(int=0)))])


@app.callback()
def _template() -> None:
    pass


@app.command()
def preview(
    context: typer.Context,
    template: Annotated[
        Template | None, typer.Option(help="Which message; with --event the one that fits it.")
    ] = None,
    language: Annotated[str, typer.Option(help="The recipient's, such as en or ru.")] = "en",
    zone_name: Annotated[
        str | None, typer.Option("--zone", help="The recipient's; without it the event's.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="What the event is called.")] = None,
    event: Annotated[str | None, typer.Option(metavar="ID", help="A real event, not a sample.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the HTML here.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show a message as it would be sent: a sample, which needs no database, or one about a real event.

    \b
    Example: tickler template preview --template AppointmentReminder --language ru --zone Europe/Moscow
    """
    if zone_name is not None:
        zone(zone_name)
    if title is not None:
        reading.title(title)
    if template is Template.OPERATOR_NOTICE:
        if event is not None or title is not None:
            raise Invalid(f"--template: {template.value} is about no event; leave out --event and --title")
        which: Template = template
        time_zone = zone_name or SAMPLE_ZONE
        since = SAMPLE_START.replace(tzinfo=UTC)
        said = office(context).templates.operator_notice(SAMPLE_MATTERS, since, language, time_zone)
    else:
        about, kept_title = _about(context, event, zone_name)
        which = template or (
            Template.CALENDAR_REMINDER if about.appointment_id is None else Template.APPOINTMENT_REMINDER
        )
        time_zone = zone_name or about.timing.time_zone
        shown_title = kept_title if title is None else title
        said = office(context).templates.reminder(which, about, shown_title, language, time_zone)
    if html is not None:
        _write(html, said.html)
    if said.language != language:
        say(f"note: there are no words in {language[:20]!r} yet, so it is told in {said.language}")
    if as_json:
        put_json(
            {
                "template": which.value,
                "language": said.language,
                "timeZone": time_zone,
                "subject": said.subject,
                "text": said.text,
                "html": said.html,
            }
        )
    else:
        put(said.subject)
        put("")
        put_text(said.text)
        if html is not None:
            say(f"wrote {html}")


def _about(
    context: typer.Context, text: str | None, zone_name: str | None
) -> tuple[CalendarEvent, str | None]:
    """The event and its title."""
    if text is None:
        return _sample(zone_name or SAMPLE_ZONE), SAMPLE_TITLE
    event_id = EventId(reading.uuid("--event", text))
    with office(context).open(say) as services:
        found = services.ledger.event(event_id)
        if found is None:
            raise NoSuchEvent
        return found.state, services.ledger.title(event_id)


def _sample(time_zone: str) -> CalendarEvent:
    return CalendarEvent(
        id=EventId(UUID(int=0)),
        tenant_id=TenantId(UUID(int=0)),
        owner_user_id=UserId(UUID(int=0)),
        client_user_id=None,
        kind=Kind.OTHER,
        timing=Timing.of(SAMPLE_START, time_zone),
        appointment_id=None,
        triggers=(),
    )


def _write(file: Path, html: str) -> None:
    try:
        file.write_text(html, "utf-8")
    except OSError as problem:
        raise Invalid(f"--html: {file} cannot be written: {problem.strerror}") from None
