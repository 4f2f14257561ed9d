"""`endoxa curate group` and `endoxa curate thresholds`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

Column = Annotated[str, typer.Option(metavar="NAME", help="Column that holds the attributes.")]
Encoder = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="all-MiniLM-L6-v2 (installed), hf/ORG/NAME or hf/FOLDER (any sentence-transformers model).",
    ),
]
Language = Annotated[str, typer.Option(metavar="CODE", help="Language of the attributes.")]
Own = Annotated[
    Path | None,
    typer.Option("--lexicon", metavar="FILE", help="Opposites of your own: columns one, other, pos."),
]


def group(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Statements, or any table of attributes.")],
    *,
    output: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Groups: .csv, .tsv, .jsonl or .parquet.")
    ],
    attribute_column: Column = "attribute",
    tau: Annotated[
        float, typer.Option(help="Least cosine at which groups are merged.", min=0.0, max=1.0)
    ] = 0.55,
    method: Annotated[
        str, typer.Option(metavar="NAME", help="endoxa, or afristereo (as published; depends on row order).")
    ] = "endoxa",
    encoder: Encoder = "all-MiniLM-L6-v2",
    existing: Annotated[
        Path | None,
        typer.Option(metavar="GROUPS", help="Groups to keep as they are; only new attributes are added."),
    ] = None,
    language: Language = "en",
    lexicon: Own = None,
) -> None:
    """Group attributes of like meaning: never opposites, never a negation with what it denies.

    \b
    Examples:
      endoxa curate group statements.csv -o groups.csv
      endoxa curate group new.csv --existing groups.csv -o groups-2.csv
      endoxa curate group statements.csv --method afristereo -o published.csv
    """  # noqa: D301
    from endoxa.curate.encoders import load_encoder
    from endoxa.curate.group import group_attributes, method_named, read_attributes, read_existing
    from endoxa.curate.opposites import load_lexicon
    from endoxa.datasets.files import require_apart
    from endoxa.datasets.frames import require_table_name, write_table

    require_table_name(output)
    require_apart([output], [file, existing, lexicon])
    chosen = method_named(method, adds=existing is not None)
    counts = read_attributes(file, attribute_column, language, _say)
    earlier = read_existing(existing) if existing else None
    table = group_attributes(
        counts,
        load_encoder(encoder),
        load_lexicon(language, lexicon),
        tau=tau,
        method=chosen,
        existing=earlier,
    )
    write_table(table, output)
    groups = table["group_id"].n_unique()
    typer.echo(f"{len(table)} attributes in {groups} groups written to {output}")


def thresholds(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Statements, or any table of attributes.")],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="PLACE", help="A folder, or a .csv beside which the figure goes."
        ),
    ],
    constraints: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Known pairs: attribute_a, attribute_b, relation, source."),
    ] = None,
    attribute_column: Column = "attribute",
    low: Annotated[float, typer.Option(help="Lowest threshold.")] = 0.3,
    high: Annotated[float, typer.Option(help="Highest threshold.")] = 0.8,
    step: Annotated[float, typer.Option(help="Distance of thresholds.")] = 0.05,
    encoder: Encoder = "all-MiniLM-L6-v2",
    language: Language = "en",
    lexicon: Own = None,
    seed: Annotated[int, typer.Option(help="Seed of what is drawn.")] = 0,
) -> None:
    """Draw what a threshold does: number of groups, silhouette, and how known pairs fare, for both methods.

    Without --constraints, pairs are made by our own rules of surface variants and opposites; they say much about the
    published method and little about ours, which follows the same rules.

    \b
    Examples:
      endoxa curate thresholds statements.csv -o out/thresholds
      endoxa curate thresholds statements.csv --constraints pairs.csv -o thresholds.csv
    """  # noqa: D301
    from endoxa.curate.encoders import load_encoder
    from endoxa.curate.figures import thresholds_figure
    from endoxa.curate.group import read_attributes
    from endoxa.curate.group.constraints import generate_constraints, read_constraints
    from endoxa.curate.group.thresholds import grid, thresholds_table
    from endoxa.curate.opposites import load_lexicon
    from endoxa.datasets.files import require_apart
    from endoxa.datasets.frames import require_table_name, write_table
    from endoxa.errors import UserError
    from endoxa.page.render import picture, save

    path = output if output.suffix else output / "thresholds.csv"
    require_apart([path], [file, constraints, lexicon])
    require_table_name(path)
    taus = grid(low, high, step)
    counts = read_attributes(file, attribute_column, language, _say)
    words = load_lexicon(language, lexicon)
    known = read_constraints(constraints) if constraints else generate_constraints(list(counts), words, seed)
    table = thresholds_table(
        counts,
        load_encoder(encoder),
        words,
        taus,
        known,
        seed=seed,
        tell=_say,
    )
    write_table(table, path)
    figure = replace(thresholds_figure(table, own_rules=constraints is None), name=path.stem)
    try:
        save(figure, picture(figure), path.parent)
    except OSError as problem:
        raise UserError(
            f"The figure cannot be written into '{path.parent}': {problem.strerror}."
        ) from problem
    typer.echo(f"{len(table)} rows written to {path}, with {path.stem}.svg and {path.stem}.png beside it")


def _say(sentence: str) -> None:
    typer.echo(sentence, err=True)
