"""Whether bleached sentences are grammatical: number, gender, articles, elision, names against nouns.

The rules are in `check.toml`, written independently of the templates: a sentence encoder should meet a term in a
sentence that people would say, not in "This is executive." or "a executive".
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from endoxa.instruments.association_tests.items.templates import Templates, sentences
from endoxa.instruments.association_tests.items.terms import ANY, Term

BARE = ("name", "mass", "adjective", "pronoun", "verb")
_NEED_ARTICLE = ("en", "fr", "es", "pt")
_WORD = re.compile(r"[^\W\d_][\w\u0900-\u097f’'-]*", re.UNICODE)
_ELIDED = re.compile(r"\b(l|d|c|j|qu)['’]", re.IGNORECASE)
_FRENCH_VOWEL = tuple("aeiouyâàéèêëîïôöùûœ")
_FRENCH_SILENT_H = ("homme", "harmon", "honn", "histo", "horr", "habitant", "humain", "hostil", "hôtel")
_SPANISH_STRESSED_A = ("agua", "álgebra", "alma", "arma", "área", "hambre")


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
    for word in around:
        if (
            code != ANY
            and word in demands
            and code not in demands[word].split()
            # Spanish "el agua", "un arma": feminine nouns with the masculine article.
            and not (
                language == "es" and word in ("el", "un") and form.lower().startswith(_SPANISH_STRESSED_A)
            )
        ):
            yield f"'{word}' does not go with '{form}' ({code})"
    last = _words(before)[-1:]
    has_article = bool(last) and last[0] in rules.get("articles", ())
    if kind in BARE and has_article and not (language == "fr" and kind == "mass"):
        yield f"an article before a {kind}"
    if kind == "noun" and language in _NEED_ARTICLE and code in ("s", "ms", "fs") and not has_article:
        yield "a singular noun without an article"
    if last:
        yield from _sound(last[0], form, language)


def _outer(text: str, rules: Mapping[str, Any]) -> Iterator[str]:
    if text[:1] != text[:1].upper():
        yield "does not begin with a capital"
    if not text.endswith(rules.get("stop", tuple(".।。؟!?"))):
        yield "does not end with a full stop"
    if "  " in text or re.search(r"[{}]|\s[.,।]|['’]\s", text):
        yield "holds a stray space or brace"


def _words(text: str) -> list[str]:
    """Words in lower case; an elided article is a word ("l'homme" is "l'", "homme")."""
    parted = _ELIDED.sub(lambda match: f"{match.group(1)}' ", text.replace("’", "'").lower())
    return _WORD.findall(parted)


def _sound(word: str, form: str, language: str) -> Iterator[str]:
    """Articles that go by the sound behind them."""
    low = form.lower()
    if language == "en" and word in ("a", "an"):
        from endoxa.sources.check.wording import CONSONANT_SOUND, VOWEL_SOUND

        vowel = low.startswith(VOWEL_SOUND) or (low[0] in "aeiou" and not low.startswith(CONSONANT_SOUND))
        if vowel != (word == "an"):
            yield f"'{word}' before '{form}'"
    if language == "fr":
        vowel = low.startswith(_FRENCH_VOWEL) or low.startswith(_FRENCH_SILENT_H)
        if (word in ("le", "la", "du") and vowel) or (word == "l'" and not vowel):
            yield f"'{word}' before '{form}'"
    if language == "es" and word in ("la", "una") and low.startswith(_SPANISH_STRESSED_A):
        yield f"'{word}' before '{form}'"


@cache
def _rules() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("check.toml").read_text(encoding="utf-8"))
