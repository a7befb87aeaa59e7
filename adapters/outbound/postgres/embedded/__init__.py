"""A PostgreSQL server of our own, shared by every tickler process that uses the same home."""

import os
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from psycopg.conninfo import make_conninfo

from adapters.outbound.postgres.embedded.cluster import (
    DATABASE,
    USER,
    Cluster,
    make_cluster,
    require_same_major,
    sweep_half_made,
)
from adapters.outbound.postgres.embedded.errors import EmbeddedPostgresError
from adapters.outbound.postgres.embedded.locks import POLL_SECONDS, locked, open_private, try_lock, wait_until
from adapters.outbound.postgres.embedded.postmaster import end, is_postmaster, read_postmaster
from adapters.outbound.postgres.embedded.programs import find_programs
from adapters.outbound.postgres.embedded.sockets import (
    PORT,
    answers,
    drop_socket_folder,
    prepare_socket_folder,
)
from adapters.outbound.postgres.embedded.way import Command, account_for, find_way, give

__all__ = ["EmbeddedPostgres", "EmbeddedPostgresError"]

SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "shared_buffers": "64MB",
    "max_connections": "60",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
THROWAWAY = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_connections": "200",
}
LONGEST_LOG_BYTES = 16 * 1024 * 1024
# A server that says it is ready answers at once, and from a recovery too: one that does not is frozen.
SILENCE_SECONDS = 10.0


