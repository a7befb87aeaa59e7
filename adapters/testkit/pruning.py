"""The promises of the Prunable port, executed."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

import attrs
import pytest

from adapters.testkit.deliveries.examples import LEASE_END, REMINDER, made, settle
from adapters.testkit.deliveries.receiving import TRACEPARENT
from adapters.testkit.examples import CYCLE, MINUTE, NOON, TENANT, due, keep, sending_new, skipping
from adapters.testkit.quarantine import record
from adapters.testkit.threads import at_once
from adapters.testkit.tokens import CONVERSATION, HOUR, PLATFORM, kept
from adapters.testkit.touches.examples import LATER, answer, claim_due, registered, registration, tell
from application.ports.deliveries import Deliveries, Received
from application.ports.ledger import Ledger
from application.ports.notices import Matter, MatterKind, Notice
from application.ports.outbox import Outbox
from application.ports.pruning import Batch, Prunable, What
from application.ports.quarantine import Quarantine
from application.ports.tokens import TokenId, Tokens
from application.ports.touches import Touches
from domain import deferred_touch, delivery
from domain.delivery import Delivery, Template
from domain.reminder import SkipReason
from domain.values import DeliveryId, NoticeId, ReminderId

LEASE = timedelta(seconds=60)
INSTANT = timedelta(microseconds=1)
AFTER_ALL = NOON + timedelta(days=1)


def pruned(
    prunable: Prunable,
    what: What,
    before: datetime = AFTER_ALL,
    *,
    limit: int = 1_000,
    only_count: bool = False,
) -> int:
    """How many rows went on a walk from the beginning to the end."""
    count, place = 0, None
    for _ in range(1_000):
        batch = prunable.prune(what, before, place, limit=limit, only_count=only_count)
        count, place = count + batch.pruned, batch.then
        if place is None:
            return count
    raise AssertionError("the walk does not end")


class PrunableContract:
    """Each test has a store of its own, without any rows; all fixtures are adapters over that one store."""

    @pytest.fixture
    def prunable(self) -> Prunable:
        raise NotImplementedError

    @pytest.fixture
    def ledger(self) -> Ledger:
        raise NotImplementedError

    @pytest.fixture
    def outbox(self) -> Outbox:
        raise NotImplementedError

    @pytest.fixture
    def deliveries(self) -> Deliveries:
        raise NotImplementedError

    @pytest.fixture
    def touches(self) -> Touches:
        raise NotImplementedError

    @pytest.fixture
    def tokens(self) -> Tokens:
        raise NotImplementedError

    @pytest.fixture
    def quarantine(self) -> Quarantine:
        raise NotImplementedError

    @pytest.mark.parametrize("what", What)
    def test_nothing_is_in_an_empty_store(self, prunable: Prunable, what: What) -> None:
        assert prunable.prune(what, AFTER_ALL) == Batch(0, 0, None)

    def test_a_message_goes_when_it_was_published_before_that(
        self, prunable: Prunable, ledger: Ledger, outbox: Outbox
    ) -> None:
        first, second = _sent(ledger, 2)
        for at in (NOON, NOON + MINUTE):
            outbox.mark_published(outbox.claim("relay", 1, NOON, LEASE), at)

        assert pruned(prunable, What.OUTBOX, NOON) == 0
        assert pruned(prunable, What.OUTBOX, NOON + INSTANT) == 1
        assert pruned(prunable, What.OUTBOX, NOON + MINUTE) == 0
        assert pruned(prunable, What.OUTBOX) == 1
        assert [len(ledger.history(id_)) for id_ in (first, second)] == [2, 2]

    def test_the_latest_time_with_which_anything_went_is_marked_by_kind(
        self, prunable: Prunable, ledger: Ledger, outbox: Outbox, deliveries: Deliveries
    ) -> None:
        ids = _sent(ledger, 2)
        deliveries.receive([Received(id_, []) for id_ in ids], NOON)
        for at in (NOON, NOON + MINUTE):
            outbox.mark_published(outbox.claim("relay", 1, NOON, LEASE), at)

        assert pruned(prunable, What.OUTBOX, NOON) == 0
        assert pruned(prunable, What.OUTBOX, only_count=True) == 2
        assert prunable.marks() == {}
        assert pruned(prunable, What.OUTBOX, NOON + INSTANT) == 1
        assert prunable.marks() == {What.OUTBOX: NOON + INSTANT}
        assert pruned(prunable, What.INBOX, AFTER_ALL) == 2
        assert pruned(prunable, What.OUTBOX, NOON + 2 * MINUTE) == 1
        assert prunable.marks() == {What.OUTBOX: NOON + 2 * MINUTE, What.INBOX: AFTER_ALL}
        outbox_again = _sent(ledger, 1, number=3)
        outbox.mark_published(outbox.claim("relay", 1, NOON, LEASE), NOON)
        assert len(outbox_again) == pruned(prunable, What.OUTBOX, NOON + INSTANT)
        assert prunable.marks()[What.OUTBOX] == NOON + 2 * MINUTE

    def test_what_is_unpublished_claimed_or_parked_stays_with_its_reminder_and_inbox_entry(
        self, prunable: Prunable, ledger: Ledger, outbox: Outbox, deliveries: Deliveries
    ) -> None:
        ids = _sent(ledger, 3)
        deliveries.receive([Received(id_, []) for id_ in ids], NOON)
        outbox.park([(claim, "too large") for claim in outbox.claim("relay", 1, NOON, LEASE)], NOON)
        outbox.claim("relay", 1, NOON, LEASE)

        for what in (What.OUTBOX, What.REMINDERS, What.INBOX):
            assert pruned(prunable, what) == 0
        assert outbox.parked(10).count == 1
        assert outbox.backlog(NOON).count == 2

    def test_a_reminder_goes_when_it_was_over_before_that_and_its_history_stays(
        self, prunable: Prunable, ledger: Ledger, outbox: Outbox
    ) -> None:
        (sent,) = _sent(ledger, 1)
        pending = due(2, NOON)
        skipped = due(3, NOON)
        keep(ledger, pending, skipped)
        (row,) = ledger.reminders(skipped.event.id)
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([skipping(row, SkipReason.MOVED)])
        outbox.mark_published(outbox.claim("relay", 1, NOON, LEASE), NOON)

        assert pruned(prunable, What.REMINDERS, NOON) == 0
        assert pruned(prunable, What.REMINDERS, NOON + INSTANT) == 1
        assert [one.state.id for one in ledger.reminders(skipped.event.id)] == []
        assert pruned(prunable, What.REMINDERS) == 1
        assert len(ledger.history(sent)) == 2
        assert [one.state for one in ledger.reminders(pending.event.id)] == list(pending.reminders)

    @pytest.mark.parametrize(
        ("commands", "goes"),
        [
            ([], False),
            ([delivery.Accept(1, "it", NOON)], True),
            ([delivery.Refuse(1, "no such address", NOON)], False),
            ([delivery.LoseTrack(1, "no answer", NOON)], False),
            ([delivery.LoseTrack(1, "no answer", NOON), delivery.Confirm("somebody", NOON)], True),
            ([delivery.Postpone(1, "busy", NOON + MINUTE, NOON)], False),
        ],
        ids=["Sending", "Delivered", "Failed", "Unknown", "arrived after all", "Pending"],
    )
    def test_a_delivery_goes_only_when_nobody_waits_for_it_and_its_reminder_with_it(
        self,
        prunable: Prunable,
        ledger: Ledger,
        outbox: Outbox,
        deliveries: Deliveries,
        commands: Sequence[delivery.Command],
        goes: bool,
    ) -> None:
        (sent,) = _sent(ledger, 1)
        outbox.mark_published(outbox.claim("relay", 1, NOON, LEASE), NOON)
        deliveries.receive([Received(sent, [made(1, sent)])], NOON)
        (claimed,) = deliveries.claim("console", 1, NOON, LEASE_END)
        stands = claimed
        for command in commands:
            stands = settle(deliveries, stands, command)

        assert pruned(prunable, What.DELIVERIES, NOON) == 0
        assert pruned(prunable, What.REMINDERS) == goes
        assert pruned(prunable, What.DELIVERIES) == goes
        assert (deliveries.by_id(claimed.id) is None) is goes

    def test_attempts_and_traces_go_with_their_delivery(
        self, prunable: Prunable, deliveries: Deliveries
    ) -> None:
        deliveries.receive([Received(REMINDER, [made(1)], TRACEPARENT)], NOON)
        (claimed,) = deliveries.claim("console", 1, NOON, LEASE_END)
        settle(deliveries, claimed, delivery.Accept(1, None, NOON))

        assert (pruned(prunable, What.DELIVERIES), pruned(prunable, What.INBOX)) == (1, 1)
        assert list(deliveries.attempts(claimed.id)) == []
        deliveries.receive([Received(REMINDER, [made(2)])], NOON)
        assert deliveries.traceparents([made(1).id, made(2).id]) == {}

    def test_the_matters_of_a_notice_go_with_the_last_of_its_deliveries(
        self, prunable: Prunable, deliveries: Deliveries
    ) -> None:
        notice_id = NoticeId(made(90).id)
        tells = attrs.evolve(made(91), about_id=notice_id, event_id=None, template=Template.OPERATOR_NOTICE)
        deliveries.receive([Received(REMINDER, [made(1)])], NOON)
        (claimed,) = deliveries.claim("console", 1, NOON, LEASE_END)
        refused, after = _decided(claimed, delivery.Refuse(1, "no such address", NOON))
        matter = Matter(MatterKind.DELIVERY, claimed.id, claimed.event_id)
        deliveries.settle(claimed, refused, after, notice=Notice(notice_id, matter, [tells]))

        assert pruned(prunable, What.DELIVERIES) == 0
        assert deliveries.matters(notice_id, 10).count == 1
        (claimed,) = deliveries.claim("console", 1, NOON, LEASE_END)
        settle(deliveries, claimed, delivery.Accept(1, None, NOON))
        assert pruned(prunable, What.DELIVERIES) == 1
        assert deliveries.matters(notice_id, 10).count == 0

    def test_an_inbox_entry_goes_when_it_was_taken_in_before_that(
        self, prunable: Prunable, deliveries: Deliveries
    ) -> None:
        entry = Received(ReminderId(made(1).id), [])
        deliveries.receive([entry], NOON)

        assert pruned(prunable, What.INBOX, NOON) == 0
        assert list(deliveries.receive([entry], NOON)) == [False]
        assert pruned(prunable, What.INBOX, NOON + INSTANT) == 1
        assert list(deliveries.receive([entry], NOON)) == [True]

    def test_a_touch_that_is_over_goes_with_its_texts_and_keys_and_one_that_waits_stays(
        self, prunable: Prunable, touches: Touches
    ) -> None:
        cancelled, pending = registered(touches, 1), registered(touches, 2)
        tell(touches, cancelled.id, deferred_touch.Cancel(LATER))

        assert pruned(prunable, What.TOUCHES, LATER) == 0
        assert pruned(prunable, What.TOUCHES) == 1
        assert touches.touch(cancelled.id) is None
        assert touches.texts(cancelled.id).text is None
        assert len(touches.history(cancelled.id)) == 2
        assert touches.touch(pending.id) is not None
        assert touches.texts(pending.id).text is not None
        request = registration(1).request
        assert touches.register(registration(3, request=request), CYCLE).is_new

    def test_a_failed_touch_waits_for_a_person(self, prunable: Prunable, touches: Touches) -> None:
        registered(touches, 1)
        (claimed,) = claim_due(touches)
        limits = deferred_touch.Limits(1, 1, 1)
        failed = tell(touches, claimed.id, deferred_touch.Fail(claimed.claim, "it broke", LATER, limits))

        assert failed.status is deferred_touch.Status.FAILED
        assert pruned(prunable, What.TOUCHES) == 0

    def test_a_touch_stays_while_its_answer_waits(
        self, prunable: Prunable, touches: Touches, deliveries: Deliveries
    ) -> None:
        registered(touches, 1)
        (claimed,) = claim_due(touches)
        brings = answer(touches, claimed)
        tell(touches, claimed.id, deferred_touch.ConfirmDelivered(LATER))

        assert pruned(prunable, What.TOUCHES) == 0
        (sending,) = deliveries.claim(brings.channel, 1, LATER, LATER + MINUTE)
        settle(deliveries, sending, delivery.Accept(1, None, LATER))
        assert pruned(prunable, What.TOUCHES) == 1

    def test_ended_sessions_go_at_once_and_tokens_when_they_ended_before_that(
        self, prunable: Prunable, tokens: Tokens
    ) -> None:
        ends = attrs.evolve(PLATFORM, id=TokenId(made(3).id), name="ends", expires_at=NOON + HOUR)
        later = attrs.evolve(CONVERSATION, id=TokenId(made(4).id), expires_at=NOON + 2 * HOUR)
        for number, token in enumerate([PLATFORM, ends, CONVERSATION, later]):
            tokens.add(kept(token, number))

        assert pruned(prunable, What.SESSIONS, NOON + HOUR - INSTANT) == 0
        assert pruned(prunable, What.SESSIONS, NOON + HOUR) == 1
        assert tokens.token(later.id) == later
        assert pruned(prunable, What.TOKENS, NOON + HOUR) == 0
        assert pruned(prunable, What.TOKENS, NOON + HOUR + INSTANT) == 1
        assert [one.name for one in tokens.of_tenant(TENANT)] == [PLATFORM.name]

    def test_a_revoked_token_goes_after_the_sessions_that_it_opened(
        self, prunable: Prunable, tokens: Tokens
    ) -> None:
        for number, token in enumerate([PLATFORM, CONVERSATION]):
            tokens.add(kept(token, number))
        tokens.revoke(PLATFORM.id, NOON)

        assert pruned(prunable, What.TOKENS) == 0
        assert pruned(prunable, What.SESSIONS, NOON) == 1
        assert pruned(prunable, What.TOKENS) == 1

    def test_quarantined_records_go_when_they_were_kept_before_that(
        self, prunable: Prunable, quarantine: Quarantine
    ) -> None:
        quarantine.keep([record(1), record(2), record(2, value=None), record(3, at=NOON + MINUTE)])

        assert pruned(prunable, What.QUARANTINE, NOON) == 0
        assert pruned(prunable, What.QUARANTINE, NOON + MINUTE, limit=1) == 3
        assert [one.offset for one in quarantine.latest(10)] == [3]

    @pytest.mark.parametrize("only_count", [False, True], ids=["pruned", "counted"])
    def test_a_walk_in_small_batches_finds_everything_past_what_stays(
        self, prunable: Prunable, deliveries: Deliveries, only_count: bool
    ) -> None:
        over = _delivered(deliveries, range(1, 20, 2))
        waiting = [made(number) for number in range(2, 20, 2)]
        deliveries.receive([Received(ReminderId(made(99).id), waiting)], NOON)

        assert pruned(prunable, What.DELIVERIES, limit=3, only_count=only_count) == len(over)
        left = [one for one in over if deliveries.by_id(one) is not None]
        assert left == (over if only_count else [])
        assert all(deliveries.by_id(one.id) == one for one in waiting)

    def test_a_batch_is_no_larger_than_asked_for(self, prunable: Prunable, deliveries: Deliveries) -> None:
        _delivered(deliveries, range(1, 6))

        batch = prunable.prune(What.DELIVERIES, AFTER_ALL, limit=2)

        assert (batch.pruned, batch.seen) == (2, 2)
        assert batch.then is not None

    def test_of_two_at_once_each_row_goes_once_and_neither_fails(
        self, prunable: Prunable, deliveries: Deliveries
    ) -> None:
        count = len(_delivered(deliveries, range(1, 201)))

        def walk() -> int:
            return pruned(prunable, What.DELIVERIES, limit=7)

        first, second = at_once(walk, walk)

        assert isinstance(first, int)
        assert isinstance(second, int)
        assert first + second + pruned(prunable, What.DELIVERIES) == count


def _sent(ledger: Ledger, count: int, number: int = 1) -> list[ReminderId]:
    example = due(number, *(NOON + later * INSTANT for later in range(count)))
    keep(ledger, example)
    with ledger.transaction(CYCLE) as cycle:
        cycle.settle(sending_new(example))
    return [one.id for one in example.reminders]


def _delivered(deliveries: Deliveries, numbers: Collection[int]) -> list[DeliveryId]:
    reminder_id = ReminderId(made(400).id)
    deliveries.receive([Received(reminder_id, [made(number, reminder_id) for number in numbers])], NOON)
    claimed = deliveries.claim("console", len(numbers), NOON, LEASE_END)
    for one in claimed:
        settle(deliveries, one, delivery.Accept(1, None, NOON))
    return sorted(one.id for one in claimed)


def _decided(one: Delivery, command: delivery.Command) -> tuple[Sequence[delivery.Event], Delivery]:
    (happened,) = delivery.decide(one, command)
    return [happened], delivery.evolve(one, happened)
