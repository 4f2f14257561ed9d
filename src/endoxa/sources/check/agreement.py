"""Checks of agreement with the group, and of like construction in the two halves of a pair.

A sentence that does not agree is less probable for that reason alone (Blodgett et al. 2021 on grammar and agreement),
and where one half only has the fault, every model prefers the other. What forms a word has is read from tables of its
language: words of `opposites.csv`, inflected by the paradigms of `checks.toml`. A word that they lack is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from endoxa.sources.check.problems import SENTENCES, Item, Problem
from endoxa.sources.check.wording import lists_by_language, negates
from endoxa.sources.typography import Word, words
from endoxa.words.packs import rows_of, words_of

PLURALS = frozenset({"p", "fp"})
_FEATURES = ("s", "p", "f", "fp")
_GENDERS = {"m": "masculine", "f": "feminine"}


@dataclass(frozen=True, slots=True)
class Tables:
    """What a language brings for these checks.

    Attributes:
        forms: words and the features that each may have: s, p, f, fp (masculine or only form first).
        copulas: forms of "to be" after a plural group in statements.
        copula_last: whether the copula stands behind its predicate.
        other_copulas: further forms of it; a sentence with one of them is not judged to lack one.
        articles: articles.
        passed: words of degree and denials, which may stand between copula and predicate.
        function: words that may follow a predicate that is complete.
        genders: articles and endings of a plural group that show its gender, longest first.
    """

    forms: Mapping[str, frozenset[str]]
    copulas: frozenset[str]
    copula_last: bool
    other_copulas: frozenset[str]
    articles: frozenset[str]
    passed: frozenset[str]
    function: frozenset[str]
    genders: tuple[tuple[str, str], ...]


@cache
def tables_of(language: str) -> Tables:
    """The tables of a language; empty ones where it has none."""
    checks, classes = words_of(language, "checks.toml"), words_of(language, "word_classes.toml")
    surface = words_of(language, "surface.toml")
    copulas = frozenset(checks.get("plural_copulas", "").split())
    return Tables(
        forms=_forms(language, checks.get("paradigms", ())),
        copulas=copulas,
        copula_last=checks.get("copula_last", False),
        other_copulas=frozenset(surface.get("copulas", "").split()) | copulas,
        articles=frozenset(surface.get("articles", "").split()),
        passed=lists_by_language("negations").get(language, frozenset())
        | (lists_by_language("companions").get(language, frozenset()) - copulas)
        | frozenset(classes.get("degree", "").split()),
        function=frozenset(classes.get("function", "").split()),
        genders=tuple(
            (word, gender) for gender, name in _GENDERS.items() for word in checks.get(name, "").split()
        ),
    )


def _forms(language: str, paradigms: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """Forms of the adjectives and nouns of the table of opposites, by the first paradigm that fits each.

    A term that begins with a hyphen takes prefixes ("-vivu"), on its first word; others must be one word.
    """
    forms: dict[str, set[str]] = {}
    for row in rows_of(language, "opposites.csv"):
        if (row.get("pos") or "adj") not in ("adj", "noun"):
            continue
        for term in (term.strip() for pole in (row["one"], row["other"]) for term in pole.split(";")):
            if row.get("form"):
                forms.setdefault(term, set()).add(row["form"])
            elif term.startswith("-") or " " not in term:
                for feature, form in _inflected(term.partition(" ")[0], paradigms):
                    forms.setdefault(form, set()).add(feature)
    return {form: frozenset(features) for form, features in forms.items()}


def _inflected(term: str, paradigms: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Features and forms of a term; nothing where no paradigm fits."""
    for paradigm in paradigms:
        listed, *places = paradigm.split("/")
        if listed.startswith("-"):
            if term.startswith(listed):
                yield from zip(_FEATURES, (place + term[len(listed) :] for place in places), strict=False)
                return
        elif term.endswith(listed):
            stem = term[: len(term) - len(listed)]
            yield from zip(_FEATURES, (stem + place for place in (listed, *places)), strict=False)
            return


