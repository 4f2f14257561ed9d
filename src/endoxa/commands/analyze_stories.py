"""`endoxa analyze extraction`, `harm` and `languages`: what becomes of stories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from endoxa.commands.verbs import Outcome, argument, note, table
from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence, Resampling
from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from endoxa.instruments.stories.harm import HarmAnalysis
    from endoxa.instruments.stories.languages import Overlap


def extraction(
    run: Annotated[Path, argument("Run folder of `endoxa probe extract`.", metavar="RUN")],
    *,
    human: Annotated[Path, Option("Completed double-coding sheet of the run (.xlsx or .csv).", DATA)],
    out: Annotated[Path, Option("Error rates: .csv, .jsonl or .parquet.", OUTPUT, table=True, short="-o")],
    confusion: Annotated[Path | None, Option("Also write the confusion matrix.", OUTPUT, table=True)] = None,
    confidence: Confidence = DEFAULT_CONFIDENCE,
) -> Outcome:
    """Estimate error rates of extractors.

    A human coder fills in the sheet written by `endoxa probe extract --sheet FILE`, without seeing the extractors'
    answers.

    \b
    Examples:
      endoxa analyze extraction out/s2 --human check.xlsx -o errors.csv
      endoxa analyze extraction out/s2 --human check.xlsx -o errors.csv --confusion pairs.csv
    """  # noqa: D301
    from endoxa.instruments.stories.profiles.coding import analyze_extraction, load_extraction, read_sheet

    loaded = load_extraction(run)
    coded = read_sheet(human, loaded.vocabulary)
    measured = analyze_extraction(loaded, coded, confidence=confidence)
    return Outcome(
        (_errors(measured.errors), f"{len(coded)} stories coded by hand; error rates written to {out}"),
        {"out": measured.errors, "confusion": measured.confusion},
    )


def _errors(errors: pl.DataFrame) -> Table:
    def rate(value: float | None) -> str:
        return "-" if value is None else f"{value:.3f}"

    return table(
        "Errors of the extractors' majority, against the human coder",
        ("attribute", "coded", "error rate", "interval", "missed", "swapped", "invented"),
        [
            (
                row["attribute"],
                str(row["n"]),
                rate(row["error_rate"]),
                f"{row['low']:.3f}–{row['high']:.3f}" if row["n"] else "-",
                *(rate(row[name]) for name in ("missed", "swapped", "invented")),
            )
            for row in errors.iter_rows(named=True)
        ],
    )


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
    whose column counts is false, as `endoxa collect export --task` marks those of excluded raters, are left out. Raters
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
            how=how,
            progress=progress,
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


def _harm_lines(analysis: HarmAnalysis) -> Iterator[str | Table]:
    """The raters and the summary statistics."""
    from endoxa.report.claims import chip

    rows = [
        (
            row["rater"],
            str(row["associations"]),
            _rounded(row["mean"], 2),
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
        yield f"{row['name']}: {_rounded(row['value'], 3)}{interval}, n = {row['n']}"
    yield (
        "Associations that share a base value are alike and resampled together. "
        "Intervals condition on these raters, except those of delta, which also resample people."
    )


def _with_interval(row: dict[str, float | None], name: str) -> str:
    """A value with its interval on the next line."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    interval = "" if low is None or high is None else f"\n{low:z.2f} to {high:z.2f}"
    return _rounded(row[name], 2) + interval


def _rounded(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:z.{digits}f}"


BESIDE = ("jaccard", "members", "comparison", "shift")
"""Tables written next to the main one, as NAME.jaccard.csv."""
SHOWN = {
    "stories": "stories",
    "associations": "found",
    "exclusive": "only here",
    "missed": "missed",
    "harmful": "harmful",
    "missed_harmful": "missed\nharmful",
}
"""Columns of the table printed, and their heads."""


def languages(
    files: Annotated[
        tuple[Path, ...],
        argument("Tables of analyze associations, or StereoTales' published JSON.", metavar="FILE..."),
    ],
    *,
    out: Annotated[
        Path,
        Option(
            "Table of associations; companion tables go into the same folder.", OUTPUT, table=True, short="-o"
        ),
    ],
    by: Annotated[
        Literal["language", "model"],
        Option("Unit of comparison; language needs associations analyzed with --by language.", ANALYSIS),
    ] = "language",
    harm: Annotated[
        Path | None,
        Option("Harmful associations: table of `endoxa analyze harm`, or your own.", DATA),
    ] = None,
    groups: Annotated[
        Path | None, Option("Marked and unmarked groups (YAML).", DATA, default="built-in groups")
    ] = None,
    stories: Annotated[
        Path | None,
        Option(
            "Stories, so that languages in which nothing was found count too.",
            DATA,
            metavar="FILE|RUN",
        ),
    ] = None,
    how: Resampling,
) -> Outcome:
    """Find associations shared by languages and exclusive to one; compare harmful and benign ones.

    Companion tables of NAME.csv are NAME.jaccard.csv (similarity of every pair of languages), NAME.members.csv (one row
    per language), and with --harm NAME.comparison.csv (harmful against benign) and NAME.shift.csv (harmful associations
    of marked and unmarked groups).

    \b
    Examples:
      endoxa analyze languages by_language.csv -o overlap.csv
      endoxa analyze languages by_language.csv --stories out/s2 --harm harm.csv -o overlap.csv
      endoxa analyze languages by_language.csv --harm harm.csv --groups my_groups.yaml -o overlap.csv
      endoxa analyze languages assoc.csv --by model -o models.csv
    """  # noqa: D301
    import polars as pl

    from endoxa.errors import UserError
    from endoxa.instruments.stories.languages import analyze_overlap, read_classes, read_groups
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import write_table
    from endoxa.sources.stereotales import read_profiles
    from endoxa.sources.stereotales.associations import read_associations

    if groups is not None and (harm is None or by == "model"):
        raise UserError(
            "--groups needs --harm and --by language: it compares harmful associations by language."
        )
    beside = {name: out.with_suffix(f".{name}{out.suffix}") for name in BESIDE}
    require_apart([out, *beside.values()], [*files, harm, groups])
    for path in files:
        _require_rows(path)
    associations = pl.concat([read_associations(path) for path in files])
    analysis = analyze_overlap(
        associations,
        None if harm is None else read_classes(harm),
        read_groups(groups, associations) if harm is not None and by == "language" else None,
        by=by,
        profiles=None if stories is None else read_profiles(stories),
        how=how,
    )
    written = [out]
    for name, path in beside.items():
        companion = getattr(analysis, name)
        if companion is not None:
            write_table(companion, path)
            written.append(path)
    lines = (*_overlap_lines(analysis, by), f"Written: {', '.join(map(str, written))}")
    return Outcome(lines, {"out": analysis.reach})


