"""What is to be said about a file while it is read."""

from collections import Counter

from attrs import define, field

from adapters.inbound.ics.report import Refusal, Remark

MAX_REFUSALS = 10_000
MAX_WARNINGS = 1_000
MOST_NAMED = 100


def shown(text: str) -> str:
    """A name from a file in quotes, fit for one line of a report."""
    return f"'{fit(text)}'"


def fit(text: str) -> str:
    """A name from a file, fit for one line of a report."""
    short = text if len(text) <= 80 else text[:79] + "…"
    return "".join(letter if letter.isprintable() else "?" for letter in short)


@define
class Notes:
    """Refusals, warnings (each text once, counted), and counts by the names in `report.Counts`.

    `floating` are the zones in which times without one were taken, each once; `dates` counts those of RDATE
    and EXDATE in all of the file.
    """

    refused: list[Refusal] = field(factory=list)
    counts: Counter[str] = field(factory=Counter)
    floating: dict[str, None] = field(factory=dict)
    dates: int = 0
    _warnings: dict[str, tuple[int, int]] = field(factory=dict)

    def refuse(self, component: str, uid: str, line: int, reason: str) -> None:
        if len(self.refused) >= MAX_REFUSALS:
            self.warn(f"more than {MAX_REFUSALS} refusals; from here on they are not listed", line)
            return
        self.refused.append(Refusal(component, fit(uid), line, reason))

    def warn(self, text: str, line: int) -> None:
        if text not in self._warnings and len(self._warnings) >= MAX_WARNINGS:
            text = f"more than {MAX_WARNINGS} warnings; from here on they are not listed"
        first, count = self._warnings.get(text, (line, 0))
        self._warnings[text] = (min(first, line), count + 1)

    def warnings(self) -> tuple[Remark, ...]:
        return tuple(Remark(text, line, count) for text, (line, count) in self._warnings.items())
