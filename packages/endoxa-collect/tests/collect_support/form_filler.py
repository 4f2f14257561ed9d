"""Walks pages as a browser without scripts does: reads the forms of a page, fills them in, sends them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin

WRITTEN = {"text", "search", "textarea", ""}


@dataclass
class Field:
    """One thing to fill in; `options` of a choice."""

    name: str
    kind: str
    value: str = ""
    checked: bool = False
    trap: bool = False
    options: list = field(default_factory=list)


@dataclass
class Form:
    """One form of a page, with the buttons that send it."""

    action: str
    method: str
    fields: list
    buttons: list

    def filled(self, write):
        """What a person sends who ticks everything, chooses what comes last, and writes `write(name)`."""
        data = {}
        for one in self.fields:
            if one.trap or (one.kind == "checkbox" and one.name.endswith("_withheld")):
                continue
            if one.kind in {"radio", "checkbox"}:
                data.setdefault(one.name, []).append(one.value)
            elif one.kind == "select":
                data[one.name] = one.options[-1] if one.options else ""
            elif one.kind in WRITTEN:
                data.setdefault(one.name, []).append(write(one.name))
            else:
                data[one.name] = one.value
        radios = {one.name for one in self.fields if one.kind == "radio"}
        return {name: value[-1:] if name in radios else value for name, value in data.items()}


class Page(HTMLParser):
    """The forms, links and elements of a page."""

    def __init__(self, html):
        super().__init__()
        self.forms, self.links, self.elements, self.words = [], [], [], ""
        self._by_id, self._form, self._select, self._trap = {}, None, None, 0
        self._loose = []
        self.feed(html)
        for identity, add in self._loose:
            if identity in self._by_id:
                add(self._by_id[identity])

    def handle_starttag(self, tag, attributes):
        facts = dict(attributes)
        self.elements.append((tag, facts))
        self._trap += bool(self._trap or "trap" in (facts.get("class") or "").split()) and tag == "div"
        if tag == "form":
            self._form = Form(facts.get("action") or "", (facts.get("method") or "get").lower(), [], [])
            self.forms.append(self._form)
            self._by_id[facts.get("id")] = self._form
        elif tag == "a" and facts.get("href"):
            self.links.append(facts["href"])
        elif tag == "option" and self._select is not None:
            self._select.options += [facts["value"]] if facts.get("value") else []
        elif tag in {"input", "textarea", "select", "button"}:
            self._control(tag, facts)

    def handle_data(self, data):
        self.words += data

    def all(self, tag, **wanted):
        """The attributes of the elements of a kind that have these."""
        return [facts for name, facts in self.elements if name == tag and wanted.items() <= facts.items()]

    def handle_endtag(self, tag):
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._select = None
        elif tag == "div" and self._trap:
            self._trap -= 1

    def _control(self, tag, facts):
        kind = {"input": facts.get("type") or "text"}.get(tag, tag)
        value = facts.get("value") or ("on" if kind == "checkbox" else "")
        one = Field(facts.get("name") or "", kind, value, "checked" in facts, bool(self._trap))
        if tag == "select":
            self._select = one

        def add(form):
            if kind in {"button", "submit"}:
                form.buttons.append((facts.get("formaction") or form.action, one.name, one.value))
            elif one.name and kind != "file":
                form.fields.append(one)

        if "form" in facts:
            self._loose.append((facts["form"], add))
        elif self._form is not None:
            add(self._form)


def send(client, at, form, write, button=0):
    """Fill a form in and press one of its buttons; the response, redirects followed."""
    action, name, value = form.buttons[button] if form.buttons else (form.action, "", "")
    data = form.filled(write)
    if name:
        data[name] = value
    return client.post(urljoin(at, action) if action else at, data, follow=True)


def posting(page, *but):
    """The forms of a page that post, but to addresses that contain one of the words."""
    return [
        form for form in page.forms if form.method == "post" and not any(word in form.action for word in but)
    ]
