"""Every pair of groups against every attribute pair (IndiBias, Tables 3, 4 and 9).

The groups of one or more crossed axes come from a list that names them, or from heads and modifiers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import combinations, islice, product

from endoxa.errors import UserError
from endoxa.instruments.association_tests.items.lists import (
    AttributePair,
    Term,
    WordLists,
    WordSet,
    load_lists,
)
from endoxa.instruments.association_tests.items.templates import (
    Templates,
    load_templates,
    require_sentences,
    sentences,
    words_used,
)
from endoxa.instruments.association_tests.options import ALL, WORDS, BuildOptions
from endoxa.schema import AssociationTest, TermSet

BUILDER = "endoxa build tests"
CROSSED = "crossed"
"""Name of the lists that are made from heads and modifiers."""
FEWEST_TERMS = 4


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


def build_tests(options: BuildOptions) -> list[AssociationTest]:
    """Tests of every pair of groups of the crossed axes against every attribute pair, in every language.

    X is the group that comes first by the axes under `lead` of the attribute pair, then by the order of the axes
    in the lists; A is side 'a'. Where the lists name a direction, a positive effect size is that direction.

    Raises:
        UserError: an unknown axis, attribute pair or language, no terms or sentences for one of them, or a set too
            small.
    """
    if not options.axes or not options.attributes:
        raise UserError("Give --axes and --attributes (list them with --list), or --associations FILE.")
    lists, templates = load_lists(options.lists), load_templates(options.templates)
    axes = _distinct_names("axis", options.axes, lists.axes)
    attributes = _distinct_names("attribute pair", options.attributes, lists.pairs)
    tests = []
    for language in _distinct_names("language", options.languages or ("en",), lists.languages):
        require_sentences(language, templates, options.per_term)
        maker = templates.get(language) if options.per_term != WORDS else None
        members = groups(lists, axes, language, options.wanted)
        targets = {
            group.name: _term_set(group.name, group.terms, maker, options.per_term) for group in members
        }
        for attribute in attributes:
            a, b = _sides(lists, attribute, language)
            side_a, side_b = (_term_set(side.name, side.terms, maker, options.per_term) for side in (a, b))
            for x, y, direction in _ordered_pairs(lists, lists.pairs[attribute], members):
                meaning = direction or f"X with {a.name}, Y with {b.name} (no direction claimed)"
                test = AssociationTest(
                    name=f"{language}/{x.name}/{y.name}/{attribute}".replace(" ", "_"),
                    x=targets[x.name],
                    y=targets[y.name],
                    a=side_a,
                    b=side_b,
                    axis=" x ".join(axes),
                    language=language,
                    source=f"groups: {x.list}, {x.source}; attributes: {a.list}, {a.source}; "
                    f"{how_written(maker, options.per_term)}; positive effect: {meaning}",
                    built_by=BUILDER,
                    words=words_used(language, {"word lists": any(s.bundled for s in (x, y, a, b))}, maker),
                )
                tests.append(test)
    return tests


def _distinct_names(kind: str, wanted: Sequence[str], there: Iterable[str]) -> tuple[str, ...]:
    """The distinct words asked for, where all of them are there."""
    names = list(there)
    for word in wanted:
        if word not in names:
            near = get_close_matches(word, names, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise UserError(
                f"Unknown {kind} '{word}'.{hint} Available: {', '.join(names)} (list them with --list)."
            )
    return tuple(dict.fromkeys(wanted))


def _no_terms(what: str, language: str, available: Iterable[str]) -> UserError:
    return UserError(
        f"No terms for {what} in '{language}' (available in: {', '.join(available) or 'no language'}). Give your own "
        "with --lists FILE."
    )


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
    spoken = [word_set for word_set in lists.sets if word_set.language == language]
    full = [word_set for word_set in spoken if set(word_set.group) >= set(axes) and not word_set.modifies]
    full.sort(key=lambda word_set: len(word_set.group) > len(axes))
    names = [*dict.fromkeys(word_set.list for word_set in full), CROSSED]
    for name in names:
        if wanted in (None, name):
            made = (
                _crossed(lists, spoken, axes)
                if name == CROSSED
                else _united(lists, [word_set for word_set in full if word_set.list == name], axes)
            )
            if len(made) > 1:
                return made
    crossed = " x ".join(axes)
    if wanted is not None:
        raise UserError(
            f"--from: no word list '{wanted}' of {crossed} in '{language}'. Available: {', '.join(names)}."
        )
    axes_by_language = {
        code: {axis for word_set in lists.sets if word_set.language == code for axis in word_set.group}
        for code in lists.languages
    }
    raise _no_terms(crossed, language, [code for code, there in axes_by_language.items() if {*axes} <= there])


def _group(
    lists: WordLists, values: Mapping[str, str], terms: Sequence[Term], parts: Sequence[WordSet], origin: str
) -> Group:
    """A group with its name: outermost modifier first, the first axis of all (gender) last."""
    ranked = [axis for axis in lists.axes if axis in values]
    return Group(
        values,
        " ".join(lists.label(axis, values[axis]) for axis in reversed(ranked)),
        # One term for each text: the forms of pronouns and nouns of one text are the same word.
        tuple({term.text: term for term in reversed(terms)}.values())[::-1],
        origin,
        "; ".join(dict.fromkeys(part.source for part in parts)),
        any(part.bundled for part in parts),
    )


def _united(lists: WordLists, sets: Sequence[WordSet], axes: Sequence[str]) -> tuple[Group, ...]:
    """The groups of one list, with all sets that have the same values of the axes."""
    by_values: dict[tuple[str, ...], list[WordSet]] = {}
    for word_set in sets:
        by_values.setdefault(tuple(word_set.group[axis] for axis in axes), []).append(word_set)
    return tuple(
        _group(
            lists,
            dict(zip(axes, key, strict=True)),
            [term for part in parts for term in part.terms],
            parts,
            parts[0].list,
        )
        for key, parts in by_values.items()
    )


def _crossed(lists: WordLists, spoken: Sequence[WordSet], axes: Sequence[str]) -> tuple[Group, ...]:
    """Heads of as many of the axes as there are, each with one modifier of every other axis."""
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
    for sets in product(heads, *modifiers):
        head, *parts = sets
        values = {axis: value for word_set in sets for axis, value in word_set.group.items()}
        bare = [term for term in head.terms if not set(term.without) & set(others)]
        words = list(product(*([(term, part.place) for term in part.terms] for part in parts)))
        terms = [term for first in bare for more in words if (term := _compound(first, more)) is not None]
        if terms:
            made.append(_group(lists, values, terms, sets, CROSSED))
    return tuple(made)


def _compound(head: Term, modifiers: Sequence[tuple[Term, str]]) -> Term | None:
    """The head with its modifiers before or after it, the first one next to it, in every form that all of them have."""
    forms = {}
    for code, form in head.forms.items():
        phrase = [form]
        for modifier, place in modifiers:
            word = modifier.form(code)
            if word is None:
                break
            phrase.insert(0 if place == "before" else len(phrase), word)
        else:
            forms[code] = " ".join(phrase)
    first = [head, *(modifier for modifier, place in modifiers if place == "before")][-1]
    return Term(head.kind, forms, vowel=first.vowel) if forms else None


def _ordered_pairs(
    lists: WordLists, pair: AttributePair, members: Sequence[Group]
) -> Iterator[tuple[Group, Group, str]]:
    """Every pair of groups, the one that becomes X first, with what a positive effect means, where a source says so."""

    def rank(group: Group, axis: str) -> int:
        return lists.axes[axis].index(group.values[axis]) if axis in group.values else 0

    axes = [*pair.lead, *(axis for axis in lists.axes if axis not in pair.lead)]
    for x, y in combinations(sorted(members, key=lambda group: [rank(group, axis) for axis in axes]), 2):
        named = [
            direction
            for axis, direction in pair.direction.items()
            if axis in x.values and rank(x, axis) < rank(y, axis)
        ]
        yield x, y, "; ".join(named)


def _term_set(name: str, terms: Sequence[Term], templates: Templates | None, per_term: int) -> TermSet:
    """The texts of a set: `per_term` sentences for each term, or its words.

    Raises:
        UserError: fewer than four terms, or a term that no sentence takes.
    """
    if len(terms) < FEWEST_TERMS:
        raise UserError(f"The set '{name}' has {len(terms)} terms. Expected at least {FEWEST_TERMS} per set.")
    terms_by_text: dict[str, str] = {}
    for term in terms:
        if templates is None:
            texts = [term.text]
        else:
            made = (text for text, _ in sentences(term, templates))
            texts = list(made if per_term == ALL else islice(made, per_term))
        if not texts and templates is not None:
            raise UserError(
                f"No sentence of '{templates.language}' takes the {term.kind} '{term.text}' ({', '.join(term.forms)}): "
                f"add one under [templates.{term.kind}]."
            )
        for text in texts:
            terms_by_text.setdefault(text, term.text)
    return TermSet(name, tuple(terms_by_text), tuple(terms_by_text.values()))


def how_written(templates: Templates | None, per_term: int) -> str:
    """What the texts are, for the source of a test."""
    if templates is None:
        return "words without a sentence"
    return f"sentences: {templates.source}, {'all' if per_term == ALL else f'{per_term} per term'}"


def _sides(lists: WordLists, attribute: str, language: str) -> tuple[WordSet, WordSet]:
    """Both sides of an attribute pair, from the first list that has them."""
    sets = [word_set for word_set in lists.sets if word_set.attribute == attribute]
    sides: dict[str, dict[str, WordSet]] = {}
    for word_set in sets:
        if word_set.language == language:
            sides.setdefault(word_set.list, {})[word_set.side] = word_set
    for pair in sides.values():
        if len(pair) == 2:
            return pair["a"], pair["b"]
    raise _no_terms(f"'{attribute}'", language, dict.fromkeys(word_set.language for word_set in sets))
