"""Explanations of what no scenario comes to, and the words of histories: every reason, every event."""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import get_args
from uuid import UUID

import attrs
import pytest

from adapters.testkit.examples import APPOINTMENT, CLIENT, MINUTE, NOON, OWNER, TENANT, TIMING, due, numbered
from application.dispatching import ReminderDispatchOptions
from application.explaining.deliveries import explain_delivery
from application.explaining.delivery_facts import DeliveryFacts
from application.explaining.explanation import Setup, Situation, counted, lasting, noted, ordinal, wall
from application.explaining.plans import PlanFacts, explain_plan
from application.explaining.reminder_facts import ReminderFacts
from application.explaining.reminders import explain_reminder
from application.explaining.touches import TouchFacts, explain_touch
from application.explaining.words import (
    CLOSED,
    ENDED,
    NOT_WANTED,
    OUTCOMES,
    SKIPPED,
    Event,
    words,
    words_of_attempt,
)
from application.ports.deliveries import Attempt
from application.ports.outbox import Standing
from application.touching.working import WorkOptions
from domain import calendar_event, deferred_touch, delivery, reminder, touch_plan
from domain.calendar_event import (
    CalendarEventCancelled,
    CalendarEventChanged,
    CalendarEventCompleted,
    CalendarEventMoved,
    CalendarEventPlanned,
    CalendarEventRezoned,
    CalendarEventStarted,
)
from domain.deferred_touch import (
    CloseReason,
    DeferredTouch,
    FailReason,
    TouchAnswered,
    TouchAttemptFailed,
    TouchCancelled,
    TouchClaimed,
    TouchClosed,
    TouchDelivered,
    TouchFailed,
    TouchPutOff,
    TouchRecovered,
    TouchRegistered,
    TouchReleased,
    TouchRetried,
    WhenClientWrites,
)
from domain.delivery import Delivery, Template
from domain.recurrence import BeforeDeadline
from domain.reminder import ReminderScheduled, ReminderSent, ReminderSkipped, SkipReason
from domain.touch_plan import (
    EndReason,
    Made,
    PlanAdvanced,
    PlanCreated,
    PlanEdited,
    PlanEnded,
    PlanPaused,
    PlanResumed,
    Terms,
    TouchPlan,
)
from domain.triggers import MinutesBeforeStart
from domain.values import (
    DeliveryId,
    EventId,
    EventStatus,
    Kind,
    Occurrence,
    Origin,
    PlanId,
    ReminderId,
    TouchId,
)

SETUP = Setup(
    dispatch=ReminderDispatchOptions(),
    work=WorkOptions(),
    channels={"webhook": True, "whatsapp": False},
    kinds=("message",),
)
EXAMPLE = due(1, NOON)
(REMINDER,) = EXAMPLE.reminders
ORIGIN = Origin(OWNER, "console")
TERMS = Terms(BeforeDeadline(date(2027, 3, 31), (30, 7), time(10), "Europe/Berlin"), ORIGIN)
OCCURRENCE = Occurrence(PlanId(numbered(70)), 1, datetime.fromisoformat("2027-03-01T10:00"))
PLAN = TouchPlan(PlanId(numbered(70)), TENANT, TERMS, handled_until=NOON)
TOUCH = DeferredTouch(TouchId(numbered(60)), TENANT, "message", ORIGIN, due_at=NOON)
DELIVERY = Delivery(
    id=DeliveryId(numbered(50)),
    tenant_id=TENANT,
    about_id=ReminderId(REMINDER.id),
    event_id=EventId(EXAMPLE.event.id),
    user_id=OWNER,
    channel="webhook",
    contact_point_id=None,
    address_key="a hash",
    template=Template.CALENDAR_REMINDER,
    due_at=NOON,
    not_before=NOON,
)

