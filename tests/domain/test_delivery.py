"""Delivery: given its status, when a command, then what follows."""

from datetime import timedelta
from itertools import product
from typing import get_args

import attrs
import pytest

from domain.delivery import (
    OVER,
    Accept,
    Claim,
    Command,
    Confirm,
    Create,
    Delivery,
    DeliveryAccepted,
    DeliveryClaimed,
    DeliveryConfirmed,
    DeliveryCreated,
    DeliveryGivenBack,
    DeliveryLost,
    DeliveryPostponed,
    DeliveryRefused,
    DeliveryRepeated,
    DeliveryRetried,
    DeliverySkipped,
    Event,
    GiveBack,
    LoseTrack,
    Postpone,
    Refuse,
    Repeat,
    Retry,
    Skip,
    SkipReason,
    Status,
    decide,
    evolve,
)
from domain.errors import (
    BrokenHistory,
    ClaimIsLost,
    DeliveryIsOver,
    DeliveryIsUnderWay,
    MayArriveTwice,
    NoSuchDelivery,
)
from tests.domain.examples import LATER, NOW, create

LEASE = NOW + timedelta(seconds=60)
COMMANDS: dict[type, Command] = {
    Create: create(),
    Claim: Claim(LEASE, NOW),
    Accept: Accept(1, "provider-1", LATER),
    Refuse: Refuse(1, "no such mailbox", LATER),
    Postpone: Postpone(1, "mailbox is busy", LEASE, LATER),
    GiveBack: GiveBack(1, LATER),
    Skip: Skip(1, SkipReason.OPTED_OUT, LATER),
    LoseTrack: LoseTrack(1, "the answer was lost", LATER),
    Repeat: Repeat(LEASE, LATER),
    Confirm: Confirm("somebody", LATER),
    Retry: Retry(LATER, may_arrive_twice=True),
}
OUTCOMES = (Accept, Refuse, Postpone, GiveBack, Skip, LoseTrack)
HAPPENED: dict[type, Event] = {
    DeliveryCreated: decide(None, create())[0],
    DeliveryClaimed: DeliveryClaimed(LEASE, NOW),
    DeliveryAccepted: DeliveryAccepted("provider-1", LATER),
    DeliveryRefused: DeliveryRefused("no such mailbox", LATER),
    DeliveryPostponed: DeliveryPostponed("mailbox is busy", LEASE, LATER),
    DeliveryGivenBack: DeliveryGivenBack(LATER),
    DeliverySkipped: DeliverySkipped(SkipReason.OPTED_OUT, LATER),
    DeliveryLost: DeliveryLost("the answer was lost", LATER),
    DeliveryRepeated: DeliveryRepeated(LEASE, LATER),
    DeliveryConfirmed: DeliveryConfirmed("somebody", LATER),
    DeliveryRetried: DeliveryRetried(LATER),
}
WAYS: dict[Status, tuple[type, ...]] = {
    Status.PENDING: (),
    Status.SENDING: (DeliveryClaimed,),
    Status.DELIVERED: (DeliveryClaimed, DeliveryAccepted),
    Status.FAILED: (DeliveryClaimed, DeliveryRefused),
    Status.UNKNOWN: (DeliveryClaimed, DeliveryLost),
    Status.SKIPPED: (DeliveryClaimed, DeliverySkipped),
}
THEN: dict[tuple[Status, type], Event] = {
    (Status.PENDING, Claim): HAPPENED[DeliveryClaimed],
    (Status.SENDING, Accept): HAPPENED[DeliveryAccepted],
    (Status.SENDING, Refuse): HAPPENED[DeliveryRefused],
    (Status.SENDING, Postpone): HAPPENED[DeliveryPostponed],
    (Status.SENDING, GiveBack): HAPPENED[DeliveryGivenBack],
    (Status.SENDING, Skip): HAPPENED[DeliverySkipped],
    (Status.SENDING, LoseTrack): HAPPENED[DeliveryLost],
    (Status.UNKNOWN, Repeat): HAPPENED[DeliveryRepeated],
    (Status.UNKNOWN, Confirm): HAPPENED[DeliveryConfirmed],
    (Status.UNKNOWN, Retry): HAPPENED[DeliveryRetried],
    (Status.FAILED, Retry): HAPPENED[DeliveryRetried],
}
NOTHING = {
    *product(Status, [Create]),
    (Status.DELIVERED, Confirm),
    (Status.PENDING, Retry),
    (Status.SENDING, Retry),
}


