"""An office whose agents put work off, over the memory adapters; it is noon, and no time passes by itself."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from adapters.outbound.templates.plan_texts import JinjaPlanTexts
from adapters.testkit.touches.examples import change
from application.ports.ledger import Context
from application.ports.people import AgentPlatform, Tenant
from application.ports.work import TouchHandler
from application.telling_operators import TellingOperators
from application.touching.answering import Answering
from application.touching.attempting import Worked
from application.touching.deferring import Caller, Deferring, Wish
from application.touching.holding import Holding
from application.touching.messages import message
from application.touching.planning import Planning
from application.touching.working import Working, WorkOptions
from domain.deferred_touch import Claim, DeferredTouch
from domain.values import Origin, TenantId, TouchId
from tests.application.world import NOON, OLGA, TENANT, World

SECOND = timedelta(seconds=1)
LEASE = WorkOptions().lease
PATIENCE_S = 20.0
AGENT = AgentPlatform("https://agents.b.example/touches", "whsec_bnVtYmF0bnVtYmF0bnVtYmF0bnVtYmF0")
KINDS = ("message", "check", "call")


class TouchingWorld(World):
    def __init__(self) -> None:
        super().__init__()
        self.person(OLGA, None)
        self.people.set_tenant(Tenant(TENANT, "office", agent=AGENT))
        self.origin = Origin(OLGA, self.channel.name, self.point(OLGA, "olga's address").id)
        self.planning = Planning(self.touches, self.people, self.clock, self.ids, JinjaPlanTexts(), KINDS)
        self.answering = Answering(self.people, self.ids, TellingOperators(self.people, self.ids))
        self._keys = 0

    def deferring(self, **more: Any) -> Deferring:
        return Deferring(self.touches, self.clock, self.ids, KINDS, **more)

    def caller(self, name: str = "agent", tenant_id: TenantId = TENANT, depth: int = 0) -> Caller:
        return Caller(tenant_id, name, self.origin, depth)

    def wish(self, **more: Any) -> Wish:
        self._keys += 1
        parts: dict[str, Any] = {
            "kind": "message",
            "due_at": NOON,
            "text": "call the clinic",
            "key": f"key {self._keys}",
        }
        return Wish(**(parts | more))

    def defer(self, caller: Caller | None = None, **more: Any) -> TouchId:
        """A touch that has been due for a second."""
        touch = self.deferring().defer(caller or self.caller(), self.wish(**more)).touch
        self.clock.set(max(self.clock.now(), touch.due_at + SECOND))
        return touch.id

    def worker(
        self, handlers: Mapping[str, TouchHandler] | None = None, name: str = "worker", **more: Any
    ) -> Working:
        touches = more.pop("touches", self.touches)
        rest = more.pop("rest", threading.Event().wait)
        options = WorkOptions(**more)
        holding = Holding(self.touches, self.clock, options.lease)
        known = {"message": message, **(handlers or {})}
        return Working(touches, self.clock, self.ids, known, holding, self.answering, name, options, rest)

    def work(self, handlers: Mapping[str, TouchHandler] | None = None, **more: Any) -> list[Worked]:
        return list(self.worker(handlers, **more).tick())

    def claimed_by_one_that_died(self, touch_id: TouchId) -> DeferredTouch:
        """In the hands of a worker that will never say anything again."""
        now = self.clock.now()
        with self.touches.transaction(Context(self.ids.new())) as transaction:
            found = transaction.touch(touch_id)
            assert found is not None
            claimed = change(found, Claim("dead", now + LEASE, now))
            transaction.record([claimed])
        return claimed.state

    def touch(self, touch_id: TouchId) -> DeferredTouch:
        found = self.touches.touch(touch_id)
        assert found is not None
        return found.state

    def answer_of(self, touch_id: TouchId) -> str | None:
        return self.touches.texts(touch_id).answer


class InThread:
    """A worker's tick in a thread of its own; `until` waits for something that it brings about."""

    def __init__(self, working: Working) -> None:
        self._stopping = threading.Event()
        self.worked: list[Worked] = []
        self._working = working
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._changed = threading.Condition()

    def _run(self) -> None:
        for one in self._working.tick(self._stopping.is_set):
            with self._changed:
                self.worked.append(one)
                self._changed.notify_all()

    def until(self, condition: Callable[[list[Worked]], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: condition(self.worked), PATIENCE_S), self.worked

    def stop(self) -> None:
        self._stopping.set()

    def join(self) -> list[Worked]:
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        return self.worked

    def start(self) -> "InThread":
        self._thread.start()
        return self


@contextmanager
def ticking(working: Working) -> Iterator[InThread]:
    thread = InThread(working).start()
    try:
        yield thread
    finally:
        thread.stop()


def at(seconds: float) -> datetime:
    """So long after noon."""
    return NOON + seconds * SECOND
