"""From run folders to results: records and estimates of each data set, and the rows that a page shows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from endoxa.instruments.pairs.estimates import analyze_pairs, analyze_run, load_records
from endoxa.instruments.pairs.estimates.deciding import CALIBRATED, RAW, deciding
from endoxa.instruments.pairs.estimates.inference import HALF, listed_units
from endoxa.instruments.pairs.estimates.references import FREQUENCY, LENGTH, REFERENCES
from endoxa.instruments.pairs.estimates.statistics import (
    DETECTABLE,
    DETECTABLE_CALIBRATED,
    KINDS,
    PLACEBO,
    WITH_GROUPS,
)
from endoxa.instruments.pairs.rules import rule_facts
from endoxa.report.claims import CHIPS, Row, clear, is_clear
from endoxa.report.figures import Measure
from endoxa.report.inputs import Run
from endoxa.report.tables import Field, number_field, text_field
from endoxa.report.words import axis_name, count, listed, percent, plural, short_labels, slug
from endoxa.runs.families import beside_a_test
from endoxa.schema import ALL

CELL = ("model", "rule", "language", "axis")
"""What an estimate is about."""

IDENTITIES, WILSON, T = "identities", "wilson", "t"

CALIBRATED_NOTE = (
    "Where at least half of the pairs could be scored again about other groups of the table (or, where it has fewer "
    "than six, about “people” and “they”), what the identity adds to the difference between these decides. The raw "
    "ratio, of all pairs, stands beside it; the number that it has to beat is that of the same sentences about the "
    "others."
)

PREFERENCE = Measure(
    "pairs with the stereotypical sentence preferred",
    0.5,
    ".0%",
    0.1,
    0.1,
    ("prefers the other sentence", "prefers the stereotype"),
)


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
    def level(self) -> str:
        """The confidence level as '95 %'."""
        return f"{100 * self.confidence:g}\u00a0%"


def with_differences(records: pl.DataFrame) -> pl.DataFrame:
    """The records with `difference` and `neutral`: stereotypical minus other sentence, in the rule's unit.

    Which sentence is the stereotypical one is the data set's own rule (column `stereotypical`). `neutral` is
    the same about others, null where none could be put in.
    """
    sign = pl.when(pl.col("stereotypical") == "more").then(1.0).otherwise(-1.0)
    return records.with_columns(
        difference=sign * (pl.col("score_more") - pl.col("score_less")),
        neutral=sign * pl.col("neutral_difference").fill_nan(None),
    )


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
        groups.setdefault(
            json.dumps([file, data.get("format"), data.get("options")], sort_keys=True, default=str), []
        ).append(run)
    records = [with_differences(load_records([run.folder for run in group])) for group in groups.values()]
    labels = labels_of(records)
    titles = _titles(list(groups.values()))
    gathered = []
    for group, table, title in zip(groups.values(), records, titles, strict=True):
        analysis = (
            analyze_run(group[0].folder, confidence=confidence, seed=seed)
            if len(group) == 1
            else analyze_pairs(table, confidence=confidence, seed=seed)
        )
        gathered.append(
            (
                Results(
                    title=title,
                    slug=slug(title),
                    records=table,
                    estimates=analysis.estimates,
                    comparisons=analysis.comparisons,
                    flips=analysis.flips,
                    labels=labels,
                    confidence=confidence,
                ),
                group,
            )
        )
    return gathered


def pairs_by_run(gathered: Sequence[tuple[Results, list[Run]]]) -> dict[str, int]:
    """How many different pairs each run folder holds records of."""
    counted = [results.records.group_by("run").agg(pl.col("item_id").n_unique()) for results, _ in gathered]
    return dict(pl.concat(counted).iter_rows())


def all_estimates(gathered: Sequence[tuple[Results, list[Run]]]) -> pl.DataFrame:
    """The estimates of all data sets below one another, the data set's name in front (column `data`)."""
    return pl.concat(
        [results.estimates.select(pl.lit(results.title).alias("data"), pl.all()) for results, _ in gathered]
    )


def _titles(groups: Sequence[Sequence[Run]]) -> list[str]:
    """File name of each data set, with a number where two would share one."""
    titles: list[str] = []
    for group in groups:
        path = group[0].data.get("path")
        name = Path(path).stem if isinstance(path, str) and path else group[0].folder.name
        slugs = {slug(title) for title in titles}
        number = next(k for k in range(1, len(groups) + 2) if slug(_numbered(name, k)) not in slugs)
        titles.append(_numbered(name, number))
    return titles


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name} ({number})"


def unit_fields(rows: pl.DataFrame) -> tuple[Field, Field]:
    """Columns of tables: identities, and attributes that they are crossed with (empty where none counts)."""
    listed = any(map(listed_units, rows["method"]))
    first, second = ("groups", "sentence frames") if listed else ("identities", "shared attributes")
    return number_field(first, "clusters"), number_field(
        second, lambda row: count(row["attributes"]) if row["attributes"] else ""
    )


def limits(rows: Sequence[Row]) -> str:
    """Sentences where claims are about the attributes or the identities that were asked about only; else empty."""
    claims = [row for row in rows if is_clear(row)]
    text = ""
    if any(row["sampled"] == "identities" for row in claims):
        text += " Where fewer than six attributes recur, the statement is about these attributes only."
    if any(row["sampled"] == "attributes" or dominated(row) for row in claims):
        text += (
            " Where groups of a list are fewer than six, or one has over half of the pairs, the statement is about "
            "these groups as they are."
        )
    return text + same_side(rows)


