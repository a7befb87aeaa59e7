"""A session to a collector that hears no more of an answer, and for no longer, than an answer is worth.

The exporter reads the whole of it, and its time-out is for each read: a collector that answers without end
would fill the process's memory.
"""

import socket
from contextvars import ContextVar
from io import BytesIO
from typing import Any

from requests import PreparedRequest, RequestException, Response, Session
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection

from adapters.leash import Deadline, Leash

# OTLP's answer counts what was refused and says why in a line; nobody reads it.
LONGEST_ANSWER = 16 * 1024

_leash: ContextVar[Leash] = ContextVar("leash")


def bounded_session() -> Session:
    session = Session()
    for scheme in ("http://", "https://"):
        session.mount(scheme, _BoundedAdapter())
    return session


class _HttpConnection(HTTPConnection):
    def _new_conn(self) -> socket.socket:
        return _held(super()._new_conn())


class _HttpsConnection(HTTPSConnection):
    def _new_conn(self) -> socket.socket:
        return _held(super()._new_conn())


class _HttpPool(HTTPConnectionPool):
    ConnectionCls = _HttpConnection


class _HttpsPool(HTTPSConnectionPool):
    ConnectionCls = _HttpsConnection


POOLS = {"http": _HttpPool, "https": _HttpsPool}


class _BoundedAdapter(HTTPAdapter):
    """`timeout`, in seconds, is for the whole of an exchange, which has a connection of its own."""

    def init_poolmanager(self, *arguments: Any, **named: Any) -> None:
        super().init_poolmanager(*arguments, **named)
        self.poolmanager.pool_classes_by_scheme = POOLS

    def proxy_manager_for(self, proxy: str, **named: Any) -> Any:
        manager = super().proxy_manager_for(proxy, **named)
        manager.pool_classes_by_scheme = POOLS
        return manager

    def send(
        self,
        request: PreparedRequest,
        stream: bool = False,
        timeout: Any = None,
        verify: Any = True,
        cert: Any = None,
        proxies: Any = None,
    ) -> Response:
        deadline = Deadline(timeout)
        with Leash(deadline) as leash:
            chosen = _leash.set(leash)
            try:
                response = super().send(request, True, timeout, verify, cert, proxies)
                response.raw = BytesIO(_heard(response, deadline))
                return response
            finally:
                _leash.reset(chosen)
                self.close()


def _held(connection: socket.socket) -> socket.socket:
    _leash.get().hold(connection)
    return connection


def _heard(response: Response, deadline: Deadline) -> bytes:
    """The answer's text as it came, packed or not."""
    try:
        said: bytes = response.raw.read(LONGEST_ANSWER + 1, decode_content=False)
    finally:
        response.raw.close()
    if len(said) > LONGEST_ANSWER or deadline.is_over():
        raise RequestException("an answer without an end")
    return said
