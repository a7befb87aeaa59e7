import pytest

from adapters.outbound.templates.jinja import JinjaTemplates
from adapters.testkit.templates import TemplatesContract
from application.ports.templates import Templates

_: type[Templates] = JinjaTemplates  # mypy holds it against the port


class TestJinja(TemplatesContract):
    @pytest.fixture
    def templates(self) -> JinjaTemplates:
        return JinjaTemplates()
