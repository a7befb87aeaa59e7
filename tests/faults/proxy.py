"""A proxy before PostgreSQL's unix socket that acts when a COMMIT passes it."""

import contextlib
import socket
import threading
from collections.abc import Callable
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo


class CommitProxy:
    """Forwards a client's bytes to the server and back, until a COMMIT was forwarded.

    Then it calls `on_commit`, and nothing of the server's answer reaches the client any more.
    """

    def __init__(self, conninfo: str, folder: Path, on_commit: Callable[[], None]) -> None:
        given = conninfo_to_dict(conninfo)
        self._server = f"{given['host']}/.s.PGSQL.{given.get('port', 5432)}"
        self._on_commit = on_commit
        self._armed = threading.Event()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / ".s.PGSQL.5432"))
        self._listener.listen()
        self.conninfo = make_conninfo(conninfo, host=str(folder), port=5432)
        threading.Thread(target=self._accept, daemon=True).start()

    def arm(self) -> None:
        self._armed.set()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._server)
                cut = threading.Event()
                threading.Thread(target=self._up, args=(client, server, cut), daemon=True).start()
                threading.Thread(target=self._down, args=(client, server, cut), daemon=True).start()

    def _up(self, client: socket.socket, server: socket.socket, cut: threading.Event) -> None:
        with contextlib.suppress(OSError), server:
            while data := client.recv(1 << 16):
                commits = self._armed.is_set() and b"commit\0" in data.lower()
                if commits:
                    cut.set()
                server.sendall(data)
                if commits:
                    self._on_commit()
            # Closing alone would not end the other thread's wait for the server's bytes.
            server.shutdown(socket.SHUT_RDWR)

    def _down(self, client: socket.socket, server: socket.socket, cut: threading.Event) -> None:
        with contextlib.suppress(OSError), client:
            while data := server.recv(1 << 16):
                if not cut.is_set():
                    client.sendall(data)