class EmbeddedPostgres:
    """The server in `home`; `throwaway` trades every promise about a crash for speed, for tests.

    Every user holds a shared lock; whoever finds itself alone when it leaves stops the server. The server and
    its backends hold a third lock, which tells whether any process of it is left, whatever its pid file says.
    """

    def __init__(self, home: Path, *, throwaway: bool = False) -> None:
        self._home = Path(os.path.realpath(home))
        self._folder = Path(os.path.realpath(self._home / "postgres"))
        self._cluster = Cluster(self._folder / "cluster")
        self._socket_folder = self._folder / "socket"
        self._throwaway = throwaway
        self._user: int | None = None
        self._sockets = self._socket_folder
        self._log_began = 0
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        return self._home / "postgres.log"

    @property
    def conninfo(self) -> str:
        """Where the server is reached, password included; known while attached."""
        if self._user is None:
            raise EmbeddedPostgresError(f"not attached to the PostgreSQL server in {self._home}")
        return make_conninfo(
            host=str(self._sockets),
            port=PORT,
            dbname=DATABASE,
            user=USER,
            password=self._cluster.password.read_text(),
        )

    def attach(self, timeout: float = 60.0) -> None:
        """Join the server, starting it where none runs; ready, or EmbeddedPostgresError in `timeout` s.

        For one that is ready and silent, being frozen, no longer is waited than SILENCE_SECONDS.
        """
        if self._user is not None:
            raise EmbeddedPostgresError(f"already attached to the PostgreSQL server in {self._home}")
        deadline = time.monotonic() + timeout
        try:
            self._prepare_home()
            with locked(self._open("start.lock"), deadline) as mine:
                if not mine:
                    raise EmbeddedPostgresError(
                        f"another tickler has been starting or stopping the PostgreSQL server in {self._home}"
                        f" for {timeout:.0f} s: see {self.log}, and try again"
                    )
                self._user = self._open("users.lock")
                try:
                    try_lock(self._user, shared=True)
                    self._ensure_ready(deadline)
                except BaseException:
                    self._leave(3.0)
                    raise
        except OSError as error:
            raise EmbeddedPostgresError(
                f"the folder {self._home} cannot be used for PostgreSQL: {error}; set TICKLER_HOME to a"
                " folder of your own on a disk with room"
            ) from error

    def revive(self, timeout: float = 60.0) -> bool:
        """Start the server again where it has died though we use it; whether it had. Else as attach."""
        if self._process:
            self._process.poll()
        found = read_postmaster(self._cluster.data)
        if found and is_postmaster(found.pid, self._cluster.data):
            return False
        deadline = time.monotonic() + timeout
        with locked(self._open("start.lock"), deadline) as mine:
            if mine and self._user is not None:
                self._ensure_ready(deadline)
        return True

    def release(self, timeout: float = 3.0) -> None:
        """Leave; the last user stops the server, by force if it has not ended within about `timeout` seconds.

        Without an attach before it, stops a server that was left behind and that nobody uses.
        """
        if not self._folder.exists():
            return
        began = time.monotonic()
        with locked(self._open("start.lock"), began + timeout / 2) as mine:
            if mine:
                self._leave(timeout - (time.monotonic() - began))
            elif self._user is not None:
                # Whoever holds the lock for so long is about to use the server, and stops it after us.
                os.close(self._user)
                self._user = None

    def __enter__(self) -> Self:
        self.attach()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _prepare_home(self) -> None:
        # Others may be making the same folders at this moment.
        with suppress(FileExistsError):
            self._home.mkdir(parents=True)
            self._home.chmod(0o711 if os.geteuid() == 0 else 0o700)
        keeper = self._home.stat()
        entry = self._home / "postgres"
        with suppress(FileExistsError):
            entry.mkdir()
            entry.chmod(0o711 if os.geteuid() == 0 else 0o700)
            give(entry, keeper.st_uid, keeper.st_gid)
        allowed = {os.geteuid(), keeper.st_uid} if os.geteuid() == 0 else {os.geteuid()}
        for owner in (entry.lstat().st_uid, self._folder.stat().st_uid):
            if owner not in allowed:
                raise EmbeddedPostgresError(
                    f"{entry} belongs to another account (uid {owner}): run tickler as that account,"
                    " or set TICKLER_HOME to a folder of your own"
                )

    def _open(self, name: str) -> int:
        keeper = self._folder.stat()
        return open_private(self._folder / name, keeper.st_uid, keeper.st_gid)

    def _ensure_ready(self, deadline: float) -> None:
        started = False
        silent_at = time.monotonic() + SILENCE_SECONDS
        while True:
            found = read_postmaster(self._cluster.data)
            running = found is not None and is_postmaster(found.pid, self._cluster.data)
            if found and running and found.ready and found.socket_folder:
                if answers(found.socket_folder):
                    self._sockets = found.socket_folder
                    return
                if time.monotonic() > silent_at:
                    raise EmbeddedPostgresError(
                        f"the PostgreSQL server in {self._home} (process {found.pid}) runs and does not"
                        f" answer, as if it were stopped: see {self.log}, and try again"
                    )
            else:
                silent_at = time.monotonic() + SILENCE_SECONDS
            if started and self._process and self._process.poll() is not None:
                self._explain_early_end()
                started = False
            if not started and not running and self._nothing_left():
                self._start(found.socket_folder if found else None, deadline)
                started = True
            if time.monotonic() > deadline:
                raise EmbeddedPostgresError(
                    f"PostgreSQL was not ready in time, see {self.log}"
                    if running or started
                    else f"processes of an earlier PostgreSQL server still hold {self._cluster.data}:"
                    " end them and try again"
                )
            time.sleep(POLL_SECONDS)

    def _start(self, previous_socket: Path | None, deadline: float) -> None:
        sweep_half_made(self._folder)
        programs = find_programs()
        if self._cluster.exists():
            require_same_major(self._cluster, programs)
        way = find_way(self._folder, programs.postgres, account_for(self._cluster.data, self._home))
        if not self._cluster.exists():
            left = max(deadline - time.monotonic(), 1.0)
            make_cluster(self._cluster, programs, way, sync=not self._throwaway, timeout=left)
        elif self._cluster.data.stat().st_uid != way.uid:
            way.give_tree(self._cluster.data)
            way.give(self._cluster.password)
        # No process of the old server is left, so the pid in this file, if it lives, is a stranger's.
        (self._cluster.data / "postmaster.pid").unlink(missing_ok=True)
        sockets = prepare_socket_folder(self._socket_folder, previous_socket, way)
        quoted = str(sockets).replace('"', '""')
        settings = SETTINGS | (THROWAWAY if self._throwaway else {})
        settings["unix_socket_directories"] = f'"{quoted}"'
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        log, server = self._open_log(), self._open("server.lock")
        try:
            try_lock(server)
            self._log_began = os.fstat(log).st_size
            command: Command = [programs.postgres, "-D", self._cluster.data, *options]
            self._process = way.launch(command, log=log, keep=server)
        finally:
            os.close(server)
            os.close(log)

    def _open_log(self) -> int:
        if self.log.exists() and self.log.stat().st_size > LONGEST_LOG_BYTES:
            self.log.replace(self.log.with_suffix(".log.1"))
        keeper = self._home.stat()
        return open_private(self.log, keeper.st_uid, keeper.st_gid)

    def _explain_early_end(self) -> None:
        with self.log.open("rb") as log:
            log.seek(self._log_began)
            said = log.read().decode(errors="replace")
        if "pre-existing shared memory block" in said:
            return
        worst = [line for line in said.splitlines() if "FATAL:" in line or "PANIC:" in line]
        last = (worst or said.splitlines() or ["it said nothing"])[-1]
        raise EmbeddedPostgresError(f"PostgreSQL did not start: {last.strip()} (see {self.log})")

    def _nothing_left(self) -> bool:
        server = self._open("server.lock")
        try:
            return try_lock(server)
        finally:
            os.close(server)

    def _leave(self, timeout: float) -> None:
        users = self._open("users.lock") if self._user is None else self._user
        self._user = None
        try:
            if try_lock(users):
                self._stop(timeout)
        finally:
            os.close(users)

    def _stop(self, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        if self._pid() is None and not self._nothing_left():
            # We were ended while it was forked, before we knew it: it says who it is in a moment.
            wait_until(lambda: self._pid() is not None or self._nothing_left(), deadline)
        found, pid = read_postmaster(self._cluster.data), self._pid()
        if pid is None:
            return
        end(pid, lambda: self._ended(pid), max(0.1, deadline - time.monotonic()))
        if found and found.socket_folder:
            drop_socket_folder(found.socket_folder, self._socket_folder)

    def _pid(self) -> int | None:
        found = read_postmaster(self._cluster.data)
        if found and is_postmaster(found.pid, self._cluster.data):
            return found.pid
        return self._process.pid if self._process and self._process.poll() is None else None

    def _ended(self, pid: int) -> bool:
        if self._process:
            self._process.poll()
        return not is_postmaster(pid, self._cluster.data) and self._nothing_left()
