"""`endoxa analyze languages`: associations shared by languages (or models), and those exclusive to one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from annotated_types import Ge

from endoxa.commands.verbs import Outcome, argument, table
from endoxa.runs.options import Resampling
from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from endoxa.instruments.stories.languages import Overlap

BESIDE = ("jaccard", "exclusive", "universal", "members", "comparison", "shift")
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
            "Stories, to check whether a missing association is due to too few stories.",
            DATA,
            metavar="FILE|RUN",
        ),
    ] = None,
    models: Annotated[
        int, Ge(1), Option("Minimum number of models that show an association in a language.", ANALYSIS)
    ] = 1,
    threshold: Annotated[
        float,
        Option("Minimum median rating of a harmful association, if --harm has ratings.", ANALYSIS),
    ] = 4.0,
    how: Resampling,
) -> Outcome:
    """Find associations shared by languages and exclusive to one; compare harmful and benign ones.

    Companion tables of NAME.csv are NAME.jaccard.csv (similarity of every pair of languages), NAME.exclusive.csv and
    NAME.universal.csv (associations of one language, and of all), NAME.members.csv (one row per language), and with
    --harm NAME.comparison.csv (harmful against benign) and NAME.shift.csv (harmful associations of marked and unmarked
    groups).

    \b
    Examples:
      endoxa analyze languages by_language.csv -o overlap.csv
      endoxa analyze languages by_language.csv --stories out/s2 --harm harm.csv -o overlap.csv
      endoxa analyze languages by_language.csv --harm harm.csv --groups my_groups.yaml --models 2 -o overlap.csv
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
        None if harm is None else read_classes(harm, threshold),
        read_groups(groups, associations) if harm is not None and by == "language" else None,
        by=by,
        models=models,
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
        f"Associations per {by} (missed: share of all associations that are absent)",
        (by, *(SHOWN[name] for name in present)),
        [
            (row["member"], *(_number(row[name]) for name in present))
            for row in analysis.members.iter_rows(named=True)
        ],
        wrap=True,
    )
    sure = (analysis.exclusive["caution"] == "").sum()
    yield (
        f"{len(analysis.reach)} associations: {len(analysis.universal)} in every {by}, {len(analysis.exclusive)} in "
        f"only one ({sure} of these without a caution)."
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
    from endoxa.report.words import signed

    rows = shift.filter(language="all").iter_rows(named=True)
    moved = [
        f"{row['group']} {signed(row['difference'], 2).replace('−', '-')}{_interval(row)}, {_verdict(row)}"
        for row in rows
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
