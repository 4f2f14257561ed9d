"""Numbers that need no model: counts of published tables, ratings, and what printed numbers imply about one another."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.curate.ratings import disagreement, read_ratings
from endoxa.errors import UserError
from endoxa.sources.frames import read_table
from endoxa.study.reproduce.catalogue import Key, Ours, PublishedResult, evaluate
from endoxa.study.reproduce.run import Inputs


def arithmetic(declared: PublishedResult, inputs: Inputs) -> Mapping[Key, Ours]:
    """The formula of each row of the CSV, made of other printed numbers of the same paper."""
    cells = declared.cells(inputs)
    return {
        cell.key: Ours(evaluate(row["ours"] or "")) for cell, row in zip(cells, declared.rows, strict=True)
    }


# ------------------------------------------------------------------ counts


def counts(declared: PublishedResult, inputs: Inputs) -> Mapping[Key, Ours]:
    """Rows of a table that hold a value, in number or percent, sizes of groups of rows, and words per cell."""
    settings = declared.settings
    rows = [*settings["counts"], *settings.get("groups", []), *settings.get("words", [])]
    columns = {name for row in rows for name in (*row.get("where", {}), *row.get("columns", []))}
    table = read_table(declared.need(inputs, *settings["files"]), tuple(sorted(columns)))
    number = table.height
    other = declared.other_size(number)
    computed: dict[Key, Ours] = {}
    for row in settings["counts"]:
        n = _matching(table, row.get("where", {})).height
        computed[row["table"], row["cell"]] = Ours.unless(
            100 * n / number if row.get("percent") else n, other
        )
    for row in settings.get("groups", []):
        sizes = _matching(table, row.get("where", {})).group_by(row["columns"]).len()["len"].to_list()
        repeated = sum(size > 1 for size in sizes)
        measures = {"distinct": len(sizes), "repeated": repeated, "largest": max(sizes, default=0)}
        computed[row["table"], row["cell"]] = Ours.unless(float(measures[row["measure"]]), other)
    for row in settings.get("absent", []):
        computed[row["table"], row["cell"]] = Ours(None, row["why"])
    for row in settings.get("words", []):
        lengths = [len(str(cell).split()) for column in row["columns"] for cell in table[column]]
        computed[row["table"], row["cell"]] = Ours.unless(sum(lengths) / len(lengths), other)
    return computed


def _matching(table: pl.DataFrame, where: Mapping[str, str]) -> pl.DataFrame:
    """Rows with these values, whatever their capitals; '*' is any value but an empty one."""
    for column, value in where.items():
        text = pl.col(column).fill_null("").str.strip_chars().str.to_lowercase()
        table = table.filter(text != "" if value == "*" else text == value.lower())
    return table


# ------------------------------------------------------------------ a survey and what came of it


def survey(declared: PublishedResult, inputs: Inputs) -> Mapping[Key, Ours]:
    """Stereotypes of reviewed statements by axis, rows of the augmentation, and who answered."""
    settings = declared.settings
    gold, answers = inputs.find(*settings["gold"]), inputs.find(*settings["survey"])
    if gold is None and answers is None:
        declared.need(inputs, *settings["gold"], *settings["survey"])
    people = _people(answers, settings["shares"]) if answers is not None else {}
    respondents = int(people["participants"]) if people else None
    computed: dict[Key, Ours] = {}
    if gold is not None:
        printed = {cell.key: cell.published for cell in declared.cells(inputs)}
        columns = ("respondent", "question", "status", "gold_identity_final", "gold_attribute")
        statements = read_table(gold, columns)
        other = declared.other_size(respondents or statements["respondent"].n_unique())
        for key, n in _stereotypes(statements, settings["axes"]).items():
            # The count of a part of the respondents is judged only where it exceeds the print for all of them.
            if other and n > (printed[key] or 0):
                computed[key] = Ours(n, f"{other} and already more than the print has of all")
            else:
                computed[key] = Ours.unless(n, other)
    for name, value in people.items():
        computed["Table 2", name] = Ours.unless(value, declared.other_size(respondents or 0))
    for cell in declared.cells(inputs):
        if cell.table == "Table 2" and cell.cell.startswith("Age, "):
            computed[cell.key] = Ours(None, "the file at hand has no ages")
    return computed | _augmentation(declared, inputs)


def _stereotypes(statements: pl.DataFrame, axes: Mapping[str, list[str]]) -> dict[Key, int]:
    """Distinct pairs of identity and attribute among the statements that reviewers kept, by axis."""
    kept = statements.filter(status="kept")
    numbers = {
        axis: kept.filter(pl.col("question").is_in(questions))
        .select("gold_identity_final", "gold_attribute")
        .unique()
        .height
        for axis, questions in axes.items()
    }
    numbers["Total"] = sum(numbers.values())
    return {("Table 5", f"{axis}, Pilot"): n for axis, n in numbers.items()}


def _augmentation(declared: PublishedResult, inputs: Inputs) -> dict[Key, Ours]:
    """Rows of the augmentation by axis."""
    axes, file = list(declared.settings["axes"]), declared.settings["augmentation"]
    path = inputs.find(file)
    if path is None:
        why = f"needs the augmentation ({file} with a column axis; {declared.settings['where']})"
        ours = dict.fromkeys([*axes, "Total"], Ours(None, why))
    else:
        rows = read_table(path, ("axis",))["axis"].fill_null("").str.to_lowercase().to_list()
        ours = {axis: Ours(rows.count(axis.lower())) for axis in axes} | {"Total": Ours(len(rows))}
    return {("Table 5", f"{axis}, Synthetic Augmentation"): value for axis, value in ours.items()}


def _people(path: Path, shares: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Participants, and percent of them by country and gender; several answers in a cell end with ' *'."""
    table = read_table(path, ("respondent",))
    people = {"participants": float(table.height)}
    for about, question in shares.items():
        column = next((name for name in table.columns if question["words"] in name), None)
        if column is None:
            raise UserError(
                f"{path} has no column about '{question['words']}'. Expected the survey with its own headers."
            )
        answers = [str(cell or "").split("*")[0].strip() for cell in table[column].to_list()]
        for name in question["answers"]:
            people[f"{about}, {name}, percent"] = 100 * answers.count(name) / table.height
    return people


