"""Forms of words by tables, so that a term of the lexicon is found, and said, as it stands in a sentence.

A form has a short name (its *feature*): "" is the term as listed; English has Penn tags (NNS, JJR ...), others "f", "p"
and "fp" (feminine, plural, both). The opposite of a term is given in the same form. `inflections.csv` has the
regular patterns of a language, in order, and `forms.csv` the words that have forms of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from endoxa.curate.english import inflections
from endoxa.errors import UserError
from endoxa.words.packs import rows_of, words_of
from endoxa.words.patterns import SLOTS, Pattern, compiled

if TYPE_CHECKING:
    from endoxa.curate.opposites.lexicon import Lexicon

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
