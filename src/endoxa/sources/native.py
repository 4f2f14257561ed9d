"""Our own columns (`endoxa.schema.PAIR_COLUMNS`) in CSV, TSV, JSONL or Parquet.

Only the two sentences are required. CrowS-Pairs' names `bias_type` and `stereo_antistereo` are accepted for
`axis` and `direction`; columns we do not know are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from endoxa.schema import PAIR_COLUMNS, ReadOptions
from endoxa.sources.drafts import Draft, Format, axis_of, direction_of
from endoxa.sources.tables import TABLE_SUFFIXES, Row, require_known_columns, table_rows
from endoxa.sources.write import write_pairs

_REQUIRED = ("sent_more", "sent_less")
_ALIASES = {"axis": "bias_type", "direction": "stereo_antistereo"}
_KEPT = tuple(name for name in PAIR_COLUMNS if name not in _REQUIRED)


def drafts(path: Path, options: ReadOptions) -> Iterator[Draft]:
    """One pair per row.

    Where the file says nothing: item_id the `draft_id` of a draft, else '<file stem>-<row>', association_id the
    `source_ids` of a draft, language `options.language` or else 'und', axis
    'unspecified', direction 'unknown', stereotypical 'more'.
    """
    called = options.columns
    require_known_columns(called, PAIR_COLUMNS, "pairs")
    required = {*(called.get(name, name) for name in _REQUIRED), *called.values()}
    for row in table_rows(path, sorted(required), optional=tuple(_ALIASES.values())):
        yield _draft(row, path.stem, options.language or "und", called)


def _draft(row: Row, stem: str, language: str, called: Mapping[str, str]) -> Draft:
    aliases = {
        ours: alias for ours, alias in _ALIASES.items() if ours not in row.cells and alias in row.cells
    }
    names = aliases | dict(called)
    pair: dict[str, str | None] = {name: row.cells.get(names.get(name, name)) or None for name in _KEPT}
    pair |= {
        "item_id": pair["item_id"] or row.cells.get("draft_id") or f"{stem}-{row.number}",
        "association_id": pair["association_id"] or row.cells.get("source_ids") or None,
        "language": pair["language"] or language,
        "axis": axis_of(pair["axis"]),
        "direction": direction_of(pair["direction"]) or "unknown",
        "stereotypical": direction_of(pair["stereotypical"]) or "more",
        **{name: row.cells.get(names.get(name, name)) for name in _REQUIRED},
    }
    return Draft.of(row, pair, names)


NATIVE = Format(
    name="native",
    title="endoxa's own columns",
    suffixes=TABLE_SUFFIXES,
    columns=_REQUIRED,
    drafts=drafts,
    write=write_pairs,
    example=(
        "item_id,language,axis,direction,sent_more,sent_less\n"
        "a,en,profession,stereo,Farmers get up early.,Bakers get up early.\n"
        "b,en,age,antistereo,Young people tell long stories.,Old people tell long stories.\n"
    ),
    units="one row, one pair",
)