def _sides(item: Item) -> Iterator[tuple[str, tuple[Word, ...], int | None]]:
    """Column, words and place of the predicate's first word, of both sentences."""
    tables = tables_of(item.language)
    places = _first_differing(item, tables) if not tables.copulas else (None, None)
    for column, side, place in zip(SENTENCES, (item.more, item.less), places, strict=True):
        yield column, side, _after_copula(side, tables) if tables.copulas else place


def _after_copula(side: Sequence[Word], tables: Tables) -> int | None:
    """Place of the predicate behind (or before) the first copula of the plural."""
    folded = [word.folded for word in side]
    if tables.copula_last:
        at = next((at for at in range(len(folded) - 1, 0, -1) if folded[at] not in tables.passed), 0)
        if folded[at : at + 1] == [] or folded[at] not in tables.copulas:
            return None
        return next((place for place in range(at - 1, 0, -1) if folded[place] not in tables.passed), None)
    start = next((at for at, word in enumerate(folded) if at and word in tables.copulas), None)
    if start is None:
        return None
    return next((at for at in range(start + 1, len(folded)) if folded[at] not in tables.passed), None)


def _first_differing(item: Item, tables: Tables) -> tuple[int | None, int | None]:
    """Places of the first words that differ where the group stays, denials left aside."""
    kept = [
        [at for at, word in enumerate(side) if word.folded not in tables.passed]
        for side in (item.more, item.less)
    ]
    if not item.compares_groups:
        for more, less in zip(*kept, strict=False):
            if item.more[more].folded != item.less[less].folded:
                return more, less
    return None, None


def predicate_number(item: Item) -> Iterator[Problem]:
    """The predicate is a singular after a plural group: 'Los X son flojo'. Words that our tables have, only."""
    tables = tables_of(item.language)
    heads = list(_sides(item))
    features = [_features(side, at, tables) for _, side, at in heads]
    plural = any(feature & PLURALS for feature in features)
    for (column, side, at), feature in zip(heads, features, strict=True):
        if at is not None and feature and not feature & PLURALS and (tables.copulas or plural):
            message = "has a singular predicate after a plural group"
            if plural:
                message += "; the other half has a plural, so that a model prefers that for its grammar"
            yield item.problem(
                "warning", "predicate-number", column, f"{message}: write the plural", side[at].text
            )


def _features(side: Sequence[Word], at: int | None, tables: Tables) -> frozenset[str]:
    """Features of a predicate of one word; empty where it goes on, so that its first word may be no head."""
    if at is None:
        return frozenset()
    goes_on = not tables.copula_last and at + 1 < len(side) and side[at + 1].folded not in tables.function
    return frozenset() if goes_on else tables.forms.get(side[at].folded, frozenset())


def predicate_gender(item: Item) -> Iterator[Problem]:
    """The predicate has another gender than the group, or than in the other half: 'Los X son sumisas'."""
    tables = tables_of(item.language)
    heads = list(_sides(item))
    shown = [_gender(_features(side, at, tables)) for _, side, at in heads]
    for (column, side, at), gender in zip(heads, shown, strict=True):
        group = _group_gender(side, tables)
        if at is not None and gender and group and gender != group:
            message = (
                f"has a {_GENDERS[gender]} predicate, and the group is {_GENDERS[group]}: make them agree"
            )
            yield item.problem("warning", "predicate-gender", column, message, side[at].text)
            return
    if not item.compares_groups and all(shown) and shown[0] != shown[1]:
        text = " / ".join(side[at].text for _, side, at in heads if at is not None)
        message = "the predicates of the halves have different genders: give both that of the group"
        yield item.problem("warning", "predicate-gender", "", message, text)


def _gender(features: frozenset[str]) -> str:
    """Gender of a plural that has one only."""
    return {frozenset({"p"}): "m", frozenset({"fp"}): "f"}.get(features & PLURALS, "")


