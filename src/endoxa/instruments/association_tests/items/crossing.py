"""Every pair of groups against every attribute pair (IndiBias, Tables 3, 4 and 9).

The groups of one or more crossed axes come from a list that names them, or from heads and modifiers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product

from endoxa.errors import UserError
from endoxa.instruments.association_tests.items.lists import WordLists
from endoxa.instruments.association_tests.items.templates import Templates, sentences, words_used
from endoxa.instruments.association_tests.items.terms import Term, WordSet
from endoxa.instruments.association_tests.options import ALL, WORDS
from endoxa.schema import AssociationTest, TermSet

BUILDER = "endoxa build tests"
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
        bundled: whether any of its terms is from endoxa's own lists.
    """

    values: Mapping[str, str]
    name: str
    terms: tuple[Term, ...]
    list: str
    source: str
    bundled: bool


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
    available = [
        word_set
        for word_set in lists.sets
        if word_set.language == language and word_set.group and not word_set.modifies
    ]
    choices: dict[str, list[WordSet]] = {}
    for exact in (True, False):
        for word_set in available:
            fits = set(word_set.group) == set(axes) if exact else set(word_set.group) > set(axes)
            if fits:
                choices.setdefault(word_set.list, []).append(word_set)
    for name, sets in choices.items():
        made = _united(lists, sets, axes)
        if wanted in (None, name) and len(made) > 1:
            return made
    if wanted in (None, CROSSED):
        made = _crossed(lists, axes, language)
        if len(made) > 1:
            return made
    raise _missing(lists, axes, language, wanted, list(choices))


def _missing(
    lists: WordLists, axes: Sequence[str], language: str, wanted: str | None, choices: Sequence[str]
) -> UserError:
    axes_words = " x ".join(axes)
    if wanted is not None:
        names = ", ".join([*choices, CROSSED])
        return UserError(
            f"--from: no word list '{wanted}' of {axes_words} in '{language}'. Available: {names}."
        )
    spoken = [
        code
        for code in lists.languages
        if all(
            any(axis in word_set.group for word_set in lists.sets if word_set.language == code)
            for axis in axes
        )
    ]
    return UserError(
        f"No terms for {axes_words} in '{language}' (available in: {', '.join(spoken) or 'no language'}). "
        "Give your own with --lists FILE."
    )


def _name(lists: WordLists, values: Mapping[str, str]) -> str:
    """Outermost modifier first, the first axis of all (gender) last."""
    ranked = [axis for axis in lists.axes if axis in values]
    return " ".join(lists.label(axis, values[axis]) for axis in reversed(ranked))


def _distinct(terms: Sequence[Term]) -> tuple[Term, ...]:
    """One term for each text: the forms of pronouns and nouns of one text are the same word."""
    return tuple({term.text: term for term in reversed(terms)}.values())[::-1]


def _united(lists: WordLists, sets: Sequence[WordSet], axes: Sequence[str]) -> tuple[Group, ...]:
    by_values: dict[tuple[str, ...], list[WordSet]] = {}
    for word_set in sets:
        by_values.setdefault(tuple(word_set.group[axis] for axis in axes), []).append(word_set)
    made = []
    for key, parts in by_values.items():
        values = dict(zip(axes, key, strict=True))
        terms = _distinct([term for part in parts for term in part.terms])
        bundled = any(part.bundled for part in parts)
        made.append(Group(values, _name(lists, values), terms, parts[0].list, parts[0].source, bundled))
    return tuple(made)


def _crossed(lists: WordLists, axes: Sequence[str], language: str) -> tuple[Group, ...]:
    """Heads of as many of the axes as there are, each with one modifier of every other axis."""
    spoken = [word_set for word_set in lists.sets if word_set.language == language]
    heads = [word_set for word_set in spoken if word_set.head and set(word_set.group) <= set(axes)]
    most = max((len(word_set.group) for word_set in heads), default=0)
    heads = [word_set for word_set in heads if len(word_set.group) == most]
    heads = [word_set for word_set in heads if word_set.list == heads[0].list]
    if not heads:
        return ()
    others = [axis for axis in lists.axes if axis in axes and axis not in heads[0].group]
    modifiers = [
        [word_set for word_set in spoken if word_set.modifies and set(word_set.group) == {axis}]
        for axis in others
    ]
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
            source = "; ".join(dict.fromkeys(word_set.source for word_set in (head, *parts)))
            bundled = any(word_set.bundled for word_set in (head, *parts))
            made.append(Group(values, _name(lists, values), _distinct(terms), CROSSED, source, bundled))
    return tuple(made)


def _compound(head: Term, modifiers: Sequence[Term], places: Sequence[str]) -> Term | None:
    """The head with its modifiers, the first one next to it, in every form that all of them have."""
    forms = {}
    for code, form in head.forms.items():
        phrase: str | None = form
        for modifier, place in zip(modifiers, places, strict=True):
            word = modifier.form(code)
            if phrase is None or word is None:
                phrase = None
            else:
                phrase = f"{word} {phrase}" if place == "before" else f"{phrase} {word}"
        if phrase is not None:
            forms[code] = phrase
    first = [
        head,
        *(word_set for word_set, place in zip(modifiers, places, strict=True) if place == "before"),
    ][-1]
    return Term(head.kind, forms, vowel=first.vowel) if forms else None


FEWEST_TERMS = 4


