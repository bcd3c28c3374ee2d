"""What a reader sees of a page, and where it leads."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class Seen(HTMLParser):
    """`text` is all text in its order, `tags` the elements with their attributes."""

    html: str
    words: list[str] = field(default_factory=list)
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)

    def all(self, tag: str, name: str) -> list[str]:
        """The values of an attribute."""
        return [str(attrs[name]) for each, attrs in self.tags if each == tag and name in attrs]

    def items(self) -> list[str]:
        """The links to item pages, in their order; on a run page those of its table of items."""
        begin = [at for at, (_, attrs) in enumerate(self.tags) if attrs.get("id") == "items"]
        links = [attrs.get("href") or "" for _, attrs in self.tags[begin[0] if begin else 0 :]]
        return [link for link in links if "/item?" in link]
