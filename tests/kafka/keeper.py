"""Runs a server for as long as somebody holds a lock, and ends it with `kill -9` when nobody does.

`python keeper.py LIFELINE ALIVE COMMAND...`: prints the server's process id. LIFELINE is a file that whoever
wants the server has locked: the kernel lets go of it however that process ends. ALIVE is a file that stays
locked while the server or its keeper lives. What the server says goes to the keeper's standard error.

It runs as a script and imports nothing of ours, so that it is there in 30 ms.
"""

import ctypes
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from threading import Thread

PR_SET_PDEATHSIG = 1


def main(lifeline: str, alive: str, *command: str) -> int:
    lock = os.open(alive, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    wanted = os.open(lifeline, os.O_RDWR)
    server: subprocess.Popen[bytes] = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        pass_fds=(lock,),
        preexec_fn=die_with(os.getpid()) if sys.platform == "linux" else None,
    )
    print(server.pid, flush=True)
    Thread(target=end_when_unwanted, args=(wanted, server), daemon=True).start()
    return server.wait()


def end_when_unwanted(wanted: int, server: subprocess.Popen[bytes]) -> None:
    fcntl.flock(wanted, fcntl.LOCK_SH)
    server.kill()


def die_with(keeper: int) -> Callable[[], None]:
    # Looked up before the fork: after it another thread's lock could be held for ever.
    prctl = ctypes.CDLL(None).prctl

    def ask() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != keeper:
            os._exit(1)

    return ask


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
