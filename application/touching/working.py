"""Claim due touches, have their handlers work on them, and take back what is stuck.

The attempt is committed before the work starts. Source: the specification, "Захват атомарен" and
"Восстановление"; design section 3.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from queue import Empty, SimpleQueue

from attrs import define, field, frozen

from application.ports.ledger import Context
from application.ports.machine import Clock, Ids
from application.ports.touches import Room, TouchChange, Touches, TouchTransaction
from application.ports.work import Handlers
from application.touching.answering import Answering
from application.touching.attempting import Attempting, Worked, lost, worked
from application.touching.deferring import change_of
from application.touching.holding import Held, Holding
from domain import deferred_touch
from domain.deferred_touch import DeferredTouch, Limits
from domain.errors import Invalid
from domain.values import TouchId

# How soon a worker looks for more while it is busy, in seconds.
LOOK_AGAIN_S = 0.5
MOST_RECOVERED = 100


@frozen
class WorkOptions:
    """At once `workers` touches are worked on by this process, `per_kind` of one kind, and by all processes
    `per_tenant` of one tenant. An attempt that takes longer than `deadline` has failed.
    """

    workers: int = 16
    per_kind: int = 12
    per_tenant: int = 8
    lease: timedelta = timedelta(seconds=10)
    deadline: timedelta = timedelta(minutes=10)
    limits: Limits = field(factory=Limits)

    def __attrs_post_init__(self) -> None:
        if min(self.workers, self.per_kind, self.per_tenant) < 1:
            raise Invalid("workers, per kind and per tenant: whole numbers from 1")
        if min(self.lease, self.deadline) <= timedelta(0):
            raise Invalid("lease and deadline: longer than nothing")


@define
class Working:
    """One worker: its name is new for each process, so that none is taken for one that died.

    `rest` sleeps for so many seconds, before what came of the work is tried to be written again.
    """

    touches: Touches
    clock: Clock
    ids: Ids
    handlers: Handlers
    holding: Holding
    answering: Answering
    name: str
    options: WorkOptions = field(factory=WorkOptions)
    rest: Callable[[float], object] = field(factory=lambda: threading.Event().wait)
    _attempting: Attempting = field(init=False)
    _running: dict[tuple[TouchId, int], Held] = field(factory=dict, init=False)
    _done: SimpleQueue[tuple[Held, Worked]] = field(factory=SimpleQueue, init=False)
    _stop: threading.Event = field(factory=threading.Event, init=False)

    @_attempting.default
    def _new_attempting(self) -> Attempting:
        return Attempting(
            self.touches,
            self.clock,
            self.ids,
            self.handlers,
            self.answering,
            self.name,
            self.options.limits,
            self.rest,
        )

    def tick(self, stopping: Callable[[], bool] = lambda: False) -> Iterator[Worked]:
        """Take back what is stuck, begin what is due, until nothing is due and nobody is busy.

        On a stop nothing more is begun, what was claimed and not begun goes back, and what is being worked
        on is waited for. After that this worker begins nothing any more.
        """
        yield from self._finished(0)
        while True:
            yield from self._give_up_overdue()
            if not self._is_stopping(stopping):
                yield from self._claim(stopping)
            if not self._running:
                return
            yield from self._finished(LOOK_AGAIN_S)

    def _is_stopping(self, stopping: Callable[[], bool]) -> bool:
        if stopping():
            self._stop.set()
        return self._stop.is_set()

    def _claim(self, stopping: Callable[[], bool]) -> Iterator[Worked]:
        while True:
            asked_at = self.clock.monotonic()
            now = self.clock.now()
            claim = deferred_touch.Claim(self.name, now + self.options.lease, now)
            with self.touches.transaction(Context(self.ids.new(), self.name)) as transaction:
                stuck = [
                    change_of(one, deferred_touch.Recover(now, self.options.limits))
                    for one in transaction.stuck(now, MOST_RECOVERED)
                ]
                transaction.record([change for change in stuck if not _is_spent(change)])
                claimed = self._claimed(transaction, claim)
            self._is_stopping(stopping)
            for change in claimed:
                self._begin(change.state, asked_at, claim)
            for change in stuck:
                if not _is_spent(change):
                    yield worked(change.state, "recovered")
                elif self._fail_spent(change.state, now):
                    yield worked(change.state, "failed", change.state.reason)
            if len(stuck) < MOST_RECOVERED:
                return

    def _fail_spent(self, touch: DeferredTouch, now: datetime) -> bool:
        """End a touch whose recoveries are spent, and tell the operator; False where another has done so."""
        # Read before: who holds a transaction waits for no second connection.
        notice = self.answering.notice(touch, now)
        with self.touches.transaction(Context(self.ids.new(), self.name)) as transaction:
            found = transaction.touch(touch.id)
            if found is None or found.state.claim != touch.claim:
                return False
            if found.state.status is not deferred_touch.Status.IN_PROGRESS:
                return False
            change = change_of(found, deferred_touch.Recover(now, self.options.limits))
            transaction.record([change])
            if notice is not None:
                transaction.keep_notice(notice)
        return True

    def _claimed(self, transaction: TouchTransaction, claim: deferred_touch.Claim) -> Sequence[TouchChange]:
        """As many as there is room for. Kinds differ in room, so ask again while some is left."""
        claimed: list[TouchChange] = []
        while (room := self._room([change.state for change in claimed])).limit:
            more = [change_of(one, claim) for one in transaction.due(claim.at, room)]
            transaction.record(more)
            claimed += more
            if len(more) < room.limit:
                break
        return claimed

    def _room(self, claimed: Sequence[DeferredTouch]) -> Room:
        """So many that they may all be of the one kind that has least room."""
        touches = [*(held.touch for held in self._running.values()), *claimed]
        busy = Counter(touch.kind for touch in touches)
        left = {kind: self.options.per_kind - busy[kind] for kind in self.handlers}
        free = {kind for kind, room in left.items() if room > 0}
        limit = min([self.options.workers - len(touches), *(left[kind] for kind in free)])
        return Room(max(limit, 0) if free else 0, free, self.options.per_tenant)

    def _begin(self, touch: DeferredTouch, asked_at: float, claim: deferred_touch.Claim) -> None:
        deadline = self.options.deadline
        held = self.holding.take(touch, asked_at, claim.at + deadline, asked_at + deadline.total_seconds())
        self._running[touch.id, touch.claim] = held
        # A thread each, and a daemon: work that never ends keeps neither a place nor the process.
        thread = threading.Thread(
            target=self._work, args=(held, self._attempt), name=f"touch {touch.kind}", daemon=True
        )
        try:
            thread.start()
        except RuntimeError:  # the machine gives no more threads
            self._work(held, self._attempting.release)

    def _attempt(self, held: Held) -> Worked:
        return self._attempting.attempt(held, self._stop)

    def _work(self, held: Held, how: Callable[[Held], Worked]) -> None:
        said = lost(held.touch)
        try:
            said = how(held)
        except Exception as problem:
            said = lost(held.touch, type(problem).__name__)
        finally:
            self.holding.drop(held)
            self._done.put((held, said))

    def _give_up_overdue(self) -> Iterator[Worked]:
        """What takes longer than its deadline has failed; whoever is at it still, keeps no place any more."""
        now = self.clock.monotonic()
        for key, held in list(self._running.items()):
            if held.ends <= now and not held.is_ending:
                said = self._attempting.give_up(held)
                self.holding.drop(held)
                del self._running[key]
                yield said

    def _finished(self, pause: float) -> Iterator[Worked]:
        """What is done by now, waiting a little for the first."""
        while True:
            try:
                held, said = self._done.get(timeout=pause)
            except Empty:
                return
            pause = 0.001
            self._running.pop((held.touch.id, held.touch.claim), None)
            yield said


def _is_spent(change: TouchChange) -> bool:
    return change.state.status is deferred_touch.Status.FAILED