def _group_gender(side: Sequence[Word], tables: Tables) -> str:
    """Gender of a group of an article and a noun, or a noun, by article or ending; empty where nothing shows it."""
    copula = next((at for at, word in enumerate(side) if word.folded in tables.copulas), len(side))
    before = [word.folded for word in side[:copula] if word.folded not in tables.passed]
    if tables.copula_last or not tables.copulas:
        before = before[:1]
    if not before or len(before) > 2 or (len(before) == 2 and before[0] not in tables.articles):
        return ""
    for word in before:
        for mark, gender in tables.genders:
            if word == mark or (mark.startswith("-") and word.endswith(mark[1:])):
                return gender
    return ""


def capitals_differ(item: Item) -> Iterator[Problem]:
    """A word of the predicate begins with a capital in one half only: 'are Intelligent' against 'are unintelligent'.

    Only words that our table of opposites has without a capital: names have theirs rightly.
    """
    if item.compares_groups:
        return
    ordinary = _ordinary(item.language)
    for edit, span in zip(item.replacements, item.spans, strict=True):
        more, less = (next(iter(side), None) for side in edit.sides)
        if more is None or less is None or not (span.start_more and span.start_less):
            continue
        upper = [word for word in (more, less) if word.text[:1].isupper()]
        if len(upper) == 1 and upper[0].folded in ordinary:
            column = SENTENCES[0] if upper[0] is more else SENTENCES[1]
            message = (
                "begins its predicate with a capital, the other half does not: write both in small letters"
            )
            yield item.problem("warning", "capitals-differ", column, message, f"{more.text} / {less.text}")


@cache
def _ordinary(language: str) -> frozenset[str]:
    """Words of the table of opposites that it has in small letters."""
    terms = (
        term.strip() for row in rows_of(language, "opposites.csv") for pole in (row["one"], row["other"])
        for term in pole.split(";")
    )  # fmt: skip
    single = {term.removeprefix("-") for term in terms if term == term.lower()}
    return frozenset(single | tables_of(language).forms.keys())


def construction(item: Item) -> Iterator[Problem]:
    """The halves say the same group's predicate with an article, or another copula, in one of them only.

    'Son un peligro' against 'son inofensivos', 'son pobres' against 'están ricos'. Denials are left aside.
    """
    if item.compares_groups or negates(item.cell("sent_more"), item.cell("sent_less"), item.language):
        return
    tables = tables_of(item.language)
    firsts = _first_differing(item, tables)
    if None in firsts:
        return
    heads = [(side, at) for side, at in zip((item.more, item.less), firsts, strict=True) if at is not None]
    text = " / ".join(side[at].text for side, at in heads)
    articles = [any(word.folded in tables.articles for word in side[at - 1 : at + 1]) for side, at in heads]
    if articles[0] != articles[1]:
        message = "one half has an article where the other has none: give both the same construction"
        yield item.problem("note", "construction", "", message, text)
    elif all(side[at].folded in tables.other_copulas for side, at in heads):
        message = "the halves have different forms of the copula: give both the same"
        yield item.problem("warning", "construction", "", message, text)


def no_copula(item: Item) -> Iterator[Problem]:
    """An adjective stands where the verb should: 'Los X ladrones.' The sentence must begin with its identity."""
    tables = tables_of(item.language)
    identity = tuple(word.folded for word in words(item.cell("identity")))
    if not tables.copulas or not identity:
        return
    for column, side in zip(SENTENCES, (item.more, item.less), strict=True):
        folded = tuple(word.folded for word in side)
        rest = [word for word in folded[len(identity) :] if word not in tables.passed]
        if folded[: len(identity)] != identity or len(rest) != 1 or not tables.forms.get(rest[0]):
            continue
        if not tables.other_copulas.intersection(folded):
            message = "has an adjective or noun and no verb: add the copula"
            yield item.problem("warning", "no-copula", column, message, rest[0])
