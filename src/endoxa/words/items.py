"""Texts as items of the language check: a row each, with what speakers must see to judge it.

A text is shown as it is read: a template filled, a value in its sentence, a word in its list, a cell in its row.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.words.components import (
    COMPONENTS,
    ENGLISH,
    PACKAGE,
    Text,
    component,
    file_of,
    languages_of,
    name_of,
    parsed,
    texts_of,
)
from endoxa.words.countries import from_country
from endoxa.words.people import english_name

COLUMNS = ("item_id", "component", "language", "text", "in_use", "english", "purpose")
"""Columns of a table of items."""
_LONGEST = 150
_SLOT = re.compile(r"\{(\w+)\}")
_MOST_NEIGHBOURS = 6
_ABOUT, _SAID = "About people", "some say:"
_HEARSAY = frozenset(
    {
        _ABOUT,
        _SAID,
        "About people from",
        "Which of these have you heard where you live? About people <bdi>%(from_country)s</bdi> some say:",
    }
)
"""English of the page texts by which people are asked what is said of a group: the measurement rests on them."""
READINGS = (
    "Two readings: (1) others say this about people from the country; (2) some of the people from the country say this "
    "themselves. It must have reading (1) alone. If (2) is possible, choose wrong and change the text"
)
"""What speakers decide between for the texts that ask what is said of a group."""
_EXAMPLE = "AR"
GAP = "…"
"""In place of what has no example."""


def item_id(text: Text) -> str:
    """Name of the item of a text: component, language, and what it is called there. Long names are cut and numbered."""
    key = " ".join(text.key.split())
    name = f"{text.component}/{text.language}/{key}"
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST - 9]}~{hashlib.sha256(text.key.encode()).hexdigest()[:8]}"


def items(language: str, components: Sequence[str] = (), package: Path = PACKAGE) -> list[dict[str, str]]:
    """The texts of a language as rows with `COLUMNS`.

    Args:
        language: ISO 639 code.
        components: names; none takes all that have the language.
        package: folder of the package.

    Raises:
        UserError: an unknown component, a language without texts, or English, from which the others were made.
    """
    if language == ENGLISH:
        raise UserError("English is the source of the other languages. Name another one with --language.")
    chosen = [component(name) for name in components] or list(COMPONENTS.values())
    rows = [
        {
            "item_id": item_id(text),
            "component": text.component,
            "language": text.language,
            "text": text.text,
            "in_use": in_use(text, package),
            "english": text.english,
            "purpose": f"{entry.purpose}. {READINGS}" if text.english in _HEARSAY else entry.purpose,
        }
        for entry in chosen
        for text in texts_of(entry, language, package)
    ]
    if not rows:
        languages = sorted({code for entry in chosen for code in languages_of(entry, package)} - {ENGLISH})
        raise UserError(f"No texts in '{language}'. Expected one of: {', '.join(languages)}.")
    return rows


def in_use(text: Text, package: Path = PACKAGE) -> str:
    """A text as it is read.

    Args:
        text: the text.
        package: folder of the package.
    """
    examples = {each.key: each.text for each in texts_of(COMPONENTS["examples"], text.language, package)}
    place = _Place(package, text.language, _tree(package, text.file), examples)
    if text.component in _SENTENCES and (sentence := _SENTENCES[text.component](text, place)):
        return sentence
    if text.file.endswith(".csv"):
        return "; ".join(f"{name}: {value}" for name, value in place.row(text).items() if name and value)
    return _in_list(text, place.tree) or _filled(text.text, examples)


@dataclass(frozen=True, slots=True)
class _Place:
    """What stands around a text: its file as a tree, and the examples of its language."""

    package: Path
    language: str
    tree: Mapping[str, Any]
    examples: Mapping[str, str]

    def file(self, name: str) -> Mapping[str, Any]:
        """Another file of the language; empty where there is none."""
        return _tree(self.package, name_of(self.language, name, self.package))

    def row(self, text: Text) -> Mapping[str, str]:
        """The row of a table in which a text stands; of a group with its English name."""
        cells: Mapping[str, str] = self.tree[text.path[0]]
        if text.file.endswith("people.csv"):
            words = {name: cells[name] for name in ("singular", "singular_f", "plural", "plural_f", "also")}
            return {"en": english_name(cells["id"]), **words}
        return cells


@cache
def _tree(package: Path, file: str) -> dict[str, Any]:
    path = file_of(file, package)
    return parsed(file, path.read_text(encoding="utf-8")) if path.is_file() else {}


def _in_list(text: Text, tree: Mapping[str, Any]) -> str:
    """The list in which a word stands, with its neighbours; empty where it is in none."""
    parent: Any = tree
    for part in text.path[:-1]:
        parent = parent[int(part) - 1] if isinstance(parent, list) else parent[part]
    if not isinstance(parent, list):
        return ""
    at = int(text.path[-1]) - 1
    near = sorted(range(len(parent)), key=lambda k: abs(k - at))[:_MOST_NEIGHBOURS]
    words = [parent[k] for k in sorted(near) if isinstance(parent[k], str)]
    name = next((part for part in reversed(text.path[:-1]) if not part.isdigit()), "")
    return f"{name}: {', '.join(f'[{word}]' if word == text.text else word for word in words)}"


def _filled(template: str, values: Mapping[str, Any]) -> str:
    return _SLOT.sub(lambda match: str(values.get(match[1], GAP)), template)


def _first(tree: Any) -> str:
    """The first text in a tree."""
    while not isinstance(tree, str):
        tree = tree[0] if isinstance(tree, list) else tree.get("text") or next(iter(tree.values()))
    return tree


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _story(text: Text, place: _Place) -> str:
    """The whole request, with this main character or scenario in it."""
    tree = place.tree
    values = {"person": _first(tree["persons"]), "scenario": _first(tree["scenarios"])}
    match text.path[0]:
        case "request":
            return _filled(text.text, values)
        case "persons":
            values["person"] = text.text
        case _:
            values["scenario"] = text.text
    return _filled(str(tree["request"]).strip(), values)


def _pair(text: Text, place: _Place) -> str:
    """A sentence about the example's group, or about nobody in particular; empty for words in lists."""
    templates, examples = place.file("pairs.toml"), place.examples
    if not templates:
        return text.text
    stop = templates.get("stop") or place.file("pack.toml").get("stops", ["."])[0]
    subject, statement = templates["subject"], templates["said"]
    if text.component == "neutral identities":
        subject = text.text
    elif text.path[0] == "subject":
        subject = _filled(text.text, examples)
    elif text.path[0] in ("said", "denied", "verb_denied"):
        subject, statement = (
            _filled(subject if isinstance(subject, str) else subject["m"], examples),
            text.text,
        )
    else:
        return ""
    return _capital(f"{subject} {_filled(statement, examples)}{stop}")


