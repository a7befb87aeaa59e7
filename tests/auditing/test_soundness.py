"""What the use cases made is sound, whatever became of it."""

import pytest

from adapters.testkit.examples import numbered
from application.ports.auditing import Part
from application.ports.imports import Imported, Revision
from application.ports.ledger import Context
from domain.values import EventId
from tests.auditing.office import audited, clocked, found, live_a_little, opened


@pytest.mark.parametrize("store", ["memory", "postgres"])
def test_the_audit_is_silent_about_what_the_use_cases_made(
    store: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("postgres_url") if store == "postgres" else None
    with opened(store, url) as container:
        clock = clocked(container)
        assert found(audited(container)) == {}
        known = live_a_little(container, clock)
        source = EventId(numbered(900))
        imported = Imported(source, known.sent, numbered(901), numbered(902), 0, numbered(903))
        with container.ledger().transaction(Context(numbered(904))) as transaction:
            transaction.revise([Revision(source, None, imported)])
        report = audited(container)
        assert found(report) == {}
        assert all(report.looked_at[part] > 0 for part in Part)
