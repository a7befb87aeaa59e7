"""Plan, change, move, start, complete, cancel an event; its reminders follow in the same commit."""

from collections.abc import Callable, Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from datetime import datetime
from functools import reduce

from attrs import evolve, frozen

from application.ports.errors import PersonIsErased, RemindersAreLost
from application.ports.imports import Revision
from application.ports.ledger import Change, Context, Ledger, Transaction, Versioned
from application.ports.machine import Clock, Ids
from domain import calendar_event, policies, reminder
from domain.calendar_event import CalendarEvent
from domain.errors import NoSuchEvent
from domain.reminder import Reminder
from domain.triggers import AtInstant, Trigger, check_triggers
from domain.values import AppointmentId, EventId, Kind, ReminderId, TenantId, Timing, UserId


@frozen
class Draft:
    """An event as somebody wants it, before it has an id or after.

    Put over an event that is there, a draft without a client leaves it the one it has, unless `no_client`.
    """

    tenant_id: TenantId
    owner_user_id: UserId
    timing: Timing
    title: str | None = None
    client_user_id: UserId | None = None
    kind: Kind = Kind.OTHER
    appointment_id: AppointmentId | None = None
    triggers: tuple[Trigger, ...] = ()
    no_client: bool = False


@frozen
class Done:
    """What a command came to: the event now, what happened to it, and what to its reminders.

    `retitled`: it was there and has another title now, which is no part of what happened. `kept`: the fixed
    instants, still to come, at which it reminds as before though it starts at another time. `untitled`: the
    title was not taken, for the event is still that of somebody who is erased.
    """

    event: CalendarEvent
    happened: tuple[calendar_event.Event, ...]
    reminders: tuple[Reminder, ...]
    retitled: bool = False
    kept: tuple[AtInstant, ...] = ()
    untitled: bool = False


