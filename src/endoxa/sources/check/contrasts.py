"""Checks of what two sentences set against each other: whether both name a group, and whether those are counterparts.

Blodgett et al. 2021 ("Stereotyping Norwegian Salmon", ACL) on pairs whose groups are not comparable or named only
indirectly. What names a group is read from lists of words (`endoxa.sources.groups`, `words/en`), so most checks here
are for English, and a group that no list has is not found.
"""

from __future__ import annotations

from functools import cache

from endoxa.sources.check.problems import Findings, Item, Replacement, changes, check, join
from endoxa.sources.check.wording import (
    AGREEMENT,
    FUNCTION_WORDS,
    GENDERED,
    denials,
    lists_by_language,
    negates,
)
from endoxa.sources.groups import GroupTable, Mention, differing, published_groups, term_of
from endoxa.sources.typography import Word
from endoxa.words.packs import rows_of
from endoxa.words.people import folded, groups_in
from endoxa.words.persons import first_names


@check("note")
def name_for_group(item: Item) -> Findings:
    """The sentences differ in names of persons and in no word for a group, whatever the axis.

    A name carries gender, age, class, origin and region at once (Blodgett et al. 2021 on groups named indirectly), so
    nothing certain follows about one of them. Only English. At the start of a sentence, where every word has a
    capital, one of the two must be a known given name.
    """
    if names := _names(item):
        yield "", "names of persons seem to stand for the groups", changes(names)


def _names(item: Item) -> list[Replacement]:
    """Where names of persons differ and no group is named; pronouns name one where the axis is gender."""
    if item.language != "en" or not item.compares_groups:
        return []
    agreement = AGREEMENT - GENDERED if item.cell("axis") in ("gender", "sex") else AGREEMENT
    sides = (side for edit in item.replacements for side in edit.sides)
    if any(_is_group(tuple(word for word in side if word.folded not in agreement)) for side in sides):
        return []
    return [edit for edit in item.replacements if _names_persons(item, edit)]


def _names_persons(item: Item, edit: Replacement) -> bool:
    """Whether both sides begin with a capital that is that of a name."""
    firsts = [next((w for w in side if w.folded not in AGREEMENT), None) for side in edit.sides]
    if any(word is None or not word.text[0].isupper() for word in firsts):
        return False
    recognised = any(word is not None and folded(_singular(word)) in _first_names() for word in firsts)
    inside = edit.more[0] is not item.more[0] and edit.less[0] is not item.less[0]
    return recognised or (inside and not any(map(_is_group, edit.sides)))


@cache
def _first_names() -> frozenset[str]:
    rows = rows_of("en", "identity_groups.csv")
    return first_names().union(*(row["words"].split(";") for row in rows if row["kind"] == "name"))


def _singular(word: Word) -> str:
    return word.text.replace("’", "'").removesuffix("'s").rstrip("'")


@check("warning", groups=True)
def negation_and_change(item: Item) -> Findings:
    """One sentence denies what the other says, and another word changes too: a preference can come from either.

    Blodgett et al. 2021 on several changes at once. 'Bakers can sing' against 'farmers cannot sing'. 'With' against
    'without' is no such denial: it makes the groups ('people with' and 'without depression').
    """
    more, less = (text for _, text in item.texts)
    if item.language not in lists_by_language("negations") or negates(more, less, item.language):
        return
    defining = any(
        {"with", "without"} == {join(side).casefold() for side in edit.sides} for edit in item.replacements
    )
    if denials(more, item.language) != denials(less, item.language) and not defining:
        yield (
            "",
            "one sentence denies what the other says, and other words change too",
            changes(item.replacements),
        )


@check("warning", english=True, groups=True)
def no_group_term(item: Item) -> Findings:
    """Only words that name no group differ: articles, prepositions, auxiliaries. Only English."""
    changed = [word for edit in item.replacements for side in edit.sides for word in side]
    if changed and all(word.folded in FUNCTION_WORDS for word in changed):
        text = " ".join(word.text for word in changed)
        yield "", "the sentences differ only in words that name no group", text


@check("note", english=True, groups=True)
def unrecognised_group(item: Item) -> Findings:
    """Neither sentence has a word that any of our lists knows as that of a group, or a name: who is it about?

    Only English, and only axes for which the table of groups has words. A list is never complete, so this is a note.
    """
    if (
        published_groups().knows(item.cell("axis"))
        and not any(map(_is_group, (item.more, item.less)))
        and not _names(item)
    ):
        text = " / ".join(text for _, text in item.texts)
        yield "", "neither sentence has a word that is known to name a group", text


@check("warning", english=True, groups=True)
def not_counterparts(item: Item) -> Findings:
    """The sentences set a group against one of another axis, or against itself under another word.

    'Poor' and 'white' are no counterparts: a preference may come from wealth or from colour (Blodgett et al. 2021). Two
    words for one group compare words. Only English, and only axes for which the table of groups has words.
    """
    axis = item.cell("axis")
    table = published_groups()
    if not table.knows(axis):
        return
    sides = [{mention.group for mention in side} for side in _mentions(item, axis)]
    every = {mention.group for side in (item.more, item.less) for mention in table.mentions(side, axis)}
    if all(sides) and len(every) == 1:
        yield "", "both sentences name the same group", every.pop()
    elif bool(sides[0]) != bool(sides[1]):
        lacking = int(bool(sides[0]))
        others = set(table.terms) - next((kin for kin in _KIN if axis in kin), {axis}) - _EVERYWHERE
        other = {mention.group for name in others for mention in _mentions(item, name)[lacking]}
        if other:
            text = " / ".join(", ".join(sorted(groups)) for groups in (sides[1 - lacking], other))
            yield "", "a group of the axis is set against one of another axis", text


_KIN = ({"race-color", "nationality"}, {"disability", "physical-appearance"})
"""Axes whose groups are set against each other: 'Mexican' and 'white', 'disabled' and 'fit'."""
_EVERYWHERE = {"gender"}
"""Axes whose words stand in sentences about all groups: 'a rich man'."""


def _mentions(item: Item, axis: str) -> tuple[list[Mention], list[Mention]]:
    """Groups of an axis named where the sentences differ, in each of them."""
    table = published_groups(names=False)
    more = [(span.start_more, span.end_more) for span in item.spans]
    less = [(span.start_less, span.end_less) for span in item.spans]
    return differing(table.mentions(item.more, axis), more), differing(table.mentions(item.less, axis), less)


def _is_group(side: tuple[Word, ...]) -> bool:
    return bool(_all_groups().mentions(side, ""))


@cache
def _all_groups() -> GroupTable:
    """Every English word for a group that we have, of all axes; given names are none."""
    listed = [
        term
        for terms in published_groups(names=False).terms.values()
        for term, group in terms.items()
        if group
    ]
    names = [word for group in groups_in("en") for word, _ in group.forms]
    terms = (*listed, *map(term_of, names), *((word,) for word in GENDERED))
    return GroupTable({"": dict.fromkeys(terms, "group")})
