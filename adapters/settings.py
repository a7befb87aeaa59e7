"""What can be set from outside: environment variables that begin with TICKLER_, read once, at the edge.

Each field's description says what is allowed; it is what a wrong value is answered with.
"""

import os
import re
from collections.abc import Mapping
from datetime import timedelta
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from application.dispatching import ReminderDispatchOptions
from application.retention import Retention
from application.touching.deferring import Limits as DeferLimits
from application.touching.working import WorkOptions
from domain.deferred_touch import Limits as AttemptLimits
from domain.values import zone

PREFIX = "TICKLER_"
OF_TESTS = "TEST_"


class WrongSetting(Exception):
    """One line: the variable, and what is allowed. A secret's value is never in it."""


class Security(StrEnum):
    """How mail is kept from other eyes on its way to the server."""

    STARTTLS = "starttls"
    SSL = "ssl"
    NONE = "none"


class KafkaSecurity(StrEnum):
    """How a cluster is reached: with TLS or without, with a login or without."""

    PLAINTEXT = "plaintext"
    SSL = "ssl"
    SASL_PLAINTEXT = "sasl_plaintext"
    SASL_SSL = "sasl_ssl"


class SaslMechanism(StrEnum):
    PLAIN = "PLAIN"
    SCRAM_SHA_256 = "SCRAM-SHA-256"
    SCRAM_SHA_512 = "SCRAM-SHA-512"


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogFormat(StrEnum):
    """`auto` is `text` on a terminal and `json` elsewhere."""

    AUTO = "auto"
    JSON = "json"
    TEXT = "text"


def _host_alone(name: str) -> str:
    is_ipv6 = name.count(":") > 1 and not name.startswith("[")
    if "/" in name or name != "".join(name.split()) or (":" in name and not is_ipv6):
        raise ValueError(name)
    return name


def _servers(given: str) -> str:
    """HOST:PORT, several with commas between them; an IPv6 address stands in brackets."""
    servers = [one.strip() for one in given.split(",")]
    for server in servers:
        found = re.fullmatch(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})", server)
        if found is None or not 1 <= int(found[1]) <= 65_535:
            raise ValueError(server)
    return ",".join(servers)


def _is_there(path: Path) -> Path:
    if not path.expanduser().exists():
        raise ValueError(path)
    return path.expanduser()


def _known_zone(name: str) -> str:
    zone(name)
    return name


def _collector(given: SecretStr) -> SecretStr:
    if not re.fullmatch(r"https?://[^\s/?#]+[^\s?#]*", given.get_secret_value()):
        raise ValueError("it is no base URL")
    return given


