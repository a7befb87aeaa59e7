"""What is over leaves memory."""

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from datetime import datetime
from typing import Any
from uuid import UUID

from attrs import frozen

from adapters.outbound.memory.store import MemoryStore
from application.ports.pruning import Batch, Place, What
from domain import deferred_touch, delivery, reminder

DELIVERED = (delivery.Status.DELIVERED, delivery.Status.SKIPPED)
FINISHED = (
    deferred_touch.Status.DELIVERED,
    deferred_touch.Status.CLOSED,
    deferred_touch.Status.CANCELLED,
)


@frozen
class MemoryPrunable:
    store: MemoryStore

    def prune(
        self,
        what: What,
        before: datetime,
        start: Place | None = None,
        *,
        limit: int = 1_000,
        only_count: bool = False,
    ) -> Batch:
        """From the first row each time; `start` counts those that were seen and stay."""
        (passed,) = start or (0,)
        assert isinstance(passed, int)
        with self.store.changed:
            rows = self._rows(what)
            is_over = self._rule(what)
            seen = list(rows)[passed : passed + limit]
            over = [key for key in seen if is_over(key, before)]
            for key in [] if only_count else over:
                del rows[key]
                self._remove_with(what, key)
            if over and not only_count:
                self.store.pruning_marks[what] = max(before, self.store.pruning_marks.get(what, before))
        stay = passed + len(seen) - (0 if only_count else len(over))
        return Batch(len(over), len(seen), (stay,) if len(seen) == limit else None)

    def marks(self) -> Mapping[What, datetime]:
        with self.store.changed:
            return dict(self.store.pruning_marks)

    def rows(self, what: What) -> int:
        with self.store.changed:
            return len(self._rows(what))

    def _rows(self, what: What) -> MutableMapping[Any, Any]:
        store = self.store
        match what:
            case What.DELIVERIES:
                return store.deliveries
            case What.REMINDERS:
                return store.reminders
            case What.TOUCHES:
                return store.touches
            case What.OUTBOX:
                return store.outbox
            case What.INBOX:
                return store.inbox
            case What.SESSIONS | What.TOKENS:
                return store.tokens
            case What.QUARANTINE:
                return store.quarantine

    def _rule(self, what: What) -> Callable[[Any, datetime], bool]:
        return {
            What.DELIVERIES: self._delivery_is_over,
            What.REMINDERS: self._reminder_is_over,
            What.TOUCHES: self._touch_is_over,
            What.OUTBOX: self._is_published,
            What.INBOX: lambda id_, before: self.store.inbox[id_] < before and not self._is_unpublished(id_),
            What.SESSIONS: self._session_is_over,
            What.TOKENS: self._token_is_over,
            What.QUARANTINE: lambda key, before: self.store.quarantine[key].at < before,
        }[what]

    def _remove_with(self, what: What, key: Any) -> None:
        store = self.store
        if what is What.TOUCHES:
            store.touch_texts.pop(key, None)
            keys = [request for request, (_, touch_id) in store.touch_requests.items() if touch_id == key]
            for request in keys:
                del store.touch_requests[request]
        elif what is What.DELIVERIES:
            store.attempts.pop(key, None)
            store.traceparents.pop(key, None)
            told = {one.about_id for one in store.deliveries.values()}
            for notice_id in [one for one in store.matters if one not in told]:
                del store.matters[notice_id]

    def _delivery_is_over(self, id_: Any, before: datetime) -> bool:
        one = self.store.deliveries[id_]
        return one.status in DELIVERED and one.due_at < before

    def _reminder_is_over(self, id_: Any, before: datetime) -> bool:
        status = self.store.reminders[id_].state.status
        return (
            status is not reminder.Status.PENDING
            and self.store.history[id_][-1].occurred_at < before
            and not self._is_unpublished(id_)
            and not any(self._waiting(id_))
        )

    def _touch_is_over(self, id_: Any, before: datetime) -> bool:
        status = self.store.touches[id_].touch.state.status
        last = self.store.touch_history[id_][-1].occurred_at
        return status in FINISHED and last < before and not any(self._waiting(id_))

    def _is_published(self, id_: Any, before: datetime) -> bool:
        at = self.store.outbox[id_].published_at
        return at is not None and at < before

    def _is_unpublished(self, id_: UUID) -> bool:
        row = self.store.outbox.get(id_)
        return row is not None and row.published_at is None

    def _waiting(self, about_id: UUID) -> Iterator[bool]:
        return (
            one.status not in DELIVERED for one in self.store.deliveries.values() if one.about_id == about_id
        )

    def _session_is_over(self, id_: Any, before: datetime) -> bool:
        token = self.store.tokens[id_].token
        opener = self.store.tokens.get(token.parent) if token.parent else None
        is_revoked = token.revoked_at or (opener.token.revoked_at if opener else None)
        return token.session is not None and (is_revoked is not None or not token.holds(before))

    def _token_is_over(self, id_: Any, before: datetime) -> bool:
        token = self.store.tokens[id_].token
        ends = [at for at in (token.revoked_at, token.expires_at) if at is not None]
        opened = (one.token.parent == id_ for one in self.store.tokens.values())
        return token.session is None and bool(ends) and min(ends) < before and not any(opened)
