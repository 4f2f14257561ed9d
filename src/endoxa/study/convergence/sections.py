"""What several instruments say together, as sections for the page of a study."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from endoxa.report.claims import VERDICT
from endoxa.report.document import Finding, Section
from endoxa.report.families import families
from endoxa.report.frame import filled
from endoxa.report.tables import Cell, Field, Table, number_field, text_field
from endoxa.report.words import count, listed, p_value, plural
from endoxa.runs.families import CONVERGENCE, SINGLE_ASSOCIATIONS
from endoxa.stats.attenuation import LEAST_RELIABILITY
from endoxa.stats.reliability import FEWEST_UNITS
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED, significance
from endoxa.study.convergence.by_association import INSTRUMENT, by_association, model_table
from endoxa.study.convergence.chance import COINCIDENCE, EXCHANGES
from endoxa.study.convergence.correlations import (
    correlation_sentence,
    ends,
    number,
    tool,
)
from endoxa.study.convergence.figures import correlation_map
from endoxa.study.convergence.matrix import matrix_findings, matrix_tables
from endoxa.study.convergence.mtmm import VALIDITY
from endoxa.study.convergence.run import Convergence

MOST_SENTENCES = 6
"""Pairs of instruments that get a sentence each; the table holds all."""
READING = (
    "Correlations are over associations; effects are in standard deviations of single measurements of that model and "
    "instrument, above 0 towards the stereotype.",
    "An instrument that measures with error cannot agree fully with another one, so the raw correlation is divided "
    "by the root of both reliabilities (Spearman 1904). It estimates how far the two measure the same thing, and can "
    "exceed 1 by chance; nothing is clipped. Where the lower end of the interval of a reliability is not above "
    f"{LEAST_RELIABILITY:g}, nothing is corrected, and whether the two go together cannot be tested. Identities and "
    "attributes are both samples, since associations that share one are not independent.",
)
METHODS = (
    "Effect: mean over the parts of an association (templates, items, repeats, scenarios) divided by the standard "
    "deviation of single parts of the same model and instrument. Nothing is subtracted: 0 is the neutral value of the "
    "instrument. Reliability: share of the variance of effects that two halves of the parts have in common, mean "
    "over all halvings (Spearman-Brown; Cronbach's alpha where all associations have the same parts). What all "
    "parts of an instrument share, such as the wording of an attribute, counts as reliable.",
    "Intervals of correlations: delete-one jackknives over identities and over attributes on Fisher's z, minus that "
    "over associations; reliabilities estimated again without each; Student's t with Satterthwaite's degrees of "
    "freedom. Tests: the larger p-value of this jackknife and of sign flips of identities and of attributes. Fewer "
    "than 6 attributes that recur are taken as they are: their means are removed and identities exchanged in one "
    "instrument. No interval or test with fewer than 10 associations or 6 identities. Intervals of reliabilities "
    "are over identities alone.",
    "Which instrument shows an association: t test of its effect, pooled variance of parts within associations, "
    "Benjamini-Hochberg over the associations of a model and instrument. Parts are taken as independent, which those "
    "of one association are not: they share its words. So the number that all instruments show is compared with the "
    "number by chance: attribute means are removed from the effects, identities exchanged in all instruments but one, "
    f"{EXCHANGES} times, and the means put back.",
    "Sources: Campbell and Fiske 1959, Psychological Bulletin 56; Spearman 1904 and 1910; Brown 1910; Cronbach 1951, "
    "Psychometrika 16.",
)


INSTRUMENTS = text_field(
    "instruments", lambda row: f"{tool(row['instrument_1'])}, {tool(row['instrument_2'])}"
)
ASSOCIATIONS = number_field("associations", "n_associations")
IDENTITIES = number_field("identities", "n_identities")
ADJUSTED = number_field("p adjusted", "p_adjusted", p_value)


def _estimate(heading: str, value: str, low: str, high: str, *, tested: bool = True) -> Field:
    """A correlation with its interval behind it, where it has one; an end that a test excludes is said to be."""

    def cell(row: Mapping[str, Any]) -> Cell:
        verdict = row["verdict"] if tested else ""
        below = "" if row[low] is None else ends(row[low], row[high], verdict)
        return Cell(number(row[value]), below=below, order=row[value])

    return number_field(heading, cell)


def correlation_table(rows: pl.DataFrame, labels: Mapping[str, str]) -> Table:
    """Every model and pair of instruments."""
    return model_table(
        "Correlations of instruments over associations",
        rows,
        labels,
        INSTRUMENTS,
        VERDICT,
        _estimate("corrected", "corrected", "low", "high"),
        _estimate("raw", "raw", "raw_low", "raw_high"),
        *(
            _estimate(f"reliability, {place}", name, f"{name}_low", f"{name}_high", tested=False)
            for place, name in (("first", "reliability_1"), ("second", "reliability_2"))
        ),
        ASSOCIATIONS,
        IDENTITIES,
        number_field("attributes", "n_attributes"),
        ADJUSTED,
    )


def agreement_of_instruments(convergence: Convergence) -> Section | None:
    """Correlations of every two instruments, with a map of each model."""
    rows, labels = convergence.correlations, convergence.labels
    if rows.is_empty():
        return None
    # A matrix of a model no two of whose instruments measured the same would be one of empty cells.
    drawn = set(rows.drop_nulls("raw")["model"])
    figures = (
        correlation_map(model, label, convergence.effects, convergence.reliabilities, rows)
        for model, label in labels.items()
        if model in drawn
    )
    reliability = model_table(
        "Reliability of every instrument",
        convergence.reliabilities,
        labels,
        INSTRUMENT,
        ASSOCIATIONS,
        IDENTITIES,
        number_field("parts per association", "parts", "{:g}".format),
        _estimate("reliability", "reliability", "low", "high", tested=False),
        number_field("random halves", "split_half", number),
        text_field("why not", "reason"),
        folded=True,
    )
    words = {
        ABOVE: ("goes together", "go together"),
        BELOW: ("goes against each other", "go against each other"),
    }
    findings = _findings(rows, labels, ("corrected", "corrected correlations"), words, correlation_sentence)
    return Section(
        "convergence",
        "Do the instruments agree?",
        lead=" ".join(convergence.warnings),
        findings=tuple(findings),
        figures=tuple(figure for figure in figures if figure is not None),
        tables=(correlation_table(rows, labels), reliability),
        notes=(*READING, f"Intervals in brackets: {100 * convergence.options.confidence:g}\u00a0%."),
        pick_by="Model" if len(labels) > 1 else "",
    )


Words = Mapping[Any, tuple[str, str]]
"""What is said of one row with a verdict, and of several."""


def _findings(
    rows: pl.DataFrame,
    labels: Mapping[str, str],
    value: tuple[str, str],
    words: Words,
    sentence: Callable[[dict[str, Any]], str],
) -> Iterator[Finding]:
    """How many pairs of instruments are claimed, then a sentence for each where they are few, else for each model.

    Args:
        rows: rows of pairs of instruments.
        labels: of the models.
        value: column of their value, and what the values are called.
        words: what is said of rows that are claimed.
        sentence: the sentence of one row.
    """
    column, values = value
    words = {
        **words,
        UNCLEAR: ("is not distinguishable from chance", "are not distinguishable from chance"),
        UNTESTED: ("cannot be tested", "cannot be tested"),
    }
    comparisons = [
        {**row, "value": row[column], "clusters": row["n_identities"], "model": labels[row["model"]]}
        for row in rows.drop("sentence").iter_rows(named=True)
    ]
    models = list(dict.fromkeys(row["model"] for row in comparisons))
    if len(comparisons) > 1 and (len(models) > 1 or len(comparisons) <= MOST_SENTENCES):
        over = f" of {count(len(models))} models" if len(models) > 1 else ""
        text = _counted(comparisons, words, over)
        counts = {"models": len(models), "pairs": len(comparisons)}
        yield Finding(f"{text[:1].upper()}{text[1:]}.", (*comparisons, counts))
    if len(comparisons) <= MOST_SENTENCES:
        yield from (Finding(sentence(row), (row,)) for row in comparisons)
        return
    for model in models:
        of_model = [row for row in comparisons if row["model"] == model]
        numbers = [
            row["value"] for row in of_model if row["value"] is not None and row["verdict"] != UNTESTED
        ]
        between = ""
        if len(numbers) > 1:
            between = f"; {values} lie between {number(min(numbers))} and {number(max(numbers))}"
        yield Finding(
            f"{model}: {_counted(of_model, words)}{between}.", (*of_model, {"pairs": len(of_model)})
        )


def _counted(rows: Sequence[Mapping[str, Any]], words: Words, over: str = "") -> str:
    """'of 6 pairs of instruments, 4 go together and 2 cannot be tested', 'all 6 pairs ... go together'."""
    verdicts = [row["verdict"] for row in rows]
    numbers = {verdict: verdicts.count(verdict) for verdict in words if verdict in verdicts}
    if len(numbers) == 1 and len(rows) > 1:
        every = f"all {count(len(rows))}" if len(rows) > 2 else "both"
        return f"{every} pairs of instruments{over} {words[verdicts[0]][1]}"
    sentences = [f"{count(many)} {words[verdict][many > 1]}" for verdict, many in numbers.items()]
    return f"of {plural(len(rows), 'pair')} of instruments{over}, {listed(sentences)}"


def matrix(convergence: Convergence) -> Section | None:
    """The multitrait-multimethod matrix of each model; None where one instrument measured."""
    if convergence.correlations.is_empty():
        return None
    why = (
        f"No multitrait-multimethod matrix: it needs two traits (values of the column '{convergence.options.traits}') "
        f"of {FEWEST_UNITS} associations each, and each identity, or each attribute, must have one trait."
    )
    return Section(
        "matrix",
        "Is it the association, or the instrument?",
        lead=why if convergence.mtmm.is_empty() else "",
        findings=tuple(matrix_findings(convergence)),
        tables=tuple(matrix_tables(convergence)),
    )


def tests_made(convergence: Convergence) -> Section:
    """The families of tests behind the claims."""
    used = [
        (CONVERGENCE, convergence.correlations, ""),
        (SINGLE_ASSOCIATIONS, convergence.effects, ""),
        (COINCIDENCE, convergence.chance, ""),
        (VALIDITY, convergence.validity, ""),
    ]
    made = families(used, f"{significance(convergence.options.confidence):g}")
    return replace(made, anchor="convergence-tests", title="Tests and corrections of convergence")


def methods(convergence: Convergence) -> Section:
    """What was compared, what was left out, and how."""
    parts = convergence.parts
    sizes = (
        plural(parts["instrument"].n_unique(), "instrument"),
        plural(parts["association_id"].n_unique(), "association"),
        plural(parts["identity"].n_unique(), "identity", "identities"),
        plural(len(convergence.models), "model"),
    )
    lead = " ".join([f"{', '.join(sizes)}.", *convergence.notes])
    title = "How instruments were compared"
    return Section("convergence-methods", title, notes=METHODS, lead=lead, folded=True)


SECTIONS: tuple[Callable[[Convergence], Section | None], ...] = (
    by_association,
    agreement_of_instruments,
    matrix,
    tests_made,
    methods,
)
"""What is said about the instruments together, in this order."""


def sections(convergence: Convergence) -> list[Section]:
    """Those that have something to say; one instrument gives none but tests and methods."""
    return filled(SECTIONS, convergence)
