"""How the server's programs are run: PostgreSQL refuses to be root, so root has to find another way."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import frozen

from adapters.outbound.postgres.embedded.errors import EmbeddedPostgresError

Command = Sequence[str | Path]

NOBODY = 65534


@frozen
class Way:
    """A way to run a program, and the account that its files belong to as seen from here."""

    uid: int
    gid: int
    prefix: tuple[str, ...] = ()
    become: bool = False

    def run(self, command: Command, text: str = "", timeout: float | None = None) -> tuple[int, str]:
        """The exit code and all that was said; `text` is the standard input, `timeout` is in seconds."""
        try:
            done = subprocess.run(
                [*self.prefix, *command],
                input=text.encode(),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=timeout,
                cwd="/",
                env=_environment(),
                start_new_session=True,
                user=self.uid if self.become else None,
                group=self.gid if self.become else None,
                extra_groups=() if self.become else None,
            )
        except subprocess.TimeoutExpired:
            return 1, f"{Path(command[0]).name} did not end within {timeout:.0f} s"
        except (OSError, subprocess.SubprocessError) as error:
            return 1, str(error)
        return done.returncode, done.stdout.decode(errors="replace")

    def launch(self, command: Command, log: int, keep: int) -> subprocess.Popen[bytes]:
        """Start a server that outlives this process; it inherits the open file `keep`."""
        return subprocess.Popen(
            [*self.prefix, *command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(keep,),
            cwd="/",
            env=_environment(),
            # A session of its own: the terminal's Ctrl-C is for us, and we stop the server ourselves.
            start_new_session=True,
            user=self.uid if self.become else None,
            group=self.gid if self.become else None,
            extra_groups=() if self.become else None,
        )

    def can_enter(self, folder: Path) -> bool:
        return self.run(["/bin/sh", "-c", 'cd -- "$1"', "tickler", folder])[0] == 0

    def can_use(self, folder: Path, program: Path) -> bool:
        # Not --version: this also makes the program look for itself, as the server and initdb will.
        probe = 'cd -- "$1" && exec "$2" --describe-config'
        return self.run(["/bin/sh", "-c", probe, "tickler", folder, program])[0] == 0

    def give(self, path: Path) -> None:
        """Hand a file or folder of ours to the server's account."""
        give(path, self.uid, self.gid)

    def give_tree(self, folder: Path) -> None:
        self.give(folder)
        for _, folders, files, at in os.fwalk(folder):
            for name in (*folders, *files):
                os.chown(name, self.uid, self.gid, dir_fd=at, follow_symlinks=False)


def give(path: Path, uid: int, gid: int) -> None:
    if os.geteuid() == 0:
        os.chown(path, uid, gid, follow_symlinks=False)


def find_way(folder: Path, program: Path, account: tuple[int, int]) -> Way:
    """The first way in which `program` runs and reaches `folder`."""
    for way in _ways(*account):
        if way.can_use(folder, program):
            return way
    if os.geteuid() != 0:
        raise EmbeddedPostgresError(f"{program} cannot be run here, or {folder} cannot be entered")
    raise EmbeddedPostgresError(
        f"PostgreSQL does not run as root, and another account reaches {program} and {folder} neither"
        " directly nor through `unshare --user` or `setpriv`: run tickler as an ordinary user, or put"
        " the environment and TICKLER_HOME below folders that everybody may enter"
    )


def account_for(*folders: Path) -> tuple[int, int]:
    """Who runs the server: we; for root, the owner of the first folder that is not root's, else nobody."""
    if os.geteuid() != 0:
        return os.geteuid(), os.getegid()
    for folder in folders:
        if folder.exists() and (found := folder.stat()).st_uid != 0:
            return found.st_uid, found.st_gid
    return _nobody()


def _nobody() -> tuple[int, int]:
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        return NOBODY, NOBODY
    return entry.pw_uid, entry.pw_gid


def _has_name(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def _ways(uid: int, gid: int) -> Iterator[Way]:
    root, nobody = os.geteuid() == 0, _nobody()
    in_namespace: tuple[str, ...] = ()
    if unshare := shutil.which("unshare"):
        in_namespace = (unshare, "--user", f"--map-user={nobody[0]}", f"--map-group={nobody[1]}", "--")
    # initdb refuses an account that has no name, as one often is in a container.
    if in_namespace and not _has_name(uid):
        yield Way(uid, gid, in_namespace, become=root)
    yield Way(uid, gid, become=root)
    if not root:
        return
    # Here the files are root's, so this way is not for a home that belongs to somebody else.
    if in_namespace and (uid, gid) == nobody:
        yield Way(0, os.getegid(), in_namespace)
    # Containers often forbid namespaces to root but leave it one of these capabilities. Without the secure
    # bit access(2), by which the programs find one another, would leave the capability out.
    if setpriv := shutil.which("setpriv"):
        account = (f"--reuid={uid}", f"--regid={gid}", "--clear-groups", "--securebits=+no_setuid_fixup")
        for capability in ("+dac_read_search", "+dac_override"):
            kept = (f"--inh-caps={capability}", f"--ambient-caps={capability}")
            yield Way(uid, gid, (setpriv, *account, *kept, "--"))


def _environment() -> dict[str, str]:
    passed = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
    return {"LC_ALL": "C", "TZ": "UTC"} | {name: os.environ[name] for name in passed if name in os.environ}
