"""Two versions of a set of sentence pairs: which pairs changed, and what that does to a model's figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates.records import load_records
from endoxa.runs.options import DEFAULT_CONFIDENCE
from endoxa.sources.identities import identity_key, identity_names
from endoxa.sources.read import read_pairs
from endoxa.sources.tables import TABLE_SUFFIXES, table_columns
from endoxa.stats.contrasts import contrast
from endoxa.stats.correction import adjust
from endoxa.stats.verdicts import decide, significance, too_few

SAME, TEXT, SIDE, REMOVED, ADDED = "same", "text changed", "side changed", "removed", "added"
PARTS = (SAME, TEXT, SIDE, REMOVED, ADDED)

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

FIGURE_COLUMNS: dict[str, str] = {
    "model": "the model",
    "rule": "the scoring rule",
    "part": "'all pairs', or one of the kinds of changes",
    "n_before": "pairs of the first set that were scored",
    "n_after": "pairs of the second set that were scored",
    "before": "share of them in which the model prefers the stereotypical sentence (ties one half; not calibrated)",
    "after": "the same in the second set",
    "effect": "what the part adds to the change of the figure, beside the pairs that stayed the same",
    "low": "of all pairs: lower end of the interval of the change, identities and attributes as samples",
    "high": "of all pairs: upper end",
    "p_value": "of all pairs: against no change",
    "p_adjusted": "after Benjamini and Hochberg's correction over models and rules",
    "verdict": "of all pairs: 'above', 'below', 'unclear', 'cannot-be-tested'",
    "reason": "why it cannot be tested or is unclear",
}
"""Columns of the table of figures."""


@dataclass(frozen=True, slots=True)
class SetComparison:
    """Two versions of a set.

    Attributes:
        before: name of the first set.
        after: name of the second set.
        pairs: columns of `PAIR_CHANGE_COLUMNS`, changed ones first.
        figures: columns of `FIGURE_COLUMNS`; empty without runs.
        paths: both files.
    """

    before: str
    after: str
    pairs: pl.DataFrame
    figures: pl.DataFrame
    paths: tuple[Path, ...]

    def count(self, change: str) -> int:
        """Pairs with this change."""
        return self.pairs.filter(change=change).height


def is_set(path: Path) -> bool:
    """Whether a table holds sentence pairs, or stereotypes with their opposites (S/AS)."""
    if path.is_dir() or path.suffix.lower() not in TABLE_SUFFIXES or not path.is_file():
        return False
    names = set(table_columns(path))
    return any(
        marks <= names for marks in ({"sent_more", "sent_less"}, {"canonical_attribute", "anti_stereotype"})
    )


def compare_sets(
    paths: Sequence[Path], runs: Sequence[Path] = (), *, confidence: float = DEFAULT_CONFIDENCE
) -> SetComparison:
    """Which pairs changed from the first set to the second, and what that does to the figures of models.

    Pairs are the same where both sentences are. Of the rest, a pair of the same name about the same identity, or else
    the same identity and stereotypical attribute, has changed its text.

    Args:
        paths: two files of pairs, in any format endoxa reads.
        runs: no run, or a run over each of them.
        confidence: of the intervals.

    Raises:
        UserError: a file cannot be read, or a run is not one over its set.
    """
    if len(paths) != 2 or len(runs) not in (0, 2):
        raise UserError("Expected two sets of pairs, and no run or a run over each of them (--run twice).")
    first, second = (_with_sides(pl.concat(list(read_pairs(Path(path))))) for path in paths)
    matched = _matched(first, second)
    pairs = _table(first, second, matched)
    stems = [Path(path).stem for path in paths]
    before, after = stems if stems[0] != stems[1] else map(str, paths)
    figures = _figures(pairs, runs, confidence) if runs else pl.DataFrame(schema=_FIGURE_TYPES)
    return SetComparison(before, after, pairs, figures, tuple(map(Path, paths)))


_TEXTS = {"model", "rule", "part", "verdict", "reason"}
_FIGURE_TYPES = {
    name: pl.String if name in _TEXTS else pl.Int64 if name.startswith("n_") else pl.Float64
    for name in FIGURE_COLUMNS
}


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


def _matched(first: pl.DataFrame, second: pl.DataFrame) -> dict[int, int]:
    """Rows of the second set by rows of the first, by sentences, else by name, else by identity and attribute."""
    left, right = first.to_dicts(), second.to_dicts()
    matched: dict[int, int] = {}
    keys: tuple[Callable[[Mapping[str, Any]], object], ...] = (_texts, _named, _about)
    for key in keys:
        taken = set(matched.values())
        waiting: dict[object, list[int]] = {}
        for place, row in enumerate(right):
            if place not in taken and key(row) is not None:
                waiting.setdefault(key(row), []).append(place)
        for place, row in enumerate(left):
            if place not in matched and waiting.get(key(row)):
                matched[place] = waiting[key(row)].pop(0)
    return matched


def _table(first: pl.DataFrame, second: pl.DataFrame, matched: Mapping[int, int]) -> pl.DataFrame:
    left, right = first.to_dicts(), second.to_dicts()
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


def _figures(pairs: pl.DataFrame, runs: Sequence[Path], confidence: float) -> pl.DataFrame:
    parts = [dict(pairs.select(f"item_{side}", "change").iter_rows()) for side in ("before", "after")]
    scored = []
    for run, part, group in zip(runs, parts, (-1, 1), strict=True):
        records = load_records([run])
        unknown = set(records["item_id"]) - set(part)
        if unknown:
            raise UserError(
                f"{run}: the pair '{min(unknown)}' is not in its set. Give the runs in the order of the sets."
            )
        sign = (pl.col("score_more") - pl.col("score_less")).sign()
        towards = pl.when(pl.col("stereotypical") == "more").then(sign).otherwise(-sign)
        named = pl.when(pl.col("identity_key").fill_null("") == "").then("identity").otherwise("identity_key")
        scored.append(
            records.select(
                "model",
                "rule",
                "attribute",
                identity=pl.coalesce(named, pl.lit("")).str.to_lowercase(),
                value=(1 + towards) / 2,
                part=pl.col("item_id").replace_strict(part),
                group=pl.lit(group),
            )
        )
    records = pl.concat(scored)
    rows: list[dict[str, Any]] = []
    for (model, rule), table in records.group_by("model", "rule", maintain_order=True):
        if table["group"].n_unique() == 2:
            rows += [{"model": model, "rule": rule, **row} for row in _parts_of(table, confidence)]
    if not rows:
        raise UserError("The runs have no model and rule in common. Score both sets with the same model.")
    figures = pl.DataFrame(rows, schema=_FIGURE_TYPES)
    adjusted = adjust(figures["p_value"].fill_null(float("nan")).to_numpy())
    figures = figures.with_columns(p_adjusted=pl.Series(adjusted))
    return _with_verdicts(figures, significance(confidence))


def _with_verdicts(figures: pl.DataFrame, alpha: float) -> pl.DataFrame:
    decided = []
    for row in figures.iter_rows(named=True):
        if row["part"] != "all pairs":
            decided.append(("", ""))
            continue
        decision = decide(
            row["effect"], 0.0, row["p_value"], row["p_adjusted"], alpha=alpha, untestable=row["reason"]
        )
        decided.append((decision.verdict, decision.reason))
    return figures.fill_nan(None).with_columns(
        verdict=pl.Series([verdict for verdict, _ in decided], dtype=pl.String),
        reason=pl.Series([reason for _, reason in decided], dtype=pl.String),
    )


def _parts_of(table: pl.DataFrame, confidence: float) -> list[dict[str, Any]]:
    """The change of one figure, and what each part of the set adds to it.

    A part adds the distance of its pairs from those that stayed the same, in proportion to its share of the set; the
    parts add up to the change, whatever the mean of the pairs that stayed.
    """
    group, value, part = (table[name].to_numpy() for name in ("group", "value", "part"))
    sides = [group == -1, group == 1]
    same = part == SAME
    reference = float(value[same].mean()) if same.any() else float(value.mean())
    rows = [_whole(table, sides, confidence)]
    for name in PARTS:
        inside = [side & (part == name) for side in sides]
        if not any(mask.any() for mask in inside):
            continue
        means = [float(value[mask].mean()) if mask.any() else None for mask in inside]
        added = [
            float((value[mask] - reference).sum()) / side.sum()
            for mask, side in zip(inside, sides, strict=True)
        ]
        rows.append(
            {
                "part": name,
                "n_before": int(inside[0].sum()),
                "n_after": int(inside[1].sum()),
                "before": means[0],
                "after": means[1],
                "effect": added[1] - added[0],
            }
        )
    return rows


def _whole(table: pl.DataFrame, sides: Sequence[np.ndarray], confidence: float) -> dict[str, Any]:
    """The figure of all pairs in both sets; a pair that is in both counts on both sides, and so cancels."""
    group, value = (table[name].to_numpy() for name in ("group", "value"))
    units = tuple(
        identity_names(table[name]).rank("dense").to_numpy().astype(int) for name in ("identity", "attribute")
    )
    change = contrast(value, group, (units[0], units[1]), confidence=confidence, bounds=(-1.0, 1.0))
    untested = change.sampled == "none"
    return {
        "part": "all pairs",
        "n_before": int(sides[0].sum()),
        "n_after": int(sides[1].sum()),
        "before": change.second,
        "after": change.first,
        "effect": change.difference,
        "low": change.interval.low,
        "high": change.interval.high,
        "p_value": change.p_value,
        "reason": too_few(table["identity"].n_unique(), "identities", 6) or "too few identities or attributes"
        if untested
        else "",
    }