def _harm(text: Text, place: _Place) -> str:
    """The statement about an association, with this attribute or value in it."""
    attributes, values = place.tree.get("attributes", {}), place.tree.get("values", {})
    base, compared = "age", "gender"
    template = place.tree["question"]["statement"]
    replaced = {}
    match text.path:
        case ("question", *_):
            template = text.text
        case ("attributes", attribute):
            replaced = {"base": text.text, "base_value": _first(values.get(attribute, GAP))}
        case ("values", attribute, *_):
            replaced = {"base": attributes.get(attribute, attribute), "base_value": text.text}
        case _:
            return ""
    chosen = {
        "base": attributes.get(base, base),
        "base_value": _first(values.get(base, GAP)),
        "compared": attributes.get(compared, compared),
        "compared_value": _first(values.get(compared, GAP)),
    }
    return _filled(template, {**chosen, **replaced})


def _term(text: Text, place: _Place) -> str:
    """The term in a sentence of the association tests, where its grammatical form has one."""
    templates = place.file("tests.toml")
    term_set = place.tree["set"][int(text.path[1]) - 1]
    term = term_set["terms"][int(text.path[3]) - 1]
    kind, form = term_set.get("kind", ""), str((term_set.get("forms") or [""])[0])
    if isinstance(term, dict):
        kind, form = term.get("kind", kind), text.path[4]
    elif isinstance(term, list):
        form = term_set["forms"][int(text.path[4]) - 1]
    shapes = templates.get("templates", {}).get(kind, {})
    fitting = next((key for key in shapes if key == "*" or form in key.split()), None)
    return _with_words(shapes[fitting][0], text.text, form, templates) if fitting else ""