@frozen
class Calendar:
    """Every method raises Refused when the rules say no, Busy when a lock is not had, Unavailable.

    What takes triggers off or puts them elsewhere raises RemindersAreLost, a Refused, where rows are lacking
    of reminders that it would have to skip (decision 38).

    What makes an event that of a person who is erased raises PersonIsErased. An event that is theirs from
    before goes on, without a title (decision 10).
    """

    ledger: Ledger
    clock: Clock
    ids: Ids

    def plan(self, draft: Draft, event_id: EventId | None = None) -> Done:
        """Plan an event; with the id of one that is there already, nothing happens."""
        with self._transaction("user") as transaction:
            if event_id is not None:
                transaction.event(event_id)
            _refuse_erased(transaction, draft.owner_user_id, draft.client_user_id)
            return self._plan(transaction, draft, event_id or EventId(self.ids.new()), self.clock.now())

    def put(self, draft: Draft, event_id: EventId, revisions: Collection[Revision] = ()) -> Done:
        """Plan the event, or move and change the one of this id so that it is as drafted.

        For whoever reads the same calendar again and again; the id is the reader's to derive. An event that
        is over stays as it is. `revisions` is what the reader is to know from now on, in the same commit;
        Conflict where another reader came first.
        """
        with self._transaction("import", revisions) as transaction:
            found = transaction.event(event_id)
            before = () if found is None else (found.state.owner_user_id, found.state.client_user_id)
            erased = _refuse_erased(transaction, draft.owner_user_id, draft.client_user_id, kept=before)
            if found is None:
                return self._plan(transaction, draft, event_id, self.clock.now())
            now = self._now(transaction, event_id)
            is_open = found.state.status.is_open
            client = draft.client_user_id or found.state.client_user_id
            client = None if draft.no_client else client
            whose = (draft.owner_user_id, client) if is_open else before
            title = draft.title if erased.isdisjoint(whose) else None
            untitled = title != draft.title
            retitled = title is not None and transaction.write_title(event_id, title)
            if not is_open:
                return Done(found.state, (), (), retitled, untitled=untitled)
            triggers = check_triggers(draft.triggers)
            done: list[Done] = []
            if draft.timing != found.state.timing:
                done.append(self._follow(transaction, event_id, calendar_event.Move(draft.timing, now)))
            change = calendar_event.Change(
                owner_user_id=draft.owner_user_id,
                client_user_id=client,
                triggers=triggers,
                time_zone=draft.timing.time_zone,
                tz_version=draft.timing.tz_version,
                at=now,
            )
            done.append(self._follow(transaction, event_id, change))
            return Done(
                done[-1].event,
                tuple(happened for one in done for happened in one.happened),
                tuple(row for one in done for row in one.reminders),
                retitled,
                _kept(found.state, done[-1].event, now),
                untitled,
            )

    def call_off(self, event_id: EventId, revisions: Collection[Revision]) -> Done:
        """Cancel the event for whoever reads calendars; Conflict as in `put`.

        Nothing is revised where it was cancelled already: then it was not the reader who did it.
        """
        with self._transaction("import") as transaction:
            now = self._now(transaction, event_id)
            done = self._follow(transaction, event_id, calendar_event.Cancel(now))
            transaction.revise(revisions if done.happened else ())
            return done

    def known(self, event_ids: Collection[EventId]) -> Mapping[EventId, CalendarEvent]:
        """Those of these events that are there and can be read, as committed now, without a lock."""
        with self._transaction("import") as transaction:
            parents = transaction.parents(event_ids)
        return {id_: found.state for id_, found in parents.items() if isinstance(found, Versioned)}

    def change(
        self,
        event_id: EventId,
        *,
        tz_version: str,
        owner_user_id: UserId | None = None,
        client_user_id: UserId | None = None,
        no_client: bool = False,
        triggers: tuple[Trigger, ...] | None = None,
        time_zone: str | None = None,
        title: str | None = None,
    ) -> Done:
        """Change what is given and keep the rest; the wall clock stays when the zone changes."""
        with self._transaction("user") as transaction:
            event = _there(transaction.event(event_id)).state
            _refuse_erased(transaction, owner_user_id, client_user_id)
            client = client_user_id or event.client_user_id
            change = calendar_event.Change(
                owner_user_id=owner_user_id or event.owner_user_id,
                client_user_id=None if no_client else client,
                triggers=event.triggers if triggers is None else triggers,
                time_zone=time_zone or event.timing.time_zone,
                tz_version=tz_version,
                at=self._now(transaction, event_id),
            )
            done = self._follow(transaction, event_id, change)
            return evolve(done, retitled=title is not None and transaction.write_title(event_id, title))

    def move(
        self,
        event_id: EventId,
        start_local: datetime,
        *,
        tz_version: str,
        end_at: datetime | None = None,
    ) -> Done:
        """Move an event to another wall time in its zone; without `end_at` it keeps its length."""
        with self._transaction("user") as transaction:
            old = _there(transaction.event(event_id)).state.timing
            moved = Timing.of(start_local, old.time_zone, all_day=old.all_day, tz_version=tz_version)
            if end_at is None and old.end_at is not None:
                end_at = moved.start_at + (old.end_at - old.start_at)
            timing = Timing.of(
                start_local, old.time_zone, end_at=end_at, all_day=old.all_day, tz_version=tz_version
            )
            now = self._now(transaction, event_id)
            return self._follow(transaction, event_id, calendar_event.Move(timing, now))

    def rezone(self, event_id: EventId, tz_version: str) -> Done:
        """Reckon the event's instants anew, by the zone data of this version."""
        with self._transaction("rezone") as transaction:
            now = self._now(transaction, event_id)
            return self._follow(transaction, event_id, calendar_event.Rezone(tz_version, now))

    def start(self, event_id: EventId) -> Done:
        """The event has begun."""
        return self._tell(event_id, calendar_event.Start)

    def complete(self, event_id: EventId) -> Done:
        """The event is over; its Pending reminders are skipped."""
        return self._tell(event_id, calendar_event.Complete)

    def cancel(self, event_id: EventId) -> Done:
        """The event will not be; its Pending reminders are skipped."""
        return self._tell(event_id, calendar_event.Cancel)

    @contextmanager
    def _transaction(self, actor: str, revisions: Collection[Revision] = ()) -> Iterator[Transaction]:
        with self.ledger.transaction(Context(self.ids.new(), actor)) as transaction:
            yield transaction
            transaction.revise(revisions)

    def _tell(self, event_id: EventId, command: Callable[[datetime], calendar_event.Command]) -> Done:
        with self._transaction("user") as transaction:
            return self._follow(transaction, event_id, command(self._now(transaction, event_id)))

    def _now(self, transaction: Transaction, event_id: EventId) -> datetime:
        """The time once the event and its Pending reminders are ours.

        Asked for before, a cancel that waited for a cycle would stand in history as earlier than its sends.
        """
        transaction.event(event_id)
        transaction.pending(event_id)
        return self.clock.now()

    def _plan(self, transaction: Transaction, draft: Draft, event_id: EventId, now: datetime) -> Done:
        plan = calendar_event.Plan(
            id=event_id,
            tenant_id=draft.tenant_id,
            owner_user_id=draft.owner_user_id,
            timing=draft.timing,
            at=now,
            client_user_id=draft.client_user_id,
            kind=draft.kind,
            appointment_id=draft.appointment_id,
            triggers=draft.triggers,
        )
        done = self._follow(transaction, event_id, plan)
        if done.happened and draft.title is not None:
            transaction.write_title(event_id, draft.title)
        return done

    def _follow(self, transaction: Transaction, event_id: EventId, command: calendar_event.Command) -> Done:
        """Decide a command on an event, and on its reminders what the policies ask for; record both.

        The event row is locked first, then its Pending reminders ordered by id (design section 4).
        """
        found = transaction.event(event_id)
        before = found.state if found else None
        happened = calendar_event.decide(before, command)
        after = reduce(calendar_event.evolve, happened, before)
        assert after is not None
        if not happened:
            return Done(after, (), ())
        pending = {row.state.id: row for row in transaction.pending(event_id)}
        if before is not None:
            unheld = policies.unheld(before, after, [row.state for row in pending.values()])
            if unheld and transaction.has_lost(event_id, unheld):
                raise RemindersAreLost
        changes = [Change(event_id, found.version if found else 0, happened, after)]
        state = before
        for one in happened:
            next_state = calendar_event.evolve(state, one)
            asks = policies.when_event_happened(
                one, state, next_state, [row.state for row in pending.values()], self._reminder_ids()
            )
            changes += [_asked(ask, pending.get(ask.reminder_id)) for ask in asks]
            state = next_state
        transaction.record(changes)
        reminders = tuple(change.state for change in changes if isinstance(change.state, Reminder))
        return Done(after, tuple(happened), reminders, kept=_kept(before, after, command.at))

    def _reminder_ids(self) -> Iterator[ReminderId]:
        while True:
            yield ReminderId(self.ids.new())


