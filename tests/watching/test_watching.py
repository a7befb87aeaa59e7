"""A real Prometheus beside a real Tickler: it finds everything, and tells when something is wrong."""

import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import pytest
from attrs import frozen

from application.dispatching import TOPIC
from tests.debian.programs import DebianProgram
from tests.kafka.broker import KafkaBroker
from tests.kafka.mock import MockCluster
from tests.mail_server import HOST as MAIL_HOST
from tests.mail_server import MailServer
from tests.watching.load import Load
from tests.watching.names import asked, shown, used
from tests.watching.processes import Tickler, Watched
from tests.watching.prometheus import Prometheus
from tests.watching.rules import files, hastened
from tests.watching.runbooks import of_section
from tests.watching.waiting import PATIENCE_S, until

HANGS = {"ReminderDispatchNoSuccessfulCycle", "ReminderDispatchRunsNowhere", "ReminderPendingTooOld"}
SENT = "sum(calendar_reminder_dispatch_items_total) > 0"
ARRIVALS = (
    'sum(notifications_consumer_items_total{result="received"}) > 0',
    'sum(notifications_delivery_items_total{channel="email", outcome="delivered"}) > 0',
    'sum(notifications_delivery_items_total{channel="console", outcome="delivered"}) > 0',
    'sum(deferred_touch_items_total{result="answered"}) > 0',
)
MINUTE_S = 60.0
STEP_S = 15.0


@frozen
class Scene:
    """One process that dispatches, one that does all else, and a Prometheus that watches both."""

    tickler: Tickler
    dispatcher: Watched
    others: Watched
    prometheus: Prometheus


@pytest.fixture
def scene(
    postgres_url: str, prometheus: DebianProgram, mock_kafka: MockCluster, tmp_path: Path
) -> Iterator[Scene]:
    """Ticks are a second apart, and in the rules a second stands for a minute."""
    rules = {file.name: hastened(file.read_text("utf-8")) for file in files()}
    settings = {"dispatch_interval": "1", "kafka_bootstrap_servers": mock_kafka.bootstrap}
    mock_kafka.topic(TOPIC, partitions=4)
    with playing(postgres_url, prometheus, tmp_path, rules, 1, **settings) as scene:
        yield scene


@pytest.fixture
def unhurried_scene(
    postgres_url: str, prometheus: DebianProgram, own_kafka: KafkaBroker, tmp_path: Path
) -> Iterator[Scene]:
    """All is as it is in production: a minute is a minute, and Kafka a real one."""
    rules = {file.name: file.read_text("utf-8") for file in files()}
    settings = {"kafka_bootstrap_servers": own_kafka.bootstrap}
    made = Tickler.at(postgres_url, tmp_path, **settings).command(
        "kafka", "create-topic", "--partitions", "3"
    )
    assert made.returncode == 0, made.stderr
    with playing(postgres_url, prometheus, tmp_path, rules, 5, **settings) as scene:
        yield scene


@contextmanager
def playing(
    conninfo: str,
    program: DebianProgram,
    folder: Path,
    rules: Mapping[str, str],
    interval: int,
    **settings: str,
) -> Iterator[Scene]:
    with MailServer() as mail:
        by_mail = {"smtp_host": MAIL_HOST, "smtp_port": str(mail.port), "smtp_security": "none"}
        with Tickler.at(conninfo, folder, log_format="json", **by_mail, **settings) as tickler:
            dispatcher = tickler.run("--only", "dispatch")
            others = tickler.run("--only", "relay,consume,deliver,touch,prune")
            targets = [dispatcher.target, others.target]
            with Prometheus(program, folder / "prometheus", targets, rules, interval) as watching:
                yield Scene(tickler, dispatcher, others, watching)


