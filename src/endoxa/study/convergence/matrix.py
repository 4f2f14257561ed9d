"""The multitrait-multimethod matrix on the page: what it says, and the matrix of each model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from endoxa.report.claims import corrected as blamed
from endoxa.report.document import Finding
from endoxa.report.tables import Cell, Column, Table
from endoxa.report.words import NO_VALUE, axis_name, listed
from endoxa.schema.convergence import RELIABLE
from endoxa.stats.verdicts import ABOVE, BELOW, UNTESTED
from endoxa.study.convergence.correlations import ends, level, number, tool
from endoxa.study.convergence.mtmm import CONVERGENT, DISCRIMINANT, METHOD
from endoxa.study.convergence.run import Convergence

MOST_OPEN = 12
"""Columns up to which a matrix stands open."""
UNLIKE = "not distinguishable from"
WORDS = {
    CONVERGENT: {
        ABOVE: "different instruments go together on the same trait",
        BELOW: "different instruments go against each other on the same trait",
        "": f"how different instruments correspond on the same trait is {UNLIKE} chance",
    },
    DISCRIMINANT: {
        ABOVE: "different instruments go together more on the same trait than on different traits",
        BELOW: "different instruments agree less on the same trait than on different traits",
        "": f"how different instruments correspond on the same trait is {UNLIKE} how they do on different traits",
    },
    METHOD: {
        ABOVE: "different traits go together more within an instrument than between instruments (a method effect)",
        BELOW: "correlations of different traits are lower within an instrument than between instruments",
        "": f"correlations of different traits within an instrument are {UNLIKE} those between instruments (no method "
        "effect is shown)",
    },
}


def matrix_findings(convergence: Convergence) -> Iterator[Finding]:
    """What Campbell and Fiske ask of a matrix, a sentence for each model and measure."""
    for row in convergence.validity.iter_rows(named=True):
        label = convergence.labels[row["model"]]
        words = WORDS[row["measure"]]
        if row["verdict"] == UNTESTED:
            text = f"{label}: {row['measure']} cannot be tested: {row['reason']}."
        else:
            said = "mean correlation" if row["measure"] == CONVERGENT else "difference of mean correlations"
            interval = ends(row["low"], row["high"], row["verdict"])
            text = (
                f"{label}: {words.get(row['verdict'], words[''])}: {said} {number(row['value'])} "
                f"({level(row)} interval {interval}).{blamed(row)}"
            )
        yield Finding(text, (row,))


def matrix_tables(convergence: Convergence) -> Iterator[Table]:
    """The lower triangle of each matrix, reliabilities in its diagonal."""
    for (model,), rows in convergence.mtmm.group_by("model", maintain_order=True):
        entries: dict[tuple[tuple[str, str], tuple[str, str]], Mapping[str, Any]] = {}
        for row in rows.iter_rows(named=True):
            first, other = (row["trait_1"], row["instrument_1"]), (row["trait_2"], row["instrument_2"])
            entries[first, other] = entries[other, first] = row
        diagonal = rows.filter(kind=RELIABLE)
        columns = list(diagonal.select("trait_1", "instrument_1").iter_rows())
        traits = list(dict.fromkeys(trait for trait, _ in columns))
        body = tuple(
            (
                Cell(f"{axis_name(column[0])}, {tool(column[1])}"),
                *(
                    _entry(entries[column, other]) if k <= place else Cell("")
                    for k, other in enumerate(columns)
                ),
            )
            for place, column in enumerate(columns)
        )
        label = convergence.labels[str(model)]
        yield Table(
            f"Multitrait-multimethod matrix, {label}",
            (
                Column("trait and instrument"),
                *(Column(tool(name), numeric=True, above=axis_name(trait)) for trait, name in columns),
            ),
            body,
            folded=len(columns) > MOST_OPEN,
            notes=(
                f"Traits: {listed([axis_name(trait) for trait in traits])}. In brackets: reliabilities. Same trait, "
                "other instrument: monotrait-heteromethod; same instrument, other trait: heterotrait-monomethod; "
                f"neither: heterotrait-heteromethod (Campbell and Fiske 1959). {NO_VALUE} where fewer than ten "
                f"units were "
                "measured by both. mtmm.csv has the intervals and the number of units of each entry.",
            ),
        )


def _entry(row: Mapping[str, Any]) -> Cell:
    if row["value"] is None:
        return Cell(NO_VALUE)
    return Cell(
        f"({number(row['value'])})" if row["kind"] == RELIABLE else number(row["value"]), order=row["value"]
    )
