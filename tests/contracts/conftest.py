"""Assertions of the contract suites say what they saw, as those of tests do."""

import pytest

pytest.register_assert_rewrite("adapters.testkit")