def test_each_panel_has_data_under_load_and_no_rule_fails(
    scene: Scene, postgres_url: str, promtool: DebianProgram
) -> None:
    watching = scene.prometheus
    until(lambda: set(watching.targets().values()) == {"up"}, watching.targets)

    def empty() -> list[str]:
        return [
            one.panel
            for one in asked()
            if not any(sample.is_number for sample in watching.ask(one.over("10s")))
        ]

    with Load(postgres_url):
        until(lambda: not empty(), empty)
        until(lambda: all(map(watching.ask, ARRIVALS)))
    assert watching.ill_rules() == {}
    assert set(watching.targets().values()) == {"up"}

    pages = [process.page("/metrics").text for process in (scene.dispatcher, scene.others)]
    for page in pages:
        checked = subprocess.run(
            [promtool.path, "check", "metrics"], input=page, capture_output=True, text=True
        )
        assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")
    series = set().union(*map(shown, pages))
    assert used() - series == set()
    labels = {label for page in pages for label in re.findall(r'[{,]([a-z_]+)="', page)}
    assert labels.isdisjoint({"tenant", "tenant_id", "user", "user_id", "owner", "client"})
    assert labels >= {"channel", "kind", "loop", "outcome", "result", "table"}


def test_a_dispatcher_that_hangs_is_told_of_and_the_runbook_mends_it(scene: Scene, postgres_url: str) -> None:
    hang_and_mend(scene, postgres_url, PATIENCE_S)


@pytest.mark.prove
def test_a_dispatcher_that_hangs_is_told_of_after_five_minutes(
    unhurried_scene: Scene, postgres_url: str
) -> None:
    began = monotonic()
    hang_and_mend(unhurried_scene, postgres_url, 10 * MINUTE_S)
    assert monotonic() - began > 5 * MINUTE_S


def hang_and_mend(scene: Scene, conninfo: str, patience: float) -> None:
    """It clears by what docs/runbooks/reminder-dispatch.md says under "No cycle succeeds", in its order."""
    watching, tickler = scene.prometheus, scene.tickler
    by_hand, again, afterwards = of_section("reminder-dispatch.md", "no-cycle-succeeds")
    with Load(conninfo, reminders=0, touches=0) as load:
        load.plan()
        until(lambda: watching.ask(SENT), seconds=patience)
        until(lambda: not watching.firing() & HANGS, watching.firing, patience)

        scene.dispatcher.freeze()
        load.plan()
        until(lambda: watching.firing() >= HANGS, watching.firing, patience)

        assert by_hand.arguments({}) == ["tickler", "dispatch", "--once"]
        sent = tickler.command(*by_hand.arguments({})[1:])
        assert (sent.returncode, sent.stdout[:7]) == (0, "1 sent,"), sent.stderr
        until(lambda: "ReminderPendingTooOld" not in watching.firing(), watching.firing, patience)
        assert "ReminderDispatchNoSuccessfulCycle" in watching.firing()

        scene.dispatcher.kill()
        assert again.arguments({}) == ["tickler", "run", "--only", "dispatch"]
        scene.dispatcher.start()
        until(lambda: not watching.firing() & HANGS, watching.firing, patience)
        load.plan()
        until(lambda: watching.ask(SENT), seconds=patience)

    audited = tickler.command(*afterwards.arguments({})[1:])
    assert audited.returncode == 0, audited.stdout + audited.stderr


@pytest.mark.prove
def test_each_panel_has_data_over_ten_minutes_of_load_none_is_red_and_no_alert_fires(
    unhurried_scene: Scene, postgres_url: str
) -> None:
    watching = unhurried_scene.prometheus
    queries = {one.panel: one.over("2m") for one in asked()}
    with Load(postgres_url):
        until(lambda: all(map(watching.ask, queries.values())), seconds=5 * MINUTE_S)
        began = monotonic()
        until(lambda: monotonic() - began > 12 * MINUTE_S, seconds=13 * MINUTE_S)
        # The two minutes before are what the first rates look back on.
        counts = {panel: watching.over(query, 10 * MINUTE_S, STEP_S) for panel, query in queries.items()}
        alerts = watching.ask('count_over_time(ALERTS{alertstate="firing"}[10m])')
        red = [
            (one.panel, sample.value)
            for one in asked()
            for sample in watching.ask(one.over("2m"))
            if sample.value >= one.limit
        ]
    thin = {
        panel: seen for panel, seen in counts.items() if max(seen, default=0) < 0.9 * 10 * MINUTE_S / STEP_S
    }
    assert thin == {}
    assert [one.labels for one in alerts] == []
    assert red == []
