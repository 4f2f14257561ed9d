"""`endoxa build tests`: association tests from word lists, or from associations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from endoxa.commands.build_input import associations_of
from endoxa.commands.verbs import Outcome, note, table
from endoxa.instruments.association_tests.options import BuildOptions, Contrast
from endoxa.runs.options import IncludeDrafts
from endoxa.schema.options import DATA, OUTPUT, Option

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl
    from rich.table import Table

    from endoxa.schema import AssociationTest

SHOWN = 5
"""Maximum number of reasons printed."""


def association_tests(
    *,
    out: Annotated[Path | None, Option("Tests (.json).", OUTPUT, short="-o")] = None,
    options: BuildOptions,
    associations: Annotated[
        Path | None, Option("Build tests from associations instead of word lists.", DATA)
    ] = None,
    contrast: Contrast,
    include_drafts: IncludeDrafts = False,
    show: Annotated[
        bool,
        Option("List axes, attribute pairs, word lists and languages.", OUTPUT, name="--list", only_on=True),
    ] = False,
) -> Outcome:
    """Make association tests: every pair of groups with every pair of attributes.

    Texts are terms in semantically bleached sentences ("Rahul is here."). With --associations, tests compare two
    identities on the attributes that respondents associate with them.

    \b
    Examples:
      endoxa build tests --axes gender,religion --attributes career-family,violence -o tests.json
      endoxa build tests --axes gender,caste --attributes pleasant-unpleasant --language hi -o tests.json
      endoxa build tests --axes gender --attributes career-family --templates all -o weat6.json
      endoxa build tests --associations associations.csv --against men -o tests.json
      endoxa build tests --associations associations.csv --each -o tests.json
      endoxa build tests --list
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.instruments.association_tests.items import build_tests, require_tests_name, write_tests

    if show:
        return Outcome(_available(options))
    if out is None:
        raise UserError("Missing --out FILE for the tests (or --list for the available axes and attributes).")
    require_tests_name(out)
    if associations is None:
        if contrast != Contrast():
            raise UserError("--against, --contrast and --each need --associations FILE.")
        made = build_tests(options)
    else:
        if options.axes or options.attributes or options.wanted:
            raise UserError(
                "--associations cannot be combined with --axes, --attributes or --from. Give one or the other."
            )
        language = options.languages[0] if len(options.languages) == 1 else None
        table = associations_of(associations, drafts=include_drafts, language=language)
        made = _from_associations(table, options, contrast)
    write_tests(made, out)
    languages = dict.fromkeys(test.language for test in made)
    for code in languages:
        sources = (test.source.partition("; positive effect")[0] for test in made if test.language == code)
        for source in dict.fromkeys(sources):
            note(f"{code}: {source}")
    return Outcome(
        (
            f"{len(made)} tests in {', '.join(languages)} written to {out}",
            "Content notice: names and terms of groups, with attributes that may be offensive; for evaluation only.",
        )
    )


def _from_associations(
    table: pl.DataFrame, options: BuildOptions, contrast: Contrast
) -> list[AssociationTest]:
    from endoxa.instruments.association_tests.items import build_from_associations

    contrast = replace(contrast, languages=options.languages)
    made, left_out = build_from_associations(table, contrast, options.templates)
    for sentence in left_out[:SHOWN]:
        note(f"No test: {sentence}.")
    if len(left_out) > SHOWN:
        what = "associations" if contrast.each else "pairs of identities"
        note(f"No test for {len(left_out) - SHOWN} more {what}.")
    return made


def _available(options: BuildOptions) -> Iterator[str | Table]:
    """Axes, attribute pairs, templates and word lists."""
    from endoxa.instruments.association_tests.items import available, load_lists, load_templates

    lists = load_lists(options.lists)
    for axis, values in lists.axes.items():
        yield f"axis {axis}: {', '.join(values)}"
    yield f"attribute pairs: {', '.join(lists.pairs)}"
    yield f"sentence templates: {', '.join(load_templates(options.templates))}"
    there = available(lists)
    rows = [tuple(map(str, row)) for row in there.drop("source").iter_rows()]
    yield table("", ("terms for", "list", "language", "number"), rows, texts=4)
    for name, sources in there.group_by("list", maintain_order=True).agg("source").iter_rows():
        yield f"{name}: {'; '.join(dict.fromkeys(sources))}"
