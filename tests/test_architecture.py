"""The house keeps its shape: who imports whom, what the domain may use, rows and scenarios together."""

import ast
import configparser
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import grimp
import pytest
from importlinter.cli import lint_imports

from tests.scenarios import FEATURES, feature_files, scenarios_of
from tests.specification import ROOT, sentences, table_of_tests

ALLOWED = {
    "attrs",
    "calendar",
    "collections",
    "datetime",
    "dateutil",
    "enum",
    "functools",
    "itertools",
    "math",
    "re",
    "typing",
    "uuid",
    "zoneinfo",
}
CLOCKS_AND_CHANCE = {
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
    "datetime.date.today",
    "uuid.uuid1",
    "uuid.uuid4",
    "uuid.uuid7",
    "os.urandom",
}
MODULES_OF_CLOCKS_AND_CHANCE = {"random", "secrets", "time"}
TESTED = FEATURES / "reminder_dispatch.feature"
DEFERRED = FEATURES / "deferred_touches.feature"


# Imports


def test_the_domain_imports_nothing_but_its_allowance() -> None:
    graph = grimp.build_graph("domain", include_external_packages=True)
    used = {
        imported
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
        if imported.partition(".")[0] != "domain"
    }
    assert used <= ALLOWED
    assert {"attrs", "zoneinfo"} <= used  # the check still sees something


def test_every_contract_of_the_imports_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True) == 0


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("domain/reminder.py", "import domain.calendar_event"),
        ("domain/values.py", "import application.calendar"),
        ("application/calendar.py", "import adapters.codec"),
        ("application/calendar.py", "import logging"),
        ("adapters/inbound/loops.py", "import adapters.outbound.system"),
        ("adapters/outbound/system.py", "import adapters.inbound.loops"),
        ("adapters/codec.py", "import adapters.container"),
        ("adapters/stranger.py", ""),
    ],
)
def test_an_import_the_wrong_way_breaks_a_contract(tmp_path: Path, module: str, line: str) -> None:
    for package in ("domain", "application", "adapters"):
        for file in (ROOT / package).rglob("*.py"):
            copy = tmp_path / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
    (tmp_path / ".importlinter").write_bytes((ROOT / ".importlinter").read_bytes())
    assert _lint(tmp_path) == 0
    with (tmp_path / module).open("a") as broken:
        broken.write(f"\n{line}\n")
    assert _lint(tmp_path) != 0


@pytest.mark.parametrize("name", ["application", "codec", "domain.delivery"])
def test_a_contract_about_something_that_is_not_there_fails(tmp_path: Path, name: str) -> None:
    for package in ("domain", "application", "adapters"):
        (tmp_path / package).symlink_to(ROOT / package)
    contracts = (ROOT / ".importlinter").read_text("utf-8")
    misspelt = re.sub(rf"(?m)^(    .*)\b{re.escape(name)}$", rf"\g<1>{name}z", contracts)
    misspelt = re.sub(rf"(?m)^(    ){re.escape(name)} \|", rf"\g<1>{name}z |", misspelt)
    assert misspelt != contracts
    (tmp_path / ".importlinter").write_text(misspelt, "utf-8")
    assert _lint(tmp_path) != 0


def test_every_name_in_the_contracts_is_one_that_is_there() -> None:
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter")
    named = {
        name
        for section in contracts.sections()
        for option in ("forbidden_modules", "source_modules", "modules", "root_packages")
        for name in contracts.get(section, option, fallback="").split()
    }
    assert len(named) > 8
    missing = [name for name in named if not _can_be_found(name)]
    assert missing == []


def _lint(folder: Path) -> int:
    lint = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    return subprocess.run(
        [sys.executable, "-c", lint], cwd=folder, capture_output=True, check=False
    ).returncode


def _can_be_found(name: str) -> bool:
    find = f"import importlib.util as u, sys; sys.exit(u.find_spec({name!r}) is None)"
    return subprocess.run([sys.executable, "-c", find], cwd=ROOT, check=False).returncode == 0


# Time and chance


@pytest.mark.parametrize("package", ["domain", "application"])
def test_neither_domain_nor_application_asks_a_clock_or_chance(package: str) -> None:
    files = sorted((ROOT / package).rglob("*.py"))
    assert files
    found = {str(file.relative_to(ROOT)): list(_asks(file.read_text("utf-8"))) for file in files}
    assert {file: asked for file, asked in found.items() if asked} == {}


