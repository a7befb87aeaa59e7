"""What somebody is told who asks why their touch has not come."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from adapters.inbound.cli.standing import standing
from domain.deferred_touch import (
    Cancel,
    Claim,
    Command,
    DeferredTouch,
    Fail,
    Limits,
    LoseOrigin,
    PutOff,
    Register,
    decide,
    evolve,
)
from domain.values import Origin, TenantId, TouchId, UserId

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
ID = TouchId(UUID(int=1))
SECOND = timedelta(seconds=1)
LATER = NOW + SECOND
CLAIM = Claim("worker a", LATER + 10 * SECOND, LATER)


def touch_after(*commands: Command) -> DeferredTouch:
    first = Register(ID, TenantId(UUID(int=2)), "check", Origin(UserId(UUID(int=3)), "console"), NOW, NOW)
    touch = None
    for command in (first, *commands):
        for event in decide(touch, command):
            touch = evolve(touch, event)
    assert touch is not None
    return touch


@pytest.mark.parametrize(
    ("commands", "after", "said"),
    [
        ((), 0 * SECOND, "it comes at 2026-01-31 12:00 UTC"),
        ((), SECOND, "it has been due since 2026-01-31 12:00 UTC and no worker has taken it"),
        ((CLAIM,), SECOND, "claim 1 of worker a holds until 2026-01-31 12:00:11 UTC"),
        ((CLAIM,), 12 * SECOND, "its worker is lost: claim 1 of worker a ended at 2026-01-31 12:00:11 UTC"),
        (
            (CLAIM, Fail(1, "answered 503", LATER)),
            2 * SECOND,
            "attempt 2 of 5 comes at 2026-01-31 12:00:11 UTC; the last one failed: answered 503",
        ),
        (
            (CLAIM, PutOff(1, NOW + timedelta(hours=1), LATER)),
            2 * SECOND,
            "it comes at 2026-01-31 13:00 UTC, put off by its work",
        ),
        (
            (CLAIM, Fail(1, "no", LATER, Limits(attempts=1))),
            SECOND,
            f"it failed for good (attempts: no); tickler touch retry {ID} tries it again",
        ),
        ((CLAIM, LoseOrigin(1, LATER)), SECOND, "where it was asked for is gone, so that nobody was told"),
        ((Cancel(LATER),), SECOND, "it was taken back"),
    ],
)
def test_it_is_said_where_a_touch_stands_and_what_comes_next(
    commands: tuple[Command, ...], after: timedelta, said: str
) -> None:
    assert said in standing(touch_after(*commands), NOW + after, "UTC", 5)
