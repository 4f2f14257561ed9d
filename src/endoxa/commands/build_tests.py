"""`endoxa build tests`: association tests from word lists, or from associations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.commands.build_input import associations_of
from endoxa.instruments.association_tests.options import BuildOptions, Contrast
from endoxa.runs.options import IncludeDrafts
from endoxa.schema.options import DATA, OUTPUT, Option
from endoxa.schema.terminal import terminal_console, terminal_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

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
) -> None:
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
    from endoxa.instruments.association_tests.items import require_tests_name, write_tests

    if show:
        _show(options)
        return
    if out is None:
        raise UserError("Missing --out FILE for the tests (or --list for the available axes and attributes).")
    require_tests_name(out)
    if associations is None:
        if contrast != Contrast():
            raise UserError("--against, --contrast and --each need --associations FILE.")
        made = _crossed(options)
    else:
        if options.axes or options.attributes or options.wanted:
            raise UserError(
                "--associations cannot be combined with --axes, --attributes or --from. Give one or the other."
            )
        given = options.languages[0] if len(options.languages) == 1 else None
        table = associations_of(associations, drafts=include_drafts, language=given)
        made = _from_associations(table, options, contrast)
    write_tests(made, out)
    _tell(made, out)


def _crossed(options: BuildOptions) -> list[AssociationTest]:
    from endoxa.instruments.association_tests.items import build_tests

    return build_tests(options)


def _from_associations(
    table: pl.DataFrame, options: BuildOptions, contrast: Contrast
) -> list[AssociationTest]:
    from endoxa.instruments.association_tests.items import build_from_associations

    asked = replace(contrast, languages=options.languages)
    made, left_out = build_from_associations(table, asked, options.templates)
    for sentence in left_out[:SHOWN]:
        typer.echo(f"No test: {sentence}.", err=True)
    if len(left_out) > SHOWN:
        what = "associations" if contrast.each else "pairs of identities"
        typer.echo(f"No test for {len(left_out) - SHOWN} more {what}.", err=True)
    return made


def _tell(made: Sequence[AssociationTest], output: Path) -> None:
    languages = dict.fromkeys(test.language for test in made)
    for code in languages:
        sources = dict.fromkeys(
            part
            for test in made
            if test.language == code
            for part in test.source.split("; positive effect")[:1]
        )
        for source in sources:
            typer.echo(f"{code}: {source}", err=True)
    typer.echo(f"{len(made)} tests in {', '.join(languages)} written to {output}")
    typer.echo(
        "Content notice: names and terms of groups, with attributes that may be offensive; for evaluation only."
    )


def _show(options: BuildOptions) -> None:
    from endoxa.instruments.association_tests.items import available, load_lists, load_templates

    lists = load_lists(options.lists)
    for axis, values in lists.axes.items():
        typer.echo(f"axis {axis}: {', '.join(values)}")
    typer.echo(f"attribute pairs: {', '.join(lists.pairs)}")
    typer.echo(f"sentence templates: {', '.join(load_templates(options.templates))}")
    there = available(lists)
    table = terminal_table()
    for name in ("terms for", "list", "language", "number"):
        table.add_column(name)
    for row in there.drop("source").iter_rows():
        table.add_row(*map(str, row))
    terminal_console().print(table)
    for name, sources in there.group_by("list", maintain_order=True).agg("source").iter_rows():
        typer.echo(f"{name}: {'; '.join(dict.fromkeys(sources))}")
