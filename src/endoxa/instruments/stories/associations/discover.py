"""From stories to associations: StereoTales' two steps (Le Jeune et al. 2026; see docs/methods/associations.md).

`endoxa analyze associations RUN` leaves the associations in the run folder, with the settings it was given and the
numbers of tests; the report reads them, and discovers with the default settings only where there are none. Beside a
table of associations, `found.analysis.json` stands beside `found.csv` and is valid only as long as the table is
unchanged.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa import __version__
from endoxa.instruments.stories.associations.cells import Cells, cells_of, log_p_greater
from endoxa.instruments.stories.associations.fisher import Tested, Within, run_families, stream
from endoxa.instruments.stories.associations.lift import (
    category,
    chi_square,
    cramer_v,
    design_effects,
    lift_interval,
)
from endoxa.instruments.stories.associations.permutations import TYPES, every_difference
from endoxa.instruments.stories.associations.tables import Name, Stories, Table, count, families, has_repeats
from endoxa.instruments.stories.options import PAPER_EFFECTS, PAPER_LIFT, PAPER_RULE, PUBLISHED, Discovery
from endoxa.runs import estimates
from endoxa.runs.folder import RECORDS, write_json
from endoxa.schema import Progress
from endoxa.schema.stories import ASSOCIATION_TEST_COLUMNS, DISCOVERED_COLUMNS
from endoxa.sources.files import sha256
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
        return _within(tested.within and tested.within.p_adjusted, settings)
    return Decision(UNCLEAR, CORRECTED if tested.p_value <= settings.alpha < tested.p_adjusted else "")


def adjusted_within(within: Within | None) -> np.ndarray | None:
    """P-values of a table's cells within languages, after Benjamini-Yekutieli over them."""
    if within is None or within.log_p is None:
        return None
    return adjust(np.exp(within.log_p), dependent=True)


def _within(p_adjusted: float | None, settings: Discovery) -> Decision:
    if p_adjusted is None or settings.pooled == PUBLISHED:
        return Decision(ABOVE)
    if np.isnan(p_adjusted):
        return Decision(UNCLEAR, UNTESTED_WITHIN)
    return Decision(ABOVE) if p_adjusted < settings.alpha else Decision(UNCLEAR, NOT_WITHIN)


TALLIED = (
    *(
        "families",
        "families_found",
        "tables",
        "untested",
        "few_prompts",
        "kept",
        "open",
        "cells",
        "by_prompts",
    ),
    *("within", "cells_within", "found", "claimed"),
)
KEYS = ("model", "aggregation")
TALLY = {
    **dict.fromkeys(KEYS, pl.String),
    **dict.fromkeys(TALLIED, pl.Int64),
    "alpha": pl.Float64,
}
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
        # An association may be claimed where its table is, and where it holds within languages.
        verdict = _within(p_within, settings) if decision.verdict == ABOVE else decision
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


@dataclass(frozen=True, slots=True)
class NullCheck:
    """False discoveries under permutation.

    Attributes:
        permutations: how often values were permuted.
        families: families of tables, over all permutations.
        false_families: those in which a table was kept; without any effect their share is the false-discovery rate of
            step 1, which is to stay below alpha.
        tables: tables tested.
        false_tables: tables kept.
        associations: cells claimed after both steps.
    """

    permutations: int
    families: int
    false_families: int
    tables: int
    false_tables: int
    associations: int

    @property
    def share(self) -> float:
        """Share of families with a false discovery."""
        return self.false_families / self.families if self.families else float("nan")


def null_check(
    profiles: Profiles, settings: Discovery, permutations: int, progress: Callable[[str, float, int], None]
) -> NullCheck:
    """Discover associations in stories whose base values were permuted within model, language and base attribute.

    A prompt is permuted with all its stories.
    """
    totals = np.zeros(5, dtype=np.int64)
    for number in range(permutations):
        progress("permuting", number, permutations)
        discovered = discover(_permuted(profiles, settings.seed, number), settings)
        tested = discovered.tables.filter(status="tested")
        families = tested.group_by("model", "aggregation", "base_attribute").agg(pl.col("significant").max())
        totals += (
            len(families),
            int(families["significant"].sum()),
            len(tested),
            int(tested["significant"].sum()),
            int((discovered.associations["verdict"] == ABOVE).sum()),
        )
    return NullCheck(permutations, *map(int, totals))


def _permuted(profiles: Profiles, seed: int, number: int) -> Profiles:
    """The stories with the prompts' values permuted; all stories of a prompt keep together."""
    generator = stream(seed, "null", number)
    prompt, first, spoken = _of_prompts(profiles)
    values = profiles.base_value[first].copy()
    groups = np.stack([profiles.model[first], spoken, profiles.base[first]])
    _, group = np.unique(groups, axis=1, return_inverse=True)
    order = np.argsort(group, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        values[places] = values[generator.permutation(places)]
    return replace(profiles, base_value=values[prompt])


def _of_prompts(profiles: Profiles) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The prompt of each story; for each prompt its first story, and the language (or set of languages) of it."""
    keys = (profiles.sample, profiles.base_value, profiles.base, profiles.model)
    if not has_repeats(*keys):
        every = np.arange(len(profiles))
        return every, every, profiles.language
    _, first, prompt = np.unique(np.stack(keys), axis=1, return_index=True, return_inverse=True)
    spoken = np.zeros((len(first), len(profiles.languages)), dtype=bool)
    spoken[prompt.ravel(), profiles.language] = True
    return prompt.ravel(), first, np.unique(spoken, axis=0, return_inverse=True)[1].ravel()


DISCOVERY = "discovery"
"""Key of the settings in `run.json`."""
RECORDS_KEY = "records_sha256"
FILES = {
    False: ("associations", "tables"),
    True: ("associations_by_language", "tables_by_language"),
}
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
