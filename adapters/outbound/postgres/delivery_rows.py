"""A delivery as a row, and those that wait on channels which are not served."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from adapters.outbound.postgres import binary
from adapters.outbound.postgres.connection import Row
from domain.delivery import Delivery, Status, Template

SELECT = (
    "select id, tenant_id, about_id, event_id, user_id, channel, contact_point_id, address_key, template,"
    " due_at, not_before, status, attempts, claim, lease_until, reason, provider_id, in_doubt"
    " from tickler.deliveries"
)
# Channels are few, and found by steps from one to the next: one that is full hides no other.
EACH_CHANNEL = """
with recursive waiting (channel) as (
    (select channel from tickler.deliveries where status = 'Pending' order by channel limit 1)
    union all
    select (select next.channel from tickler.deliveries as next
             where next.status = 'Pending' and next.channel > waiting.channel order by next.channel limit 1)
      from waiting where waiting.channel is not null
)
"""
OF_EACH = "select one.* from waiting, lateral ("
WAITING = (
    EACH_CHANNEL
    + OF_EACH
    + SELECT
    + " where status = 'Pending' and channel = waiting.channel and (channel, due_at, id) > (%s, %s, %s)"
    " and not_before <= %s order by due_at, id limit %s) as one"
    " where waiting.channel <> all(%b::text[]) order by one.channel, one.due_at, one.id limit %s"
)
FIRST_PLACE = ("", datetime.min.replace(tzinfo=UTC), UUID(int=0))


def read_delivery(row: Row) -> Delivery:
    """Raises ValueError for a status or template that is none."""
    values: list[Any] = list(row)
    values[8], values[11] = Template(row[8]), Status(row[11])
    return Delivery(*values)


def new_columns(made: Sequence[Delivery]) -> Sequence[binary.Array]:
    """Of new deliveries, what KEEP_NEW wants: the rest is the same for all of them."""
    return (
        binary.uuids([one.id.bytes for one in made]),
        binary.uuids([one.tenant_id.bytes for one in made]),
        binary.uuids([one.about_id.bytes for one in made]),
        binary.maybe_uuids([one.event_id.bytes if one.event_id else None for one in made]),
        binary.uuids([one.user_id.bytes for one in made]),
        binary.texts([one.channel for one in made]),
        binary.maybe_uuids([one.contact_point_id.bytes if one.contact_point_id else None for one in made]),
        binary.texts([one.address_key for one in made]),
        binary.texts([one.template.value for one in made]),
        binary.instants([one.due_at for one in made]),
        binary.instants([one.not_before for one in made]),
    )


def all_values(one: Delivery) -> Sequence[Any]:
    return (
        one.id,
        one.tenant_id,
        one.about_id,
        one.event_id,
        one.user_id,
        one.channel,
        one.contact_point_id,
        one.address_key,
        one.template.value,
        one.due_at,
        one.not_before,
        one.status.value,
        one.attempts,
        one.claim,
        one.lease_until,
        storable(one.reason),
        storable(one.provider_id),
        one.in_doubt,
    )


def changed_values(before: Delivery, after: Delivery) -> Sequence[Any]:
    return (
        after.status.value,
        after.attempts,
        after.claim,
        after.not_before,
        after.lease_until,
        storable(after.reason),
        storable(after.provider_id),
        after.in_doubt,
        before.id,
        before.status.value,
        before.attempts,
        before.claim,
        before.not_before,
        before.lease_until,
    )


def storable(said: str | None) -> str | None:
    """What a channel said may hold what no database keeps."""
    return said and said.replace("\0", "").encode(errors="replace").decode()
