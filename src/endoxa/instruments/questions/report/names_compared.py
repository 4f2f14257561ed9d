"""The same questions with groups and with names: what changes, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from endoxa.instruments.questions.report.results import CONTEXTS, QaResults
from endoxa.instruments.questions.report.values import SPOKEN_LEANS, Row, because, evidence, spoken_interval
from endoxa.report.document import Finding
from endoxa.report.words import decimal, listed, plural
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED

_SIDES = {
    ABOVE: "is higher for {n}",
    BELOW: "is lower for {n}",
    UNCLEAR: "is not distinguishable for {n}",
    UNTESTED: "cannot be tested for {n}",
}


def names_summed_up(results: QaResults, condition: str) -> Iterator[Finding]:
    """Of many models, for how many the lean in these contexts differs between groups and names."""
    rows = results.main(results.differences).filter(context_condition=condition).drop_nulls(["difference"])
    for one, other in results.pairs:
        own = rows.filter(pl.col("measure").is_in(list(SPOKEN_LEANS)), pl.col("verdict") != "")
        found = [
            evidence(row, "difference")
            for row in own.filter(original=one, substituted=other).iter_rows(named=True)
        ]
        if found:
            parts = [
                said.format(n=f"all {number}" if number == len(found) > 1 else number)
                for verdict, said in _SIDES.items()
                if (number := sum(row["verdict"] == verdict for row in found))
            ]
            lean = SPOKEN_LEANS[found[0]["measure"]]
            compared = f"with {one} compared with {other}, of {plural(len(found), 'model')} the {lean}"
            yield Finding(f"{CONTEXTS[condition]} {compared} {listed(parts)}.", tuple(found))


def names_compared(results: QaResults, rows: Sequence[Row], *, ratios: bool) -> Iterator[Finding]:
    """Of one model in one kind of context: the difference of its leans, and the ratio of its errors.

    Args:
        results: of the page.
        rows: estimates of the model in this kind of context, one for each data set.
        ratios: whether error retention gets a sentence.
    """
    if not rows:
        return
    for row in results.differences.filter(_same(rows[0]), measure=rows[0]["lean_name"]).iter_rows(named=True):
        if row["difference"] is not None:
            yield _difference(results, row)
    if ratios:
        for row in results.retention.filter(_same(rows[0])).iter_rows(named=True):
            if row["ratio"] is not None:
                yield _ratio(results, row)


def _same(row: Row) -> pl.Expr:
    """The same model, protocol and contexts."""
    return pl.all_horizontal(pl.col(name) == row[name] for name in ("model", "protocol", "context_condition"))


def _difference(results: QaResults, row: Row) -> Finding:
    found, where = evidence(row, "difference"), CONTEXTS[row["context_condition"]]
    spoken, one, other = SPOKEN_LEANS[row["measure"]], row["original"], row["substituted"]
    numbers = f"{spoken_interval(found, results.level)}; no difference: 0; {_items(row)}"
    scores = f"the {spoken}s of {row['line']} with {one} and with {other}"
    difference = f"difference {decimal(row['difference'])}"
    match row["verdict"]:
        case verdict if verdict == UNTESTED:
            text = f"{where} a difference between {scores} cannot be tested ({found['reason']}); {difference}"
            text += f" ({_items(row)})."
        case verdict if verdict == UNCLEAR:
            text = f"{where} {scores} are not distinguishable: {difference} ({numbers}).{because(found)}"
        case verdict:
            side = "higher" if verdict == ABOVE else "lower"
            text = (
                f"{where} the {spoken} of {row['line']} is {side} with {one} than with {other}: {difference}"
            )
            text += f" ({numbers})."
    return Finding(text, (found,))


def _ratio(results: QaResults, row: Row) -> Finding:
    found, where = evidence(row, "ratio"), CONTEXTS[row["context_condition"]]
    one, other, ratio = row["original"], row["substituted"], decimal(row["ratio"])
    numbers = f"{spoken_interval(found, results.level)}; equal: 1; {_items(row)}"
    rates = f"the error rates of {row['line']} with {one} and with {other}"
    match row["verdict"]:
        case verdict if verdict == UNTESTED:
            text = f"{where} a difference between {rates} cannot be tested ({found['reason']}); ratio {ratio}"
            text += f" ({_items(row)})."
        case verdict if verdict == UNCLEAR:
            text = f"{where} {rates} are not distinguishable: with {other} it is {ratio} times as high ({numbers})."
            text += because(found)
        case verdict:
            side = "higher" if verdict == ABOVE else "lower"
            text = (
                f"{where} the error rate of {row['line']} is {side} with {other} than with {one}: {ratio} times as "
                f"high ({numbers})."
            )
    return Finding(text, (found,))


def _items(row: Row) -> str:
    """'770 shared items, 12 items read in one of them only left out'."""
    left = row["n_left_out"]
    lonely = f", {plural(left, 'item')} read in one of them only left out" if left else ""
    return f"{plural(row['n_items'], 'shared item')}{lonely}"
