"""The server for whoever watches, apart from the API's: a thread, and one more for each who asks.

It is small, so that it answers when much else does not.
"""

import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from adapters.inbound.listening import listen, url_of
from adapters.inbound.watching.pages import Page, Pages
from adapters.observability.logging import log

MOST_AT_ONCE = 32
SILENCE_SECONDS = 5.0
# One that sends its request by drops is cut off after this, or sooner where others want its place,
READING_SECONDS = 2.0
PLACE_SECONDS = 0.25
# and one that reads the answer by drops after this.
LONGEST_SECONDS = 15.0
LOOK_SECONDS = 0.25
STOP_SECONDS = 2.0
TEXT = "text/plain; charset=utf-8"
ALLOWED = "GET, HEAD"


class WatchServer:
    """Listens from the moment it is made, and answers between start and stop. Port 0 is any free one.

    Raises PortTaken.
    """

    def __init__(self, pages: Pages, host: str, port: int, longest: float = LONGEST_SECONDS) -> None:
        listener = listen("TICKLER_WATCH_PORT", host, port)
        self.url = url_of(listener)
        self._server = _Server(listener, pages, longest)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(LOOK_SECONDS,), name="watch", daemon=True
        )

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """It ends at once, and nobody waits for who is being answered."""
        if self._thread.ident is not None:
            ending = threading.Thread(target=self._server.shutdown, name="watch's end", daemon=True)
            ending.start()
            ending.join(STOP_SECONDS)
        self._server.server_close()


class _Server(ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, listener: socket.socket, pages: Pages, longest: float) -> None:
        super().__init__(listener.getsockname(), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.pages = pages
        self._longest = longest
        self._room = threading.BoundedSemaphore(MOST_AT_ONCE)
        self._lock = threading.Lock()
        self._began: dict[socket.socket, float] = {}
        self._reading: dict[socket.socket, float] = {}

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._has_room():
            self.shutdown_request(request)
            return
        with self._lock:
            self._began[request] = self._reading[request] = monotonic()
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # the machine gives no more threads
            self._let_go(request)
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._let_go(request)

    def _has_room(self) -> bool:
        """Whether there is a place; without one the oldest whose request is not read yet gives way."""
        if self._room.acquire(blocking=False):
            return True
        with self._lock:
            if not self._reading:
                return False
            oldest = min(self._reading, key=self._reading.__getitem__)
            del self._reading[oldest]
            _cut_off(oldest)
        return self._room.acquire(timeout=PLACE_SECONDS)

    def has_read(self, request: socket.socket) -> None:
        """The request is here as a whole."""
        with self._lock:
            self._reading.pop(request, None)

    def _let_go(self, request: socket.socket) -> None:
        with self._lock:
            del self._began[request]
            self._reading.pop(request, None)
        self._room.release()

    def service_actions(self) -> None:
        """Called a few times a second."""
        now = monotonic()
        with self._lock:
            slow = {request for request, began in self._began.items() if now - began > self._longest}
            slow |= {request for request, began in self._reading.items() if now - began > READING_SECONDS}
            for request in slow:
                _cut_off(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients go away as they like; what else goes wrong is told by its kind."""
        problem = sys.exc_info()[1]
        if not isinstance(problem, OSError):
            log().error("watching failed", problem=type(problem).__name__)


def _cut_off(request: socket.socket) -> None:
    with suppress(OSError):
        request.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = SILENCE_SECONDS
    server_version = "tickler"
    sys_version = ""

    def handle_one_request(self) -> None:
        super().handle_one_request()
        self.close_connection = True

    def parse_request(self) -> bool:
        is_request = super().parse_request()
        self.server.has_read(self.request)
        return is_request

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def __getattr__(self, name: str) -> Callable[[], None]:
        # Any other method.
        if name.startswith("do_"):
            return self._refuse
        raise AttributeError(name)

    def _answer(self, with_body: bool) -> None:
        try:
            path = urlsplit(self.path).path
        except ValueError:
            self.send_error(400)
            return
        found = self.server.pages.page(path, self.headers.get("Accept", ""))
        self._send(found or Page(404, TEXT, b"there is no such page\n"), with_body)

    def _refuse(self) -> None:
        self._send(Page(405, TEXT, f"only {ALLOWED}\n".encode()), with_body=True)

    def _send(self, page: Page, with_body: bool) -> None:
        self.send_response(page.status)
        self.send_header("Content-Type", page.kind)
        self.send_header("Content-Length", str(len(page.body)))
        if page.status == 405:
            self.send_header("Allow", ALLOWED)
        self.send_header("Connection", "close")
        self.end_headers()
        if with_body:
            self.wfile.write(page.body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What cannot be read as a request; nothing of it is said back."""
        self.close_connection = True
        # Else it is taken for one of HTTP/0.9, which is answered without a status.
        self.request_version = self.protocol_version
        self._send(Page(code, TEXT, b"that is no request\n"), with_body=True)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Who looks is no event."""
