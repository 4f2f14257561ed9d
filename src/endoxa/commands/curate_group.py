"""`endoxa curate group` and `endoxa curate thresholds`: group attributes, and choose the threshold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from endoxa.report.words import plural

Column = Annotated[str, typer.Option(metavar="NAME", help="Column that holds the attributes.")]
Encoder = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="all-MiniLM-L6-v2 (installed), hf/ORG/NAME or hf/FOLDER (any sentence-transformers model).",
    ),
]
Precision = Annotated[
    str,
    typer.Option(
        metavar="TYPE",
        help="Number type of the encoder: float32, or bfloat16 (faster with AMX; a few groups may differ).",
    ),
]
Language = Annotated[str, typer.Option(metavar="CODE", help="Language of the attributes.")]
Own = Annotated[
    Path | None,
    typer.Option("--lexicon", metavar="FILE", help="Your own antonyms: columns one, other, pos."),
]


def group(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Statements, or another table of attributes.")],
    *,
    output: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Groups: .csv, .tsv, .jsonl or .parquet.")
    ],
    attribute_column: Column = "attribute",
    tau: Annotated[
        float, typer.Option(help="Minimum cosine similarity to merge groups.", min=0.0, max=1.0)
    ] = 0.55,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="endoxa, or afristereo (as published; depends on the order of rows)."
        ),
    ] = "endoxa",
    encoder: Encoder = "all-MiniLM-L6-v2",
    precision: Precision = "float32",
    existing: Annotated[
        Path | None,
        typer.Option(metavar="GROUPS", help="Existing groups, kept unchanged; new attributes are added."),
    ] = None,
    language: Language = "en",
    lexicon: Own = None,
) -> None:
    """Group attributes with similar meanings; opposites and negations are never merged.

    \b
    Examples:
      endoxa curate group statements.csv -o groups.csv
      endoxa curate group new.csv --existing groups.csv -o groups-2.csv
      endoxa curate group statements.csv --method afristereo -o published.csv
    """  # noqa: D301
    from endoxa.curate.encoders import load_encoder
    from endoxa.curate.group import group_attributes, method_named, read_attributes, read_existing
    from endoxa.curate.group.run import SCHEMA
    from endoxa.curate.opposites import load_lexicon
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import require_table_name, write_table

    require_table_name(output)
    require_apart([output], [file, existing, lexicon])
    chosen = method_named(method, adds=existing is not None)
    counts = read_attributes(file, attribute_column, language, _warn, SCHEMA)
    earlier = read_existing(existing) if existing else None
    table = group_attributes(
        counts,
        load_encoder(encoder, precision),
        load_lexicon(language, lexicon),
        tau=tau,
        method=chosen,
        existing=earlier,
    )
    write_table(table, output)
    groups = table["group_id"].n_unique()
    typer.echo(f"{len(table)} attributes in {groups} groups written to {output}")


def thresholds(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Statements, or another table of attributes.")],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="PLACE", help="Folder, or .csv file; the figure goes into the same folder."
        ),
    ],
    constraints: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Known pairs: columns attribute_a, attribute_b, relation, source."),
    ] = None,
    attribute_column: Column = "attribute",
    low: Annotated[float, typer.Option(help="Minimum threshold.")] = 0.3,
    high: Annotated[float, typer.Option(help="Maximum threshold.")] = 0.8,
    step: Annotated[float, typer.Option(help="Step between thresholds.")] = 0.05,
    encoder: Encoder = "all-MiniLM-L6-v2",
    precision: Precision = "float32",
    language: Language = "en",
    lexicon: Own = None,
    seed: Annotated[int, typer.Option(help="Seed of every random draw.")] = 0,
) -> None:
    """Compare thresholds for both methods: number of groups, silhouette, and accuracy on known pairs.

    Without --constraints, known pairs are generated from surface variants and antonyms. The method `endoxa` uses the
    same rules, so these pairs test only the published method; give your own pairs to test both.

    \b
    Examples:
      endoxa curate thresholds statements.csv -o out/thresholds
      endoxa curate thresholds statements.csv --constraints pairs.csv -o thresholds.csv
    """  # noqa: D301
    from endoxa.curate.encoders import load_encoder
    from endoxa.curate.figures import thresholds_figure
    from endoxa.curate.group import read_attributes
    from endoxa.curate.group.thresholds import generate_constraints, grid, read_constraints, thresholds_table
    from endoxa.curate.opposites import load_lexicon
    from endoxa.errors import UserError
    from endoxa.report.render import picture, save
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import require_table_name, write_table

    path = output if output.suffix else output / "thresholds.csv"
    require_apart([path], [file, constraints, lexicon])
    require_table_name(path)
    taus = grid(low, high, step)
    counts = read_attributes(file, attribute_column, language, _warn)
    words = load_lexicon(language, lexicon)
    known = read_constraints(constraints) if constraints else generate_constraints(list(counts), words, seed)
    table = thresholds_table(
        counts,
        load_encoder(encoder, precision),
        words,
        taus,
        known,
        seed=seed,
        tell=_warn,
    )
    write_table(table, path)
    figure = replace(thresholds_figure(table, from_rules=constraints is None), name=path.stem)
    try:
        save(figure, picture(figure), path.parent)
    except OSError as problem:
        raise UserError(f"The figure cannot be written to '{path.parent}': {problem.strerror}.") from problem
    typer.echo(
        f"{plural(len(table), 'row')} written to {path}, with {path.stem}.svg and {path.stem}.png in the same folder"
    )


def _warn(sentence: str) -> None:
    typer.echo(sentence, err=True)
