"""Is a crossed group more than its parts? Leans towards the stereotype that the parts do not predict.

For a pair about "igbo women", the parts predict the difference of scores of "igbo people" and of "women" in the same
words, less that of others (with whom calibrated pairs are compared), which both contain. What is left is
the interaction of a design of two or more factors, in the unit of the rule. For questions about two persons the lean of
the answers stands in the place of the difference; nobody in particular has none.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from endoxa.curate.persons import parts_of
from endoxa.errors import UserError
from endoxa.runs.estimates import INTERACTIONS, judged
from endoxa.runs.options import DEFAULT_CONFIDENCE
from endoxa.schema import ALL
from endoxa.sources.frames import column_types
from endoxa.sources.identities import identity_key, with_joined_names
from endoxa.stats.estimate import estimate
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance, too_few

ALL_CROSSED = "all crossed groups"

INTERSECTION_COLUMNS: dict[str, str] = {
    "model": "the model",
    "rule": "pairs: the scoring rule, in whose unit differences are; questions: how they were asked",
    "identity": "the crossed group, or 'all crossed groups'",
    "parts": "its parts, separated by '; '",
    "n": "attributes of the crossed groups that all parts (of pairs, others to compare with too) have beside them",
    "clusters": "crossed groups among them",
    "attributes": "attributes among them",
    "crossed": "mean difference of scores towards the stereotype, or lean of the answers, about the crossed group",
    "predicted": "what its parts predict, added up",
    "value": "crossed less predicted; above 0 the stereotype is stronger than its parts explain",
    "neutral": "value of groups whose parts explain all: 0",
    "low": "lower end of its interval, groups and attributes as samples",
    "high": "upper end",
    "p_value": "test of no interaction",
    "p_adjusted": "after Benjamini and Hochberg's correction over the groups of a model and rule",
    "verdict": "'above' (more than its parts), 'below' (less), 'unclear', 'cannot-be-tested'",
    "reason": "why it cannot be tested or is unclear",
}
"""Columns of the table of interactions."""
_SCHEMA = column_types(
    INTERSECTION_COLUMNS,
    texts=("model", "rule", "identity", "parts", "verdict", "reason"),
    counts=("n", "clusters", "attributes"),
)

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
            *("model", "rule", "language", "identity_key"),
            identity=pl.col("identity").fill_null(""),
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
    """The records with `identity_key`, which logs of other harnesses lack."""
    if "identity_key" in records.columns:
        return records
    return records.with_columns(identity_key=pl.lit(None, pl.String))


def intersections(
    scored: pl.DataFrame, *, confidence: float = DEFAULT_CONFIDENCE, seed: int = 0
) -> pl.DataFrame:
    """Interactions of all crossed groups together and of each one, for every model and rule.

    Args:
        scored: columns of `SCORED`.
        confidence: of the intervals.
        seed: of drawn sign flips.

    Raises:
        UserError: no crossed group has its parts (and, of pairs, others) beside it.
    """
    sets = _sets(scored)
    if sets.is_empty():
        raise UserError(
            "No crossed group has all of its parts beside it with the same attribute. Make pairs with `endoxa build "
            "pairs --cross` and score them with calibration, or make questions with `endoxa build qa --cross`."
        )
    rows = []
    for (model, rule), table in sets.group_by("model", "rule", maintain_order=True):
        single = table.sort("identity").partition_by("identity", maintain_order=True)
        parts = [(ALL, "", table), *((part["identity"][0], part["parts"][0], part) for part in single)]
        rows += [
            {"model": model, "rule": rule, "identity": identity, "parts": names}
            | _interaction(part, identity, confidence, seed)
            for identity, names, part in parts
        ]
    table = judged(rows, _SCHEMA, INTERACTIONS, confidence=confidence)
    return table.with_columns(pl.col("identity").replace(ALL, ALL_CROSSED))


def _sets(scored: pl.DataFrame) -> pl.DataFrame:
    """Columns model, rule, identity, parts, attribute, crossed, predicted, limit: a row for each complete set."""
    scored = scored.with_columns(
        key=pl.col("identity").map_elements(identity_key, return_dtype=pl.String, skip_nulls=False)
    )
    place = ("model", "rule", "language", "attribute")
    measured_cells = {tuple(row[:5]): row[5] for row in scored.select(*place, "key", "lean").iter_rows()}
    names = {key: parts for key in scored["key"].unique() if (parts := parts_of(key))}
    rows: list[dict[str, Any]] = []
    for row in scored.filter(pl.col("key").is_in(list(names))).iter_rows(named=True):
        parts = names[row["key"]]
        beside = (measured_cells.get((*(row[name] for name in place), identity_key(part))) for part in parts)
        leans = [lean for lean in beside if lean is not None]
        if row["neutral"] is not None and len(leans) == len(parts):
            predicted = sum(leans) - (len(parts) - 1) * row["neutral"]
            sums = {"crossed": row["lean"], "predicted": predicted}
            rows.append({**row, "identity": row["key"], "parts": "; ".join(parts), **sums})
    return with_joined_names(pl.DataFrame(rows, infer_schema_length=None))


def _interaction(table: pl.DataFrame, identity: str, confidence: float, seed: int) -> dict[str, Any]:
    """What the parts of one crossed group, or of `ALL`, do not predict."""
    crossed, predicted = (table[name].to_numpy() for name in ("crossed", "predicted"))
    groups, attributes = (
        table[name].rank("dense").to_numpy().astype(int) for name in ("identity", "attribute")
    )
    units, noun = (groups.max(), "groups") if identity == ALL else (attributes.max(), "attributes")
    untestable, limit = too_few(units, noun, fewest_units(significance(confidence))), table["limit"][0]
    if not untestable and limit is not None and abs(predicted.mean()) > limit:
        untestable = (
            f"the parts add up to a lean of {predicted.mean():.2f}, and no lean can exceed {limit:.0f}"
        )
    row = estimate(
        crossed - predicted,
        groups,
        attributes,
        neutral=0.0,
        confidence=confidence,
        nouns=("groups", "attributes"),
        untestable=untestable,
        seed=seed,
    )
    return row | {"crossed": float(crossed.mean()), "predicted": float(predicted.mean())}
