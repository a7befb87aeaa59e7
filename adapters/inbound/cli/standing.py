"""Why a touch has not come yet, or not at all: where it stands and what comes next, in a line."""

from datetime import datetime

from adapters.inbound.cli.output import wall
from domain.deferred_touch import CloseReason, DeferredTouch, Status

CLOSED = {
    CloseReason.NOTHING_TO_SAY.value: "its work is done, and there was nothing to say",
    CloseReason.UNDELIVERABLE.value: "where it was asked for is gone, so that nobody was told",
}


def standing(touch: DeferredTouch, now: datetime, time_zone: str, attempts: int) -> str:
    """Of a touch as it is at `now`; `attempts` is how often one may fail."""
    match touch.status:
        case Status.PENDING:
            return _waits(touch, now, time_zone, attempts)
        case Status.IN_PROGRESS:
            return _in_work(touch, now, time_zone)
        case Status.ANSWERED:
            return "its answer is on its way to where it was asked for"
        case Status.DELIVERED:
            return "its answer has arrived"
        case Status.CLOSED:
            return CLOSED.get(touch.reason or "", "it is closed")
        case Status.CANCELLED:
            return "it was taken back"
        case Status.FAILED:
            return f"it failed for good ({touch.reason}); tickler touch retry {touch.id} tries it again"


def _waits(touch: DeferredTouch, now: datetime, time_zone: str, attempts: int) -> str:
    at = wall(touch.due_at.replace(microsecond=0), time_zone)
    if touch.due_at >= now:
        what = f"attempt {touch.failures + 1} of {attempts} comes" if touch.failures else "it comes"
        again = ", put off by its work" if touch.rounds and not touch.failures else ""
        return f"{what} at {at}{again}" + (f"; the last one failed: {touch.reason}" if touch.reason else "")
    return (
        f"it has been due since {at} and no worker has taken it: tickler run works on it, if it knows the"
        f" kind {touch.kind} and has room"
    )


def _in_work(touch: DeferredTouch, now: datetime, time_zone: str) -> str:
    held = f"claim {touch.claim} of {touch.worker}"
    if touch.lease_until is None:
        return f"it is being worked on: {held}"
    until = wall(touch.lease_until.replace(microsecond=0), time_zone)
    if touch.lease_until < now:
        return f"its worker is lost: {held} ended at {until}; whoever runs takes it back"
    return f"it is being worked on: {held} holds until {until}, longer with each heartbeat"
