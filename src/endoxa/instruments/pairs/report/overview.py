"""The end of a page about sentence pairs: published values beside ours, the pairs to read, and what was run."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.instruments.pairs.report.results import Results, read_columns
from endoxa.instruments.pairs.rules import rule_facts
from endoxa.report import inputs
from endoxa.report.claims import Row
from endoxa.report.document import Finding, Section
from endoxa.report.inputs import Run
from endoxa.report.items import Items, items_section
from endoxa.report.overview import data_field, fact_field, run_table, shortened, what_was_run
from endoxa.report.tables import Column, Table, number_field, table_of, text_field
from endoxa.report.words import (
    NO_VALUE,
    NOT_RECORDED,
    axis_name,
    count,
    language_name,
    listed,
    percent,
    plural,
)
from endoxa.schema import ALL
from endoxa.sources.sources import sources


def overview(runs: Sequence[Run], labels: Mapping[str, str], pairs: Mapping[str, int]) -> Section:
    """Tables of runs, models (with their labels) and rules; what is missing is called 'not recorded'.

    Args:
        runs: the runs.
        labels: short label of every model.
        pairs: how many pairs the records of a run hold, by the name of its folder.
    """
    models = [model for run in runs for model in inputs.entries(run.facts.get("models"))]
    holders = (*(run.facts for run in runs), *models)
    rules = dict.fromkeys(str(rule) for facts in holders for rule in inputs.items(facts.get("rules")))
    heads = ("rule", "unit", "meaning", "source")

    def label(facts: Mapping[str, Any], key: str = "name") -> str:
        name = inputs.text(facts, key)
        return labels.get(name, name)

    def amounts(numbers: Any, shown: Any) -> str:
        """'survey 40, draft by openai/x 12', or 'en 0 %, hi 61 %'."""
        if not isinstance(numbers, Mapping):
            return NOT_RECORDED
        return ", ".join(f"{name} {shown(number)}" for name, number in numbers.items()) or NO_VALUE

    def left_out(run: Run) -> Iterator[str]:
        for skip in inputs.entries(run.facts.get("skipped")):
            reason = inputs.text(skip, "reason").rstrip(".")
            yield f"Skipped in {run.folder.name}: {inputs.text(skip, 'rule')} for {label(skip, 'model')} ({reason})."
        counts = run.facts.get("counts")
        if missing := counts.get("unscored") if isinstance(counts, Mapping) else None:
            yield (
                f"{run.origin}: {plural(missing, 'pair')} (counted for every model and rule) could not be scored or "
                "were not answered, and are in no number."
            )

    run_fields = (
        *(data_field("data", "path"), data_field("format")),
        number_field("pairs", lambda run: count(pairs.get(str(run.folder)))),
        text_field("sources", lambda run: amounts(run.data.get("sources"), count)),
        text_field("options", lambda run: inputs.settings(run.data.get("options"))),
    )
    model_fields = (
        text_field("model", label),
        text_field("as named in the command", lambda facts: inputs.text(facts, "name")),
        *map(fact_field, ("architecture", "revision", "dtype", "device")),
        text_field("fingerprint", lambda facts: shortened(facts, "fingerprint")),
        text_field(
            "unknown tokens", lambda facts: amounts(facts.get("unknown_tokens"), lambda n: percent(n, 0))
        ),
    )
    meanings = [
        dict(zip(heads, (rule, *(rule_facts(rule) or 3 * (NOT_RECORDED,))), strict=True)) for rule in rules
    ]
    return what_was_run(
        (Finding(sentence) for run in runs for sentence in left_out(run)),
        (
            run_table(runs, run_fields),
            table_of("Models", models, model_fields, distinct=True),
            table_of("Scoring rules", meanings, [*map(text_field, heads)]),
        ),
        runs,
    )


@dataclass(frozen=True, slots=True)
class Reference:
    """Values that a paper printed for one data set in one language.

    Attributes:
        data: name of the data set in `sources.toml`.
        source: the paper and its table, or who ran the authors' program.
        pairs: how many pairs the values rest on.
        language: code of their language.
        rules: our rules that the paper used, by architecture.
        estimate: our estimate that is computed as the paper's.
        values: percent of the pairs as printed there, by model.
    """

    data: str
    source: str
    pairs: int
    language: str
    rules: tuple[str, ...]
    estimate: str
    values: Mapping[str, str]


@cache
def references() -> tuple[Reference, ...]:
    """All published values, in the order of the file."""
    text = files(__package__).joinpath("references.toml").read_text(encoding="utf-8")
    return tuple(
        Reference(**{**entry, "rules": tuple(entry["rules"])}) for entry in tomllib.loads(text)["reference"]
    )


def published_values(results: Results, runs: Sequence[Run]) -> Section | None:
    """One table for each language with published values; None where the file is not a published one.

    A file is recognised by its hash, because pairs of one's own can have the same format.
    """
    mark = runs[0].facts.get("data", {}).get("sha256")
    tables, notes = [], []
    for reference in references():
        if mark and sources()[reference.data].sha256 == mark and reference.language in results.languages:
            language = reference.language if len(results.languages) > 1 else ALL
            rows = results.estimates.filter(
                pl.col("rule").is_in(reference.rules), name=reference.estimate, language=language, axis=ALL
            )
            measured = rows.unique(["model", "rule"], maintain_order=True).rows(named=True)
            tables.append(_table(results, reference, measured))
            notes.append(_note(reference, measured))
    if not tables:
        return None
    return Section(
        anchor=f"published-{results.slug}",
        title="Published values of this data set",
        tables=tuple(tables),
        notes=tuple(dict.fromkeys(notes)),
    )


def _table(results: Results, reference: Reference, measured: Sequence[Row]) -> Table:
    """The estimates that are computed as the paper's, over all pairs of the language, then those of the paper."""

    def own(row: Row) -> str:
        scale = 1 if row["unit"] == "percent" else 100
        return NO_VALUE if row["value"] is None else f"{row['value'] * scale:.1f}\u00a0%"

    heads, rules = ("model", "rule", "share", "pairs", "source"), " or ".join(reference.rules)
    ours = [
        (results.labels[row["model"]], row["rule"], own(row), count(row["n"]), "this page")
        for row in measured
    ]
    published = [
        (name, rules, f"{value}\u00a0%", count(reference.pairs), reference.source)
        for name, value in reference.values.items()
    ]
    return Table(
        f"Percent of the pairs with the stereotypical sentence preferred, {language_name(reference.language)}",
        tuple(Column(name, numeric=name in ("share", "pairs")) for name in heads),
        (*ours, *published),
    )


