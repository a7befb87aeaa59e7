"""The page as one file of HTML: style and script are inside, and nothing is asked of any server."""

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from attrs import frozen
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from tests.living_report.page import FeatureView, ScenarioView, SpecView
from tests.living_report.standing import Standing, all_steps, together
from tests.living_report.tree import Commit

HERE = Path(__file__).parent
STORE_NAMES = {"memory": "Memory", "postgres": "Postgres"}
_PLACEHOLDER = re.compile(r"(<[^<>]+>)")


@frozen
class Page:
    made_of: Commit | None
    ran_at: datetime
    stores: tuple[str, ...]
    specs: tuple[SpecView, ...]
    features: tuple[FeatureView, ...]

    @property
    def scenarios(self) -> tuple[ScenarioView, ...]:
        return tuple(one for feature in self.features for one in feature.scenarios)

    @property
    def verdict(self) -> Standing:
        return together(one.standing for one in self.scenarios)

    def count(self, store: str) -> Mapping[str, Mapping[Standing, int]]:
        """On one store: how many "rows" and "scenarios" stand how."""
        rows = [row.on(store) for spec in self.specs for row in spec.rows]
        scenarios = [one.standing for view in self.scenarios for one in view.stores if one.store == store]
        return {
            "rows": Counter(row for row in rows if row is not None),
            "scenarios": Counter(scenarios),
        }

    def pending(self) -> Mapping[str, int]:
        """How many rows have no scenario, by the reason ("tests", "document")."""
        return Counter(row.pending for spec in self.specs for row in spec.rows if row.pending)

    def in_words(self) -> str:
        told = []
        for store in self.stores:
            count = self.count(store)["scenarios"]
            parts = [f"{count[one]} {one.value}" for one in Standing if count[one]]
            told.append(f"{STORE_NAMES.get(store, store)} {', '.join(parts)}")
        return f"{len(self.scenarios)} scenarios; {'; '.join(told)}"


def render(page: Page) -> str:
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters |= {
        "language": language,
        "placeholders": placeholders,
        "seconds": seconds,
        "moment": moment,
        "store": lambda store: STORE_NAMES.get(store, store),
    }
    style, script = _inline("page.css"), _inline("page.js")
    return environment.get_template("page.html.j2").render(
        page=page,
        counts={store: page.count(store) for store in page.stores},
        pending=page.pending(),
        Standing=Standing,
        all_steps=all_steps,
        style=Markup(style),
        script=Markup(script),
        style_hash=_hash(style),
        script_hash=_hash(script),
    )


def language(said: str) -> str:
    """Of a text that may be in either: "ru" where Russian letters outnumber the others."""
    russian = len(re.findall(r"[а-яё]", said, re.IGNORECASE))
    return "ru" if russian > len(re.findall(r"[a-z]", said, re.IGNORECASE)) else "en"


def placeholders(said: str) -> Markup:
    """What stands for a column of the examples, made out as such."""
    parts = _PLACEHOLDER.split(said)
    return Markup("").join(
        Markup("<var>{}</var>").format(part[1:-1]) if _PLACEHOLDER.fullmatch(part) else escape(part)
        for part in parts
    )


def seconds(taken: float) -> str:
    if taken < 0.001:
        return "under 1 ms"
    return f"{taken * 1000:.0f} ms" if taken < 0.9995 else f"{taken:.1f} s"


def moment(instant: datetime) -> str:
    return f"{instant.day} {instant:%B %Y, %H:%M} UTC"


def _inline(name: str) -> str:
    content = (HERE / name).read_text("utf-8")
    # It would end the element that it stands in.
    assert "</" not in content
    return content


def _hash(content: str) -> str:
    return base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