def delivery_in(status: Status) -> Delivery:
    one = evolve(None, HAPPENED[DeliveryCreated])
    for kind in WAYS[status]:
        one = evolve(one, HAPPENED[kind])
    assert one.status is status
    return one


def test_there_is_an_example_of_every_command_and_event() -> None:
    assert set(COMMANDS) == set(get_args(Command))
    assert set(HAPPENED) == set(get_args(Event))
    assert set(WAYS) == set(Status)


def test_a_created_delivery_is_pending_from_now_on_and_holds_no_address() -> None:
    one = delivery_in(Status.PENDING)
    assert (one.not_before, one.attempts, one.claim, one.lease_until) == (NOW, 0, 0, None)
    assert not {field.name for field in attrs.fields(Delivery)} & {"address", "email", "phone", "text"}


@pytest.mark.parametrize("kind", [kind for kind in COMMANDS if kind is not Create])
def test_without_a_created_delivery_every_other_command_is_refused(kind: type) -> None:
    with pytest.raises(NoSuchDelivery, match="INV-DLV-1"):
        decide(None, COMMANDS[kind])


@pytest.mark.parametrize(("status", "kind"), list(product(Status, COMMANDS)))
def test_each_command_in_each_status_does_what_the_table_says(status: Status, kind: type) -> None:
    one, command = delivery_in(status), COMMANDS[kind]
    if (status, kind) in THEN:
        assert decide(one, command) == [THEN[status, kind]]
    elif (status, kind) in NOTHING:
        assert decide(one, command) == []
    else:
        under_way = DeliveryIsUnderWay if kind is Confirm else ClaimIsLost
        with pytest.raises(DeliveryIsOver if status in OVER else under_way):
            decide(one, command)


@pytest.mark.parametrize("kind", OUTCOMES)
def test_inv_dlv_3_only_the_current_claim_says_what_became_of_a_message(kind: type) -> None:
    given_back = evolve(delivery_in(Status.SENDING), HAPPENED[DeliveryGivenBack])
    again = evolve(given_back, HAPPENED[DeliveryClaimed])
    assert again.claim == 2
    with pytest.raises(ClaimIsLost, match="INV-DLV-3"):
        decide(again, COMMANDS[kind])
    command = COMMANDS[kind]
    assert isinstance(command, Accept | Refuse | Postpone | GiveBack | Skip | LoseTrack)
    assert decide(again, attrs.evolve(command, claim=2)) != []


def test_a_message_is_not_claimed_before_its_time() -> None:
    waiting = evolve(delivery_in(Status.SENDING), HAPPENED[DeliveryPostponed])
    assert decide(waiting, Claim(LEASE, LEASE - timedelta(microseconds=1))) == []
    assert decide(waiting, Claim(LEASE, LEASE)) == [DeliveryClaimed(LEASE, LEASE)]


def test_a_claim_counts_as_an_attempt_and_carries_a_lease() -> None:
    one = delivery_in(Status.SENDING)
    assert (one.attempts, one.claim, one.lease_until) == (1, 1, LEASE)


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.SENDING])
def test_only_a_message_that_is_being_sent_has_a_lease(status: Status) -> None:
    assert delivery_in(status).lease_until is None


@pytest.mark.parametrize(
    ("happened", "attempts"),
    [
        (DeliveryGivenBack, 0),
        (DeliverySkipped, 0),
        (DeliveryPostponed, 1),
        (DeliveryLost, 1),
        (DeliveryAccepted, 1),
        (DeliveryRefused, 1),
    ],
)
def test_what_was_not_sent_does_not_count_as_an_attempt(happened: type, attempts: int) -> None:
    assert evolve(delivery_in(Status.SENDING), HAPPENED[happened]).attempts == attempts


