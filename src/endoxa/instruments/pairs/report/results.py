"""From run folders to results: records and estimates of each data set, and the rows that a page shows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from endoxa.instruments.pairs.estimates import SCHEMAS, analyze_pairs, analyze_run
from endoxa.instruments.pairs.estimates.inference import CALIBRATED, IDENTITIES, RAW, WILSON, T, deciding
from endoxa.instruments.pairs.estimates.records import FREQUENCY, LENGTH, REFERENCES, load_records
from endoxa.instruments.pairs.estimates.statistics import (
    DETECTABLE,
    DETECTABLE_CALIBRATED,
    KINDS,
    PLACEBO,
    WITH_GROUPS,
)
from endoxa.instruments.pairs.rules import rule_facts
from endoxa.report.claims import clear
from endoxa.report.inputs import Run
from endoxa.report.words import short_labels, slug
from endoxa.runs.estimates import beside_a_test
from endoxa.runs.folder import RECORDS
from endoxa.schema import ALL

CELL = ("model", "rule", "language", "axis")
"""What an estimate is about."""


@dataclass(frozen=True, slots=True)
class Results:
    """Records and estimates of one data set.

    Attributes:
        title: name of the data set, as readers see it.
        slug: the same for file names and anchors, unique in the report.
        records: one row per item x model x rule with the columns of `with_differences`.
        estimates: columns of `schema.ESTIMATE_COLUMNS`.
        comparisons: paired differences between models, as `analyze_pairs` gives them.
        flips: rule flips, as `analyze_pairs` gives them.
        labels: short name of every model of the report.
        confidence: confidence level of all intervals.
    """

    title: str
    slug: str
    records: pl.DataFrame
    estimates: pl.DataFrame
    comparisons: pl.DataFrame
    flips: pl.DataFrame
    labels: Mapping[str, str]
    confidence: float

    @property
    def languages(self) -> list[str]:
        """Languages of the records, in order of appearance."""
        return self.records["language"].unique(maintain_order=True).to_list()

    @property
    def combinations(self) -> list[tuple[str, str]]:
        """(model, rule) in the order of the estimates: by name."""
        return list(self.estimates.select("model", "rule").unique(maintain_order=True).iter_rows())

    def label(self, model: str, rule: str) -> str:
        """'tiny-bert · pll'."""
        return f"{self.labels[model]} · {rule}"

    @property
    def labelled(self) -> pl.Expr:
        """The column of models as their labels."""
        return pl.col("model").replace_strict(dict(self.labels), return_dtype=pl.String)

    @property
    def level(self) -> str:
        """The confidence level as '95 %'."""
        return f"{100 * self.confidence:g}\u00a0%"


def with_differences(records: pl.DataFrame) -> pl.DataFrame:
    """The records with `difference`: score of the stereotypical sentence minus that of the other, in the rule's unit.

    Which sentence is the stereotypical one is the data set's own rule (column `stereotypical`).
    """
    sign = pl.when(pl.col("stereotypical") == "more").then(1.0).otherwise(-1.0)
    return records.with_columns(difference=sign * (pl.col("score_more") - pl.col("score_less")))


def read_columns(folders: Sequence[Path], names: Sequence[str]) -> pl.DataFrame:
    """Columns of the records as runs keep them, a row for each pair; null where they are absent."""
    frames = []
    for folder in folders:
        rows = pl.scan_parquet(folder / RECORDS)
        rows = rows.select(name for name in names if name in rows.collect_schema())
        frames.append(rows.unique("item_id", keep="first", maintain_order=True).collect())
    table = pl.concat(frames, how="diagonal_relaxed")
    table = table.with_columns(pl.lit(None).alias(name) for name in names if name not in table.columns)
    return table.unique("item_id", keep="first", maintain_order=True)


def labels_of(frames: Iterable[pl.DataFrame]) -> dict[str, str]:
    """Short labels for all models of all records, the same one in every section."""
    return short_labels([model for frame in frames for model in frame["model"].unique(maintain_order=True)])


def rule_unit(rule: str) -> str:
    """Unit of the rule's scores, 'score' where the rule is not installed here."""
    return (rule_facts(rule) or ("score",))[0]