CALENDAR_WORDS: dict[Event, str] = {
    CalendarEventPlanned(
        EXAMPLE.event.id,
        TENANT,
        OWNER,
        CLIENT,
        Kind.MEETING,
        TIMING,
        APPOINTMENT,
        (MinutesBeforeStart(15),),
        NOON,
    ): "planned as meeting, to start at 2026-12-01 16:00 Europe/Moscow, with 1 reminder",
    CalendarEventChanged(OWNER, None, (), TIMING, NOON): (
        "changed: it starts at 2026-12-01 16:00 Europe/Moscow, with 0 reminders"
    ),
    CalendarEventMoved(attrs.evolve(TIMING, all_day=True), NOON): "moved to 2026-12-01, all day",
    CalendarEventRezoned(TIMING, NOON): (
        "reckoned by new zone data: it starts at 2026-12-01 16:00 Europe/Moscow, 2026-12-01 13:00 UTC"
    ),
    CalendarEventStarted(NOON): "started",
    CalendarEventCompleted(NOON): "completed",
    CalendarEventCancelled(NOON): "cancelled",
    ReminderScheduled(REMINDER.id, EXAMPLE.event.id, TENANT, MinutesBeforeStart(15), 15, NOON, NOON): (
        "scheduled for 2026-12-01 13:00 Europe/Berlin (start-15m)"
    ),
    ReminderSent(3, NOON): "sent, on version 3 of its event, and its message put into the outbox",
    ReminderSkipped(SkipReason.STALE, NOON): "skipped: it was found too late to be of use",
}
REGISTERED = TouchRegistered(TOUCH.id, TENANT, "message", ORIGIN, NOON, 0, WhenClientWrites.KEEP, None, NOON)
TOUCH_WORDS: dict[Event, str] = {
    REGISTERED: "put off until 2026-12-01 13:00 Europe/Berlin",
    attrs.evolve(REGISTERED, occurrence=OCCURRENCE): (
        f"made of plan {PLAN.id} for its 2027-03-01 10:00, due at 2026-12-01 13:00 Europe/Berlin"
    ),
    TouchClaimed(
        "worker 7", NOON, NOON
    ): "taken by worker 7, at first until 2026-12-01 13:00:00 Europe/Berlin",
    TouchRecovered(NOON): "taken back from a worker that had fallen silent",
    TouchReleased(NOON): "given back before any work, at no cost",
    TouchAttemptFailed("it broke", NOON, NOON): (
        "the attempt failed: it broke; the next one is after 2026-12-01 13:00:00 Europe/Berlin"
    ),
    TouchPutOff(NOON, NOON): "its work asked to be called again after 2026-12-01 13:00 Europe/Berlin",
    TouchAnswered(NOON): "answered, and the answer given to its delivery",
    TouchDelivered(NOON): "its answer was delivered",
    TouchClosed(CloseReason.UNDELIVERABLE, NOON): (
        "closed: its answer could not be delivered where it was asked for"
    ),
    TouchCancelled(NOON): "cancelled",
    TouchFailed(FailReason.ROUNDS, "again and again", NOON): (
        "failed, its rounds being spent: again and again"
    ),
    TouchRetried(NOON): "to be tried again, with all its attempts",
    PlanCreated(PLAN.id, TENANT, TERMS, NOON): "made, in Europe/Berlin",
    PlanEdited(TERMS, NOON): "edited, in Europe/Berlin",
    PlanPaused(NOON): "paused",
    PlanResumed(NOON): "resumed",
    PlanAdvanced(NOON, (Made(OCCURRENCE, NOON),), 2, NOON): "1 occurrence became a touch, 2 passed over",
    PlanAdvanced(NOON, (), 2, NOON): "2 occurrences passed over",
    PlanAdvanced(NOON, (Made(OCCURRENCE, NOON),) * 2, 0, NOON): "2 occurrences became touches",
    PlanEnded(EndReason.FINISHED, NOON): "ended: its schedule has no further occurrence",
}
ALL_WORDS: dict[Event, str] = {**CALENDAR_WORDS, **TOUCH_WORDS}


# Words


@pytest.mark.parametrize("event", ALL_WORDS, ids=lambda event: type(event).__name__)
def test_an_event_is_told_in_words_with_times_in_the_zone_asked_for(
    event: Event,
) -> None:
    assert words(event, "Europe/Berlin") == ALL_WORDS[event]


@pytest.mark.parametrize(
    "events", [calendar_event.Event, reminder.Event, deferred_touch.Event, touch_plan.Event]
)
def test_every_event_of_every_aggregate_that_has_a_history_has_words(events: object) -> None:
    assert set(get_args(events)) <= {type(event) for event in ALL_WORDS}


@pytest.mark.parametrize(
    ("reasons", "told"),
    [(SkipReason, SKIPPED), (CloseReason, CLOSED), (EndReason, ENDED), (delivery.SkipReason, NOT_WANTED)],
)
def test_every_reason_has_words_that_are_not_its_name(
    reasons: type[StrEnum], told: Mapping[str, str]
) -> None:
    assert set(told) == set(reasons)
    assert all(" " in words and "_" not in words for words in told.values())


