"""Real processes whose standard streams are closed, full, or read by nobody."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

PATIENCE_S = 60.0
PROGRAM = (sys.executable, "-m", "adapters")
SAFE = """
import os, sys
from adapters.streams import OutputFailed, make_streams_safe, open_what_is_closed
open_what_is_closed(); make_streams_safe()
"""
FULL = "cannot write the output: no space left on device"


def start(redirected: str, *command: str, **environment: str) -> "subprocess.Popen[str]":
    """A command under a shell's redirections, such as `>&-`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TICKLER_")}
    return subprocess.Popen(
        ["sh", "-c", f'exec "$@" {redirected}', "sh", *command],
        env=kept | {"PYTHONPATH": os.pathsep.join(sys.path)} | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    out, err = process.communicate(timeout=PATIENCE_S)
    return process.returncode, out, err


def python(redirected: str, code: str, **environment: str) -> tuple[int, str, str]:
    return finished(start(redirected, sys.executable, "-c", SAFE + code, **environment))


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_no_file_or_connection_takes_the_place_of_a_closed_stream(closed: str) -> None:
    code = "taken = os.open(os.devnull, os.O_RDONLY); print('x', file=sys.stderr); print('y', flush=True)"
    assert python(closed, f"{code}; os._exit(40 + taken)")[0] == 43


def test_from_a_stdin_that_is_closed_nothing_is_read() -> None:
    assert python("<&-", "print(repr(sys.stdin.read()))") == (0, "''\n", "")


def test_a_full_disk_is_told_apart_from_a_reader_that_has_gone() -> None:
    code = """
try:
    print("x", flush=True)
except OutputFailed as problem:
    print(problem.strerror, file=sys.stderr)
    os._exit(7)
"""
    assert python("> /dev/full", code) == (7, "", "No space left on device\n")
    code = """
read, write = os.pipe(); os.dup2(write, 1); os.close(read); os.close(write)
try:
    print("x", flush=True)
except BrokenPipeError:
    os._exit(8)
"""
    assert python("", code)[0] == 8


def test_what_cannot_be_said_on_stderr_costs_nothing() -> None:
    code = "print('x', file=sys.stderr, flush=True); sys.stderr.flush(); print('done')"
    assert python("2> /dev/full", code) == (0, "done\n", "")


def test_letters_that_the_stream_lacks_are_escaped() -> None:
    assert python("", "print('caf\\u00e9')", PYTHONIOENCODING="ascii") == (0, "caf\\xe9\n", "")


def test_a_command_whose_streams_are_closed_does_its_work_and_ends_well() -> None:
    closed = {way: start(way, *PROGRAM, "--version") for way in (">&-", "2>&-", "<&- >&- 2>&-")}
    ended = {way: finished(process) for way, process in closed.items()}
    assert {way: (code, err) for way, (code, _, err) in ended.items()} == dict.fromkeys(closed, (0, ""))
    assert ended["2>&-"][1].startswith("tickler ")


def test_an_audit_that_nobody_reads_is_judged_by_what_it_found(postgres_url: str) -> None:
    audit = start(">&-", *PROGRAM, "audit", "--except-stuck", TICKLER_DATABASE_URL=postgres_url)
    assert finished(audit)[0::2] == (0, "")


def test_output_that_cannot_be_written_is_one_line_and_exit_code_3() -> None:
    full = start("> /dev/full", *PROGRAM, "--help")
    both = start("> /dev/full 2> /dev/full", *PROGRAM, "--help")
    assert finished(full) == (3, "", f"tickler: {FULL}\n")
    assert finished(both) == (3, "", "")


def test_a_reader_that_went_away_is_met_with_silence() -> None:
    process = start("", *PROGRAM, "--help")
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    assert finished(process)[0::2] == (0, "")


def test_run_without_stdout_works_and_ends_well_at_ctrl_c(postgres_url: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = start(
        ">&-",
        *PROGRAM,
        "run",
        TICKLER_DATABASE_URL=postgres_url,
        TICKLER_WATCH_PORT=str(port),
        TICKLER_HOME=str(tmp_path),
    )
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not lives(port):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        code, _, err = finished(process)
    finally:
        process.kill()
    assert (code, "Traceback" in err) == (0, False)


def lives(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/health/live", trust_env=False).status_code == 200
    except httpx.TransportError:
        return False
