"""From two tables to what is new, lost and kept, and whose share of respondents changed, and the page about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.curate.associations import mentions
from endoxa.curate.normalise.identity import IDENTITY_KEY, with_identity_keys
from endoxa.curate.pages import METHODS, page_of
from endoxa.errors import UserError
from endoxa.report.claims import P_ADJUSTED, VERDICT, signed_ends
from endoxa.report.document import Finding, Section
from endoxa.report.frame import Page
from endoxa.report.inputs import Run
from endoxa.report.tables import Field, number_field, table_of, text_field
from endoxa.report.words import count, percent, plural, signed
from endoxa.runs.options import DEFAULT_CONFIDENCE
from endoxa.sources.frames import read_table
from endoxa.sources.identities import identity_key
from endoxa.stats.intervals import NAN
from endoxa.stats.share_changes import Shares, able_to_reject, change_interval, share_test
from endoxa.stats.verdicts import ABOVE, CLEAR, UNTESTED, decide, significance

KEY = ("identity_key", "attribute_key")
"""What joins an association over editions: the English name of the group where one is known, and the attribute."""
SHOWN = ("identity", "attribute", "axis")
RELEASED = ("associations.parquet", "associations.csv", "statements.parquet", "statements.csv")


@dataclass(frozen=True, slots=True)
class TableComparison:
    """What differs between tables.

    Attributes:
        changes: the table of it.
        sentences: the finding, then what was compared.
        notes: what was assumed or left out, as sentences.
        page: the page about it; None where there is none.
    """

    changes: pl.DataFrame
    sentences: tuple[str, ...]
    notes: tuple[str, ...] = ()
    page: Page | None = None


@dataclass(frozen=True, slots=True)
class Edition:
    """A table of one edition.

    Attributes:
        path: its file.
        people: who said what: columns of `KEY` and `SHOWN`, language, respondent, country; None where the table only
            counts.
        counts: columns of `KEY` and `SHOWN`, count, total; the total is null where the table does not give it.
        notes: what was left out or assumed, as sentences.
    """

    path: Path
    people: pl.DataFrame | None
    counts: pl.DataFrame
    notes: tuple[str, ...] = ()


def table_path(path: Path) -> Path:
    """The table of a release (`endoxa export hub`), or the file itself.

    Raises:
        UserError: the folder holds no table of associations or statements.
    """
    if not path.is_dir():
        return path
    for name in RELEASED:
        if (path / "data" / name).is_file():
            return path / "data" / name
    raise UserError(
        f"{path} has no data/{RELEASED[0]} or data/{RELEASED[2]}. Give a table or a release folder."
    )


def read_edition(path: Path, groups: pl.DataFrame | None) -> Edition:
    """A table of statements, of associations, or an export of a campaign.

    Raises:
        UserError: it cannot be read, or has none of the columns that say how many people said it.
    """
    file = table_path(path)
    table = read_table(file, ("identity", "attribute"))
    names = set(table.columns)
    if "respondent" in names:
        return _of_statements(file, path.stem, table, groups)
    if {"ratings", "knowers"} <= names:
        number = pl.col("ratings").cast(pl.Float64, strict=False).fill_null(0)
        heard = pl.col("knowers").cast(pl.Float64, strict=False).fill_null(0) * number
        rated = table.with_columns(count=heard.round(), total=number).filter(pl.col("total") > 0)
        if rated.is_empty():
            raise UserError(f"{file}: nobody rated any of its associations. Compare an export with ratings.")
        note = "the share is that of raters who had heard it (ratings, knowers); raters of each pair count as different"
        return _of_counts(file, path.stem, rated, groups, (f"{path.stem}: {note}.",))
    if "support" in names:
        count = pl.col("support").cast(pl.Float64, strict=False)
        total = (
            pl.col("respondents").cast(pl.Float64, strict=False) if "respondents" in names else pl.lit(None)
        )
        counted = table.with_columns(count=count, total=total.cast(pl.Float64))
        if counted["count"].null_count():
            raise UserError(
                f"{file}, column 'support': a cell is not a number. Expected the number of respondents."
            )
        return _of_counts(file, path.stem, counted, groups, ())
    raise UserError(
        f"{file} does not say who said it. Expected a column 'respondent' (statements), 'support' (associations), or "
        "'ratings' and 'knowers' (export of a campaign)."
    )


def _keys(table: pl.DataFrame) -> pl.DataFrame:
    """The table with the columns of `KEY` and a text in every one of `SHOWN`."""
    absent = [name for name in (IDENTITY_KEY, "axis", "language") if name not in table.columns]
    full = with_identity_keys(table.with_columns(pl.lit("").alias(name) for name in absent)).with_columns(
        pl.col(IDENTITY_KEY, *SHOWN, "language").fill_null("").str.strip_chars()
    )
    named = pl.when(pl.col(IDENTITY_KEY) == "").then("identity").otherwise(IDENTITY_KEY)
    return full.with_columns(
        identity_key=named.map_elements(identity_key, return_dtype=pl.String),
        attribute_key=pl.col("attribute").map_elements(identity_key, return_dtype=pl.String),
    ).filter(pl.all_horizontal(pl.col(*KEY) != ""))


def _of_statements(path: Path, name: str, table: pl.DataFrame, groups: pl.DataFrame | None) -> Edition:
    mentioned = mentions(table, groups, source=name)
    left_out = [f"{name}: {n} statements left out: {reason}." for reason, n in mentioned.left_out.items()]
    country = "country" if "country" in mentioned.table.columns else pl.lit("").alias("country")
    keyed = _keys(mentioned.table.with_columns(country)).with_columns(
        respondent=pl.when(pl.col("respondent") == "").then("person").otherwise("respondent"),
        country=pl.col("country").fill_null("").str.strip_chars(),
    )
    people = keyed.select(*KEY, *SHOWN, "language", "respondent", "country").unique(
        (*KEY, "respondent"), keep="first", maintain_order=True
    )
    several = people.group_by("respondent").agg(pl.col("country").n_unique()).filter(pl.col("country") > 1)
    if several.height:
        left_out.append(
            f"{name}: {several.height} respondents with several countries count for the first of them."
        )
    people = people.with_columns(pl.col("country").first().over("respondent"))
    counts = _summed(people.with_columns(count=1.0)).with_columns(
        total=float(people["respondent"].n_unique())
    )
    return Edition(path, people, counts, (*left_out, *(f"{name}: {note}" for note in mentioned.notes)))


def _of_counts(
    path: Path, name: str, table: pl.DataFrame, groups: pl.DataFrame | None, notes: tuple[str, ...]
) -> Edition:
    if groups is not None:
        key = pl.col("attribute").map_elements(identity_key, pl.String)
        lookup = dict(
            groups.select(key, "canonical").unique("attribute", keep="first", maintain_order=True).iter_rows()
        )
        table = table.with_columns(key.replace_strict(lookup, default=pl.col("attribute")))
    keyed = _keys(table)
    summed = _summed(keyed)
    several = keyed.height - summed.height
    if several:
        notes += (
            f"{name}: {several} rows repeat an association (other countries, languages or members of a group); their "
            "counts are added up, so who said it in several of them counts several times.",
        )
    return Edition(path, None, summed, notes)


def _summed(table: pl.DataFrame) -> pl.DataFrame:
    total = pl.col("total").max() if "total" in table.columns else pl.lit(None, pl.Float64).alias("total")
    return table.group_by(KEY, maintain_order=True).agg(pl.col(*SHOWN).first(), pl.col("count").sum(), total)


KEPT, NEW, LOST = "kept", "new", "lost"

CHANGE_COLUMNS: dict[str, str] = {
    "identity": "the group, as the first table that has it writes it",
    "attribute": "what is said of it",
    "axis": "social axis",
    "status": "'kept' (in both tables), 'new' (only in the second), 'lost' (only in the first)",
    "n_before": "respondents of the first table who said it",
    "n_after": "respondents of the second table who said it",
    "total_before": "respondents of the first table",
    "total_after": "respondents of the second table",
    "share_before": "share of the respondents of the first table",
    "share_after": "share of the respondents of the second table",
    "difference": "share after less share before",
    "low": "lower end of its interval; all intervals together hold at the confidence level",
    "high": "upper end",
    "p_value": "exact test of no change",
    "p_adjusted": "after Bonferroni's correction over all tests that could reject",
    "verdict": "'above' (more say it), 'below' (fewer), 'unclear', 'cannot-be-tested'",
    "reason": "why it cannot be tested or is unclear",
}
"""Columns of the table of changes."""
MOST_SHOWN = 200
"""Rows of a table on the page; the table that the command writes has all of them."""
MOST_OPEN = 40
TOO_FEW = "too few respondents said it for any change to be shown"


def compare_editions(
    paths: Sequence[Path],
    *,
    groups: Path | None = None,
    respondents: Sequence[int] = (),
    confidence: float = DEFAULT_CONFIDENCE,
) -> TableComparison:
    """What changed from the first table to the second.

    Args:
        paths: two tables of statements or associations, exports of campaigns, or folders of releases.
        groups: grouping of attributes that both are read with.
        respondents: number of respondents of each, for tables that only count.
        confidence: of all intervals together.

    Raises:
        UserError: not two tables, or a table that cannot be read or compared.
    """
    if len(paths) != 2:
        raise UserError(f"{len(paths)} tables given. Expected two: the earlier edition and the later one.")
    grouping = None if groups is None else read_table(groups, ("attribute", "group_id", "canonical"))
    editions = [read_edition(Path(path), grouping) for path in paths]
    stems = [Path(path).stem for path in paths]
    before, after = stems if stems[0] != stems[1] else map(str, paths)
    totals, unit, notes = _totals(editions, (before, after), respondents)
    joined = editions[0].counts.join(
        editions[1].counts, on=KEY, how="full", coalesce=True, suffix="_after", maintain_order="left_right"
    )
    rows = []
    for row in joined.iter_rows(named=True):
        n = [
            int(row[total] if row[total] is not None and not respondents else number)
            for total, number in zip(("total", "total_after"), totals, strict=True)
        ]
        counts = [int(row[name] or 0) for name in ("count", "count_after")]
        about = {name: row[name] or row[f"{name}_after"] for name in SHOWN}
        for name, stated, number in zip((before, after), counts, n, strict=True):
            if stated > number:
                raise UserError(
                    f"{name}: {stated} said '{about['identity']}: {about['attribute']}', of {number} {unit}. Too few "
                    f"{unit}."
                )
        rows.append((about, Shares(*counts, *n)))
    table, tests = _changes(rows, significance(confidence))
    sentences = _sentences(table, before, after, unit)
    notes = [*editions[0].notes, *editions[1].notes, *notes]
    tested = table.filter(pl.col("verdict") != UNTESTED)
    power = (
        f"{plural(tests, 'association')} had enough mentions for a change to be shown; the intervals hold together at "
        f"{percent(confidence, 0)}. The other {count(table.height - tested.height)} were said by too few: no division "
        "of their mentions could reach significance."
    )
    more = (number_field("change", "difference", signed), number_field("interval", signed_ends))
    alone = table.filter(pl.col("status") != KEPT).sort(
        pl.max_horizontal("n_before", "n_after"), descending=True
    )
    shown = (
        (f"Share of {unit} who said it (number)", tested, (*more, VERDICT, P_ADJUSTED)),
        ("In one table only", alone, (text_field("status"),)),
    )
    tables = [
        table_of(
            title, each.head(MOST_SHOWN), (*_fields(before, after), *fields), most_open=MOST_OPEN, stub=2
        )
        for title, each, fields in shown
    ]
    facts = {"changed": table.filter(pl.col("verdict").is_in(CLEAR)).height, "tests": tests}
    findings = tuple(Finding(text, (facts,)) for text in (*sentences, power))
    values = {"unit": unit, "tests": tests, "confidence": confidence}
    sections = (
        Section("changes", "Change of shares", findings=findings, tables=(tables[0],), notes=tuple(notes)),
        Section("absent", "Lost and new", tables=(tables[1],)),
        replace(METHODS, values=values),
    )
    largest = table.select(pl.col("total_before", "total_after").max()).row(0)
    subtitle = (
        f"{before} ({count(largest[0])} {unit}) and {after} ({count(largest[1])}); "
        f"{plural(table.height, 'association')}."
    )
    runs = [Run(edition.path, {}) for edition in editions]
    page = page_of(__package__, runs, sentences[0].removesuffix("."), subtitle, sections)
    return TableComparison(table, sentences, tuple(notes), page)


def _sentences(table: pl.DataFrame, before: str, after: str, unit: str) -> tuple[str, str]:
    """Whose shares changed, and how many associations are kept, lost and new."""
    clear = table.filter(pl.col("verdict").is_in(CLEAR)).height
    more = table.filter(verdict=ABOVE).height
    kept, lost, new = (table.filter(status=name).height for name in (KEPT, LOST, NEW))
    changed = (
        f"{plural(clear, 'association')} changed from {before} to {after}: {more} said by more {unit}, "
        f"{clear - more} by fewer."
    )
    none = f"No association is clearly said by more or by fewer {unit} in {after}."
    return changed if clear else none, (
        f"{kept} associations are in both tables, {lost} only in {before} (lost) and {new} only in {after} (new). "
        "Without any change, too, what few people say is missing from one of two tables."
    )


def _totals(
    editions: Sequence[Edition], names: tuple[str, str], respondents: Sequence[int]
) -> tuple[list[float], str, list[str]]:
    """Of how many each count is, what they are, and what is assumed."""
    if respondents:
        if len(respondents) != 2:
            raise UserError("--respondents must be given twice: for the first table, then for the second.")
        note = (
            "Numbers of respondents are those of --respondents. Assumed: all of them could have said every "
            "association, each of them counts once, and nobody is in both tables."
        )
        return [float(n) for n in respondents], "respondents", [note]
    listed_keys = [edition.counts["total"].null_count() == 0 for edition in editions]
    if all(listed_keys):
        unit = "raters" if all(edition.people is None for edition in editions) else "respondents"
        note = f"Numbers of {unit} are those of the tables. Assumed: nobody is in both."
        return [max(edition.counts["total"].to_list(), default=0.0) for edition in editions], unit, [note]
    if any(listed_keys):
        raise UserError(
            f"{names[listed_keys.index(False)]} does not say how many respondents there were, the other table does. "
            "Give both numbers with --respondents N --respondents N."
        )
    sums = [float(edition.counts["count"].sum()) for edition in editions]
    note = (
        "The tables do not say how many respondents there were. Shares are of all mentions "
        f"({sums[0]:.0f} in {names[0]}, {sums[1]:.0f} in {names[1]}), and mentions count as independent. They are not "
        "where one person makes several: intervals are too narrow then. Give the numbers with --respondents N "
        "--respondents N."
    )
    return sums, "mentions", [note]


def _changes(rows: Sequence[tuple[Mapping[str, Any], Shares]], alpha: float) -> tuple[pl.DataFrame, int]:
    """The table of changes and the number of tests corrected for."""
    tested = [share_test(shares) for _, shares in rows]
    able, tests = able_to_reject([least for _, least in tested], alpha)
    made = []
    for (about, shares), (p_value, _), can in zip(rows, tested, able, strict=True):
        adjusted = min(p_value * tests, 1.0) if can else NAN
        untestable = "" if can else TOO_FEW
        decision = decide(shares.difference, 0.0, p_value, adjusted, alpha=alpha, untestable=untestable)
        made.append(
            {
                **about,
                "status": KEPT if shares.before and shares.after else LOST if shares.before else NEW,
                "n_before": shares.before,
                "n_after": shares.after,
                "total_before": shares.n_before,
                "total_after": shares.n_after,
                "share_before": shares.before / shares.n_before,
                "share_after": shares.after / shares.n_after,
                "difference": shares.difference,
                **asdict(change_interval(shares, p_value if can else NAN, 1 - alpha / tests)),
                "p_value": p_value,
                "p_adjusted": adjusted,
                **asdict(decision),
            }
        )
    table = pl.DataFrame(made, infer_schema_length=None).select(*CHANGE_COLUMNS)
    clear = pl.col("verdict").is_in(CLEAR)
    order = (~clear, "p_value", -pl.col("difference").abs(), "identity", "attribute")
    present = table.filter(pl.col("n_before") + pl.col("n_after") > 0)
    return present.sort(*order, maintain_order=True).fill_nan(None), tests


def _fields(before: str, after: str) -> tuple[Field, ...]:
    return (
        text_field("group", "identity", veiled=True),
        text_field("attribute", veiled=True),
        text_field("axis"),
        number_field(before, lambda row: f"{percent(row['share_before'])} ({count(row['n_before'])})"),
        number_field(after, lambda row: f"{percent(row['share_after'])} ({count(row['n_after'])})"),
    )