def _note(reference: Reference, measured: Sequence[Row]) -> str:
    """Whether one's own values can be compared, and why not."""
    if not measured:
        return (
            f"The values from {reference.source} are of the rule {' or '.join(reference.rules)}; no model of this page "
            "was scored with it, so they cannot be compared."
        )
    if fewer := sorted({row["n"] for row in measured} - {reference.pairs}):
        return (
            f"The values from {reference.source} rest on {plural(reference.pairs, 'pair')}; here "
            f"{listed([count(n) for n in fewer])} were scored, so they are of other sets of pairs."
        )
    return (
        f"Own values are computed as those from {reference.source}: same pairs, rule and treatment of ties."
    )


SENTENCES = {"first": "stereotypical sentence", "second": "other sentence"}
OUTCOMES = {1: "prefers the stereotypical sentence", -1: "prefers the other sentence", 0: "tie"}


def pairs_shown(results: Results, folders: Sequence[Path]) -> Section:
    """The pairs to read and what each model makes of them, those with the widest differences first.

    Args:
        results: the records, without sentences.
        folders: run folders the sentences are read from.
    """
    records = results.records
    more_first = pl.col("stereotypical") == "more"
    columns = ("item_id", "stereotypical", "sent_more", "sent_less")
    sentences = read_columns(folders, columns).select(
        "item_id",
        first=pl.when(more_first).then("sent_more").otherwise("sent_less"),
        second=pl.when(more_first).then("sent_less").otherwise("sent_more"),
    )
    names = {axis: axis_name(axis) for axis in records["axis"].unique()}
    items = (
        records.with_columns(size=pl.col("difference").abs())
        .sort("size", descending=True, maintain_order=True)
        .with_columns(place=pl.int_range(pl.len()).over("model", "rule"))
        .group_by("item_id", maintain_order=True)
        .agg(
            pl.col("place").min(),
            pl.col("language", "stereotypical").first(),
            pl.col("axis").first().replace_strict(names, return_dtype=pl.String),
            group=pl.coalesce("identity_group", "identity").first(),
        )
        .sort("place", maintain_order=True)
        .join(sentences, on="item_id", maintain_order="left")
        .rename({"item_id": "id"})
    )
    answers = records.select(
        results.labelled,
        id="item_id",
        condition="rule",
        outcome=pl.col("difference").sign().cast(pl.Int64).replace_strict(OUTCOMES, return_dtype=pl.String),
        value="difference",
        text=pl.lit(None, dtype=pl.String),
    )
    return items_section(
        f"pairs-{results.slug}",
        Items(
            "pair",
            "rule",
            items,
            answers,
            {"axis": "axis", "group": "group", "language": "language"},
            SENTENCES,
            alike=True,
        ),
        title="The pairs themselves",
        lead="A number is the score of the stereotypical sentence minus that of the other, in the unit of the rule.",
        unveil="Show all sentences (they quote stereotypes and can be offensive)",
        closing="Every pair, with all scores and token counts, is in records.parquet of the run folder.",
    )
