"""A program of one of Debian's packages, which lies in a folder of the user's and is not installed."""

import os
from pathlib import Path

from attrs import frozen


class DebianMissing(Exception):
    """This machine has no apt-get or no dpkg-deb: one line that says so."""


class DebianUnusable(Exception):
    """A package was not fetched, or what is in it does not run here: one line that says why."""


@frozen
class DebianProgram:
    """`path` is run with `libraries` before the machine's own; there are none where it lacks none."""

    path: Path
    libraries: tuple[Path, ...] = ()

    def environment(self) -> dict[str, str]:
        """This process's, in which the program finds its libraries."""
        if not self.libraries:
            return dict(os.environ)
        known = os.environ.get("LD_LIBRARY_PATH")
        path = ":".join([*map(str, self.libraries), *([known] if known else [])])
        return {**os.environ, "LD_LIBRARY_PATH": path}
