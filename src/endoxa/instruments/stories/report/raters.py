"""Who rated harm, and how far raters agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from endoxa.instruments.stories.harm.panel import ALL_MODELS, BENIGN, HARMFUL, PEOPLE, THRESHOLD, UNDECIDED
from endoxa.instruments.stories.report.results import Harm, StoryResults, claim
from endoxa.instruments.stories.report.words import ASSOCIATION, P_ADJUSTED, ends_field, value_field
from endoxa.report.charts import heat_map
from endoxa.report.claims import VERDICT, cannot_be_tested, corrected, is_clear, signed_ends
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.tables import Table, table_of, text_field
from endoxa.report.words import NO_VALUE, count, decimal, decimal_interval, percent, plural, signed
from endoxa.sources.stereotales.associations import PARTS
from endoxa.stats.verdicts import ABOVE

FEWEST = 3
"""Raters from which a heat map says more than a table."""
CORRELATIONS = ("spearman", "pearson")
MOST_LISTED = 300
"""Associations in the table; the files of `endoxa analyze harm` have all."""


ENDS = ("", "_low", "_high")


def raters(results: StoryResults) -> Section | None:
    """What raters think overall, how they compare with people, and the heat map of their agreement."""
    if results.harm is None:
        return None
    harm = results.harm
    return Section(
        anchor="raters",
        title="Who rated harm, and do they agree",
        findings=(*_coverage(results, harm), *_findings(results, harm)),
        figures=tuple(_figures(results, harm)),
        tables=(
            table_of(
                "What each rater says, and how that compares with people",
                harm.analysis.raters,
                (
                    text_field("rater", lambda row: rater_label(results, row["rater"])),
                    value_field("associations"),
                    value_field("ratings"),
                    value_field("refused", "refused", percent),
                    value_field("not read", "unread", percent),
                    value_field("mean", "mean", decimal, 2),
                    value_field("rated 5", "at_maximum", percent),
                    value_field("minus people", "delta", signed, 2),
                    ends_field(f"{results.level} interval", "delta_"),
                    VERDICT,
                    P_ADJUSTED,
                    value_field("Spearman", "spearman", decimal, 2),
                    ends_field("interval", "spearman_"),
                    value_field("agreement", "agreement", percent),
                    ends_field("interval", "agreement_"),
                    value_field("kappa", "kappa", decimal, 2),
                ),
                notes=(
                    f"{NO_VALUE}: undefined, for instance where no person rated. Above: the model rates higher than "
                    "people; below: lower.",
                ),
            ),
            _summary(harm),
            _rated_table(results, harm),
        ),
        notes=(
            "Agreement is the share of associations that two raters both call harmful or both call benign. Where few "
            "are harmful, two raters who always say benign agree as well: kappa takes that off. Raters stand next to "
            "those they agree with most.",
            f"The {results.level} interval of a difference from people, and its verdict, take people and associations "
            "as samples: they say what other people would say of other associations. Intervals of correlations and of "
            "agreement draw associations anew and keep these raters.",
        ),
    )


def rater_label(results: StoryResults, rater: str) -> str:
    """A model's label; 'people' and 'all models' as they are."""
    return results.label(rater) if rater in results.names else rater


def models_spoken(results: StoryResults, rater: str) -> tuple[str, str]:
    """Who stands for models in a sentence, and the verb: 'Models', 'call', or 'plain', 'calls'."""
    return ("Models", "call") if rater == ALL_MODELS else (rater_label(results, rater), "calls")


def _findings(results: StoryResults, harm: Harm) -> Iterator[Finding]:
    general = pl.col("rater") == harm.together
    for row in harm.analysis.raters.filter(general & (pl.col("verdict") != "")).iter_rows(named=True):
        yield from _correlation(results, row)
        yield _difference(results, claim(row))
    yield from _medians(results, harm)
    if harm.judges != PEOPLE:
        yield Finding(
            "No person rated: what is called harmful here is what at least half of the models that rated call harmful."
        )


def _correlation(results: StoryResults, row: Mapping[str, Any]) -> Iterator[Finding]:
    """How the ratings of models and of these people go together; no claim about other people."""
    defined = [name for name in CORRELATIONS if row[name] is not None]
    if not defined:
        return
    who, _ = models_spoken(results, row["rater"])
    spoken = " and ".join(
        f"{name.capitalize()} {decimal(row[name], 2)}{_behind(row, name)}" for name in defined
    )
    columns = ("compared", "clusters", "confidence", *(f"{name}{end}" for name in defined for end in ENDS))
    yield Finding(
        f"Correlation of the mean ratings of {who if who != 'Models' else 'models'} with those of these "
        f"{plural(row['clusters'], 'person', 'people')}, over {plural(row['compared'], 'association')}: {spoken}.",
        ({name: row[name] for name in columns},),
    )


