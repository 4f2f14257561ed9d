"""The table of opposites of a language, indexed by every form of every term.

A row of `lexicon/<language>.csv` has two poles: each term of `one` is an opposite of each term of `other`, and the
terms of a pole are synonyms. The natural opposite of a term is the leading (first) term of the other pole, in the row
where the term itself leads, else in the first row that has it. The tables are ours, from general knowledge; the rows
of a user's own file come first and so take precedence. Apostrophes, hyphens, case and white space are normalised
before terms are looked up.

Inflected forms of lexicon terms by simple rules, so that a term is found as it stands in a sentence.

A form has a short name (its *feature*): "" is the term as listed; English uses Penn tags (NNS, JJR ...), Spanish,
French and Portuguese "f", "p" and "fp" (feminine, plural, both), Hindi "f" and "p", Swahili "p" (class 2).
The opposite of a term is given in the same form. Rules cover the regular patterns; `IRREGULAR` the commonest others.
"""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import polars as pl
import regex

from endoxa.curate.english import inflections
from endoxa.errors import UserError
from endoxa.sources.frames import read_table
from endoxa.words.packs import file_with, languages_with, words_of

Forms = dict[str, str]
VOWELS = "aeiouáéíóúàâêîôûãõ"

IRREGULAR: dict[str, dict[str, tuple[str, str, str]]] = {
    "fr": {
        "beau": ("belle", "beaux", "belles"),
        "vieux": ("vieille", "vieux", "vieilles"),
        "fou": ("folle", "fous", "folles"),
        "mou": ("molle", "mous", "molles"),
        "doux": ("douce", "doux", "douces"),
        "gros": ("grosse", "gros", "grosses"),
        "bon": ("bonne", "bons", "bonnes"),
        "gentil": ("gentille", "gentils", "gentilles"),
        "sot": ("sotte", "sots", "sottes"),
        "franc": ("franche", "francs", "franches"),
        "traître": ("traîtresse", "traîtres", "traîtresses"),
        "discret": ("discrète", "discrets", "discrètes"),
        "indiscret": ("indiscrète", "indiscrets", "indiscrètes"),
        "malin": ("maligne", "malins", "malignes"),
    },
    "pt": {
        "mau": ("má", "maus", "más"),
        "bom": ("boa", "bons", "boas"),
        "são": ("sã", "sãos", "sãs"),
        "ladrão": ("ladra", "ladrões", "ladras"),
        "ateu": ("ateia", "ateus", "ateias"),
        "simples": ("simples", "simples", "simples"),
    },
    "es": {
        "mayor": ("mayor", "mayores", "mayores"),
        "superior": ("superior", "superiores", "superiores"),
        "inferior": ("inferior", "inferiores", "inferiores"),
    },
}
INVARIABLE = ("sans", "sem", "en")
ADVERBS = ("poco", "peu", "pouco", "bien", "mal")
SPANISH_ACCENTS = {"ón": "on", "án": "an", "ín": "in", "és": "es"}


def forms(term: str, part: str, language: str) -> Forms:
    """All forms of a lexicon term by feature; the term itself is under "".

    Args:
        term: as listed; in Swahili a leading hyphen marks a stem that takes the prefixes of people.
        part: adj, noun, verb, transitive or adv.
        language: ISO 639 code; without rules for it, the term is the only form.
    """
    if language == "en":
        # A noun or adjective of several words changes its last one, a verb its first.
        first, _, after = term.partition(" ")
        before, _, last = term.rpartition(" ")
        if part in ("verb", "transitive"):
            changed = {tag: f"{form} {after}".strip() for tag, form in inflections(first, part).items()}
        else:
            changed = {tag: f"{before} {form}".strip() for tag, form in inflections(last, part).items()}
        return {"": term} | changed
    if language == "sw":
        return _swahili(term)
    makers: dict[str, Callable[[str], Forms]] = {
        "es": _spanish,
        "fr": _french,
        "pt": _portuguese,
        "hi": _hindi,
    }
    if language not in makers or part not in ("adj", "noun"):
        return {"": term}
    if part == "noun" and " " in term:
        maker = makers[language]
        plural = " ".join(maker(word).get("p", word) for word in term.split())
        return {"p": plural, "fp": plural, "": term, "f": term}
    return _in_phrase(term, makers[language])


