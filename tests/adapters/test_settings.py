from datetime import timedelta
from pathlib import Path

import pytest
from attrs import fields

from adapters.container import Container
from adapters.settings import KafkaSecurity, SaslMechanism, Settings, WrongSetting
from application.dispatching import ReminderDispatchOptions
from application.retention import Retention
from application.touching.deferring import Limits as DeferLimits
from application.touching.working import WorkOptions
from domain.deferred_touch import Limits as AttemptLimits


@pytest.fixture(autouse=True)
def no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"TICKLER_{name.upper()}", raising=False)


def test_without_any_setting_the_job_has_the_options_of_the_specification() -> None:
    options = Settings.read().dispatch_options()
    assert options == ReminderDispatchOptions()
    assert (options.batch_size, options.interval, options.max_duration) == (
        200,
        timedelta(seconds=60),
        timedelta(seconds=30),
    )


def test_each_dispatch_setting_reaches_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "dispatch_batch_size": "7",
        "dispatch_interval": "1.5",
        "dispatch_max_duration": "2",
        "dispatch_catch_up": "false",
        "dispatch_stale_after": "3600",
    }
    for name, value in given.items():
        monkeypatch.setenv(f"TICKLER_{name.upper()}", value)
    options = Settings.read().dispatch_options()
    assert options == ReminderDispatchOptions(
        batch_size=7,
        interval=timedelta(seconds=1.5),
        max_duration=timedelta(seconds=2),
        catch_up=False,
        stale_after=timedelta(hours=1),
    )
    assert given.keys() == {name for name in Settings.model_fields if name.startswith("dispatch_")}
    as_usual = [
        one.name for one in fields(ReminderDispatchOptions) if getattr(options, one.name) == one.default
    ]
    assert as_usual == []  # else no setting feeds it


def test_each_touch_setting_reaches_the_worker_or_whoever_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "touch_workers": "7",
        "touch_per_kind": "3",
        "touch_per_tenant": "2",
        "touch_lease": "30",
        "touch_deadline": "120",
        "touch_attempts": "4",
        "touch_recoveries": "9",
        "touch_rounds": "11",
        "touch_most_of_tenant": "1000",
        "touch_most_of_caller": "100",
        "touch_depth": "1",
        "touch_furthest_days": "31",
    }
    elsewhere = {"touch_interval", "touch_call_timeout"}
    for name, value in given.items():
        monkeypatch.setenv(f"TICKLER_{name.upper()}", value)
    settings = Settings.read()
    assert settings.work_options() == WorkOptions(
        workers=7,
        per_kind=3,
        per_tenant=2,
        lease=timedelta(seconds=30),
        deadline=timedelta(seconds=120),
        limits=AttemptLimits(attempts=4, recoveries=9, rounds=11),
    )
    assert settings.defer_limits() == DeferLimits(1000, 100, 1, timedelta(days=31))
    assert given.keys() | elsewhere == {name for name in Settings.model_fields if name.startswith("touch_")}


def test_without_any_setting_touches_have_the_limits_of_the_design() -> None:
    options = Settings.read().work_options()
    assert options == WorkOptions()
    assert (options.lease, options.limits.attempts, options.limits.recoveries) == (
        timedelta(seconds=10),
        5,
        20,
    )
    assert Settings.read().defer_limits() == DeferLimits()


