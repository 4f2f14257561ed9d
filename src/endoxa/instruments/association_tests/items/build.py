"""What `endoxa build tests` does: from what was asked for to tests, and the list of what can be asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.association_tests.items.associations import CONTRASTS, association_tests
from endoxa.instruments.association_tests.items.crossing import Crossing, crossed_tests
from endoxa.instruments.association_tests.items.lists import WordLists, load_lists
from endoxa.instruments.association_tests.items.single import single_tests
from endoxa.instruments.association_tests.items.templates import load_templates
from endoxa.instruments.association_tests.items.terms import WordSet
from endoxa.instruments.association_tests.options import BuildOptions, Contrast
from endoxa.schema import AssociationTest


def build_tests(options: BuildOptions) -> list[AssociationTest]:
    """Tests of every pair of groups of the crossed axes against every attribute pair, in every language.

    Raises:
        UserError: an unknown axis, attribute pair or language, or nothing to make a test from.
    """
    if not options.axes or not options.attributes:
        raise UserError("Give --axes and --attributes (list them with --list), or --associations FILE.")
    lists = load_lists(options.lists)
    templates = load_templates(options.templates)
    asked = Crossing(
        axes=_known("axis", options.axes, lists.axes),
        attributes=_known("attribute pair", options.attributes, lists.pairs),
        languages=_known("language", options.languages or ("en",), lists.languages),
        per_term=options.per_term,
        wanted=options.wanted,
    )
    return list(crossed_tests(lists, templates, asked))


def build_from_associations(
    table: pl.DataFrame, contrast: Contrast, templates: Path | None
) -> tuple[list[AssociationTest], list[str]]:
    """Tests from associations, and a sentence for every pair of identities (or association) without one.

    Raises:
        UserError: an unknown contrast, or no test can be made.
    """
    _known("contrast", (contrast.attributes,), CONTRASTS)
    if contrast.each:
        return single_tests(table, load_templates(templates), contrast)
    return association_tests(table, load_templates(templates), contrast)


def _known(kind: str, asked: Sequence[str], there: Iterable[str]) -> tuple[str, ...]:
    """The distinct words asked for, where all of them are there."""
    names = list(there)
    for word in asked:
        if word not in names:
            near = get_close_matches(word, names, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise UserError(
                f"Unknown {kind} '{word}'.{hint} Available: {', '.join(names)} (list them with --list)."
            )
    return tuple(dict.fromkeys(asked))


def available(lists: WordLists) -> pl.DataFrame:
    """Every set of terms: columns what, list, language, terms (how many), source."""
    rows = [
        {
            "what": _what(one),
            "list": one.list,
            "language": one.language,
            "terms": len(one.terms),
            "source": one.source,
        }
        for one in lists.sets
    ]
    return pl.DataFrame(rows).sort("what", "list", maintain_order=True)


def _what(one: WordSet) -> str:
    if one.attribute:
        return f"{one.attribute}: {one.name}"
    values = ", ".join(f"{axis} {value}" for axis, value in one.group.items()) or "people of any group"
    return f"{values} (with a noun)" if one.modifies else values
