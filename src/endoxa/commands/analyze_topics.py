"""`endoxa analyze topics`: how often each topic comes up, and who speaks of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.report.words import count, percent, percent_interval, plural
from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence
from endoxa.schema.headline import Headline
from endoxa.schema.options import DATA, OUTPUT, Option

if TYPE_CHECKING:
    import polars as pl

LONGEST = 24
"""Letters of an association that the terminal shows."""


def topics(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Tables of associations (identity, attribute, perhaps in_group, rater), or exports of campaigns.",
        ),
    ],
    *,
    out: Annotated[Path, Option("Topics: .csv, .tsv, .jsonl or .parquet.", OUTPUT, short="-o")],
    labels: Annotated[
        Path | None,
        Option(
            "Topics: association_id or attribute, and topic; or labels of author label.", DATA, metavar="FILE"
        ),
    ] = None,
    confidence: Confidence = DEFAULT_CONFIDENCE,
) -> Headline:
    """Count the topics of each data set: frequency, in-group and out-group share, most frequent association.

    Without --labels, the tables' own column `topic` is taken. A row counts once, or `support` times. Of a campaign's
    export (folder) what people said by themselves is counted.

    \b
    Examples:
      endoxa analyze topics said.csv --labels labels.csv -o topics.csv
      endoxa analyze topics export-2025 export-2026 --labels labels.csv -o topics.csv
    """  # noqa: D301
    import polars as pl

    from endoxa.curate import topics as room
    from endoxa.curate.novelty import dataset_names
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import require_table_name, write_table

    require_table_name(out)
    require_apart([out], [*files, labels])
    said = [
        room.read_mentions(path, labels, name) for path, name in zip(files, dataset_names(files), strict=True)
    ]
    found = room.analyze_topics(pl.concat(said), confidence=confidence)
    write_table(found, out)
    headline = _headline(found)
    typer.echo(str(headline))
    typer.echo(f"Written: {out}")
    return headline


def _headline(found: pl.DataFrame) -> Headline:
    from endoxa.curate.topics import NO_TOPIC

    rows = [row for row in found.iter_rows(named=True) if row["topic"] != NO_TOPIC]
    several = len({row["dataset"] for row in rows}) > 1
    without = {row["dataset"]: row["n"] for row in found.iter_rows(named=True) if row["topic"] == NO_TOPIC}
    drafts, total = (sum(row[name] for row in rows) for name in ("n_draft", "n"))
    known = any(row["in_group_share"] is not None for row in rows)
    columns = (
        *(["data set"] if several else []),
        *("topic", "n", "share", "interval"),
        *(["in-group"] if known else []),
        "most frequent",
    )
    return Headline(
        title="Topics: how often they come up"
        + (", and the share said by people of the group" if known else ""),
        columns=columns,
        texts=tuple(
            (
                *([row["dataset"]] if several else []),
                row["topic"],
                count(row["n"]),
                percent(row["share"], 0),
                percent_interval(row["low"], row["high"], 0),
                *([percent(row["in_group_share"], 0)] if known else []),
                _short(row),
            )
            for row in rows
        ),
        rows=tuple(found.iter_rows(named=True)),
        words=("data set", "topic", "most frequent"),
        notes=(
            *(
                f"{plural(n, 'association')} of {name} without a topic left out."
                for name, n in without.items()
            ),
            *(
                [f"{count(drafts)} of {count(total)} have labels of models that nobody has approved."]
                if drafts
                else []
            ),
        ),
    )


def _short(row: dict[str, object]) -> str:
    """The most frequent association and how often it was said."""
    text = f"{row['most_frequent_identity']}: {row['most_frequent_attribute']}".removeprefix(": ")
    text = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return f"{text} ({row['most_frequent_n']})"
