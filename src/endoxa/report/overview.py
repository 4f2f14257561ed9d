"""What pages say of the runs behind them: what was run, what became of answers, and families of tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import polars as pl

from endoxa.report import inputs
from endoxa.report.document import Finding, Section
from endoxa.report.inputs import Run
from endoxa.report.labels import without_directions
from endoxa.report.tables import Field, Table, number_field, table_of, text_field
from endoxa.report.words import count
from endoxa.runs.asking.outcomes import AnswerCounts, answer_warning, conspicuous
from endoxa.runs.estimates import Family
from endoxa.runs.folder import sampling_setting
from endoxa.sources.served import fingerprint_sentences
from endoxa.stats.verdicts import UNTESTED


def what_was_run(
    findings: Iterable[Finding],
    tables: Sequence[Table],
    runs: Sequence[Run],
    *,
    anchor: str = "what-was-run",
    title: str = "What was run",
    **section: Any,
) -> Section:
    """The folded section with its tables, and the versions of the software at the end."""
    fields = (
        text_field("run", lambda run: run.origin),
        text_field("versions", lambda run: inputs.settings(run.facts.get("versions"))),
    )
    versions = table_of("Versions of the software", runs, fields, folded=True)
    every = (*tables, versions)
    return Section(anchor, title, findings=tuple(findings), tables=every, folded=True, **section)


def run_table(runs: Sequence[Run], fields: Sequence[Field], *, data: str = "data") -> Table:
    """A row for each run: where it is, `fields`, the hash of its data, the version that made it, and when.

    Args:
        runs: the runs; the fields read them.
        fields: what this instrument shows of a run.
        data: what its file is called in the heading of the hash.
    """
    return table_of(
        "Runs",
        runs,
        (
            text_field("run", lambda run: run.origin),
            *fields,
            text_field(f"SHA-256 of the {data}", lambda run: shortened(run.data, "sha256")),
            text_field("endoxa", lambda run: inputs.text(run.facts, "endoxa")),
            text_field("finished", lambda run: inputs.text(run.facts, "finished")[:19].replace("T", " ")),
        ),
    )


def data_field(name: str, key: str = "", shown: Callable[[str], str] = str) -> Field:
    """A column of the run table: what `run.json` says of the data under a key (the heading where empty)."""
    return text_field(name, lambda run: shown(inputs.text(run.data, key or name)))


def fact_field(name: str) -> Field:
    """A column of a table of models: the value of that name in its description, 'not recorded' where there is none."""
    return text_field(name, lambda facts: inputs.text(facts, name))


def shortened(facts: Mapping[str, Any], key: str) -> str:
    """The beginning of a hash or fingerprint."""
    return inputs.text(facts, key)[: inputs.SHOWN_DIGITS]


MOST_ROWS = 24
"""Longer tables stay closed until asked for."""


def answer_findings(
    counts: Sequence[AnswerCounts], facts: Mapping[str, Any], label: Callable[[str], str]
) -> Iterator[Finding]:
    """Warnings of a run: many answers that were cut off or not read, servers that changed their fingerprint.

    Args:
        counts: counts of the run.
        facts: its `run.json`.
        label: how the page names a model.
    """
    for row in conspicuous(counts):
        sentence = answer_warning(replace(row, model=label(row.model)), facts)
        limit = sampling_setting(facts, "max_tokens")
        yield Finding(sentence, ({**asdict(row), "share": row.cut_off / row.asked, "max_tokens": limit},))
    yield from sentence_findings(map(without_directions, fingerprint_sentences(facts)))


def sentence_findings(sentences: Iterable[str]) -> Iterator[Finding]:
    """Warnings that are sentences and no more: versions of hosted models, equal repeats."""
    for sentence in sentences:
        yield Finding(sentence, ({"sentence": sentence},))


def outcome_table(
    counts: Sequence[AnswerCounts], label: Callable[[str], str], what: str = "answers"
) -> Table:
    """Asked, answered, read, cut off, refused, filtered and failed, a row for each model and context."""
    names = ("asked", "answered", "read", "cut off", "refused", "filtered", "failed")
    columns = {name: name.replace(" ", "_") for name in names} | {"not readable": "unread"}

    def counted(key: str) -> Callable[[AnswerCounts], str]:
        return lambda row: count(getattr(row, key))

    fields = (
        text_field("model", lambda row: label(row.model)),
        text_field("context", lambda row: row.context) if any(row.context for row in counts) else None,
        *(number_field(name, counted(key)) for name, key in columns.items()),
    )
    notes = (
        "Cut off: the answer ended at the limit of tokens, whether it was read or not. Every other answer that was "
        "asked for is read, refused, filtered by the provider, failed or not readable.",
    )
    return table_of(f"What became of the {what}", counts, fields, most_open=MOST_ROWS, notes=notes)


Used = tuple[Family, pl.DataFrame, str]
"""A family, its rows of estimates, and what tells it from others of its name (a rule), or empty."""


def families(used: Sequence[Used], anchor: str = "families", level: str = "0.05") -> Section:
    """The families of a page, how many tests each holds, and how many of its rows could not be tested.

    Args:
        used: the families in the order of the page; those without a row are left out.
        anchor: id of the heading.
        level: level of the verdicts, as text.
    """
    rows = [entry for entry in used if entry[1].height]
    fields = (
        text_field("family", lambda row: row[0].name + (f", {row[2]}" if row[2] else "")),
        text_field("its tests", lambda row: row[0].tests),
        number_field(
            "p-values adjusted together", lambda row: " and ".join(map(count, row[0].numbers(row[1])))
        ),
        number_field("could not be tested", lambda row: count(row[1].filter(verdict=UNTESTED).height)),
        text_field("correction", lambda row: row[0].correction),
        text_field("what is claimed from it", lambda row: row[0].claims),
    )
    return Section(
        anchor=anchor,
        folded=True,
        title="Tests and corrections",
        tables=(table_of("Families of tests", rows, fields, folded=True),) if rows else (),
        notes=(
            "A claim needs an adjusted p-value of at most "
            f"{level}; p-values are adjusted over all tests of the family. A row that cannot be tested (too few "
            "clusters, for example) is evidence neither for nor against.",
        ),
    )
