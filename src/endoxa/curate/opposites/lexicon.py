"""The table of opposites of a language, indexed by every form of every term.

A row of `lexicon/<language>.csv` has two poles: each term of `one` is an opposite of each term of `other`, and the
terms of a pole are synonyms. The natural opposite of a term is the leading (first) term of the other pole, in the row
where the term itself leads, else in the first row that has it. The tables are ours, from general knowledge; the rows
of a user's own file come first and so take precedence. Apostrophes, hyphens, case and white space are normalised
before terms are looked up.

Forms of words by tables, so that a term of the lexicon is found, and said, as it stands in a sentence.

A form has a short name (its *feature*): "" is the term as listed; English has Penn tags (NNS, JJR ...), others "f", "p"
and "fp" (feminine, plural, both). The opposite of a term is given in the same form. `inflections.csv` has the
regular patterns of a language, in order, and `forms.csv` the words that have forms of their own.
"""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated

import polars as pl
import regex
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from endoxa.curate.english import inflections
from endoxa.errors import UserError
from endoxa.sources.frames import read_table
from endoxa.sources.typography import readable, unseen_removed
from endoxa.words.packs import file_with, languages_with, rows_of, words_of
from endoxa.words.patterns import SLOTS, Pattern, compiled

_APOSTROPHES = regex.compile(r"[‘’‛`´ʼ′＇]")
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}]+)*")
_NEGATED_VERB = regex.compile(r"(?<=\p{L})n't\b")
_POSSESSIVE = regex.compile(r"'s?(?!\p{L})")


def plain(text: str) -> str:
    """`text` in NFKC, lower case, with straight apostrophes and single spaces."""
    text = _APOSTROPHES.sub("'", unicodedata.normalize("NFKC", readable(text))).lower()
    return " ".join(text.split())


@lru_cache(maxsize=1024)
def words(text: str, *, split_apostrophes: bool = False) -> tuple[str, ...]:
    """The words of `text`: hyphens part words, "don't" is "do not", a possessive 's is left out.

    Args:
        text: an attribute, as it stands.
        split_apostrophes: take an apostrophe as the end of a word ("n'ont" is "n", "ont"), as French has it.
    """
    text = unseen_removed(plain(text))
    if split_apostrophes:
        text = text.replace("'", " ")
    else:
        text = _NEGATED_VERB.sub(" not", text.replace("can't", "cannot"))
        text = _POSSESSIVE.sub("", text)
    return tuple(_WORD.findall(text))


PARTS = ("adj", "noun", "verb", "transitive", "adv")
LONGEST = 4
"""Words of the longest term that is looked for."""


Words = Annotated[frozenset[str], BeforeValidator(str.split)]
"""Words of a TOML file, separated by blanks."""


class Rules(BaseModel):
    """How a language negates and grades, as `word_classes.toml` has it; empty where the language has none.

    Attributes:
        negators: words that turn a neighbouring word round ("not", "without").
        degree: words that only grade ("very").
        function: words without a meaning of their own ("the", "are").
        indivisible: adjectives that only seem to deny another one by a prefix or suffix ("infamous").
        negator_follows: whether the negator stands behind what it negates (Hindi).
        splits_at_apostrophe: whether an apostrophe ends a word (French).
    """

    model_config = ConfigDict(frozen=True)
    negators: Words = frozenset()
    degree: Words = frozenset()
    function: Words = frozenset()
    indivisible: Words = Field(frozenset(), alias="whole")
    negator_follows: bool = False
    splits_at_apostrophe: bool = False


@lru_cache
def rules_of(language: str) -> Rules:
    """The rules of a language."""
    return Rules.model_validate(words_of(language, "word_classes.toml"))


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


Forms = dict[str, str]
_COLUMNS = {"p": "plural", "fp": "feminine_plural", "": "singular", "f": "feminine"}
"""Plurals come first: a form that is singular and plural alike ("paresseux") is a plural: it is said of groups."""
_SURE = {"": (), "masculine": ("",), "yes": ("", "f")}
"""Features by which a word that no list has is known, by the cell `any_word`; with `masculine` there is no feminine to
tell, since nouns end so, too ("lago")."""
_CLASSES = SLOTS | {"w": r"\S*"}


