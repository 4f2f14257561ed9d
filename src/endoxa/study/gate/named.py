"""Questions about groups and the same questions about people with names, paired by the question that both come from."""

from __future__ import annotations

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.questions.estimates.pairing import ITEM, OTHER, unlike
from endoxa.report.inputs import QUESTIONS, Run

SOURCE = (*ITEM, "repeat")
"""What the answers to a question and to its variants with names have in common."""


def names_apart(first: Run, other: Run) -> bool:
    """Whether one of two runs of questions asked about names in place of groups, and the other about groups."""
    return first.kind == other.kind == QUESTIONS and _holds_names(first) != _holds_names(other)


def _holds_names(run: Run) -> bool:
    records = pl.scan_parquet(run.folder / "records.parquet")
    if "variant" not in records.collect_schema().names():
        return False
    return bool(records.select((pl.col("variant").fill_null("") != "").any()).collect().item())


def paired_with_names(baseline: pl.DataFrame, other: pl.DataFrame) -> tuple[pl.DataFrame, list[str]] | None:
    """Each variant beside the question it was made from, and a note; None where not exactly one side has variants.

    A question with several variants has a row for each: they are repeats of it, and share its template and group, by
    which intervals and tests are made.

    Args:
        baseline: answers of one protocol, as `load_answers` gives them.
        other: those of the other run; its columns get `_other` behind their names.

    Raises:
        UserError: the two share no question, or one has another context or right answer in the other run.
    """
    if (baseline["variant"] != "").any() == (other["variant"] != "").any():
        return None
    joined = baseline.join(other, on=SOURCE, suffix=OTHER).sort("item_id", "repeat", f"variant{OTHER}")
    if joined.is_empty() or joined.select(unlike().any()).item():
        raise UserError(
            "One run asked about names in place of groups, but not of the questions of the other one: category, "
            "example_id, context and right answer do not agree. Make the names from the data of the other run "
            "(`endoxa build names`)."
        )
    asked = [table.select(ITEM).n_unique() for table in (baseline, other, joined)]
    variants = joined.height / joined.select(SOURCE).n_unique()
    note = (
        f"Names in place of groups: {asked[2]:,} questions are paired with their variants ({variants:g} each)"
    )
    lonely = max(asked[:2]) - asked[2]
    return joined, [note + (f"; {lonely:,} were asked in one run only and are left out." if lonely else ".")]
