"""Every scenario runs twice: over the memory store and over Postgres."""

from collections.abc import Iterator

import pytest

from tests.features.stores import STORES, MemoryBehind, PostgresBehind, Store
from tests.features.world import World

STEPS = ("calendar", "dispatch", "races", "notifications", "touches", "touch_answers", "explaining", "damage")


def pytest_configure(config: pytest.Config) -> None:
    for name in STEPS:
        config.pluginmanager.import_plugin(f"tests.features.steps.{name}")


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Store:
    if request.param == "memory":
        return MemoryBehind()
    return PostgresBehind(request.getfixturevalue("postgres_url"))


@pytest.fixture
def world(store: Store) -> Iterator[World]:
    world = World(store)
    yield world
    world.close()


@pytest.fixture(autouse=True)
def every_store(store: Store) -> None:
    """Asked for up front: a parametrised fixture that only a step asks for would come too late."""
