"""The sections of a page, by the anchors that links give them."""

import re


def anchors(page: str) -> dict[str, str]:
    """Each section's text, its heading and what stands below it left out; as GitHub names them."""
    parts = re.split(r"^#{1,6} (.+)$", re.sub(r"^```.*?^```$", _kept, page, flags=re.M | re.S), flags=re.M)
    return {
        _anchor(heading): body.replace("\0", "#")
        for heading, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def _kept(block: re.Match[str]) -> str:
    # A comment in a block is no heading.
    return block[0].replace("#", "\0")


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
