"""How a scenario and its steps stand on a store, from the results that there are and those that lack."""

from collections.abc import Iterable, Sequence
from enum import Enum

from attrs import frozen

from tests.living_report.features import Scenario, Step
from tests.living_report.results import Outcome, Result


class Standing(Enum):
    """Green is what ran and passed, and nothing else."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"


@frozen
class CaseStanding:
    """One row of a scenario's examples, counted from 1, on one store; where it has none, the whole."""

    number: int
    standing: Standing
    failure: str


@frozen
class StoreStanding:
    """A scenario on one store; `steps` gives each step's by its line, None for one that was not reached."""

    store: str
    standing: Standing
    seconds: float
    cases: tuple[CaseStanding, ...]
    steps: dict[int, Standing | None]


def together(standings: Iterable[Standing]) -> Standing:
    """A failure outweighs what was not run, and that what passed; of nothing nothing was run."""
    found = set(standings)
    if Standing.FAILED in found:
        return Standing.FAILED
    return Standing.PASSED if found == {Standing.PASSED} else Standing.NOT_RUN


def all_steps(scenario: Scenario) -> tuple[Step, ...]:
    return scenario.background + scenario.steps


def on_store(
    scenario: Scenario, store: str, by_case: dict[tuple[str, int, int, str], Result]
) -> StoreStanding:
    results = [by_case.get((scenario.file, scenario.line, n, store)) for n in range(scenario.cases)]
    cases = tuple(_case(number, result) for number, result in enumerate(results, 1))
    steps = {step.line: _of_step(step, results) for step in all_steps(scenario)}
    seconds = sum(result.seconds for result in results if result is not None)
    return StoreStanding(store, together(case.standing for case in cases), seconds, cases, steps)


def _case(number: int, result: Result | None) -> CaseStanding:
    if result is None:
        return CaseStanding(number, Standing.NOT_RUN, "")
    return CaseStanding(number, _standing(result.outcome), result.failure)


def _of_step(step: Step, results: Sequence[Result | None]) -> Standing | None:
    """Passed only where it passed in every case: one that was not reached in some is not."""
    reached = [
        next((_standing(one.outcome) for one in result.steps if one.line == step.line), None)
        if result
        else None
        for result in results
    ]
    told = [one for one in reached if one is not None]
    if not told:
        return None
    return together([*told, *[Standing.NOT_RUN] * (len(reached) - len(told))])


def _standing(outcome: Outcome) -> Standing:
    match outcome:
        case Outcome.PASSED:
            return Standing.PASSED
        case Outcome.FAILED:
            return Standing.FAILED
        case Outcome.SKIPPED | Outcome.UNDEFINED:
            return Standing.NOT_RUN
