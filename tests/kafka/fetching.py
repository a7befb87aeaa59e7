"""Apache Kafka from Maven Central, fetched once for this machine.

It is kept outside the checkout, in the user's cache folder, under Kafka's version and the digest of
`libs.sha256`, which names every library with its SHA-256. Whoever changes `pom.xml` changes that file too:
`sha256sum *.jar` in the folder that the error names.
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

from attrs import evolve

from tests.kafka.broker import KafkaBroker
from tests.kafka.programs import KafkaMissing, KafkaPrograms, KafkaUnusable, settings, spell

HERE = Path(__file__).parent
POM = HERE / "pom.xml"
DIGESTS = HERE / "libs.sha256"
OLDEST_JAVA = 17
FETCH_SECONDS = 900.0
FORMAT_SECONDS = 120.0
MAKING = "making-"
# A cluster has to have one, and nothing asks that it differ from another test's.
CLUSTER_ID = "dGlja2xlci1pbi10ZXN0cw"


def find_programs() -> KafkaPrograms:
    """Java and Kafka, fetched where this machine has not got it yet (once: 45 MB).

    Raises KafkaMissing, or KafkaUnusable where Maven did not bring what `libs.sha256` names.
    """
    java = find_java()
    home = cache() / f"kafka-{version()}-{hashlib.sha256(DIGESTS.read_bytes()).hexdigest()[:8]}"
    programs, classes = KafkaPrograms(java, home), home / "classes.jsa"
    if not classes.exists():
        with turn():
            if not home.exists():
                make(programs)
            if not classes.exists():
                archive_classes(programs, classes)
    return evolve(programs, flags=(f"-XX:SharedArchiveFile={classes}",))


def find_java() -> Path:
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=f"{home}/bin" if home else None)
    if not found:
        raise KafkaMissing(f"no java on the PATH: Apache Kafka needs Java {OLDEST_JAVA} or newer")
    said = subprocess.run([found, "-version"], capture_output=True, text=True).stderr
    major = re.search(r'version "(\d+)', said)
    if not major or int(major[1]) < OLDEST_JAVA:
        what = said.partition("\n")[0] or "says no version"
        raise KafkaMissing(f"{found} is too old ({what}): Apache Kafka needs Java {OLDEST_JAVA} or newer")
    return Path(found)


def version() -> str:
    return str(ElementTree.parse(POM).findtext("properties/kafka.version"))


def cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tickler"


@contextmanager
def turn() -> Iterator[None]:
    try:
        cache().mkdir(parents=True, exist_ok=True)
        lock = os.open(cache() / "kafka.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise KafkaUnusable(f"no place to keep Apache Kafka: {error}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def make(programs: KafkaPrograms) -> None:
    for left in cache().glob(f"{MAKING}*"):
        shutil.rmtree(left, ignore_errors=True)
    making = KafkaPrograms(programs.java, Path(tempfile.mkdtemp(prefix=MAKING, dir=cache())))
    fetch(making.home / "libs")
    format_data(making)
    making.home.rename(programs.home)


def fetch(libs: Path) -> None:
    mvn = shutil.which("mvn")
    if not mvn:
        raise KafkaMissing("no mvn on the PATH: Apache Maven fetches Apache Kafka")
    goal = ("dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={libs}")
    run([mvn, "-B", "-q", "-Dstyle.color=never", "--strict-checksums", "-f", POM, *goal], FETCH_SECONDS)
    wanted = {tuple(reversed(line.split())) for line in DIGESTS.read_text().splitlines()}
    got = {(jar.name, hashlib.sha256(jar.read_bytes()).hexdigest()) for jar in libs.iterdir()}
    if wrong := sorted({name for name, _ in wanted ^ got}):
        raise KafkaUnusable(
            f"Maven brought into {libs} other libraries than {DIGESTS} names: {', '.join(wrong)}"
        )


def format_data(programs: KafkaPrograms) -> None:
    """Once for all brokers, which copy it: the tool takes as long as a broker's start."""
    properties = programs.home / "formatted.properties"
    properties.write_text(spell(settings(programs.formatted, port=1, controller_port=2)))
    tool = programs.command("kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", properties)
    run(tool, FORMAT_SECONDS)


def archive_classes(programs: KafkaPrograms, classes: Path) -> None:
    """Keep a started broker's classes as Java maps them in, which saves 2 s of processor time a start."""
    made = classes.with_suffix(".new")
    folder = Path(tempfile.mkdtemp(prefix=MAKING, dir=cache()))
    archiving = evolve(programs, flags=(f"-XX:ArchiveClassesAtExit={made}",))
    with KafkaBroker(folder, archiving) as broker:
        broker.stop()
    made.rename(classes)
    shutil.rmtree(folder, ignore_errors=True)


def run(command: list[str | Path], seconds: float) -> None:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds, cwd="/"
        )
    except subprocess.TimeoutExpired as error:
        raise KafkaUnusable(f"{command[0]} did not end within {seconds:.0f} s") from error
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        said = next((line for line in lines if "ERROR" in line), lines[-1] if lines else "it said nothing")
        raise KafkaUnusable(f"{command[0]} failed with {done.returncode}: {said.strip()}")
