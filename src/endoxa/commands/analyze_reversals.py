"""`endoxa analyze reversals`: stereotypes that are turned round between two regions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from endoxa.commands.verbs import Outcome, argument, note
from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence
from endoxa.schema.options import DATA, OUTPUT, Option


def reversals(
    table: Annotated[
        Path,
        argument(
            "Statements (columns respondent, country), or associations by country (region, support).",
            metavar="TABLE",
        ),
    ],
    *,
    out: Annotated[
        Path, Option("Table of reversals (.csv, .tsv, .jsonl, .parquet).", OUTPUT, short="-o", table=True)
    ],
    groups: Annotated[
        Path | None, Option("Groups of attributes (`endoxa curate group`), for statements.", DATA)
    ] = None,
    confidence: Confidence = DEFAULT_CONFIDENCE,
) -> Outcome:
    """Find stereotypes that are turned round between two regions.

    Compared are an attribute and its opposite, said of one group, and two groups of an axis of which one attribute is
    said. A reversal means that one side leads in one region and the other side in the other; both must be clear after
    correction over all comparisons.

    \b
    Examples:
      endoxa analyze reversals statements.csv --groups groups.csv -o reversals.csv
      endoxa analyze reversals by_country.csv -o reversals.csv
    """  # noqa: D301
    from endoxa.study.compare.reversals import find_reversals

    turned = find_reversals(table, groups=groups, confidence=confidence)
    for sentence in turned.notes:
        note(sentence)
    return Outcome([*turned.sentences, f"Written: {out}"], {"out": turned.table})
