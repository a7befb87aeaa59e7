"""The audit: everything that is stored is gone through in pages, and judged by rules without a store."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from attrs import define, field, frozen

from application.auditing.calendar import calendar_breaches
from application.auditing.deliveries import delivery_breaches
from application.auditing.plans import plan_breaches
from application.auditing.rules import Breach, Moment, Rule
from application.auditing.strays import (
    message_breaches,
    spoilt_message_breaches,
    stray_attempts_breaches,
    stray_import_breaches,
    stray_reminder_breaches,
    stray_stream_breaches,
)
from application.auditing.touches import touch_breaches
from application.ports.auditing import (
    Books,
    CalendarFacts,
    DeliveryFacts,
    Facts,
    MessageFacts,
    Part,
    PlanFacts,
    SpoiltMessage,
    StrayAttempts,
    StrayImport,
    StrayReminder,
    StrayStream,
    TouchFacts,
)
from application.ports.machine import Clock
from application.ports.pruning import Marks, What
from application.retention import LetGo, Retention

# Events bring their reminders along, and plans their touches.
PAGES = {Part.EVENTS: 200, Part.PLANS: 20}
PAGE = 1_000
MOST = 100

Progress = Callable[[int, int], None]


@define
class Found:
    """How many break a rule, those of them that rebuild cannot mend, and the first of all."""

    count: int = 0
    for_hands: int = 0
    first: list[Breach] = field(factory=list)


@define
class Report:
    """What was gone through so far, by part, and what was found by rule."""

    looked_at: dict[Part, int] = field(factory=dict)
    found: dict[Rule, Found] = field(factory=dict)
    is_whole: bool = False

    @property
    def is_sound(self) -> bool:
        return not self.found

    def add(self, breach: Breach, most: int) -> None:
        found = self.found.setdefault(breach.rule, Found())
        found.count += 1
        found.for_hands += breach.is_for_hands
        if len(found.first) < most:
            found.first.append(breach)


@frozen
class Auditing:
    """`is_direct` as `Moment` has it."""

    books: Books
    pruned: Marks
    clock: Clock
    retention: Retention = field(factory=Retention)
    is_direct: bool = True

    def run(
        self,
        report: Report,
        tz_version: str,
        progress: Progress = lambda done, total: None,
        *,
        except_stuck: bool = False,
        most: int = MOST,
    ) -> Report:
        """Go through all parts; the report is filled on the way, so that a broken off one tells something.

        What looks wrong is looked at a second time before it is told: by then it may have moved on.
        """
        total = sum(self.books.about(part) for part in Part)
        done = 0
        progress(0, total)
        for part in Part:
            report.looked_at[part] = 0
            for facts, looked_at in self._pages(part):
                for breach in self._breaches(part, facts, tz_version, except_stuck):
                    report.add(breach, most)
                report.looked_at[part] += looked_at
                done += looked_at
                progress(done, max(total, done))
        report.is_whole = True
        return report

    def _pages(self, part: Part) -> Iterator[tuple[Sequence[Facts], int]]:
        after: UUID | None = None
        while True:
            page = self.books.page(part, after, PAGES.get(part, PAGE))
            if page.last is None:
                return
            yield page.facts, page.looked_at
            after = page.last

    def _breaches(
        self, part: Part, facts: Sequence[Facts], tz_version: str, except_stuck: bool
    ) -> Iterator[Breach]:
        def found(
            some: Sequence[Facts], marks: Mapping[What, datetime]
        ) -> Iterator[tuple[Facts, list[Breach]]]:
            now = self.clock.now()
            moment = Moment(now, tz_version, LetGo(now, self.retention, marks), self.is_direct)
            for one in some:
                told = [each for each in judge(one, moment) if not (except_stuck and each.rule.is_stuck)]
                if told:
                    yield one, told

        suspicious = [one.id for one, _ in found(facts, {})]
        if suspicious:
            again = self.books.look_again(part, suspicious)
            # Asked afterwards: whatever lacks in there and was pruned has left its mark by then.
            for _, told in found(again, self.pruned.marks()):
                yield from told


def judge(facts: Facts, moment: Moment) -> Iterator[Breach]:
    """All rules that these facts break at that moment."""
    match facts:
        case CalendarFacts():
            return calendar_breaches(facts, moment)
        case TouchFacts():
            return touch_breaches(facts, moment)
        case PlanFacts():
            return plan_breaches(facts, moment)
        case StrayReminder():
            return stray_reminder_breaches(facts, moment)
        case MessageFacts():
            return message_breaches(facts, moment)
        case SpoiltMessage():
            return spoilt_message_breaches(facts)
        case DeliveryFacts():
            return delivery_breaches(facts, moment)
        case StrayAttempts():
            return stray_attempts_breaches(facts)
        case StrayImport():
            return stray_import_breaches(facts)
        case StrayStream():
            return stray_stream_breaches(facts, moment)
