"""CrowS-Pairs (Nangia et al. 2020), as published in `crows_pairs_anonymized.csv`.

`sent_more` is the sentence that stereotypes more, in rows labelled 'stereo' and 'antistereo' alike (paper,
section 2), so `stereotypical` is always 'more'. The file does not name the group a pair is about; `identity`
is taken from the words in which the stereotypical sentence differs from the other one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.schema import ReadOptions
from endoxa.sources.drafts import Draft, Format, axis_of, direction_of
from endoxa.sources.tables import TABLE_SUFFIXES, table_rows
from endoxa.sources.typography import differing_words
from endoxa.sources.write import write_csv

_REQUIRED = ("sent_more", "sent_less", "stereo_antistereo", "bias_type")
_OURS = frozenset({"item_id", "axis", "direction", "stereotypical", "language"})
_NAMES = {"item_id": "", "direction": "stereo_antistereo", "axis": "bias_type", "stereotypical": "sent_more"}
_WRITTEN = ("", *_REQUIRED)
_UNNAMED = "Unnamed: 0"
"""What pandas calls the published column of row numbers, which has no name."""


def drafts(path: Path, options: ReadOptions) -> Iterator[Draft]:
    """One pair per row. `options.language` is the language of a translated file (default 'en')."""
    for row in table_rows(path, _REQUIRED):
        more, less = row.cells.get("sent_more"), row.cells.get("sent_less")
        number = row.cells.get("") or row.cells.get(_UNNAMED) or row.number - 1
        pair = {
            "item_id": f"crows-{number}",
            "language": options.language or "en",
            "axis": axis_of(row.cells.get("bias_type")),
            "direction": direction_of(row.cells.get("stereo_antistereo")),
            "stereotypical": "more",
            "sent_more": more,
            "sent_less": less,
            "identity": differing_words(more or "", less or ""),
        }
        yield Draft.of(row, pair, _NAMES)


def write(frames: Iterator[pl.DataFrame], path: Path) -> None:
    """Write row number, sentences, label and bias type under the published names.

    The row number is that of an item_id `crows-<number>`, else the position in the file. Language, region,
    attributes and other ids have no place in the format and are not written.

    Raises:
        UserError: a pair that the format cannot say (no label; `sent_less` is the stereotypical one).
    """
    write_csv(map(list, _published(frames, path)), _WRITTEN, path)


def _published(frames: Iterator[pl.DataFrame], path: Path) -> Iterator[tuple[str | None, ...]]:
    position = -1
    for frame in frames:
        for pair in frame.iter_rows(named=True):
            position += 1
            if pair["direction"] == "unknown" or pair["stereotypical"] != "more":
                raise UserError(
                    f"{path}: pair '{pair['item_id']}' cannot be written as CrowS-Pairs, which needs a label "
                    "and the stereotypical sentence in sent_more. Use --to native instead."
                )
            numbered = re.fullmatch(r"crows-(\d+)", pair["item_id"])
            number = numbered[1] if numbered else str(position)
            yield (number, pair["sent_more"], pair["sent_less"], pair["direction"], pair["axis"])


CROWS_PAIRS = Format(
    name="crows-pairs",
    title="CrowS-Pairs (Nangia et al. 2020)",
    suffixes=TABLE_SUFFIXES,
    columns=_REQUIRED,
    other_columns=_OURS,
    drafts=drafts,
    write=write,
    example=(
        ",sent_more,sent_less,stereo_antistereo,bias_type\n"
        "0,Farmers get up early.,Bakers get up early.,stereo,profession\n"
        '1,"In town, bakers are late.","In town, farmers are late.",antistereo,profession\n'
    ),
    units="one row, one pair",
)