def _difference(results: StoryResults, row: Mapping[str, Any]) -> Finding:
    """Whether models rate higher or lower than people."""
    who, verb = models_spoken(results, row["rater"])
    rated = f"{plural(row['clusters'], 'person', 'people')}, {plural(row['compared'], 'association')}"
    apart = f"difference {signed(row['value'], 2)} points"
    if is_clear(row):
        more = "more" if row["verdict"] == ABOVE else "less"
        text = (
            f"{who} {verb} associations {more} harmful than people do: {apart} ({results.level} interval "
            f"{signed_ends(row, digits=2)}; {rated})."
        )
    elif cannot_be_tested(row):
        text = f"Whether {_inside(who)} and people differ in how harmful they find associations cannot be tested "
        text += f"({row['reason']})." + (f" With these raters: {apart} ({rated})." if row["compared"] else "")
    else:
        text = (
            f"The mean ratings of {_inside(who)} and people are not distinguishable: {apart} ({results.level} interval "
            f"{signed_ends(row, digits=2)}; {rated}).{corrected(row)}"
        )
    return Finding(text, (row,))


def _inside(who: str) -> str:
    """The same inside a sentence."""
    return "models" if who == "Models" else who


def _medians(results: StoryResults, harm: Harm) -> Iterator[Finding]:
    """For how many associations the interval of people's median decides."""
    rated = harm.analysis.associations.filter(pl.col("people_n").fill_null(0) > 0)
    if rated.is_empty():
        return
    words = {word: rated.filter(people_verdict=word).height for word in (HARMFUL, BENIGN, UNDECIDED)}
    harmful, benign, undecided = (count(number) if number else "none" for number in words.values())
    yield Finding(
        f"People rated {plural(rated.height, 'association')}. Taken one by one, the {results.level} interval of the "
        f"median lies entirely at {THRESHOLD:g} or above for {harmful} (harmful) and entirely below "
        f"{THRESHOLD:g} for {benign} (benign)"
        + (
            f"; {undecided} {'is' if words[UNDECIDED] == 1 else 'are'} undecided."
            if words[UNDECIDED]
            else "."
        ),
        ({"rated": rated.height, "threshold": THRESHOLD, "confidence": results.confidence, **words},),
    )


def _behind(row: Mapping[str, Any], name: str) -> str:
    """' (0.12 to 0.34)', or nothing where there is no interval."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return "" if low is None or high is None else f" ({decimal_interval(low, high, 2)})"


def _figures(results: StoryResults, harm: Harm) -> Iterator[Figure]:
    pairs = harm.analysis.agreement
    order = pairs.sort("place_a")["rater_a"].unique(maintain_order=True).to_list()
    if len(order) < FEWEST:
        return
    labels = {rater: rater_label(results, rater) for rater in order}
    frame = pairs.select(
        row=pl.col("rater_a").replace_strict(labels, return_dtype=pl.String),
        column=pl.col("rater_b").replace_strict(labels, return_dtype=pl.String),
        value="agreement",
    )
    apart = frame.filter(pl.col("row") != pl.col("column"))["value"].drop_nulls().to_list()
    least, most = min(apart, default=0.0), max(apart, default=1.0)
    yield Figure(
        name="agreement",
        title="Agreement on harmful or benign",
        chart=heat_map(
            frame, [labels[rater] for rater in order], domain=(min(0.5, least), 1.0), title="classified alike"
        ),
        alt=f"Agreement of {len(order)} raters, two at a time: from {percent(least, 0)} to {percent(most, 0)}.",
        wide=len(order) > 8,
    )


def _summary(harm: Harm) -> Table:
    return table_of(
        "Summary statistics of the ratings",
        harm.analysis.summary,
        (
            text_field("what", "name"),
            value_field("value", "value", decimal),
            ends_field("interval", digits=3),
            value_field("n"),
            text_field("method"),
        ),
        folded=True,
    )


def _rated_elsewhere(results: StoryResults, harm: Harm) -> pl.DataFrame:
    """The rated associations (`Harm.classes`) that are none of the page's, most harmful first."""
    others = harm.classes.join(results.associations, on=PARTS, how="anti", maintain_order="left")
    return others.sort("rating", descending=True, maintain_order=True)


def _coverage(results: StoryResults, harm: Harm) -> Iterator[Finding]:
    """How many of the page's associations were rated, and how many of those rated are not the page's."""
    others = _rated_elsewhere(results, harm).height
    if not others:
        return
    every = results.associations.height
    rated = results.associations.drop_nulls("harmful").height
    if every:
        was = "were" if rated > 1 else "was"
        yield Finding(
            f"{count(rated) if rated else 'None'} of {plural(every, 'association')} shown here {was} rated.",
            ({"rated": rated, "shown": every},),
        )
    were = "was" if others == 1 else "were"
    yield Finding(
        f"{plural(others, 'association')} {were} rated that the stories and tables of this page do not show.",
        ({"others": others},),
    )


def _rated_table(results: StoryResults, harm: Harm) -> Table:
    """The ratings of associations that the page does not show."""
    others = _rated_elsewhere(results, harm)
    left = others.height - MOST_LISTED
    return table_of(
        f"Rated, but not shown by stories here ({plural(others.height, 'association')})",
        others.head(MOST_LISTED),
        (ASSOCIATION, value_field("harm", "rating", decimal, 1), text_field("called", "harmful")),
        folded=True,
        notes=(f"{count(left)} more are in the files of endoxa analyze harm.",) if left > 0 else (),
    )
