"""An attribute as it is said of one man and of one woman ("bavard", "bavarde"), so that its form tells nobody apart."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from itertools import takewhile

import regex

from endoxa.curate.opposites import Lexicon
from endoxa.curate.opposites.lexicon import Forms, forms_of_word, rules_of
from endoxa.words.packs import rows_of, words_of
from endoxa.words.patterns import grammars_of
from endoxa.words.people import groups_in, has_gender, written

Genders = tuple[str, str]
"""A text of one man and of one woman; empty where that form is not known."""


def in_genders(attribute: str, language: str, lexicon: Lexicon | None) -> Genders:
    """An attribute as it is quoted of one man and of one woman.

    Adjectives and nouns whose forms are known are put into the singular; a verb stays as it is, but for its gender. A
    word for people, and one with an ending of one gender, shows that gender also where its other form is not known.

    Args:
        attribute: as people said it of many.
        language: ISO 639 code; without genders the attribute is both forms.
        lexicon: opposites of the language, whose forms are looked up, too.
    """
    text = _without_postposition(attribute, language)
    rows = next(iter(grammars_of(language)), None)
    if not has_gender(language) or rows is None:
        return text, text
    reading = next(rows.readings(text), None)
    if reading is None:
        return _agreeing(text, language, lexicon, many=False)
    if "a" in reading.slots:
        versions = _agreeing(reading.slots["a"], language, lexicon, many=True)
        masculine, feminine = (each and reading.here.fill({**reading.slots, "a": each}) for each in versions)
        return _ending(masculine, feminine, language)
    if words_of(language, "word_classes.toml").get("verb_genders"):
        return _ending(text, text, language)
    return _of_verb(text, language, lexicon) if "shows_verbs" in rows.classes else (text, text)


def _of_verb(text: str, language: str, lexicon: Lexicon | None) -> Genders:
    """What a sentence pattern reads in a language whose verbs show a gender."""
    versions = _agreeing(text, language, lexicon, many=False)
    if all(versions) and len({*versions}) > 1:
        return versions
    verb = next((word for word in text.split() if word not in rules_of(language).negators), "")
    return _of_gender(text, _shown(verb, language))


def _of_gender(text: str, gender: str) -> Genders:
    return "" if gender == "f" else text, "" if gender == "m" else text


def quoted(forms: Genders, genders: Collection[str]) -> str:
    """The attribute as it stands in quotation marks beside people of some genders, so that it tells none apart.

    Empty where it shows the gender of one of two. Of people of one gender, of which no form is known, the other stands.

    Args:
        forms: of one man and of one woman, see `in_genders`.
        genders: of the people: 'm', 'f', or empty in languages without.
    """
    here = [form for form, gender in zip(forms, "mf", strict=True) if gender in genders]
    if len(here) > 1:
        return " / ".join(dict.fromkeys(here)) if all(here) else ""
    return next(filter(None, (*here, *forms)))


def _without_postposition(attribute: str, language: str) -> str:
    """Without a first word that governs the group and has none here ("को गाना आता है")."""
    first, _, rest = attribute.partition(" ")
    return rest if rest and first in words_of(language, "extract.toml").get("governing", ()) else attribute


def _ending(masculine: str, feminine: str, language: str) -> Genders:
    """Both texts with the endings by which a verb shows a gender ("करते हैं", "करती हैं")."""
    for endings in words_of(language, "word_classes.toml").get("verb_genders", ()):
        if ending := next((each for each in endings if (masculine or feminine).endswith(each)), ""):
            of_man, of_woman = (text.removesuffix(ending) for text in (masculine, feminine))
            return of_man and of_man + endings[0], of_woman and of_woman + endings[1]
    return masculine, feminine


def _agreeing(text: str, language: str, lexicon: Lexicon | None, *, many: bool) -> Genders:
    """What stands before a complement in both genders, in the singular unless `many` or a word is not known."""
    rules, classes = rules_of(language), words_of(language, "word_classes.toml")
    joining = {*words_of(language, "extract.toml").get("conjunctions", ()), *rules.negators, *rules.degree}
    joining |= {*classes.get("before_adjectives", "").split()}
    tokens = text.split()
    if rules.negator_follows:  # the predicate stands at the end
        tokens.reverse()
    before = list(takewhile(lambda token: token.lower() in rules.function, tokens))
    articles = words_of(language, "extract.toml")
    for gender, name in (("f", "feminine"), ("m", "masculine")):
        if before and before[0].lower() in articles.get(name, ()):
            return _of_gender(text, gender)
    head = before + list(
        takewhile(
            # "l'argent": an article that is one word with its noun
            lambda token: token.lower().partition("'")[0] not in rules.function - joining,
            tokens[len(before) :],
        )
    )
    joining |= rules.function
    words = {token for token in head if token.lower() not in joining}
    entries = {token: [*_entries(token.lower(), language, lexicon)] for token in words}
    first = next((token for token in head if token in words), "")
    if first and not entries[first] and not _shown(first.lower(), language):
        return text, text
    many = many or bool(before) or not all(entries.values())
    versions = [
        _of_word(token, entries[token], language, many=many) if token in words else (token, token)
        for token in head
    ]
    step = -1 if rules.negator_follows else 1
    sides = zip(*versions, *((token, token) for token in tokens[len(head) :]), strict=True)
    masculine, feminine = (written(" ".join(side[::step]), language) if all(side) else "" for side in sides)
    return masculine, feminine


def _entries(word: str, language: str, lexicon: Lexicon | None) -> Iterator[Forms]:
    """The forms of all that a word may be: of a group first, which has the right ones ("professeures")."""
    if people := _people(language).get(word):
        yield people
    else:
        # Where a table lists each form by itself (Arabic), the singular is that of men.
        alone = not rows_of(language, "inflections.csv")
        for each in _listed_apart(word, lexicon) or forms_of_word(word, language, lexicon):
            yield {"s": word} if alone and [*each] == [""] else each


def _listed_apart(word: str, lexicon: Lexicon | None) -> list[Forms]:
    """A plural in both genders, where the table lists a word by rows: plural, singular, feminine plural (Arabic)."""
    if lexicon is None:
        return []
    for sense in lexicon.senses(lexicon.split(word)):
        start = sense.row - (2 if lexicon.rows[sense.row].form == "fp" else 0)
        rows = lexicon.rows[max(start, 0) : start + 3]
        if [row.form for row in rows] == ["p", "", "fp"]:
            masculine, feminine = rows[0].poles[sense.pole][0], rows[2].poles[sense.pole][0]
            return [{"": masculine, "f": feminine, "p": masculine, "fp": feminine}]
    return []


@cache
def _people(language: str) -> dict[str, Forms]:
    forms: dict[str, Forms] = {}
    for row in groups_in(language):
        entry = {"": row.singular, "f": row.singular_f, "p": row.plural, "fp": row.plural_f}
        for word in filter(None, entry.values()):
            forms.setdefault(word.lower(), entry)
    return forms


def _of_word(word: str, entries: list[Forms], language: str, *, many: bool) -> Genders:
    """A word in both genders; where its entries differ, only what they agree on."""
    low = word.lower()
    versions = {_read(low, entry, many=many) for entry in entries}
    if not versions:
        return _of_gender(word, _shown(low, language))
    if len(versions) == 1:
        masculine, feminine = versions.pop()
        return (word, word) if masculine == feminine == low else (masculine, feminine)
    sides = [{version[side] for version in versions} for side in (0, 1)]
    if any(low in version and version[0] == version[1] for version in versions):
        return word, word
    return tuple(side.pop() if len(side) == 1 else "" for side in sides)  # type: ignore[return-value]


def _read(word: str, inflected: Forms, *, many: bool) -> Genders:
    """A word of one entry in both genders. One without feminine forms fits both; an empty cell says there is none."""
    if len(inflected) == 1:  # a table that lists each form by itself says nothing of the others
        return _of_gender(word, {"p": "m", "f": "f", "fp": "f", "s": "m"}.get(next(iter(inflected)), ""))
    plural = many and (word == inflected.get("p") or word not in (inflected[""], inflected.get("f")))
    masculine = inflected.get("p", "") if plural else inflected[""]
    feminine = inflected.get("fp", inflected.get("f", masculine)) if plural else inflected.get("f", masculine)
    return masculine, feminine


def _shown(word: str, language: str) -> str:
    """'m' or 'f' where a word that no table has shows it, by the slots of `grammar.csv`; else empty."""
    classes = grammars_of(language)[0].classes
    patterns = ((gender, classes.get(f"shows_{gender}", "")) for gender in "fm")
    return next((gender for gender, shape in patterns if shape and regex.fullmatch(shape, word)), "")