def gather(runs: Sequence[Run], confidence: float, seed: int) -> list[tuple[Results, list[Run]]]:
    """Runs over the same pairs together: same file (by hash), format and reading options.

    A single run is shown as its folder holds it; several are analysed together.

    Returns:
        For each data set its results and its runs, in the order given.

    Raises:
        UserError: records cannot be read or analysed, or two data sets' worth of one model overlap.
    """
    groups: dict[str, list[Run]] = {}
    for run in runs:
        data = run.data
        file = data.get("sha256") or data.get("path") or str(run.folder)
        options = [file, data.get("format"), data.get("options")]
        groups.setdefault(json.dumps(options, sort_keys=True, default=str), []).append(run)
    records = [with_differences(load_records([run.folder for run in group])) for group in groups.values()]
    labels = labels_of(records)
    gathered: list[tuple[Results, list[Run]]] = []
    for group, table in zip(groups.values(), records, strict=True):
        analysis = (
            analyze_run(group[0].folder, confidence=confidence, seed=seed)
            if len(group) == 1
            else analyze_pairs(table, confidence=confidence, seed=seed)
        )
        path = group[0].data.get("path")
        title = Path(path).stem if isinstance(path, str) and path else group[0].folder.name
        if slug(title) in {results.slug for results, _ in gathered}:
            title = f"{title} ({len(gathered) + 1})"
        results = Results(
            title=title,
            slug=slug(title),
            records=table,
            labels=labels,
            confidence=confidence,
            **{name: getattr(analysis, name) for name in SCHEMAS},
        )
        gathered.append((results, group))
    return gathered


def identity_rows(estimates: pl.DataFrame, *names: str) -> pl.DataFrame:
    """Statistics with identities and attributes as units, one row per cell and name, in the order of the estimates.

    `pair_low` and `pair_high` are those of the row that takes pairs as independent; where the identities cannot be
    tested, there is no such interval either.
    """
    rows = estimates.filter(pl.col("name").is_in(names))
    key = (*CELL, "name")
    independent = rows.filter(pl.col("interval").is_in([WILSON, T])).select(
        *key, pair_low="low", pair_high="high"
    )
    joined = rows.filter(interval=IDENTITIES).join(independent, on=key, how="left", maintain_order="left")
    return joined.with_columns(end.fill_nan(None) for end in beside_a_test("pair_low", "pair_high"))


def preference_cells(estimates: pl.DataFrame) -> pl.DataFrame:
    """The preference ratio that decides in each cell, calibrated or raw (`deciding`), and the raw one beside it.

    `detectable` is the least ratio that the cell could have shown, `placebo` the ratio of the same sentences about
    those with whom the pairs were compared, `with_groups` the share of pairs that were compared with other groups.
    `frequency` and `length` are the ratios of the references, `references` those that alone have the verdict of the
    row.
    """
    names = {DETECTABLE: RAW, DETECTABLE_CALIBRATED: CALIBRATED}
    detectable = estimates.filter(pl.col("name").is_in(list(names)), interval=IDENTITIES)
    detectable = detectable.select(*CELL, pl.col("name").replace(names), detectable="value")
    cells = deciding(identity_rows(estimates, RAW, CALIBRATED), CELL).join(
        detectable, on=(*CELL, "name"), how="left", maintain_order="left"
    )
    beside = {PLACEBO: "placebo", WITH_GROUPS: "with_groups", FREQUENCY: "frequency", LENGTH: "length"}
    for name, column in beside.items():
        rows = estimates.filter(pl.col("interval") != WILSON, name=name)
        rows = rows.select(*CELL, pl.col("value").alias(column), pl.col("verdict").alias(f"{column}_verdict"))
        cells = cells.join(rows, on=CELL, how="left", maintain_order="left")
    alike = [
        pl.when(pl.col(f"{beside[name]}_verdict") == pl.col("verdict")).then(pl.lit(words))
        for name, words in REFERENCES.items()
    ]
    raw = clear() & ~pl.col("name").str.starts_with(CALIBRATED)
    names_alike = pl.concat_str(alike, separator=" and ", ignore_nulls=True)
    return cells.with_columns(references=pl.when(raw).then(names_alike).otherwise(pl.lit("")))


def by_language(results: Results) -> pl.DataFrame:
    """Cells of the preference ratio by language; with one language its cells are those of all."""
    cells = preference_cells(results.estimates)
    if len(results.languages) == 1:
        return cells.with_columns(language=pl.lit(results.languages[0]))
    return cells


def kind_cells(estimates: pl.DataFrame) -> pl.DataFrame:
    """The same for each kind and direction of pairs (column `kind`), where the data hold several."""
    parts = []
    for kind in KINDS:
        names = (f"{RAW}_{kind}", f"{CALIBRATED}_{kind}")
        rows = deciding(identity_rows(estimates, *names), CELL, names)
        parts.append(rows.with_columns(kind=pl.lit(kind)))
    return pl.concat(parts).sort("model", "rule", maintain_order=True)


def overall(cells: pl.DataFrame) -> pl.DataFrame:
    """The rows over all languages and axes."""
    return cells.filter(language=ALL, axis=ALL)
