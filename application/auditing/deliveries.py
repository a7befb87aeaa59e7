"""A delivery, held against its attempts, its address and what it tells of."""

from collections.abc import Iterator, Mapping, Sequence

from application.auditing.rules import AFTER_LEASE, LATE, LONGEST_WAIT, Breach, Moment, Rule, is_far
from application.ports.auditing import DeliveryFacts, Tried
from application.ports.deliveries import ARRIVED
from application.ports.ledger import Unreadable
from domain.delivery import Delivery, SkipReason, Status, Template

# Reminders of an event may go to an id that nobody has told us of, on the console.
ONLY_TO_THE_KNOWN = (Template.TOUCH_ANSWER, Template.OPERATOR_NOTICE)
# What may have come of the last attempt. One that is to be tried again was put off, lost or refused before.
COMES_OF: Mapping[Status, Sequence[str | None]] = {
    Status.PENDING: ("postponed", "given_back", "lost", "refused"),
    Status.SENDING: (None,),
    Status.DELIVERED: ARRIVED,
    Status.FAILED: ("refused",),
    Status.UNKNOWN: ("lost",),
    Status.SKIPPED: ("skipped",),
}
# These cost no try.
FOR_NOTHING = ("given_back", "skipped")


def delivery_breaches(facts: DeliveryFacts, moment: Moment) -> Iterator[Breach]:
    one = facts.delivery
    if isinstance(one, Unreadable):
        yield Breach(Rule.ROW_IS_READABLE, facts.id, one.problem, is_for_hands=True)
        return
    # Of a reminder that has a row this is told beside it.
    if not facts.is_about_something and not facts.is_of_reminder:
        yield Breach(
            Rule.DELIVERY_IS_WANTED, one.id, f"nothing is known of {one.about_id}, which it tells of"
        )
    if facts.contact_user_id not in (None, one.user_id):
        yield Breach(Rule.ADDRESS_FITS, one.id, "it goes to the address of somebody else")
    elif not facts.fits_address:
        yield Breach(Rule.ADDRESS_FITS, one.id, "its address_key is not that of its address")
    if facts.is_foreign and one.reason != SkipReason.OTHER_TENANT:  # for which nothing left
        yield Breach(Rule.TENANT, one.id, f"person {one.user_id} is of another tenant")
    if not facts.is_known and _was_known(one):
        yield Breach(Rule.PERSON_IS_THERE, one.id, f"person {one.user_id} is not there")
    if wrong := _astray(one, facts.attempts):
        yield Breach(Rule.DELIVERY_IS_TRIED, one.id, wrong)
    yield from _of_claim(one, moment)


def _was_known(one: Delivery) -> bool:
    return one.contact_point_id is not None or one.template in ONLY_TO_THE_KNOWN


def _astray(one: Delivery, attempts: Sequence[Tried]) -> str | None:
    """How the row is not what its attempts come to; a retry by hand counts them anew, and leaves no trace."""
    outcomes = [each.outcome for each in attempts]
    arrived = next((each for each in outcomes if each in ARRIVED), None)
    if arrived is not None and one.status is not Status.DELIVERED:
        return f"it is {one.status}, and an attempt of it was {arrived}"
    if [each.claim for each in attempts] != list(range(1, one.claim + 1)):
        return f"it counts {one.claim} claims, and its attempts are {len(attempts)}"
    if not attempts and one.status is not Status.PENDING:
        return f"it is {one.status}, and no attempt of it is kept"
    if attempts and outcomes[-1] not in COMES_OF[one.status]:
        return f"it is {one.status}, and its last attempt {outcomes[-1] or 'has no outcome'}"
    if one.attempts > sum(outcome not in FOR_NOTHING for outcome in outcomes):
        return f"it counts {one.attempts} attempts, more than there are"
    return None


def _of_claim(one: Delivery, moment: Moment) -> Iterator[Breach]:
    if (one.lease_until is not None) != (one.status is Status.SENDING):
        yield Breach(
            Rule.DELIVERY_CLAIM, one.id, f"it is {one.status} with {'a' if one.lease_until else 'no'} lease"
        )
    elif one.lease_until is not None and one.lease_until < moment.now - AFTER_LEASE:
        yield Breach(
            Rule.STUCK_CLAIM, one.id, f"a delivery whose lease ended at {one.lease_until.isoformat()}"
        )
    elif is_far(one.lease_until, moment):
        yield Breach(Rule.FAR_CLAIM, one.id, f"a delivery that is being sent until {one.lease_until}")
    if one.status is not Status.PENDING:
        return
    if one.not_before < moment.now - LATE:
        yield Breach(Rule.STUCK_DELIVERY, one.id, f"to be tried since {one.not_before.isoformat()}")
    elif one.not_before > moment.now + LONGEST_WAIT + LATE:
        yield Breach(Rule.FAR_CLAIM, one.id, f"not to be tried before {one.not_before.isoformat()}")