def test_a_try_that_was_not_sent_after_all_says_why_in_words() -> None:
    assert words_of_attempt(Attempt(2, NOON, NOON, "skipped", "not_member")) == (
        "tried (claim 2): not sent after all: the person has left the tenant or was erased"
    )


@pytest.mark.parametrize(
    "outcome", ["accepted", "refused", "postponed", "given_back", "skipped", "lost", "confirmed"]
)
def test_every_outcome_of_an_attempt_has_words(outcome: str) -> None:
    said = words_of_attempt(Attempt(2, NOON, NOON, outcome, "because"))
    assert said.startswith(f"tried (claim 2): {OUTCOMES[outcome]}")
    assert said.endswith(": because") is (outcome not in ("accepted", "given_back"))


def test_an_attempt_that_has_not_ended_is_told_as_such() -> None:
    assert words_of_attempt(Attempt(1, NOON)) == (
        "tried (claim 1): in its sender's hands, or its sender has fallen silent"
    )


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (0.5, "0.5 s"),
        (9.96, "10 s"),
        (60, "60 s"),
        (120, "2 min"),
        (3600, "1 h"),
        (11_100, "3 h 5 min"),
        (86_400, "1 day"),
        (187_200, "2 days 4 h"),
    ],
)
def test_a_length_of_time_is_told_in_its_two_largest_units(seconds: float, said: str) -> None:
    assert lasting(timedelta(seconds=seconds)) == said


def test_an_instant_in_a_zone_that_nobody_knows_is_told_in_utc() -> None:
    assert wall(NOON, "Mars/Olympus") == "2026-12-01 12:00 UTC"
    assert noted(NOON, "Mars/Olympus") == "2026-12-01 12:00:00 UTC"


def test_a_time_that_somebody_set_has_seconds_where_there_are_some_and_what_happened_always() -> None:
    later = NOON + timedelta(seconds=7)
    assert [wall(at, "Europe/Berlin") for at in (NOON, later)] == [
        "2026-12-01 13:00 Europe/Berlin",
        "2026-12-01 13:00:07 Europe/Berlin",
    ]
    assert noted(NOON, "Europe/Berlin") == "2026-12-01 13:00:00 Europe/Berlin"


def test_counts_are_told_in_the_singular_and_plural() -> None:
    assert [counted(n, "touch", "touches") for n in (0, 1, 2)] == ["0 touches", "1 touch", "2 touches"]
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st",
    ]  # fmt: skip


# Reminders


@pytest.mark.parametrize("reason", list(SkipReason))
def test_every_reason_for_which_a_reminder_is_skipped_is_told(reason: SkipReason) -> None:
    one = attrs.evolve(REMINDER, status=reminder.Status.SKIPPED, reason=reason)
    told = explain_reminder(ReminderFacts(one, EXAMPLE.event, NOON, SETUP, since=NOON, siblings=[one]))
    assert told.situation is Situation.SKIPPED
    assert told.says.startswith(f"Reminder {one.id} was Skipped at 2026-12-01 15:00:00 Europe/Moscow: ")
    assert told.says.count(". ") >= 1
    assert told.since == NOON


def test_a_moved_one_names_the_last_that_came_in_its_place_and_none_that_was_moved_itself() -> None:
    moved, between, last = (
        attrs.evolve(REMINDER, id=ReminderId(numbered(n)), status=reminder.Status.SKIPPED, reason=reason)
        for n, reason in ((1, SkipReason.MOVED), (2, SkipReason.MOVED), (3, SkipReason.PAST))
    )
    facts = ReminderFacts(moved, EXAMPLE.event, NOON, SETUP, siblings=[moved, between, last])
    assert f"Reminder {last.id} stands for it now: Skipped as past" in explain_reminder(facts).says
    alone = attrs.evolve(facts, siblings=[moved, between])
    assert "No other reminder stands for it now." in explain_reminder(alone).says


def test_a_pending_one_without_a_row_is_told_as_lost_to_every_cycle() -> None:
    told = explain_reminder(ReminderFacts(REMINDER, EXAMPLE.event, NOON, SETUP, has_row=False))
    assert told.situation is Situation.POISON
    assert "its row is not there: no cycle finds it" in told.says
    assert told.says.endswith("until that is mended. `tickler rebuild` makes the row again from its history.")


