"""Bleached sentences: what is said of a term so that a sentence encoder can read it.

A language has templates by kind of term and agreement; the little words in them ("a", "the") agree with the term.
`tests.toml` of each language in `endoxa/words` is an example for a user's own.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Formatter
from typing import Any

from endoxa.errors import UserError
from endoxa.instruments.association_tests.items.terms import ANY, KINDS, Term
from endoxa.schema.provenance import words_cell
from endoxa.sources.files import require_file
from endoxa.words.packs import languages_with, stops, words_of

_KEYS = ("language", "source", "plural", "agreement", "vowel", "words", "templates", "people")


@dataclass(frozen=True, slots=True)
class Templates:
    """Sentences of a language.

    Attributes:
        language: ISO 639 code.
        source: who wrote them.
        agreement: meaning by agreement code.
        vowel: 'letters' that a vowel sound begins with; beginnings that have one 'also', or do not ('except').
        words: little words by name, then by agreement code, with '+vowel' before a vowel sound.
        templates: by kind of term, then by agreement codes (separated by spaces, or `ANY`): sentences with `{term}`.
        people: a bleached plural subject by gender, '' for all ("these people"), for attributes of associations.
        plural: agreement code of the plural by gender, '' for all.
        bundled: whether they come with endoxa.
    """

    language: str
    source: str
    agreement: Mapping[str, str]
    vowel: Mapping[str, Any]
    words: Mapping[str, Mapping[str, str]]
    templates: Mapping[str, Mapping[str, tuple[str, ...]]]
    people: Mapping[str, str]
    plural: Mapping[str, str]
    bundled: bool = False

    def begins_with_vowel(self, text: str) -> bool:
        """Whether the language treats the beginning of `text` as a vowel sound."""
        low = text.lower()
        if low.startswith(tuple(self.vowel.get("also", ()))):
            return True
        return low[:1] in self.vowel.get("letters", "") and not low.startswith(
            tuple(self.vowel.get("except", ()))
        )


def load_templates(user_file: Path | None = None) -> dict[str, Templates]:
    """Templates by language; a user's file (one language) takes the place of ours.

    Raises:
        UserError: the file cannot be read, or is not as described above.
    """
    languages = dict.fromkeys(("en", "hi", *languages_with("tests.toml")))
    templates = {
        code: replace(_read(words_of(code, "tests.toml"), f"{code}/tests.toml"), bundled=True)
        for code in languages
    }
    if user_file is not None:
        require_file(user_file)
        try:
            table = tomllib.loads(user_file.read_text(encoding="utf-8-sig"))
        except UnicodeDecodeError as error:
            raise UserError(f"{user_file} is not UTF-8 text: save it as UTF-8.") from error
        except tomllib.TOMLDecodeError as error:
            raise UserError(
                f"{user_file} is not TOML ({error}): docs/build/tests.md shows a file of templates."
            ) from error
        theirs = _read(table, str(user_file))
        templates[theirs.language] = theirs
    return templates


def words_used(language: str, used: Mapping[str, bool], templates: Templates | None) -> str:
    """The cell `words` of a test: the components of which it has something, and our templates where it has those."""
    components = {**used, "association templates": templates is not None and templates.bundled}
    return words_cell((name, language) for name, has in components.items() if has)


def sentences(term: Term, templates: Templates) -> Iterator[tuple[str, str]]:
    """Every sentence of a term with the agreement code of the form in it; the published form first.

    Raises:
        UserError: a little word has no form for that agreement.
    """
    for code, form in term.forms.items():
        for codes, patterns in templates.templates.get(term.kind, {}).items():
            if ANY in (codes, code) or code in codes.split():
                agreed = code if code != ANY else codes.split()[0]
                for pattern in patterns:
                    yield _filled(pattern, form, agreed, term.vowel, templates), agreed


def _filled(pattern: str, form: str, code: str, vowel: bool | None, templates: Templates) -> str:
    before_vowel = templates.begins_with_vowel(form) if vowel is None else vowel
    slots = {"term": form, "Term": form[:1].upper() + form[1:]}
    for slot in _slots(pattern):
        if slot not in slots:
            table = templates.words[slot.lower()]
            word = table.get(f"{code}+vowel") if before_vowel else None
            word = word or table.get(code, table.get(ANY))
            if word is None:
                raise UserError(
                    f"Templates of '{templates.language}': the word '{slot}' has no form for '{code}' ('{form}'); "
                    "add it under [words]."
                )
            slots[slot] = word[:1].upper() + word[1:] if slot[:1].isupper() else word
    text = pattern
    for slot, word in slots.items():  # an elided word stands without a space: l' + homme
        text = text.replace(f"{{{slot}}} ", f"{{{slot}}}") if word.endswith(("'", "’")) else text
    return text.format(**slots)


def _slots(pattern: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(pattern) if name is not None]


def _read(table: Mapping[str, Any], name: str) -> Templates:
    unknown = [key for key in table if key not in _KEYS]
    missing = [key for key in ("language", "templates") if key not in table]
    if unknown or missing:
        fault = f"'{unknown[0]}' is not known" if unknown else f"'{missing[0]}' is missing"
        raise UserError(f"{name}: {fault}; a file of templates has {', '.join(_KEYS)}.")
    for key in ("agreement", "vowel", "words", "templates", "people", "plural"):
        if not isinstance(table.get(key, {}), dict):
            raise UserError(f"{name}: [{key}] is not a table.")
        if key != "templates" and not _only_text(table.get(key, {})):
            raise UserError(
                f"{name}: [{key}] contains a value that is not text. Put quotation marks around it."
            )
    words, agreement = table.get("words", {}), table.get("agreement", {})
    return Templates(
        language=str(table["language"]),
        source=str(table.get("source", Path(name).name)),
        agreement=agreement,
        vowel=table.get("vowel", {}),
        words=words,
        templates={
            kind: _patterns(kind, content, words, agreement, name)
            for kind, content in table["templates"].items()
        },
        people=table.get("people", {}),
        plural=table.get("plural", {}),
    )


def _only_text(content: object) -> bool:
    """Whether every value in nested tables and lists is text."""
    if isinstance(content, dict | list):
        return all(map(_only_text, content.values() if isinstance(content, dict) else content))
    return isinstance(content, str)


def _patterns(
    kind: str, content: object, words: Mapping[str, Any], agreement: Mapping[str, str], name: str
) -> dict[str, tuple[str, ...]]:
    where = f"{name}, [templates.{kind}]"
    if kind not in KINDS or not isinstance(content, dict):
        raise UserError(f"{where}: expected sentences by agreement under one of {', '.join(KINDS)}.")
    for codes, patterns in content.items():
        for code in codes.split():
            if code not in agreement and code != ANY:
                raise UserError(f"{where}: '{code}' is not under [agreement] ({', '.join(agreement)}).")
        if not isinstance(patterns, list) or not patterns:
            raise UserError(f"{where}, '{codes}': expected a list of sentences.")
        for pattern in patterns:
            _require_slots(pattern, words, f"{where}, '{codes}'")
    return {codes: tuple(patterns) for codes, patterns in content.items()}


def _require_slots(pattern: object, words: Mapping[str, Any], where: str) -> None:
    """Raise UserError where a sentence does not hold its term once, or names a word that is not there."""
    try:
        slots = _slots(pattern) if isinstance(pattern, str) else []
    except ValueError:
        slots = []
    if sum(slot in ("term", "Term") for slot in slots) != 1:
        raise UserError(f"{where}: {pattern!r} must hold {{term}} (or {{Term}} at its beginning) once.")
    for slot in slots:
        if slot not in ("term", "Term") and not isinstance(words.get(slot.lower()), dict):
            raise UserError(f"{where}: {pattern!r} names {{{slot}}}, which is not a table under [words].")


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
    return tomllib.loads(files(__package__).joinpath("check.toml").read_text(encoding="utf-8"))
