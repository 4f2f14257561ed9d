"""`endoxa build tests`: association tests from word lists, or from associations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endoxa.instruments.association_tests.items import BuildOptions
    from endoxa.schema import AssociationTest

SHOWN = 5
"""Maximum number of reasons printed."""


def association_tests(
    *,
    output: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Tests (.json).")] = None,
    axes: Annotated[str, typer.Option(metavar="A,B", help="Axes to cross, separated by commas.")] = "",
    attributes: Annotated[
        str, typer.Option(metavar="P,Q", help="Attribute pairs, separated by commas.")
    ] = "",
    language: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE", help="Language (ISO 639); repeatable.  [default: en]"),
    ] = None,
    templates: Annotated[
        str, typer.Option(metavar="N|all|words", help="Number of sentences per term, or words only.")
    ] = "1",
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="LIST", help="Word list of the groups, if there are several."),
    ] = None,
    lists: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Your own word lists (TOML); override the built-in ones."),
    ] = None,
    templates_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Your own sentence templates for one language (TOML).")
    ] = None,
    associations: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Build tests from associations instead of word lists."),
    ] = None,
    against: Annotated[
        str, typer.Option(metavar="IDENTITY", help="Identity of target set Y, with --associations.")
    ] = "",
    contrast: Annotated[
        str,
        typer.Option(
            metavar="antonym|other", help="Attribute set B: antonyms of A, or attributes associated with Y."
        ),
    ] = "antonym",
    show: Annotated[
        bool, typer.Option("--list", help="List axes, attribute pairs, word lists and languages.")
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
      endoxa build tests --list
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.instruments.association_tests.items import (
        BuildOptions,
        require_tests_name,
        sentences_per_term,
        write_tests,
    )

    options = BuildOptions(
        axes=_words(axes),
        attributes=_words(attributes),
        languages=tuple(language or ()),
        per_term=sentences_per_term(templates),
        wanted=source,
        lists=tuple(lists or ()),
        templates=templates_file,
    )
    if show:
        _show(options)
        return
    if output is None:
        raise UserError("Missing --out FILE for the tests (or --list for the available axes and attributes).")
    require_tests_name(output)
    if associations is None:
        if against or contrast != "antonym":
            raise UserError("--against and --contrast need --associations FILE.")
        made = _crossed(options)
    else:
        if options.axes or options.attributes or source:
            raise UserError(
                "--associations cannot be combined with --axes, --attributes or --from. Give one or the other."
            )
        made = _from_associations(associations, options, against, contrast)
    write_tests(made, output)
    _tell(made, output)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _crossed(options: BuildOptions) -> list[AssociationTest]:
    from endoxa.instruments.association_tests.items import build_tests

    return build_tests(options)


def _from_associations(
    path: Path, options: BuildOptions, against: str, contrast: str
) -> list[AssociationTest]:
    from endoxa.datasets.frames import read_table
    from endoxa.instruments.association_tests.items import Contrast, build_from_associations

    table = read_table(path, ("identity", "attribute"))
    asked = Contrast(against=against, attributes=contrast, languages=options.languages)
    made, left_out = build_from_associations(table, asked, options.templates)
    for sentence in left_out[:SHOWN]:
        typer.echo(f"No test: {sentence}.", err=True)
    if len(left_out) > SHOWN:
        typer.echo(f"No test for {len(left_out) - SHOWN} more pairs of identities.", err=True)
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
    from rich.console import Console
    from rich.table import Table

    from endoxa.instruments.association_tests.items import available, load_lists, load_templates

    lists = load_lists(options.lists)
    for axis, values in lists.axes.items():
        typer.echo(f"axis {axis}: {', '.join(values)}")
    typer.echo(f"attribute pairs: {', '.join(lists.pairs)}")
    typer.echo(f"sentence templates: {', '.join(load_templates(options.templates))}")
    there = available(lists)
    table = Table("terms for", "list", "language", "number")
    for row in there.drop("source").iter_rows():
        table.add_row(*map(str, row))
    Console().print(table)
    for name, sources in there.group_by("list", maintain_order=True).agg("source").iter_rows():
        typer.echo(f"{name}: {'; '.join(dict.fromkeys(sources))}")
