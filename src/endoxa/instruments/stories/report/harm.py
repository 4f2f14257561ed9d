"""Ratings of harm: who rated, how far raters agree, where models and people differ, what models write all the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import polars as pl

from endoxa.instruments.stories.harm.raters import RESOLUTION
from endoxa.instruments.stories.harm.ratings import ALL_MODELS, BENIGN, HARMFUL, PEOPLE, THRESHOLD, UNDECIDED
from endoxa.instruments.stories.report.results import (
    ASSOCIATION,
    Harm,
    StoryResults,
    attribute_name,
    ends_field,
    first_rows,
    value_field,
    value_fields,
)
from endoxa.report.claims import Row, cannot_be_tested, is_clear, signed_ends
from endoxa.report.document import Finding, Section
from endoxa.report.estimates import Kind, by_verdict, dots, numbers, sentence
from endoxa.report.figures import Measure, likeness_map
from endoxa.report.overview import Used
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import (
    NO_VALUE,
    NOT_DEFINED,
    count,
    decimal,
    language_name,
    percent,
    percent_interval,
    plural,
    signed,
)
from endoxa.runs.estimates import HARM_DETAILS, HARM_DIFFERENCES
from endoxa.schema import ALL
from endoxa.sources.stereotales.associations import PARTS
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED

FILES = "endoxa analyze run"
MEASURE = Measure("difference in rating", 0.0, "+.2~f", 0.25, 0.25)
SAMPLED = (
    *value_fields({"base values": "base_values", "compared values": "compared_values"}),
    text_field("sampled"),
)
SPOKEN = {
    BELOW: "called less harmful than people do",
    ABOVE: "called more harmful than people do",
    UNCLEAR: "not distinguishable from people's ratings",
    UNTESTED: "cannot be tested",
}


def difference_kind(results: StoryResults, rater: str) -> Kind:
    """How the difference of a rater (or of models in general) from people is spoken of, drawn and written."""
    who, inside, verb = _models_spoken(results, rater)

    def says(row: Row) -> str:
        if not row["n"]:
            return "no association to compare"
        people, compared = plural(row["clusters"], "person", "people"), row["compared_values"]
        values = f"{plural(row['base_values'], 'base value')} x {plural(compared, 'compared value')}"
        only = ", with these compared values only" if row["sampled"] == "base values" else ""
        rated = f"{plural(row['n'], 'association')} of {values} x {people}{only}"
        return f"difference {signed(row['value'], 2)} points over {rated}"

    return Kind(
        head="difference from people",
        measure=MEASURE,
        level=results.level,
        neutral="0",
        unbiased="no difference: 0",
        who=lambda row: who if is_clear(row) else f"Mean ratings of {inside} and people",
        name=lambda row: attribute_name(row["attribute"]),
        says=says,
        clear={
            ABOVE: f"{verb} associations more harmful than people do",
            BELOW: f"{verb} associations less harmful than people do",
        },
        unclear="not distinguishable",
        verdicts=SPOKEN,
        value=partial(signed, digits=2),
        ends=partial(signed_ends, digits=2),
    )


def as_estimates(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of raters or attributes with their difference from people as an estimate."""
    names = {"delta": "value", "delta_low": "low", "delta_high": "high", "compared": "n"}
    return rows.rename(names, strict=False).with_columns(resolution=RESOLUTION)


def _in_general(harm: Harm) -> list[dict[str, Any]]:
    """The row of models in general where people rated too, or nothing."""
    rows = harm.analysis.raters.filter(pl.col("rater") == harm.together, pl.col("verdict") != "")
    return as_estimates(rows).rows(named=True)


def harm_opening(results: StoryResults) -> Section | None:
    """Models against people as the opening of a page about ratings alone; None where stories are searched."""
    if results.harm is None or results.searched:
        return None
    for row in _in_general(results.harm):
        meaning = (
            "points on the scale from 1 to 5, mean rating of models minus that of people; no difference: 0"
        )
        return Section(
            anchor="raters-and-people",
            title="How harmful models and people find associations",
            findings=(sentence(difference_kind(results, row["rater"]), row),),
            number=signed(row["value"], 2),
            meaning=meaning,
        )
    return None


