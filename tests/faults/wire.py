"""A proxy before PostgreSQL's unix socket that counts the round trips that pass it."""

import contextlib
import socket
import threading
from collections.abc import Callable
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

READY = ord("Z")


class Wire:
    """Forwards bytes both ways. `states` has one letter for each time that the server was ready for more.

    The client waits for each of them, so they are the round trips: `I` outside of a transaction, `T` within
    one, `E` in one that failed (PostgreSQL's protocol, ReadyForQuery). Of the first connection alone.
    """

    def __init__(self, conninfo: str, folder: Path) -> None:
        given = conninfo_to_dict(conninfo)
        self._server = f"{given['host']}/.s.PGSQL.{given.get('port', 5432)}"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / ".s.PGSQL.5432"))
        self._listener.listen()
        self._states = ""
        self.conninfo = make_conninfo(conninfo, host=str(folder), port=5432)
        threading.Thread(target=self._serve, daemon=True).start()

    def during(self, call: Callable[[], object]) -> str:
        """What the server said while the call was made."""
        self._states = ""
        call()
        return self._states

    def close(self) -> None:
        self._listener.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            client, _ = self._listener.accept()
            self._listener.close()
            with client, socket.socket(socket.AF_UNIX) as server:
                server.connect(self._server)
                threading.Thread(target=_copy, args=(client, server), daemon=True).start()
                self._answers(server, client)

    def _answers(self, server: socket.socket, client: socket.socket) -> None:
        read = b""
        while data := server.recv(1 << 16):
            read += data
            while len(read) >= 5 and len(read) > (length := int.from_bytes(read[1:5])):
                if read[0] == READY:
                    self._states += chr(read[5])
                read = read[1 + length :]
            client.sendall(data)


def _copy(client: socket.socket, server: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := client.recv(1 << 16):
            server.sendall(data)
        # Closing alone would not end the other thread's wait for the server's bytes.
        server.shutdown(socket.SHUT_RDWR)