@dataclass(frozen=True, slots=True)
class Crossing:
    """What is crossed with what.

    Attributes:
        axes: the axes whose values make the groups.
        attributes: names of attribute pairs.
        languages: ISO 639 codes.
        per_term: sentences for each term, or `ALL`, or `WORDS`.
        wanted: the list of groups to take, where there are several.
    """

    axes: tuple[str, ...]
    attributes: tuple[str, ...]
    languages: tuple[str, ...]
    per_term: int = 1
    wanted: str | None = None


def crossed_tests(
    lists: WordLists, templates: Mapping[str, Templates], crossing: Crossing
) -> Iterator[AssociationTest]:
    """Tests of every pair of groups, for every attribute pair and language.

    X is the group that comes first by the axes under `lead` of the attribute pair, then by the order of the axes
    in the lists; A is side 'a'. Where the lists name a direction, a positive effect size is that direction.

    Args:
        lists: word lists.
        templates: sentences by language.
        crossing: what to cross; its names are those of the lists.

    Raises:
        UserError: no terms, attributes or sentences for one of them, or a set too small.
    """
    for language in crossing.languages:
        require_sentences(language, templates, crossing.per_term)
        maker = templates.get(language) if crossing.per_term != WORDS else None
        members = groups(lists, crossing.axes, language, crossing.wanted)
        made = {group.name: term_set(group.name, group.terms, maker, crossing.per_term) for group in members}
        for attribute in crossing.attributes:
            pair = lists.pairs[attribute]
            a, b = _sides(lists, attribute, language)
            side_a, side_b = (term_set(side.name, side.terms, maker, crossing.per_term) for side in (a, b))
            # Every pair of groups, the one that becomes X first.
            axes = [*pair.lead, *(axis for axis in lists.axes if axis not in pair.lead)]
            ranked = sorted(members, key=lambda group: [_rank(lists, group, axis) for axis in axes])
            for x, y in combinations(ranked, 2):
                named = [
                    direction
                    for axis, direction in pair.direction.items()
                    if axis in x.values and _rank(lists, x, axis) < _rank(lists, y, axis)
                ]
                meaning = "; ".join(named) or f"X with {a.name}, Y with {b.name} (no direction claimed)"
                yield AssociationTest(
                    name=f"{language}/{x.name}/{y.name}/{attribute}".replace(" ", "_"),
                    x=made[x.name],
                    y=made[y.name],
                    a=side_a,
                    b=side_b,
                    axis=" x ".join(crossing.axes),
                    language=language,
                    source=f"groups: {x.list}, {x.source}; attributes: {a.list}, {a.source}; "
                    f"{how_written(maker, crossing.per_term)}; positive effect: {meaning}",
                    built_by=BUILDER,
                    words=words_used(language, {"word lists": any(s.bundled for s in (x, y, a, b))}, maker),
                )


def require_sentences(language: str, templates: Mapping[str, Templates], per_term: int) -> None:
    """Raise UserError where sentences are wanted in a language that has none."""
    if per_term != WORDS and language not in templates:
        raise UserError(
            f"No sentence templates for '{language}' (available for: {', '.join(templates)}). Give your own with "
            "--templates-file FILE, or use words only with --templates words."
        )


def how_written(templates: Templates | None, per_term: int) -> str:
    """What the texts are, for the source of a test."""
    if templates is None:
        return "words without a sentence"
    return f"sentences: {templates.source}, {'all' if per_term == ALL else f'{per_term} per term'}"


def term_set(name: str, terms: Sequence[Term], templates: Templates | None, per_term: int) -> TermSet:
    """The texts of a set: `per_term` sentences for each term, or its words.

    Raises:
        UserError: fewer than four terms, or a term that no sentence takes.
    """
    if len(terms) < FEWEST_TERMS:
        raise UserError(f"The set '{name}' has {len(terms)} terms. Expected at least {FEWEST_TERMS} per set.")
    terms_by_text: dict[str, str] = {}
    for term in terms:
        texts = _texts(term, templates, per_term)
        if not texts:
            language = templates.language if templates else ""
            raise UserError(
                f"No sentence of '{language}' takes the {term.kind} '{term.text}' ({', '.join(term.forms)}): add one "
                f"under [templates.{term.kind}]."
            )
        for text in texts:
            terms_by_text.setdefault(text, term.text)
    return TermSet(name, tuple(terms_by_text), tuple(terms_by_text.values()))


def _texts(term: Term, templates: Templates | None, per_term: int) -> list[str]:
    if per_term == WORDS or templates is None:
        return [term.text]
    made = (text for text, _ in sentences(term, templates))
    return list(made if per_term == ALL else islice(made, per_term))


def _sides(lists: WordLists, attribute: str, language: str) -> tuple[WordSet, WordSet]:
    """Both sides of an attribute pair, from the first list that has them."""
    sides: dict[str, dict[str, WordSet]] = {}
    for word_set in lists.sets:
        if word_set.attribute == attribute and word_set.language == language:
            sides.setdefault(word_set.list, {})[word_set.side] = word_set
    for pair in sides.values():
        if len(pair) == 2:
            return pair["a"], pair["b"]
    spoken = dict.fromkeys(word_set.language for word_set in lists.sets if word_set.attribute == attribute)
    raise UserError(
        f"No terms for '{attribute}' in '{language}' (available in: {', '.join(spoken)}). Give your own with "
        "--lists FILE."
    )


def _rank(lists: WordLists, group: Group, axis: str) -> int:
    return lists.axes[axis].index(group.values[axis]) if axis in group.values else 0
