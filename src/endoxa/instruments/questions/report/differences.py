"""The same questions with groups and with names: differences of every model, drawn for many and in tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from endoxa.instruments.questions.report.results import (
    CONTEXTS,
    SPOKEN_CONDITIONS,
    SPOKEN_LEANS,
    QaResults,
    Row,
    because,
    evidence,
    missing,
    spoken_interval,
)
from endoxa.report.charts import series_colors, series_dots, symmetric_domain
from endoxa.report.claims import chip, clear
from endoxa.report.document import Figure, Finding
from endoxa.report.tables import Column, Table
from endoxa.report.words import NO_VALUE, count, decimal, decimal_interval, listed, p_value, plural, slug
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED

SPOKEN_MEASURES = {
    "accuracy": "accuracy",
    "bias_score": "bias score",
    "bias_unscaled": "unscaled bias",
    "accuracy_gap": "accuracy gap",
}
TESTED = {"bias_score": "lean", "accuracy": "accuracy"}
"""Measures that are drawn of many models; the lean is the bias score or the accuracy gap."""
LEAN_OF = {"bias_score": "accuracy_gap", "accuracy": "accuracy"}
MOST_SHOWN = 40
"""Longer tables stay closed until asked for."""

DIFFERENCES = (
    "Differences are the value with the groups minus that with names, so right of (and above) 0 there was more with "
    "the groups. They rest on the items that were read in both data sets, paired, so that unlike questions cannot make "
    "a difference. Verdicts are corrected over all differences."
)


def difference_dots(results: QaResults) -> Iterator[Figure]:
    """Of many models: the differences of each, one dot for each kind of contexts, the greatest first."""
    for original, substituted in results.pairs:
        for column, spoken in TESTED.items():
            rows = results.main(results.differences).filter(original=original, substituted=substituted)
            measured = rows.filter(pl.col("measure").is_in([column, LEAN_OF[column]])).drop_nulls(
                "difference"
            )
            tested = measured.filter(pl.col("verdict") != "")
            if tested.is_empty():
                continue
            text = pl.col("difference").map_elements(decimal, return_dtype=pl.String)
            frame = tested.with_columns(
                series=pl.col("context_condition").replace_strict(SPOKEN_CONDITIONS),
                note=text.str.join(" · ").over("line"),
                first=pl.col("difference").first().over("line"),
            ).sort(-pl.col("first"), "line", "series", maintain_order=True)
            present = [name for name in SPOKEN_CONDITIONS.values() if name in set(frame["series"])]
            ends = pl.concat([frame["difference"], frame["low"], frame["high"]]).drop_nulls()
            values = "; ".join(
                f"{row['line']}, {row['series']}: {decimal(row['difference'])}, {chip(row)}"
                for row in frame.iter_rows(named=True)
            )
            title = f"Difference in {spoken}: {original} minus {substituted}"
            yield Figure(
                name=f"difference-{slug(spoken)}",
                title=title,
                chart=series_dots(
                    frame.select(
                        "series", "note", "low", "high", label="line", value="difference", filled=clear()
                    ),
                    series_colors(present),
                    neutral=0.0,
                    domain=symmetric_domain(ends, 0.0, 0.1, 0.1),
                    title=f"{original} minus {substituted}",
                    axis_format="+.2~f",
                ),
                alt=f"{title}, no difference: 0. {values}.",
                wide=True,
            )


def difference_tables(results: QaResults) -> Iterator[Table]:
    """Every difference with its interval, a table for each pair of data sets."""
    for original, substituted in results.pairs:
        rows = results.differences.filter(original=original, substituted=substituted)
        body = tuple(
            (
                row["line"],
                SPOKEN_CONDITIONS[row["context_condition"]],
                SPOKEN_MEASURES[row["measure"]],
                decimal(row["original_value"]),
                decimal(row["substituted_value"]),
                decimal(row["difference"]),
                decimal_interval(row["low"], row["high"]),
                NO_VALUE if row["p_adjusted"] is None else p_value(row["p_adjusted"]),
                count(row["n_items"]),
                count(row["n_left_out"]),
                chip(row),
            )
            for row in rows.iter_rows(named=True)
        )
        places = (
            (
                f"{row['line']}, {SPOKEN_CONDITIONS[row['context_condition']]}, {SPOKEN_MEASURES[row['measure']]}",
                row,
                "difference",
            )
            for row in rows.iter_rows(named=True)
        )
        interval = f"{results.level} interval"
        numeric = (original, substituted, "difference", interval, "p adjusted", "shared items", "left out")
        yield Table(
            f"Differences: {original} minus {substituted}",
            (
                *map(Column, ("model", "contexts", "measure")),
                *(Column(name, numeric=True) for name in numeric),
                Column("verdict"),
            ),
            body,
            folded=len(body) > MOST_SHOWN,
            notes=(*missing(places), *_untested(rows)),
        )


def _untested(rows: pl.DataFrame) -> Iterator[str]:
    """What the dashes in the columns of tests mean, and why something cannot be tested."""
    yield f"{NO_VALUE} as a verdict: of this measure nothing is claimed."
    reasons = rows.filter(verdict=UNTESTED)["verdict_reason"].unique(maintain_order=True)
    yield from (f"Cannot be tested: {reason}." for reason in reasons)


_SIDES = {
    ABOVE: "is higher for {n}",
    BELOW: "is lower for {n}",
    UNCLEAR: "is not distinguishable for {n}",
    UNTESTED: "cannot be tested for {n}",
}


def names_summed_up(results: QaResults, condition: str) -> Iterator[Finding]:
    """Of many models, for how many the lean in these contexts differs between groups and names."""
    rows = results.main(results.differences).filter(context_condition=condition).drop_nulls(["difference"])
    for original, substituted in results.pairs:
        leans = rows.filter(pl.col("measure").is_in(list(SPOKEN_LEANS)), pl.col("verdict") != "")
        facts = [
            evidence(row, "difference")
            for row in leans.filter(original=original, substituted=substituted).iter_rows(named=True)
        ]
        if facts:
            parts = [
                phrase.format(n=f"all {number}" if number == len(facts) > 1 else number)
                for verdict, phrase in _SIDES.items()
                if (number := sum(row["verdict"] == verdict for row in facts))
            ]
            lean = SPOKEN_LEANS[facts[0]["measure"]]
            compared = (
                f"with {original} compared with {substituted}, of {plural(len(facts), 'model')} the {lean}"
            )
            yield Finding(f"{CONTEXTS[condition]} {compared} {listed(parts)}.", tuple(facts))


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
    facts, where = evidence(row, "difference"), CONTEXTS[row["context_condition"]]
    spoken, original, substituted = SPOKEN_LEANS[row["measure"]], row["original"], row["substituted"]
    numbers = f"{spoken_interval(facts, results.level)}; no difference: 0; {_items(row)}"
    scores = f"the {spoken}s of {row['line']} with {original} and with {substituted}"
    difference = f"difference {decimal(row['difference'])}"
    match row["verdict"]:
        case verdict if verdict == UNTESTED:
            text = f"{where} a difference between {scores} cannot be tested ({facts['reason']}); {difference}"
            text += f" ({_items(row)})."
        case verdict if verdict == UNCLEAR:
            text = f"{where} {scores} are not distinguishable: {difference} ({numbers}).{because(facts)}"
        case verdict:
            side = "higher" if verdict == ABOVE else "lower"
            text = (
                f"{where} the {spoken} of {row['line']} is {side} with {original} than with {substituted}: "
            )
            text += f"{difference} ({numbers})."
    return Finding(text, (facts,))


def _ratio(results: QaResults, row: Row) -> Finding:
    facts, where = evidence(row, "ratio"), CONTEXTS[row["context_condition"]]
    original, substituted, ratio = row["original"], row["substituted"], decimal(row["ratio"])
    numbers = f"{spoken_interval(facts, results.level)}; equal: 1; {_items(row)}"
    rates = f"the error rates of {row['line']} with {original} and with {substituted}"
    match row["verdict"]:
        case verdict if verdict == UNTESTED:
            text = f"{where} a difference between {rates} cannot be tested ({facts['reason']}); ratio {ratio}"
            text += f" ({_items(row)})."
        case verdict if verdict == UNCLEAR:
            text = f"{where} {rates} are not distinguishable: with {substituted} it is {ratio} times as high"
            text += f" ({numbers}).{because(facts)}"
        case verdict:
            side = "higher" if verdict == ABOVE else "lower"
            text = (
                f"{where} the error rate of {row['line']} is {side} with {substituted} than with {original}: "
                f"{ratio} times as high ({numbers})."
            )
    return Finding(text, (facts,))


def _items(row: Row) -> str:
    """'770 shared items, 12 items read in one of them only left out'."""
    left = row["n_left_out"]
    lonely = f", {plural(left, 'item')} read in one of them only left out" if left else ""
    return f"{plural(row['n_items'], 'shared item')}{lonely}"