def _in_phrase(term: str, maker: Callable[[str], Forms]) -> Forms:
    """Forms of the word that agrees: the first one, or the last after an adverb ("mal élevé").

    Plurals come first: where one form is singular and plural alike ("paresseux"), it is taken as plural, since
    attributes are said of groups.
    """
    first, _, after = term.partition(" ")
    if first in INVARIABLE:
        return {"": term}
    if first in ADVERBS and after:
        inflected = {feature: f"{first} {form}" for feature, form in _in_phrase(after, maker).items()}
    else:
        inflected = {feature: f"{form} {after}".strip() for feature, form in maker(first).items()}
    order = ("p", "fp", "", "f")
    return {
        feature: (inflected | {"": term})[feature] for feature in order if feature in inflected or not feature
    }


def _three(feminine: str, plural: str, feminine_plural: str) -> Forms:
    return {"f": feminine, "p": plural, "fp": feminine_plural}


def _spanish(word: str) -> Forms:
    if word in IRREGULAR["es"]:
        return _three(*IRREGULAR["es"][word])
    bare = word[:-2] + SPANISH_ACCENTS[word[-2:]] if word[-2:] in SPANISH_ACCENTS else word
    if word.endswith("o"):
        feminine, plural = word[:-1] + "a", word + "s"
    elif word.endswith("or") or bare != word:
        feminine, plural = bare + "a", bare + "es"
    elif word.endswith("z"):
        feminine, plural = word, word[:-1] + "ces"
    else:
        feminine, plural = word, word + ("s" if word[-1] in VOWELS else "es")
    return _three(feminine, plural, plural if feminine == word else feminine + "s")


def _portuguese(word: str) -> Forms:
    if word in IRREGULAR["pt"]:
        return _three(*IRREGULAR["pt"][word])
    if word.endswith("o") and not word.endswith("ão"):
        feminine, plural = word[:-1] + "a", word + "s"
    elif word.endswith(("or", "ês")):
        feminine, plural = word.replace("ês", "es") + "a", word.replace("ês", "es") + "es"
    elif word.endswith("m"):
        feminine, plural = word, word[:-1] + "ns"
    elif word.endswith("vel") or word in ("débil", "frágil", "fácil", "difícil", "útil", "inútil"):
        feminine, plural = word, word[:-2] + "eis"
    elif word.endswith("il"):
        feminine, plural = word, word[:-1] + "s"
    elif word.endswith(("el", "ol")):
        feminine, plural = word, word[:-2] + {"e": "é", "o": "ó"}[word[-2]] + "is"
    elif word.endswith("l"):
        feminine, plural = word, word[:-1] + "is"
    else:
        feminine, plural = word, word + ("s" if word[-1] in VOWELS else "es")
    return _three(feminine, plural, plural if feminine == word else feminine + "s")


def _french(word: str) -> Forms:
    if word in IRREGULAR["fr"]:
        return _three(*IRREGULAR["fr"][word])
    endings = {
        "ateur": "atrice", "eur": "euse", "eux": "euse", "if": "ive", "er": "ère", "el": "elle", "en": "enne",
        "oux": "ouse", "c": "que",
    }  # fmt: skip
    feminine = next(
        (word[: -len(old)] + new for old, new in endings.items() if word.endswith(old)),
        word.rstrip("e") + "e",
    )
    if word.endswith("eur") and word in ("supérieur", "inférieur", "mineur", "majeur", "meilleur"):
        feminine = word + "e"
    if word.endswith("al"):
        plural = word[:-2] + "aux"
    elif word.endswith("eau"):
        plural = word + "x"
    else:
        plural = word if word[-1] in "sx" else word + "s"
    return _three(feminine, plural, feminine + "s")


