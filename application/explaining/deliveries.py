"""Where a message to one address stands."""

from application.delivering.wanted import unwanted, unwelcome
from application.explaining.delivery_facts import DeliveryFacts
from application.explaining.explanation import (
    OVERDUE,
    Explanation,
    Situation,
    counted,
    lasting,
    ordinal,
    told,
)
from application.ports.ledger import Unreadable
from domain.calendar_event import CalendarEvent
from domain.delivery import REMINDERS, Delivery, SkipReason, Status, Template


def explain_delivery(facts: DeliveryFacts) -> Explanation:
    match facts.delivery.status:
        case Status.PENDING:
            return _pending(facts)
        case Status.SENDING:
            return _sending(facts)
        case Status.UNKNOWN:
            return _unknown(facts)
        case Status.FAILED:
            return _failed(facts)
        case Status.SKIPPED:
            return _skipped(facts)
        case Status.DELIVERED:
            return _delivered(facts)


def _pending(facts: DeliveryFacts) -> Explanation:
    one, now, setup = facts.delivery, facts.now, facts.setup
    reason = _unwanted(facts)
    if reason is not None:
        says = f"is Pending, but will be skipped and not sent when its turn comes: {_why(facts, reason)}."
        return told(facts, Situation.WILL_BE_SKIPPED, says, next_at=one.not_before)
    if one.channel not in setup.channels:
        off = " (TICKLER_SMTP_HOST is not set)" if one.channel == "email" else ""
        over = (
            ""
            if one.event_id is None
            else " until its event is over; once that is so, any `tickler run` skips it"
        )
        says = (
            f"is Pending and waits: nothing is sent on {one.channel} here{off}."
            f" It is sent by a `tickler run` that can{over}."
        )
        return told(facts, Situation.CHANNEL_IS_OFF, says)
    if one.not_before > now:
        return _put_off(facts)
    waits = now - one.not_before
    if waits > OVERDUE:
        says = (
            f"is Pending and overdue: it could have been sent since {facts.noted(one.not_before)},"
            f" {lasting(waits)} ago. Look whether `tickler run` is running with its delivery loop; if it is,"
            f" others on {one.channel} may be in front of it."
        )
        return told(facts, Situation.OVERDUE, says, next_at=one.not_before)
    says = f"is Pending: it is sent within about {lasting(setup.deliver_every)}."
    return told(facts, Situation.DUE, says, next_at=one.not_before)


def _put_off(facts: DeliveryFacts) -> Explanation:
    one, next_at = facts.delivery, facts.noted(facts.delivery.not_before)
    if not one.attempts:
        says = f"is Pending: it is sent after {next_at}, when its turn comes."
        return told(facts, Situation.WAITS_FOR_ITS_TIME, says, next_at=one.not_before)
    doubt = " It may have arrived already: an answer was lost." if one.in_doubt else ""
    says = (
        f"is Pending after {counted(one.attempts, 'try', 'tries')} in vain: {facts.reason}. The next try is"
        f" after {next_at}.{doubt} {_how_long(facts)}"
    )
    return told(facts, Situation.WAITS_FOR_ANOTHER_TRY, says, next_at=one.not_before)


def _how_long(facts: DeliveryFacts) -> str:
    """By what its sender goes: how often, until when, and who is told after that."""
    one, options = facts.delivery, facts.setup.delivery
    most = options.max_attempts
    if facts.last is not None and facts.last.outcome == "lost":
        return f"It is tried {most} times at most; if nobody knows then whether it arrived, it stays so."
    event = "its event is over, and no longer than until " if one.template in REMINDERS else ""
    until = f"It is tried until {event}{facts.noted(one.due_at + options.patience)}"
    if one.template is Template.TOUCH_ANSWER or one.in_doubt:
        return f"{until}, at that address alone."
    if one.attempts < most:
        return (
            f"{until}; after {most} tries another address of the person is told instead, where there is one."
        )
    return f"{until}: there was no other address of the person to be told instead."


def _sending(facts: DeliveryFacts) -> Explanation:
    one = facts.delivery
    assert one.lease_until is not None
    until = facts.noted(one.lease_until)
    if facts.now < one.lease_until:
        says = f"is being sent, for the {ordinal(one.attempts)} time: its sender has it until {until}."
        return told(facts, Situation.BEING_SENT, says, latest_at=one.lease_until)
    then = "sent again under the same id" if facts.repeats else "held, since it might arrive twice"
    says = (
        f"was being sent when its sender fell silent: its lease ran out at {until}, and nobody knows whether"
        f" it left. The next sender on {one.channel} marks it Unknown; on this channel it is then {then}."
    )
    return told(facts, Situation.LEASE_IS_OVER, says, since=one.lease_until)


def _unknown(facts: DeliveryFacts) -> Explanation:
    one = facts.delivery
    policy = (
        f"all of its {counted(one.attempts, 'try', 'tries')} are spent"
        if facts.repeats
        else f"what may have arrived on {one.channel} is held, lest it arrive twice"
    )
    says = (
        f"is Unknown{_since(facts)}: nobody knows whether it arrived ({facts.reason})."
        f" It is not sent again by itself: {policy}."
        f" {_retry(facts)}; if it did arrive, `tickler delivery arrived {one.id}` says so."
    )
    return told(facts, Situation.UNKNOWN, says)


