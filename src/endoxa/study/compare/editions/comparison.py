"""From two tables to what is new, lost and kept, and whose share of respondents changed, and the page about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.curate.pages import METHODS, page_of
from endoxa.errors import UserError
from endoxa.report.claims import P_ADJUSTED, VERDICT, signed_ends
from endoxa.report.document import Finding, Section
from endoxa.report.frame import write_page
from endoxa.report.inputs import Run
from endoxa.report.tables import Field, number_field, table_of, text_field
from endoxa.report.words import count, percent, plural, signed
from endoxa.runs.options import DEFAULT_CONFIDENCE
from endoxa.sources.frames import read_table
from endoxa.stats.intervals import NAN
from endoxa.stats.share_changes import Shares, able_to_reject, change_interval, share_test
from endoxa.stats.verdicts import ABOVE, CLEAR, UNTESTED, decide, significance
from endoxa.study.compare.editions.reading import KEY, SHOWN, Edition, read_edition

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


@dataclass(frozen=True, slots=True)
class EditionComparison:
    """Two editions side by side.

    Attributes:
        before: name of the first table.
        after: name of the second one.
        changes: columns of `CHANGE_COLUMNS`, the largest changes first.
        tests: number of tests that the correction counts.
        unit: what shares are of: 'respondents', 'raters' or 'mentions'.
        notes: what was assumed or left out, as sentences.
        confidence: of all intervals together.
        paths: the files that were read.
    """

    before: str
    after: str
    changes: pl.DataFrame
    tests: int
    unit: str
    notes: tuple[str, ...]
    confidence: float
    paths: tuple[Path, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Associations that are kept, lost and new."""
        return {name: self.changes.filter(status=name).height for name in (KEPT, LOST, NEW)}

    @property
    def headline(self) -> str:
        """The finding in a sentence: whose shares changed."""
        clear = self.changes.filter(pl.col("verdict").is_in(CLEAR))
        if clear.is_empty():
            return f"No association is clearly said by more or by fewer {self.unit} in {self.after}."
        more = clear.filter(verdict=ABOVE).height
        return (
            f"{plural(clear.height, 'association')} changed from {self.before} to {self.after}: {more} said by more "
            f"{self.unit}, {clear.height - more} by fewer."
        )

    @property
    def sentence(self) -> str:
        """How many associations are kept, lost and new."""
        kept, lost, new = self.counts.values()
        return (
            f"{kept} associations are in both tables, {lost} only in {self.before} (lost) and {new} only in "
            f"{self.after} (new). Without any change, too, what few people say is missing from one of two tables."
        )


def compare_editions(
    paths: Sequence[Path],
    *,
    groups: Path | None = None,
    respondents: Sequence[int] = (),
    confidence: float = DEFAULT_CONFIDENCE,
) -> EditionComparison:
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
    notes = [*editions[0].notes, *editions[1].notes, *notes]
    files = tuple(edition.path for edition in editions)
    return EditionComparison(before, after, table, tests, unit, tuple(notes), confidence, files)


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


def _change_section(comparison: EditionComparison) -> Section:
    changes = comparison.changes
    tested = changes.filter(pl.col("verdict") != UNTESTED)
    clear = changes.filter(pl.col("verdict").is_in(CLEAR)).height
    facts = comparison.counts | {"changed": clear, "tests": comparison.tests}
    power = (
        f"{plural(comparison.tests, 'association')} had enough mentions for a change to be shown; the intervals hold "
        f"together at {percent(comparison.confidence, 0)}. The other {count(changes.height - tested.height)} were said "
        "by too few: no division of their mentions could reach significance."
    )
    more = (number_field("change", "difference", signed), number_field("interval", signed_ends))
    fields = _fields(comparison, *more, VERDICT, P_ADJUSTED)
    title = f"Share of {comparison.unit} who said it (number)"
    table = table_of(title, tested.head(MOST_SHOWN), fields, most_open=MOST_OPEN, stub=2)
    texts = (comparison.headline, comparison.sentence, power)
    findings = tuple(Finding(text, (facts,)) for text in texts)
    return Section("changes", "Change of shares", findings=findings, tables=(table,), notes=comparison.notes)


def _alone(comparison: EditionComparison) -> Section | None:
    """Associations in one table only, those of most mentions first."""
    mentions = pl.max_horizontal("n_before", "n_after")
    alone = comparison.changes.filter(pl.col("status") != KEPT).sort(mentions, descending=True)
    if alone.is_empty():
        return None
    fields = _fields(comparison, text_field("status"))
    table = table_of("In one table only", alone.head(MOST_SHOWN), fields, most_open=MOST_OPEN, stub=2)
    return Section("absent", "Lost and new", tables=(table,))


def _fields(comparison: EditionComparison, *more: Field) -> tuple[Field, ...]:
    shares = [
        number_field(
            comparison.before, lambda row: f"{percent(row['share_before'])} ({count(row['n_before'])})"
        ),
        number_field(
            comparison.after, lambda row: f"{percent(row['share_after'])} ({count(row['n_after'])})"
        ),
    ]
    return (
        text_field("group", "identity", veiled=True),
        text_field("attribute", veiled=True),
        text_field("axis"),
        *shares,
        *more,
    )


def write_edition_page(comparison: EditionComparison, output: Path) -> None:
    """Write the page."""
    methods = Section(
        METHODS.anchor,
        METHODS.title,
        template=METHODS.template,
        folded=True,
        values={"comparison": comparison},
    )
    before, after = comparison.changes.select("total_before", "total_after").row(0)
    subtitle = (
        f"{comparison.before} ({count(before)} {comparison.unit}) and {comparison.after} ({count(after)}); "
        f"{plural(comparison.changes.height, 'association')}."
    )
    sections = (_change_section(comparison), _alone(comparison), methods)
    runs = [Run(path, {}) for path in comparison.paths]
    write_page(page_of(__package__, runs, comparison.headline.removesuffix("."), subtitle, sections), output)
