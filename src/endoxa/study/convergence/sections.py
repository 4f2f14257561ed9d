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
from endoxa.report.tables import Cell, Field, Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, count, listed, p_value, plural, signed
from endoxa.runs.families import CONVERGENCE, DISCRIMINATION, SINGLE_ASSOCIATIONS
from endoxa.schema.convergence import (
    AGREEMENTS,
    ALL_AGREE,
    CONTRADICT,
    LONE_FINDING,
    NOT_TESTED,
    SINGLE_INSTRUMENT,
    SOME_AGREE,
)
from endoxa.stats.attenuation import LEAST_RELIABILITY
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED, significance
from endoxa.study.convergence.correlations import (
    NO_PARTNER,
    correlation_sentence,
    discriminant_sentence,
    ends,
    number,
    tool,
)
from endoxa.study.convergence.figures import scatter_matrix
from endoxa.study.convergence.run import Convergence

MOST_LISTED = 40
"""Associations of a model in the list on the page; the table has all."""
BRIEF = ("all agree", "contradict", "some agree", "only one sees it")
"""Kinds that the list shows; nobody needs to look at the others first."""

MOST_SENTENCES = 6
"""Pairs of instruments that get a sentence each; the table holds all."""
READING = (
    "Each point is an association; effects are in standard deviations of single measurements of that model and "
    "instrument, above 0 towards the stereotype. Filled points: both instruments claim one direction; orange: they "
    "claim opposite ones. Above the diagonal: the correlation corrected for unreliability with its interval, and "
    "the raw one; bold where it is claimed.",
    "An instrument that measures with error cannot agree fully with another one, so the raw correlation is divided "
    "by the root of both reliabilities (Spearman 1904). It estimates how far the two measure the same thing, and can "
    "exceed 1 by chance; nothing is clipped. Where the lower end of the interval of a reliability is not above "
    f"{LEAST_RELIABILITY:g}, nothing is corrected, and whether the two go together cannot be tested. Identities are "
    "resampled, since associations of one identity are not independent.",
)
METHODS = (
    "Effect: mean over the parts of an association (templates, items, repeats, scenarios) divided by the standard "
    "deviation of single parts of the same model and instrument. Nothing is subtracted: 0 is the neutral value of the "
    "instrument. Reliability: share of the variance of effects that two halves of the parts have in common, mean "
    "over all halvings (Spearman-Brown; Cronbach's alpha where all associations have the same parts). What all "
    "parts of an instrument share, such as the wording of an attribute, counts as reliable.",
    "Intervals of correlations: delete-one jackknife over identities on Fisher's z, reliabilities estimated again "
    "without each identity, Student's t with the effective number of identities. Tests: the larger p-value of this "
    "jackknife and of sign flips of identities. No interval or test with fewer than 10 associations or 6 identities.",
    "Which instrument sees an association: t test of its effect, pooled variance of parts within associations, "
    "Benjamini-Hochberg over the associations of a model and instrument. Parts are taken as independent.",
    "Sources: Campbell and Fiske 1959, Psychological Bulletin 56; Spearman 1904 and 1910; Brown 1910; Cronbach 1951, "
    "Psychometrika 16.",
)


def _table(
    caption: str,
    rows: pl.DataFrame,
    labels: Mapping[str, str],
    *fields: Field,
    stub: int = 2,
    **settings: Any,
) -> Table:
    """A table whose first column names the model, which is left out where there is one model only."""
    several = len(labels) > 1
    model = text_field("model", "model", labels.__getitem__) if several else None
    return table_of(caption, rows, (model, *fields), stub=stub - (not several), **settings)


INSTRUMENTS = text_field(
    "instruments", lambda row: f"{tool(row['instrument_1'])}, {tool(row['instrument_2'])}"
)
INSTRUMENT = text_field("instrument", "instrument", tool)
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
    return _table(
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
        ADJUSTED,
    )


