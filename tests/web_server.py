"""A real HTTP server on this machine that answers as it is told."""

import ssl
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Self

from attrs import frozen

HOST = "127.0.0.1"


@frozen
class Request:
    path: str
    headers: dict[str, str]
    body: bytes


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        request = Request(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        self.server.web.handle(self, request)

    def log_message(self, format: str, *args: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    web: "WebServer"

    def handle_error(self, request: object, client_address: object) -> None:
        pass


Answer = Callable[[_Handler, "WebServer"], None]


class WebServer:
    """`answers` are the next ones, in order; without one, a request is answered 204 and kept in `taken`."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.answers: list[Answer] = []
        self.seen: list[Request] = []
        self.taken: list[Request] = []
        self.closing = Event()
        self._lock = Lock()
        self._server = _Server((HOST, 0), _Handler)
        self._server.web = self
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self.port = self._server.server_port

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    def handle(self, handler: _Handler, request: Request) -> None:
        with self._lock:
            self.seen.append(request)
            answer = self.answers.pop(0) if self.answers else None
            if answer is None:
                self.taken.append(request)
        (answer or status(204))(handler, self)


def status(code: int, **headers: str) -> Answer:
    """Answer with this status and these headers (`_` stands for `-`)."""

    def answer(handler: _Handler, _: WebServer) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("content-length", "0")
        handler.end_headers()

    return answer


def body(code: int, text: bytes, **headers: str) -> Answer:
    """Answer with this status, text and headers (`_` stands for `-`)."""

    def answer(handler: _Handler, _: WebServer) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("content-length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    return answer


def drop(handler: _Handler, _: WebServer) -> None:
    """Close the connection without a word."""
    handler.close_connection = True


def hang(_: _Handler, server: WebServer) -> None:
    """Say nothing until the server ends."""
    server.closing.wait()


def drip(handler: _Handler, server: WebServer) -> None:
    """Say one byte of a header now and then, for ever."""
    handler.close_connection = True
    try:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nx: ")
        while not server.closing.wait(0.02):
            handler.wfile.write(b"x")
    except OSError:
        pass


def endless_body(code: int = 200, piece: bytes = b"x" * 8192, pause: float = 0.0) -> Answer:
    """This status, and a body without an end."""

    def answer(handler: _Handler, server: WebServer) -> None:
        handler.close_connection = True
        handler.send_response(code)
        handler.send_header("content-length", str(10 * 1024**3))
        handler.end_headers()
        try:
            while not server.closing.wait(pause) if pause else not server.closing.is_set():
                handler.wfile.write(piece)
        except OSError:
            pass

    return answer
