"""From stories to associations: StereoTales' two steps (Le Jeune et al. 2026; see docs/methods/associations.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.stories.associations.cells import Cells, cells_of, log_p_greater
from endoxa.instruments.stories.associations.fisher import Tested, Within, run_families
from endoxa.instruments.stories.associations.lift import (
    category,
    chi_square,
    cramer_v,
    design_effects,
    lift_interval,
)
from endoxa.instruments.stories.associations.tables import Name, Stories, Table, count, families
from endoxa.instruments.stories.options import PAPER_EFFECTS, PAPER_LIFT, PAPER_RULE, PUBLISHED, Discovery
from endoxa.schema import Progress
from endoxa.schema.stories import ASSOCIATION_TEST_COLUMNS, DISCOVERED_COLUMNS
from endoxa.sources.frames import column_types
from endoxa.sources.stereotales import UNKNOWN, Profiles
from endoxa.stats.correction import adjust
from endoxa.stats.verdicts import ABOVE, CORRECTED, UNCLEAR, UNTESTED, Decision

NO_TABLE = "fewer than two values on a side"
NOT_WITHIN = "not distinguishable from chance within languages"
UNTESTED_WITHIN = "cannot be tested within languages"


def table_verdict(table: Table, tested: Tested, settings: Discovery) -> Decision:
    """Whether base and compared attribute go together.

    `above`: the table is kept by step 1 and, with several languages, by the test within languages as well.
    """
    units = table.prompts
    if units is not None and units.least_p > settings.alpha:
        return Decision(UNTESTED, f"{units.prompts} prompts are too few for a p-value of {settings.alpha:g}")
    if tested.significant:
        within = tested.within
        return _within(within, None if within is None else within.p_adjusted, settings)
    return Decision(UNCLEAR, CORRECTED if tested.p_value <= settings.alpha < tested.p_adjusted else "")


def cell_verdict(
    table: Decision, within: Within | None, p_adjusted: float | None, settings: Discovery
) -> Decision:
    """Whether an association that both steps found may be claimed.

    Args:
        table: verdict of its table.
        within: the tests within languages of its table; None with one language.
        p_adjusted: of the cell, within languages; None with one language.
        settings: alpha, and whether the published test alone decides.
    """
    return _within(within, p_adjusted, settings) if table.verdict == ABOVE else table


def adjusted_within(within: Within | None) -> np.ndarray | None:
    """P-values of a table's cells within languages, after Benjamini-Yekutieli over them."""
    if within is None or within.log_p is None:
        return None
    return adjust(np.exp(within.log_p), dependent=True)


def _within(within: Within | None, p_adjusted: float | None, settings: Discovery) -> Decision:
    if within is None or p_adjusted is None or settings.pooled == PUBLISHED:
        return Decision(ABOVE)
    if np.isnan(p_adjusted):
        return Decision(UNCLEAR, UNTESTED_WITHIN)
    return Decision(ABOVE) if p_adjusted < settings.alpha else Decision(UNCLEAR, NOT_WITHIN)


TALLY = {
    "model": pl.String,
    "aggregation": pl.String,
    "families": pl.Int64,
    "families_found": pl.Int64,
    "tables": pl.Int64,
    "untested": pl.Int64,
    "few_prompts": pl.Int64,
    "kept": pl.Int64,
    "open": pl.Int64,
    "cells": pl.Int64,
    "by_prompts": pl.Int64,
    "within": pl.Int64,
    "cells_within": pl.Int64,
    "found": pl.Int64,
    "claimed": pl.Int64,
    "alpha": pl.Float64,
}
"""Columns of `tally`."""
KEYS = ("model", "aggregation")


def tally(tables: pl.DataFrame, associations: pl.DataFrame, alpha: float) -> pl.DataFrame:
    """A row for each model and aggregation.

    Args:
        tables: `ASSOCIATION_TEST_COLUMNS`.
        associations: `DISCOVERED_COLUMNS`.
        alpha: false-discovery rate of both steps.

    Returns:
        Columns of `TALLY`: families (base attributes) of which a table was tested and those with an association that
        may be claimed; tables tested, those that could not be tested, and of these the ones with too few prompts;
        tables kept, and those decided within sampling error; cells tested in those kept; tables whose units are
        prompts; tables and cells tested within languages; associations found and those that may be claimed; alpha.
    """
    tested = pl.col("verdict") != UNTESTED
    kept = tested & (pl.col("significant") == 1)
    cells, several = pl.col("rows") * pl.col("columns"), pl.col("stratified_p_value").is_not_null()
    counts = tables.group_by(KEYS, maintain_order=True).agg(
        families=pl.col("base_attribute").filter(tested).n_unique(),
        tables=tested.sum(),
        untested=(~tested).sum(),
        few_prompts=(~tested & (pl.col("unit") == "prompt")).sum(),
        kept=kept.sum(),
        open=(tested & (pl.col("decision_stable") == 0)).sum(),
        cells=cells.filter(kept).sum(),
        by_prompts=(tested & (pl.col("unit") == "prompt")).sum(),
        within=(tested & several).sum(),
        cells_within=cells.filter(kept & several).sum(),
    )
    claimed = pl.col("verdict") == ABOVE
    claims = associations.group_by(KEYS).agg(
        families_found=pl.col("base_attribute").filter(claimed).n_unique(),
        found=pl.len(),
        claimed=claimed.sum(),
    )
    joined = counts.join(claims, on=KEYS, how="left", maintain_order="left").with_columns(alpha=pl.lit(alpha))
    return joined.select(pl.col(name).cast(kind) for name, kind in TALLY.items()).with_columns(
        pl.col("families_found", "found", "claimed").fill_null(0)
    )


