"""A rebuild that kills itself after a page in which it wrote: for tests, as a process of its own."""

import os
import signal
import sys

from application.rebuilding import Rebuilt
from tests.auditing.office import clocked, opened


def main(url: str) -> None:
    report = Rebuilt()

    def kill(done: int, total: int) -> None:
        if report.inserted:
            os.kill(os.getpid(), signal.SIGKILL)

    with opened("postgres", url) as container:
        clocked(container)
        container.rebuilding().run(report, kill)


if __name__ == "__main__":
    main(sys.argv[1])