def test_a_sent_one_of_which_neither_message_nor_delivery_is_kept_says_so() -> None:
    sent = attrs.evolve(REMINDER, status=reminder.Status.SENT, sent_at=NOON + MINUTE)
    told = explain_reminder(ReminderFacts(sent, EXAMPLE.event, NOON, SETUP))
    assert told.situation is Situation.NO_TRACE
    assert "not in the outbox any more" in told.says
    taken_in = explain_reminder(ReminderFacts(sent, EXAMPLE.event, NOON, SETUP, received_at=NOON))
    assert taken_in.situation is Situation.NO_TRACE
    assert "nothing is kept of its deliveries any more" in taken_in.says


def test_with_kafka_a_message_that_was_not_taken_in_may_be_a_record_that_cannot_be_read() -> None:
    sent = attrs.evolve(REMINDER, status=reminder.Status.SENT, sent_at=NOON)
    published = Standing(NOON, published_at=NOON)
    setup = attrs.evolve(SETUP, publishes_to="kafka")
    told = explain_reminder(ReminderFacts(sent, EXAMPLE.event, NOON, setup, message=published))
    assert told.situation is Situation.PUBLISHED
    assert "`tickler kafka quarantined`" in told.says
    waiting = ReminderFacts(sent, EXAMPLE.event, NOON + 5 * MINUTE, setup, message=Standing(NOON))
    assert "`tickler kafka check`" in explain_reminder(waiting).says


# Deliveries


@pytest.mark.parametrize("reason", list(delivery.SkipReason))
@pytest.mark.parametrize("template", list(Template))
def test_every_reason_for_which_a_delivery_is_skipped_is_told(
    reason: delivery.SkipReason, template: Template
) -> None:
    one = attrs.evolve(DELIVERY, status=delivery.Status.SKIPPED, reason=reason.value, template=template)
    told = explain_delivery(DeliveryFacts(one, NOON, SETUP, "UTC", event=EXAMPLE.event))
    assert told.situation is Situation.SKIPPED
    assert told.says.startswith(f"Delivery {one.id} to {OWNER} on webhook was Skipped: ")
    assert told.says.endswith(". Nothing was sent, and it stays so.")


def test_where_a_channel_repeats_what_is_unknown_all_of_its_tries_are_spent() -> None:
    unknown = attrs.evolve(
        DELIVERY, status=delivery.Status.UNKNOWN, attempts=5, reason="silence", in_doubt=True
    )
    told = explain_delivery(DeliveryFacts(unknown, NOON, SETUP, "UTC"))
    assert "all of its 5 tries are spent" in told.says
    elsewhere = attrs.evolve(unknown, channel="whatsapp")
    assert (
        "is held, lest it arrive twice" in explain_delivery(DeliveryFacts(elsewhere, NOON, SETUP, "UTC")).says
    )


def test_what_arrived_by_a_persons_word_may_have_arrived_twice_only_where_another_answer_was_lost() -> None:
    one = attrs.evolve(DELIVERY, status=delivery.Status.DELIVERED, in_doubt=True)
    lost, word = Attempt(1, NOON, NOON, "lost", "silence"), Attempt(2, NOON, NOON, "confirmed")
    at_once = explain_delivery(DeliveryFacts(one, NOON, SETUP, "UTC", [word])).says
    assert at_once.endswith(
        "counts as Delivered since 2026-12-01 12:00:00 UTC: its answer was lost, and somebody says that it"
        " arrived."
    )
    again = explain_delivery(DeliveryFacts(one, NOON, SETUP, "UTC", [lost, word])).says
    assert again == at_once + " The answer to an earlier try was lost too, so it may have arrived twice."


def test_what_failed_in_doubt_is_retried_only_at_the_risk_of_a_second_one() -> None:
    failed = attrs.evolve(DELIVERY, status=delivery.Status.FAILED, reason="no", in_doubt=True)
    says = explain_delivery(DeliveryFacts(failed, NOON, SETUP, "UTC", event=EXAMPLE.event)).says
    assert "no other address is tried" in says
    assert f"`tickler delivery retry {failed.id} --may-arrive-twice`" in says
    answer = attrs.evolve(failed, template=Template.TOUCH_ANSWER, in_doubt=False)
    assert "nowhere else" in explain_delivery(DeliveryFacts(answer, NOON, SETUP, "UTC")).says


