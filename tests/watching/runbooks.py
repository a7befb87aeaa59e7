"""The commands of the runbooks, as they stand there."""

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import frozen

from tests.specification import ROOT
from tests.watching.anchors import anchors

RUNBOOKS = ROOT / "docs/runbooks"
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@frozen
class Command:
    """A line of a runbook's block, with `words` such as REMINDER for which whoever types it puts an id."""

    page: Path
    section: str
    line: str

    def arguments(self, meant: Mapping[str, str]) -> Sequence[str]:
        """The words of the line without the comment, with what is meant in place of each such word."""
        return [meant.get(word, word) for word in shlex.split(self.line, comments=True)]


def commands() -> Sequence[Command]:
    """Those of all runbooks; what stands before the first section is in a section of the page's own name."""
    return [
        Command(page, section, line)
        for page in sorted(RUNBOOKS.glob("*.md"))
        for section, text in anchors(page.read_text("utf-8")).items()
        for block in BLOCK.findall(text)
        for line in block.splitlines()
    ]


def of_section(page: str, section: str) -> Sequence[Command]:
    return [one for one in commands() if one.page.name == page and one.section == section]


def in_passing() -> Sequence[str]:
    """The commands that the text names, each once."""
    pages = [BLOCK.sub("", page.read_text("utf-8")) for page in sorted(RUNBOOKS.glob("*.md"))]
    return sorted({line for page in pages for line in re.findall(r"`(tickler [a-z][^`]*)`", page)})
