"""Programs from Debian's packages, fetched by name once for this machine and installed nowhere.

A package is laid out in the user's cache folder, with those libraries of its dependencies that the machine
lacks. apt-get holds what it brings against Debian's signatures. Where its lists are missing or older than the
archive, new ones are read into the same cache folder, so that the machine's own stay as they are and nobody
has to be root.
"""

import fcntl
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.debian.programs import DebianMissing, DebianProgram, DebianUnusable
from tests.kafka.fetching import cache

TOOLS = ("apt-get", "apt-cache", "dpkg-deb", "dpkg", "ldd")
FETCH_SECONDS = 300.0
MAKING = "making-"
# Of a Go program or a script these are not libraries, and libc6 is what every program here runs on already.
NO_LIBRARY = ("libjs-", "libc6", "libc-bin")


def find_program(package: str, program: str, *beside: str) -> DebianProgram:
    """`program` ("usr/sbin/pgbouncer") of `package`, fetched where this machine has not got it yet.

    `beside` are other programs of the package that are to find their libraries, too.

    Raises DebianMissing where the machine has no Debian's tools, DebianUnusable where they fail.
    """
    for tool in TOOLS:
        if not shutil.which(tool):
            raise DebianMissing(f"no {tool} on the PATH: {package} is fetched from Debian's packages")
    home = kept() / package
    if not home.exists():
        with turn():
            if not home.exists():
                make(package, home, program, *beside)
    if not (home / program).exists():
        raise DebianUnusable(f"Debian's package {package} has no {program}")
    return DebianProgram(home / program, libraries(home))


def kept() -> Path:
    """One folder a release: a program of another one may want other libraries than this machine has."""
    release = re.search(r'^VERSION_ID="?([\w.]+)', Path("/etc/os-release").read_text(), re.MULTILINE)
    architecture = run(["dpkg", "--print-architecture"]).strip()
    return cache() / "debian" / f"{release[1] if release else 'unreleased'}-{architecture}"


@contextmanager
def turn() -> Iterator[None]:
    try:
        kept().mkdir(parents=True, exist_ok=True)
        lock = os.open(kept() / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise DebianUnusable(f"no place to keep Debian's packages: {error}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def make(package: str, home: Path, *programs: str) -> None:
    for left in kept().glob(f"{MAKING}*"):
        shutil.rmtree(left, ignore_errors=True)
    making = Path(tempfile.mkdtemp(prefix=MAKING, dir=kept()))
    lay_out(package, making)
    asked, lately = {package}, [package]
    while (wanted := lacking(making, *programs)) and lately:
        lately = [name for name in needed(lately) if name not in asked]
        asked.update(lately)
        for name in lately:
            lay_out(name, making)
    if wanted:
        raise DebianUnusable(f"Debian's {package} wants {', '.join(wanted)}, which none of its packages has")
    making.chmod(0o755)
    making.rename(home)


def lay_out(package: str, home: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=MAKING, dir=kept()) as folder:
        # As root, apt-get would rather download as an account that sees none of the user's folders.
        command = ["apt-get", "-qq", "download", "-o", "APT::Sandbox::User=root", package]
        try:
            run(command, cwd=folder)
        except DebianUnusable:
            run([*command, *read_lists()], cwd=folder)
        for archive in Path(folder).glob("*.deb"):
            run(["dpkg-deb", "-x", str(archive), str(home)])


def read_lists() -> list[str]:
    """Read today's lists into our own folder; the options that make apt use them."""
    apt = kept() / "apt"
    for folder in ("lists/partial", "archives/partial"):
        (apt / folder).mkdir(parents=True, exist_ok=True)
    options = ["-o", f"Dir::State::lists={apt}/lists", "-o", f"Dir::Cache={apt}"]
    run(["apt-get", "-qq", "update", "-o", "APT::Sandbox::User=root", *options])
    return options


def needed(packages: list[str]) -> list[str]:
    """The libraries that these packages depend on at once."""
    lists = kept() / "apt" / "lists"
    options = ["-o", f"Dir::State::lists={lists}"] if lists.exists() else []
    said = run(["apt-cache", "depends", *options, *packages])
    names = re.findall(r"^\s*\|?Depends: (lib[\w.+-]+)", said, re.MULTILINE)
    return [name for name in dict.fromkeys(names) if not name.startswith(NO_LIBRARY)]


def lacking(home: Path, *programs: str) -> list[str]:
    """The libraries that `programs` are linked with and that neither the machine nor `home` has."""
    environment = DebianProgram(home, libraries(home)).environment()
    command = ["ldd", *(str(home / program) for program in programs)]
    said = subprocess.run(command, env=environment, capture_output=True, text=True)
    return re.findall(r"^\s*(\S+) => not found", said.stdout, re.MULTILINE)


def libraries(home: Path) -> tuple[Path, ...]:
    return tuple(sorted({library.parent for library in home.glob("**/lib*.so.*")}))


def run(command: list[str], cwd: str | None = None) -> str:
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            timeout=FETCH_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise DebianUnusable(f"{command[0]} did not end within {FETCH_SECONDS:.0f} s") from error
    if done.returncode:
        said = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        first = next((line for line in said if line.startswith("E:")), said[0] if said else "it said nothing")
        raise DebianUnusable(f"{command[0]} failed with {done.returncode}: {first.strip()}")
    return done.stdout
