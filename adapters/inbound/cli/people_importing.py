"""`tickler person import`."""

import stat
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from attrs import define, evolve, field

from adapters.inbound.cli.finding import known_tenant
from adapters.inbound.cli.office import Services, office
from adapters.inbound.cli.options import TenantOption
from adapters.inbound.cli.output import AsJson, Json, exit_refused, put, put_json, say
from adapters.inbound.cli.progress import progress_bar
from adapters.inbound.cli.reading import handle, language
from adapters.inbound.people_file import HANDLE, LANGUAGE, ZONE, Line, People, Refusal, read
from application.ports.errors import AlreadyThere, Busy, Conflict, PersonIsErased
from application.ports.people import ContactPoint, Person, Tenant
from domain.errors import Invalid
from domain.values import ContactPointId, UserId, zone

MAX_BYTES = 10 * 1024 * 1024
COUNTS = ("people_new", "people_changed", "people_unchanged", "contacts_new")


def import_people(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE.csv", help="UTF-8, at most 10 MB and 50,000 lines.")],
    tenant: TenantOption,
    as_json: AsJson = False,
) -> None:
    """Add people and their addresses from a file. The same file again adds nothing and changes nothing.

    The first line names the columns: handle, and any of language, zone, email, webhook, console and the
    other channels, the preferred one first; any other is named and passed over. `;` or `,` stands between
    cells. Who is there already gets what is new in their line. A line that will not do is named and left
    out, the others are taken: exit code 1, or 2 when nothing could be taken.

    \b
    Example: tickler person import people.csv --tenant acme
      handle;language;zone;email
      anna;ru;Europe/Moscow;anna@b.example
    """
    data = _load(file)
    with office(context).open(say) as services:
        home = known_tenant(services.people, tenant)
        channels = {one.name: one for one in services.channels}
        found = read(data, channels, {HANDLE: handle, LANGUAGE: language, ZONE: _zone})
        if found.columns.spare:
            spare = ", ".join(repr(name[:60]) for name in found.columns.spare)
            say(f"warning: passed over, for no column is called so: {spare}")
        importing = _Importing(services, home)
        with progress_bar("importing") as progress:
            importing.put(found, progress)
    _tell(importing, as_json=as_json)
    if importing.refused:
        is_of_use = any(importing.counts[name] for name in COUNTS) or importing.erased > 0
        exit_refused(refused=len(importing.refused), is_of_use=is_of_use)


@define
class _Importing:
    services: Services
    home: Tenant
    counts: Counter[str] = field(factory=Counter)
    erased: int = 0
    refused: list[Refusal] = field(factory=list)
    signed: list[tuple[int, ContactPoint]] = field(factory=list)

    def put(self, found: People, progress: Callable[[int, int], None]) -> None:
        """Each line as it is read: whoever waits sees that it goes on, and what is put stays put."""
        progress(0, found.count)
        for done, one in enumerate(found.lines, 1):
            if isinstance(one, Refusal):
                self.refused.append(one)
            else:
                self._try(one)
            progress(done, found.count)
        progress(found.count, found.count)

    def _try(self, line: Line) -> None:
        try:
            self._put(line)
        except Invalid as problem:
            self.refused.append(Refusal(line.number, str(problem)))
        except PersonIsErased as problem:
            self.erased += 1
            self.refused.append(Refusal(line.number, str(problem)))
        except (AlreadyThere, Busy, Conflict):
            reason = "it is being changed elsewhere; import again"
            self.refused.append(Refusal(line.number, reason))

    def _put(self, line: Line) -> None:
        people = self.services.people
        before = people.person(self.home.id, line.handle)
        if before is not None and not before.is_member:
            raise Invalid("handle: the person has left; `tickler person remove --undo` takes them back")
        person = before or Person(
            UserId(self.services.ids.new()),
            self.home.id,
            line.handle,
            line.language or self.home.language,
            line.time_zone or self.home.time_zone,
        )
        after = evolve(
            person,
            language=line.language or person.language,
            time_zone=line.time_zone or person.time_zone,
        )
        if before is None:
            people.add_person(after)
        elif after != before:
            people.set_person(after)
        added = self._add_addresses(after, line)
        self.counts["contacts_new"] += added
        outcome = "new" if before is None else "changed" if added or after != before else "unchanged"
        self.counts[f"people_{outcome}"] += 1

    def _add_addresses(self, person: Person, line: Line) -> int:
        people = self.services.people
        there = {(one.channel, one.address) for one in people.contact_points(person.id)}
        new = [(way, address) for way, address in line.addresses if (way.name, address) not in there]
        for way, address in new:
            id_ = ContactPointId(self.services.ids.new())
            point = ContactPoint(id_, person.id, way.name, address, secret=way.secret(None))
            people.add_contact_point(point)
            if point.secret:
                self.signed.append((line.number, point))
        return len(new)


def _tell(importing: _Importing, *, as_json: bool) -> None:
    counts = {name: importing.counts[name] for name in COUNTS}
    if as_json:
        refused: list[Json] = [{"line": one.line, "reason": one.reason} for one in importing.refused]
        signed: list[Json] = [
            {"line": line, "contactPointId": str(point.id), "secret": point.secret}
            for line, point in importing.signed
        ]
        put_json({"counts": {**counts}, "refused": refused, "signed": signed})
        return
    put(
        f"people: {counts['people_new']} new, {counts['people_changed']} changed,"
        f" {counts['people_unchanged']} as they were; {counts['contacts_new']} addresses added"
    )
    for line, point in importing.signed:
        put(f"line {line}: {point.channel} is signed with {point.secret}: keep it, it is not shown again")
    for one in importing.refused:
        put(f"refused: line {one.line}: {one.reason}")


def _zone(_: str, name: str) -> str:
    zone(name)
    return name


def _load(path: Path) -> bytes:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise Invalid(f"{path}: it is no regular file; name a .csv file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise Invalid(f"{path}: there is no such file") from None
    except OSError as problem:
        raise Invalid(f"{path}: it cannot be read: {problem.strerror}") from None
    if len(data) > MAX_BYTES:
        raise Invalid(f"{path}: it is larger than {MAX_BYTES // 1024 // 1024} MB; split it")
    return data
