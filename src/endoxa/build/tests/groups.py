"""The groups of one or more crossed axes: from a list that names them, or from heads and modifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from endoxa.build.tests.lists import WordLists
from endoxa.build.tests.terms import Term, WordSet
from endoxa.errors import UserError

CROSSED = "crossed"
"""Name of the lists that are made from heads and modifiers."""


@dataclass(frozen=True, slots=True)
class Group:
    """Terms that stand for one group.

    Attributes:
        values: value by axis.
        name: what it is called ("hindu male").
        terms: its terms, all different.
        list: the list they come from, or `CROSSED`.
        source: citation.
    """

    values: Mapping[str, str]
    name: str
    terms: tuple[Term, ...]
    list: str
    source: str


def groups(
    lists: WordLists, axes: Sequence[str], language: str, wanted: str | None = None
) -> tuple[Group, ...]:
    """Every group of the crossed axes in one language.

    A list that has exactly these axes is taken first, then one that has more of them (its groups are united over
    the others, as IndiBias unites the names of men and women to "Hindu names"), then heads crossed with modifiers.

    Args:
        lists: the word lists.
        axes: at least one axis.
        language: ISO 639 code.
        wanted: name of the list to take, or `CROSSED`.

    Raises:
        UserError: there is no such list, or nothing to make the groups from.
    """
    available = [one for one in lists.sets if one.language == language and one.group and not one.modifies]
    choices: dict[str, list[WordSet]] = {}
    for exact in (True, False):
        for one in available:
            fits = set(one.group) == set(axes) if exact else set(one.group) > set(axes)
            if fits:
                choices.setdefault(one.list, []).append(one)
    for name, sets in choices.items():
        found = _united(lists, sets, axes)
        if wanted in (None, name) and len(found) > 1:
            return found
    if wanted in (None, CROSSED):
        found = _crossed(lists, axes, language)
        if len(found) > 1:
            return found
    raise _missing(lists, axes, language, wanted, list(choices))


def _missing(
    lists: WordLists, axes: Sequence[str], language: str, wanted: str | None, choices: Sequence[str]
) -> UserError:
    asked = " x ".join(axes)
    if wanted is not None:
        names = ", ".join([*choices, CROSSED])
        return UserError(
            f"There is no list '{wanted}' of {asked} in '{language}'; there can be: {names} (--from)."
        )
    spoken = [
        code
        for code in lists.languages
        if all(any(axis in one.group for one in lists.sets if one.language == code) for axis in axes)
    ]
    return UserError(
        f"There are no terms for {asked} in '{language}'; there are for: {', '.join(spoken) or 'no language'}. "
        "Bring your own with --lists FILE."
    )


def _name(lists: WordLists, values: Mapping[str, str]) -> str:
    """Outermost modifier first, the first axis of all (gender) last."""
    ranked = [axis for axis in lists.axes if axis in values]
    return " ".join(lists.label(axis, values[axis]) for axis in reversed(ranked))


def _distinct(terms: Sequence[Term]) -> tuple[Term, ...]:
    """One term for each text: the forms of pronouns and nouns of one text are the same word."""
    return tuple({term.text: term for term in reversed(terms)}.values())[::-1]


def _united(lists: WordLists, sets: Sequence[WordSet], axes: Sequence[str]) -> tuple[Group, ...]:
    found: dict[tuple[str, ...], list[WordSet]] = {}
    for one in sets:
        found.setdefault(tuple(one.group[axis] for axis in axes), []).append(one)
    made = []
    for key, parts in found.items():
        values = dict(zip(axes, key, strict=True))
        terms = _distinct([term for part in parts for term in part.terms])
        made.append(Group(values, _name(lists, values), terms, parts[0].list, parts[0].source))
    return tuple(made)


def _crossed(lists: WordLists, axes: Sequence[str], language: str) -> tuple[Group, ...]:
    """Heads of as many of the axes as there are, each with one modifier of every other axis."""
    spoken = [one for one in lists.sets if one.language == language]
    heads = [one for one in spoken if one.head and set(one.group) <= set(axes)]
    most = max((len(one.group) for one in heads), default=0)
    heads = [one for one in heads if len(one.group) == most]
    heads = [one for one in heads if one.list == heads[0].list]
    if not heads:
        return ()
    others = [axis for axis in lists.axes if axis in axes and axis not in heads[0].group]
    modifiers = [[one for one in spoken if one.modifies and set(one.group) == {axis}] for axis in others]
    made = []
    for head, *parts in product(heads, *modifiers):
        values = {**head.group}
        for part in parts:
            values |= part.group
        bare = [term for term in head.terms if not set(term.without) & set(others)]
        terms = [
            crossed
            for term, *words in product(bare, *(part.terms for part in parts))
            if (crossed := _compound(term, words, [part.place for part in parts])) is not None
        ]
        if terms:
            source = "; ".join(dict.fromkeys(one.source for one in (head, *parts)))
            made.append(Group(values, _name(lists, values), _distinct(terms), CROSSED, source))
    return tuple(made)


def _compound(head: Term, modifiers: Sequence[Term], places: Sequence[str]) -> Term | None:
    """The head with its modifiers, the first one next to it, in every form that all of them have."""
    forms = {}
    for code, form in head.forms.items():
        phrase: str | None = form
        for modifier, place in zip(modifiers, places, strict=True):
            word = modifier.form(code)
            phrase = _joined(phrase, word, place) if phrase is not None and word is not None else None
        if phrase is not None:
            forms[code] = phrase
    first = [head, *(one for one, place in zip(modifiers, places, strict=True) if place == "before")][-1]
    return Term(head.kind, forms, vowel=first.vowel) if forms else None


def _joined(phrase: str, word: str, place: str) -> str:
    return f"{word} {phrase}" if place == "before" else f"{phrase} {word}"
