"""The page about two versions of a set of pairs."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from endoxa.curate.pages import METHODS, page_of
from endoxa.report.claims import VERDICT, signed_ends
from endoxa.report.document import Finding, Section
from endoxa.report.frame import Page, write_page
from endoxa.report.inputs import Run
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, count, listed, percent, plural, signed
from endoxa.stats.verdicts import CLEAR
from endoxa.study.compare.editions.sets import PARTS, SAME, SetComparison

MOST_SHOWN = 500
MOST_OPEN = 40
WHOLE = "all pairs"


def headline(comparison: SetComparison) -> str:
    """Which pairs changed, as a sentence."""
    changed = [f"{count(n)} {part}" for part in PARTS if part != SAME and (n := comparison.count(part))]
    same = plural(comparison.count(SAME), "pair is", "pairs are")
    if not changed:
        return f"No pair changed: {same} the same."
    return f"{same[0].upper()}{same[1:]} the same; {listed(changed)}."


def figure_sentences(comparison: SetComparison) -> tuple[Finding, ...]:
    """What the changes of the set do to the figure of each model and rule."""
    findings = []
    for row in comparison.figures.filter(part=WHOLE).iter_rows(named=True):
        words = {"above": "rises", "below": "falls"}.get(row["verdict"], "moves")
        text = (
            f"{row['model']} ({row['rule']}): the share of pairs in which the stereotype is preferred {words} from "
            f"{percent(row['before'])} to {percent(row['after'])}"
        )
        if row["verdict"] not in CLEAR:
            text += (
                "; that is not clearly a change" if not row["reason"] else f" (not tested: {row['reason']})"
            )
        others = comparison.figures.filter(
            pl.col("model") == row["model"], pl.col("rule") == row["rule"], pl.col("part") != WHOLE
        )
        largest = others.sort(pl.col("effect").abs(), descending=True, maintain_order=True).row(0, named=True)
        if abs(largest["effect"]) >= 0.0005:
            text += (
                f". Most of it ({signed(largest['effect'])}) comes of pairs of the kind “{largest['part']}”"
            )
        findings.append(Finding(f"{text}.", (row, largest)))
    return tuple(findings)


def _pairs(comparison: SetComparison) -> Section:
    changed = comparison.pairs.filter(pl.col("change") != SAME)
    table = table_of(
        "Pairs that changed",
        changed.head(MOST_SHOWN),
        (
            text_field("change"),
            text_field("group", "identity", veiled=True),
            *(
                text_field(f"{words}, {name}", f"{kind}_{side}", veiled=True)
                for side, name in (("before", comparison.before), ("after", comparison.after))
                for kind, words in (("stereotype", "stereotype"), ("other", "other sentence"))
            ),
        ),
        most_open=MOST_OPEN,
    )
    counts = {part: comparison.count(part) for part in PARTS}
    return Section(
        "pairs", "Changed pairs", findings=(Finding(headline(comparison), (counts,)),), tables=(table,)
    )


def _figures(comparison: SetComparison) -> Section | None:
    if comparison.figures.is_empty():
        return None
    shown = comparison.figures.fill_nan(None)
    table = table_of(
        "Share of pairs in which the stereotype is preferred",
        shown,
        (
            text_field("model"),
            text_field("rule"),
            text_field("pairs", "part"),
            number_field(comparison.before, "before", percent),
            number_field("n before", "n_before"),
            number_field(comparison.after, "after", percent),
            number_field("n after", "n_after"),
            number_field("effect", "effect", signed),
            number_field("interval", lambda row: NO_VALUE if row["low"] is None else signed_ends(row)),
            VERDICT,
        ),
        stub=3,
    )
    notes = (
        "The effect of a part is how far its pairs are from those that stayed the same, in proportion to their share "
        "of the set; the effects of the parts add up to the change. Preferences are not calibrated.",
        "A difference among pairs that stayed the same means that the model or its settings changed, not the set.",
    )
    return Section(
        "figures",
        "What it does to a model's figure",
        findings=figure_sentences(comparison),
        tables=(table,),
        notes=notes,
    )


def set_page(comparison: SetComparison) -> Page:
    """The page about two versions of a set."""
    methods = Section(METHODS.anchor, METHODS.title, template="set_methods.html.j2", folded=True)
    subtitle = f"{comparison.before} and {comparison.after}."
    runs = [Run(path, {}) for path in comparison.paths]
    sections = (_figures(comparison), _pairs(comparison), methods)
    return page_of(__package__, runs, headline(comparison).removesuffix("."), subtitle, sections)


def write_set_page(comparison: SetComparison, output: Path) -> None:
    """Write the page."""
    write_page(set_page(comparison), output)