@pytest.mark.parametrize("status", [delivery.Status.FAILED, delivery.Status.UNKNOWN])
def test_a_retry_is_not_recommended_where_the_sender_would_skip_what_it_gives_back(
    status: delivery.Status,
) -> None:
    one = attrs.evolve(DELIVERY, status=status, reason="no", in_doubt=status is delivery.Status.UNKNOWN)
    over = attrs.evolve(EXAMPLE.event, status=EventStatus.COMPLETED)
    says = explain_delivery(DeliveryFacts(one, NOON, SETUP, "UTC", event=over)).says
    assert "A retry would not send it: its event is over" in says
    assert "delivery retry" not in says
    cancelled = attrs.evolve(EXAMPLE.event, status=EventStatus.CANCELLED)
    says = explain_delivery(DeliveryFacts(one, NOON, SETUP, "UTC", event=cancelled)).says
    assert "A retry would not send it: its event was cancelled" in says
    wanted = explain_delivery(DeliveryFacts(one, NOON, SETUP, "UTC", event=EXAMPLE.event)).says
    assert f"`tickler delivery retry {one.id}" in wanted
    assert "would not" not in wanted


def test_of_one_who_was_erased_it_is_told_that_no_reason_is_kept() -> None:
    failed = attrs.evolve(DELIVERY, status=delivery.Status.FAILED, reason=None)
    assert "since the person was erased" in explain_delivery(DeliveryFacts(failed, NOON, SETUP, "UTC")).says


@pytest.mark.parametrize(
    ("tried", "said"),
    [
        (
            {},
            "until its event is over, and no longer than until 2026-12-02 12:00:00 UTC; after 5 tries another"
            " address of the person is told instead, where there is one.",
        ),
        ({"attempts": 6}, " UTC: there was no other address of the person to be told instead."),
        ({"in_doubt": True}, " UTC, at that address alone."),
        (
            {"template": Template.TOUCH_ANSWER, "event_id": None},
            "It is tried until 2026-12-02 12:00:00 UTC, at that address alone.",
        ),
    ],
)
def test_what_is_tried_again_says_until_when_and_who_else_is_told(
    tried: dict[str, object], said: str
) -> None:
    waits: dict[str, object] = {"attempts": 2, "not_before": NOON + MINUTE, "reason": "busy"}
    one = attrs.evolve(DELIVERY, **(waits | tried))  # type: ignore[arg-type]
    told = explain_delivery(DeliveryFacts(one, NOON, SETUP, "UTC", event=EXAMPLE.event))
    assert told.situation is Situation.WAITS_FOR_ANOTHER_TRY
    assert told.says.endswith(said)


def test_what_is_repeated_since_its_answer_was_lost_is_so_a_number_of_times() -> None:
    one = attrs.evolve(DELIVERY, attempts=2, not_before=NOON + MINUTE, reason="silence", in_doubt=True)
    lost = [Attempt(2, NOON, NOON, "lost", "silence")]
    says = explain_delivery(DeliveryFacts(one, NOON, SETUP, "UTC", lost, event=EXAMPLE.event)).says
    assert says.endswith(
        "It may have arrived already: an answer was lost. It is tried 5 times at most; if nobody knows then"
        " whether it arrived, it stays so."
    )


def test_a_channel_that_is_off_says_what_is_not_set() -> None:
    email = attrs.evolve(DELIVERY, channel="email")
    told = explain_delivery(DeliveryFacts(email, NOON, SETUP, "UTC", event=EXAMPLE.event))
    assert told.situation is Situation.CHANNEL_IS_OFF
    assert "TICKLER_SMTP_HOST" in told.says
    assert told.says.endswith(
        "It is sent by a `tickler run` that can until its event is over; once that is so, any `tickler run`"
        " skips it."
    )


def test_of_an_answer_whose_channel_is_off_no_event_is_spoken() -> None:
    answer = attrs.evolve(DELIVERY, channel="email", template=Template.TOUCH_ANSWER, event_id=None)
    told = explain_delivery(DeliveryFacts(answer, NOON, SETUP, "UTC"))
    assert told.says.endswith("It is sent by a `tickler run` that can.")


# Touches and plans


@pytest.mark.parametrize(
    ("spent", "said"),
    [
        (FailReason.ATTEMPTS, "all of its 5 attempts are spent, the last time because it broke"),
        (FailReason.RECOVERIES, "it lost more than 20 workers"),
        (FailReason.ROUNDS, "it was put off more than 100 times"),
    ],
)
def test_a_failed_touch_says_what_was_spent_and_how_it_is_tried_again(spent: FailReason, said: str) -> None:
    failed = attrs.evolve(TOUCH, status=deferred_touch.Status.FAILED, reason=f"{spent.value}: it broke")
    told = explain_touch(TouchFacts(failed, NOON, SETUP, "UTC"))
    assert told.situation is Situation.FAILED
    assert f": {said}. It stays so until" in told.says
    assert f"`tickler touch retry {TOUCH.id}`" in told.says