def _hindi(word: str) -> Forms:
    """Adjectives in -ā take -ī and -e; the others do not change (Kachru 2006, ch. 4)."""
    if not word.endswith("ा"):
        return {}
    return {"f": word[:-1] + "ी", "p": word[:-1] + "े"}


def _swahili(term: str) -> Forms:
    """Prefixes of people: m-/mw- for one, wa-/w- for many (Ashton 1947, class 1 and 2)."""
    if not term.startswith("-"):
        return {"": term}
    stem = term[1:]
    if stem.startswith(("sio", "lio")):
        singular = ("asiye" if stem.startswith("sio") else "aliye") + stem[3:]
        return {"": singular, "p": "wa" + stem}
    if stem.startswith("a "):
        return {"": "w" + stem}
    singular = ("mw" if stem[0] in "aeiou" else "m") + stem
    plural = {"e": "w" + stem, "i": "we" + stem[1:]}.get(stem[0], "wa" + stem)
    return {"": singular, "p": plural}


_APOSTROPHES = regex.compile(r"[‘’‛`´ʼ′＇]")
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}]+)*")
_NEGATED_VERB = regex.compile(r"(?<=\p{L})n't\b")
_POSSESSIVE = regex.compile(r"'s?(?!\p{L})")


def plain(text: str) -> str:
    """`text` in NFKC, lower case, with straight apostrophes and single spaces."""
    text = _APOSTROPHES.sub("'", unicodedata.normalize("NFKC", text)).lower()
    return " ".join(text.split())


@lru_cache(maxsize=1024)
def words(text: str, *, split_apostrophes: bool = False) -> tuple[str, ...]:
    """The words of `text`: hyphens part words, "don't" is "do not", a possessive 's is left out.

    Args:
        text: an attribute, as it stands.
        split_apostrophes: take an apostrophe as the end of a word ("n'ont" is "n", "ont"), as French has it.
    """
    text = plain(text)
    if split_apostrophes:
        text = text.replace("'", " ")
    else:
        text = _NEGATED_VERB.sub(" not", text.replace("can't", "cannot"))
        text = _POSSESSIVE.sub("", text)
    return tuple(_WORD.findall(text))


PARTS = ("adj", "noun", "verb", "transitive", "adv")
LONGEST = 4
"""Words of the longest term that is looked for."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How a language negates and grades.

    Attributes:
        negators: words that turn a neighbouring word round ("not", "without").
        degree: words that only grade ("very").
        function: words without a meaning of their own ("the", "are").
        indivisible: adjectives that only seem to deny another one by a prefix or suffix ("infamous").
        negator_follows: whether the negator stands behind what it negates (Hindi).
        splits_at_apostrophe: whether an apostrophe ends a word (French).
    """

    negators: frozenset[str] = frozenset()
    degree: frozenset[str] = frozenset()
    function: frozenset[str] = frozenset()
    indivisible: frozenset[str] = frozenset()
    negator_follows: bool = False
    splits_at_apostrophe: bool = False


@lru_cache
def rules_of(language: str) -> Rules:
    """The rules of a language; empty ones where it has no `word_classes.toml`."""
    entry = words_of(language, "word_classes.toml")
    return Rules(
        negators=frozenset(entry.get("negators", "").split()),
        degree=frozenset(entry.get("degree", "").split()),
        function=frozenset(entry.get("function", "").split()),
        indivisible=frozenset(entry.get("whole", "").split()),
        negator_follows=entry.get("negator_follows", False),
        splits_at_apostrophe=entry.get("splits_at_apostrophe", False),
    )


@dataclass(frozen=True, slots=True)
class Row:
    """Two poles of terms.

    `part` is adj, noun, verb, transitive (a verb before any object) or adv; `form` the feature of all terms, where the
    table says it and no rule makes other forms of them (Arabic).
    """

    part: str
    poles: tuple[tuple[str, ...], tuple[str, ...]]
    form: str | None = None