def forms(term: str, part: str, language: str) -> Forms:
    """All forms of a lexicon term by feature; the term itself is under "".

    Args:
        term: as listed; in Swahili a leading hyphen marks a stem that takes the prefixes of people.
        part: adj, noun, verb, transitive or adv.
        language: ISO 639 code; without a table for it, the term is the only form.
    """
    first, _, after = term.partition(" ")
    if language == "en":
        # A noun or adjective of several words changes its last one, a verb its first.
        before, _, last = term.rpartition(" ")
        if part in ("verb", "transitive"):
            changed = {tag: f"{form} {after}".strip() for tag, form in inflections(first, part).items()}
        else:
            changed = {tag: f"{before} {form}".strip() for tag, form in inflections(last, part).items()}
        return {"": term} | changed
    if part not in ("adj", "noun"):
        return {"": term}
    if part == "noun" and after and not term.startswith("-"):
        plural = " ".join(_forms(word, language).get("p", word) for word in term.split())
        return {"p": plural, "fp": plural, "": term, "f": term}
    classes = words_of(language, "word_classes.toml")
    if first in classes.get("before_adjectives", "").split() and after:  # "mal élevé": the next word agrees
        return {feature: f"{first} {form}" for feature, form in forms(after, part, language).items()}
    return {feature: f"{form} {after}".strip() for feature, form in _forms(first, language).items()}


@cache
def _patterns(language: str) -> tuple[tuple[Pattern, dict[str, Pattern], tuple[str, ...]], ...]:
    """Of each row of `inflections.csv`: the listed form, the forms by feature, and the features that show any word."""
    result = []
    for number, row in enumerate(rows_of(language, "inflections.csv"), start=1):
        try:
            shapes = {key: compiled(row[name], _CLASSES) for key, name in _COLUMNS.items() if row[name]}
            result.append((compiled(row["listed"], _CLASSES), shapes, _SURE[row["any_word"]]))
        except (ValueError, KeyError) as error:
            raise UserError(f"inflections.csv of '{language}', row {number}: {error}.") from error
    return tuple(result)


@cache
def _irregular(language: str) -> dict[str, Forms]:
    """What `forms.csv` says, by the masculine (or only) singular."""
    columns = {"p": "plural_m", "fp": "plural_f", "": "singular_m", "f": "singular_f"}
    return {
        row["singular_m"]: {feature: row[name] for feature, name in columns.items() if row[name]}
        for row in rows_of(language, "forms.csv")
    }


def _forms(word: str, language: str) -> Forms:
    """The forms of one word; only itself where no row is about it."""
    if word in _irregular(language):
        return _irregular(language)[word]
    for listed, shapes, _ in _patterns(language):
        if (slots := listed.match(word)) is not None:
            return {feature: shape.fill(slots) for feature, shape in shapes.items()}
    return {"": word}


def forms_of_term(text: str, lexicon: Lexicon | None) -> Iterator[Forms]:
    """The forms of every term of the lexicon that has `text` among them."""
    if lexicon is None:
        return
    for sense in lexicon.senses(lexicon.split(text)):
        row = lexicon.rows[sense.row]
        for term in row.poles[sense.pole]:
            inflected = lexicon.forms(row, term)
            if text in inflected.values():
                yield inflected


def forms_of_word(word: str, language: str, lexicon: Lexicon | None) -> Iterator[Forms]:
    """The forms of every entry that has a word in any form: opposites, `forms.csv`, else an ending that is sure."""
    listed = [
        *forms_of_term(word, lexicon),
        *(each for each in _irregular(language).values() if word in each.values()),
    ]
    yield from listed
    for _, shapes, sure in () if listed else _patterns(language):
        slots = [shape.match(word) for feature, shape in shapes.items() if "f" in sure]
        if filled := next((each for each in slots if each is not None), None):
            yield {feature: shape.fill(filled) for feature, shape in shapes.items()}
            return


def forms_of_singular(word: str, language: str, lexicon: Lexicon | None) -> Forms | None:
    """The forms of a word that is a singular, masculine or feminine; None where no list or sure ending knows it."""

    def singular(inflected: Forms) -> bool:
        return "p" in inflected and word in (inflected[""], inflected.get("f"))

    listed = (*_irregular(language).values(), *forms_of_term(word, lexicon))
    if inflected := next(filter(singular, listed), None):
        return inflected
    for _, shapes, sure in _patterns(language):
        for feature in ("", "f"):
            slots = shapes[feature].match(word) if feature in shapes else None
            if slots is not None and feature in sure:
                masculine = len(sure) == 1 and shapes.get("f") != shapes[""]
                return {
                    each: form.fill(slots)
                    for each, form in shapes.items()
                    if not masculine or each in ("", "p")
                } | ({"fp": ""} if masculine else {})
            if slots is not None and not feature:
                return None
    return None


def is_masculine_plural(word: str, language: str) -> bool:
    """Whether the ending of a word is that of a masculine plural, and of no feminine one ("buenos")."""
    for each in _irregular(language).values():
        if word in (each["p"], each.get("fp")):
            return word != each.get("fp", word)
    for _, shapes, sure in _patterns(language):
        if sure and "fp" in shapes and shapes["p"] != shapes["fp"] and shapes["p"].match(word) is not None:
            return True
    return False
