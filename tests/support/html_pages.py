"""What a report page holds for a reader without scripts."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any


@dataclass
class Table:
    caption: str
    rows: list[list[str]] = field(default_factory=list)


class Page(HTMLParser):
    """What a browser without scripts would have: elements, texts, tables by caption, sentence cells."""

    VOID = frozenset({"meta", "input", "link", "img", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.sentences: list[str] = []
        self.scripts: list[str] = []
        self.tables: list[Table] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        self.elements.append((tag, own))
        if tag not in self.VOID:
            self.open.append((tag, own))
        if tag == "table":
            region = next(a for t, a in reversed(self.open) if t == "div")
            self.tables.append(Table(str(region.get("aria-label"))))
        if tag == "tr":
            self.tables[-1].rows.append([])
        if tag in ("td", "th"):
            self.tables[-1].rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        tags = [tag for tag, _ in self.open]
        if "script" in tags:
            self.scripts.append(data)
        elif "style" in tags:
            return
        elif any(own.get("class") == "sentence" for _, own in self.open):
            self.sentences.append(data)
        else:
            self.texts.append(data)
            if "td" in tags or "th" in tags:
                self.tables[-1].rows[-1][-1] += data

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def table(self, caption: str, place: int = 0) -> list[dict[str, str]]:
        found = [table for table in self.tables if table.caption.startswith(caption)][place]
        return [dict(zip(found.rows[0], row, strict=True)) for row in found.rows[1:]]

    def unpacked(self, name: str) -> Any:
        """The data for the scripts of one part, as a browser unpacks it."""
        place = [own.get("id") for tag, own in self.elements if tag == "script"].index(f"data-{name}")
        return json.loads(gzip.decompress(base64.b64decode(self.scripts[place])))

    def answers(
        self, name: str
    ) -> dict[tuple[str, str], dict[str, tuple[str | None, float | None, str | None]]]:
        """Outcome, value and text of every item by model and condition, None where it was not asked."""
        data = self.unpacked(name)
        nothing = [None] * len(data["ids"])
        return {
            (side["model"], side["condition"]): {
                item: (None if code == "-" else data["outcomes"][ord(code) - ord("0")], value, text)
                for item, code, value, text in zip(
                    data["ids"],
                    side["outcomes"],
                    side["values"] or nothing,
                    side["texts"] or nothing,
                    strict=True,
                )
            }
            for side in data["answers"]
        }


def assert_complete(page: Page) -> None:
    """Nothing is loaded, ids are unique, links and labels have what they name, and figures have a name."""
    loading = ("link", "img", "iframe", "object", "embed", "base")
    assert not [tag for tag, _ in page.elements if tag in loading]
    for tag, own in page.elements:
        assert not {"src", "srcset", "data", "action", "xlink:href"} & own.keys(), tag
        assert str(own.get("href") or "#").startswith(("#", "data:text/csv;charset=utf-8,")), own
    ids = [own["id"] for _, own in page.elements if "id" in own]
    assert len(ids) == len(set(ids))
    links = [str(own["href"]) for _, own in page.elements if "href" in own]
    targets = {link[1:] for link in links if link.startswith("#")}
    labels = {name for _, own in page.elements for name in str(own.get("aria-labelledby") or "").split()}
    assert targets | labels <= set(ids)
    plots = [own for tag, own in page.elements if (own.get("class") or "").split()[:1] == ["plot"]]
    assert all(own["role"] == "img" and (own.get("aria-labelledby") or own["aria-label"]) for own in plots)
