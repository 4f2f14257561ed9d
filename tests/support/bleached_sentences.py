"""Rules of grammar written apart from the templates of association tests, so that a mistake in a template is seen.

`bleached_sentences.toml` says which words go with which number, gender or noun class, and how articles follow sounds.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from endoxa.instruments.association_tests.items.lists import ANY, Term
from endoxa.instruments.association_tests.items.templates import Templates, sentences
from endoxa.words.packs import stops

BARE = ("name", "mass", "adjective", "pronoun", "verb")
_WORD = re.compile(r"[^\W\d_][\w\u0900-\u097f’'-]*", re.UNICODE)
_ELIDED = re.compile(r"\b(l|d|c|j|qu)['’]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fault:
    """A sentence that is not right.

    Attributes:
        language: of the sentence.
        term: the term in it.
        text: the sentence, or nothing where the term has none.
        message: what is wrong.
    """

    language: str
    term: str
    text: str
    message: str


def check_templates(terms: Iterable[tuple[str, Term]], templates: Mapping[str, Templates]) -> list[Fault]:
    """Faults of every sentence of every (language, term); modifiers stand only in compounds and are passed over."""
    faults: list[Fault] = []
    for language, term in terms:
        if term.kind == "modifier":
            continue
        made = list(sentences(term, templates[language]))
        if not made:
            faults.append(Fault(language, term.text, "", f"no sentence takes a {term.kind} of this form"))
        for text, code in made:
            form = term.form(code) or ""
            faults += [
                Fault(language, term.text, text, fault)
                for fault in check_sentence(text, form, term.kind, language, code)
            ]
    return faults


def check_sentence(text: str, form: str, kind: str, language: str, code: str) -> Iterator[str]:
    """What is wrong with a sentence that holds `form`, a term of that kind and agreement.

    A language without rules is checked for its outer form only.
    """
    rules = _rules().get(language, {})
    yield from _outer(text, rules)
    at = text.lower().find(form.lower())
    if at < 0:
        yield f"does not hold '{form}'"
        return
    before, after = text[:at], text[at + len(form) :]
    around = _words(before) + _words(after)
    demands: Mapping[str, str] = rules.get("words", {})
    sound: Mapping[str, Any] = rules.get("sound", {})
    free = sound.get("free", ()) if sound and _begins_so(form, sound) else ()
    for word in around:
        if code != ANY and word not in free and code not in demands.get(word, code).split():
            yield f"'{word}' does not go with '{form}' ({code})"
    last = _words(before)[-1:]
    has_article = bool(last) and last[0] in rules.get("articles", ())
    if kind in BARE and has_article and kind not in rules.get("with_article", ()):
        yield f"an article before a {kind}"
    if kind == "noun" and rules.get("needs_article") and code in ("s", "ms", "fs") and not has_article:
        yield "a singular noun without an article"
    if last and sound and last[0] in sound["none_before" if _begins_so(form, sound) else "only_before"]:
        yield f"'{last[0]}' before '{form}'"


def _outer(text: str, rules: Mapping[str, Any]) -> Iterator[str]:
    if text[:1] != text[:1].upper():
        yield "does not begin with a capital"
    if not text.endswith(rules.get("stop", tuple(stops()))):
        yield "does not end with a full stop"
    if "  " in text or re.search(r"[{}]|\s[.,।]|['’]\s", text):
        yield "holds a stray space or brace"


def _words(text: str) -> list[str]:
    """Words in lower case; an elided article is a word ("l'homme" is "l'", "homme")."""
    parted = _ELIDED.sub(lambda match: f"{match.group(1)}' ", text.replace("’", "'").lower())
    return _WORD.findall(parted)


def _begins_so(form: str, sound: Mapping[str, Any]) -> bool:
    """Whether a form begins with the sound by which articles change."""
    low = form.lower()
    return low.startswith(tuple(sound["also"])) or (
        low[:1] in sound["letters"] and not low.startswith(tuple(sound["except"]))
    )


@cache
def _rules() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
