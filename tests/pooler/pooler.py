"""A PgBouncer in transaction mode before a PostgreSQL, of Debian's package; the example of the guide."""

import os
import pwd
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg
from attrs import frozen
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.debian.programs import DebianProgram
from tests.specification import ROOT

GUIDE = ROOT / "docs/guides/behind-a-pooler.md"
READY_SECONDS = 20.0


@frozen
class Pooler:
    """`admin` is the console of the pooler itself."""

    url: str
    admin: str
    process: "subprocess.Popen[bytes]"

    def shown(self, what: str) -> list[tuple[object, ...]]:
        # The console speaks the simple protocol alone.
        with psycopg.connect(self.admin, autocommit=True, cursor_factory=psycopg.ClientCursor) as connection:
            return connection.execute(f"show {what}".encode()).fetchall()


def example() -> str:
    """The settings that the guide gives, as they stand there."""
    found = re.search(r"```ini\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


@contextmanager
def pooler_before(
    url: str, program: DebianProgram, users: Sequence[tuple[str, str]] = (), **changed: str
) -> Iterator[Pooler]:
    """The guide's settings, but where it listens, whom it knows (`users` too, each with their password) and
    how it reaches a server of this machine.
    """
    folder = Path(tempfile.mkdtemp(prefix="tickler-pooler-"))
    given = conninfo_to_dict(url)
    name, user, password = given["dbname"], given["user"], given["password"]
    settings = dict(re.findall(r"^(\w+) *= *(.*)$", example().partition("[pgbouncer]")[2], re.MULTILINE))
    port = _free_port()
    settings |= {
        "listen_addr": "127.0.0.1",
        "listen_port": str(port),
        "unix_socket_dir": "",
        "auth_type": "scram-sha-256",
        "auth_file": str(folder / "users.txt"),
        "server_tls_sslmode": "disable",
        "client_tls_sslmode": "disable",
        "admin_users": "pooler",
        "logfile": str(folder / "log"),
        "pidfile": "",
        **changed,
    }
    for left_out in ("server_tls_ca_file", "client_tls_key_file", "client_tls_cert_file"):
        settings.pop(left_out, None)
    own = secrets.token_hex(8)
    known = [(user, password), ("pooler", own), *users]
    (folder / "users.txt").write_text("".join(f'"{name}" "{secret}"\n' for name, secret in known))
    to = f"host={given['host']} port={given.get('port', 5432)} dbname={name}"
    lines = [f"{key} = {value}" for key, value in settings.items()]
    (folder / "pgbouncer.ini").write_text(
        "\n".join(["[databases]", f"{name} = {to}", "[pgbouncer]", *lines, ""])
    )
    command = [str(program.path), "-q", str(folder / "pgbouncer.ini")]
    if os.geteuid() == 0:
        # It refuses to work as root.
        nobody = pwd.getpwnam("nobody")
        for path in (folder, *folder.iterdir()):
            os.chown(path, nobody.pw_uid, nobody.pw_gid)
        command[1:1] = ["-u", "nobody"]
    process = subprocess.Popen(command, env=program.environment(), stdin=subprocess.DEVNULL)
    through = make_conninfo(url, host="127.0.0.1", port=port, sslmode="disable")
    admin = make_conninfo(through, dbname="pgbouncer", user="pooler", password=own)
    try:
        _wait(lambda: _answers(through), process)
        yield Pooler(through, admin, process)
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _answers(url: str) -> bool:
    try:
        with psycopg.connect(url, connect_timeout=2):
            return True
    except psycopg.OperationalError:
        return False


def _wait(what: Callable[[], bool], process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + READY_SECONDS
    while not what():
        assert process.poll() is None, "the pooler ended"
        assert time.monotonic() < end, "the pooler does not answer"
        time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
