"""The program `tickler`: its commands, and what an error comes to: one line and an exit code."""

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from typing import Annotated

import typer
from typer.exceptions import TyperException
from typer.main import get_command

from adapters.codec import Malformed
from adapters.inbound.cli import (
    agents,
    auditing,
    contacts,
    deliveries,
    demonstrating,
    dispatching,
    doctor,
    erasing,
    events,
    explaining,
    importing,
    kafka,
    looking,
    members,
    migrating,
    outbox,
    people,
    people_importing,
    plans,
    pruning,
    rebuilding,
    rezoning,
    running,
    serving_tools,
    templates,
    tenants,
    tokens,
    touches,
    verifying,
)
from adapters.inbound.cli.office import Office, Unready
from adapters.inbound.cli.output import say
from adapters.inbound.ics.source import Unreadable
from adapters.observability.logging import one_line
from adapters.settings import WrongSetting
from adapters.streams import OutputFailed
from application.ports.errors import AlreadyThere, Busy, Conflict, PersonIsErased, Unavailable
from application.ports.topics import ClusterFailed
from application.ports.touches import KeyReused, TooMany
from domain.errors import Invalid, Refused

OK, REFUSED, BAD_INPUT, SURROUNDINGS, INTERRUPTED = 0, 1, 2, 3, 130
DEBUG = "--debug"
OPTIONS = {
    "start: ": "--start: ",
    "end: ": "--end: ",
    "address: ": "--address: ",
    "offsets: ": "--remind: ",
    "time zone ": "--zone: time zone ",
}

app = typer.Typer(
    name="tickler",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Calendar reminders that leave on time and once.",
    epilog="Begin with `tickler run`; beside it, `tickler event plan --help` and `tickler upcoming`.",
)
app.command("run")(running.run)
app.command("migrate")(migrating.migrate)
app.command("import")(importing.import_)
app.command("rezone")(rezoning.rezone)
app.add_typer(events.app, name="event")
app.add_typer(tenants.app, name="tenant")
tenants.app.command("agent")(agents.agent)
app.add_typer(tokens.app, name="token")
app.command("mcp")(serving_tools.mcp)
people.person.command("set")(members.set_person)
people.person.command("show")(members.show_person)
people.person.command("remove")(members.remove_person)
people.person.command("erase")(erasing.erase_person)
people.person.command("import")(people_importing.import_people)
people.contact.command("remove")(contacts.remove_contact)
people.contact.command("prefer")(contacts.prefer_contact)
people.contact.command("opt-out")(contacts.opt_out)
people.contact.command("opt-in")(contacts.opt_in)
app.add_typer(people.person, name="person")
app.add_typer(people.contact, name="contact")
people.contact.command("verify")(verifying.verify)
app.add_typer(templates.app, name="template")
app.add_typer(touches.app, name="touch")
app.add_typer(plans.app, name="plan")
app.add_typer(outbox.app, name="outbox")
app.add_typer(deliveries.app, name="delivery")
app.add_typer(kafka.app, name="kafka")
app.command("doctor")(doctor.doctor)
app.command("prune")(pruning.prune)
app.command("dispatch")(dispatching.dispatch)
app.command("upcoming")(looking.upcoming)
app.command("audit")(auditing.audit)
app.command("why")(explaining.why)
app.command("history")(explaining.history)
app.command("rebuild")(rebuilding.rebuild)
app.command("demo")(demonstrating.demo)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tickler {version('tickler')}")
        raise typer.Exit


@app.callback()
def _tickler(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Say which version this is."),
    ] = False,
    _debug: Annotated[bool, typer.Option(DEBUG, help="Show where an unexpected error comes from.")] = False,
) -> None:
    pass


@cache
def _program() -> Callable[..., object]:
    """Made once a process, since it takes 50 ms to read it off the signatures of all commands."""
    return get_command(app)


def main(arguments: Sequence[str], office: Office) -> int:
    """Run one command; returns its exit code (design section 8) and never raises."""
    arguments = list(arguments)
    try:
        outcome = _program()(arguments, prog_name="tickler", standalone_mode=False, obj=office)
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):
        # Whoever read our output has gone, for which Typer would exit with 1: a breach, of an audit. Python
        # must not try again to write it when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except Exception as problem:
        if DEBUG in arguments:
            traceback.print_exception(problem)
        code, text = _told(problem)
        with suppress(OSError):  # the terminal may be gone, and with it whoever would read this
            if text.startswith("Usage:"):
                typer.echo(text, err=True)
            else:
                say(f"tickler: {text}")
        return code
    return outcome if isinstance(outcome, int) else OK


def _told(problem: Exception) -> tuple[int, str]:
    match problem:
        case TyperException() if problem.format_message().startswith("Usage:"):
            return BAD_INPUT, problem.format_message()  # a group without a command: its help
        case TyperException():
            context = getattr(problem, "ctx", None)
            command = context.command_path if context else "tickler"
            return BAD_INPUT, f"{' '.join(problem.format_message().split())} (see `{command} --help`)"
        case Refused():
            return REFUSED, one_line(problem)
        case AlreadyThere() | PersonIsErased() | KeyReused() | TooMany():
            return REFUSED, one_line(problem)
        case Invalid():
            return BAD_INPUT, _with_option(one_line(problem))
        case Unreadable():
            return BAD_INPUT, one_line(problem)
        case Malformed():
            return SURROUNDINGS, f"the database holds what makes no sense: {one_line(problem)}"
        case Busy() | Conflict():
            return SURROUNDINGS, f"busy, nothing was changed, try again{_detail(problem)}"
        case Unavailable():
            return SURROUNDINGS, f"the database cannot be used{_detail(problem)}"
        case ClusterFailed():
            return SURROUNDINGS, f"the Kafka cluster cannot be used: {one_line(problem)}"
        case Unready() | WrongSetting():
            return SURROUNDINGS, one_line(problem)
        case OutputFailed():
            reason = problem.strerror or "it is closed"
            return SURROUNDINGS, f"cannot write the output: {reason[:1].lower()}{reason[1:]}"
        case _:
            return (
                SURROUNDINGS,
                f"an unexpected {type(problem).__name__}: run it again as `tickler {DEBUG} …`",
            )


def _with_option(text: str) -> str:
    """What the domain says of a value, under the name by which the value was given here."""
    for field, option in OPTIONS.items():
        if text.startswith(field):
            return option + text.removeprefix(field)
    return text


def _detail(problem: Exception) -> str:
    return f": {one_line(problem)}" if str(problem).strip() else ""
