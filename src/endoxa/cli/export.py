"""`endoxa export`: a data set for others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.cli.datasets import Format, Input, Language, Prefix, Template

if TYPE_CHECKING:
    from endoxa.export.hub import Released

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Release a data set: a folder with a data card, or a task of another harness.",
)

Folder = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to make.")]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace an earlier export that nobody has changed.")
]


@app.command()
def hub(
    dataset: Annotated[
        Path,
        typer.Argument(metavar="DATASET", help="A file of pairs, or a table of associations or statements."),
    ],
    *,
    output: Folder,
    name: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Title; the file's name if not given.")
    ] = None,
    license: Annotated[  # noqa: A002
        str | None, typer.Option(metavar="ID", help="SPDX id of the licence, as CC-BY-4.0. Never guessed.")
    ] = None,
    license_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The licence's text, put in as LICENSE.")
    ] = None,
    citation: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A CITATION.cff; made from the facts if not given.")
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
    overwrite: Overwrite = False,
) -> None:
    """A folder for the Hugging Face hub: data, data card, licence, citation, checksums.

    What describes respondents stays out unless it is named with --keep. What the data card does not know is marked
    '[open: ...]', counted, and listed at the end.

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

    material = read_material(
        dataset, ReadOptions(language=language, prefix=prefix, template=template), format, keep or ()
    )
    if material.identifying:
        typer.echo(f"{material.identifying} rows left out: flagged 'identifier'.", err=True)
    if material.unplaced:
        typer.echo(
            f"{material.unplaced} associations of few respondents go without their region (--keep region).",
            err=True,
        )
    terms = Terms.of(license, license_file, citation)
    _print_released(
        export_hub(material, output, terms, read_facts(facts), name=name, overwrite=overwrite), output
    )


@app.command("lm-eval")
def lm_eval(
    file: Input,
    *,
    output: Folder,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name of the task; 'endoxa_' and the file's if not given."),
    ] = None,
    format: Format = None,  # noqa: A002
    language: Language = None,
    prefix: Prefix = None,
    template: Template = None,
    overwrite: Overwrite = False,
) -> None:
    """A task directory for lm-evaluation-harness: pairs by the likelihood of whole sentences.

    \b
    Examples:
      endoxa export lm-eval pairs.csv -o task
      endoxa export lm-eval crows_pairs.csv -o task --name crows_published
    """  # noqa: D301
    from endoxa.export.lm_eval import export_lm_eval
    from endoxa.export.material import read_pairs_material
    from endoxa.schema import ReadOptions

    options = ReadOptions(language=language, prefix=prefix, template=template)
    material = read_pairs_material(file, options, format)
    group = export_lm_eval(material, output, name=name, overwrite=overwrite)
    typer.echo(f"{material.table.height} pairs written to {output}. Run them with:")
    typer.echo(f"lm_eval --include_path {output} --tasks {group} --model hf --model_args pretrained=MODEL")


@app.command()
def inspect(
    file: Input,
    *,
    output: Folder,
    seed: Annotated[int, typer.Option(help="Seed of the order of the samples.")] = 0,
    format: Format = None,  # noqa: A002
    language: Language = None,
    prefix: Prefix = None,
    template: Template = None,
    overwrite: Overwrite = False,
) -> None:
    """A task for Inspect: chat models choose between the two sentences of a pair, in both orders.

    \b
    Examples:
      endoxa export inspect pairs.csv -o task
      endoxa export inspect pairs.csv -o task --seed 7
    """  # noqa: D301
    from endoxa.export.inspect import export_inspect
    from endoxa.export.material import read_pairs_material
    from endoxa.schema import ReadOptions

    options = ReadOptions(language=language, prefix=prefix, template=template)
    material = read_pairs_material(file, options, format)
    export_inspect(material, output, seed=seed, overwrite=overwrite)
    typer.echo(f"{2 * material.table.height} samples ({material.table.height} pairs in both orders) written.")
    typer.echo(f"Run them with: cd {output} && inspect eval task.py --model openai/NAME")


def _print_released(released: Released, output: Path) -> None:
    """What is in the folder, what stayed out, what is left to do."""
    typer.echo(f"{released.rows} {released.kind} written to {output}")
    if released.left_out:
        typer.echo(f"Left out: {', '.join(released.left_out)} (--keep COLUMN releases one).")
    for warning in released.warnings:
        typer.echo(f"Warning: {warning}", err=True)
    if released.open:
        places = sum(released.open.values())
        typer.echo(
            f"{places} places are marked '[open: ...]' and need an answer, in the files or with --facts:"
        )
        for key in released.open:
            typer.echo(f"  {key}")
