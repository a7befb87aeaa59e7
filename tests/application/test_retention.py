"""How long what is over may be kept."""

from datetime import timedelta

import pytest

from application.retention import Retention
from domain.errors import Invalid


@pytest.mark.parametrize("name", ["outbox", "inbox", "rows", "deliveries"])
@pytest.mark.parametrize("time", [timedelta(days=1) - timedelta(microseconds=1), timedelta(days=36_601)])
def test_less_than_a_day_or_more_than_a_hundred_years_is_refused_by_name(name: str, time: timedelta) -> None:
    with pytest.raises(Invalid, match=name):
        Retention(**{name: time})
