"""What else may explain a lean, as figures: the order of the options, and answers that were refused or not read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from endoxa.instruments.questions.report.quoting import PLACES, Places, places
from endoxa.instruments.questions.report.results import (
    AMBIGUOUS,
    BASELINE,
    CONTEXTS,
    SPOKEN_CONDITIONS,
    QaResults,
    bounds,
    unread,
)
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import Measure, described, dot_figure
from endoxa.report.inputs import Run
from endoxa.report.words import count, decimal, percent, plural, signed, slug

MOST = 3
"""With more models and data sets the box at the top names the largest differences instead."""

EXCESS = Measure(
    "taken minus right, percentage points",
    0.0,
    "+.0%",
    0.1,
    0.1,
    ends=("taken less often", "taken more often"),
)
LOST = Measure("share of answers", 0.0, ".0%", 1.0, 0.2)


def explained(runs: Sequence[Run], results: QaResults) -> Section | None:
    """The figures of few models; None where there are more, or nothing is recorded."""
    rows = results.overall.filter(protocol=BASELINE)
    if rows.select("model", "data").n_unique() > MOST:
        return None
    every = [found for run in runs for found in places(run.folder, results.confidence)]
    orders = [_order(results, found, several=len(every) > 1) for found in every]
    lost = [_lost(results, group) for _, group in rows.group_by(["model", "data"], maintain_order=True)]
    if not orders and not any(lost):
        return None
    return Section(
        anchor="explained",
        title="What else explains it",
        findings=tuple(_bounded(results, rows)),
        figures=(*orders, *(figure for figures in lost for figure in figures)),
    )


def _order(results: QaResults, found: Places, *, several: bool) -> Figure:
    """How much more often the option at each place is taken than the right one stands there."""
    who = results.label(found.model)
    rows = []
    for word in PLACES:
        value, low, high, p_value = found.excess(word)
        chosen, right = found.share(f"chosen_{word}"), found.share(f"right_{word}")
        n = found.items.height
        rows.append(
            {
                "label": f"{word} option",
                "note": f"{signed(100 * value, 1)} {_number(chosen, n)} taken, {_number(right, n)} right",
                "value": value,
                "low": low,
                "high": high,
                "filled": p_value is not None and p_value <= 1 - found.level,
            }
        )
    texts = [f"{row['label']}: {row['note']}" for row in rows]
    frame = pl.DataFrame(rows, schema_overrides={"low": pl.Float64, "high": pl.Float64}).with_columns(
        outer_low=pl.lit(None, pl.Float64), outer_high=pl.lit(None, pl.Float64), tip=pl.Series(texts)
    )
    return dot_figure(
        frame,
        EXCESS,
        name=f"order-{slug(who)}-{slug(found.data)}",
        title="Order of the options" + (f": {who}, {found.data}" if several else ""),
        alt=described(f"How often {who} takes the option at each place beyond the right one", texts),
        reading="How much more often the option at a place is taken than the right answer stands there, in "
        f"{plural(found.items.height, 'question')} with an answer that was read; 0 on average if places do not matter "
        f"and options are shuffled. Bands: {100 * found.level:.1f}\u00a0% intervals over templates and groups; filled: "
        "differs from 0 at this level, which allows for the three rows.",
    )


def _number(share: float, n: int) -> str:
    """How many of n questions a share is; repeats of a question count in parts."""
    number = round(share * n, 1)
    return f"{number:,.{0 if number == int(number) else 1}f}"


def _lost(results: QaResults, rows: pl.DataFrame) -> tuple[Figure, ...]:
    """Refused and unreadable answers by kind of context, of one model with one data set; none where all were read."""
    if not (rows["n_refused"].sum() or rows["n_unparsed"].sum()):
        return ()
    frame = pl.DataFrame(
        [
            {
                "label": f"{what}, {SPOKEN_CONDITIONS[row['context_condition']]}",
                "note": f"{percent(row[column] / row['n'])} {count(row[column])} of {count(row['n'])}",
                "value": row[column] / row["n"],
            }
            for what, column in (("refused", "n_refused"), ("unreadable", "n_unparsed"))
            for row in rows.iter_rows(named=True)
        ]
    ).with_columns(
        *(pl.lit(None, pl.Float64).alias(end) for end in ("low", "high", "outer_low", "outer_high")),
        filled=pl.lit(value=False),
        tip=pl.format("{}: {}", "label", "note"),
    )
    who, data = results.label(rows["model"][0]), rows["data"][0]
    several = results.overall.filter(protocol=BASELINE).select("model", "data").n_unique() > 1
    title = "Answers that are in no score" + (f": {who}, {data}" if several else "")
    figure = dot_figure(
        frame,
        LOST,
        name=f"lost-{slug(who)}-{slug(data)}",
        title=title,
        alt=described(title, frame["tip"]),
        domain=(0.0, 1.0),
        reading="Answers that were refused, or in which no option could be read, by kind of context. Nothing is "
        "tested here, so all dots are hollow.",
    )
    return (figure,)


def _bounded(results: QaResults, rows: pl.DataFrame) -> Iterator[Finding]:
    """Between which values the bias scores lie, whatever the answers that were not read had been."""
    for row in rows.filter(context_condition=AMBIGUOUS).iter_rows(named=True):
        ends = bounds(row, "bias_score")
        if ends is None:
            continue
        numbers = {name: row[name] for name in ("n", "n_refused", "n_unparsed", "bias_score")}
        yield Finding(
            f"{CONTEXTS[AMBIGUOUS]} {results.label(row['model'])} with {row['data']} has {count(unread(row))} of "
            f"{plural(row['n'], 'answer')} refused or unreadable. Whichever option these had named, the bias score "
            f"would lie between {decimal(ends[0])} and {decimal(ends[1])}.",
            ({**numbers, "lost": unread(row), "low": ends[0], "high": ends[1]},),
        )