def test_each_retention_setting_reaches_what_may_be_pruned(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings.read().retention() == Retention()
    for name, days in {"OUTBOX": "1", "INBOX": "2.5", "ROWS": "3", "DELIVERIES": "4"}.items():
        monkeypatch.setenv(f"TICKLER_RETENTION_{name}_DAYS", days)

    found = Container().retention()

    assert found == Retention(*(timedelta(days=days) for days in (1, 2.5, 3, 4)))


def test_the_usual_rules_are_those_of_nobodys_settings_and_change_nothing_else() -> None:
    given = Settings(
        dispatch_batch_size=7, dispatch_catch_up=False, dispatch_stale_after=1.0, smtp_host="mail"
    )
    usual = given.with_usual_rules()
    assert usual.dispatch_options() == ReminderDispatchOptions()
    assert usual == Settings(smtp_host="mail")


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("DISPATCH_BATCH_SIZE", "0", "a whole number from 1 to 10000"),
        ("DISPATCH_BATCH_SIZE", "-1", "a whole number from 1 to 10000"),
        ("DISPATCH_BATCH_SIZE", "1000000", "a whole number from 1 to 10000"),
        ("DISPATCH_BATCH_SIZE", "many", "a whole number from 1 to 10000"),
        ("DISPATCH_INTERVAL", "0", "seconds, from 0.1 to 86400"),
        ("DISPATCH_INTERVAL", "nan", "seconds, from 0.1 to 86400"),
        ("DISPATCH_INTERVAL", "inf", "seconds, from 0.1 to 86400"),
        ("RELAY_INTERVAL", "0", "seconds, from 0.05 to 3600"),
        ("DELIVERY_INTERVAL", "-1", "seconds, from 0.05 to 3600"),
        ("DISPATCH_CATCH_UP", "perhaps", "true or false"),
        ("TIME_ZONE", "Mars/Olympus", "an IANA zone such as Europe/Moscow"),
        ("TIME_ZONE", "../../etc/passwd", "an IANA zone such as Europe/Moscow"),
        ("SMTP_PORT", "65536", "a whole number from 1 to 65535"),
        ("SMTP_HOST", "mail.example:25", "the name of a mail server; its port is TICKLER_SMTP_PORT"),
        ("SMTP_HOST", "smtp://mail.example", "the name of a mail server; its port is TICKLER_SMTP_PORT"),
        ("SMTP_HOST", "[::1]:25", "the name of a mail server; its port is TICKLER_SMTP_PORT"),
        ("SMTP_SECURITY", "tls", "one of starttls, ssl, none"),
        ("SMTP_FROM", "desk", "an address such as desk@b.example"),
        ("LOG_LEVEL", "loud", "one of debug, info, warning, error"),
        ("LOG_FORMAT", "xml", "one of auto, json, text"),
        ("MAX_POOL_SIZE", "1", "a whole number from 4 to 500"),
    ],
)
def test_a_wrong_setting_is_one_line_with_the_variable_and_what_is_allowed(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, allowed: str
) -> None:
    monkeypatch.setenv(f"TICKLER_{name}", value)
    with pytest.raises(WrongSetting) as refused:
        Settings.read()
    said = str(refused.value)
    assert said == f"TICKLER_{name}: {value!r} will not do; allowed: {allowed}"


def test_a_login_without_encryption_is_refused_without_the_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TICKLER_SMTP_USER", "desk")
    monkeypatch.setenv("TICKLER_SMTP_PASSWORD", "hunter2")
    monkeypatch.setenv("TICKLER_SMTP_SECURITY", "none")
    with pytest.raises(WrongSetting, match="TICKLER_SMTP_SECURITY") as refused:
        Settings.read()
    assert "hunter2" not in str(refused.value)


def test_no_secret_is_in_the_printed_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TICKLER_SMTP_PASSWORD", "hunter2")
    monkeypatch.setenv("TICKLER_DATABASE_URL", "postgresql://desk:hunter3@db.example/tickler")
    settings = Settings.read()
    assert "hunter" not in f"{settings!r} {settings}"
    assert settings.mail_password == "hunter2"


def test_an_empty_variable_is_one_that_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TICKLER_DATABASE_URL", "")
    assert Settings.read().database_url is None


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("TICKLER_SMTP_HSOT", "did you mean TICKLER_SMTP_HOST?"),
        ("tickler_databse_url", "did you mean TICKLER_DATABASE_URL?"),
        ("TICKLER_XYZZY", "docs/settings.md lists them"),
    ],
)
def test_a_variable_that_is_no_setting_is_refused_with_the_one_that_was_meant(
    monkeypatch: pytest.MonkeyPatch, name: str, meant: str
) -> None:
    monkeypatch.setenv(name, "secret")
    with pytest.raises(WrongSetting) as refused:
        Settings.read()
    assert str(refused.value) == f"{name}: there is no such setting; {meant}"


def test_what_the_tests_or_nobody_set_is_no_misspelt_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TICKLER_TEST_RUN_FOLDER", "here")
    monkeypatch.setenv("TICKLER_SMTP_HSOT", "")
    assert Settings.read().smtp_host is None


@pytest.mark.parametrize("host", ["mail.example", "127.0.0.1", "::1", "2001:db8::25"])
def test_a_mail_server_is_named_by_name_or_address(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("TICKLER_SMTP_HOST", host)
    assert Settings.read().smtp_host == host


@pytest.mark.parametrize(("security", "port"), [("starttls", 587), ("ssl", 465), ("none", 25)])
def test_the_mail_port_follows_from_the_security_unless_given(
    monkeypatch: pytest.MonkeyPatch, security: str, port: int
) -> None:
    monkeypatch.setenv("TICKLER_SMTP_SECURITY", security)
    assert Settings.read().mail_port == port
    monkeypatch.setenv("TICKLER_SMTP_PORT", "2525")
    assert Settings.read().mail_port == 2525


KAFKA = "TICKLER_KAFKA_"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("kafka.example:9092", "kafka.example:9092"),
        ("one:9092, two:9093 ,three:9094", "one:9092,two:9093,three:9094"),
        ("[::1]:9092", "[::1]:9092"),
    ],
)
def test_servers_of_a_cluster_are_named_with_their_ports(
    monkeypatch: pytest.MonkeyPatch, given: str, kept: str
) -> None:
    monkeypatch.setenv(f"{KAFKA}BOOTSTRAP_SERVERS", given)
    assert Settings.read().kafka_bootstrap_servers == kept