def _template(text: Text, place: _Place) -> str:
    """The sentence with a term of the language that fits it; empty for words and people."""
    if text.path[0] != "templates":
        return ""
    _, kind, forms, _ = text.path
    lists = place.file("lists.toml")
    fitting = ((form, _term_of(lists, kind, form)) for form in forms.split())
    form, term = next(
        (pair for pair in fitting if pair[1]), (forms.split()[0], place.examples.get("term", GAP))
    )
    return _with_words(text.text, term, form, place.tree)


def _term_of(lists: Mapping[str, Any], kind: str, form: str) -> str:
    """A term of a kind that has a grammatical form, in this form; empty where there is none."""
    for term_set in lists.get("set", []):
        forms = term_set.get("forms", [])
        for term in term_set["terms"]:
            if isinstance(term, dict):
                if term.get("kind", term_set.get("kind")) == kind and form in term:
                    return str(term[form])
            elif term_set.get("kind") == kind and (form in forms or form == "*"):
                return str(term[forms.index(form)]) if isinstance(term, list) else str(term)
    return ""


def _with_words(template: str, term: str, form: str, templates: Mapping[str, Any]) -> str:
    """A template with the term and the words that agree with it, such as articles."""
    starts = term[:1].lower() in templates.get("vowel", {}).get("letters", ())

    def word(match: re.Match[str]) -> str:
        name = match[1].lower()
        forms = {form: term} if name == "term" else templates.get("words", {}).get(name, {})
        chosen = str((forms.get(f"{form}+vowel") if starts else None) or forms.get(form, GAP))
        return _capital(chosen) if match[1][0].isupper() else chosen

    return _SLOT.sub(word, template).replace("' ", "'")


def _question(text: Text, place: _Place) -> str:
    """A context or question about two people."""
    who = place.examples.get("who", GAP)
    friend = place.file("questions.toml")["friend"]
    mention = _filled(_first(friend["mention"]), {"who": who, "a": "a"})
    option = _filled(_first(friend["option"]), {"who": who})
    option = option[:1].lower() + option[1:]
    people = {"first": mention, "second": mention, "right": option, "wrong": option}
    return _filled(text.text, {**people, "a": "a", **place.examples})


def _name(text: Text, place: _Place) -> str:
    """A given name with its transcription and whose name it is."""
    row = place.row(text)
    transcription = f" ({row['name']})" if row["name"] != text.text else ""
    return f"{text.text}{transcription}: {row['group']}, {row['gender']}"


def _country(text: Text, place: _Place) -> str:
    """The phrase with the name of a country for which it is used (CLDR)."""
    from babel import Locale

    if text.path[0] == "form":
        form = place.tree["form"][int(text.path[1]) - 1]
        names = Locale(text.language).territories
        used = [names.get(code, code) for code in form.get("countries", [])]
        starts = tuple(form.get("starts", []))
        used += [name for name in names.values() if name.startswith(starts)]
        if used:
            return _filled(text.text, {"country": used[0]})
    return _filled(
        text.text, {**place.examples, "from_country": _filled(place.tree["usual"], place.examples)}
    )


def _page_text(text: Text, place: _Place) -> str:
    """Without markup, and with the name of what is filled in; the two halves of the question as the one sentence."""
    shown = text.text
    if text.english in (_ABOUT, _SAID):
        shown = f"{place.tree[_ABOUT]} {from_country(_EXAMPLE, place.language)} {place.tree[_SAID]} {GAP}"
    return re.sub(r"%\((\w+)\)[a-z]", r"[\1]", re.sub(r"<[^<>]+>", "", shown))


_SENTENCES: Mapping[str, Callable[[Text, _Place], str]] = {
    "story prompts": _story,
    "pair templates": _pair,
    "neutral identities": _pair,
    "harm study questions": _harm,
    "word lists": _term,
    "association templates": _template,
    "question templates": _question,
    "person question templates": _question,
    "names bank": _name,
    "country phrases": _country,
    "answer patterns": lambda text, _: text.text,
    "page texts": _page_text,
}
"""How a text of a component is read where it is more than a word in a list or a cell of a row; empty: it is not."""