def _failed(facts: DeliveryFacts) -> Explanation:
    one = facts.delivery
    says = f"Failed{facts.ended}: {facts.reason}."
    following = _following(facts)
    if following is not None:
        says += f" The next address was tried: {_stands(following)}."
    elif one.template is Template.TOUCH_ANSWER:
        says += " The answer of a touch goes where it was asked for and nowhere else."
    elif one.in_doubt:
        says += " It may have arrived, since an earlier answer was lost: no other address is tried."
    else:
        says += " The person has no other address that was not tried."
    if following is None:
        mended = "Once that is mended, " if _unwanted(facts) is None else ""
        says += f" {mended}{_retry(facts)}."
    return told(facts, Situation.FAILED, says)


def _retry(facts: DeliveryFacts) -> str:
    """What the sender would make of it, were it given back now."""
    one, reason = facts.delivery, _unwanted(facts)
    if reason is not None:
        return f"A retry would not send it: {_why(facts, reason)}"
    twice = " --may-arrive-twice" if one.in_doubt or one.status is Status.UNKNOWN else ""
    return f"`tickler delivery retry {one.id}{twice}` sends it again"


def _skipped(facts: DeliveryFacts) -> Explanation:
    reason = SkipReason(facts.delivery.reason or "")
    says = f"was Skipped{facts.ended}: {_why(facts, reason)}. Nothing was sent, and it stays so."
    following = _following(facts) if reason in (SkipReason.OPTED_OUT, SkipReason.ADDRESS_GONE) else None
    if following is not None:
        says += f" The next address was tried: {_stands(following)}."
    return told(facts, Situation.SKIPPED, says)


def _delivered(facts: DeliveryFacts) -> Explanation:
    one = facts.delivery
    if facts.last is not None and facts.last.outcome == "confirmed":
        return _confirmed(facts)
    tries = f", on the {ordinal(one.attempts)} try" if one.attempts > 1 else ""
    says = f"was Delivered{facts.ended}{tries}."
    if one.in_doubt:
        says += " The answer to an earlier try was lost, so it may have arrived twice."
    return told(facts, Situation.DELIVERED, says)


def _confirmed(facts: DeliveryFacts) -> Explanation:
    """The channel's answer stays lost; the time is that of the word."""
    word = facts.delivery.reason or "somebody says that it arrived"
    says = f"counts as Delivered{_since(facts)}: its answer was lost, and {word}."
    if any(attempt.outcome == "lost" for attempt in facts.attempts):
        says += " The answer to an earlier try was lost too, so it may have arrived twice."
    return told(facts, Situation.DELIVERED, says)


def _unwanted(facts: DeliveryFacts) -> SkipReason | None:
    """Why the sender will not send it, as it would find now."""
    one = facts.delivery
    if one.template not in REMINDERS:
        return unwelcome(facts.recipient, one, facts.is_anothers)
    match facts.event:
        case CalendarEvent() as event:
            return unwanted(event, facts.recipient, one, facts.is_anothers, facts.now)
        case None:
            return SkipReason.CANCELLED
        case Unreadable():
            return None


def _why(facts: DeliveryFacts, reason: SkipReason) -> str:
    one, whom = facts.delivery, facts.whom
    match reason:
        case SkipReason.CANCELLED if one.template is Template.TOUCH_ANSWER:
            return "its words were erased"
        case SkipReason.CANCELLED:
            return "its event was cancelled" if facts.event is not None else "its event is not there"
        case SkipReason.EVENT_OVER:
            return "its event is over"
        case SkipReason.MOVED:
            return "its event was moved to another time, for which there is a reminder of its own"
        case SkipReason.OPTED_OUT:
            return f"{whom} opted out of {one.channel}, or of this address"
        case SkipReason.ADDRESS_GONE:
            return f"the address of {whom} was removed"
        case SkipReason.NOT_MEMBER if facts.recipient is not None and facts.recipient.person.is_erased:
            return "the person was erased"
        case SkipReason.NOT_MEMBER:
            return f"{whom} has left the tenant"
        case SkipReason.OTHER_TENANT:
            return f"{whom} is a person of another tenant"
        case SkipReason.TAKEN_OFF if one.template is Template.OPERATOR_NOTICE:
            return f"{whom} is no longer the tenant's operator"
        case SkipReason.TAKEN_OFF:
            return f"{whom} is no longer the owner or the client of the event"


def _following(facts: DeliveryFacts) -> Delivery | None:
    """The delivery that was made since to another address of the same person: ids sort by time."""
    one = facts.delivery
    later = [other for other in facts.others if other.user_id == one.user_id and other.id > one.id]
    return min(later, key=lambda other: other.id, default=None)


def _stands(following: Delivery) -> str:
    return f"delivery {following.id} on {following.channel} is {following.status.value}"


def _since(facts: DeliveryFacts) -> str:
    return facts.ended.replace(" at ", " since ", 1)