# ------------------------------------------------------------------ ratings


def ratings(declared: PublishedResult, inputs: Inputs) -> Mapping[Key, Ours]:
    """Counts of a table of ratings, disagreement, topics, and mean ratings of insiders and others."""
    computed = dict(counts(declared, inputs))
    path = declared.need(inputs, *declared.settings["files"])
    topics = inputs.find("topics.csv")
    table = read_ratings(path, None if topics == path else topics)  # `--data FILE` is the release alone
    other = declared.other_size(read_table(path).height)
    values, missing = _topics(table) | _means(table), "the data do not say it (topic, sentiment)"
    disputed, undisputed = ("4.2", "4.3"), missing
    try:
        values |= _disagreement(disagreement.analyze_disagreement(table, resamples=100, seed=inputs.seed))
    except UserError as problem:
        undisputed = str(problem).rstrip(".")
    for cell in declared.cells(inputs):
        value, why = values.get(cell.cell), undisputed if cell.table in disputed else missing
        computed.setdefault(cell.key, Ours(value, why if value is None else other, not other))
    return computed


def _disagreement(found: disagreement.Disagreement) -> dict[str, float | None]:
    """Variances of ratings, and how much more disputed associations are about negative traits."""
    changes = dict(found.topics.select("topic", "relative_change").iter_rows())
    return {
        "skewness of the variances": found.skewness,
        "variance of 0, percent": 100 * found.zero,
        "third quartile of the variances below 1 (1: yes)": int(found.third_quartile < 1),
        "largest variance": float(found.pairs["variance"].to_numpy().max()),
        "relative change, Negative Traits, percent": changes.get("Negative Traits"),
    }


def _topics(table: pl.DataFrame) -> dict[str, float | None]:
    """Ratings of each topic, and percent of them by people of the group."""
    rows = table.group_by("topic").agg(
        n=pl.len(),
        inside=100 * pl.col("in_group").cast(pl.Float64).mean(),
    )
    values: dict[str, float | None] = {}
    for topic, n, inside in rows.iter_rows():
        values |= {f"{topic}, n": n, f"{topic}, IG, percent": inside}
    return values


def _means(table: pl.DataFrame) -> dict[str, float | None]:
    """Mean rating of each sentiment by people of the group and by others."""
    side = pl.when("in_group").then(pl.lit("in-group")).otherwise(pl.lit("out-group"))
    rows = (
        table.drop_nulls("in_group")
        .group_by(sentiment=pl.col("sentiment").str.to_lowercase(), side=side)
        .agg(pl.col("rating").mean())
    )
    return {f"{sentiment}, {side}": mean for sentiment, side, mean in rows.iter_rows()}