def _require_rows(path: Path) -> None:
    """Refuse an empty table: `analyze associations` writes only a header if it finds nothing.

    Raises:
        UserError: the table has no rows.
    """
    from endoxa.errors import UserError
    from endoxa.sources.files import require_file
    from endoxa.sources.stereotales.associations import PARTS
    from endoxa.sources.tables import TABLE_SUFFIXES, table_rows

    require_file(path)
    if path.suffix.lower() in TABLE_SUFFIXES and next(iter(table_rows(path, PARTS)), None) is None:
        raise UserError(f"{path} has no associations. Expected at least one row to compare.")


def _overlap_lines(analysis: Overlap, by: str) -> Iterator[str | Table]:
    """One row per language or model, and summary sentences."""
    present = [name for name in SHOWN if analysis.members[name].is_not_null().any()]
    yield table(
        f"Associations per {by} (missed: share of all associations that were not found)",
        (by, *(SHOWN[name] for name in present)),
        [
            (row["member"], *(_number(row[name]) for name in present))
            for row in analysis.members.iter_rows(named=True)
        ],
        wrap=True,
    )
    yield (
        f"{len(analysis.reach)} associations: {len(analysis.universal)} in every {by}, {len(analysis.exclusive)} in "
        f"only one. Not found in another {by} may mean that it has too few stories."
    )
    yield from filter(None, (_nearest(analysis.jaccard), _reach(analysis.comparison), _moved(analysis.shift)))


def _nearest(jaccard: pl.DataFrame) -> str:
    pairs = jaccard.filter(jaccard["place_a"] < jaccard["place_b"]).drop_nulls("jaccard")
    if pairs.is_empty():
        return ""
    row = pairs.sort("jaccard", descending=True, maintain_order=True).row(0, named=True)
    return f"Most similar: {row['a']} and {row['b']}, Jaccard {row['jaccard']:.2f}{_interval(row)}."


def _reach(comparison: pl.DataFrame | None) -> str:
    if comparison is None:
        return "Harmful and benign associations were not compared. Name a table of harm ratings with --harm FILE."
    rows = {row["name"]: row for row in comparison.iter_rows(named=True)}
    means = [rows[f"mean_reach_{side}"] for side in ("harmful", "benign")]
    tested = rows["superiority"]
    p_value = tested["p_value"]
    return (
        "Mean reach: "
        + ", ".join(
            f"{side} {_number(row['value'])}{_interval(row)}, n = {row['n']}"
            for side, row in zip(("harmful", "benign"), means, strict=True)
        )
        + ("." if p_value is None else f"; p = {p_value:.2g}, {_verdict(tested)}.")
    )


def _moved(shift: pl.DataFrame | None) -> str:
    if shift is None:
        return ""
    import polars as pl

    from endoxa.instruments.stories.languages.marked import CONTRAST
    from endoxa.report.words import signed

    rows = shift.filter(language="all")
    without = rows.filter(pl.col("group") != CONTRAST, n=0)["group"].to_list()
    moved = [
        f"{row['group']} not measured (no harmful association with such a group)"
        if row["group"] in without
        else f"{row['group']} {signed(row['difference'], 2).replace('−', '-')}{_interval(row)}, {_verdict(row)}"
        for row in rows.iter_rows(named=True)
        if not (without and row["group"] == CONTRAST)
    ]
    return f"Harmful associations in the groups' own language minus other languages: {'; '.join(moved)}."


def _verdict(row: dict[str, Any]) -> str:
    """The verdict, with the reason if it is unclear."""
    from endoxa.report.claims import chip

    return chip(row) + (f" ({row['reason']})" if row["reason"] else "")


def _interval(row: dict[str, float | None]) -> str:
    low, high = row["low"], row["high"]
    return "" if low is None or high is None else f" ({low:z.2f} to {high:z.2f})"


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.2f}"
