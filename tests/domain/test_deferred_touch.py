"""DeferredTouch: given what happened, when a command, then what follows; INV-TCH-1 to INV-TCH-6."""

from datetime import UTC, datetime, timedelta
from itertools import product
from typing import get_args
from uuid import UUID

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.deferred_touch import (
    OVER,
    Answer,
    Cancel,
    Claim,
    CloseReason,
    Command,
    ConfirmDelivered,
    DeferredTouch,
    Event,
    Fail,
    FailReason,
    GiveUp,
    HearFromClient,
    Limits,
    LoseOrigin,
    PutOff,
    Recover,
    Register,
    Release,
    Retry,
    SayNothing,
    Status,
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
    decide,
    evolve,
)
from domain.errors import (
    BrokenHistory,
    LeaseHasNotRunOut,
    NoSuchTouch,
    Refused,
    TouchClaimIsLost,
    TouchIsAnswered,
    TouchIsInProgress,
    TouchIsNotDue,
    TouchIsOver,
)
from domain.values import ContactPointId, Origin, TenantId, TouchId, UserId

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
DUE = NOW + timedelta(minutes=5)
AFTER = DUE + timedelta(microseconds=1)
LEASE = timedelta(seconds=10)
ORIGIN = Origin(UserId(UUID(int=3)), "whatsapp", ContactPointId(UUID(int=4)))
REGISTER = Register(TouchId(UUID(int=1)), TenantId(UUID(int=2)), "message", ORIGIN, DUE, NOW)
CLAIM = Claim("worker-a", AFTER + LEASE, AFTER)
CLAIMED = TouchClaimed("worker-a", AFTER + LEASE, AFTER)
COMMANDS: dict[type, Command] = {
    Register: REGISTER,
    Claim: CLAIM,
    Recover: Recover(AFTER + timedelta(days=1)),
    Release: Release(1, AFTER),
    Fail: Fail(1, "TimeoutError", AFTER),
    PutOff: PutOff(1, AFTER + timedelta(hours=1), AFTER),
    Answer: Answer(1, AFTER),
    SayNothing: SayNothing(1, AFTER),
    LoseOrigin: LoseOrigin(1, AFTER),
    ConfirmDelivered: ConfirmDelivered(AFTER),
    GiveUp: GiveUp(AFTER),
    Cancel: Cancel(AFTER),
    HearFromClient: HearFromClient(AFTER),
    Retry: Retry(AFTER),
}


def given_that(*events: Event, **changes: object) -> DeferredTouch:
    (registered,) = decide(None, attrs.evolve(REGISTER, **changes))  # type: ignore[arg-type]
    touch = evolve(None, registered)
    for event in events:
        touch = evolve(touch, event)
    return touch


def with_claim(command: Command, claim: int) -> Command:
    match command:
        case Release() | Fail() | PutOff() | Answer() | SayNothing() | LoseOrigin():
            return attrs.evolve(command, claim=claim)
        case _:
            return command


IN_EACH_STATUS: dict[Status, DeferredTouch] = {
    Status.PENDING: given_that(),
    Status.IN_PROGRESS: given_that(CLAIMED),
    Status.ANSWERED: given_that(CLAIMED, TouchAnswered(AFTER)),
    Status.DELIVERED: given_that(CLAIMED, TouchAnswered(AFTER), TouchDelivered(AFTER)),
    Status.CLOSED: given_that(CLAIMED, TouchClosed(CloseReason.NOTHING_TO_SAY, AFTER)),
    Status.CANCELLED: given_that(TouchCancelled(AFTER)),
    Status.FAILED: given_that(CLAIMED, TouchFailed(FailReason.ATTEMPTS, "TimeoutError", AFTER)),
}
ALLOWED: set[tuple[Status, type, Status]] = {
    (Status.PENDING, Claim, Status.IN_PROGRESS),
    (Status.PENDING, Cancel, Status.CANCELLED),
    (Status.IN_PROGRESS, Recover, Status.PENDING),
    (Status.IN_PROGRESS, Release, Status.PENDING),
    (Status.IN_PROGRESS, Fail, Status.PENDING),
    (Status.IN_PROGRESS, PutOff, Status.PENDING),
    (Status.IN_PROGRESS, Answer, Status.ANSWERED),
    (Status.IN_PROGRESS, SayNothing, Status.CLOSED),
    (Status.IN_PROGRESS, LoseOrigin, Status.CLOSED),
    (Status.ANSWERED, ConfirmDelivered, Status.DELIVERED),
    (Status.ANSWERED, GiveUp, Status.CLOSED),
    (Status.FAILED, Retry, Status.PENDING),
    (Status.FAILED, Cancel, Status.CANCELLED),
}


def test_there_is_an_example_of_every_command_and_status() -> None:
    assert set(COMMANDS) == set(get_args(Command))
    assert set(IN_EACH_STATUS) == set(Status)
    assert all(touch.status is status for status, touch in IN_EACH_STATUS.items())


