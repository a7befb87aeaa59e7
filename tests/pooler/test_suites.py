"""The suites of the stores, through a pooler in transaction mode."""

import pytest

from tests.contracts.test_deliveries import TestPostgresDeliveries
from tests.contracts.test_ledger import TestPostgresLedger
from tests.contracts.test_outbox import TestPostgresOutbox
from tests.contracts.test_pruning import TestPostgresPrunable
from tests.contracts.test_tokens import TestPostgresTokens
from tests.contracts.test_touches import TestPostgresTouches


class TestOutboxBehindAPooler(TestPostgresOutbox): ...


@pytest.mark.prove
class TestLedgerBehindAPooler(TestPostgresLedger): ...


@pytest.mark.prove
class TestDeliveriesBehindAPooler(TestPostgresDeliveries): ...


@pytest.mark.prove
class TestTouchesBehindAPooler(TestPostgresTouches): ...


@pytest.mark.prove
class TestPruningBehindAPooler(TestPostgresPrunable): ...


@pytest.mark.prove
class TestTokensBehindAPooler(TestPostgresTokens): ...


# Imported to be inherited from, and not to be run here once more.
del TestPostgresDeliveries, TestPostgresLedger, TestPostgresOutbox
del TestPostgresPrunable, TestPostgresTokens, TestPostgresTouches
