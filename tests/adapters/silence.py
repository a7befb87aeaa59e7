"""A server that falls silent: connections stay open, and nothing is answered any more."""

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self

from psycopg.conninfo import conninfo_to_dict, make_conninfo


class SilentProxy:
    """Stands before a server on a unix socket; what is sent after `fall_silent` goes nowhere."""

    def __init__(self, conninfo: str) -> None:
        given = conninfo_to_dict(conninfo)
        self._server = f"{given['host']}/.s.PGSQL.{given['port']}"
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = [self._listener]
        self._silent = False
        self.accepted = 0
        host, port = self._listener.getsockname()
        self.conninfo = make_conninfo(conninfo, host=host, port=port, sslmode="disable", gssencmode="disable")

    def fall_silent(self) -> None:
        self._silent = True

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for one in self._sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.accepted += 1
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            self._sockets += [client, server]
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self._forward, args=(source, target), daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                if not self._silent:
                    target.sendall(data)
            if not self._silent:
                target.shutdown(socket.SHUT_WR)
        except OSError:
            return