DAY = 86_400.0
Zone = Annotated[str, AfterValidator(_known_zone)]
ThatIsThere = Annotated[Path, AfterValidator(_is_there)]
# Kafka's own pages write the ones in capitals, and people the others small.
Protocol = Annotated[KafkaSecurity, BeforeValidator(lambda given: str(given).lower())]
Mechanism = Annotated[SaslMechanism, BeforeValidator(lambda given: str(given).upper())]
DAYS = "days, from 1 to 36600"
ONE_WORD = r"^[A-Za-z0-9._-]{1,200}$"


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="forbid", env_ignore_empty=True, allow_inf_nan=False
    )

    home: Path = Field(
        default=Path("~/.local/share/tickler"),
        description="a folder of your own, where the embedded Postgres lives",
    )
    database_url: SecretStr | None = Field(
        default=None, min_length=1, description="postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
    )
    api_database_url: SecretStr | None = Field(
        default=None, min_length=1, description="postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
    )
    max_pool_size: int = Field(default=10, ge=4, le=500, description="a whole number from 4 to 500")
    database_prepared: bool = Field(
        default=True, description="true, or false behind a pooler that keeps no prepared statements"
    )

    dispatch_batch_size: int = Field(
        default=200, ge=1, le=10_000, description="a whole number from 1 to 10000"
    )
    dispatch_interval: float = Field(default=60.0, ge=0.1, le=DAY, description="seconds, from 0.1 to 86400")
    dispatch_max_duration: float = Field(
        default=30.0, ge=0.1, le=DAY, description="seconds, from 0.1 to 86400"
    )
    dispatch_catch_up: bool = Field(default=True, description="true or false")
    dispatch_stale_after: float | None = Field(
        default=None,
        ge=1.0,
        le=3660 * DAY,
        description="seconds, 1 or more; not set: nothing is ever too late",
    )
    relay_interval: float = Field(default=0.5, ge=0.05, le=3600.0, description="seconds, from 0.05 to 3600")
    delivery_interval: float = Field(
        default=1.0, ge=0.05, le=3600.0, description="seconds, from 0.05 to 3600"
    )

    delivery_rate_per_channel: float | None = Field(
        default=None, ge=0.01, le=100_000.0, description="messages a second, from 0.01 to 100000"
    )
    delivery_rate_per_tenant: float | None = Field(
        default=None, ge=0.01, le=100_000.0, description="messages a second, from 0.01 to 100000"
    )

    touch_interval: float = Field(default=2.0, ge=0.05, le=3600.0, description="seconds, from 0.05 to 3600")
    touch_workers: int = Field(default=16, ge=1, le=500, description="a whole number from 1 to 500")
    touch_per_kind: int = Field(default=12, ge=1, le=500, description="a whole number from 1 to 500")
    touch_per_tenant: int = Field(default=8, ge=1, le=10_000, description="a whole number from 1 to 10000")
    touch_lease: float = Field(default=10.0, ge=4.0, le=3600.0, description="seconds, from 4 to 3600")
    touch_deadline: float = Field(default=600.0, ge=1.0, le=DAY, description="seconds, from 1 to 86400")
    touch_attempts: int = Field(default=5, ge=1, le=100, description="a whole number from 1 to 100")
    touch_recoveries: int = Field(default=20, ge=1, le=1000, description="a whole number from 1 to 1000")
    touch_rounds: int = Field(default=100, ge=1, le=10_000, description="a whole number from 1 to 10000")
    touch_most_of_tenant: int = Field(
        default=100_000, ge=1, le=100_000_000, description="a whole number from 1 to 100000000"
    )
    touch_most_of_caller: int = Field(
        default=10_000, ge=1, le=100_000_000, description="a whole number from 1 to 100000000"
    )
    touch_depth: int = Field(default=8, ge=0, le=100, description="a whole number from 0 to 100")
    touch_furthest_days: int = Field(
        default=5 * 366, ge=1, le=36_600, description="a whole number from 1 to 36600"
    )
    touch_call_timeout: float = Field(default=60.0, ge=1.0, le=3600.0, description="seconds, from 1 to 3600")

    retention_outbox_days: float = Field(default=7.0, ge=1.0, le=36_600.0, description=DAYS)
    retention_inbox_days: float = Field(default=14.0, ge=1.0, le=36_600.0, description=DAYS)
    retention_rows_days: float = Field(default=400.0, ge=1.0, le=36_600.0, description=DAYS)
    retention_deliveries_days: float = Field(default=400.0, ge=1.0, le=36_600.0, description=DAYS)

    prune_interval: float = Field(default=3600.0, ge=1.0, le=DAY, description="seconds, from 1 to 86400")

    kafka_bootstrap_servers: Annotated[str, AfterValidator(_servers)] | None = Field(
        default=None, description="HOST:PORT, several with commas between them"
    )
    kafka_security_protocol: Protocol = Field(
        default=KafkaSecurity.PLAINTEXT, description="one of plaintext, ssl, sasl_plaintext, sasl_ssl"
    )
    kafka_sasl_mechanism: Mechanism | None = Field(
        default=None, description="one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512"
    )
    kafka_sasl_username: str | None = Field(default=None, description="the account at the cluster")
    kafka_sasl_password: SecretStr | None = Field(default=None, description="the account's password")
    kafka_ssl_ca_location: ThatIsThere | None = Field(
        default=None, description="a file of certificates in PEM, or a folder of them"
    )
    kafka_ssl_certificate_location: ThatIsThere | None = Field(
        default=None, description="a file with a certificate in PEM"
    )
    kafka_ssl_key_location: ThatIsThere | None = Field(
        default=None, description="a file with the certificate's private key in PEM"
    )
    kafka_ssl_key_password: SecretStr | None = Field(default=None, description="the private key's password")
    kafka_client_id: str = Field(
        default="tickler", pattern=ONE_WORD, description="letters, digits, dots, dashes, underscores"
    )
    kafka_group: str = Field(
        default="notifications", pattern=ONE_WORD, description="letters, digits, dots, dashes, underscores"
    )

    smtp_host: Annotated[str, AfterValidator(_host_alone)] | None = Field(
        default=None, min_length=1, description=f"the name of a mail server; its port is {PREFIX}SMTP_PORT"
    )
    smtp_port: int | None = Field(default=None, ge=1, le=65_535, description="a whole number from 1 to 65535")
    smtp_user: str | None = Field(default=None, description="the account at the mail server")
    smtp_password: SecretStr | None = Field(default=None, description="the account's password")
    smtp_from: str = Field(
        default="tickler@localhost",
        pattern=r"^[^@\s<>]+@[^@\s<>]+$",
        description="an address such as desk@b.example",
    )
    smtp_security: Security = Field(default=Security.STARTTLS, description="one of starttls, ssl, none")

    webhook_allow_http: bool = Field(default=False, description="true or false")
    webhook_allow_private: bool = Field(default=False, description="true or false")

    templates_folder: Path | None = Field(
        default=None, description="a folder of templates, one folder a language; en is one of them"
    )
    http_host: Annotated[str, AfterValidator(_host_alone)] = Field(
        default="127.0.0.1", min_length=1, description="a name or an address of this machine"
    )
    http_port: int | None = Field(
        default=None, ge=0, le=65_535, description="a whole number from 0 to 65535; 0 is any free port"
    )
    watch_host: Annotated[str, AfterValidator(_host_alone)] = Field(
        default="127.0.0.1", min_length=1, description="a name or an address of this machine"
    )
    watch_port: int | None = Field(
        default=None, ge=0, le=65_535, description="a whole number from 0 to 65535; 0 is any free port"
    )
    http_rate: float = Field(
        default=20.0, ge=0.1, le=100_000, description="requests a second, from 0.1 to 100000"
    )
    http_burst: int = Field(default=100, ge=1, le=100_000, description="a whole number from 1 to 100000")
    token: SecretStr | None = Field(default=None, description="the token of a session, for `tickler mcp`")

    time_zone: Zone | None = Field(default=None, description="an IANA zone such as Europe/Moscow")
    language: str = Field(
        default="en", pattern=r"^[a-z]{2,3}$", description="a language's code such as en or ru"
    )
    otlp_endpoint: Annotated[SecretStr, AfterValidator(_collector)] | None = Field(
        default=None,
        description="a base URL such as http://collector.example:4318; /v1/traces is added to it",
    )
    log_level: LogLevel = Field(default=LogLevel.INFO, description="one of debug, info, warning, error")
    log_format: LogFormat = Field(default=LogFormat.AUTO, description="one of auto, json, text")

    @classmethod
    def read(cls) -> "Settings":
        """The settings as the environment has them; WrongSetting for the first that will not do.

        A variable that is none of ours is most likely one of them, misspelt, and not passed over.
        """
        _check_names(os.environ)
        try:
            settings = cls()
        except ValidationError as error:
            raise WrongSetting(_first_line(error)) from None
        if settings.smtp_user is not None and settings.smtp_security is Security.NONE:
            raise WrongSetting(
                f"{PREFIX}SMTP_SECURITY: 'none' will not do with {PREFIX}SMTP_USER; allowed: starttls, ssl"
            )
        _check_kafka(settings)
        return settings

    @property
    def otlp_base(self) -> str | None:
        return None if self.otlp_endpoint is None else self.otlp_endpoint.get_secret_value()

    @property
    def publishes_to(self) -> str:
        """`kafka` where a cluster is set, else `direct`."""
        return "direct" if self.kafka_bootstrap_servers is None else "kafka"

    @property
    def home_folder(self) -> Path:
        return self.home.expanduser()

    @property
    def own_templates(self) -> Path | None:
        return None if self.templates_folder is None else self.templates_folder.expanduser()

    @property
    def mail_password(self) -> str | None:
        return self.smtp_password.get_secret_value() if self.smtp_password else None

    @property
    def mail_port(self) -> int:
        return (
            self.smtp_port
            or {Security.STARTTLS: 587, Security.SSL: 465, Security.NONE: 25}[self.smtp_security]
        )

    def with_usual_rules(self) -> "Settings":
        """The same, with every `dispatch_…` as if it had not been set."""
        rules = {
            name: field for name, field in type(self).model_fields.items() if name.startswith("dispatch_")
        }
        return self.model_copy(update={name: field.get_default() for name, field in rules.items()})

    def dispatch_options(self) -> ReminderDispatchOptions:
        return ReminderDispatchOptions(
            batch_size=self.dispatch_batch_size,
            interval=timedelta(seconds=self.dispatch_interval),
            max_duration=timedelta(seconds=self.dispatch_max_duration),
            catch_up=self.dispatch_catch_up,
            stale_after=_seconds(self.dispatch_stale_after),
        )

    def retention(self) -> Retention:
        return Retention(
            outbox=timedelta(days=self.retention_outbox_days),
            inbox=timedelta(days=self.retention_inbox_days),
            rows=timedelta(days=self.retention_rows_days),
            deliveries=timedelta(days=self.retention_deliveries_days),
        )

    def work_options(self) -> WorkOptions:
        return WorkOptions(
            workers=self.touch_workers,
            per_kind=self.touch_per_kind,
            per_tenant=self.touch_per_tenant,
            lease=timedelta(seconds=self.touch_lease),
            deadline=timedelta(seconds=self.touch_deadline),
            limits=AttemptLimits(self.touch_attempts, self.touch_recoveries, self.touch_rounds),
        )

    def defer_limits(self) -> DeferLimits:
        return DeferLimits(
            most_of_tenant=self.touch_most_of_tenant,
            most_of_caller=self.touch_most_of_caller,
            depth=self.touch_depth,
            furthest=timedelta(days=self.touch_furthest_days),
        )


