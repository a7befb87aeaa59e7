"""What scenarios of deferred touches know: agents, the work that they put off, and workers to be stopped."""

import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from attrs import define, evolve, field

from adapters.container import Container
from adapters.testkit.channels import RecordingChannel
from adapters.testkit.threads import PATIENCE
from application.ports.channel import OutgoingMessage
from application.ports.touches import RecordedTouchEvent, Touches
from application.ports.work import Outcome, Say, TouchHandler, Work, WorkFailed
from application.touching.attempting import Worked
from application.touching.deferring import Caller, Deferring, Wish
from application.touching.holding import Holding
from application.touching.messages import message
from application.touching.planning import Planning
from application.touching.working import Working, WorkOptions
from domain.deferred_touch import DeferredTouch, Status, WhenClientWrites
from domain.touch_plan import TouchPlan
from domain.values import ContactPointId, Origin, TenantId, TouchId
from tests.features.reading import known_as
from tests.features.stores import wait_until
from tests.features.world import World, user_id

TENANT = TenantId(known_as("tenant"))
AGENT = "the agent"
LEASE = WorkOptions().lease
KINDS = ("message", "check")
A_SECOND = timedelta(seconds=1)


@define
class Desk:
    """Where checks are worked on: each is answered by its own name, unless a scenario holds it up."""

    clock: Callable[[], datetime]
    begun: list[tuple[str, datetime]] = field(factory=list)
    failing: set[str] = field(factory=set)
    outcomes: dict[str, Outcome] = field(factory=dict)
    _held_up: dict[str, threading.Event] = field(factory=dict)

    def hold_up(self, name: str) -> threading.Event:
        """Let the next work on this lie until the event is set."""
        self._held_up[name] = threading.Event()
        return self._held_up[name]

    def times(self, name: str) -> list[datetime]:
        return [at for one, at in self.begun if one == name]

    def __call__(self, work: Work) -> Outcome:
        assert work.text is not None
        goes_on = self._held_up.pop(work.text, None)
        self.begun.append((work.text, self.clock()))
        if goes_on is not None:
            assert goes_on.wait(PATIENCE)
        if work.text in self.failing:
            raise WorkFailed("it is broken")
        return self.outcomes.get(work.text, Say(work.text))


class Process:
    """A process that is frozen gets through to nothing outside it; one that is killed is never woken."""

    def __init__(self) -> None:
        self.awake = threading.Event()
        self.awake.set()

    def reaching(self, port: object) -> Any:
        return Reached(self, port)


class Reached:
    """What a process gets through to while it is awake."""

    def __init__(self, process: Process, port: object) -> None:
        self._process = process
        self._port = port

    def __getattr__(self, name: str) -> Any:
        return partial(self._ask, getattr(self._port, name))

    def _ask(self, ask: Callable[..., object], *given: Any, **more: Any) -> object:
        self._process.awake.wait()
        return ask(*given, **more)


class Running:
    """A worker that polls in a thread of its own until nothing is due and nobody is busy."""

    def __init__(self, process: Process, working: Working) -> None:
        self._process = process
        self.worked: list[Worked] = []
        self._thread = threading.Thread(target=self._run, args=(working,), daemon=True)
        self._thread.start()

    @property
    def is_awake(self) -> bool:
        return self._process.awake.is_set()

    def freeze(self) -> None:
        self._process.awake.clear()

    def wake(self) -> None:
        self._process.awake.set()

    def end(self) -> None:
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def _run(self, working: Working) -> None:
        self.worked += working.tick()


