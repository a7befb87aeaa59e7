"""Workers killed and frozen in the midst of deferred touches: each is answered once and delivered once."""

import statistics
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from uuid import NAMESPACE_OID, uuid5

import psycopg
import pytest
from attrs import evolve, frozen

from adapters.container import Container
from adapters.settings import Settings
from adapters.testkit.channels import RecordingChannel
from application.touching.deferring import Caller, Wish
from domain.values import Origin, TenantId, UserId
from tests.faults.crew import Claim, Crew, crew, until

TENANTS = 25
CONSOLE = "console"
MARGIN = timedelta(seconds=5)

CHECKS = {
    "every touch is Delivered": """
        select id from tickler.deferred_touches where status <> 'Delivered'""",
    "every touch was answered once and delivered once in its history": """
        select t.id from tickler.deferred_touches t
        left join tickler.domain_events e on e.stream_id = t.id
        group by t.id having count(*) filter (where e.type = 'touch.answered.v1') <> 1
            or count(*) filter (where e.type = 'touch.delivered.v1') <> 1""",
    "every touch has one delivery, and it arrived": """
        select t.id from tickler.deferred_touches t
        left join tickler.deliveries d on d.about_id = t.id
        group by t.id having count(d.id) <> 1 or min(d.status) <> 'Delivered'""",
    "every answer is its own touch's": """
        select touch_id from tickler.touch_texts where answer is distinct from 'answer to ' || text""",
    "a row has as many claims as its history": """
        select t.id from tickler.deferred_touches t
        left join tickler.domain_events e on e.stream_id = t.id and e.type = 'touch.claimed.v1'
        group by t.id having count(e.stream_id) <> t.claim""",
    "the versions of a stream are 1 to n, and its row stands at n": """
        select t.id from tickler.deferred_touches t
        left join tickler.domain_events e on e.stream_id = t.id
        group by t.id having count(*) <> max(e.version) or min(e.version) <> 1
            or max(e.version) <> t.version""",
}
RECOVERED = """
    select e.stream_id::text, e.occurred_at,
        (select count(*) from tickler.domain_events c where c.stream_id = e.stream_id
            and c.type = 'touch.claimed.v1' and c.version < e.version),
        (select c.data ->> 'worker' from tickler.domain_events c where c.stream_id = e.stream_id
            and c.type = 'touch.claimed.v1' and c.version < e.version order by c.version desc limit 1)
    from tickler.domain_events e where e.type = 'touch.recovered.v1'"""


@frozen
class Recovery:
    """A claim that was taken back from a worker."""

    claim: Claim
    at: datetime
    worker: str


@frozen
class Storm:
    """What the workers go through: every `every` one is killed, and one frozen where none is any more, up to
    so many `rounds`.
    """

    touches: int
    workers: int
    lease: timedelta
    work: timedelta
    every: timedelta
    frozen_for: timedelta
    rounds: int
    patience: float


SMALL = Storm(
    touches=200,
    workers=3,
    lease=timedelta(seconds=4),
    work=timedelta(seconds=1),
    every=timedelta(seconds=2),
    frozen_for=timedelta(seconds=6),
    rounds=2,
    patience=90,
)
GREAT = Storm(
    touches=5_000,
    workers=4,
    lease=timedelta(seconds=10),
    work=timedelta(seconds=1),
    every=timedelta(seconds=5),
    frozen_for=timedelta(seconds=30),
    rounds=1_000,
    patience=1_200,
)


