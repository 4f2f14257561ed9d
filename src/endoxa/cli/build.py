"""`endoxa build`: make the items that models are probed with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.cli.build_names import names
from endoxa.cli.build_qa import questions
from endoxa.cli.build_stories import stories
from endoxa.cli.build_tests import association_tests

if TYPE_CHECKING:
    from endoxa.instruments.pairs.items import Built

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Build items: sentence pairs, questions, association tests and story prompts.",
)
app.command("tests")(association_tests)
app.command()(names)
app.command("qa")(questions)
app.command()(stories)


@app.command()
def pairs(
    associations: Annotated[
        Path,
        typer.Argument(metavar="ASSOCIATIONS", help="Table with columns identity and attribute."),
    ],
    *,
    output: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Pairs: .csv, .tsv, .jsonl or .parquet.")
    ],
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Also write associations left out and pairs to review, with reasons."
        ),
    ] = None,
    language: Annotated[
        str, typer.Option(metavar="CODE", help="Language of associations without one (ISO 639).")
    ] = "en",
    lexicon: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Your own antonyms (columns one, other); override the built-in ones."
        ),
    ] = None,
    templates: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Your own sentence templates by language (TOML).")
    ] = None,
    negation_only: Annotated[
        bool, typer.Option("--negation-only", help="Negate every attribute instead of using antonyms.")
    ] = False,
    antonym_only: Annotated[
        bool, typer.Option("--antonym-only", help="Leave out associations without an antonym.")
    ] = False,
    prefix: Annotated[
        str, typer.Option(metavar="WORDS", help="Words to put before every identity ('African').")
    ] = "",
    min_support: Annotated[
        int, typer.Option(metavar="N", help="Minimum number of respondents per association.")
    ] = 1,
    min_cell: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Minimum number of respondents to keep an association's region."
        ),
    ] = 5,
    keep_region: Annotated[
        bool, typer.Option("--keep-region", help="Keep every region, regardless of --min-cell.")
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
    from endoxa.datasets.files import require_apart
    from endoxa.datasets.frames import read_table, require_table_name, write_table
    from endoxa.errors import UserError
    from endoxa.instruments.pairs.items import PairOptions, build_pairs

    if negation_only and antonym_only:
        raise UserError("Give --negation-only or --antonym-only, not both.")
    require_apart([output, report], [associations, lexicon, templates])
    require_table_name(output)
    options = PairOptions(
        language,
        negation_only,
        prefix,
        min_support,
        lexicon,
        templates,
        antonym_only,
        1 if keep_region else min_cell,
    )
    built = build_pairs(read_table(associations, ("identity", "attribute")), options)
    if report is not None:
        write_table(built.problems, report)
    _tell(built, report)
    if built.pairs.is_empty():
        raise UserError(f"No pair could be made from {associations}. List the reasons with --report FILE.")
    write_table(built.pairs, output)
    antonyms = built.pairs.filter(how="antonym").height
    typer.echo(
        f"{built.pairs.height} pairs written to {output}: {antonyms} with an antonym, "
        f"{built.pairs.height - antonyms} with a negation"
    )
    typer.echo("Content notice: these are reported stereotypes, for evaluation only.")


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
