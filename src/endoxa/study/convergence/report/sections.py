"""Sections about convergence, for the page of a study."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from endoxa.report.document import Finding, Section
from endoxa.report.families import families
from endoxa.report.words import count, listed, plural, short_labels
from endoxa.runs.families import CONVERGENCE, DISCRIMINATION, SINGLE_ASSOCIATIONS
from endoxa.schema.convergence import (
    ALL_AGREE,
    CONTRADICT,
    LONE_FINDING,
    NOT_TESTED,
    SINGLE_INSTRUMENT,
    SOME_AGREE,
)
from endoxa.stats.attenuation import LEAST_RELIABILITY
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED, significance
from endoxa.study.convergence import correlations, discriminant
from endoxa.study.convergence.report import tables
from endoxa.study.convergence.report.scatter import scatter_matrix
from endoxa.study.convergence.run import Convergence
from endoxa.study.convergence.words import number

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


def sections(convergence: Convergence) -> list[Section]:
    """What several instruments say together: correlations, the discriminant check, the list to look at first, methods.

    Sections without anything to say are left out; one instrument gives none but the tests.
    """
    labels = short_labels(convergence.models)
    built = (
        _correlations(convergence, labels),
        _discriminant(convergence, labels),
        _first(convergence, labels),
        _tests(convergence),
        Section(
            "convergence-methods",
            "How instruments were compared",
            notes=METHODS,
            lead=_made(convergence),
            folded=True,
        ),
    )
    return [section for section in built if section is not None and not section.empty]


def _level(convergence: Convergence) -> str:
    return f"{100 * convergence.options.confidence:g}\u00a0%"


def _made(convergence: Convergence) -> str:
    """What was compared, and what was left out."""
    tools = convergence.parts["instrument"].n_unique()
    sentences = (
        f"{plural(tools, 'instrument')}, {plural(convergence.parts['association_id'].n_unique(), 'association')}, "
        f"{plural(convergence.parts['identity'].n_unique(), 'identity', 'identities')}, "
        f"{plural(len(convergence.models), 'model')}."
    )
    return " ".join([sentences, *convergence.notes])


def _correlations(convergence: Convergence, labels: Mapping[str, str]) -> Section | None:
    rows = convergence.correlations
    if rows.is_empty():
        return None
    figures = (
        scatter_matrix(
            model, labels[model], convergence.effects, convergence.reliabilities, convergence.correlations
        )
        for model in convergence.models
    )
    return Section(
        "convergence",
        "Do the instruments agree?",
        lead=" ".join(convergence.warnings),
        findings=tuple(AGREEMENT.findings(rows, labels)),
        figures=tuple(figure for figure in figures if figure is not None),
        tables=(
            tables.correlation_table(rows, labels),
            tables.reliability_table(convergence.reliabilities, labels),
        ),
        notes=(*READING, f"Intervals in brackets: {_level(convergence)}."),
        pick_by="Model" if len(convergence.models) > 1 else "",
    )


@dataclass(frozen=True, slots=True)
class _Claims:
    """How rows of pairs of instruments are put into words.

    Attributes:
        value: column of their value.
        values: what these are called, in the plural.
        above: claim of rows above 0, in the plural.
        below: claim of rows below 0.
        sentence: the sentence of one row.
    """

    value: str
    values: str
    above: str
    below: str
    sentence: Callable[[dict[str, Any]], str]

    def findings(self, rows: pl.DataFrame, labels: Mapping[str, str]) -> Iterator[Finding]:
        """How many pairs are claimed, then a sentence for each where they are few, for each model where many."""
        comparisons = [
            {**row, "value": row[self.value], "clusters": row["n_identities"], "model": labels[row["model"]]}
            for row in rows.drop("sentence").iter_rows(named=True)
        ]
        models = list(dict.fromkeys(row["model"] for row in comparisons))
        if len(comparisons) > 1 and (len(models) > 1 or len(comparisons) <= MOST_SENTENCES):
            over = f" of {count(len(models))} models" if len(models) > 1 else ""
            counts = {"models": len(models), "pairs": len(comparisons)}
            yield Finding(_upper(f"{self.counted(comparisons, over)}."), (*comparisons, counts))
        if len(comparisons) <= MOST_SENTENCES:
            yield from (Finding(self.sentence(row), (row,)) for row in comparisons)
            return
        for model in models:
            of_model = [row for row in comparisons if row["model"] == model]
            yield Finding(
                f"{model}: {self.counted(of_model)}{self.between(of_model)}.",
                (*of_model, {"pairs": len(of_model)}),
            )

    def counted(self, rows: Sequence[Mapping[str, Any]], over: str = "") -> str:
        """'of 6 pairs of instruments, 4 go together and 2 cannot be tested', 'all 6 pairs ... go together'."""
        words = {
            ABOVE: self.above,
            BELOW: self.below,
            UNCLEAR: "not distinguishable from chance",
            UNTESTED: "cannot be tested",
        }
        numbers = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in words}
        sentences = [
            f"{count(many)} {_verb(verdict, many, words[verdict])}"
            for verdict, many in numbers.items()
            if many
        ]
        if len(sentences) == 1 and len(rows) > 1:
            verdict = next(name for name, many in numbers.items() if many)
            every = f"all {count(len(rows))}" if len(rows) > 2 else "both"
            return f"{every} pairs of instruments{over} {_verb(verdict, len(rows), words[verdict])}"
        return f"of {plural(len(rows), 'pair')} of instruments{over}, {listed(sentences)}"

    def between(self, rows: Sequence[Mapping[str, Any]]) -> str:
        """'; corrected correlations lie between 0.31 and 0.88'."""
        values = [row["value"] for row in rows if row["value"] is not None]
        return (
            f"; {self.values} lie between {number(min(values))} and {number(max(values))}"
            if len(values) > 1
            else ""
        )


def _verb(verdict: str, many: int, words: str) -> str:
    """What is said of so many: 'is not distinguishable', 'goes together', 'go together'."""
    if verdict == UNCLEAR:
        return f"{'is' if many == 1 else 'are'} {words}"
    first, rest = words.split(" ", 1)
    return f"{_SINGULAR.get(first, first)} {rest}" if many == 1 else words


_SINGULAR = {"go": "goes", "agree": "agrees"}


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


AGREEMENT = _Claims(
    "corrected", "corrected correlations", "go together", "go against each other", correlations.sentence
)
SPECIFIC = _Claims(
    "difference",
    "differences",
    "agree on more than the attribute",
    "agree less on the same association than on other identities",
    discriminant.sentence,
)


def _discriminant(convergence: Convergence, labels: Mapping[str, str]) -> Section | None:
    rows = convergence.discriminant
    if rows.is_empty():
        return None
    tested = rows.filter(pl.col("n_associations") > 0)
    if tested.is_empty():
        return Section(
            "discriminant",
            "Is it the association, or only the attribute?",
            findings=(
                Finding(
                    "Whether instruments agree more on the same association than on other identities cannot be tested: "
                    f"{discriminant.NO_PARTNER}.",
                    tuple(rows.iter_rows(named=True)),
                ),
            ),
        )
    return Section(
        "discriminant",
        "Is it the association, or only the attribute?",
        findings=tuple(SPECIFIC.findings(tested, labels)),
        tables=(tables.discriminant_table(tested, labels),),
        notes=(
            "Two instruments may agree because both react to an attribute, whoever it is said of. So their "
            "correlation on the same association is compared with that of one instrument on an association and the "
            "other on the same attribute of other identities (Campbell and Fiske 1959: monotrait against "
            "heterotrait, both heteromethod). The column 'other identity, same instrument' has each instrument on "
            "both sides (heterotrait-monomethod). All are raw correlations.",
        ),
    )


def _first(convergence: Convergence, labels: Mapping[str, str]) -> Section | None:
    rows = convergence.agreement
    several = rows.filter(~pl.col("agreement").is_in([SINGLE_INSTRUMENT, NOT_TESTED]))
    if several.is_empty():
        return None
    return Section(
        "look-first",
        "What to look at first",
        findings=tuple(_shares(several, labels)),
        tables=(
            tables.count_table(rows, labels),
            tables.seen_table(convergence.effects, labels),
            tables.list_table(several, labels),
        ),
        notes=(
            "First come associations that all instruments see, then contradictions, then what several see, then what "
            "only one sees; within a kind, the stereotype before its opposite and the largest mean effect first. "
            f"Up to {tables.MOST_LISTED} associations of each model are listed; agreement.csv holds all.",
            "An instrument sees an association where its effect differs from 0 after correction. It sees more the more "
            "alike its parts are: all sentences of an association test share their words, so even a small difference "
            "is claimed. An unclear effect does not show that there is nothing.",
        ),
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


def _tests(convergence: Convergence) -> Section:
    used = [
        (CONVERGENCE, convergence.correlations, ""),
        (DISCRIMINATION, convergence.discriminant, ""),
        (SINGLE_ASSOCIATIONS, convergence.effects, ""),
    ]
    made = families(used, "convergence-tests", f"{significance(convergence.options.confidence):g}")
    return Section(
        made.anchor, "Tests and corrections of convergence", tables=made.tables, notes=made.notes, folded=True
    )
