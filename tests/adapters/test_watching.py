"""The watching server: pages that are quick whatever the store does, for clients of all sorts."""

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import httpx
import psycopg
import pytest
from attrs import define, field, frozen
from prometheus_client import CollectorRegistry

from adapters.container import Container
from adapters.inbound.listening import PortTaken
from adapters.inbound.watching import serving
from adapters.inbound.watching.pages import Pages
from adapters.inbound.watching.serving import WatchServer
from adapters.observability.figures import StoreGauges
from adapters.observability.pulse import MARGIN_SECONDS, Pulse
from adapters.observability.refreshing import Refreshed
from adapters.outbound.memory.standing import MemoryStanding
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.postgres import standing
from adapters.outbound.postgres.database import Database
from adapters.settings import Settings
from adapters.testkit.clock import SettableClock
from application.ports.backlog import Backlog
from tests.adapters.silence import SilentProxy

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
PATIENCE_S = 20.0


@define
class Seconds:
    """A monotonic clock that is set."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now


@define
class Asked:
    """A read that counts; it waits while `hold` is not set, and raises `problem`."""

    hold: threading.Event = field(factory=threading.Event)
    problem: Exception | None = None
    count: int = 0

    def __call__(self) -> int:
        self.count += 1
        self.hold.wait(PATIENCE_S)
        if self.problem is not None:
            raise self.problem
        return self.count


def at_once(problem: Exception | None = None) -> Asked:
    asked = Asked(problem=problem)
    asked.hold.set()
    return asked


@pytest.fixture
def serve() -> Iterator[Callable[..., WatchServer]]:
    started: list[WatchServer] = []

    def start(pages: Pages, longest: float = 15.0) -> WatchServer:
        server = WatchServer(pages, "127.0.0.1", 0, longest)
        started.append(server)
        server.start()
        return server

    yield start
    for server in started:
        server.stop()


def pages(pulses: dict[str, Pulse] | None = None, **needed: Callable[[], object]) -> Pages:
    return Pages(CollectorRegistry(), pulses or {}, needed)


def postgres_pages(conninfo: str) -> tuple[Container, Pages]:
    container = Container(settings=Settings(), conninfo=conninfo)
    return container, container.pages()


def document(pages: Pages, path: str) -> tuple[int, Any]:
    page = pages.page(path, "")
    assert page is not None
    return page.status, json.loads(page.body)


# Figures that are asked for seldom


def test_however_often_figures_are_wanted_they_are_read_once_in_their_time() -> None:
    clock, read = Seconds(), at_once()
    figures = Refreshed(read, 5.0, clock)
    assert [figures.get(PATIENCE_S) for _ in range(100)] == [1] * 100
    clock.now += 5.0
    assert figures.get(PATIENCE_S) == 2
    assert read.count == 2


def test_those_who_ask_at_the_same_time_share_one_read() -> None:
    read = Asked()
    figures = Refreshed(read, 60.0)
    found: list[int | None] = []
    askers = [
        threading.Thread(target=lambda: found.append(figures.get(PATIENCE_S)), daemon=True) for _ in range(20)
    ]
    for asker in askers:
        asker.start()
    read.hold.set()
    for asker in askers:
        asker.join(PATIENCE_S)
    assert found == [1] * 20


def test_a_read_that_takes_long_is_not_waited_for_nor_started_again() -> None:
    read = Asked()
    figures = Refreshed(read, 60.0)
    began = time.monotonic()
    assert [figures.get(0.05) for _ in range(3)] == [None] * 3
    assert time.monotonic() - began < 5
    assert read.count == 1
    read.hold.set()
    assert figures.get(PATIENCE_S) == 1


def test_what_was_true_is_not_given_out_once_it_cannot_be_read_any_more() -> None:
    clock, read = Seconds(), at_once()
    figures = Refreshed(read, 5.0, clock)
    assert figures.get(PATIENCE_S) == 1
    read.problem = OSError("away")
    clock.now += 5.0
    assert [figures.get(PATIENCE_S) for _ in range(10)] == [None] * 10
    assert read.count == 2
    clock.now += 5.0
    read.problem = None
    assert figures.get(PATIENCE_S) == 3


# Whether loops turn


def beating(clock: Seconds, longest: float = 30.0) -> Pulse:
    return Pulse(lambda: NOW, longest, clock=clock)


def test_a_loop_may_be_silent_for_its_rest_its_longest_work_and_a_margin() -> None:
    clock = Seconds()
    pulse = beating(clock)
    pulse.begin()
    pulse.end(60.0, succeeded=True)
    clock.now += 60.0 + 30.0 + MARGIN_SECONDS
    assert not pulse.is_overdue
    clock.now += 0.001
    assert pulse.is_overdue
    pulse.begin()
    assert not pulse.is_overdue


def test_a_loop_that_fails_again_and_again_still_turns() -> None:
    clock = Seconds()
    pulse = beating(clock)
    for _ in range(100):
        pulse.begin()
        pulse.fail(5.0)
        clock.now += 5.0
    assert not pulse.is_overdue


def test_a_loop_that_never_began_is_overdue_after_its_longest_work() -> None:
    clock = Seconds()
    pulse = beating(clock)
    clock.now += 30.0 + MARGIN_SECONDS + 0.001
    assert pulse.is_overdue


def test_a_turn_without_an_end_is_alive_while_the_loop_itself_asks_whether_to_stop() -> None:
    clock = Seconds()
    pulse = beating(clock)
    asking = pulse.asking(lambda: False)
    pulse.begin()
    for _ in range(100):
        clock.now += 30.0
        assert not asking()
    assert not pulse.is_overdue
    clock.now += 30.0 + MARGIN_SECONDS + 0.001
    other = threading.Thread(target=asking)
    other.start()
    other.join()
    assert pulse.is_overdue


def test_live_names_the_loop_that_is_stuck() -> None:
    clock = Seconds()
    turning, stuck = beating(clock, 60.0), beating(clock, 10.0)
    shown = pages({"relay": stuck, "dispatch": turning})
    assert document(shown, "/health/live") == (
        200,
        {
            "live": True,
            "loops": {
                "dispatch": {"turns": True, "silentForSeconds": 0.0},
                "relay": {"turns": True, "silentForSeconds": 0.0},
            },
        },
    )
    clock.now += 30.0
    assert document(shown, "/health/live") == (
        503,
        {
            "live": False,
            "loops": {
                "dispatch": {"turns": True, "silentForSeconds": 30.0},
                "relay": {"turns": False, "silentForSeconds": 30.0},
            },
        },
    )


def test_a_process_without_loops_is_live() -> None:
    assert document(pages(), "/health/live") == (200, {"live": True, "loops": {}})


# Whether what they need answers


def test_ready_says_which_does_not_answer_and_nothing_else_of_it() -> None:
    shown = pages(database=at_once(), kafka=at_once(OSError("secret@10.0.0.1:9092 is away")))
    assert document(shown, "/health/ready") == (
        503,
        {"ready": False, "database": "answers", "kafka": "no answer"},
    )


def test_ready_waits_for_all_that_are_silent_together_and_no_longer_than_two_seconds() -> None:
    shown = pages(database=Asked(), kafka=Asked())
    began = time.monotonic()
    status, said = document(shown, "/health/ready")
    assert time.monotonic() - began < 3.5
    assert (status, said) == (503, {"ready": False, "database": "no answer", "kafka": "no answer"})


def test_ready_asks_again_only_after_a_second() -> None:
    database = at_once()
    shown = pages(database=database)
    assert {document(shown, "/health/ready")[0] for _ in range(50)} == {200}
    assert database.count <= 3


# Of a real store


@pytest.fixture
def proxy(postgres_url: str) -> Iterator[SilentProxy]:
    with SilentProxy(postgres_url) as proxy:
        yield proxy


def test_a_database_that_answers_is_up_and_ready_with_all_its_figures(postgres_url: str) -> None:
    container, shown = postgres_pages(postgres_url)
    with closing(container.watch_database()), closing(container.database()):
        assert document(shown, "/health/ready") == (200, {"ready": True, "database": "answers"})
        said = shown.metrics("").body.decode()
    assert "\ntickler_database_up 1.0\n" in said
    for line in (
        "tickler_database_pool_max 10.0",
        'tickler_database_dead_tuples{table="event_reminders"} 0.0',
        'tickler_database_live_tuples{table="deferred_touches"} 0.0',
        "tickler_database_oldest_transaction_seconds 0.0",
        "calendar_reminder_dispatch_backlog 0.0",
        "calendar_outbox_lag_seconds 0.0",
        'notifications_delivery_backlog{channel="email"} 0.0',
        'tickler_stuck_claims{kind="touch"} 0.0',
    ):
        assert line in said.splitlines()


def test_an_open_transaction_grows_old(postgres_url: str) -> None:
    container, shown = postgres_pages(postgres_url)
    with (
        psycopg.connect(postgres_url) as other,
        closing(container.watch_database()),
        closing(container.database()),
    ):
        other.execute("select 1")
        (line,) = (
            line
            for line in shown.metrics("").body.decode().splitlines()
            if line.startswith("tickler_database_oldest_transaction_seconds ")
        )
    assert float(line.split()[1]) > 0


def test_with_a_database_that_fell_silent_metrics_come_soon_and_say_so(proxy: SilentProxy) -> None:
    container, shown = postgres_pages(proxy.conninfo)
    with closing(container.watch_database()), closing(container.database()):
        assert document(shown, "/health/ready")[0] == 200
        proxy.fall_silent()
        until(lambda: document(shown, "/health/ready")[0] == 503)
        began = time.monotonic()
        said = shown.metrics("").body.decode()
    assert time.monotonic() - began < 5
    assert "\ntickler_database_up 0.0\n" in said
    assert "tickler_build_info" in said
    assert "tickler_database_pool_max 10.0" in said
    # What was true is no news of what is.
    assert "calendar_reminder_dispatch_backlog" not in said
    assert "tickler_database_dead_tuples" not in said


def test_a_database_that_is_not_there_is_told_at_once_and_its_password_nowhere() -> None:
    container, shown = postgres_pages("postgresql://someone:Tr0ub4dor@127.0.0.1:1/nowhere")
    with closing(container.watch_database()), closing(container.database()):
        began = time.monotonic()
        ready, said = document(shown, "/health/ready"), shown.metrics("").body.decode()
    assert time.monotonic() - began < 5
    assert ready == (503, {"ready": False, "database": "no answer"})
    assert "\ntickler_database_up 0.0\n" in said
    assert not [word for word in ("Tr0ub4dor", "someone", "127.0.0.1", "nowhere") if word in said]


def test_what_is_counted_every_few_seconds_is_found_by_an_index_however_much_there_is(
    postgres_url: str,
) -> None:
    wanted = {
        standing.REMINDERS: "ix_event_reminders_status_due_at",
        standing.PARKED: "ix_outbox_parked",
        standing.OUTBOX: "ix_outbox_unpublished",
        standing.DELIVERIES: "ix_deliveries_pending",
        standing.DELIVERIES_STUCK: "ix_deliveries_sending",
        standing.DELIVERIES_UNKNOWN: "ix_deliveries_left",
        standing.DELIVERIES_FAILED: "ix_deliveries_left",
        standing.OUTBOX_STUCK: "ix_outbox_unpublished",
        standing.TOUCHES: "ix_deferred_touches_tenant_due_at",
        standing.TOUCHES_OVERDUE: "ix_deferred_touches_in_progress",
        standing.TOUCHES_FAILED: "ix_deferred_touches_failed",
    }
    with closing(Database(postgres_url)) as database, database.transaction() as session:
        for statement, index in wanted.items():
            given = {"< %s": NOW, "<= %s": NOW, "limit %s": 100_001, "least(count(*), %s": 100_001}
            values = [
                next(value for before, value in given.items() if statement[: one.end()].endswith(before))
                for one in re.finditer("%s", statement)
            ]
            plan = session.rows("explain " + statement, values)
            assert index in "\n".join(line for (line,) in plan)


def test_a_storm_of_scrapes_asks_the_store_once(serve: Callable[..., WatchServer]) -> None:
    store = Counting(MemoryStore())
    registry = CollectorRegistry()
    registry.register(StoreGauges(store, SettableClock(NOW), ["console"], fresh=60.0))
    url = serve(Pages(registry, {}, {})).url + "/metrics"
    with ThreadPoolExecutor(16) as scrapers, httpx.Client(trust_env=False) as client:
        found = list(scrapers.map(lambda _: client.get(url).text, range(100)))
    assert {"\ncalendar_outbox_lag_rows 0.0\n" in one for one in found} == {True}
    assert store.asked.count == 1


def test_a_figure_that_hangs_is_named_and_takes_no_other_with_it() -> None:
    store = Counting(MemoryStore(), asked=Asked())
    registry = CollectorRegistry()
    registry.register(StoreGauges(store, SettableClock(NOW), ["console"], patience=0.2))
    shown = Pages(registry, {}, {})
    began = time.monotonic()
    for _ in range(5):
        said = shown.metrics("").body.decode()
        assert unread(said) == {"outbox"}
        assert "calendar_outbox_lag" not in said
    assert time.monotonic() - began < 5
    assert store.asked.count == 1
    for line in (
        "calendar_reminder_dispatch_backlog 0.0",
        "calendar_outbox_parked 0.0",
        'notifications_delivery_backlog{channel="console"} 0.0',
        "deferred_touch_oldest_due_age_seconds 0.0",
        'tickler_stuck_claims{kind="outbox"} 0.0',
    ):
        assert line in said.splitlines()
    store.asked.hold.set()


def test_a_table_that_cannot_be_read_takes_no_figure_of_another_with_it(postgres_url: str) -> None:
    container, shown = postgres_pages(postgres_url)
    with (
        psycopg.connect(postgres_url) as other,
        closing(container.watch_database()),
        closing(container.database()),
    ):
        other.execute("lock table tickler.outbox in access exclusive mode")
        until(lambda: unread(shown.metrics("").body.decode()) == {"outbox", "outbox parked", "stuck claims"})
        said = shown.metrics("").body.decode()
        assert "\ntickler_database_up 1.0\n" in said
        assert "\ncalendar_reminder_dispatch_backlog 0.0\n" in said
        assert "\ndeferred_touch_backlog 0.0\n" in said
        assert "calendar_outbox_lag" not in said


def unread(said: str) -> set[str]:
    """The figures that a page of metrics says it could not read; it names all, read or not."""
    found = dict(re.findall(r'^tickler_figures_unread\{figure="([a-z ]+)"\} (\S+)$', said, re.MULTILINE))
    assert len(found) == 10
    return {figure for figure, value in found.items() if float(value)}


@frozen
class Counting(MemoryStanding):
    """A store whose outbox is asked for through `asked`."""

    asked: Asked = field(factory=at_once)

    def outbox(self) -> Backlog:
        self.asked()
        return super().outbox()


def test_metrics_of_a_memory_store_tell_what_waits_and_of_no_database() -> None:
    container = Container(store="memory", settings=Settings())
    said = container.pages().metrics("").body.decode()
    assert "\ncalendar_reminder_dispatch_backlog 0.0\n" in said
    assert "tickler_database" not in said


# The server


@pytest.mark.parametrize("path", ["/", "/metric", "/metrics/", "/health", "/health/live/x"])
def test_another_page_is_not_there(serve: Callable[..., WatchServer], path: str) -> None:
    found = httpx.get(serve(pages()).url + path)
    assert (found.status_code, found.text) == (404, "there is no such page\n")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"])
def test_another_method_is_not_allowed(serve: Callable[..., WatchServer], method: str) -> None:
    found = httpx.request(method, serve(pages()).url + "/metrics")
    assert (found.status_code, found.headers["Allow"]) == (405, "GET, HEAD")


def test_head_is_answered_as_get_without_the_page(serve: Callable[..., WatchServer]) -> None:
    url = serve(pages()).url + "/health/live"
    head, got = httpx.head(url), httpx.get(url)
    assert (head.status_code, head.text) == (200, "")
    assert head.headers["Content-Length"] == str(len(got.content))


def test_metrics_come_in_the_format_that_is_asked_for(serve: Callable[..., WatchServer]) -> None:
    url = serve(pages()).url + "/metrics?x=1"
    plain = httpx.get(url)
    opened = httpx.get(url, headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    assert plain.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert opened.headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
    assert opened.text.endswith("# EOF\n")


OPENED = "application/openmetrics-text; version=1.0.0"
PLAIN = "text/plain; version=0.0.4"


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ('application/openmetrics-text;version="1.0.0"', OPENED),
        ("application/openmetrics-text; version = 1.0.0 ;q=0.5", OPENED),
        ("application/openmetrics-text;version=x, application/openmetrics-text;version=1.0.0", OPENED),
        ("application/openmetrics-text", OPENED),
        ("application/openmetrics-text;version=abc", PLAIN),
        ("application/openmetrics-text;version=2.x", PLAIN),
        ("application/openmetrics-text;version=" + "9" * 6000, PLAIN),
        ("text/plain;version=x;escaping=values", PLAIN),
        ("application/openmetrics-text;version=-1", PLAIN),
        (";=,;;,=", PLAIN),
    ],
)
def test_a_version_is_understood_in_quotes_and_one_that_is_no_number_is_passed_over(
    serve: Callable[..., WatchServer], accept: str, kind: str
) -> None:
    found = httpx.get(serve(pages()).url + "/metrics", headers={"Accept": accept})
    assert found.status_code == 200
    assert found.headers["Content-Type"].startswith(kind)


@pytest.mark.parametrize("target", [b"http://[/metrics", b"http://[::1/metrics"])
def test_an_address_that_is_none_is_a_bad_request_and_no_error_of_ours(
    serve: Callable[..., WatchServer], target: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = talk(serve(pages()), b"GET " + target + b" HTTP/1.1\r\n\r\n")
    assert answer.startswith(b"HTTP/1.0 400 ")
    assert answer.endswith(b"that is no request\n")
    assert capfd.readouterr() == ("", "")


def test_what_is_no_request_is_told_so_without_its_words(
    serve: Callable[..., WatchServer],
) -> None:
    server = serve(pages())
    for said in (b"<b>no\r\n\r\n", b"GET " + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/9.z\r\n\r\n"):
        answer = talk(server, said)
        assert re.match(rb"HTTP/1\.\d (400|414) ", answer)
        assert b"that is no request" in answer
        assert b"<b>" not in answer


def test_a_client_that_says_nothing_is_let_go_and_one_that_dawdles_too(
    serve: Callable[..., WatchServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving._Handler, "timeout", 0.2)
    server = serve(pages(), longest=0.5)
    assert talk(server, b"") == b""
    with connect(server) as dawdler:
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE_S:
            try:
                dawdler.sendall(b"G")
                if dawdler.recv(1, socket.MSG_DONTWAIT) == b"":
                    break
            except BlockingIOError:
                time.sleep(0.05)
            except OSError:
                break
        assert time.monotonic() - began < PATIENCE_S


def test_a_client_that_sends_its_request_by_drops_is_cut_off_sooner_than_one_that_waits_for_its_answer(
    serve: Callable[..., WatchServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(serving, "READING_SECONDS", 0.2)
    database = Asked()
    server = serve(pages(database=database), longest=600.0)
    with connect(server) as waiting, connect(server) as dripping:
        waiting.sendall(b"GET /health/ready HTTP/1.1\r\n\r\n")
        until(lambda: database.count == 1)
        dripping.sendall(b"GET /health/live HTTP/1.1\r\nX: ")
        assert dripping.recv(1) == b""
        database.hold.set()
        assert waiting.recv(15) == b"HTTP/1.0 200 OK"


def test_clients_who_dawdle_in_any_number_shut_nobody_out(
    serve: Callable[..., WatchServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "READING_SECONDS", 600.0)
    monkeypatch.setattr(serving._Handler, "timeout", 600.0)
    server = serve(pages(), longest=600.0)
    crowd = [connect(server) for _ in range(serving.MOST_AT_ONCE + 8)]
    try:
        for one in crowd[-8:]:
            one.sendall(b"GET /health/live HTTP/1.1\r\nX: ")
        until(lambda: answers(server))
        assert [answers(server) for _ in range(5)] == [True] * 5
    finally:
        for one in crowd:
            one.close()


def test_many_clients_who_dawdle_are_turned_away_until_there_is_room_again(
    serve: Callable[..., WatchServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "LOOK_SECONDS", 0.05)
    server = serve(pages(), longest=1.0)
    crowd = [connect(server) for _ in range(serving.MOST_AT_ONCE + 8)]
    try:
        until(lambda: answers(server))
    finally:
        for one in crowd:
            one.close()


def test_a_page_that_breaks_stops_nobody(serve: Callable[..., WatchServer]) -> None:
    registry = CollectorRegistry()

    class Broken:
        def collect(self) -> Any:
            raise ValueError("Anna's secret")

        def describe(self) -> Any:
            return []

    registry.register(Broken())
    server = serve(Pages(registry, {}, {}))
    with pytest.raises(httpx.HTTPError):
        httpx.get(server.url + "/metrics")
    assert httpx.get(server.url + "/health/live").status_code == 200


def test_it_ends_at_once_though_somebody_is_being_answered(serve: Callable[..., WatchServer]) -> None:
    server = serve(pages(database=Asked()))
    with connect(server) as client:
        client.sendall(b"GET /health/ready HTTP/1.1\r\n\r\n")
        began = time.monotonic()
        server.stop()
        assert time.monotonic() - began < 1.5
    with pytest.raises(OSError):  # noqa: PT011
        connect(server).close()


def test_a_port_that_is_taken_is_told_in_one_line(serve: Callable[..., WatchServer]) -> None:
    port = int(serve(pages()).url.rsplit(":", 1)[1])
    with pytest.raises(
        PortTaken, match=rf"^TICKLER_WATCH_PORT: cannot listen at 127\.0\.0\.1, port {port}: "
    ):
        WatchServer(pages(), "127.0.0.1", port)


def connect(server: WatchServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(server.url.rsplit(":", 1)[1])), PATIENCE_S)


def talk(server: WatchServer, said: bytes) -> bytes:
    with connect(server) as client:
        client.sendall(said)
        heard = b""
        try:
            while more := client.recv(65_536):
                heard += more
        except ConnectionResetError:
            pass  # some of what we said was never read
        return heard


def answers(server: WatchServer) -> bool:
    try:
        return httpx.get(server.url + "/health/live").status_code == 200
    except httpx.HTTPError:
        return False


def until(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.02)
