"""What is read where a text stands: templates filled, values in their sentence, words in their list."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from endoxa.words.components import COMPONENTS, ENGLISH, PACKAGE, Text, file_of, parsed, texts_of

_NAMED = re.compile(r"\{(\w+)\}")
_MOST_NEIGHBOURS = 6
GAP = "…"
"""In place of what has no example."""


def in_use(text: Text, package: Path = PACKAGE) -> str:
    """A text as it is read.

    Args:
        text: the text.
        package: folder of the package.
    """
    way = _WAYS.get(text.component)
    sentence = way(text, _Place(text, package)) if way else None
    return sentence if sentence is not None else _filled(text.text, _examples(text.language, package))


class _Place:
    """What stands around a text."""

    def __init__(self, text: Text, package: Path) -> None:
        self.package = package
        self.path = text.path
        self.tree = _tree(package, text.file)
        self.examples = _examples(text.language, package)
        self.section = self.tree.get(text.language, self.tree)

    def another(self, text: Text, file: str) -> Mapping[str, Any]:
        """Another file of the language."""
        return _tree(self.package, file.format(language=text.language))

    def neighbours(self) -> list[str]:
        """Words of the list in which the text stands, nearest first; empty where it is in none."""
        parent: Any = self.tree
        for part in self.path[:-1]:
            parent = parent[int(part) - 1] if isinstance(parent, list) else parent[part]
        if not isinstance(parent, list):
            return []
        at = int(self.path[-1]) - 1
        near = sorted(range(len(parent)), key=lambda k: abs(k - at))[:_MOST_NEIGHBOURS]
        return [str(parent[k]) for k in sorted(near) if isinstance(parent[k], str)]


@cache
def _tree(package: Path, file: str) -> dict[str, Any]:
    path = file_of(file, package)
    return parsed(file, path.read_text(encoding="utf-8")) if path.is_file() else {}


@cache
def _examples(language: str, package: Path) -> Mapping[str, str]:
    return {text.key: text.text for text in texts_of(COMPONENTS["examples"], language, package)}


def _filled(template: str, values: Mapping[str, Any]) -> str:
    return _NAMED.sub(lambda match: str(values.get(match[1], GAP)), template)


def _story(text: Text, place: _Place) -> str:
    """The whole request, with this main character or scenario in it."""
    tree = place.tree
    person = _first(tree["persons"])
    scenario = _first(tree["scenarios"])
    values = {"person": person, "scenario": scenario}
    if text.path[0] == "request":
        return _filled(text.text, values)
    values["person" if text.path[0] == "persons" else "scenario"] = text.text
    return _filled(str(tree["request"]).strip(), values)


def _first(tree: Any) -> str:
    while not isinstance(tree, str):
        tree = tree[0] if isinstance(tree, list) else tree.get("text") or next(iter(tree.values()))
    return tree


def _pair(text: Text, place: _Place) -> str | None:
    """A sentence about the example's group."""
    section, examples = place.section, place.examples
    subject = section.get("subject", "{identity}")
    subject = _filled(subject if isinstance(subject, str) else subject["m"], examples)
    stop = section.get("stop", ".")
    if text.path[0] == "subject":
        statement = _filled(section["said"], examples)
        return _capital(f"{_filled(text.text, examples)} {statement}{stop}")
    if text.path[0] in ("said", "denied", "verb_denied"):
        return _capital(f"{subject} {_filled(text.text, examples)}{stop}")
    return _listed(text, place)


def _neutral(text: Text, place: _Place) -> str | None:
    templates = place.another(text, "words/{language}/pairs.toml")
    if not templates:
        return None
    return _capital(f"{text.text} {_filled(templates['said'], place.examples)}{templates.get('stop', '.')}")


def _harm(text: Text, place: _Place) -> str | None:
    """The statement about an association, with this attribute or value in it."""
    question, attributes = place.tree["question"], place.tree.get("attributes", {})
    values = place.tree.get("values", {})
    name = "age"
    chosen = {
        "base": attributes.get(name, name),
        "base_value": _first(values.get(name, GAP)),
        "compared": attributes.get("gender", "gender"),
        "compared_value": _first(values.get("gender", GAP)),
    }
    match text.path:
        case ("question", *_):
            return _filled(text.text, chosen)
        case ("attributes", attribute):
            replaced = {"base": text.text, "base_value": _first(values.get(attribute, GAP))}
            return _filled(question["statement"], {**chosen, **replaced})
        case ("values", attribute, *_):
            replaced = {"base": attributes.get(attribute, attribute), "base_value": text.text}
            return _filled(question["statement"], {**chosen, **replaced})
    return _listed(text, place)