@pytest.mark.parametrize(("status", "command"), list(product(Status, COMMANDS.values())))
def test_a_touch_changes_its_status_only_as_the_design_says(status: Status, command: Command) -> None:
    before = IN_EACH_STATUS[status]
    after = before
    try:
        for event in decide(before, command):
            after = evolve(after, event)
    except Refused:
        assert (status, type(command), after.status) not in ALLOWED
    moves = {(status, type(command), after.status)} if after is not before else set()
    assert moves == {move for move in ALLOWED if move[:2] == (status, type(command))}


@pytest.mark.parametrize(("status", "command"), list(product(OVER, COMMANDS.values())))
def test_nothing_changes_a_touch_that_is_over(status: Status, command: Command) -> None:
    """INV-TCH-6."""
    try:
        assert decide(IN_EACH_STATUS[status], command) == []
    except TouchIsOver:
        assert (status, type(command)) not in {
            (Status.DELIVERED, ConfirmDelivered),
            (Status.CLOSED, GiveUp),
            (Status.CLOSED, SayNothing),
            (Status.CLOSED, LoseOrigin),
            (Status.CANCELLED, Cancel),
        }


def test_registering_makes_one_fact_and_nothing_is_begun() -> None:
    """INV-TCH-1."""
    assert decide(None, REGISTER) == [
        TouchRegistered(
            REGISTER.id, REGISTER.tenant_id, "message", ORIGIN, DUE, 0, WhenClientWrites.KEEP, None, NOW
        )
    ]
    assert given_that() == DeferredTouch(REGISTER.id, REGISTER.tenant_id, "message", ORIGIN, DUE)
    assert decide(given_that(), REGISTER) == []


@pytest.mark.parametrize("command", [command for kind, command in COMMANDS.items() if kind is not Register])
def test_a_touch_that_was_never_registered_is_refused_everything(command: Command) -> None:
    with pytest.raises(NoSuchTouch, match="INV-TCH-1"):
        decide(None, command)


def test_a_touch_is_not_claimed_at_its_time_and_is_right_after_it() -> None:
    """T-TCH-10: the first poll after its time, never before."""
    with pytest.raises(TouchIsNotDue):
        decide(given_that(), Claim("worker-a", DUE + LEASE, DUE))
    assert decide(given_that(), CLAIM) == [CLAIMED]


def test_a_second_claim_is_refused_while_the_first_stands() -> None:
    with pytest.raises(TouchIsInProgress):
        decide(given_that(CLAIMED), CLAIM)


@pytest.mark.parametrize("kind", [Release, Fail, PutOff, Answer, SayNothing, LoseOrigin])
def test_only_the_current_claim_says_what_became_of_a_touch(kind: type) -> None:
    """INV-TCH-3: a worker that was frozen past its lease wakes beside its successor."""
    touch = given_that(CLAIMED, TouchRecovered(AFTER), CLAIMED)
    assert touch.claim == 2
    with pytest.raises(TouchClaimIsLost):
        decide(touch, COMMANDS[kind])
    assert decide(touch, with_claim(COMMANDS[kind], 2)) != []


def test_the_origin_is_the_one_of_the_registration_whatever_happens() -> None:
    """INV-TCH-2: no event but the first carries an origin."""
    assert {event for event in get_args(Event) if "origin" in attrs.fields_dict(event)} == {TouchRegistered}
    assert all(touch.origin == ORIGIN for touch in IN_EACH_STATUS.values())


def test_the_same_claim_answers_once() -> None:
    """INV-TCH-4."""
    answered = IN_EACH_STATUS[Status.ANSWERED]
    assert decide(answered, Answer(1, AFTER)) == []
    with pytest.raises(TouchClaimIsLost):
        decide(answered, Answer(2, AFTER))
    with pytest.raises(TouchIsAnswered):
        decide(answered, Cancel(AFTER))


def test_a_claim_is_taken_back_when_its_lease_has_run_out_and_not_before() -> None:
    """INV-TCH-5."""
    touch = given_that(CLAIMED)
    with pytest.raises(LeaseHasNotRunOut):
        decide(touch, Recover(AFTER + LEASE))
    late = AFTER + LEASE + timedelta(microseconds=1)
    assert decide(touch, Recover(late)) == [TouchRecovered(late)]


def test_lost_workers_and_failures_are_counted_apart() -> None:
    touch = given_that(
        CLAIMED, TouchRecovered(AFTER), CLAIMED, TouchAttemptFailed("OSError", DUE, AFTER), CLAIMED
    )
    assert (touch.failures, touch.recoveries, touch.claim) == (1, 1, 3)


def test_five_failures_are_its_last() -> None:
    touch = given_that()
    for attempt in range(1, 6):
        touch = evolve(touch, CLAIMED)
        (event,) = decide(touch, Fail(touch.claim, "OSError", AFTER))
        touch = evolve(touch, event)
        assert (touch.status is Status.FAILED) == (attempt == 5)
    assert touch.reason == "attempts: OSError"


