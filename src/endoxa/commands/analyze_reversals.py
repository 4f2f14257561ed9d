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
        Path, Option("Page (.html) or table of reversals (.csv, .tsv, .jsonl, .parquet).", OUTPUT, short="-o")
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
      endoxa analyze reversals statements.csv --groups groups.csv -o reversals.html
      endoxa analyze reversals by_country.csv -o reversals.csv
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import WRITTEN_SUFFIXES, write_table
    from endoxa.study.compare.regions import find_reversals
    from endoxa.study.compare.regions.page import headline, sentences, write_reversal_page

    require_apart([out], [table])
    if out.suffix.lower() not in (".html", *WRITTEN_SUFFIXES):
        raise UserError(
            f"--out: '{out}' has an unknown file type. Expected .html, {', '.join(WRITTEN_SUFFIXES)}."
        )
    turned = find_reversals(table, groups=groups, confidence=confidence)
    for sentence in turned.notes:
        note(sentence)
    if out.suffix.lower() == ".html":
        write_reversal_page(turned, out)
    else:
        write_table(turned.table, out)
    return Outcome([headline(turned), *sentences(turned), f"Written: {out}"])