def _seconds(count: float | None) -> timedelta | None:
    return None if count is None else timedelta(seconds=count)


def _check_names(environment: Mapping[str, str]) -> None:
    known = sorted(name.upper() for name in Settings.model_fields)
    for given, value in environment.items():
        name = given.upper().removeprefix(PREFIX)
        is_ours = name != given.upper() and not name.startswith(OF_TESTS)
        if not value or not is_ours or name in known:
            continue
        near = get_close_matches(name, known, 1)
        meant = f"did you mean {PREFIX}{near[0]}?" if near else "docs/settings.md lists them"
        raise WrongSetting(f"{given}: there is no such setting; {meant}")


def _check_kafka(settings: Settings) -> None:
    """WrongSetting for the first Kafka setting that lacks another, or that its protocol has no use for."""
    protocol = settings.kafka_security_protocol
    login = ["kafka_sasl_mechanism", "kafka_sasl_username", "kafka_sasl_password"]
    pair = ["kafka_ssl_certificate_location", "kafka_ssl_key_location"]
    given = {name for name in settings.model_fields_set if getattr(settings, name) is not None}
    if settings.kafka_bootstrap_servers is None:
        # Else what was meant for a cluster would quietly stay in this process.
        _refuse_any(given, ["kafka_security_protocol", *login, "kafka_ssl_ca_location", *pair], "{servers}")
    if protocol.startswith("sasl"):
        _need_all(given, login, f"{protocol} needs it")
    else:
        _refuse_any(given, login, "{protocol} sasl_ssl or sasl_plaintext")
    if not protocol.endswith("ssl"):
        _refuse_any(given, ["kafka_ssl_ca_location", *pair], "{protocol} ssl or sasl_ssl")
    if given & {*pair, "kafka_ssl_key_password"}:
        _need_all(given, pair, "a certificate and its key go together")


def _refuse_any(given: set[str], names: list[str], needed: str) -> None:
    for name in names:
        if name in given:
            needs = needed.format(
                servers=f"{PREFIX}KAFKA_BOOTSTRAP_SERVERS", protocol=f"{PREFIX}KAFKA_SECURITY_PROTOCOL to be"
            )
            raise WrongSetting(f"{PREFIX}{name.upper()}: it needs {needs}")


def _need_all(given: set[str], names: list[str], why: str) -> None:
    for name in names:
        if name not in given:
            raise WrongSetting(
                f"{PREFIX}{name.upper()}: it is not set, and {why}; allowed:"
                f" {Settings.model_fields[name].description}"
            )


def _first_line(error: ValidationError) -> str:
    first = error.errors()[0]
    name = str(first["loc"][0])
    field = Settings.model_fields[name]
    is_secret = "SecretStr" in str(field.annotation)
    given = "what was given" if is_secret else repr(str(first["input"])[:60])
    return f"{PREFIX}{name.upper()}: {given} will not do; allowed: {field.description}"
