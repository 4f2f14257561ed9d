"""`endoxa export`: release a data set, or make a task for another harness."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.commands.datasets import Format, Input, Language, Prefix, Template
from endoxa.commands.settings_command import add_command
from endoxa.report.words import plural
from endoxa.runs.options import IncludeDrafts

if TYPE_CHECKING:
    from endoxa.export.hub import Released

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Release a data set with a data card, or make a task for another harness.",
)

Folder = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder to create.")]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace an earlier export, unless it was edited.")
]


def hub(
    dataset: Annotated[
        Path,
        typer.Argument(metavar="DATASET", help="File of pairs, or table of associations or statements."),
    ],
    *,
    output: Folder,
    name: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Title.  [default: name of the file]")
    ] = None,
    license: Annotated[  # noqa: A002
        str | None,
        typer.Option(metavar="ID", help="SPDX id of the licence (CC-BY-4.0). There is no default."),
    ] = None,
    license_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Text of the licence, copied to LICENSE.")
    ] = None,
    citation: Annotated[
        Path | None, typer.Option(metavar="FILE", help="CITATION.cff.  [default: made from --facts]")
    ] = None,
    facts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Answers for the data card (.toml).")
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Also release this column; repeatable."),
    ] = None,
    format: Format = None,  # noqa: A002
    language: Language = None,
    prefix: Prefix = None,
    template: Template = None,
    include_drafts: IncludeDrafts = False,
    overwrite: Overwrite = False,
) -> None:
    """Make a folder for the Hugging Face hub: data, data card, licence, citation, checksums.

    Columns that describe respondents are left out unless named with --keep. Missing facts in the data card are marked
    '[open: ...]' and listed at the end.

    \b
    Examples:
      endoxa export hub pairs.csv -o release --name "Our pairs" --license CC-BY-4.0
      endoxa export hub associations.csv -o release --facts facts.toml --citation CITATION.cff
      endoxa export hub statements.csv -o release --keep country
    """  # noqa: D301
    from endoxa.export.datasheet import read_facts
    from endoxa.export.hub import export_hub
    from endoxa.export.licences import Terms
    from endoxa.export.material import read_material
    from endoxa.schema import ReadOptions
    from endoxa.sources.statuses import reading_drafts

    with reading_drafts(include=include_drafts):
        material = read_material(
            dataset, ReadOptions(language=language, prefix=prefix, template=template), format, keep or ()
        )
    if material.identifying:
        typer.echo(f"{plural(material.identifying, 'row')} left out: flagged 'identifier'.", err=True)
    if material.unplaced:
        typer.echo(
            f"{material.unplaced} associations with few respondents written without their region (--keep region "
            "keeps it).",
            err=True,
        )
    terms = Terms.of(license, license_file, citation)
    _print_released(
        export_hub(material, output, terms, read_facts(facts), name=name, overwrite=overwrite), output
    )


add_command(app, hub)


def lm_eval(
    file: Input,
    *,
    output: Folder,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name of the task.  [default: 'endoxa_' and the name of the file]"),
    ] = None,
    format: Format = None,  # noqa: A002
    language: Language = None,
    prefix: Prefix = None,
    template: Template = None,
    include_drafts: IncludeDrafts = False,
    overwrite: Overwrite = False,
) -> None:
    """Make a task for lm-evaluation-harness: pairs scored by the likelihood of whole sentences.

    \b
    Examples:
      endoxa export lm-eval pairs.csv -o task
      endoxa export lm-eval crows_pairs.csv -o task --name crows_published
    """  # noqa: D301
    from endoxa.export.lm_eval import export_lm_eval
    from endoxa.export.material import read_pairs_material
    from endoxa.schema import ReadOptions
    from endoxa.sources.statuses import reading_drafts

    options = ReadOptions(language=language, prefix=prefix, template=template)
    with reading_drafts(include=include_drafts):
        material = read_pairs_material(file, options, format)
    group = export_lm_eval(material, output, name=name, overwrite=overwrite)
    typer.echo(f"{material.table.height} pairs written to {output}. Run them with:")
    typer.echo(f"lm_eval --include_path {output} --tasks {group} --model hf --model_args pretrained=MODEL")


add_command(app, lm_eval, "lm-eval")


def inspect(
    file: Input,
    *,
    output: Folder,
    seed: Annotated[int, typer.Option(help="Random seed for the order of samples.")] = 0,
    format: Format = None,  # noqa: A002
    language: Language = None,
    prefix: Prefix = None,
    template: Template = None,
    include_drafts: IncludeDrafts = False,
    overwrite: Overwrite = False,
) -> None:
    """Make a task for Inspect: chat models choose between the two sentences of a pair, in both orders.

    \b
    Examples:
      endoxa export inspect pairs.csv -o task
      endoxa export inspect pairs.csv -o task --seed 7
    """  # noqa: D301
    from endoxa.export.inspect import export_inspect
    from endoxa.export.material import read_pairs_material
    from endoxa.schema import ReadOptions
    from endoxa.sources.statuses import reading_drafts

    options = ReadOptions(language=language, prefix=prefix, template=template)
    with reading_drafts(include=include_drafts):
        material = read_pairs_material(file, options, format)
    export_inspect(material, output, seed=seed, overwrite=overwrite)
    typer.echo(f"{2 * material.table.height} samples ({material.table.height} pairs in both orders) written.")
    typer.echo(f"Run them with: cd {output} && inspect eval task.py --model openai/NAME")


add_command(app, inspect)


def _print_released(released: Released, output: Path) -> None:
    """Print what was written, what was left out, and the open facts."""
    typer.echo(f"{released.rows} {released.kind} written to {output}")
    if released.left_out:
        typer.echo(f"Columns left out: {', '.join(released.left_out)} (release one with --keep COLUMN).")
    for warning in released.warnings:
        typer.echo(f"Warning: {warning}", err=True)
    if released.open:
        places = sum(released.open.values())
        typer.echo(f"{places} places are marked '[open: ...]'. Fill them in, in the files or with --facts:")
        for key in released.open:
            typer.echo(f"  {key}")
