"""What the use cases made is sound, whatever became of it."""

import pytest

from application.ports.auditing import Part
from tests.auditing.office import audited, clocked, found, live_a_little, opened


@pytest.mark.parametrize("store", ["memory", "postgres"])
def test_the_audit_is_silent_about_what_the_use_cases_made(
    store: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("postgres_url") if store == "postgres" else None
    with opened(store, url) as container:
        clock = clocked(container)
        assert found(audited(container)) == {}
        live_a_little(container, clock)
        report = audited(container)
        assert found(report) == {}
        assert all(report.looked_at[part] > 0 for part in Part)
