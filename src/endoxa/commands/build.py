"""`endoxa build`: make the items that models are probed with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.commands.build_input import associations_of
from endoxa.commands.build_names import names
from endoxa.commands.build_qa import questions
from endoxa.commands.build_stories import stories
from endoxa.commands.build_tests import association_tests
from endoxa.commands.settings_command import add_command
from endoxa.instruments.pairs.options import PairOptions
from endoxa.runs.options import IncludeDrafts
from endoxa.schema.options import OUTPUT, Option

if TYPE_CHECKING:
    from endoxa.instruments.pairs.items import Built

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Build items: sentence pairs, questions, association tests and story prompts.",
)


def pairs(
    associations: Annotated[
        Path,
        typer.Argument(metavar="ASSOCIATIONS", help="Table with columns identity and attribute."),
    ],
    *,
    out: Annotated[Path, Option("Pairs: .csv, .tsv, .jsonl or .parquet.", OUTPUT, short="-o")],
    report: Annotated[
        Path | None,
        Option("Also write associations left out and pairs to review, with reasons.", OUTPUT),
    ] = None,
    options: PairOptions,
    include_drafts: IncludeDrafts = False,
    keep_region: Annotated[
        bool, Option("Keep every region, regardless of --min-cell.", OUTPUT, only_on=True)
    ] = False,
) -> None:
    """Make a stereotype and an anti-stereotype sentence from each association.

    The second sentence uses the antonym of the attribute if the lexicon has one, and the negation otherwise.
    Associations whose sentences might be ungrammatical are left out; --report lists the reasons.

    \b
    Examples:
      endoxa build pairs associations.csv -o pairs.csv
      endoxa build pairs associations.csv -o pairs.csv --report problems.csv --min-support 2
      endoxa build pairs associations.csv -o african.csv --prefix African --negation-only
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.instruments.pairs.items import build_pairs
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import require_table_name, write_table

    if options.negation_only and options.antonym_only:
        raise UserError("Give --negation-only or --antonym-only, not both.")
    require_apart([out, report], [associations, options.lexicon, options.templates])
    require_table_name(out)
    if keep_region:
        options = replace(options, min_cell=1)
    built = build_pairs(
        associations_of(associations, drafts=include_drafts, language=options.language), options
    )
    if report is not None:
        write_table(built.problems, report)
    _tell(built, report)
    if built.pairs.is_empty():
        reasons = f"See the reasons in {report}." if report else "List the reasons with --report FILE."
        raise UserError(f"No pair could be made from {associations}. {reasons}")
    write_table(built.pairs, out)
    antonyms = built.pairs.filter(how="antonym").height
    typer.echo(
        f"{built.pairs.height} pairs written to {out}: {antonyms} with an antonym, "
        f"{built.pairs.height - antonyms} with a negation"
    )
    typer.echo("Content notice: these are reported stereotypes, for evaluation only.")


add_command(app, association_tests, "tests")
add_command(app, names)
add_command(app, questions, "qa")
add_command(app, stories)
add_command(app, pairs)


def _tell(built: Built, report: Path | None) -> None:
    """Print assumptions, associations left out and pairs to review to stderr."""
    for sentence in built.assumed:
        typer.echo(sentence, err=True)
    if built.rare:
        typer.echo(f"{built.rare} associations left out: too few respondents (--min-support).", err=True)
    if built.placeless:
        typer.echo(
            f"{built.placeless} pairs written without their region: fewer respondents than --min-cell, so the region "
            "could identify a person (--keep-region keeps it).",
            err=True,
        )
    left_out = built.problems.filter(outcome="left out").height
    looked_at = built.problems.filter(outcome="kept")["association_id"].n_unique()
    where = f"see {report}" if report is not None else "list them with --report FILE"
    counts = [f"{left_out} associations left out"] if left_out else []
    if looked_at:
        counts.append(f"{looked_at} pairs to review")
    if counts:
        typer.echo(f"{', '.join(counts)}: {where}.", err=True)
