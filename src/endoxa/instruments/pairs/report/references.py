"""Published shares beside one's own, where the file is the published one (`references.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from endoxa.instruments.pairs.report.results import Results
from endoxa.report.document import Section
from endoxa.report.inputs import Run
from endoxa.report.tables import Column, Table
from endoxa.report.words import NO_VALUE, count, language_name, listed, plural
from endoxa.schema import ALL
from endoxa.sources.sources import sources

COLUMNS = (
    Column("model"),
    Column("rule"),
    Column("share", numeric=True),
    Column("pairs", numeric=True),
    Column("source"),
)
HERE = "this page"


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
    matches = [reference for reference in references() if mark and sources()[reference.data].sha256 == mark]
    matches = [reference for reference in matches if reference.language in results.languages]
    if not matches:
        return None
    tables = tuple(_table(results, reference) for reference in matches)
    return Section(
        anchor=f"published-{results.slug}",
        title="Published values of this data set",
        tables=tables,
        notes=tuple(dict.fromkeys(note for reference in matches for note in _notes(results, reference))),
    )


def _table(results: Results, reference: Reference) -> Table:
    published = [
        (model, " or ".join(reference.rules), f"{value}\u00a0%", count(reference.pairs), reference.source)
        for model, value in reference.values.items()
    ]
    return Table(
        f"Percent of the pairs with the stereotypical sentence preferred, {language_name(reference.language)}",
        COLUMNS,
        (*_measured_cells(results, reference), *published),
        measured=False,
    )


def _measured_rows(results: Results, reference: Reference) -> Iterator[Mapping[str, Any]]:
    """The estimates that are computed as the paper's, over all pairs of the language."""
    language = reference.language if len(results.languages) > 1 else ALL
    rows = results.estimates.filter(name=reference.estimate, language=language, axis=ALL)
    for row in rows.unique(["model", "rule"], maintain_order=True).iter_rows(named=True):
        if row["rule"] in reference.rules:
            yield row


def _measured_cells(results: Results, reference: Reference) -> Iterator[tuple[str, ...]]:
    for row in _measured_rows(results, reference):
        percent = row["value"] * (1 if row["unit"] == "percent" else 100)
        value = NO_VALUE if percent is None else f"{percent:.1f}\u00a0%"
        yield results.labels[row["model"]], row["rule"], value, count(row["n"]), HERE


def _notes(results: Results, reference: Reference) -> Iterator[str]:
    """Whether one's own values can be compared, and why not."""
    measured = list(_measured_rows(results, reference))
    if not measured:
        yield (
            f"The values from {reference.source} are of the rule {' or '.join(reference.rules)}; no model of this page "
            "was scored with it, so they cannot be compared."
        )
    fewer = sorted({row["n"] for row in measured} - {reference.pairs})
    if fewer:
        yield (
            f"The values from {reference.source} rest on {plural(reference.pairs, 'pair')}; here "
            f"{listed([count(n) for n in fewer])} were scored, so they are of other sets of pairs."
        )
    if measured and not fewer:
        yield f"Own values are computed as those from {reference.source}: same pairs, rule and treatment of ties."