@pytest.mark.parametrize(
    "storm", [pytest.param(SMALL, id="small"), pytest.param(GREAT, id="great", marks=pytest.mark.prove)]
)
def test_through_kills_and_freezes_every_touch_is_answered_once_and_delivered_once(
    postgres_url: str, tmp_path: Path, storm: Storm, capsys: pytest.CaptureFixture[str]
) -> None:
    plant(postgres_url, storm.touches)

    with crew(postgres_url, tmp_path, storm.workers, storm.lease, storm.work) as workers:
        rage(workers, storm)
        workers.end()
        sent = deliver(postgres_url)

    assert breaches(postgres_url) == {}
    assert len(sent) == len(set(sent)) == storm.touches
    taken_back = recoveries(postgres_url)
    assert {one.worker for one in taken_back} & {one.name for one in workers.workers if one.killed_at}
    assert_the_woken_were_refused(workers, taken_back)
    late = lateness(workers, taken_back, storm.lease)
    p99 = statistics.quantiles(late, n=100, method="inclusive")[-1]
    killed = sum(one.killed_at is not None for one in workers.workers)
    frozen_ = sum(len(one.frozen) for one in workers.workers)
    figures = (
        f"{storm.touches} touches, {killed} kills, {frozen_} freezes, {len(taken_back)} recoveries"
        f" ({len(taken_back) - len(late)} of workers that nothing had befallen): p99 {p99:.2f} s after the"
        f" fault, at most {max(late):.2f} s; allowed {(storm.lease + MARGIN).total_seconds():.0f} s"
    )
    with capsys.disabled():
        print(f"\n{figures}")
    assert p99 <= (storm.lease + MARGIN).total_seconds()


def over(conninfo: str) -> Container:
    return Container(settings=Settings(), store="postgres", conninfo=conninfo)


def plant(conninfo: str, count: int) -> None:
    """So many checks of as many tenants' agents, due now."""
    container = over(conninfo)
    deferring = evolve(container.deferring(), kinds={"check"})
    now = container.clock().now()
    for number in range(count):
        tenant = TenantId(uuid5(NAMESPACE_OID, f"tenant {number % TENANTS}"))
        origin = Origin(UserId(uuid5(NAMESPACE_OID, f"client {number}")), CONSOLE)
        deferring.defer(
            Caller(tenant, "agent", origin), Wish("check", now, f"check {number}", f"key {number}")
        )
    container.database().close()


def rage(workers: Crew, storm: Storm) -> None:
    """Freeze one and kill one again and again, as long as there is work."""
    began: list[datetime] = []
    for _ in until(storm.patience):
        workers.wake_those_frozen_for(storm.frozen_for)
        if workers.left() == 0:
            return
        is_calm = bool(began) and workers.now() - began[-1] < storm.every
        if is_calm or len(began) == storm.rounds or len(workers.at_work()) < 2:
            continue
        began.append(workers.now())
        if not any(one.is_frozen for one in workers.workers):
            workers.freeze_one()
        workers.kill_one()


def deliver(conninfo: str) -> list[str]:
    """Send all answers; the texts that arrived."""
    container = over(conninfo)
    channel = RecordingChannel(CONSOLE)
    for _ in container.delivering(channel=channel).tick():
        pass
    while container.answering().follow(container.touches(), container.clock()):
        pass
    container.database().close()
    return [message.text for message in channel.accepted]


def breaches(conninfo: str) -> dict[str, list[str]]:
    """The checks that do not hold, each with ids."""
    with psycopg.connect(conninfo) as connection:
        found = {
            name: [str(row[0]) for row in connection.execute(check.encode()).fetchall()]
            for name, check in CHECKS.items()
        }
    return {name: ids for name, ids in found.items() if ids}


def recoveries(conninfo: str) -> list[Recovery]:
    with psycopg.connect(conninfo) as connection:
        rows = connection.execute(RECOVERED).fetchall()
    return [Recovery(Claim(touch_id, claim), at, worker) for touch_id, at, claim, worker in rows]


def assert_the_woken_were_refused(workers: Crew, taken_back: Sequence[Recovery]) -> None:
    """Each claim that was taken back from a worker that came to itself was refused there, and said so."""
    woken = [one for one in workers.workers if one.frozen and one.killed_at is None]
    for worker in woken:
        lost = {one.claim for one in taken_back if one.worker == worker.name}
        assert worker.refused() == lost
    assert any(worker.refused() for worker in workers.workers)


def lateness(workers: Crew, taken_back: Sequence[Recovery], lease: timedelta) -> list[float]:
    """How long after its worker was killed or frozen each was taken back, in seconds."""
    found = []
    for one in taken_back:
        (worker,) = [worker for worker in workers.workers if worker.name == one.worker]
        faults = [began for began, ended in worker.frozen if ended is None or one.at < ended + lease]
        faults += [worker.killed_at] if worker.killed_at is not None else []
        befallen = [at for at in faults if at < one.at]
        if befallen:
            found.append((one.at - max(befallen)).total_seconds())
    return found
