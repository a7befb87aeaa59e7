"""Which state of the sources a run was of, and which commit they are."""

import hashlib
import subprocess
from pathlib import Path

from attrs import frozen

RUN = ("domain", "application", "adapters", "features", "tests", "pyproject.toml", "requirements-dev.lock")


@frozen
class Commit:
    """`changed`: the working tree has what the commit has not."""

    name: str
    changed: bool


def fingerprint(root: Path) -> str:
    """A digest of every file that a run of the features depends on; the same with and without git."""
    whole = hashlib.sha256()
    for named in RUN:
        for file in _files(root / named):
            content = hashlib.sha256(file.read_bytes()).hexdigest()
            whole.update(f"{file.relative_to(root).as_posix()}\0{content}\n".encode())
    return whole.hexdigest()


def commit(root: Path) -> Commit | None:
    """None outside of a repository, or where there is no git."""
    name = _git(root, "rev-parse", "--short=12", "HEAD")
    changes = _git(root, "status", "--porcelain")
    return Commit(name, bool(changes)) if name and changes is not None else None


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = (file for file in path.rglob("*") if "__pycache__" not in file.parts and file.is_file())
    return sorted(found)


def _git(root: Path, *arguments: str) -> str | None:
    try:
        asked = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return asked.stdout.strip() if asked.returncode == 0 else None
