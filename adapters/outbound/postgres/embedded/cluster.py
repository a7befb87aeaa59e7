"""The server's data: made whole or not at all, and never touched when another PostgreSQL made it."""

import os
import secrets
import shutil
import tempfile
from pathlib import Path

from attrs import frozen

from adapters.outbound.postgres.embedded.errors import EmbeddedPostgresError
from adapters.outbound.postgres.embedded.programs import Programs
from adapters.outbound.postgres.embedded.way import Way, give

USER = DATABASE = "tickler"
HALF_MADE = "making-"
SAID_LINES = 8


@frozen
class Cluster:
    """The data and the password to it, which come into being in one rename."""

    folder: Path

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def password(self) -> Path:
        return self.folder / "password"

    def exists(self) -> bool:
        return self.folder.exists()

    def major(self) -> int:
        try:
            return int((self.data / "PG_VERSION").read_text())
        except (FileNotFoundError, ValueError):
            raise EmbeddedPostgresError(
                f"{self.data} is not the data of a PostgreSQL server (nothing was changed):"
                f" move {self.folder} away to begin with an empty one, or bring it back from a backup"
            ) from None


def require_same_major(cluster: Cluster, programs: Programs) -> None:
    if (made_by := cluster.major()) != programs.major:
        raise EmbeddedPostgresError(
            f"the data in {cluster.data} was made by PostgreSQL {made_by}, but the programs in"
            f" {programs.folder} are PostgreSQL {programs.major} (nothing was changed): set PG_BIN to the"
            f" programs of PostgreSQL {made_by}, or carry the data over with pg_upgrade or pg_dump"
        )


def sweep_half_made(folder: Path) -> None:
    for left in folder.glob(f"{HALF_MADE}*"):
        # An initdb whose parent was killed may still be writing there; what it leaves goes the next time.
        shutil.rmtree(left, ignore_errors=True)


def make_cluster(cluster: Cluster, programs: Programs, way: Way, *, sync: bool, timeout: float) -> None:
    beside = cluster.folder.parent
    making = Cluster(Path(tempfile.mkdtemp(prefix=HALF_MADE, dir=beside)))
    try:
        # The server's account passes through to its own two entries, and reads nothing else.
        making.folder.chmod(0o711)
        give(making.folder, beside.stat().st_uid, beside.stat().st_gid)
        making.data.mkdir(mode=0o700)
        way.give(making.data)
        _write_password(making.password)
        way.give(making.password)
        _initdb(making, programs, way, sync=sync, timeout=timeout)
        _create_database(making, programs, way, sync=sync, timeout=timeout)
        making.folder.rename(cluster.folder)
    except BaseException:
        shutil.rmtree(making.folder, ignore_errors=True)
        raise
    if sync:
        _sync(cluster.folder)
        _sync(beside)


def _write_password(path: Path) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secrets.token_urlsafe(24))
        file.flush()
        os.fsync(file.fileno())


def _initdb(making: Cluster, programs: Programs, way: Way, *, sync: bool, timeout: float) -> None:
    command: list[str | Path] = [
        programs.initdb,
        "-D",
        making.data,
        "-U",
        USER,
        f"--pwfile={making.password}",
    ]
    command += ["--encoding=UTF8", "--no-locale", "--auth-local=scram-sha-256", "--auth-host=reject"]
    command += ["--no-instructions", *(() if sync else ("--no-sync",))]
    code, said = way.run(command, timeout=timeout)
    if code != 0:
        raise EmbeddedPostgresError(f"initdb failed, nothing was left behind: {_in_one_line(said)}")


def _create_database(making: Cluster, programs: Programs, way: Way, *, sync: bool, timeout: float) -> None:
    # In single-user mode, before the rename: data without its database is never seen.
    quick = () if sync else ("-c", "fsync=off")
    command = [programs.postgres, "--single", "-j", *quick, "-D", making.data, "postgres"]
    code, said = way.run(command, text=f"create database {DATABASE};\n\n", timeout=timeout)
    if code != 0 or "ERROR:" in said or "FATAL:" in said:
        raise EmbeddedPostgresError(f"the database could not be made: {_in_one_line(said)}")


def _in_one_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return "; ".join(lines[-SAID_LINES:]) or "it said nothing"


def _sync(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
