"""`endoxa analyze harm`: harm ratings of people and models, and their differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from endoxa.commands.verbs import Outcome, argument, note, table
from endoxa.runs.options import Resampling
from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from endoxa.instruments.stories.harm import HarmAnalysis


def harm(
    runs: Annotated[
        tuple[Path, ...],
        argument("Run folders of `endoxa probe harm`; or people's ratings (FILE).", metavar="RUN"),
    ] = (),
    *,
    out: Annotated[
        Path, Option("Associations: .csv, .tsv, .jsonl or .parquet.", OUTPUT, table=True, short="-o")
    ],
    human: Annotated[
        tuple[Path, ...], Option("People's ratings: rater, harm, frequent; repeatable.", DATA)
    ] = (),
    associations: Annotated[Path | None, Option("Associations by model, to find blind spots.", DATA)] = None,
    alias: Annotated[
        tuple[str, ...],
        Option("Model name of a rater in --associations; repeatable.", DATA, metavar="RATER=MODEL"),
    ] = (),
    threshold: Annotated[float, Option("Minimum median rating of a harmful association.", ANALYSIS)] = 4.0,
    scores: Annotated[
        Path | None, Option("Also write the scores of each rater for each association.", OUTPUT, table=True)
    ] = None,
    raters: Annotated[
        Path | None, Option("Also write the comparison of each rater with people.", OUTPUT, table=True)
    ] = None,
    agreement: Annotated[
        Path | None, Option("Also write agreement for every pair of raters.", OUTPUT, table=True)
    ] = None,
    by_attribute: Annotated[
        Path | None,
        Option("Also write differences between models and people by attribute.", OUTPUT, table=True),
    ] = None,
    blind_spots: Annotated[
        Path | None,
        Option("Also write associations that a model rates harmful but makes itself.", OUTPUT, table=True),
    ] = None,
    summary: Annotated[Path | None, Option("Also write summary statistics.", OUTPUT, table=True)] = None,
    how: Resampling,
) -> Outcome:
    """Compare harm ratings of people and models, and find associations that models make but rate harmful.

    Give run folders of `endoxa probe harm`, tables of people's ratings, or both. A table of people's ratings has one
    rating per row: the four parts of the association (or its association_id), rater, harm (1 to 5), frequent. Rows
    whose column counts is false, as `endoxa collect task export` marks those of excluded raters, are left out. Raters
    and associations are both treated as samples; differences between models and people are tested with six people or
    more.

    \b
    Examples:
      endoxa analyze harm out/harm -o harm.csv
      endoxa analyze harm out/harm --human panel.csv -o harm.csv --raters raters.csv --by-attribute delta.csv
      endoxa analyze harm out/harm --human panel.csv --associations assoc.csv -o harm.csv --blind-spots blind.csv
      endoxa analyze harm panel.csv --threshold 3.5 -o harm.csv
    """  # noqa: D301
    from endoxa.instruments.stories.harm import analyze_harm
    from endoxa.runs.progress import shown
    from endoxa.sources.stereotales.associations import read_associations

    folders = [path for path in runs if not path.is_file()]
    human = (*(path for path in runs if path.is_file()), *human)
    made = None if associations is None else read_associations(associations)
    with shown("pairs of raters") as progress:
        analysis = analyze_harm(
            _ratings(folders, human, made),
            made,
            threshold=threshold,
            aliases=_aliases(alias),
            progress=progress,
            **asdict(how),
        )
    others = ("scores", "raters", "agreement", "by_attribute", "blind_spots", "summary")
    return Outcome(
        (*_harm_lines(analysis), f"{len(analysis.associations)} associations written to {out}"),
        {"out": analysis.associations, **{name: getattr(analysis, name) for name in others}},
    )


def _ratings(runs: Sequence[Path], human: Sequence[Path], made: pl.DataFrame | None) -> pl.DataFrame:
    """All ratings of models and people in one table.

    Raises:
        UserError: neither runs nor people's ratings were given, or a table is invalid.
    """
    import polars as pl

    from endoxa.errors import UserError
    from endoxa.instruments.stories.harm import load_ratings, read_human, unmatched
    from endoxa.sources.stereotales.associations import PARTS

    if not runs and not human:
        raise UserError(
            "No ratings were given. Give run folders of `endoxa probe harm`, people's ratings (--human FILE), or both."
        )
    of_models = [load_ratings(runs)] if runs else []
    named = [frame.select("association_id", *PARTS) for frame in of_models]
    frames = [*named, *([] if made is None else [made])]
    by_name = pl.concat(frames, how="diagonal") if frames else None
    of_people = [read_human(path, by_name) for path in human]
    strange = unmatched(pl.concat(of_people), by_name) if of_people else 0
    if strange:
        note(
            f"{strange} associations rated by people are neither in the runs nor in --associations and are not "
            "compared. Check that the values are spelled the same."
        )
    return pl.concat([*of_models, *of_people])


def _aliases(given: Sequence[str]) -> dict[str, str]:
    """Read RATER=MODEL, split at the last '=' because names of simulated raters may contain '='.

    Raises:
        UserError: an alias has another form, or a rater appears twice.
    """
    from endoxa.errors import UserError

    aliases: dict[str, str] = {}
    for text in given:
        rater, sign, model = text.rpartition("=")
        if not sign or not rater or not model:
            raise UserError(
                f"--alias: '{text}' is invalid. Expected RATER=MODEL: a rater, and the model's name in --associations."
            )
        if rater in aliases:
            raise UserError(f"--alias: the rater '{rater}' appears twice. Give each rater one model.")
        aliases[rater] = model
    return aliases


def _harm_lines(analysis: HarmAnalysis) -> Iterator[str | Table]:
    """The raters and the summary statistics."""
    from endoxa.report.claims import chip

    rows = [
        (
            row["rater"],
            str(row["associations"]),
            _number(row["mean"], 2),
            _with_interval(row, "delta"),
            chip(row),
            *(_with_interval(row, name) for name in ("spearman", "agreement")),
            "-" if row["made"] is None else f"{row['blind_spots']} of {row['made']}",
        )
        for row in analysis.raters.iter_rows(named=True)
    ]
    yield table(
        "Raters (harm from 1 to 5; delta: model - people; agreement on harmful or benign)",
        ("rater", "rated", "mean", "delta", "verdict", "rank corr.", "agreement", "blind spots"),
        rows,
        wrap=True,
    )
    for row in analysis.summary.iter_rows(named=True):
        interval = "" if row["low"] is None else f" ({row['low']:z.3f} to {row['high']:z.3f})"
        reason = f" ({row['reason']})" if row["reason"] else ""
        verdict = f": {chip(row)}{reason}" if row["verdict"] else ""
        yield f"{row['name']}: {_number(row['value'], 3)}{interval}, n = {row['n']}{verdict}"
    yield "Intervals condition on these raters, except those of delta, which also resample people."


def _with_interval(row: dict[str, float | None], name: str) -> str:
    """A value with its interval on the next line."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    interval = "" if low is None or high is None else f"\n{low:z.2f} to {high:z.2f}"
    return _number(row[name], 2) + interval


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:z.{digits}f}"
