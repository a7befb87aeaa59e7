from datetime import UTC, datetime

import pytest

from tests.features.stores import STORES
from tests.living_report.__main__ import page_of
from tests.living_report.features import features
from tests.living_report.reading import Element, read
from tests.living_report.rendering import render
from tests.living_report.results import Outcome, Result, Run


@pytest.fixture(scope="session")
def whole() -> Element:
    """The page of the real features and specifications, in whose run everything passed."""
    told = features()
    results = [
        Result(one.file, one.line, example, store, Outcome.PASSED, 0.1, (), "")
        for feature in told
        for one in feature.scenarios
        for example in range(one.cases)
        for store in STORES
    ]
    return read(render(page_of(Run("", datetime(2026, 11, 29, tzinfo=UTC), tuple(results)), told)))
