"""Two versions of a set of sentence pairs: which pairs changed, as a table and as a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.curate.pages import METHODS, page_of
from endoxa.errors import UserError
from endoxa.report.document import Finding, Section
from endoxa.report.inputs import Run
from endoxa.report.tables import table_of, text_field
from endoxa.report.words import count, listed, plural
from endoxa.sources.identities import identity_key
from endoxa.sources.read import read_pairs
from endoxa.sources.tables import TABLE_SUFFIXES, table_columns
from endoxa.study.compare.editions.comparison import TableComparison

SAME, TEXT, SIDE, REMOVED, ADDED = "same", "text changed", "side changed", "removed", "added"
PARTS = (SAME, TEXT, SIDE, REMOVED, ADDED)
MOST_SHOWN = 500
"""Rows of the table on the page; the table that the command writes has all of them."""
MOST_OPEN = 40

PAIR_CHANGE_COLUMNS: dict[str, str] = {
    "change": "'same', 'text changed', 'side changed' (the other sentence is the stereotype now), 'removed', 'added'",
    "item_before": "name of the pair in the first set, or empty",
    "item_after": "name of the pair in the second set, or empty",
    "identity": "the group the pair is about",
    "stereotype_before": "the stereotypical sentence of the first set",
    "other_before": "its other sentence",
    "stereotype_after": "the stereotypical sentence of the second set",
    "other_after": "its other sentence",
}
"""Columns of the table of changed pairs."""


def is_set(path: Path) -> bool:
    """Whether a table holds sentence pairs, or stereotypes with their opposites (S/AS)."""
    if path.is_dir() or path.suffix.lower() not in TABLE_SUFFIXES or not path.is_file():
        return False
    names = set(table_columns(path))
    return any(
        marks <= names for marks in ({"sent_more", "sent_less"}, {"canonical_attribute", "anti_stereotype"})
    )


def compare_sets(paths: Sequence[Path]) -> TableComparison:
    """Which pairs changed from the first set to the second.

    Pairs are the same where both sentences are. Of the rest, a pair of the same name about the same identity, or else
    the same identity and stereotypical attribute, has changed its text.

    Args:
        paths: two files of pairs, in any format endoxa reads.

    Raises:
        UserError: not two files, or one cannot be read.
    """
    if len(paths) != 2:
        raise UserError(
            f"{len(paths)} sets of pairs given. Expected two: the earlier version and the later one."
        )
    first, second = (_with_sides(pl.concat(list(read_pairs(Path(path))))) for path in paths)
    stems = [Path(path).stem for path in paths]
    before, after = stems if stems[0] != stems[1] else map(str, paths)
    table = _table(first, second)
    counts = {change: table.filter(change=change).height for change in PARTS}
    changed = [f"{count(number)} {part}" for part, number in counts.items() if number and part != SAME]
    same = plural(counts[SAME], "pair is", "pairs are")
    headline = (
        f"{same[0].upper()}{same[1:]} the same; {listed(changed)}."
        if changed
        else f"No pair changed: {same} the same."
    )
    texts = (
        text_field(f"{words}, {name}", f"{kind}_{side}", veiled=True)
        for side, name in (("before", before), ("after", after))
        for kind, words in (("stereotype", "stereotype"), ("other", "other sentence"))
    )
    fields = (text_field("change"), text_field("group", "identity", veiled=True), *texts)
    other = table.filter(pl.col("change") != SAME).head(MOST_SHOWN)
    tables = (table_of("Pairs that changed", other, fields, most_open=MOST_OPEN),)
    sections = (
        Section("pairs", "Changed pairs", findings=(Finding(headline, (counts,)),), tables=tables),
        replace(METHODS, template="set_methods.html.j2"),
    )
    runs = [Run(path, {}) for path in paths]
    title = headline.removesuffix(".")
    return TableComparison(
        table, (headline,), page=page_of(__package__, runs, title, f"{before} and {after}.", sections)
    )


def _with_sides(pairs: pl.DataFrame) -> pl.DataFrame:
    """The pairs with their stereotypical and other sentence."""
    more = pl.col("stereotypical") == "more"
    return pairs.with_columns(
        stereotype=pl.when(more).then("sent_more").otherwise("sent_less"),
        other=pl.when(more).then("sent_less").otherwise("sent_more"),
        attribute=pl.when(more).then("attribute_more").otherwise("attribute_less"),
    )


def _texts(row: Mapping[str, Any]) -> object:
    return frozenset((row["stereotype"], row["other"]))


def _named(row: Mapping[str, Any]) -> object:
    return row["item_id"], identity_key(row["identity"] or "")


def _about(row: Mapping[str, Any]) -> object:
    if not (row["identity"] and row["attribute"]):
        return None
    return identity_key(row["identity"]), identity_key(row["attribute"]), row["language"]


def _matched(left: Sequence[Mapping[str, Any]], right: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    """Rows of the second set by rows of the first, by sentences, else by name, else by identity and attribute."""
    matched: dict[int, int] = {}
    keys: tuple[Callable[[Mapping[str, Any]], object], ...] = (_texts, _named, _about)
    for key in keys:
        used_rows = set(matched.values())
        waiting: dict[object, list[int]] = {}
        for place, row in enumerate(right):
            if place not in used_rows and key(row) is not None:
                waiting.setdefault(key(row), []).append(place)
        for place, row in enumerate(left):
            if place not in matched and waiting.get(key(row)):
                matched[place] = waiting[key(row)].pop(0)
    return matched


def _table(first: pl.DataFrame, second: pl.DataFrame) -> pl.DataFrame:
    left, right = first.to_dicts(), second.to_dicts()
    matched = _matched(left, right)
    rows = [_row(row, right[matched[place]] if place in matched else None) for place, row in enumerate(left)]
    added = sorted(set(range(len(right))) - set(matched.values()))
    rows += [_row(None, right[place]) for place in added]
    table = pl.DataFrame(rows, schema=dict.fromkeys(PAIR_CHANGE_COLUMNS, pl.String))
    return table.sort(pl.col("change") == SAME, maintain_order=True)


def _row(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> dict[str, str]:
    if before is None or after is None:
        change = ADDED if before is None else REMOVED
    elif _texts(before) != _texts(after):
        change = TEXT
    else:
        change = SAME if before["stereotype"] == after["stereotype"] else SIDE
    old, new = before or {}, after or {}
    return {
        "change": change,
        "item_before": old.get("item_id", ""),
        "item_after": new.get("item_id", ""),
        "identity": (before or new)["identity"] or "",
        "stereotype_before": old.get("stereotype", ""),
        "other_before": old.get("other", ""),
        "stereotype_after": new.get("stereotype", ""),
        "other_after": new.get("other", ""),
    }
