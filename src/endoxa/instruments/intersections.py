"""Is a crossed group more than its parts? Leans towards the stereotype that the parts do not predict.

For a pair about "igbo women", the parts predict the difference of scores of "igbo people" and of "women" in the same
words, less that of others (with whom calibrated pairs are compared), which both contain. What is left is
the interaction of a design of two or more factors, in the unit of the rule. For questions about two persons the lean of
the answers stands in the place of the difference; nobody in particular has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from endoxa.curate.crossed import parts_of
from endoxa.errors import UserError
from endoxa.runs.options import DEFAULT_CONFIDENCE
from endoxa.sources.identities import identity_key, with_joined_names
from endoxa.stats.correction import adjust_within
from endoxa.stats.signs import fewest_units
from endoxa.stats.two_way import two_way
from endoxa.stats.verdicts import decide, significance, too_few

ALL_CROSSED = "all crossed groups"

INTERSECTION_COLUMNS: dict[str, str] = {
    "model": "the model",
    "rule": "pairs: the scoring rule, in whose unit differences are; questions: how they were asked",
    "identity": "the crossed group, or 'all crossed groups'",
    "parts": "its parts, separated by '; '",
    "n_sets": "attributes of the crossed groups that all parts (of pairs, others to compare with too) have beside them",
    "n_identities": "crossed groups among them",
    "n_attributes": "attributes among them",
    "crossed": "mean difference of scores towards the stereotype, or lean of the answers, about the crossed group",
    "predicted": "what its parts predict, added up",
    "interaction": "crossed less predicted; above 0 the stereotype is stronger than its parts explain",
    "low": "lower end of its interval, groups and attributes as samples",
    "high": "upper end",
    "p_value": "test of no interaction",
    "p_adjusted": "after Benjamini and Hochberg's correction over the groups of a model and rule",
    "verdict": "'above' (more than its parts), 'below' (less), 'unclear', 'cannot-be-tested'",
    "reason": "why it cannot be tested or is unclear",
}
"""Columns of the table of interactions."""


LEANS: dict[str, float] = {"stereotyped": 1.0, "anti-stereotyped": -1.0, "unknown": 0.0}
"""What an answer adds to the lean of ambiguous contexts; answers that were not read have none."""
SCORED = {
    **dict.fromkeys(("model", "rule", "language", "identity", "identity_key", "attribute"), pl.String),
    **dict.fromkeys(("lean", "neutral", "limit"), pl.Float64),
}
"""What interactions are computed from: leans towards the stereotype, that of nobody in particular, and the largest lean
there can be (empty where there is no such limit)."""


def of_pairs(records: pl.DataFrame) -> pl.DataFrame:
    """`SCORED` of the records of pairs (columns of `schema.RECORD_COLUMNS`)."""
    towards = pl.when(pl.col("stereotypical") == "more").then(1.0).otherwise(-1.0)
    return (
        _with_key(records)
        .select(
            "model",
            "rule",
            "language",
            pl.col("identity").fill_null(""),
            "identity_key",
            attribute=pl.concat_str(pl.col("attribute_more", "attribute_less").fill_null(""), separator="\t"),
            lean=towards * (pl.col("score_more") - pl.col("score_less")),
            neutral=towards * pl.col("neutral_difference"),
            limit=pl.lit(None, pl.Float64),
        )
        .filter(pl.col("attribute") != "\t")
    )


def of_answers(answers: pl.DataFrame) -> pl.DataFrame:
    """`SCORED` of answers about persons of whom nothing is said (columns of `schema.QA_RECORD_COLUMNS`): mean leans."""
    if not {"identity", "attribute"} <= set(answers.columns):
        return pl.DataFrame(schema=SCORED)
    return (
        _with_key(answers)
        .filter(pl.col("outcome").is_in(list(LEANS)), context_condition="ambig")
        .filter(pl.col("attribute").fill_null("") != "")
        .group_by(
            "model", "protocol", "language", "identity", "identity_key", "attribute", maintain_order=True
        )
        .agg(lean=pl.col("outcome").replace_strict(LEANS, return_dtype=pl.Float64).mean())
        .with_columns(neutral=0.0, limit=1.0)
        .rename({"protocol": "rule"})
        .select(list(SCORED))
    )


def _with_key(records: pl.DataFrame) -> pl.DataFrame:
    """The records with `identity_key`, which older runs lack."""
    if "identity_key" in records.columns:
        return records
    return records.with_columns(identity_key=pl.lit(None, pl.String))


def intersections(
    scored: pl.DataFrame,
    listed: Mapping[str, tuple[str, ...]] | None = None,
    *,
    confidence: float = DEFAULT_CONFIDENCE,
    seed: int = 0,
) -> pl.DataFrame:
    """Interactions of all crossed groups together and of each one, for every model and rule.

    Args:
        scored: columns of `SCORED`.
        listed: parts that a user named, by `identity_key`.
        confidence: of the intervals.
        seed: of drawn sign flips.

    Raises:
        UserError: no crossed group has its parts (and, of pairs, others) beside it.
    """
    sets = _sets(scored, listed or {})
    if sets.is_empty():
        raise UserError(
            "No crossed group has all of its parts beside it with the same attribute. Make pairs with `endoxa build "
            "pairs --cross` and score them with calibration, or make questions with `endoxa build qa --cross`."
        )
    rows = []
    for (model, rule), table in sets.group_by("model", "rule", maintain_order=True):
        shown = {"model": model, "rule": rule}
        rows.append(shown | _estimate(table, ALL_CROSSED, "", confidence, seed))
        for (identity,), part in table.sort("identity").group_by("identity", maintain_order=True):
            rows.append(shown | _estimate(part, str(identity), part["parts"][0], confidence, seed))
    return _decided(rows, significance(confidence))


def _sets(scored: pl.DataFrame, listed: Mapping[str, tuple[str, ...]]) -> pl.DataFrame:
    """Columns model, rule, identity, parts, attribute, crossed, predicted, limit: a row for each complete set."""
    scored = scored.with_columns(
        key=pl.col("identity").map_elements(identity_key, return_dtype=pl.String, skip_nulls=False)
    )
    place = ("model", "rule", "language", "attribute")
    known = {tuple(row[:5]): row[5] for row in scored.select(*place, "key", "lean").iter_rows()}
    names = {key: parts for key in scored["key"].unique() if (parts := parts_of(key, listed))}
    rows: list[dict[str, Any]] = []
    for row in scored.filter(pl.col("key").is_in(list(names))).iter_rows(named=True):
        parts = names[row["key"]]
        beside = [known.get((*(row[name] for name in place), identity_key(part))) for part in parts]
        if row["neutral"] is None or any(lean is None for lean in beside):
            continue
        predicted = sum(lean for lean in beside if lean is not None)
        rows.append(
            {
                "model": row["model"],
                "rule": row["rule"],
                "identity": row["key"],
                "identity_key": row["identity_key"],
                "parts": "; ".join(parts),
                "attribute": row["attribute"],
                "crossed": row["lean"],
                "predicted": predicted - (len(parts) - 1) * row["neutral"],
                "limit": row["limit"],
            }
        )
    return with_joined_names(pl.DataFrame(rows, infer_schema_length=None))


def _estimate(table: pl.DataFrame, identity: str, parts: str, confidence: float, seed: int) -> dict[str, Any]:
    crossed, predicted = (table[name].to_numpy() for name in ("crossed", "predicted"))
    codes = [table[name].rank("dense").to_numpy().astype(int) for name in ("identity", "attribute")]
    result = two_way(crossed - predicted, codes[0], codes[1], neutral=0.0, confidence=confidence, seed=seed)
    needed = fewest_units(significance(confidence))
    units, noun = (result.first, "groups") if identity == ALL_CROSSED else (result.second, "attributes")
    limit = table["limit"][0]
    reason = too_few(units, noun, needed) or too_few(result.informative, f"{noun} that differ at all", needed)
    if not reason and limit is not None and abs(predicted.mean()) > limit:
        reason = f"the parts add up to a lean of {predicted.mean():.2f}, and no lean can exceed {limit:.0f}"
    return {
        "identity": identity,
        "parts": parts,
        "n_sets": table.height,
        "n_identities": result.first,
        "n_attributes": result.second,
        "crossed": float(crossed.mean()),
        "predicted": float(predicted.mean()),
        "interaction": float((crossed - predicted).mean()),
        "low": float("nan") if reason else result.interval.low,
        "high": float("nan") if reason else result.interval.high,
        "p_value": float("nan") if reason else result.p_value,
        "reason": reason,
    }


def _decided(rows: Sequence[dict[str, Any]], alpha: float) -> pl.DataFrame:
    """The rows with corrected p-values and verdicts; all groups together are a family of one."""
    families = [(row["model"], row["rule"], row["identity"] == ALL_CROSSED) for row in rows]
    adjusted = adjust_within([row["p_value"] for row in rows], families)
    made = []
    for row, value in zip(rows, adjusted, strict=True):
        decision = decide(
            row["interaction"], 0.0, row["p_value"], float(value), alpha=alpha, untestable=row["reason"]
        )
        made.append(
            {**row, "p_adjusted": float(value), "verdict": decision.verdict, "reason": decision.reason}
        )
    return pl.DataFrame(made, infer_schema_length=None).select(*INTERSECTION_COLUMNS).fill_nan(None)