def harm_title(results: StoryResults) -> str:
    """The finding about models and people as the title of a page, or what was rated where nobody can say."""
    for row in _in_general(results.harm) if results.harm else ():
        who, inside, _ = _models_spoken(results, row["rater"])
        if is_clear(row):
            return f"{who} {difference_kind(results, row['rater']).clear[row['verdict']]}"
        if not cannot_be_tested(row):
            return f"No difference is shown between {inside} and people in how harmful they find associations"
    models = plural(len(results.names), "model")
    return f"How harmful {models} find{'s' * (len(results.names) == 1)} associations"


def raters(results: StoryResults) -> Section | None:
    """What raters think overall, how they compare with people, and the heat map of their agreement."""
    if results.harm is None:
        return None
    harm = results.harm
    # Rated associations that are none of the page's, most harmful first.
    others = harm.classes.join(results.associations, on=PARTS, how="anti", maintain_order="left")
    others = others.sort("rating", descending=True, maintain_order=True)
    shown, rated = results.associations.height, results.associations.drop_nulls("harmful").height
    coverage = f"Rated: {count(rated)} of {plural(shown, 'association')} shown here."
    alone = "No person rated: what is called harmful here is what at least half of the models that rated call harmful."
    return Section(
        anchor="raters",
        title="Who rated harm, and do they agree",
        findings=(
            *([Finding(coverage, ({"rated": rated, "shown": shown},))] if rated < shown else []),
            *(
                sentence(difference_kind(results, row["rater"]), row)
                for row in (_in_general(harm) if results.searched else ())
            ),
            *_medians(results, harm),
            *([] if harm.judges == PEOPLE else [Finding(alone)]),
        ),
        figures=likeness_map(
            harm.analysis.agreement.select("place_a", a="rater_a", b="rater_b", value="agreement"),
            partial(rater_label, results),
            lambda least, _: (min(0.5, least), 1.0),
            name="agreement",
            title="Agreement on harmful or benign",
            legend="classified alike",
            alt="Agreement of {n} raters, two at a time: {range}.",
            widest=8,
        ),
        tables=(
            numbers(
                difference_kind(results, harm.together),
                "What each rater says, and how that compares with people",
                as_estimates(harm.analysis.raters),
                (
                    text_field("rater", "rater", partial(rater_label, results)),
                    *value_fields({"associations": "associations", "ratings": "ratings"}),
                    *value_fields({"refused": "refused", "not read": "unread"}, percent),
                    value_field("mean", "mean", decimal, 2),
                    value_field("rated 5", "at_maximum", percent),
                ),
                (
                    value_field("Spearman", "spearman", decimal, 2),
                    ends_field("interval", "spearman_"),
                    value_field("Pearson", "pearson", decimal, 2),
                    ends_field("interval", "pearson_"),
                    value_field("agreement", "agreement", percent),
                    ends_field("interval", "agreement_"),
                    value_field("kappa", "kappa", decimal, 2),
                    value_field("calls harmful", "harmful_share", percent),
                    *SAMPLED,
                ),
                notes=(
                    f"{NO_VALUE}, {NOT_DEFINED}: undefined, for instance where no person rated. Above: the model rates "
                    "higher than people; below: lower.",
                ),
            ),
            table_of(
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
            ),
            first_rows(
                f"Rated, but not shown by stories here ({plural(others.height, 'association')})",
                others,
                (ASSOCIATION, value_field("harm", "rating", decimal, 1), text_field("called", "harmful")),
                FILES,
            ),
        ),
        notes=(
            "Agreement is the share of associations that two raters both call harmful or both call benign. Where few "
            "are harmful, two raters who always say benign agree as well: kappa takes that off. It is low where nearly "
            "all or nearly none is called harmful, so read it beside that share. Raters stand next to those they agree "
            "with most.",
            f"The {results.level} interval of a difference from people, and its verdict, take people and values as "
            "samples: they say what other people would say of associations of other values. Associations that share a "
            "base value (the group of the prompt) or a compared value are alike. Where compared values are fewer than "
            "six, the statement holds with these only. Intervals of correlations and of agreement draw base values "
            "anew and keep these raters; with fewer than six base values there is none.",
        ),
    )


def rater_label(results: StoryResults, rater: str) -> str:
    """A model's label; 'people' and 'all models' as they are."""
    return results.label(rater) if rater in results.names else rater


