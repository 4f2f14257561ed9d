"""The few rows that stand for a run of questions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.instruments.questions.competence import AT_CHANCE, competence_warnings
from endoxa.instruments.questions.estimates.competence import competences
from endoxa.instruments.questions.estimates.run import SCHEMAS
from endoxa.instruments.questions.outcomes import answer_counts, repeats_alike
from endoxa.report.claims import chip
from endoxa.report.words import NO_VALUE, count, decimal, decimal_interval, percent, short_labels
from endoxa.runs.asking.outcomes import answer_warnings
from endoxa.runs.estimates import read
from endoxa.runs.run import read_run
from endoxa.schema import ALL
from endoxa.schema.headline import Headline, plain
from endoxa.sources.served import version_sentences
from endoxa.stats.verdicts import UNTESTED

TITLE = (
    "Leans: bias score in ambiguous contexts, accuracy gap in disambiguated ones\n"
    "(0: none; above 0: towards the stereotype)"
)
AT_CHANCE_TITLE = "Accuracy; answers at chance have no bias score"
KEPT = (
    *(
        "model",
        "data",
        "protocol",
        "context_condition",
        "accuracy",
        "lean_name",
        "lean",
        "lean_low",
        "lean_high",
    ),
    *("confidence", "verdict", "verdict_reason", "p_adjusted", "n", "n_read", "clusters"),
)


def headline(folder: Path) -> Headline:
    """Accuracy and lean of each model in each kind of context, as the run folder holds them."""
    made = headline_of(read(folder, "estimates", SCHEMAS["estimates"]))
    facts = read_run(folder)
    answers = answer_warnings(answer_counts(folder), facts)
    return replace(made, warnings=(*made.warnings, *answers, *repeats_alike(folder, facts)))


def headline_of(estimates: pl.DataFrame) -> Headline:
    """The same from estimates: over all categories of each data set, the greatest lean first.

    Args:
        estimates: columns of `schema.QA_ESTIMATE_COLUMNS`.
    """
    several = estimates.filter(category=ALL)["data"].unique().to_list()
    overall = estimates.filter((pl.col("category") == ALL) | ~pl.col("data").is_in(several)).sort(
        "context_condition", "lean", descending=[False, True], nulls_last=True, maintain_order=True
    )
    labels = short_labels(overall["model"].unique(maintain_order=True).to_list())
    named = [name for name in ("data", "protocol") if overall[name].n_unique() > 1]
    rows = list(overall.iter_rows(named=True))
    known = {competence.cell: competence for competence in competences(estimates)}
    at_chance = {cell for cell, one in known.items() if one.at_chance}
    return Headline(
        title=TITLE if len(at_chance) < len(known) else AT_CHANCE_TITLE,
        columns=("model", *named, "contexts", "accuracy", "lean", "interval", "verdict", "answers read"),
        texts=tuple(_texts(row, labels, named, at_chance=_cell(row) in at_chance) for row in rows),
        rows=tuple(
            {name: plain(row[name]) for name in KEPT} | {"at_chance": _cell(row) in at_chance} for row in rows
        ),
        words=("model", *named, "contexts", "verdict"),
        notes=tuple(
            dict.fromkeys(
                f"Cannot be tested: {row['verdict_reason']}."
                for row in rows
                if row["verdict"] == UNTESTED and _cell(row) not in at_chance
            )
        ),
        warnings=(
            *competence_warnings(known.values(), labels.__getitem__),
            *version_sentences(labels),
        ),
    )


def _cell(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["data"], row["model"], row["protocol"]


def _texts(
    row: dict[str, Any], labels: dict[str, str], named: list[str], *, at_chance: bool
) -> tuple[str, ...]:
    """The cells of a row; no lean where answers are at chance."""
    lean = (
        (NO_VALUE, NO_VALUE, AT_CHANCE)
        if at_chance
        else (decimal(row["lean"], 2), decimal_interval(row["lean_low"], row["lean_high"], 2), chip(row))
    )
    return (
        labels[row["model"]],
        *(row[name] for name in named),
        row["context_condition"],
        percent(row["accuracy"]),
        *lean,
        read_of_asked(row),
    )


def read_of_asked(row: dict[str, Any]) -> str:
    """'200', or '150 of 200' where not every answer could be read."""
    read, asked = count(row["n_read"]), count(row["n"])
    return asked if read == asked else f"{read} of {asked}"
