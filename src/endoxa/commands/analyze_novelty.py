"""`endoxa analyze novelty`: which concepts of a data set are in no other, and how many every two share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import polars as pl
from annotated_types import Ge, Gt, Le

from endoxa.commands.verbs import TABLES, Outcome, argument, note
from endoxa.curate import novelty as concepts
from endoxa.curate.encoders import Encoder, doubt, load_encoder
from endoxa.curate.novelty.labels import LIKELY, calibrate, draw_sheet, read_labels, warnings
from endoxa.errors import UserError
from endoxa.report.tables import headline_of, number_field, text_field
from endoxa.report.words import decimal, percent, percent_interval, plural
from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence, Seed
from endoxa.schema.headline import Headline
from endoxa.schema.options import ANALYSIS, DATA, ITEMS, OUTPUT, Option
from endoxa.sources.frames import write_table

PAIRS = 256
"""Pairs of a sheet, as many as LACES had labelled."""


def novelty(
    files: Annotated[tuple[Path, ...], argument(metavar="FILE...")],
    *,
    out: Annotated[Path | None, TABLES] = None,
    threshold: Annotated[float | None, Gt(0), Le(1), Option(group=ANALYSIS)] = None,
    labels: Annotated[Path | None, Option(group=DATA)] = None,
    concept: Annotated[Literal["attribute", "association", "sentence"], Option(group=ITEMS)] = "attribute",
    encoder: Annotated[str, Option(group=ITEMS, metavar="NAME")] = "all-MiniLM-L6-v2",
    languages: Annotated[
        tuple[str, ...], Option(group=DATA, name="--language", metavar="CODE", default="en")
    ] = (),
    sheet: Annotated[Path | None, Option(group=OUTPUT, table=True)] = None,
    sheet_pairs: Annotated[int, Ge(10), Option(group=OUTPUT)] = PAIRS,
    confidence: Confidence = DEFAULT_CONFIDENCE,
    seed: Seed = 0,
) -> Outcome:
    """Find the concepts of each data set that are in none of the others, and how many every two share.

    A concept is present in another data set if its largest cosine to any concept there reaches the threshold. A folder
    gets novelty.csv (every data set), novelty_shared.csv (every two, both directions), novelty_concepts.csv (every
    concept with its nearest), novelty_curve.csv (other thresholds), and with --labels novelty_threshold.csv.

    \b
    Examples:
      endoxa analyze novelty mine.csv seegull.csv --sheet sheet.csv
      endoxa analyze novelty mine.csv seegull.csv --labels sheet.csv -o novelty
      endoxa analyze novelty crows.csv indibias.csv --concept sentence --threshold 0.7 -o novelty

    Options:
        files: Two data sets or more: sentence pairs, BBQ's questions, or tables with identity and attribute.
        threshold: Minimum cosine at which a concept is present; with --sheet, where it is expected.
        labels: Labelled pairs that choose the threshold: text_a, text_b, related.
        concept: What is compared.
        encoder: all-MiniLM-L6-v2 (installed), hf/ORG/NAME or hf/FOLDER (any sentence-transformers model).
        languages: Language of the texts; rows that name another one are left out; repeatable.
        sheet: Write pairs to label to FILE.
        sheet_pairs: Number of pairs of the sheet.
    """  # noqa: D301
    if out is None and sheet is None:
        raise UserError("Missing --out. Name the table to write, or a sheet of pairs to label with --sheet.")
    if out is not None and (threshold is None) == (labels is None):
        raise UserError(
            "Give either --threshold or --labels. To choose a threshold, have a sheet written with --sheet, fill "
            "it in, and give it as --labels."
        )
    concepts.check_inputs(len(files))
    datasets = [
        concepts.read_concepts(path, concept, languages or concepts.DEFAULT_LANGUAGES, name)
        for path, name in zip(files, concepts.dataset_names(files), strict=True)
    ]
    pairs = None if labels is None else read_labels(labels, concept)
    vectors = load_encoder(encoder)
    note(*filter(None, (doubt(encoder, language) for language in languages)))
    lines: list[str | Headline] = []
    if sheet is not None:
        drawing = {"pairs": sheet_pairs, "seed": seed}
        lines += _write_sheet(datasets, vectors, sheet, threshold, drawing)
    if out is None:
        return Outcome(lines)
    chosen = None
    if pairs is not None:
        cosine = pairs.cosines(vectors)
        chosen = calibrate(pairs, cosine, confidence=confidence, seed=seed)
    overlap = concepts.analyze_novelty(
        datasets,
        vectors,
        chosen["threshold"] if chosen is not None else threshold or 0.0,
        kind=concept,
        encoder_name=encoder,
        threshold_from="labels" if chosen is not None else "given",
        confidence=confidence,
    )
    headline = _novelty_headline(overlap, chosen)
    tables = {
        "novelty": overlap.shares,
        "novelty_shared": overlap.shared,
        "novelty_concepts": overlap.concepts,
        "novelty_curve": overlap.curve,
        "novelty_threshold": None if chosen is None else pl.DataFrame([chosen]),
    }
    return Outcome((*lines, headline), tables, headline)


def _write_sheet(
    datasets: Sequence[concepts.Concepts],
    encoder: Encoder,
    path: Path,
    likely: float | None,
    drawing: Mapping[str, Any],
) -> Iterator[str]:
    drawn = draw_sheet(datasets, encoder, likely=LIKELY if likely is None else likely, **drawing)
    if drawn.is_empty():
        raise UserError("There is no pair to label: all concepts of the data sets are equal.")
    write_table(drawn, path)
    yield f"{plural(drawn.height, 'pair')} written to {path}, evenly from ranges of likeness as far as they go."
    yield f"Next: fill in the column 'related' (yes or no), then give --labels {path}"


def _novelty_headline(overlap: concepts.Novelty, chosen: Mapping[str, Any] | None) -> Headline:
    rows = list(overlap.shares.iter_rows(named=True))
    first = rows[0]
    notes = [
        f"Present from a cosine of {decimal(first['threshold'], 3)} on ({first['encoder']}, {first['concept']}s)."
    ]
    if any(row["interval"] == "wilson" for row in rows):
        notes.append(
            "Intervals marked w: fewer than five identities; concepts count as independent (Wilson)."
        )
    left = sum(row["left_out"] for row in rows)
    if left:
        notes.append(f"{plural(left, 'row')} in other languages left out.")
    empty = sum(row["empty"] for row in rows)
    if empty:
        notes.append(f"{plural(empty, 'row')} without such a concept left out.")
    if chosen is not None:
        notes.append(
            f"The threshold was chosen by {plural(chosen['n'], 'labelled pair')}; on other pairs it is right in "
            f"{percent(chosen['accuracy'])} (interval "
            f"{percent_interval(chosen['accuracy_low'], chosen['accuracy_high'])})."
        )
        notes += warnings(chosen)
    marked = overlap.shares.with_columns(
        mark=pl.when(interval="wilson").then(pl.lit(" w")).otherwise(pl.lit(""))
    )
    return headline_of(
        "Concepts that are found in no other data set",
        marked,
        (
            text_field("data set", "dataset"),
            *(number_field("concepts", "n_concepts"), number_field("unique", "n_unique")),
            number_field("share", "share_unique", percent),
            number_field("interval", lambda row: percent_interval(row["low"], row["high"]) + row["mark"]),
        ),
        rows,
        notes=notes,
    )