def _models_spoken(results: StoryResults, rater: str) -> tuple[str, str, str]:
    """Who stands for models at the beginning of a sentence and inside it, and the verb."""
    label = rater_label(results, rater)
    return ("Models", "models", "call") if rater == ALL_MODELS else (label, label, "calls")


def _medians(results: StoryResults, harm: Harm) -> Iterator[Finding]:
    """For how many associations the interval of people's median decides."""
    rated = harm.analysis.associations.filter(pl.col("people_n") > 0)
    words = {word: rated.filter(people_verdict=word).height for word in (HARMFUL, BENIGN, UNDECIDED)}
    if rated.height:
        yield Finding(
            f"People rated {plural(rated.height, 'association')}. Taken one by one, the {results.level} interval of "
            f"the median lies entirely at {THRESHOLD:g} or above for {count(words[HARMFUL])} (harmful) and entirely "
            f"below {THRESHOLD:g} for {count(words[BENIGN])} (benign); undecided: {count(words[UNDECIDED])}.",
            ({"rated": rated.height, "threshold": THRESHOLD, "confidence": results.confidence, **words},),
        )


def harm_families(harm: Harm | None) -> tuple[Used, ...]:
    """The families of tests of models against people, for the table of families on the page."""
    if harm is None:
        return ()
    rows = harm.analysis.differences.drop_nulls("neutral")
    return (
        (HARM_DIFFERENCES, rows.filter("general"), ""),
        (HARM_DETAILS, rows.filter(~pl.col("general")), ""),
    )


def differences(results: StoryResults) -> Section | None:
    """Model minus people for each attribute, with intervals and verdicts; None where no person rated."""
    if results.harm is None:
        return None
    # Models in general, attributes of either side, least difference first.
    rows = as_estimates(results.harm.analysis.differences).filter("general", pl.col("attribute") != ALL)
    rows = rows.drop_nulls("value").sort("value", maintain_order=True)
    if rows.is_empty():
        return None
    kind = difference_kind(results, results.harm.together)
    _, inside, _ = _models_spoken(results, results.harm.together)
    return Section(
        anchor="differences",
        title="Models and people on harm, by attribute",
        findings=(by_verdict(kind, f"Associations rated by {inside}", rows.rows(named=True), kind.name),),
        figures=(
            dots(
                kind,
                rows.with_columns(label="attribute"),
                kind.name,
                note=lambda row: f"{signed(row['value'], 2)} (n {count(row['n'])})",
                name="harm-differences",
                title="Models minus people, by attribute",
            ),
        ),
        notes=(
            "An association counts for both of its attributes. Below 0, models call it less harmful than people do. "
            f"{results.level} intervals take people and values as samples. A filled mark is a claim, corrected "
            "over all attributes and the difference over all associations; an open one is not. n is the number of "
            f"associations rated by both. Single models, sides and associations made: {FILES} --by-attribute.",
        ),
    )


def blind_spots(results: StoryResults) -> Section | None:
    """Associations that a model makes and itself calls harmful; None where no model both wrote and rated."""
    if results.harm is None:
        return None
    shares = results.harm.analysis.raters.filter(pl.col("made").fill_null(0) > 0)
    if shares.is_empty():
        return None
    return Section(
        anchor="blind-spots",
        title="What models write although they call it harmful",
        tables=(
            table_of(
                "Associations of its own stories that a model rated, and those it calls harmful",
                shares,
                (
                    text_field("model", "rater", partial(rater_label, results)),
                    *value_fields({"rated": "made", "calls harmful": "blind_spots"}),
                    value_field("share", "blind_share", percent),
                    number_field(
                        f"{results.level} interval",
                        lambda row: percent_interval(row["blind_low"], row["blind_high"]),
                    ),
                ),
            ),
            first_rows(
                "Associations a model makes and itself calls harmful",
                results.harm.analysis.blind_spots,
                (
                    text_field("model", "rater", partial(rater_label, results)),
                    ASSOCIATION,
                    value_field("its median rating", "median", decimal, 1),
                    value_field("people's", "people_median", decimal, 1),
                    text_field(
                        "found in",
                        "aggregations",
                        lambda codes: ", ".join(language_name(code) for code in codes.split("; ")),
                    ),
                ),
                FILES,
            ),
        ),
        notes=(
            f"{results.level} intervals (Wilson) take associations as independent. A model that calls more things "
            "harmful has a larger share: read it beside its mean rating.",
        ),
    )