def no_tally() -> pl.DataFrame:
    """Nothing was tested."""
    return pl.DataFrame(schema=TALLY)


def overview(profiles: Profiles) -> pl.DataFrame:
    """One row per model and language.

    Returns:
        Columns model, language, stories, nothing_known (stories of which no attribute could be read: refusals, as a
        rule), and for each attribute `unknown:ATTRIBUTE`, the share of the other stories in which it could not be read.
    """
    words = np.array([profiles.code(k, UNKNOWN) for k in range(len(profiles.attributes))])
    unknown = (profiles.codes < 0) | (profiles.codes == words)
    nothing = unknown.all(axis=1)
    rows = []
    for model, language in sorted(set(zip(profiles.model.tolist(), profiles.language.tolist(), strict=True))):
        here = (profiles.model == model) & (profiles.language == language)
        telling = here & ~nothing
        shares = unknown[telling].mean(axis=0) if telling.any() else np.full(len(words), np.nan)
        rows.append(
            {
                "model": profiles.models[model],
                "language": profiles.languages[language],
                "stories": int(here.sum()),
                "nothing_known": int((here & nothing).sum()),
                **{
                    f"unknown:{name}": float(share)
                    for name, share in zip(profiles.attributes, shares, strict=True)
                },
            }
        )
    return pl.DataFrame(rows).fill_nan(None)


