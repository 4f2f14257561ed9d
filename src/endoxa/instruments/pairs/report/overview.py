"""What was run (data, models, rules, settings), and published values beside ours."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import polars as pl

from endoxa.instruments.pairs.report.results import Results
from endoxa.instruments.pairs.rules import rule_facts
from endoxa.report import inputs
from endoxa.report.claims import Row
from endoxa.report.document import Finding, Section
from endoxa.report.inputs import Run
from endoxa.report.overview import data_field, fact_field, run_table, shortened, what_was_run
from endoxa.report.tables import Column, Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, NOT_RECORDED, count, language_name, listed, plural
from endoxa.schema import ALL
from endoxa.sources.sources import sources


def overview(runs: Sequence[Run], labels: Mapping[str, str], pairs: Mapping[str, int]) -> Section:
    """Tables of runs, models (with their labels) and rules; what is missing is called 'not recorded'.

    Args:
        runs: the runs.
        labels: short label of every model.
        pairs: how many pairs the records of a run hold, by the name of its folder.
    """
    run_fields = (
        *(data_field("data", "path"), data_field("format")),
        number_field("pairs", lambda run: count(pairs.get(str(run.folder)))),
        text_field("sources", _sources),
        text_field("options", lambda run: inputs.settings(run.data.get("options"))),
    )
    heads = ("rule", "unit", "meaning", "source")
    rows = [
        dict(zip(heads, (name, *(rule_facts(name) or 3 * (NOT_RECORDED,))), strict=True))
        for name in rule_names(runs)
    ]
    return what_was_run(
        (Finding(sentence) for run in runs for sentence in _left_out(run, labels)),
        (
            run_table(runs, run_fields),
            _model_table(runs, labels),
            table_of("Scoring rules", rows, [*map(text_field, heads)]),
        ),
        runs,
    )


def _left_out(run: Run, labels: Mapping[str, str]) -> Iterator[str]:
    """One sentence for each rule that was left out for some models of the run, and how many pairs have no score."""
    skipped = list(inputs.entries(run.facts.get("skipped")))
    for rule in dict.fromkeys(inputs.text(entry, "rule") for entry in skipped):
        entries = [entry for entry in skipped if inputs.text(entry, "rule") == rule]
        names = [inputs.text(entry, "model") for entry in entries]
        reason = inputs.text(entries[0], "reason").rstrip(".")
        why = f" ({reason})" if len(entries) == 1 else ", to which it does not apply"
        yield f"Skipped in {run.folder.name}: {rule} for {', '.join(labels.get(name, name) for name in names)}{why}."
    counts = run.facts.get("counts")
    missing = counts.get("unscored") if isinstance(counts, Mapping) else None
    if missing:
        yield (
            f"{run.origin}: {plural(missing, 'pair')} (counted for every model and rule) could not be scored or were "
            "not answered, and are in no number."
        )


def rule_names(runs: Iterable[Run]) -> list[str]:
    """Names of the rules of all runs, each once: those of the runs, then those that only a model names."""
    runs = list(runs)
    holders = [run.facts for run in runs]
    holders += [model for run in runs for model in inputs.entries(run.facts.get("models"))]
    return list(dict.fromkeys(str(rule) for facts in holders for rule in inputs.items(facts.get("rules"))))


def _sources(run: Run) -> str:
    """Where the items come from, with their numbers: "survey 40, draft by openai/x 12"."""
    counts = run.data.get("sources")
    if not isinstance(counts, Mapping) or not counts:
        return NO_VALUE
    return ", ".join(f"{name} {count(number)}" for name, number in counts.items())


def _model_table(runs: Sequence[Run], labels: Mapping[str, str]) -> Table:
    def label(facts: Mapping[str, Any]) -> str:
        name = inputs.text(facts, "name")
        return labels.get(name, name)

    def unknown(facts: Mapping[str, Any]) -> str:
        """Shares of unknown tokens by language as 'en 0 %, hi 61 %'."""
        shares = facts.get("unknown_tokens")
        if not isinstance(shares, Mapping) or not shares:
            return NOT_RECORDED
        return ", ".join(f"{code} {100 * float(share):.0f}\u00a0%" for code, share in shares.items())

    return table_of(
        "Models",
        (model for run in runs for model in inputs.entries(run.facts.get("models"))),
        (
            text_field("model", label),
            text_field("as named in the command", lambda facts: inputs.text(facts, "name")),
            *map(fact_field, ("architecture", "revision", "dtype", "device")),
            text_field("fingerprint", lambda facts: shortened(facts, "fingerprint")),
            text_field("unknown tokens", unknown),
        ),
        distinct=True,
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
    matches = [
        reference
        for reference in references()
        if mark and sources()[reference.data].sha256 == mark and reference.language in results.languages
    ]
    if not matches:
        return None
    measured = [_measured(results, reference) for reference in matches]
    pairs = list(zip(matches, measured, strict=True))
    return Section(
        anchor=f"published-{results.slug}",
        title="Published values of this data set",
        tables=tuple(_table(results, reference, rows) for reference, rows in pairs),
        notes=tuple(dict.fromkeys(note for reference, rows in pairs for note in _notes(reference, rows))),
    )


def _measured(results: Results, reference: Reference) -> Sequence[Row]:
    """The estimates that are computed as the paper's, over all pairs of the language."""
    language = reference.language if len(results.languages) > 1 else ALL
    rows = results.estimates.filter(name=reference.estimate, language=language, axis=ALL)
    rows = rows.filter(pl.col("rule").is_in(reference.rules))
    return rows.unique(["model", "rule"], maintain_order=True).rows(named=True)


def _table(results: Results, reference: Reference, measured: Sequence[Row]) -> Table:
    ours = [
        (
            results.labels[row["model"]],
            row["rule"],
            NO_VALUE
            if row["value"] is None
            else f"{row['value'] * (1 if row['unit'] == 'percent' else 100):.1f}\u00a0%",
            count(row["n"]),
            "this page",
        )
        for row in measured
    ]
    published = [
        (model, " or ".join(reference.rules), f"{value}\u00a0%", count(reference.pairs), reference.source)
        for model, value in reference.values.items()
    ]
    return Table(
        f"Percent of the pairs with the stereotypical sentence preferred, {language_name(reference.language)}",
        tuple(
            Column(name, numeric=name in ("share", "pairs"))
            for name in ("model", "rule", "share", "pairs", "source")
        ),
        (*ours, *published),
    )


def _notes(reference: Reference, measured: Sequence[Row]) -> Iterator[str]:
    """Whether one's own values can be compared, and why not."""
    if not measured:
        yield (
            f"The values from {reference.source} are of the rule {' or '.join(reference.rules)}; no model of this page "
            "was scored with it, so they cannot be compared."
        )
    elif fewer := sorted({row["n"] for row in measured} - {reference.pairs}):
        yield (
            f"The values from {reference.source} rest on {plural(reference.pairs, 'pair')}; here "
            f"{listed([count(n) for n in fewer])} were scored, so they are of other sets of pairs."
        )
    else:
        yield f"Own values are computed as those from {reference.source}: same pairs, rule and treatment of ties."