def _term(text: Text, place: _Place) -> str | None:
    """The term in a sentence of the association tests, where its grammatical form has one."""
    templates = place.another(text, "words/{language}/tests.toml")
    term_set = place.tree["set"][int(text.path[1]) - 1]
    at = term_set["terms"][int(text.path[3]) - 1]
    kind, form = term_set.get("kind", ""), str((term_set.get("forms") or [""])[0])
    if isinstance(at, dict):
        kind, form = at.get("kind", kind), text.path[4]
    elif isinstance(at, list):
        form = term_set["forms"][int(text.path[4]) - 1]
    shapes = templates.get("templates", {}).get(kind, {})
    fitting = next((key for key in shapes if key == "*" or form in key.split()), None)
    if fitting is None:
        return _listed(text, place)
    return _with_words(shapes[fitting][0], text.text, form, templates)


def _template(text: Text, place: _Place) -> str | None:
    """The sentence with a term of the language that fits it."""
    match text.path:
        case ("templates", kind, forms, _):
            lists = place.another(text, "words/{language}/lists.toml")
            for form in forms.split():
                if term := _term_of(lists, kind, form):
                    return _with_words(text.text, term, form, place.tree)
            return _with_words(text.text, place.examples.get("term", GAP), forms.split()[0], place.tree)
    return None


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
    vowel = templates.get("vowel", {})
    starts = term[:1].lower() in vowel.get("letters", "") if vowel else False

    def word(match: re.Match[str]) -> str:
        name = match[1]
        if name.lower() == "term":
            return term[:1].upper() + term[1:] if name[0].isupper() else term
        forms = templates.get("words", {}).get(name.lower(), {})
        chosen = str((forms.get(f"{form}+vowel") if starts else None) or forms.get(form, GAP))
        return _capital(chosen) if name[0].isupper() else chosen

    return _NAMED.sub(word, template).replace("' ", "'")


def _question(text: Text, place: _Place) -> str | None:
    """A context or question about two people."""
    tree, who = place.tree, place.examples.get("who", GAP)
    mention = _filled(_first(tree["friend"]["mention"]), {"who": who, "a": "a"})
    match text.path:
        case ("unknown", _):
            return text.text
    return _filled(text.text, {"first": mention, "second": mention, "a": "a", **place.examples})


def _name(text: Text, _place: _Place) -> str:
    group, gender, latin = text.path and text.key.split("/")[-3:]
    transcription = f" ({latin})" if latin != text.text else ""
    return f"{text.text}{transcription}: {group}, {gender}"


def _listed(text: Text, place: _Place) -> str | None:
    """The list in which a word stands."""
    words = place.neighbours()
    if not words:
        return None
    name = next((part for part in reversed(text.path[:-1]) if not part.isdigit()), "")
    marked = (f"[{word}]" if word == text.text else word for word in words)
    return f"{name}: {', '.join(marked)}"


def _row(text: Text, place: _Place) -> str:
    """The row of a table in which a text stands; of a people with its English name."""
    cells = place.tree[text.path[0]]
    if text.file.endswith("demonyms.csv") and text.language != ENGLISH:
        english = place.another(text, f"words/{ENGLISH}/demonyms.csv").values()
        cells = {"en": next(row["name"] for row in english if row["code"] == cells["code"]), **cells}
    return "; ".join(f"{name}: {value}" for name, value in cells.items() if name and value)


def _statement_word(text: Text, place: _Place) -> str | None:
    """A word in its list, or with the English term that is taken for it."""
    if text.file.endswith("terms.toml"):
        return f"{text.path[-1]} = {text.text}"
    return _listed(text, place)


def _people(text: Text, place: _Place) -> str:
    """The phrase with the name of a country for which it is used (CLDR)."""
    from babel import Locale

    match text.path:
        case ("form", number, _):
            form = place.section["form"][int(number) - 1]
            names = Locale(text.language).territories
            used = [names.get(code, code) for code in form.get("countries", [])]
            starts = form.get("starts", [])
            used += [name for name in names.values() if any(name.startswith(start) for start in starts)]
            if used:
                return _filled(text.text, {"country": used[0]})
    usual = place.tree["usual"]
    return _filled(text.text, {**place.examples, "from_country": _filled(usual, place.examples)})


def _page(text: Text, _place: _Place) -> str:
    """The words on the page: without markup, with the name of what is filled in."""
    return re.sub(r"%\((\w+)\)[a-z]", r"[\1]", re.sub(r"<[^<>]+>", "", text.text))


def _pattern(text: Text, _place: _Place) -> str:
    return text.text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_WAYS: Mapping[str, Callable[[Text, _Place], str | None]] = {
    "story prompts": _story,
    "pair templates": _pair,
    "neutral identities": _neutral,
    "harm study questions": _harm,
    "word lists": _term,
    "association templates": _template,
    "question templates": _question,
    "names bank": _name,
    "opposites": lambda text, place: (
        _row(text, place) if text.file.endswith(".csv") else _listed(text, place)
    ),
    "names of peoples": _row,
    "preset pairs": _row,
    "statement words": _statement_word,
    "country phrases": _people,
    "answer words": _listed,
    "answer patterns": _pattern,
    "unkind words": _listed,
    "calls to harm": _listed,
    "words of offence": _listed,
    "page texts": _page,
    "preset texts": lambda text, _place: text.text,
}