@define
class Touching:
    world: World
    desk: Desk = field()
    ids: dict[str, TouchId] = field(factory=dict)
    wishes: dict[str, tuple[Caller, Wish]] = field(factory=dict)
    channels: dict[str, RecordingChannel] = field(factory=dict)
    # Olga's, the one person whom anything is put off for.
    addresses: list[str] = field(factory=lambda: ["olga"])
    first: list[str] = field(factory=list)
    arrived: list[tuple[datetime, OutgoingMessage]] = field(factory=list)
    workers: dict[str, tuple[Running, threading.Event]] = field(factory=dict)
    _worker_count: int = 0

    @desk.default
    def _new_desk(self) -> Desk:
        return Desk(self.world.clock.now)

    def close(self) -> None:
        """Let the workers that can come to an end do so, while there is a store to write to."""
        for running, goes_on in self.workers.values():
            if running.is_awake:
                goes_on.set()
                running.end()

    # What a Tickler is made of.

    def touches(self, container: Container | None = None) -> Touches:
        touches: Touches = (container or self.world.tickler).touches()
        return touches

    def deferring(self) -> Deferring:
        return evolve(self.world.tickler.deferring(), kinds=KINDS)

    def planning(self, container: Container | None = None) -> Planning:
        planning: Planning = (container or self.world.tickler).planning()
        return planning

    def working(
        self,
        container: Container | None = None,
        *,
        handlers: Mapping[str, TouchHandler] | None = None,
        process: Process | None = None,
    ) -> Working:
        container = container or self.world.tickler
        process = process or Process()
        touches = process.reaching(self.touches(container))
        clock = process.reaching(self.world.clock)
        self._worker_count += 1
        return Working(
            touches,
            clock,
            container.ids(),
            {"message": message, "check": self.desk} if handlers is None else handlers,
            Holding(touches, clock, LEASE),
            process.reaching(container.answering()),
            f"worker {self._worker_count}",
        )

    # What happens.

    def put_off(self, name: str, caller: Caller, due_at: datetime, **more: Any) -> None:
        asked: dict[str, Any] = {"kind": "message", "due_at": due_at, "text": name, "key": f"key of {name}"}
        wish = Wish(**(asked | more))
        self.wishes[name] = caller, wish
        made = self.deferring().defer(caller, wish)
        assert made.is_new
        self.ids[name] = made.touch.id

    def poll(self, working: Working | None = None) -> list[Worked]:
        return list((working or self.working()).tick())

    def run(self, working: Working) -> Running:
        return Running(Process(), working)

    def in_the_midst(self, name: str) -> Running:
        """A worker that has begun to work on a check, and does not come to an end with it."""
        goes_on = self.desk.hold_up(name)
        count = len(self.desk.times(name))
        process = Process()
        running = Running(process, self.working(process=process))
        wait_until(lambda: len(self.desk.times(name)) > count)
        self.workers[name] = running, goes_on
        return running

    def deliver(self, container: Container | None = None) -> None:
        """Send what is due on every channel."""
        container = container or self.world.tickler
        for channel in (self.world.channel, *self.channels.values()):
            for _ in container.delivering(channel=channel).tick():
                pass

    def follow(self) -> None:
        container = self.world.tickler
        container.answering().follow(container.touches(), self.world.clock)

    # How things stand.

    def touch(self, name: str) -> DeferredTouch:
        found = self.touches().touch(self.ids[name])
        assert found is not None
        return found.state

    def plan(self) -> TouchPlan:
        """The one plan that there is."""
        (plan,) = self.touches().plans(TENANT)
        return plan

    def statuses(self) -> list[Status]:
        return [self.touch(name).status for name in self.ids]

    def history(self, name: str) -> Sequence[RecordedTouchEvent]:
        return self.touches().history(self.ids[name])

    def answers(self) -> list[OutgoingMessage]:
        """The answers that arrived, on whatever channel; all of them at Olga's addresses."""
        arrived = list(self.world.channel.accepted)
        arrived += [one for channel in self.channels.values() for one in channel.accepted]
        answers = [one for one in arrived if one.template == "TouchAnswer"]
        assert {one.address for one in answers} <= set(self.addresses)
        return answers


def caller_for(name: str, channel: str = "recording") -> Caller:
    return Caller(TENANT, AGENT, Origin(user_id(name), channel, point_of(name, channel)))


def point_of(name: str, channel: str) -> ContactPointId:
    """The first contact point of somebody goes by their name alone."""
    first = channel == "recording"
    return ContactPointId(known_as(f"contact point {name}" + ("" if first else f" {channel}")))


WHEN_CLIENT_WRITES = {"kept": WhenClientWrites.KEEP, "cancelled": WhenClientWrites.CANCEL}
