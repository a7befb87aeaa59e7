"""The page is a sound document that asks nothing of anybody."""

import base64
import hashlib
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from tests.living_report.made_up import ARRIVES, FEATURE, FILE, fails, feature, page, passed, shown
from tests.living_report.reading import Element
from tests.living_report.rendering import HERE

HOSTILE = """</code><script>alert(1)</script><img src="http://evil.example/x" onerror='x'>&amp;"""


def test_hostile_text_stays_text_wherever_it_comes_from(tmp_path: Path) -> None:
    step = "When a parcel is sent"
    text = FEATURE.replace("it is morning", HOSTILE).replace("Пишите письма", HOSTILE)
    text = text.replace("2 kg ", HOSTILE).replace("30 kg ", HOSTILE).replace("What is sent arrives.", HOSTILE)
    text = text.replace("Scenario: A parcel arrives", f"Scenario: {HOSTILE}").replace(
        step, f"{step} {HOSTILE}"
    )
    told = feature(tmp_path, text)
    results = passed(told)
    fails(results, (ARRIVES, 0, "memory"), at=0, saying=HOSTILE)
    made = shown(page(told, results, f"`{FILE}::{HOSTILE}` {HOSTILE}", f"`tests/{HOSTILE}`"))
    assert len(made.all("script")) == 1
    assert made.all("img") == []
    assert made.text.count("alert(1)") > 8


def test_the_page_asks_nothing_of_any_server(whole: Element) -> None:
    for element in whole.all():
        assert {"src", "srcset", "action", "style", "background", "ping"}.isdisjoint(element.attributes)
        assert not [name for name in element.attributes if name.startswith("on")]
        where = element.attributes.get("href")
        assert where is None or where.startswith("#") or where == "data:,"
    assert {one.tag for one in whole.all()}.isdisjoint({"iframe", "object", "embed", "base", "img", "svg"})
    for name in ("page.css", "page.js"):
        inline = (HERE / name).read_text("utf-8")
        assert (
            re.findall(r"url\(|@import|@font-face|https?:|//\w|fetch|XMLHttp|import\(|Beacon", inline) == []
        )


def test_a_browser_is_told_to_run_this_script_alone_and_to_load_nothing(whole: Element) -> None:
    [policy] = [one for one in whole.all("meta") if "http-equiv" in one.attributes]
    said = policy.attributes["content"]
    assert said is not None
    assert said.startswith("default-src 'none'; ")
    for tag in ("style", "script"):
        [element] = whole.all(tag)
        [content] = element.inside
        assert isinstance(content, str)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in said


def test_every_link_has_its_place_and_no_place_is_there_twice(whole: Element) -> None:
    places = Counter(one.attributes["id"] for one in whole.all() if "id" in one.attributes)
    assert [place for place, times in places.items() if times > 1] == []
    linked = {(one.attributes["href"] or "").removeprefix("#") for one in whole.all("a")}
    named = {
        one.attributes["aria-labelledby"]
        for one in whole.all("section")
        if "aria-labelledby" in one.attributes
    }
    assert (linked | named) - set(places) == set()
    assert len(linked) > 100


def test_no_heading_skips_a_level(whole: Element) -> None:
    levels = [int(one.tag[1]) for one in whole.all() if re.fullmatch(r"h\d", one.tag)]
    assert levels[0] == 1
    assert [pair for pair in pairwise(levels) if pair[1] > pair[0] + 1] == []


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_text_stands_out_from_what_is_behind_it(scheme: int) -> None:
    """WCAG 2.2, 1.4.3: 4.5 to 1 for text."""
    blocks = re.findall(r":root \{([^}]*)\}", (HERE / "page.css").read_text("utf-8"))
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", blocks[scheme]))
    behind = ["paper", "sheet", "wash"]
    pairs = [(text, back) for text in ("ink", "soft", "link", "green", "red", "amber") for back in behind]
    pairs += [("green", "green-wash"), ("red", "red-wash"), ("amber", "amber-wash"), ("ink", "amber-wash")]
    pairs.append(("link", "amber-wash"))
    assert [pair for pair in pairs if contrast(*(colours[name] for name in pair)) < 4.5] == []


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
