"""What the suites need of whoever runs them."""

import pytest

from application.ports.deliveries import Deliveries


class Surroundings:
    @pytest.fixture
    def deliveries(self) -> Deliveries:
        raise NotImplementedError
