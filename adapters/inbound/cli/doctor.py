"""`tickler doctor`."""

import platform
import shutil
from collections.abc import Iterator, Sequence
from importlib.metadata import version

import typer
from pydantic import SecretStr

from adapters.inbound.cli.office import Office, Unready, office
from adapters.inbound.cli.output import AsJson, Json, put, put_json, put_table, say
from adapters.inbound.cli.reading import tz_version
from adapters.settings import PREFIX, Settings
from application import checking
from application.dispatching import TOPIC
from application.examining import Check, Level, examined, examined_api, examined_disk
from application.ports.topics import ClusterFailed

WRONG, SURROUNDINGS = 1, 3
LIBRARIES = ("tickler", "psycopg", "confluent-kafka", "tzdata")
# Beside the loops' and the requests' pools: heartbeats, whoever watches.
BESIDE = 4


def doctor(context: typer.Context, as_json: AsJson = False) -> None:
    """Look for what is wrong around Tickler: settings, versions, the database and our rights there, Kafka.

    Nothing is changed. Exit code 1 when something is wrong, with what to do about it; 3 when the database
    cannot be reached. Each check: docs/doctor.md.

    \b
    Example: tickler doctor --json
    """
    desk = office(context)
    checks = [*_of_program(desk.settings)]
    is_reached = True
    try:
        checks += _of_database(desk)
    except Unready as problem:
        is_reached = False
        checks.append(Check("database", Level.FAILED, str(problem), "see that it runs and can be reached"))
    checks += _of_disk(desk)
    checks += _of_kafka(desk)
    is_good = all(one.level is not Level.FAILED for one in checks)
    if as_json:
        told: list[Json] = [
            {"about": one.about, "level": one.level.value, "text": one.text, "do": one.do} for one in checks
        ]
        put_json({"good": is_good, "checks": told, "settings": _set(desk.settings)})
    else:
        put_table(("CHECK", "", "WHAT"), ((one.about, one.level.value, _line(one)) for one in checks))
        put("good" if is_good else "not good")
    if not is_reached:
        raise typer.Exit(SURROUNDINGS)
    if not is_good:
        raise typer.Exit(WRONG)


def _line(one: Check) -> str:
    return one.text if one.do is None else f"{one.text}. To do: {one.do}"


def _of_program(settings: Settings) -> Iterator[Check]:
    given = ", ".join(f"{name}={value}" for name, value in _set(settings).items())
    yield Check("settings", Level.OK, given or "none is set")
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    zones = tz_version()
    used = f" (not used: time zones are by {zones})" if zones.startswith("system") else ""
    yield Check("versions", Level.OK, f"Python {platform.python_version()}, {libraries}{used}")


def _of_database(desk: Office) -> Iterator[Check]:
    settings, zones = desk.settings, tz_version()
    facts = desk.facts(say, zones)
    yield Check("database", Level.OK, f"PostgreSQL {facts.version}")
    pools = 2 if settings.http_port is not None else 1
    wanted = pools * settings.max_pool_size + BESIDE
    yield from examined(facts, wanted, zones, own_server=settings.database_url is None)
    login = desk.api_login()
    if login is not None:
        yield examined_api(login)
    elif settings.http_port is not None and settings.database_url is not None:
        yield Check(
            "api",
            Level.WARNING,
            "requests over the wire are answered with all rights of the loops",
            f"tickler migrate --roles, and set {PREFIX}API_DATABASE_URL",
        )


def _of_disk(desk: Office) -> Iterator[Check]:
    folder = desk.settings.home_folder
    if desk.settings.database_url is None and folder.exists():
        yield examined_disk(shutil.disk_usage(folder).free)


def _of_kafka(desk: Office) -> Sequence[Check]:
    settings = desk.settings
    if settings.kafka_bootstrap_servers is None:
        return []
    try:
        state = desk.topics.look(TOPIC, settings.kafka_group)
    except ClusterFailed as problem:
        return [Check("kafka", Level.FAILED, str(problem), "see that the cluster can be reached")]
    found = checking.findings(state, settings.retention().inbox)
    if not found:
        return [Check("kafka", Level.OK, f"{TOPIC} keeps all promises")]
    levels = {checking.Level.ERROR: Level.FAILED, checking.Level.WARNING: Level.WARNING}
    return [
        Check("kafka", levels[one.level], f"{one.about}: {one.text}", "tickler kafka check") for one in found
    ]


def _set(settings: Settings) -> dict[str, str]:
    """What is set, each as it was read; secrets as what they are."""
    given = {name: getattr(settings, name) for name in sorted(settings.model_fields_set)}
    return {
        PREFIX + name.upper(): "***" if isinstance(value, SecretStr) else str(value)
        for name, value in given.items()
        if value is not None
    }
