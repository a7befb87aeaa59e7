"""All features, every file."""

from pytest_bdd import scenarios

scenarios(".")