def _there(found: Versioned[CalendarEvent] | None) -> Versioned[CalendarEvent]:
    if found is None:
        raise NoSuchEvent
    return found


def _refuse_erased(
    transaction: Transaction, *named: UserId | None, kept: Collection[UserId | None] = ()
) -> AbstractSet[UserId]:
    """Who of those whom the event keeps is erased; PersonIsErased for one who is named anew.

    All of them are held, so that none is erased while the event is being written.
    """
    asked = [one for one in (*named, *kept) if one is not None]
    erased = transaction.erased(asked) if asked else frozenset()
    for one in named:
        if one is not None and one in erased:
            raise PersonIsErased(one)
    return erased


def _kept(before: CalendarEvent | None, after: CalendarEvent, now: datetime) -> tuple[AtInstant, ...]:
    if before is None or before.timing.start_at == after.timing.start_at:
        return ()
    instants = (one for one in after.triggers if isinstance(one, AtInstant))
    return tuple(one for one in instants if one.at > now and one in before.triggers)


def _asked(ask: policies.Ask, row: Versioned[Reminder] | None) -> Change:
    before = row.state if row else None
    events = reminder.decide(before, ask.command)
    after = reduce(reminder.evolve, events, before)
    assert after is not None
    return Change(ask.reminder_id, row.version if row else 0, events, after)
