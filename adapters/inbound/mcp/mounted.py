"""The tools over streamable HTTP, for an application to be mounted in. Each request brings its own token."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from attrs import frozen
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp

from adapters.inbound.http.guarding import bearer
from adapters.inbound.http.strict_json import MOST_BYTES
from adapters.inbound.mcp.entering import REFUSAL
from adapters.inbound.mcp.serving import Requested, make_server
from adapters.inbound.mcp.tools import Toolbox
from adapters.tenancy import speak_for
from application.ports.tokens import Token
from application.touching.access import Access, NotAdmitted
from application.touching.asking import Asking
from domain.errors import Invalid


@frozen
class Mounted:
    """`app` answers while `running()` is entered, which happens once."""

    app: ASGIApp
    running: Callable[[], AbstractAsyncContextManager[None]]


def mounted(asking: Asking, access: Access) -> Mounted:
    def session(request: Requested) -> Token:
        if request.request is None:
            raise NotAdmitted
        token = access.admit(bearer(request.request.headers))
        speak_for(token.tenant_id)
        refusal = request.request.scope.get(REFUSAL)
        if refusal is not None:
            raise Invalid(refusal)
        return token

    manager = StreamableHTTPSessionManager(
        make_server(Toolbox(asking), session),
        json_response=True,
        stateless=True,
        max_request_body_size=MOST_BYTES,
        # What pages may ask is decided where one enters.
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return Mounted(manager.asgi_app, manager.run)
