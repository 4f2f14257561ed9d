"""`endoxa analyze agreement` and `ratings`: what people voted, rated and said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import polars as pl
from annotated_types import Ge, Le

from endoxa.author.tables import is_labels, label_votes
from endoxa.commands.verbs import TABLES, Outcome, argument, note, table_option
from endoxa.curate import agreement as votes_of
from endoxa.curate import topics as topic_analyses
from endoxa.curate.agreement import prevalence_note, read_groups, read_votes
from endoxa.curate.novelty import dataset_names
from endoxa.curate.ratings import in_folder, read_ratings
from endoxa.curate.ratings.disagreement import Disagreement, analyze_disagreement
from endoxa.curate.ratings.leniency import DIFFERENCE, Leniency, analyze_leniency, basis
from endoxa.curate.review.returned import is_sheet, read_sheets, votes
from endoxa.curate.topics import NO_TOPIC
from endoxa.errors import UserError
from endoxa.report.claims import VERDICT
from endoxa.report.tables import headline_of, interval_field, number_field, text_field
from endoxa.report.words import decimal, decimal_interval, percent, percent_interval, plural
from endoxa.runs.options import DEFAULT_CONFIDENCE, DEFAULT_RESAMPLES, Confidence, Resamples, Seed
from endoxa.schema.headline import Headline
from endoxa.schema.options import ANALYSIS, DATA, Option, names
from endoxa.sources.files import require_file
from endoxa.sources.layouts import ratings_layout
from endoxa.sources.tables import table_columns
from endoxa.stats.verdicts import NO_QUESTION

MOST_NAMED = 6
"""Raters that a row of the terminal names."""


def agreement(
    files: Annotated[tuple[Path, ...], argument(metavar="FILE...")],
    *,
    out: Annotated[Path, table_option("Coefficients")],
    value: Annotated[
        str | None, Option(group=DATA, metavar="COLUMN", default="decision in sheets, else value, vote, ...")
    ] = None,
    item: Annotated[str | None, Option(group=DATA, metavar="COLUMN", default="item, or the first")] = None,
    rater: Annotated[str, Option(group=DATA, metavar="COLUMN")] = "rater",
    raters: Annotated[
        tuple[str, ...] | None, Option(group=DATA, metavar="A,B,...", default="all others", parse=names)
    ] = None,
    group: Annotated[str | None, Option(group=DATA, metavar="COLUMN", default="group, if any")] = None,
    level: Annotated[Literal["nominal", "ordinal", "interval", "ratio"], Option(group=ANALYSIS)] = "nominal",
    order: Annotated[tuple[str, ...] | None, Option(group=ANALYSIS, metavar="A,B,...", parse=names)] = None,
    confidence: Confidence = DEFAULT_CONFIDENCE,
    seed: Seed = 0,
    resamples: Annotated[int, Ge(1), Option(group=ANALYSIS)] = DEFAULT_RESAMPLES,
) -> Outcome:
    """Compute agreement between raters: percent, Cohen's and Fleiss' kappa, Krippendorff's alpha.

    \b
    Examples:
      endoxa analyze agreement ana.xlsx ben.xlsx -o agreement.csv
      endoxa analyze agreement ana.xlsx ben.xlsx -o agreement.csv --value attribute
      endoxa analyze agreement votes.csv -o agreement.csv
      endoxa analyze agreement topics.csv check.csv -o agreement.csv
      endoxa analyze agreement votes.csv -o agreement.csv --item statement_id --rater who --value vote
      endoxa analyze agreement ratings.csv -o agreement.csv --level ordinal --order never,sometimes,always

    Options:
        files: Review sheets of several reviewers, tables of votes, or labels of author label and the sheet of a
            person.
        value: Column of the votes.
        item: Column of the items.
        rater: Column of the rater, in a long table.
        raters: Columns of votes, in a wide table.
        group: Column of the raters' groups, in a long table.
        level: Level of measurement, for Krippendorff's alpha.
        order: Ordered categories, for --level ordinal.
        resamples: Most items left out singly.
    """  # noqa: D301
    cast = _votes(files, value=value, item=item, rater=rater, raters=raters)
    groups = _groups(files, rater, group)
    ordered = None if order is None else list(order)
    ballots = votes_of.ballots_from_votes(cast, ordered)
    tables, lines = [], []
    for name in (None, *sorted(set(groups.values()))):
        votes = cast if name is None else [vote for vote in cast if groups.get(vote[1]) == name]
        if name is not None and len({who for _, who, vote in votes if vote.strip()}) < 2:
            lines.append(f"Group '{name}': fewer than two raters voted, so nothing can agree.")
            continue
        coefficients = votes_of.agreement(
            votes_of.ballots_from_votes(votes, ordered),
            level=level,
            confidence=confidence,
            resamples=resamples,
            seed=seed,
        )
        tables.append(coefficients.with_columns(pl.lit(name or "all").alias("group")))
    agreements = pl.concat(tables) if groups else pl.concat(tables).drop("group")
    return Outcome(
        (
            *lines,
            *agreement_lines(agreements),
            f"{len(ballots.items)} items, {len(ballots.raters)} raters, categories: "
            f"{', '.join(ballots.categories[:12])}" + (", ..." if len(ballots.categories) > 12 else ""),
            f"{len(agreements)} coefficients written to {out}",
        ),
        {"out": agreements},
        facts={"out": str(out), "rows": agreements.fill_nan(None).to_dicts()},
    )


def agreement_lines(agreements: pl.DataFrame) -> Iterator[str | Headline]:
    """The coefficients, with the share of agreeing pairs and the commonest vote; an undefined one is a dash."""

    def coefficient(row: Mapping[str, Any]) -> str:
        level = "" if row["level"] == "nominal" else f" ({row['level']})"
        return f"{row['name'].replace('_', ' ')}{level}"

    def raters(listed: str) -> str:
        number = listed.count(";") + 1
        return listed if number <= MOST_NAMED else f"{number} raters"

    yield headline_of(
        "Agreement (0 = chance level, 1 = perfect; agreed: share of agreeing pairs)",
        agreements.fill_nan(None),
        (
            text_field("coefficient", coefficient),
            "group" if "group" in agreements.columns else None,
            text_field("raters", shown=raters),
            number_field("items", "n"),
            "value",
            interval_field(digits=2),
            number_field("agreed", shown=partial(percent, digits=0)),
            text_field("commonest"),
        ),
    )
    for row in agreements.filter(agreements["value"].is_nan()).iter_rows(named=True):
        yield f"{row['name']} ({row['raters']}): {row['method']}"
    yield from prevalence_note(agreements)


def _votes(
    files: Sequence[Path], *, value: str | None, item: str | None, rater: str, raters: Sequence[str] | None
) -> list[tuple[str, str, str]]:
    """Votes from review sheets or from tables, but not from both.

    Raises:
        UserError: review sheets and tables of votes are mixed.
    """
    if len(files) == 2 and all(map(is_labels, files)):
        return label_votes(*files)
    sheets = [path for path in files if is_sheet(path)]
    if sheets and len(sheets) < len(files):
        other = next(path for path in files if path not in sheets)
        raise UserError(
            f"{sheets[0]} is a review sheet, but {other} is not. Give either review sheets or tables of votes."
        )
    if sheets:
        return list(votes(read_sheets(files), value or "decision"))
    return [
        vote
        for path in files
        for vote in read_votes(
            path, item=item, rater=rater, value=value, raters=None if raters is None else list(raters)
        )
    ]


def _groups(files: Sequence[Path], rater: str, group: str | None) -> dict[str, str]:
    """The group of each rater, of tables that name two groups or more."""
    groups: dict[str, str] = {}
    for path in files:
        if not is_sheet(path) and not is_labels(path):
            groups |= read_groups(path, rater, group)
    return groups if group or len(set(groups.values())) > 1 else {}


def ratings(
    files: Annotated[tuple[Path, ...], argument(metavar="FILE...")],
    *,
    out: Annotated[Path, TABLES],
    topics: Annotated[Path | None, Option(group=DATA)] = None,
    quantile: Annotated[float, Ge(0.5), Le(0.99), Option(group=ANALYSIS)] = 0.8,
    ties: Annotated[Literal["low", "split"], Option(group=ANALYSIS)] = "low",
    confidence: Confidence = DEFAULT_CONFIDENCE,
    seed: Seed = 0,
    resamples: Resamples = DEFAULT_RESAMPLES,
) -> Outcome:
    """Analyze what people rated and said: topics in dispute, leniency towards the own group, frequency of topics.

    Of ratings: disagreement.csv (associations are split at a quantile of the variance of their ratings; verdicts
    compare associations of about the same mean rating, words as units) and, where ratings say whether the rater is of
    the group, leniency.csv (verdicts within associations and raters, both as samples).
    Of associations that people said, with topics: topics.csv (a row counts once, or `support` times). A campaign's
    export has both.

    \b
    Examples:
      endoxa analyze ratings export -o ratings
      endoxa analyze ratings ratings.csv --topics topics.csv -o ratings
      endoxa analyze ratings said.csv --topics labels.csv -o topics.csv
      endoxa analyze ratings export-2025 export-2026 --topics labels.csv -o topics.csv

    Options:
        files: Exports of a campaign (folders), tables of ratings (identity, attribute, rating), or tables of
            associations.
        topics: Topics: attribute (and identity or association_id), topic, perhaps sentiment; or labels of author
            label.
        quantile: Share of associations in the low-variance group.
        ties: Where equal variances go: low, or split at random.
    """  # noqa: D301
    rated = [path for path in files if _is_rated(path)]
    statements = [path for path in files if path not in rated or path.is_dir()]
    headlines: list[Headline] = []
    tables: dict[str, pl.DataFrame | None] = {}
    if len(files) == 1 and rated:
        given = read_ratings(rated[0], topics)
        how: dict[str, Any] = {"confidence": confidence, "seed": seed, "resamples": resamples}
        with_group = given["in_group"].is_not_null().any()
        try:
            disputed = analyze_disagreement(given, quantile=quantile, ties=ties, **how)
            headlines.append(_disagreement_headline(disputed, quantile, ties))
            tables |= {"disagreement": disputed.topics, "disagreement_pairs": disputed.pairs}
        except UserError as problem:  # too few ratings for it
            if not with_group:
                raise
            note(str(problem))
        if with_group:
            compared = analyze_leniency(given, **how)
            headlines.append(_leniency_headline(compared))
            tables["leniency"] = compared.cells
    elif rated and not statements:
        raise UserError("Ratings of several files are not pooled. Analyze them one by one.")
    if statements and (topics is not None or not tables or _has_topics(statements)):
        counted, headline = _counted(statements, topics, confidence)
        headlines.append(headline)
        tables["topics"] = counted
    return Outcome(headlines, tables, headlines[0])


def _is_rated(path: Path) -> bool:
    """Whether a table, or the export of a campaign, holds ratings of associations."""
    if path.is_dir():
        return in_folder(path, "ratings") is not None
    require_file(path)
    columns = set(table_columns(path))
    return bool({"rating", "value"} & columns) or ratings_layout(columns) is not None


def _disagreement_headline(disputed: Disagreement, quantile: float, ties: str) -> Headline:
    return headline_of(
        "Relative change: how much more common a topic is among the disputed associations",
        disputed.topics.fill_nan(None),
        (
            "topic",
            *("n_low", number_field("share", "share_low", partial(percent, digits=0))),
            *("n_high", number_field("share", "share_high", partial(percent, digits=0))),
            number_field("change (%)", "relative_change", partial(decimal, digits=0)),
            interval_field(digits=0),
            "rank",
            VERDICT,
        ),
        notes=(
            "Verdicts are of the rank: variances beyond what is usual at that mean rating (0.5), topics permuted over "
            "words.",
            f"{plural(disputed.pairs.height, 'association')} with two ratings or more ({disputed.left_out} with one "
            f"left out); {disputed.high} above the quantile {quantile:g} (variance {disputed.threshold:.2f}; "
            f"{disputed.ties} exactly there, {'in the low group' if ties == 'low' else 'split at random'}).",
            f"Variances: skewness {decimal(disputed.skewness, 2)} (adjusted {decimal(disputed.skewness_adjusted, 2)}), "
            f"{percent(disputed.zero)} are zero, three quarters lie at or below {disputed.third_quartile:.2f}.",
        ),
    )


def _leniency_headline(compared: Leniency) -> Headline:
    """Means with their intervals; a difference is adjusted, and has the interval of that."""

    def spoken(row: Mapping[str, Any], key: str) -> Any:
        return row[key if row["verdict"] == NO_QUESTION else f"adjusted_{key}"]

    rows = compared.cells.fill_nan(None).with_columns(adjusted_mean="adjusted").to_dicts()
    notes = [f"{row['sentiment']}: {basis(row)}" for row in rows if row["perspective"] == DIFFERENCE]
    if compared.left_out:
        notes.append(f"{plural(compared.left_out, 'rating')} without in_group left out.")
    return headline_of(
        "Mean rating by people of the group and by others, and their adjusted difference",
        rows,
        (
            *("sentiment", "perspective", number_field("ratings", "n")),
            number_field("mean", lambda row: decimal(spoken(row, "mean"), 2)),
            number_field(
                "interval", lambda row: decimal_interval(spoken(row, "low"), spoken(row, "high"), 2)
            ),
            VERDICT,
        ),
        compared.cells.to_dicts(),
        notes=notes,
    )


def _has_topics(files: Sequence[Path]) -> bool:
    """Whether every table has topics of its own."""
    return all(path.is_file() and "topic" in table_columns(path) for path in files)


def _counted(files: Sequence[Path], topics: Path | None, confidence: float) -> tuple[pl.DataFrame, Headline]:
    """The topics of each data set: frequency, in-group and out-group share, most frequent association."""
    mentions = [
        topic_analyses.read_mentions(path, topics, name)
        for path, name in zip(files, dataset_names(files), strict=True)
    ]
    counted = topic_analyses.analyze_topics(pl.concat(mentions), confidence=confidence)
    unknown = [
        f"{part['in_group'].null_count()} of {plural(part.height, 'mention')} of {path} left out of the in-group "
        "share: the countries of few people are not exported."
        for path, part in zip(files, mentions, strict=True)
        if path.is_dir() and part["in_group"].null_count()
    ]
    return counted, _topics_headline(counted, unknown)


def _topics_headline(counted: pl.DataFrame, unknown: Sequence[str]) -> Headline:

    rows, without = counted.filter(pl.col("topic") != NO_TOPIC), counted.filter(topic=NO_TOPIC)
    drafts, in_groups = rows["n_draft"].sum(), rows["in_group_share"].count() > 0
    notes = [
        f"{plural(n, 'association')} of {name} without a topic left out."
        for name, n in without["dataset", "n"].rows()
    ]
    if drafts:
        notes.append(f"{drafts:,} of {rows['n'].sum():,} have labels of models that nobody has approved.")
    frequent = pl.concat_str("most_frequent_identity", "most_frequent_attribute", separator=": ")
    return headline_of(
        f"Topics: how often they come up{', and the share said by people of the group' if in_groups else ''}",
        rows.with_columns(most_frequent=frequent.str.strip_prefix(": ")),
        (
            "dataset" if rows["dataset"].n_unique() > 1 else None,
            *("topic", "n", number_field("share", shown=partial(percent, digits=0))),
            interval_field(shown=percent_interval, digits=0),
            number_field("in-group", "in_group_share", percent) if in_groups else None,
            *("most_frequent", number_field("times", "most_frequent_n")),
        ),
        counted.to_dicts(),
        notes=(*notes, *unknown),
    )
