"""What several instruments say together, as sections for the page of a study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from endoxa.report.claims import VERDICT
from endoxa.report.claims import corrected as blamed
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import described
from endoxa.report.frame import present
from endoxa.report.grids import Grid, GridCell, Grids
from endoxa.report.overview import families
from endoxa.report.tables import Cell, Field, Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, axis_name, count, decimal, listed, p_value, plural, signed, slug
from endoxa.runs.estimates import CONVERGENCE, SINGLE_ASSOCIATIONS
from endoxa.schema.study import ALL, RELIABLE, SEVERAL
from endoxa.stats.attenuation import LEAST_RELIABILITY
from endoxa.stats.reliability import FEWEST_UNITS
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED, significance
from endoxa.study.convergence.chance import COINCIDENCE, EXCHANGES
from endoxa.study.convergence.estimates import correlation_sentence, ends, level, number, tool
from endoxa.study.convergence.mtmm import CONVERGENT, DISCRIMINANT, METHOD, VALIDITY
from endoxa.study.convergence.run import Convergence

MOST_SENTENCES = 6
"""Pairs of instruments that get a sentence each; of more it is said how many are claimed."""
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
    "than 6 attributes that recur are taken as they are: what is left of their means is tested, too, in the same way. "
    "No interval or test with fewer than 10 associations or 6 identities. Intervals of reliabilities "
    "are over identities alone.",
    "Which instrument shows an association: t test of its effect, pooled variance of parts within associations, "
    "Benjamini-Hochberg over the associations of a model and instrument. Parts are taken as independent, which those "
    "of one association are not: they share its words. So the number that all instruments show is compared with the "
    "number by chance: attribute means are removed from the effects, identities exchanged in all instruments but one, "
    f"{EXCHANGES} times, and the means put back.",
    "Sources: Campbell and Fiske 1959, Psychological Bulletin 56; Spearman 1904 and 1910; Brown 1910; Cronbach 1951, "
    "Psychometrika 16.",
)


WORDS = {
    ABOVE: "go together",
    BELOW: "go against each other",
    UNCLEAR: "not distinguishable from chance",
    UNTESTED: "cannot be tested",
}
"""What is said of a pair of instruments by its verdict."""
SEEN = {ABOVE: "stereotype", BELOW: "opposite", UNCLEAR: "unclear", UNTESTED: "cannot be tested"}
"""What an instrument shows of an association with a verdict."""


IN_MATRIX = (
    "In brackets: reliabilities. Same trait, other instrument: monotrait-heteromethod; same instrument, other trait: "
    "heterotrait-monomethod; neither: heterotrait-heteromethod (Campbell and Fiske 1959). n/a: fewer than ten units "
    "were measured by both. mtmm.csv has the intervals and the number of units of each entry."
)
MATRIX_WORDS = {
    CONVERGENT: "mean correlation of different instruments on the same trait",
    DISCRIMINANT: "how much more different instruments go together on the same trait than on different traits",
    METHOD: "how much more different traits go together within an instrument than between instruments",
}
"""What a measure is."""
APART = {ABOVE: "above 0", BELOW: "below 0", UNCLEAR: "not distinguishable from 0"}


INSTRUMENT = text_field("instrument", "instrument", tool)
INSTRUMENTS = text_field(
    "instruments", lambda row: f"{tool(row['instrument_1'])}, {tool(row['instrument_2'])}"
)
ASSOCIATIONS = number_field("associations", "n_associations")
IDENTITIES = number_field("identities", "n_identities")
ADJUSTED = number_field("p adjusted", "p_adjusted", lambda p: NO_VALUE if p is None else p_value(p))


def model_table(
    caption: str,
    rows: pl.DataFrame,
    labels: Mapping[str, str],
    *fields: Field,
) -> Table:
    """A table whose first column names the model, which is left out where there is one model only."""
    several = len(labels) > 1
    model = text_field("model", "model", labels.__getitem__) if several else None
    return table_of(caption, rows, (model, *fields), stub=1 + several)


def by_association(convergence: Convergence) -> Section | None:
    """How many associations several instruments show, one, or none, beside chance; and what each shows."""
    if convergence.effects["instrument"].n_unique() < 2:
        return None
    seen = [verdict for verdict in SEEN if verdict in set(convergence.effects["verdict"])]
    by_instrument = convergence.effects.group_by("model", "instrument", maintain_order=True).agg(
        *((pl.col("verdict") == verdict).sum().alias(verdict) for verdict in seen), pl.col("effect").mean()
    )
    sizes = convergence.reliabilities
    return Section(
        "associations",
        "Which associations several instruments show",
        findings=tuple(_together(convergence)),
        tables=(
            model_table(
                "Associations by how many instruments show them, and by chance",
                convergence.chance,
                convergence.labels,
                text_field("shown by", "together"),
                number_field("associations", lambda row: count(int(row["observed"]))),
                number_field(
                    "by chance", "expected", lambda mean: NO_VALUE if mean is None else decimal(mean, 1)
                ),
                number_field(
                    "range by chance", lambda row: NO_VALUE if row["range_low"] is None else _range(row)
                ),
                number_field("tested", "n_associations"),
                ADJUSTED,
            ),
            model_table(
                "What each instrument shows",
                by_instrument.join(sizes, on=["model", "instrument"], how="left", maintain_order="left"),
                convergence.labels,
                INSTRUMENT,
                ASSOCIATIONS,
                *(number_field(SEEN[verdict], verdict) for verdict in seen),
                number_field("mean effect", "effect", lambda effect: signed(effect, 2)),
                number_field("parts per association", "parts", "{:g}".format),
                _estimate("reliability", "reliability", "low", "high", tested=False),
                text_field("why not", "reason"),
            ),
        ),
        notes=(
            "An instrument shows an association where its effect differs from 0 after correction over all associations "
            "of that instrument (Benjamini-Hochberg). Numbers: effects in standard deviations of single measurements, "
            "above 0 towards the stereotype. 'unclear' does not mean that there is nothing. Reliabilities are "
            f"explained below; in brackets: {100 * convergence.options.confidence:g}\u00a0% intervals.",
            "By chance: what each instrument claims is kept, with its own share of claims and the means of attributes, "
            "but identities are exchanged in all instruments but one. So the number by chance holds what comes of "
            "error rates, of many tests, and of words that all instruments react to. The "
            "claims of an association whose attribute no other identity has stay: association or word. The range holds "
            f"{100 * convergence.options.confidence:g}\u00a0% of the exchanges.",
            "An instrument claims more the more alike its parts are: all sentences of an association test share their "
            "words, so even a small difference is claimed. Whether instruments go together at all is tested below, "
            "with identities and attributes as samples.",
        ),
    )


def instruments_of(row: Mapping[str, Any]) -> tuple[str, str]:
    """Which instruments a row of chance is about, and with how many its associations were tested."""
    if row["together"] == ALL:
        return f"all {row['n_instruments']}", f"all {row['n_instruments']}"
    return ("both", "both") if row["n_instruments"] == 2 else ("several", "two or more")


def _range(row: Mapping[str, Any]) -> str:
    return f"{count(int(row['range_low']))} to {count(int(row['range_high']))}"


def _together(convergence: Convergence) -> Iterator[Finding]:
    """A sentence for each model and number that is tested."""
    for (model,), rows in convergence.chance.group_by("model", maintain_order=True):
        label = convergence.labels[str(model)]
        by_kind = {row["together"]: row for row in rows.iter_rows(named=True)}
        for row in (by_kind[name] for name in (SEVERAL, ALL) if name in by_kind):
            beside = {"value": row["observed"], "neutral": row["expected"]}
            yield Finding(f"{label}: {chance_sentence(row)}", (row | beside,))


def chance_sentence(row: Mapping[str, Any]) -> str:
    """How many associations several or all instruments show, beside the number expected by chance."""
    every, tested = instruments_of(row)
    if not row["n_associations"]:
        return f"what {every} instruments show together cannot be tested: {row['reason']}."
    numbers = (
        f"{every} instruments show {count(int(row['observed']))} of {plural(row['n_associations'], 'association')} "
        f"tested with {tested}"
    )
    if row["verdict"] == UNTESTED:
        return f"{numbers}; whether that is more than by chance cannot be tested: {row['reason']}."
    finding = "more often than by chance" if row["verdict"] == ABOVE else "not distinguishable from chance"
    beside = f"{decimal(row['expected'], 1)} would be by chance ({_range(row)})"
    return f"{numbers}, where {beside}: {finding} (p {p_value(row['p_adjusted'])})."


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
    """Correlations of every two instruments."""
    rows, labels = convergence.correlations, convergence.labels
    if rows.is_empty():
        return None
    return Section(
        "convergence",
        "Do the instruments agree?",
        lead=" ".join(convergence.warnings),
        findings=tuple(_findings(convergence)),
        tables=(correlation_table(rows, labels),),
        notes=(*READING, f"Intervals in brackets: {100 * convergence.options.confidence:g}\u00a0%."),
    )


def _findings(convergence: Convergence) -> Iterator[Finding]:
    """A sentence for each pair of instruments where they are few, else what is claimed of those of each model."""
    rows = convergence.correlations.drop("sentence").with_columns(
        pl.col("model").replace(convergence.labels), value="corrected", clusters="n_identities"
    )
    for (model,), part in rows.group_by("model", maintain_order=True):
        of_model = part.rows(named=True)
        if rows.height <= MOST_SENTENCES:
            yield from (Finding(correlation_sentence(row), (row,)) for row in of_model)
            continue
        verdicts = part["verdict"].to_list()
        counts = [
            f"{count(verdicts.count(name))} {words}" for name, words in WORDS.items() if name in verdicts
        ]
        text = f"{model}: of {plural(part.height, 'pair')} of instruments, {listed(counts)}"
        values = part.filter(pl.col("verdict") != UNTESTED)["value"].drop_nulls().to_list()
        if len(values) > 1:
            text += f"; corrected correlations lie between {number(min(values))} and {number(max(values))}"
        yield Finding(f"{text}.", (*of_model, {"pairs": part.height}))


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
        figures=tuple(
            matrix_map(convergence, str(model), rows)
            for (model,), rows in convergence.mtmm.group_by("model", maintain_order=True)
        ),
    )


def matrix_findings(convergence: Convergence) -> Iterator[Finding]:
    """What Campbell and Fiske ask of a matrix, a sentence for each model and measure."""
    for row in convergence.validity.iter_rows(named=True):
        label = convergence.labels[row["model"]]
        text = f"{label}: {row['measure']} ({MATRIX_WORDS[row['measure']]})"
        if row["verdict"] == UNTESTED:
            text += f" cannot be tested: {row['reason']}."
        else:
            interval = ends(row["low"], row["high"], row["verdict"])
            text += f" is {APART[row['verdict']]}: {number(row['value'])} ({level(row)} interval {interval})."
            text += blamed(row)
        yield Finding(text, (row,))


def matrix_map(convergence: Convergence, model: str, rows: pl.DataFrame) -> Figure:
    """The lower triangle of the matrix of a model, reliabilities in its diagonal.

    Args:
        convergence: what the instruments say together.
        model: the model.
        rows: its rows of `convergence.mtmm`.
    """
    label = convergence.labels[model]
    cells: dict[tuple[str, str], GridCell] = {}
    for row in rows.iter_rows(named=True):
        first, other = (f"{axis_name(row[f'trait_{k}'])}, {tool(row[f'instrument_{k}'])}" for k in "12")
        text, value = number(row["value"]), row["value"]
        if value is None:
            cells[other, first] = GridCell(text, f"{first} and {other}: {text}")
        elif row["kind"] == RELIABLE:
            cells[other, first] = GridCell(f"({text})", f"{first} and {other}: ({text})")
        else:
            side = "above" if value >= 0 else "below"
            cells[other, first] = GridCell(text, f"{first} and {other}: {text}", side, min(1.0, abs(value)))
    heads = [first for other, first in cells if first == other]
    lines = tuple((head, tuple(cells.get((head, column)) for column in heads)) for head in heads)
    title = f"Multitrait-multimethod matrix, {label}"
    plot = Grids((Grid("", tuple(heads), lines),), IN_MATRIX)
    alt = described(f"{title}. {IN_MATRIX}", (cell.tip for cell in cells.values()))
    return Figure(f"matrix-{slug(label)}", title, plot, alt, wide=True, rows=rows)


def tests_made(convergence: Convergence) -> Section:
    """The families of tests behind the claims."""
    used = [
        (CONVERGENCE, convergence.correlations, ""),
        (SINGLE_ASSOCIATIONS, convergence.effects, ""),
        (COINCIDENCE, convergence.chance, ""),
        (VALIDITY, convergence.validity, ""),
    ]
    made = families(used, "convergence-tests", f"{significance(convergence.options.confidence):g}")
    return replace(made, title="Tests and corrections of convergence", folded=True)


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


def sections(convergence: Convergence) -> list[Section]:
    """Those that have something to say, in order; one instrument gives none but tests and methods."""
    makers = (by_association, agreement_of_instruments, matrix, tests_made, methods)
    return list(present(make(convergence) for make in makers))
