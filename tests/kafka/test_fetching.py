"""What this machine lacks is said in one line, and no library that nobody named is ever run."""

import os
from pathlib import Path

import pytest

from tests.kafka.fetching import cache, find_java, find_programs
from tests.kafka.programs import KafkaMissing, KafkaUnusable
from tests.lacking import lacks


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on the PATH, and a cache folder that is empty."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


def test_without_java_it_is_java_that_is_missing(tools: Path) -> None:
    with pytest.raises(KafkaMissing, match="no java on the PATH"):
        find_programs()


@pytest.mark.parametrize("version", ["11.0.2", "1.8.0_402"])
def test_an_older_java_is_missing_too(version: str, tools: Path) -> None:
    _program(tools / "java", f"echo 'openjdk version \"{version}\"' >&2")
    with pytest.raises(KafkaMissing, match="too old"):
        find_java()


def test_without_maven_it_is_maven_that_is_missing(tools: Path) -> None:
    _java(tools)
    with pytest.raises(KafkaMissing, match="no mvn on the PATH"):
        find_programs()


def test_libraries_that_nobody_named_are_refused_and_not_kept(tools: Path) -> None:
    _java(tools)
    bring = 'for given; do case "$given" in -DoutputDirectory=*) libs="${given#*=}"; esac; done'
    _program(tools / "mvn", f'{bring}; /bin/mkdir "$libs"; echo evil > "$libs/kafka-clients-4.4.0.jar"')
    with pytest.raises(KafkaUnusable, match=r"other libraries .*kafka-clients-4\.4\.0\.jar"):
        find_programs()
    assert not list(cache().glob("kafka-*"))


def test_a_fetch_that_fails_is_told_in_mavens_words(tools: Path) -> None:
    _java(tools)
    _program(tools / "mvn", "echo 'working'; echo '[ERROR] Network is unreachable'; exit 1")
    with pytest.raises(KafkaUnusable, match=r"failed with 1: .*Network is unreachable"):
        find_programs()


def test_what_is_missing_skips_a_test_but_fails_it_where_all_should_be_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no java"):
        lacks("no java")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no java"):
        lacks("no java")


def _java(tools: Path) -> None:
    _program(tools / "java", "echo 'openjdk version \"17.0.1\"' >&2")


def _program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    os.chmod(path, 0o755)