def test_reminders_stay_in_this_process_unless_a_cluster_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings.read().publishes_to == "direct"
    monkeypatch.setenv(f"{KAFKA}BOOTSTRAP_SERVERS", "kafka.example:9092")
    assert Settings.read().publishes_to == "kafka"


def test_kafkas_own_spelling_of_a_protocol_will_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in {
        "BOOTSTRAP_SERVERS": "kafka.example:9093",
        "SECURITY_PROTOCOL": "SASL_SSL",
        "SASL_MECHANISM": "scram-sha-512",
        "SASL_USERNAME": "desk",
        "SASL_PASSWORD": "hunter2",
        "SSL_CA_LOCATION": str(tmp_path),
    }.items():
        monkeypatch.setenv(KAFKA + name, value)
    settings = Settings.read()
    assert settings.kafka_security_protocol is KafkaSecurity.SASL_SSL
    assert settings.kafka_sasl_mechanism is SaslMechanism.SCRAM_SHA_512
    assert "hunter" not in f"{settings!r} {settings}"


HERE = {"BOOTSTRAP_SERVERS": "kafka.example:9093"}
LOGIN = {"SASL_MECHANISM": "PLAIN", "SASL_USERNAME": "desk", "SASL_PASSWORD": "hunter2"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"SECURITY_PROTOCOL": "ssl"}, "SECURITY_PROTOCOL: it needs TICKLER_KAFKA_BOOTSTRAP_SERVERS"),
        (LOGIN, "SASL_MECHANISM: it needs TICKLER_KAFKA_BOOTSTRAP_SERVERS"),
        (
            HERE | LOGIN,
            "SASL_MECHANISM: it needs TICKLER_KAFKA_SECURITY_PROTOCOL to be sasl_ssl or sasl_plaintext",
        ),
        (
            HERE | LOGIN | {"SECURITY_PROTOCOL": "ssl"},
            "SASL_MECHANISM: it needs TICKLER_KAFKA_SECURITY_PROTOCOL to be sasl_ssl or sasl_plaintext",
        ),
        (
            HERE | LOGIN | {"SECURITY_PROTOCOL": "sasl_ssl", "SASL_PASSWORD": ""},
            "SASL_PASSWORD: it is not set, and sasl_ssl needs it; allowed: the account's password",
        ),
        (
            HERE | {"SECURITY_PROTOCOL": "sasl_plaintext"},
            "SASL_MECHANISM: it is not set, and sasl_plaintext needs it;"
            " allowed: one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512",
        ),
        (
            HERE | {"SSL_CA_LOCATION": "/"},
            "SSL_CA_LOCATION: it needs TICKLER_KAFKA_SECURITY_PROTOCOL to be ssl or sasl_ssl",
        ),
        (
            HERE | {"SECURITY_PROTOCOL": "ssl", "SSL_KEY_LOCATION": "/"},
            "SSL_CERTIFICATE_LOCATION: it is not set, and a certificate and its key go together;"
            " allowed: a file with a certificate in PEM",
        ),
        (
            HERE | {"SECURITY_PROTOCOL": "ssl", "SSL_CA_LOCATION": "/no/such/file"},
            "SSL_CA_LOCATION: '/no/such/file' will not do;"
            " allowed: a file of certificates in PEM, or a folder of them",
        ),
        ({"BOOTSTRAP_SERVERS": "kafka"}, "BOOTSTRAP_SERVERS: 'kafka' will not do; allowed: HOST:PORT"),
        ({"BOOTSTRAP_SERVERS": "kafka:0"}, "BOOTSTRAP_SERVERS: 'kafka:0' will not do; allowed: HOST:PORT"),
        ({"BOOTSTRAP_SERVERS": "a:1,"}, "BOOTSTRAP_SERVERS: 'a:1,' will not do; allowed: HOST:PORT"),
        (
            {"BOOTSTRAP_SERVERS": "kafka://a:1"},
            "BOOTSTRAP_SERVERS: 'kafka://a:1' will not do; allowed: HOST:PORT",
        ),
        (
            {"BOOTSTRAP_SERVERS": "::1:9092"},
            "BOOTSTRAP_SERVERS: '::1:9092' will not do; allowed: HOST:PORT",
        ),
        (
            HERE | {"SECURITY_PROTOCOL": "tls"},
            "SECURITY_PROTOCOL: 'tls' will not do; allowed: one of plaintext",
        ),
        (HERE | {"SASL_MECHANISM": "GSSAPI"}, "SASL_MECHANISM: 'GSSAPI' will not do; allowed: one of PLAIN"),
        (HERE | {"GROUP": "a b"}, "GROUP: 'a b' will not do; allowed: letters"),
    ],
)
def test_a_kafka_setting_that_is_wrong_or_lacks_another_is_named_without_any_secret(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], said: str
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(KAFKA + name, value)
    with pytest.raises(WrongSetting) as refused:
        Settings.read()
    assert str(refused.value).startswith(KAFKA + said)
    assert "hunter" not in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1