def test_a_lost_one_is_repeated_under_the_same_id() -> None:
    lost = delivery_in(Status.UNKNOWN)
    again = evolve(lost, HAPPENED[DeliveryRepeated])
    assert (again.id, again.status, again.not_before) == (lost.id, Status.PENDING, LEASE)


def test_what_a_person_says_arrived_is_delivered_by_their_word_and_its_doubt_is_remembered() -> None:
    lost = delivery_in(Status.UNKNOWN)
    confirmed = evolve(lost, HAPPENED[DeliveryConfirmed])
    assert confirmed == attrs.evolve(
        lost, status=Status.DELIVERED, reason="somebody says that it arrived", in_doubt=True
    )
    assert not confirmed.reached_nobody


@pytest.mark.parametrize("happened", [kind for kind in HAPPENED if kind is not DeliveryCreated])
def test_what_does_not_begin_with_created_is_broken(happened: type) -> None:
    with pytest.raises(BrokenHistory, match=happened.__name__):
        evolve(None, HAPPENED[happened])


@pytest.mark.parametrize("status", [Status.FAILED, Status.UNKNOWN])
def test_what_a_person_retries_is_tried_at_once_under_the_same_id_and_its_tries_are_counted_anew(
    status: Status,
) -> None:
    ended = delivery_in(status)
    again = evolve(ended, HAPPENED[DeliveryRetried])
    assert ended.attempts == 1
    assert (again.id, again.status, again.attempts, again.not_before) == (
        ended.id,
        Status.PENDING,
        0,
        LATER,
    )
    assert again.in_doubt == ended.in_doubt
    assert evolve(again, HAPPENED[DeliveryClaimed]).claim == ended.claim + 1


def test_inv_dlv_4_what_may_have_arrived_is_retried_only_by_who_takes_the_risk() -> None:
    lost = delivery_in(Status.UNKNOWN)
    refused_later = attrs.evolve(delivery_in(Status.FAILED), in_doubt=True)
    for one in (lost, refused_later):
        with pytest.raises(MayArriveTwice, match="INV-DLV-4"):
            decide(one, Retry(LATER))
        assert decide(one, Retry(LATER, may_arrive_twice=True)) == [DeliveryRetried(LATER)]
    assert decide(delivery_in(Status.FAILED), Retry(LATER)) == [DeliveryRetried(LATER)]


@pytest.mark.parametrize(
    ("status", "happened"),
    [pair for pair in product(OVER, HAPPENED) if pair != (Status.FAILED, DeliveryRetried)],
)
def test_what_goes_on_after_the_end_is_broken(status: Status, happened: type) -> None:
    with pytest.raises(BrokenHistory):
        evolve(delivery_in(status), HAPPENED[happened])


def test_created_twice_is_broken() -> None:
    with pytest.raises(BrokenHistory, match="twice"):
        evolve(delivery_in(Status.PENDING), HAPPENED[DeliveryCreated])


@pytest.mark.parametrize("status", list(Status))
def test_only_what_failed_or_is_unknown_reached_nobody_of_those_that_were_not_skipped(status: Status) -> None:
    one = attrs.evolve(delivery_in(Status.PENDING), status=status)
    assert one.reached_nobody == (status in (Status.FAILED, Status.UNKNOWN))


@pytest.mark.parametrize("reason", list(SkipReason))
def test_of_what_was_skipped_only_what_came_too_late_or_had_nobody_to_go_to_was_still_wanted(
    reason: SkipReason,
) -> None:
    one = attrs.evolve(delivery_in(Status.PENDING), status=Status.SKIPPED, reason=reason.value)
    wanted = {SkipReason.EVENT_OVER, SkipReason.ADDRESS_GONE, SkipReason.OTHER_TENANT}
    assert one.reached_nobody == (reason in wanted)