@dataclass(frozen=True, slots=True)
class Sense:
    """A place of the table where a word stands: row, pole (0 or 1), its form there, and whether it leads the pole."""

    row: int
    pole: int
    feature: str
    leads: bool


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """Opposites of one language; equal to itself only, so that what is read with it can be remembered.

    Attributes:
        language: ISO 639 code.
        rules: negators, words of degree and function words of the language.
        rows: the table, a user's rows first.
        index: senses by key; a key is a term in any form, written together ("hardworking").
    """

    language: str
    rules: Rules
    rows: tuple[Row, ...]
    index: dict[str, tuple[Sense, ...]] = field(repr=False)

    def senses(self, term: Sequence[str]) -> tuple[Sense, ...]:
        """Where the words of `term` stand together in the table, first row first."""
        return self.index.get("".join(term), ())

    def forms(self, row: Row, term: str) -> Forms:
        """The forms of a term of a row by feature, see `forms`."""
        return {row.form: term} if row.form is not None else forms(term, row.part, self.language)

    def split(self, text: str) -> tuple[str, ...]:
        """The words of a text as this language parts them."""
        return words(text, split_apostrophes=self.rules.splits_at_apostrophe)


def languages() -> tuple[str, ...]:
    """Languages with a table of ours."""
    return languages_with("opposites.csv")


def load_lexicon(
    language: str = "en", user_file: Path | None = None, *, may_be_empty: bool = False
) -> Lexicon:
    """The lexicon of a language, with the rows of a user's own file in front.

    Args:
        language: ISO 639 code.
        user_file: CSV, TSV, JSONL, Parquet or XLSX with columns `one` and `other` (terms separated by ';') and, where
            known, `pos`.
        may_be_empty: a language without a table has no opposites, and attributes are compared by their words only.

    Raises:
        UserError: no table for the language and none given, or a row of the file is not as described.
    """
    if not (may_be_empty or user_file or language in languages()):
        raise UserError(
            f"No antonyms for the language '{language}' (available: {', '.join(languages())}). Give your own with "
            "--lexicon FILE."
        )
    return _load(language, user_file)


@lru_cache
def _load(language: str, user_file: Path | None) -> Lexicon:
    rows = list(_rows(read_table(user_file, ("one", "other")), user_file)) if user_file else []
    if language in languages():
        text = file_with(language, "opposites.csv").read_text(encoding="utf-8")
        rows += _rows(pl.read_csv(io.StringIO(text), infer_schema=False), Path(f"{language}.csv"))
    rules = rules_of(language)
    empty = Lexicon(language, rules, (), {})
    index: dict[str, dict[tuple[int, int], Sense]] = {}
    for number, row in enumerate(rows):
        for pole, terms in enumerate(row.poles):
            for place, term in enumerate(terms):
                for feature, form in empty.forms(row, term).items():
                    key = "".join(words(form, split_apostrophes=rules.splits_at_apostrophe))
                    index.setdefault(key, {}).setdefault(
                        (number, pole), Sense(number, pole, feature, place == 0)
                    )
    return Lexicon(
        language, rules, tuple(rows), {key: tuple(senses.values()) for key, senses in index.items()}
    )


def _rows(table: pl.DataFrame, path: Path) -> Iterator[Row]:
    for number, row in enumerate(table.iter_rows(named=True), start=1):
        part = (row.get("pos") or "adj").strip()
        first, second = (
            tuple(term.strip() for term in (row[side] or "").split(";") if term.strip())
            for side in ("one", "other")
        )
        if not first or not second:
            raise UserError(f"{path}, row {number}: 'one' or 'other' is empty. Expected a term in both.")
        if part not in PARTS:
            raise UserError(
                f"{path}, row {number}, column 'pos': '{part}' is invalid. Expected one of: {', '.join(PARTS)}."
            )
        form = (row.get("form") or "").strip()
        yield Row(part, (first, second), {"s": ""}.get(form, form) if form else None)
