"""A server of the application, in a thread of its own beside the loops."""

import threading
from contextlib import suppress
from types import TracebackType
from typing import Self

import uvicorn
from fastapi import FastAPI

from adapters.inbound.listening import listen, url_of

MOST_AT_ONCE = 200
STOP_SECONDS = 2.0


class HttpServer:
    """Listens from the moment it is made, and answers between start and stop. Port 0 is any free one.

    Raises PortTaken.
    """

    def __init__(self, app: FastAPI, host: str, port: int) -> None:
        self._socket = listen("TICKLER_HTTP_PORT", host, port)
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            limit_concurrency=MOST_AT_ONCE,
            timeout_graceful_shutdown=1,
            lifespan="on",
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name="http", daemon=True)

    @property
    def url(self) -> str:
        return url_of(self._socket)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> bool:
        """Whether it ended in time; requests under way have a second to end."""
        self._server.should_exit = True
        if self._thread.ident is not None:
            self._thread.join(STOP_SECONDS)
        with suppress(OSError):
            self._socket.close()
        return not self._thread.is_alive()

    def _serve(self) -> None:
        self._server.run(sockets=[self._socket])

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()