@pytest.mark.parametrize(
    ("actor", "said"),
    [("cli", "a command"), ("user", "a command"), ("an agent", "an agent"), (None, "somebody")],
)
def test_who_took_a_touch_back_is_told_in_no_word_of_ours(actor: str | None, said: str) -> None:
    taken_back = attrs.evolve(TOUCH, status=deferred_touch.Status.CANCELLED)
    told = explain_touch(TouchFacts(taken_back, NOON, SETUP, "UTC", since=NOON, actor=actor))
    assert f"was Cancelled at 2026-12-01 12:00:00 UTC by {said}. " in told.says


def test_a_message_whose_text_is_gone_says_beforehand_that_it_will_fail() -> None:
    message = attrs.evolve(TOUCH, kind="message")
    told = explain_touch(TouchFacts(message, NOON, SETUP, "UTC", has_text=False))
    assert told.situation is Situation.TEXT_IS_GONE
    assert "its text is gone" in told.says
    assert f"`tickler touch cancel {TOUCH.id}`" in told.says
    undeliverable = TouchFacts(message, NOON, SETUP, "UTC", has_text=False, reaches=False)
    assert explain_touch(undeliverable).situation is Situation.WILL_BE_SKIPPED


def test_a_touch_that_its_client_may_cancel_by_writing_says_so() -> None:
    one = attrs.evolve(TOUCH, due_at=NOON + MINUTE, when_client_writes=WhenClientWrites.CANCEL)
    told = explain_touch(TouchFacts(one, NOON, SETUP, "UTC"))
    assert told.says.endswith("If the client writes first, it is cancelled.")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (delivery.Status.DELIVERED, "Its answer arrived later, sent again by hand: delivery "),
        (delivery.Status.PENDING, "Its answer was given back by hand since: delivery "),
        (delivery.Status.FAILED, "cannot be reached any more"),
    ],
)
def test_a_touch_closed_as_undeliverable_tells_what_became_of_its_answer_since(
    answer: delivery.Status, said: str
) -> None:
    closed = attrs.evolve(TOUCH, status=deferred_touch.Status.CLOSED, reason=CloseReason.UNDELIVERABLE.value)
    brings = attrs.evolve(DELIVERY, status=answer, template=Template.TOUCH_ANSWER, reason="no")
    part = explain_delivery(DeliveryFacts(brings, NOON, SETUP, "UTC"))
    says = explain_touch(TouchFacts(closed, NOON, SETUP, "UTC", answer=part)).says
    assert said in says
    assert ("goes nowhere else" in says) is (answer is delivery.Status.FAILED)


@pytest.mark.parametrize(
    ("plan", "now", "situation", "said"),
    [
        (PLAN, NOON, Situation.ACTIVE, "its next touch is due at 2027-03-01 10:00 Europe/Berlin"),
        (
            PLAN,
            datetime.fromisoformat("2027-03-01T09:00:30Z"),
            Situation.DUE,
            "it becomes a touch.",
        ),
        (PLAN, datetime.fromisoformat("2027-03-02T09:00Z"), Situation.OVERDUE, "came 1 day ago"),
        (
            attrs.evolve(PLAN, handled_until=datetime.fromisoformat("2027-04-01T00:00Z")),
            NOON,
            Situation.ACTIVE,
            "no further occurrence",
        ),
        (attrs.evolve(PLAN, status=touch_plan.Status.PAUSED), NOON, Situation.PAUSED, "`tickler plan resume"),
        (
            attrs.evolve(PLAN, status=touch_plan.Status.ENDED, end_reason=EndReason.BY_HAND),
            NOON,
            Situation.ENDED,
            "somebody ended it",
        ),
        (
            attrs.evolve(PLAN, status=touch_plan.Status.ENDED, end_reason=EndReason.FINISHED),
            NOON,
            Situation.ENDED,
            "its schedule has no further occurrence",
        ),
    ],
)
def test_a_plan_says_what_it_waits_for(
    plan: TouchPlan, now: datetime, situation: Situation, said: str
) -> None:
    told = explain_plan(PlanFacts(plan, now))
    assert (told.situation, told.id) == (situation, UUID(int=plan.id.int))
    assert said in told.says
