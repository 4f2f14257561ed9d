"""From stories to associations: StereoTales' two steps (Le Jeune et al. 2026; see docs/methods/associations.md).

`endoxa analyze associations RUN` leaves the associations in the run folder, with the settings it was given and the
numbers of tests; the report reads them, and discovers with the default settings only where there are none. Beside a
table of associations, `found.analysis.json` stands beside `found.csv` and is valid only as long as the table is
unchanged.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa import __version__
from endoxa.instruments.stories.associations.cells import (
    Cells,
    category,
    chi_square,
    cramer_v,
    design_effects,
    lift_interval,
)
from endoxa.instruments.stories.associations.fisher import Tested, run_families
from endoxa.instruments.stories.associations.permutations import TYPES, every_difference
from endoxa.instruments.stories.associations.tables import Name, Table, families
from endoxa.instruments.stories.options import PAPER_EFFECTS, PAPER_LIFT, PAPER_RULE, PUBLISHED, Discovery
from endoxa.runs import estimates
from endoxa.runs.folder import RECORDS, write_json
from endoxa.schema import Progress
from endoxa.schema.stories import ASSOCIATION_TEST_COLUMNS, DISCOVERED_COLUMNS
from endoxa.sources.files import sha256
from endoxa.sources.frames import column_types
from endoxa.sources.stereotales.profiles import UNKNOWN, Profiles
from endoxa.stats.verdicts import ABOVE, CORRECTED, UNCLEAR, UNTESTED, Decision, adjust

LIFT = "lift"
"""Name of what is estimated of an association."""
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
        return _within(None if tested.within is None else tested.within.p_adjusted, settings)
    return Decision(UNCLEAR, CORRECTED if tested.p_value <= settings.alpha < tested.p_adjusted else "")


def _within(p_adjusted: float | None, settings: Discovery) -> Decision:
    if p_adjusted is None or settings.pooled == PUBLISHED:
        return Decision(ABOVE)
    if np.isnan(p_adjusted):
        return Decision(UNCLEAR, UNTESTED_WITHIN)
    return Decision(ABOVE) if p_adjusted < settings.alpha else Decision(UNCLEAR, NOT_WITHIN)


TALLIED = (
    *("families", "families_found", "tables", "untested", "few_prompts", "kept", "open", "cells"),
    *("by_prompts", "within", "cells_within", "found", "claimed"),
)
KEYS = ("model", "aggregation")
TALLY = {**dict.fromkeys(KEYS, pl.String), **dict.fromkeys(TALLIED, pl.Int64), "alpha": pl.Float64}
"""Columns of `tally`."""


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


def nothing_known(profiles: Profiles) -> pl.DataFrame:
    """Stories of each `model` and `language` of which no attribute could be read (refusals, as a rule)."""
    words = np.array([profiles.code(k, UNKNOWN) for k in range(len(profiles.attributes))])
    silent = ((profiles.codes < 0) | (profiles.codes == words)).all(axis=1)
    stories = pl.DataFrame(
        {
            "model": pl.Series(profiles.models, dtype=pl.String)[profiles.model],
            "language": pl.Series(profiles.languages, dtype=pl.String)[profiles.language],
            "nothing_known": silent,
        }
    )
    groups = stories.group_by("model", "language").agg(pl.col("nothing_known").sum().cast(pl.Int64))
    return groups.sort("model", "language")


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
    every = list(families(profiles, by_language=settings.by_language))
    testable = [usable for tables in every if (usable := [table for table in tables if table.usable])]
    total = len(testable)
    rows, associations = dict[Name, dict[str, Any]](), list[dict[str, Any]]()
    progress("testing tables", 0, total)
    results = run_families(testable, settings, lambda done: progress("testing tables", done, total))
    for family, tests in zip(testable, results, strict=True):
        for table, test in zip(family, tests, strict=True):
            # Here, while other processes test, and not after them.
            rows[table.name] = _table_row(table, test, settings)
            associations += _cell_rows(table, test, profiles, settings)
    none = {"status": "no table", "verdict": UNTESTED, "reason": NO_TABLE}
    tables = [rows.get(table.name) or {**_parts(table), **none} for family in every for table in family]
    discovered = Discovered(
        *(
            pl.DataFrame(found, schema=types_of(columns), orient="row").fill_nan(None)
            for found, columns in ((tables, ASSOCIATION_TEST_COLUMNS), (associations, DISCOVERED_COLUMNS))
        )
    )
    if settings.rule == PAPER_RULE:
        return replace(discovered, associations=discovered.associations.filter(PAPER))
    return discovered


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
        "method": "prompts-exchanged" if table.prompts else "fisher-sampled",
        "stratified_p_value": within and within.p_value,
        "stratified_p_adjusted": within and within.p_adjusted,
        "verdict": verdict.verdict,
        "reason": verdict.reason,
    }


def _prompts(table: Table) -> int:
    return int(table.counts.sum()) if table.prompts is None else table.prompts.prompts


def _cell_rows(
    table: Table, test: Tested, profiles: Profiles, settings: Discovery
) -> Iterator[dict[str, Any]]:
    """Step 2: the significant cells of a table; none where it is not kept."""
    if test.log_p is None:
        return
    cells, prompts = Cells.of(table.counts), table.prompts
    low, high = lift_interval(cells, settings.confidence, design_effects(prompts) if prompts else None)
    adjusted = adjust(np.exp(test.log_p), dependent=True)
    log_p_within = None if test.within is None else test.within.log_p
    within = None if log_p_within is None else adjust(np.exp(log_p_within), dependent=True)
    decision, v = table_verdict(table, test, settings), cramer_v(table.counts)
    effect = category(v, table.counts.shape)
    for place in np.flatnonzero(adjusted < settings.alpha).tolist():
        base, compared = divmod(place, table.counts.shape[1])
        a, r, c, n = (int(x[place]) for x in (cells.count, cells.row, cells.column, cells.total))
        lift, p_within = a * n / (r * c), None if within is None else float(within[place])
        # An association may be claimed where its table is, and where it holds within languages.
        verdict = _within(p_within, settings) if decision.verdict == ABOVE else decision
        yield {
            **_parts(table),
            "base_value": profiles.values[table.base][table.rows[base]],
            "compared_value": profiles.values[table.compared][table.columns[compared]],
            "name": LIFT,
            "value": lift,
            "low": float(low[place]),
            "high": float(high[place]),
            "n": n,
            "p_value": float(np.exp(test.log_p[place])),
            "log10_p": float(test.log_p[place] / np.log(10)),
            "p_adjusted": float(adjusted[place]),
            "table_p_adjusted": test.p_adjusted,
            "cramer_v": v,
            "effect_category": effect,
            "fraction": a / r,
            "count": a,
            "row_total": r,
            "column_total": c,
            "table_decision_stable": int(test.certain),
            "paper_rule": int(effect in PAPER_EFFECTS and lift >= PAPER_LIFT),
            "prompts": _prompts(table),
            "interval": "stories" if prompts is None else "prompts",
            "stratified_p_value": None if log_p_within is None else float(np.exp(log_p_within[place])),
            "stratified_p_adjusted": p_within,
            "table_stratified_p_adjusted": test.within and test.within.p_adjusted,
            "verdict": verdict.verdict,
            "reason": verdict.reason,
        }


COUNTS = (
    *("rows", "columns", "n", "dof", "n_resamples", "significant", "decision_stable", "count", "row_total"),
    *("column_total", "table_decision_stable", "paper_rule", "prompts"),
)
TEXT = (
    *("model", "aggregation", "base_attribute", "base_value", "compared_attribute", "compared_value"),
    *("name", "status", "effect_category", "unit", "method", "interval", "verdict", "reason"),
)


def types_of(columns: Iterable[str]) -> dict[str, pl.DataType]:
    """Types of the columns of the tables here."""
    return column_types(columns, texts=TEXT, counts=COUNTS)


DISCOVERY = "discovery"
"""Key of the settings in `run.json`."""
RECORDS_KEY = "records_sha256"
FILES = {False: ("associations", "tables"), True: ("associations_by_language", "tables_by_language")}
"""Names of the tables of all languages together, and of each language."""
DIFFERENCES = "differences"


def settings_of(folder: Path) -> Discovery:
    """The settings with which associations of a run folder were discovered, else the default ones."""
    try:
        return Discovery.of(estimates.settings_of(folder, DISCOVERY) or {})
    except ValueError:
        return Discovery()


def discover_in(
    folder: Path, profiles: Profiles, settings: Discovery, progress: Progress = lambda *_: None
) -> Discovered:
    """The associations of a run folder: what it holds for these settings, else discovered now and left there.

    Args:
        folder: run folder of `endoxa probe extract`.
        profiles: its stories.
        settings: what is asked for.
        progress: told how far it is.
    """
    associations, tables = FILES[settings.by_language]
    schemas = {associations: types_of(DISCOVERED_COLUMNS), tables: types_of(ASSOCIATION_TEST_COLUMNS)}

    def analyze() -> estimates.Tables:
        discovered = discover(profiles, settings, progress)
        return {associations: discovered.associations, tables: discovered.tables}

    kept = _once(folder, settings, schemas, analyze)
    return Discovered(tables=kept[tables], associations=kept[associations])


def differences_in(folder: Path, stories: Callable[[], pl.DataFrame], settings: Discovery) -> pl.DataFrame:
    """The differences of protagonists of a run folder, in the same way.

    Args:
        folder: run folder of `endoxa probe extract`.
        stories: what `permutations.protagonists_by_story` gives.
        settings: confidence and seed.
    """

    def analyze() -> estimates.Tables:
        return {DIFFERENCES: every_difference(stories(), confidence=settings.confidence, seed=settings.seed)}

    return _once(folder, settings, {DIFFERENCES: TYPES}, analyze)[DIFFERENCES]


def _once(
    folder: Path,
    settings: Discovery,
    schemas: Mapping[str, Mapping[str, Any]],
    analyze: Callable[[], estimates.Tables],
) -> estimates.Tables:
    recorded = {**settings.recorded, RECORDS_KEY: sha256(folder / RECORDS)}
    if not os.access(folder, os.W_OK):
        tables = estimates.kept(folder, recorded, schemas, DISCOVERY) or analyze()
    else:
        if not estimates.holds(folder, recorded, DISCOVERY):
            # What was found with other settings, by another version, or in other records.
            for name in (*FILES[False], *FILES[True], DIFFERENCES):
                (folder / f"{name}.csv").unlink(missing_ok=True)
        tables = estimates.once(folder, recorded, schemas, analyze, DISCOVERY)
    # As they were before they were written: an empty reason is no missing one.
    return {name: table.with_columns(pl.col("reason").fill_null("")) for name, table in tables.items()}


def pooled_and_alone(settings: Discovery, profiles: Profiles) -> list[Discovery]:
    """All languages together and, where there are several, each alone."""
    return [replace(settings, by_language=alone) for alone in (False, True)[: len(profiles.languages)]]


SUFFIX = ".analysis.json"


@dataclass(frozen=True, slots=True)
class Companion:
    """How the associations of a table were discovered.

    Attributes:
        settings: with which settings.
        stories: the file or folder they were discovered in.
        duplicates: stories that have the prompt, model, language and repeat of another.
        tested: what was tested (`discover.TALLY`).
    """

    settings: Discovery
    stories: str
    duplicates: int
    tested: pl.DataFrame


def companion_of(table: Path) -> Path:
    """The file beside a table of associations."""
    return table.with_name(table.stem + SUFFIX)


def write_companion(table: Path, companion: Companion) -> None:
    """Write it beside a table that has just been written.

    Raises:
        UserError: it cannot be written.
    """
    content = {
        "endoxa": __version__,
        "table": table.name,
        "sha256": sha256(table),
        "stories": companion.stories,
        "settings": {**companion.settings.recorded, "by_language": companion.settings.by_language},
        "duplicates": companion.duplicates,
        "tested": companion.tested.to_dicts(),
    }
    write_json(companion_of(table), content)


def read_companion(table: Path) -> Companion | None:
    """What stands beside a table; None where there is nothing, or where the table is another one by now."""
    try:
        content: dict[str, Any] = json.loads(companion_of(table).read_text(encoding="utf-8"))
        if content["sha256"] != sha256(table):
            return None
        settings = Discovery.of(content["settings"], by_language=bool(content["settings"]["by_language"]))
        return Companion(
            settings,
            str(content["stories"]),
            int(content["duplicates"]),
            pl.DataFrame(content["tested"], schema=TALLY, orient="row"),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, pl.exceptions.PolarsError):
        return None