def agreement_of_instruments(convergence: Convergence) -> Section | None:
    """Correlations of every two instruments, with a scatter matrix of each model."""
    rows, labels = convergence.correlations, convergence.labels
    if rows.is_empty():
        return None
    figures = (
        scatter_matrix(model, label, convergence.effects, convergence.reliabilities, rows)
        for model, label in labels.items()
    )
    reliability = _table(
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
        numbers = [row["value"] for row in of_model if row["value"] is not None]
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


def specific(convergence: Convergence) -> Section | None:
    """The discriminant check: the same association against other identities."""
    rows, labels = convergence.discriminant, convergence.labels
    if rows.is_empty():
        return None
    title = "Is it the association, or only the attribute?"
    tested = rows.filter(pl.col("n_associations") > 0)
    if tested.is_empty():
        text = (
            "Whether instruments agree more on the same association than on other identities cannot be tested: "
            f"{NO_PARTNER}."
        )
        return Section("discriminant", title, findings=(Finding(text, tuple(rows.iter_rows(named=True))),))
    within = number_field(
        "other identity, same instrument",
        lambda row: f"{number(row['within_1'])}, {number(row['within_2'])}",
    )
    table = _table(
        "The same association against other identities",
        tested,
        labels,
        INSTRUMENTS,
        VERDICT,
        _estimate("difference", "difference", "low", "high"),
        number_field("same association", "same", number),
        number_field("other identity", "other", number),
        within,
        ASSOCIATIONS,
        number_field("attributes", "n_attributes"),
        ADJUSTED,
    )
    below = "less on the same association than on other identities"
    words = {
        ABOVE: ("agrees on more than the attribute", "agree on more than the attribute"),
        BELOW: (f"agrees {below}", f"agree {below}"),
    }
    findings = _findings(tested, labels, ("difference", "differences"), words, discriminant_sentence)
    return Section(
        "discriminant",
        title,
        findings=tuple(findings),
        tables=(table,),
        notes=(
            "Two instruments may agree because both react to an attribute, whoever it is said of. So their "
            "correlation on the same association is compared with that of one instrument on an association and the "
            "other on the same attribute of other identities (Campbell and Fiske 1959: monotrait against "
            "heterotrait, both heteromethod). The column 'other identity, same instrument' has each instrument on "
            "both sides (heterotrait-monomethod). All are raw correlations.",
        ),
    )


SEEN = {ABOVE: "stereotype", BELOW: "opposite", UNCLEAR: "unclear", UNTESTED: "cannot be tested"}
"""What an instrument sees of an association with a verdict."""


def look_first(convergence: Convergence) -> Section | None:
    """The associations to look at first, and how many each instrument sees."""
    rows, labels = convergence.agreement, convergence.labels
    several = rows.filter(~pl.col("agreement").is_in([SINGLE_INSTRUMENT, NOT_TESTED]))
    if several.is_empty():
        return None
    kinds = [kind for kind in AGREEMENTS if kind in set(rows["agreement"])]
    counts = rows.group_by("model", maintain_order=True).agg(
        (pl.col("agreement") == kind).sum().alias(kind) for kind in kinds
    )
    seen = [verdict for verdict in SEEN if verdict in set(convergence.effects["verdict"])]
    by_instrument = convergence.effects.group_by("model", "instrument", maintain_order=True).agg(
        *((pl.col("verdict") == verdict).sum().alias(verdict) for verdict in seen), pl.col("effect").mean()
    )
    return Section(
        "look-first",
        "What to look at first",
        findings=tuple(_shares(several, labels)),
        tables=(
            table_of(
                "Associations by what the instruments say together",
                counts,
                (text_field("model", "model", labels.__getitem__), *map(number_field, kinds)),
            ),
            _table(
                "What each instrument sees",
                by_instrument,
                labels,
                INSTRUMENT,
                *(number_field(SEEN[verdict], verdict) for verdict in seen),
                number_field("mean effect", "effect", _effect),
            ),
            _listed(several, labels),
        ),
        notes=(
            "First come associations that all instruments see, then contradictions, then what several see, then what "
            "only one sees; within a kind, the stereotype before its opposite and the largest mean effect first. "
            f"Up to {MOST_LISTED} associations of each model are listed; agreement.csv holds all.",
            "An instrument sees an association where its effect differs from 0 after correction. It sees more the more "
            "alike its parts are: all sentences of an association test share their words, so even a small difference "
            "is claimed. An unclear effect does not show that there is nothing.",
        ),
    )


def _effect(value: float | None) -> str:
    return signed(value, 2)


def _listed(several: pl.DataFrame, labels: Mapping[str, str]) -> Table:
    """The first associations of each model."""
    shown = several.filter(pl.col("agreement").is_in(BRIEF)).filter(
        pl.int_range(pl.len()).over("model") < MOST_LISTED
    )

    def tools(names: str) -> str:
        return ", ".join(tool(name) for name in names.split("; ") if name) or NO_VALUE

    return _table(
        "Associations to look at first",
        shown,
        labels,
        number_field("place", lambda row: Cell(count(row["place"]), order=row["place"])),
        text_field(
            "association",
            lambda row: f"{row['identity']}: {row['attribute'] or row['association_id']}",
            veiled=True,
        ),
        text_field("agreement"),
        text_field("see the stereotype", "above", tools),
        text_field("see the opposite", "below", tools),
        text_field("unclear", "unclear", tools),
        number_field("mean effect", "mean_effect", _effect),
        stub=3,
        tall=True,
        headed=False,
    )


def _shares(several: pl.DataFrame, labels: Mapping[str, str]) -> Iterator[Finding]:
    """A sentence for each model: how many associations all see, only one sees, and on how many they contradict."""
    words = {
        ALL_AGREE: "seen by all of them",
        CONTRADICT: "on which they contradict each other",
        SOME_AGREE: "seen by several but not all",
        LONE_FINDING: "seen by only one",
    }
    for (model,), part in several.group_by("model", maintain_order=True):
        numbers = {"total": part.height} | {kind: int((part["agreement"] == kind).sum()) for kind in words}
        counts = [f"{count(numbers[kind])} {words[kind]}" for kind in words if numbers[kind]]
        rest = listed(counts) if counts else "no instrument sees any"
        yield Finding(
            f"{labels[str(model)]}, {plural(part.height, 'association')} tested with two or more instruments: {rest}.",
            (numbers,),
        )


def tests_made(convergence: Convergence) -> Section:
    """The families of tests behind the claims."""
    used = [
        (CONVERGENCE, convergence.correlations, ""),
        (DISCRIMINATION, convergence.discriminant, ""),
        (SINGLE_ASSOCIATIONS, convergence.effects, ""),
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


SECTIONS: tuple[Callable[[Convergence], Section | None], ...] = (
    agreement_of_instruments,
    specific,
    look_first,
    tests_made,
    methods,
)
"""What is said about the instruments together, in this order."""


def sections(convergence: Convergence) -> list[Section]:
    """Those that have something to say; one instrument gives none but tests and methods."""
    return filled(SECTIONS, convergence)
