"""Programs of Debian's packages run from the cache folder, and what is missing is said in one line."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.debian.fetching import find_program, kept, lacking, libraries
from tests.debian.programs import DebianMissing, DebianProgram, DebianUnusable


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on the PATH, with tools that do nothing, and a cache folder that is empty."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    _program(folder / "dpkg", "echo amd64")
    for tool in ("apt-get", "apt-cache", "dpkg-deb", "ldd"):
        _program(folder / tool, "exit 0")
    return folder


def test_prometheus_and_its_tool_run(prometheus: DebianProgram, promtool: DebianProgram) -> None:
    for program in (prometheus, promtool):
        assert "version 2." in _version(program)


def test_pgbouncer_runs_with_libraries_that_the_machine_lacks(pgbouncer: DebianProgram) -> None:
    assert "PgBouncer 1." in _version(pgbouncer)


def test_without_apt_get_it_is_apt_get_that_is_missing(tools: Path) -> None:
    (tools / "apt-get").unlink()
    with pytest.raises(DebianMissing, match="no apt-get on the PATH"):
        find_program("prometheus", "usr/bin/promtool")


def test_a_fetch_that_fails_is_told_in_apts_words_and_leaves_nothing(tools: Path) -> None:
    _program(tools / "apt-get", "echo 'W: old' >&2; echo 'E: Unable to locate package nosuch' >&2; exit 100")
    with pytest.raises(DebianUnusable, match="apt-get failed with 100: E: Unable to locate package nosuch"):
        find_program("nosuch", "usr/bin/nosuch")
    assert not (kept() / "nosuch").exists()


def test_lists_that_name_what_the_archive_has_no_more_are_read_again(tools: Path) -> None:
    _program(
        tools / "apt-get",
        'case "$*" in *update*) exit 0;; *Dir::State::lists*) echo new > p.deb;; *) exit 100;; esac',
    )
    _program(tools / "dpkg-deb", '/bin/mkdir -p "$3/usr/bin"; echo laid out > "$3/usr/bin/tool"')
    assert find_program("package", "usr/bin/tool").path.read_text() == "laid out\n"
    assert kept().is_relative_to(os.environ["XDG_CACHE_HOME"])


def test_a_program_that_the_package_does_not_have_is_named(tools: Path) -> None:
    with pytest.raises(DebianUnusable, match="package has no usr/bin/tool"):
        find_program("package", "usr/bin/tool")


def test_libraries_that_no_dependency_brings_are_named(tools: Path) -> None:
    _program(tools / "ldd", "echo '  libfar.so.2 => not found'")
    _program(tools / "dpkg-deb", '/bin/mkdir -p "$3/usr/bin"; echo laid out > "$3/usr/bin/tool"')
    with pytest.raises(DebianUnusable, match=r"package wants libfar\.so\.2"):
        find_program("package", "usr/bin/tool")


def test_libraries_of_the_programs_beside_it_are_looked_for_too(tools: Path) -> None:
    _program(tools / "apt-get", "echo new > p.deb")
    _program(tools / "ldd", 'case "$*" in *usr/bin/other*) echo "  libfar.so.2 => not found";; esac')
    _program(tools / "dpkg-deb", '/bin/mkdir -p "$3/usr/bin"; echo laid out > "$3/usr/bin/tool"')
    assert find_program("alone", "usr/bin/tool").path.exists()
    with pytest.raises(DebianUnusable, match=r"package wants libfar\.so\.2"):
        find_program("package", "usr/bin/tool", "usr/bin/other")


def test_what_was_laid_out_lacks_no_library(pgbouncer: DebianProgram) -> None:
    home = pgbouncer.path.parents[2]
    assert lacking(home, "usr/sbin/pgbouncer") == []
    assert pgbouncer.libraries == libraries(home)


def _version(program: DebianProgram) -> str:
    done = subprocess.run(
        [program.path, "--version"], env=program.environment(), capture_output=True, text=True, check=True
    )
    return done.stdout + done.stderr


def _program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
