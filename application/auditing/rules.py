"""What must hold of all that is stored, each under a name, and what breaks it."""

from datetime import datetime, timedelta
from enum import Enum
from uuid import UUID

from attrs import frozen

from application.retention import LetGo

LATE = timedelta(seconds=120)
UNPUBLISHED = timedelta(seconds=30)
AFTER_LEASE = timedelta(seconds=15)
# The longest that any setting allows, and the longest that a channel is believed that asks for time.
LONGEST_LEASE = timedelta(hours=1)
LONGEST_WAIT = timedelta(days=1)
UNREAD = timedelta(minutes=15)


class Rule(Enum):
    """A rule's id and what it says. INV ids are the design's, or the domain's own."""

    def __init__(self, id: str, says: str) -> None:
        self.id = id
        self.says = says

    ROW_IS_FOLD = ("ROW-1", "a row is what its events come to")
    ROW_HAS_STREAM = ("ROW-2", "a row has events")
    STREAM_HAS_ROW = ("ROW-3", "what has events has a row, until it is over and its retention too")
    ROW_IS_READABLE = ("ROW-4", "a row can be read")
    VERSIONS = ("STREAM-1", "the versions of a stream are 1 to n, without hole or repeat")
    EVENT_IS_READABLE = ("STREAM-2", "an event can be read, and stands under the time that it tells")
    STREAM_IS_POSSIBLE = ("STREAM-3", "a stream is one that can have happened, to what has its id")
    EVENT_IS_OVER = ("INV-EVT-2", "nothing happens to an event that is over")
    DUE_AT = ("INV-REM-1", "due_at follows from the trigger and the event's start alone")
    REMINDER_IS_OVER = ("INV-REM-2", "nothing happens to a reminder that was sent or skipped")
    SENT_AT = ("INV-REM-3", "sent_at is set if and only if Sent, and is later than due_at")
    SENT_ON_OPEN = ("INV-REM-4", "a reminder is sent on a version of its event that is open")
    ONE_MESSAGE = ("INV-REM-5", "a sent reminder has one outbox record, which says what was decided")
    ONE_PENDING = ("INV-REM-6", "at most one Pending reminder per event and trigger")
    REMINDER_HAS_EVENT = ("EVENT-1", "a reminder is of an event")
    TRIGGER_HAS_REMINDER = ("EVENT-2", "each trigger of an open event has a reminder, pending or over")
    REMINDER_IS_WANTED = ("EVENT-3", "a Pending reminder is the last of a trigger that its open event has")
    TENANT = ("TENANT-1", "what belongs together is one tenant's")
    ONE_DELIVERY = ("DELIVERY-1", "at most one delivery per thing, channel and address")
    DELIVERY_IS_WANTED = ("DELIVERY-2", "a delivery tells of what was sent or answered, to whom it is for")
    DELIVERY_IS_TRIED = (
        "DELIVERY-3",
        "a delivery stands where its attempts brought it, one a claim",
    )
    ADDRESS_FITS = ("DELIVERY-4", "a delivery goes to the address of whom it is for, of which it has the key")
    IS_TOLD = ("DELIVERY-5", "what was taken in became a delivery to its event's owner, due when it was due")
    ATTEMPT_HAS_DELIVERY = ("DELIVERY-6", "an attempt is one at a delivery")
    DELIVERY_CLAIM = ("INV-DLV-3", "a delivery has a lease if and only if it is Sending")
    REGISTERED = ("INV-TCH-1", "a touch begins with its registration, and no work is done before its time")
    ORIGIN = ("INV-TCH-2", "an answer goes to the origin of its touch and nowhere else")
    TOUCH_CLAIM = ("INV-TCH-3", "a claim has an owner and a lease, and only a claim has an outcome")
    ONE_ANSWER = ("INV-TCH-4", "one answer per touch, and one delivery per answer")
    RECOVERY = ("INV-TCH-5", "a claim is taken back only when its lease has run out")
    TOUCH_IS_OVER = ("INV-TCH-6", "nothing happens to a touch that is delivered, closed or cancelled")
    PLAN_IS_OVER = ("INV-PLN-2", "nothing happens to a plan that has ended")
    OCCURRENCE = ("PLAN-1", "an occurrence of a plan is one touch, and a plan's touch one that it made")
    NEXT_AT = ("PLAN-2", "a plan's next_at is its next occurrence")
    OUTBOX_CLAIM = ("OUTBOX-1", "a claim of an outbox record has an owner and a lease")
    OUTBOX_ADDRESS = ("OUTBOX-2", "an outbox record goes to its topic, under the headers of its contract")
    IMPORT_HAS_EVENT = ("IMPORT-1", "an imported entry has its event")
    PERSON_IS_THERE = ("PERSON-1", "who had an address, a notice or a touch is among the people")
    TEXT_IS_THERE = ("TEXT-1", "a touch has its text, and an answer its words, until their person is erased")
    WAS_TAKEN_IN = ("INBOX-1", "a reminder that became deliveries is in the inbox, within its retention")
    IS_TAKEN_IN = ("INBOX-2", "what was published is in the inbox, within its retention")
    STUCK_REMINDER = ("STUCK-1", "no reminder is Pending 120 s after its time")
    STUCK_TOUCH = ("STUCK-2", "no touch is Pending 120 s after its time")
    STUCK_PLAN = ("STUCK-3", "no plan waits 120 s for its next occurrence")
    STUCK_MESSAGE = ("STUCK-4", "no outbox record that is not parked is unpublished after 30 s")
    STUCK_DELIVERY = ("STUCK-5", "no delivery is Pending 120 s after it may be tried")
    STUCK_CLAIM = ("STUCK-6", "no claim stands 15 s after its lease")
    FAR_CLAIM = ("STUCK-7", "no claim lasts an hour from now, and no delivery waits for more than a day")
    STUCK_RECORD = ("STUCK-8", "no record of the topic waits 15 minutes to be taken in")

    @property
    def is_stuck(self) -> bool:
        """Whether it speaks of what waits too long, and not of what is wrong."""
        return self.id.startswith("STUCK-")


@frozen
class Breach:
    """Which rule does not hold, of what, and how, in ids, names of fields and closed lists only.

    `is_for_hands` where rebuild cannot mend what it mends else under this rule.
    """

    rule: Rule
    id: UUID
    text: str
    is_for_hands: bool = False


@frozen
class Moment:
    """When something is judged, by which zone data, and what may lack by then.

    `is_direct` when what is published is taken in by the same step, and not read from a topic later.
    """

    now: datetime
    tz_version: str
    let_go: LetGo
    is_direct: bool = True


def is_far(until: datetime | None, moment: Moment) -> bool:
    """Whether a claim lasts longer than any setting allows, so that nobody would take it back."""
    return until is not None and until > moment.now + LONGEST_LEASE + AFTER_LEASE
