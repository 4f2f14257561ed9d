"""What `endoxa build tests` does: from what was asked for to tests, and the list of what can be asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.association_tests.items.associations import CONTRASTS, association_tests, single_tests
from endoxa.instruments.association_tests.items.crossing import Crossing, crossed_tests
from endoxa.instruments.association_tests.items.lists import WordLists, load_lists
from endoxa.instruments.association_tests.items.templates import load_templates
from endoxa.instruments.association_tests.items.terms import WordSet
from endoxa.instruments.association_tests.options import BuildOptions, Contrast
from endoxa.schema import AssociationTest
from endoxa.schema.provenance import BUILT_BY, WORDS, words_cell, words_of_cells


def build_tests(options: BuildOptions) -> list[AssociationTest]:
    """Tests of every pair of groups of the crossed axes against every attribute pair, in every language.

    Raises:
        UserError: an unknown axis, attribute pair or language, or nothing to make a test from.
    """
    if not options.axes or not options.attributes:
        raise UserError("Give --axes and --attributes (list them with --list), or --associations FILE.")
    lists = load_lists(options.lists)
    templates = load_templates(options.templates)
    crossing = Crossing(
        axes=_distinct_names("axis", options.axes, lists.axes),
        attributes=_distinct_names("attribute pair", options.attributes, lists.pairs),
        languages=_distinct_names("language", options.languages or ("en",), lists.languages),
        per_term=options.per_term,
        wanted=options.wanted,
    )
    return list(crossed_tests(lists, templates, crossing))


def build_from_associations(
    table: pl.DataFrame, contrast: Contrast, templates: Path | None
) -> tuple[list[AssociationTest], list[str]]:
    """Tests from associations, and a sentence for every pair of identities (or association) without one.

    Raises:
        UserError: an unknown contrast, or no test can be made.
    """
    _distinct_names("contrast", (contrast.attributes,), CONTRASTS)
    make = single_tests if contrast.each else association_tests
    made, left_out = make(table, load_templates(templates), contrast)
    return [_with_words_of_associations(test, table) for test in made], left_out


def _with_words_of_associations(test: AssociationTest, table: pl.DataFrame) -> AssociationTest:
    """The test with our words by which its associations were read or made, beside its own."""
    if not {BUILT_BY, WORDS} <= set(table.columns):
        return test
    if test.association_id:
        rows = table.filter(association_id=test.association_id)
    else:
        rows = table.filter(pl.col("identity").is_in([test.x.name, test.y.name]))
    stated = [
        word for cells in rows.select(BUILT_BY, WORDS).unique().rows() for word in words_of_cells(*cells)
    ]
    return replace(test, words=words_cell([*sorted(stated), *words_of_cells(test.built_by, test.words)]))


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


def available(lists: WordLists) -> pl.DataFrame:
    """Every set of terms: columns what, list, language, terms (how many), source."""
    rows = [
        {
            "what": _what(word_set),
            "list": word_set.list,
            "language": word_set.language,
            "terms": len(word_set.terms),
            "source": word_set.source,
        }
        for word_set in lists.sets
    ]
    return pl.DataFrame(rows).sort("what", "list", maintain_order=True)


def _what(word_set: WordSet) -> str:
    if word_set.attribute:
        return f"{word_set.attribute}: {word_set.name}"
    values = ", ".join(f"{axis} {value}" for axis, value in word_set.group.items()) or "people of any group"
    return f"{values} (with a noun)" if word_set.modifies else values