def rounding_notes(rows: Iterable[Row], label: Callable[[Row], str]) -> tuple[str, ...]:
    """A sentence for each row whose verdict could be another one in full precision; none for all others.

    Args:
        rows: of `preference_cells`.
        label: what a row is about.
    """
    return tuple(
        f"{label(row)}: {count(row['within_rounding'])} of {plural(row['n'], 'pair')} lie within the rounding of "
        f"{row['precision']}. Had all of them gone one way or all the other, the ratio would be "
        f"{percent(row['rounding_low'])} or {percent(row['rounding_high'])}, and the verdict "
        f"{verdict_words(row['rounding_verdicts'])}. Use --dtype float32 for the last word."
        for row in rows
        if row["rounding_verdicts"]
    )


def verdict_words(verdicts: str) -> str:
    """'unclear or above', from the verdicts at both ends."""
    return " or ".join(dict.fromkeys(CHIPS[verdict] for verdict in verdicts.split(", ")))


def dominated(row: Row) -> bool:
    """Whether one of several identities has over half of the pairs."""
    return row["clusters"] > 1 and (row["largest"] or 0) > HALF


def identity_rows(estimates: pl.DataFrame, *names: str) -> pl.DataFrame:
    """Statistics with identities and attributes as units, one row per cell and name, in the order of the estimates.

    `pair_low`, `pair_high` and `pair_p_adjusted` are those of the row that takes pairs as independent; where the
    identities cannot be tested, there is no such interval either.
    """
    rows = estimates.filter(pl.col("name").is_in(names))
    key = (*CELL, "name")
    independent = rows.filter(pl.col("interval").is_in([WILSON, T])).select(
        *key, pair_low="low", pair_high="high", pair_p_adjusted="p_adjusted"
    )
    clustered = rows.filter(pl.col("interval") == IDENTITIES)
    joined = clustered.join(independent, on=key, how="left", maintain_order="left")
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
    return cells.with_columns(
        references=pl.when(raw)
        .then(pl.concat_str(alike, separator=" and ", ignore_nulls=True))
        .otherwise(pl.lit(""))
    )


def kind_cells(estimates: pl.DataFrame) -> pl.DataFrame:
    """The same for each kind and direction of pairs (column `kind`), where the data hold several."""
    return pl.concat(
        deciding(
            identity_rows(estimates, f"{RAW}_{kind}", f"{CALIBRATED}_{kind}"),
            CELL,
            (f"{RAW}_{kind}", f"{CALIBRATED}_{kind}"),
        ).with_columns(kind=pl.lit(kind))
        for kind in KINDS
    ).sort("model", "rule", maintain_order=True)


def calibrated(row: Row) -> bool:
    """Whether a row that decides is a calibrated one."""
    return str(row["name"]).startswith(CALIBRATED)


def compared_with(row: Row) -> str:
    """With what the pairs of a calibrated row are compared."""
    share = row["with_groups"] or 0
    if 0 < share < 1:
        return f"other groups (in {percent(1 - share, 0)} of the pairs with {PEOPLE})"
    return "other groups" if share else PEOPLE


PEOPLE = "'people' and 'they'"


def reference_fields(rows: pl.DataFrame) -> tuple[Field, ...]:
    """Columns of tables: what word frequency and length prefer; without a column that is empty."""
    return tuple(
        number_field(words, column, percent)
        for column, words in (("frequency", "word frequency alone"), ("length", "length alone"))
        if rows[column].is_not_null().any()
    )


def same_side(rows: Sequence[Row]) -> str:
    """' Word frequency alone prefers the same side on age and race: ...', of claims that a reference has as well."""
    shared: dict[str, list[Row]] = {}
    for row in rows:
        if row.get("references"):
            shared.setdefault(row["references"], []).append(row)
    text = ""
    for names, alike in shared.items():
        axes = list(dict.fromkeys(axis_name(row["axis"]) for row in alike if row["axis"] != ALL))
        where = (
            f" on {listed(axes)}" if axes else "" if len(alike) == len(rows) else f" as {len(alike)} of these"
        )
        text += (
            f" {names.capitalize()} alone {prefers(names)} the same side{where}, so no stereotype is claimed."
        )
    return text


def prefers(names: str) -> str:
    """The verb behind one name, or two."""
    return "prefer" if " and " in names else "prefers"


def some_calibrated(rows: pl.DataFrame) -> bool:
    """Whether a calibrated row is among those that decide."""
    return any(map(calibrated, rows.iter_rows(named=True)))


def raw_fields(rows: pl.DataFrame) -> tuple[Field, ...]:
    """Columns of tables with rows that decide: which are calibrated, the raw ratio, and of how many pairs."""
    if not some_calibrated(rows):
        return ()
    partly = (rows["n"] != rows["n_all"]).any()
    of_kinds = "kind" in rows.columns
    with_whom = text_field("compared with", lambda row: compared_with(row) if calibrated(row) else "")
    return (
        text_field("calibrated", lambda row: "yes" if calibrated(row) else "no") if of_kinds else with_whom,
        number_field("raw ratio", "raw", percent),
        *([] if of_kinds else [number_field("to beat: the same about these others", "placebo", percent)]),
        *([number_field("all pairs", "n_all")] if partly else []),
    )


def by_kind(rows: Iterable[Row]) -> str:
    """'45.0 % of 866 pairs with a negation (82.0 % raw) and 49.6 % of 741 pairs with an antonym'."""
    return listed(
        [
            f"{percent(row['value'])} of {plural(row['n'], 'pair')} {KINDS[row['kind']]}"
            + (f" ({percent(row['raw'])} raw)" if calibrated(row) else "")
            for row in rows
        ]
    )


def overall(cells: pl.DataFrame) -> pl.DataFrame:
    """The rows over all languages and axes."""
    return cells.filter((pl.col("language") == ALL) & (pl.col("axis") == ALL))