@pytest.mark.parametrize(
    "code",
    [
        "from datetime import datetime\nx = datetime.now()",
        "import datetime\nx = datetime.datetime.now()",
        "import datetime as dt\nx = dt.date.today()",
        "from uuid import uuid4\nx = uuid4()",
        "import uuid\nx = [uuid.uuid1() for _ in y]",
        "from time import sleep",
        "import time",
        "import random",
    ],
)
def test_the_check_for_clocks_and_chance_bites(code: str) -> None:
    assert list(_asks(code))


def test_the_check_for_clocks_and_chance_lets_the_harmless_pass() -> None:
    assert not list(_asks("from datetime import datetime, time\nx = datetime.fromisoformat('x'), time(9)"))


def _asks(code: str) -> Iterator[str]:
    """The names in `code` that stand for a clock or for chance, whatever they are imported as."""
    tree = ast.parse(code)
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                known |= {one.asname or one.name: one.name for one in names}
            case ast.ImportFrom(module=str(module), names=names):
                known |= {one.asname or one.name: f"{module}.{one.name}" for one in names}
    for name in known.values():
        if name.partition(".")[0] in MODULES_OF_CLOCKS_AND_CHANCE or name in CLOCKS_AND_CHANCE:
            yield name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            root, _, rest = ast.unparse(node).partition(".")
            name = f"{known.get(root, root)}.{rest}"
            if name in CLOCKS_AND_CHANCE:
                yield name


# Scenarios


def test_two_scenarios_of_one_feature_never_share_a_name() -> None:
    for file in feature_files():
        names = Counter(scenario.name for scenario in scenarios_of(file))
        assert [name for name, count in names.items() if count > 1] == []


def test_each_scenario_in_the_files_is_collected_once_for_each_case_and_store() -> None:
    collecting = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-q"]
    told = subprocess.run(
        [*collecting, "tests/features"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    written = sum(scenario.cases for file in feature_files() for scenario in scenarios_of(file))
    collected = re.findall(r"^tests/features/\S+::test_\w+\[(memory|postgres)", told, re.MULTILINE)
    assert written > 100
    assert Counter(collected) == {"memory": written, "postgres": written}


def test_each_row_of_the_specifications_tests_has_its_scenarios_in_its_words() -> None:
    rows = table_of_tests()
    assert len(rows) == 8
    for number, row in enumerate(rows, 1):
        told = [one for one in scenarios_of(TESTED) if one.name.startswith(f"T-RDJ-{number} ")]
        assert told
        for scenario in told:
            assert scenario.description[:2] == (f"Тест: {row.name}", f"Ожидание: {row.rest}")


def test_each_scenario_that_names_a_row_has_one_and_they_stand_in_the_tables_order() -> None:
    named = [
        int(match[1])
        for file in feature_files()
        for scenario in scenarios_of(file)
        if (match := re.match(r"T-RDJ-(\d+)", scenario.name))
    ]
    assert named == sorted(named)
    assert set(named) == set(range(1, len(table_of_tests()) + 1))


def test_each_numbered_scenario_of_deferred_touches_says_what_it_mirrors_in_the_owners_words() -> None:
    numbered = [one for one in scenarios_of(DEFERRED) if one.name.startswith("T-TCH-")]
    numbers = [int(one.name.removeprefix("T-TCH-").partition(" ")[0]) for one in numbered]
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(1, 11))
    specified = [row.name for row in sentences()]
    for scenario in numbered:
        head, _, said = scenario.description[0].partition(": ")
        assert head == "Спецификация"
        assert said in " ".join(specified)


@pytest.mark.parametrize("number", range(1, 7))
def test_each_invariant_of_reminders_has_a_rule_with_scenarios_and_a_test_of_the_domain(number: int) -> None:
    rules = Counter(one.rule for one in scenarios_of(TESTED) if one.rule is not None)
    assert sum(count for rule, count in rules.items() if rule.startswith(f"INV-REM-{number} "))
    tests = "".join(file.read_text("utf-8") for file in (ROOT / "tests/domain").glob("test_*.py"))
    assert f"def test_inv_rem_{number}_" in tests or f"def inv_rem_{number}_" in tests
