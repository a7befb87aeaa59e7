"""The page as a reader of HTML has it."""

from html.parser import HTMLParser

from attrs import define, field

VOID = {"meta", "link", "input", "br"}


@define
class Element:
    tag: str
    attributes: dict[str, str | None]
    inside: "list[Element | str]" = field(factory=list)

    def all(self, tag: str = "", **wanted: str) -> "list[Element]":
        """Each element below with that tag, whose attributes (`class_` for class) have that word."""
        found = []
        for one in self.inside:
            if isinstance(one, Element):
                if (not tag or one.tag == tag) and all(one.has(name, word) for name, word in wanted.items()):
                    found.append(one)
                found += one.all(tag, **wanted)
        return found

    def has(self, name: str, word: str) -> bool:
        return word in (self.attributes.get(name.rstrip("_")) or "").split()

    @property
    def text(self) -> str:
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> list[str]:
        found: list[str] = []
        for one in self.inside:
            found += [one] if isinstance(one, str) else one._texts()
        return [" ", *found, " "] if self.tag in ("td", "th") else found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.path = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self.path[-1].inside.append(element)
        if tag not in VOID:
            self.path.append(element)

    def handle_endtag(self, tag: str) -> None:
        closed = self.path.pop()
        assert closed.tag == tag, f"</{tag}> ends <{closed.tag}>"

    def handle_data(self, data: str) -> None:
        self.path[-1].inside.append(data)


def read(page: str) -> Element:
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert len(reader.path) == 1, "an element is left open"
    return reader.path[0]