def test_twenty_lost_workers_are_borne_and_the_next_is_one_too_many() -> None:
    touch = given_that()
    for lost in range(1, 22):
        touch = evolve(touch, CLAIMED)
        (event,) = decide(touch, Recover(AFTER + timedelta(days=1)))
        touch = evolve(touch, event)
        assert (touch.status is Status.FAILED) == (lost == 21)


def test_a_claim_that_is_released_costs_no_attempt() -> None:
    touch = given_that(CLAIMED, TouchReleased(AFTER))
    assert (touch.status, touch.failures, touch.recoveries, touch.due_at) == (Status.PENDING, 0, 0, DUE)


def test_a_failed_attempt_waits_longer_each_time() -> None:
    limits = Limits(attempts=100)
    waits = [limits.pause(failures).total_seconds() for failures in (1, 2, 3, 4, 50)]
    assert waits == [10, 20, 40, 80, 1800]
    (failed,) = decide(given_that(CLAIMED), Fail(1, "OSError", AFTER))
    assert failed == TouchAttemptFailed("OSError", AFTER + timedelta(seconds=10), AFTER)


def test_work_that_asks_to_be_called_again_is_not_before_then_and_not_for_ever() -> None:
    later = AFTER + timedelta(hours=1)
    (put_off,) = decide(given_that(CLAIMED), PutOff(1, later, AFTER))
    assert evolve(given_that(CLAIMED), put_off).due_at == later
    soon = AFTER + timedelta(seconds=10)
    for too_soon in (NOW, AFTER, AFTER + timedelta(seconds=9)):
        assert decide(given_that(CLAIMED), PutOff(1, too_soon, AFTER)) == [TouchPutOff(soon, AFTER)]
    spent = attrs.evolve(given_that(CLAIMED), rounds=100)
    (failed,) = decide(spent, PutOff(1, later, AFTER))
    assert isinstance(failed, TouchFailed)
    assert failed.spent is FailReason.ROUNDS


def test_a_retry_by_hand_begins_anew_and_fences_the_last_worker() -> None:
    failed = IN_EACH_STATUS[Status.FAILED]
    touch = evolve(failed, TouchRetried(AFTER))
    assert (touch.status, touch.failures, touch.recoveries, touch.reason) == (Status.PENDING, 0, 0, None)
    with pytest.raises(TouchClaimIsLost):
        decide(touch, Answer(failed.claim, AFTER))


def test_a_retry_counts_rounds_anew_and_gives_none_its_number_again() -> None:
    put_off, failed = TouchPutOff(AFTER, AFTER), TouchFailed(FailReason.ROUNDS, "no", AFTER)
    touch = given_that(CLAIMED, put_off, CLAIMED, put_off, CLAIMED, failed, TouchRetried(AFTER))
    assert (touch.rounds, touch.rounds_before, touch.round) == (0, 2, 3)
    assert evolve(evolve(touch, CLAIMED), put_off).round == 4


@pytest.mark.parametrize(
    ("policy", "then"),
    [(WhenClientWrites.KEEP, []), (WhenClientWrites.CANCEL, [TouchCancelled(AFTER)])],
)
def test_a_client_who_writes_first_cancels_or_keeps_the_touch_by_its_policy(
    policy: WhenClientWrites, then: list[Event]
) -> None:
    assert decide(given_that(when_client_writes=policy), HearFromClient(AFTER)) == then
    assert decide(given_that(CLAIMED, when_client_writes=policy), HearFromClient(AFTER)) == []


def test_an_answer_with_nowhere_to_go_closes_the_touch_as_undeliverable() -> None:
    assert decide(IN_EACH_STATUS[Status.ANSWERED], GiveUp(AFTER)) == [
        TouchClosed(CloseReason.UNDELIVERABLE, AFTER)
    ]


@pytest.mark.parametrize("touch", [None, *(IN_EACH_STATUS[status] for status in OVER)])
def test_a_history_that_cannot_be_is_a_bug(touch: DeferredTouch | None) -> None:
    with pytest.raises(BrokenHistory):
        evolve(touch, CLAIMED)


@given(st.lists(st.sampled_from(list(COMMANDS)), max_size=40))
def test_whatever_is_asked_in_whatever_order_the_history_can_be_folded(kinds: list[type]) -> None:
    events: list[Event] = []
    touch: DeferredTouch | None = None
    for kind in [Register, *kinds]:
        command = COMMANDS[kind] if touch is None else with_claim(COMMANDS[kind], touch.claim)
        try:
            happened = decide(touch, command)
        except Refused:
            continue
        for event in happened:
            touch = evolve(touch, event)
            events.append(event)
    assert sum(isinstance(event, TouchAnswered) for event in events) <= 1
    assert touch is not None
    assert (touch.lease_until is not None) == (touch.status is Status.IN_PROGRESS)
    assert touch.due_at >= DUE