PAPER = pl.col("paper_rule") == 1
"""What the article's extra rule keeps: medium or large effect, lift of at least 2."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """What was found.

    Attributes:
        tables: one row per model, aggregation, base and compared attribute (`ASSOCIATION_TEST_COLUMNS`).
        associations: the significant cells of the significant tables (`DISCOVERED_COLUMNS`).
    """

    tables: pl.DataFrame
    associations: pl.DataFrame


def discover(profiles: Profiles, settings: Discovery, progress: Progress = lambda *_: None) -> Discovered:
    """Find which values come with which values more often than chance, for each model (and language).

    Step 1: Fisher's exact test of each table of a base attribute against another one, Benjamini-Hochberg over the
    tables of a base attribute. Step 2: in the tables kept, a one-sided exact test of each cell, Benjamini-Yekutieli
    over them. Where a prompt has several stories in a table, prompts are the units of both. Tables of several languages
    are also tested within languages, which decides what may be claimed (`verdict`), not what is listed.
    """
    stories = Stories.of(profiles, by_language=settings.by_language)
    every = [
        [stories.with_units(table) if stories and table.usable else table for table in tables]
        for tables in families(profiles, count(profiles, by_language=settings.by_language))
    ]
    testable = [usable for tables in every if (usable := [table for table in tables if table.usable])]
    total = len(testable)
    kept: list[tuple[Table, Tested]] = []
    rows = dict[Name, dict[str, Any]]()
    progress("testing tables", 0, total)
    results = run_families(testable, settings, lambda done: progress("testing tables", done, total))
    for family, tests in zip(testable, results, strict=True):
        for table, test in zip(family, tests, strict=True):
            # Here, while other processes test, and not after them.
            rows[table.name] = _table_row(table, test, settings)
            if test.significant:
                kept.append((table, test))
    associations = _associations(kept, profiles, settings)
    none = {"status": "no table", "verdict": UNTESTED, "reason": NO_TABLE}
    tables = [rows.get(table.name) or {**_parts(table), **none} for family in every for table in family]
    return Discovered(
        pl.DataFrame(tables, schema=types_of(ASSOCIATION_TEST_COLUMNS), orient="row").fill_nan(None),
        associations.filter(PAPER) if settings.rule == PAPER_RULE else associations,
    )


def _parts(table: Table) -> dict[str, Any]:
    columns = ("model", "aggregation", "base_attribute", "compared_attribute")
    return dict(zip(columns, table.name, strict=True))


def _table_row(table: Table, test: Tested, settings: Discovery) -> dict[str, Any]:
    counts, within = table.counts, test.within
    v = cramer_v(counts)
    verdict = table_verdict(table, test, settings)
    return {
        **_parts(table),
        "status": "tested",
        "rows": counts.shape[0],
        "columns": counts.shape[1],
        "n": int(counts.sum()),
        "chi_square": chi_square(counts),
        "dof": (counts.shape[0] - 1) * (counts.shape[1] - 1),
        "p_value": test.p_value,
        "n_resamples": test.draws,
        "p_adjusted": test.p_adjusted,
        "significant": int(test.significant),
        "decision_stable": int(test.certain),
        "cramer_v": v,
        "effect_category": category(v, counts.shape),
        "prompts": _prompts(table),
        "unit": "story" if table.prompts is None else "prompt",
        "method": "prompts-exchanged" if table.prompts else "fisher-sampled" if test.draws else "fisher",
        "stratified_p_value": within and within.p_value,
        "stratified_p_adjusted": within and within.p_adjusted,
        "verdict": verdict.verdict,
        "reason": verdict.reason,
    }


def _prompts(table: Table) -> int:
    return int(table.counts.sum()) if table.prompts is None else table.prompts.prompts


def _associations(
    kept: Sequence[tuple[Table, Tested]], profiles: Profiles, settings: Discovery
) -> pl.DataFrame:
    """Step 2: the significant cells of the tables kept."""
    rows: list[dict[str, Any]] = []
    if kept:
        cells, starts = cells_of([table.counts for table, _ in kept])
        log_p = log_p_greater(cells)
        ends = np.stack(lift_interval(cells, settings.confidence))
        for (table, test), start, stop in zip(kept, starts, starts[1:], strict=False):
            here = np.arange(start, stop)
            of_table, logs, lifts = cells[here], log_p[here], ends[:, here]
            if table.prompts is not None and test.log_p is not None:
                # A prompt has several stories: prompts are the units.
                effects = design_effects(table.prompts)
                logs, lifts = test.log_p, np.stack(lift_interval(of_table, settings.confidence, effects))
            for place, row in _cell_rows(table, test, of_table, logs, settings):
                base, compared = divmod(place, table.counts.shape[1])
                rows.append(
                    {
                        **row,
                        "base_value": profiles.values[table.base][table.rows[base]],
                        "compared_value": profiles.values[table.compared][table.columns[compared]],
                        "lift_low": float(lifts[0, place]),
                        "lift_high": float(lifts[1, place]),
                    }
                )
    return pl.DataFrame(rows, schema=types_of(DISCOVERED_COLUMNS), orient="row").fill_nan(None)


def _cell_rows(
    table: Table, test: Tested, cells: Cells, log_p: np.ndarray, settings: Discovery
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Places of the significant cells of a table, from the logarithms of their p-values, and what was found of each."""
    adjusted, within = adjust(np.exp(log_p), dependent=True), adjusted_within(test.within)
    log_p_within = None if test.within is None else test.within.log_p
    decision, v = table_verdict(table, test, settings), cramer_v(table.counts)
    effect = category(v, table.counts.shape)
    for place in np.flatnonzero(adjusted < settings.alpha).tolist():
        a, r, c, n = (int(x[place]) for x in (cells.count, cells.row, cells.column, cells.total))
        lift = a * n / (r * c)
        p_within = None if within is None else float(within[place])
        verdict = cell_verdict(decision, test.within, p_within, settings)
        yield (
            place,
            {
                **_parts(table),
                "p_value": float(np.exp(log_p[place])),
                "log10_p": float(log_p[place] / np.log(10)),
                "p_adjusted": float(adjusted[place]),
                "table_p_adjusted": test.p_adjusted,
                "cramer_v": v,
                "effect_category": effect,
                "fraction": a / r,
                "lift": lift,
                "count": a,
                "row_total": r,
                "column_total": c,
                "table_total": n,
                "table_decision_stable": int(test.certain),
                "paper_rule": int(effect in PAPER_EFFECTS and lift >= PAPER_LIFT),
                "prompts": _prompts(table),
                "interval": "stories" if table.prompts is None else "prompts",
                "stratified_p_value": None if log_p_within is None else float(np.exp(log_p_within[place])),
                "stratified_p_adjusted": p_within,
                "table_stratified_p_adjusted": test.within and test.within.p_adjusted,
                "verdict": verdict.verdict,
                "reason": verdict.reason,
            },
        )


COUNTS = (
    *("rows", "columns", "n", "dof", "n_resamples", "significant", "decision_stable", "count", "row_total"),
    *("column_total", "table_total", "table_decision_stable", "paper_rule", "prompts"),
)
TEXT = (
    *("model", "aggregation", "base_attribute", "base_value", "compared_attribute", "compared_value"),
    *("status", "effect_category", "unit", "method", "interval", "verdict", "reason"),
)


def types_of(columns: Iterable[str]) -> dict[str, pl.DataType]:
    """Types of the columns of the tables here."""
    return column_types(columns, texts=TEXT, counts=COUNTS)
