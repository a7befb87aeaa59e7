"""Whose calendar a file is, and how it is to be read."""

from datetime import datetime, time, timedelta

from attrs import field, frozen

from domain.errors import Invalid
from domain.triggers import DaysBeforeStart, MinutesBeforeStart, Trigger, check_triggers
from domain.values import TenantId, UserId, zone


def _zone(_: object, __: object, name: str) -> None:
    zone(name)


def _aware(_: object, __: object, now: datetime) -> None:
    if now.tzinfo is None:
        raise Invalid("now: an instant with an offset is wanted")


def _days(_: object, __: object, horizon: timedelta) -> None:
    if not timedelta(0) < horizon <= timedelta(days=731):
        raise Invalid("horizon: it must be more than nothing and at most two years")


@frozen
class ImportOptions:
    """`default_zone` is the owner's: floating times and whole days are meant in it.

    Occurrences of a series that start within `horizon` of `now` (an aware instant) are taken, and single
    events however far ahead they are. `default_triggers` stand in where an event brings no alarm that can be
    read, `all_day_triggers` where it lasts whole days.
    `calendar` names the calendar that the file is (see `origin`); `keep_missing` leaves the events that came
    out of it before and are not in it any more, and without `allow_empty` a file that has none at all is
    refused where it would cancel them.
    Without a client an event that is known keeps the one it has, unless `no_client`.
    Raises Invalid for an unknown zone, a naive `now`, and a horizon of nothing or of more than two years.
    """

    tenant_id: TenantId
    owner_user_id: UserId
    now: datetime = field(validator=_aware)
    default_zone: str = field(validator=_zone)
    client_user_id: UserId | None = None
    no_client: bool = False
    calendar: str = ""
    keep_missing: bool = False
    allow_empty: bool = False
    tz_version: str = ""
    horizon: timedelta = field(default=timedelta(days=90), validator=_days)
    default_triggers: tuple[Trigger, ...] = field(default=(MinutesBeforeStart(15),), converter=check_triggers)
    all_day_triggers: tuple[Trigger, ...] = field(
        default=(DaysBeforeStart(1, time(9)),), converter=check_triggers
    )
