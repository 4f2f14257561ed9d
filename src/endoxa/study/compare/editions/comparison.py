"""From two tables to what is new, lost and kept, and whose share of respondents changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.schema.associations import SMALLEST_CELL
from endoxa.sources.frames import read_table
from endoxa.stats.intervals import NAN
from endoxa.stats.share_changes import Stratum, able_to_reject, change_interval, share_change
from endoxa.stats.verdicts import decide, significance
from endoxa.study.compare.edition_options import COUNTRY, EditionOptions
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
    "missing_by_chance": "how likely it would be missing from the table that lacks it, had nothing changed; else empty",
    "lost_by_chance": "how likely it would be missing from the second table, had nothing changed",
    "new_by_chance": "how likely it would be missing from the first table, had nothing changed",
}
"""Columns of the table of changes."""
TOO_FEW = "too few respondents said it for any change to be shown"


@dataclass(frozen=True, slots=True)
class Overall:
    """All associations together.

    Attributes:
        kept: associations in both tables.
        new: only in the second one.
        lost: only in the first one.
        kept_by_chance: how many of them would be in both, on average, if nothing had changed.
        new_by_chance: how many would be only in the second one.
        lost_by_chance: how many would be only in the first one.
        p_value: chance that no more would be kept if nothing had changed; NaN without respondents.
    """

    kept: int
    new: int
    lost: int
    kept_by_chance: float
    new_by_chance: float
    lost_by_chance: float
    p_value: float


@dataclass(frozen=True, slots=True)
class EditionComparison:
    """Two editions side by side.

    Attributes:
        before: name of the first table.
        after: name of the second one.
        changes: columns of `CHANGE_COLUMNS`, the largest changes first.
        overall: all associations together.
        countries: columns country, n_before, n_after, used; empty where none is known.
        tests: number of tests that the correction counts.
        unit: what shares are of: 'respondents', 'raters' or 'mentions'.
        notes: what was assumed or left out, as sentences.
        options: how they were compared.
        paths: the files that were read.
    """

    before: str
    after: str
    changes: pl.DataFrame
    overall: Overall
    countries: pl.DataFrame
    tests: int
    unit: str
    notes: tuple[str, ...]
    options: EditionOptions
    paths: tuple[Path, ...]


def compare_editions(paths: Sequence[Path], options: EditionOptions | None = None) -> EditionComparison:
    """What changed from the first table to the second.

    Args:
        paths: two tables of statements or associations, exports of campaigns, or folders of releases.
        options: what was chosen.

    Raises:
        UserError: not two tables, a table that cannot be read or compared, or a country balance without countries.
    """
    options = options or EditionOptions()
    if len(paths) != 2:
        raise UserError(f"{len(paths)} tables given. Expected two: the earlier edition and the later one.")
    groups = (
        None if options.groups is None else read_table(options.groups, ("attribute", "group_id", "canonical"))
    )
    first, second = (read_edition(Path(path), groups) for path in paths)
    names = _names(paths)
    if first.people is not None and second.people is not None:
        return _by_respondents(first, second, names, options)
    for option, chosen in (("--balance", options.balance is not None), ("--paired", options.paired)):
        if chosen:
            raise UserError(
                f"{option} needs a column 'respondent' in both tables. Give statements, not counts."
            )
    return _by_counts(first, second, names, options)


def _names(paths: Sequence[Path]) -> tuple[str, str]:
    """What the tables are called: their stems where these differ, else with their folders."""
    stems = [Path(path).stem for path in paths]
    first, second = stems if stems[0] != stems[1] else [str(path) for path in paths]
    return first, second


def _by_respondents(
    first: Edition, second: Edition, names: tuple[str, str], options: EditionOptions
) -> EditionComparison:
    assert first.people is not None
    assert second.people is not None
    notes = [*first.notes, *second.notes]
    people = pl.concat([first.people.with_columns(later=False), second.people.with_columns(later=True)])
    if options.paired:
        people, note = _in_both(people)
        notes.append(note)
    countries = _countries(people)
    if options.balance == COUNTRY:
        people, countries, note = _balanced(people, countries)
        notes.append(note)
    else:
        people = people.with_columns(country=pl.lit(""))
    sizes = _sizes(people)
    rows = [
        (part.row(0, named=True), _strata(part, sizes, paired=options.paired))
        for _, part in people.group_by(KEY, maintain_order=True)
    ]
    table, tests = _changes(rows, options)
    overall = _overall(table, _fewer_kept(people, options))
    return EditionComparison(
        *names,
        table,
        overall,
        countries,
        tests,
        "respondents",
        tuple(notes),
        options,
        (first.path, second.path),
    )


def _in_both(people: pl.DataFrame) -> tuple[pl.DataFrame, str]:
    """Those who answered both times."""
    sides = people.group_by("respondent").agg(pl.col("later").n_unique())
    same = sides.filter(pl.col("later") == 2)["respondent"]
    if same.is_empty():
        raise UserError("--paired: no respondent code is in both tables. Leave out --paired.")
    kept = people.filter(pl.col("respondent").is_in(same.implode())).with_columns(
        pl.col("country").first().over("respondent")
    )
    return kept, (
        f"Paired: {len(same)} respondents are in both tables and compared with themselves; {sides.height - len(same)} "
        "are in one table only and left out."
    )


def _countries(people: pl.DataFrame) -> pl.DataFrame:
    """How many respondents of each country there are."""
    return (
        people.filter(pl.col("country") != "")
        .group_by("country")
        .agg(
            n_before=pl.col("respondent").filter(~pl.col("later")).n_unique(),
            n_after=pl.col("respondent").filter("later").n_unique(),
        )
        .sort("country")
        .with_columns(used=pl.lit(value=True))
    )


def _balanced(people: pl.DataFrame, countries: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame, str]:
    """Respondents of countries that both tables have enough of."""
    enough = pl.min_horizontal("n_before", "n_after") >= SMALLEST_CELL
    countries = countries.with_columns(used=enough)
    used = countries.filter("used")["country"]
    if used.is_empty():
        raise UserError(
            f"--balance country: no country has {SMALLEST_CELL} respondents in both tables (column 'country'). Leave "
            "out --balance."
        )
    kept = people.filter(pl.col("country").is_in(used.implode()))
    gone = people.select("respondent", "later").n_unique() - kept.select("respondent", "later").n_unique()
    left = f" {gone} respondents of other countries or none are left out." if gone else ""
    return (
        kept,
        countries,
        f"Balanced: {', '.join(used)} have equal weight, whatever their number of respondents.{left}",
    )


def _sizes(people: pl.DataFrame) -> dict[tuple[str, bool], int]:
    counted = people.group_by("country", "later").agg(pl.col("respondent").n_unique())
    return {(country, later): n for country, later, n in counted.iter_rows()}


def _strata(part: pl.DataFrame, sizes: Mapping[tuple[str, bool], int], *, paired: bool) -> list[Stratum]:
    """Of one association: who said it, by country."""
    sides: dict[tuple[str, bool], set[str]] = {side: set() for side in sizes}
    for country, later, respondent in part.select("country", "later", "respondent").iter_rows():
        sides[country, later].add(respondent)
    return [
        Stratum(
            len(sides[country, False]),
            len(sides[country, True]),
            sizes[country, False],
            sizes[country, True],
            both=len(sides[country, False] & sides[country, True]) if paired else None,
        )
        for country in sorted({country for country, _ in sizes})
    ]


def _by_counts(
    first: Edition, second: Edition, names: tuple[str, str], options: EditionOptions
) -> EditionComparison:
    totals, unit, notes = _totals(first, second, names, options)
    joined = first.counts.join(
        second.counts, on=KEY, how="full", coalesce=True, suffix="_after", maintain_order="left_right"
    )
    rows = []
    for row in joined.iter_rows(named=True):
        n = [
            int(row[total] if row[total] is not None and not options.respondents else number)
            for total, number in zip(("total", "total_after"), totals, strict=True)
        ]
        counts = [int(row[name] or 0) for name in ("count", "count_after")]
        for edition, count, number in zip(names, counts, n, strict=True):
            if count > number:
                raise UserError(
                    f"{edition}: {count} said '{row['identity'] or row['identity_after']}: "
                    f"{row['attribute'] or row['attribute_after']}', of {number} {unit}. Too few {unit}."
                )
        shown = {name: row[name] or row[f"{name}_after"] for name in SHOWN}
        rows.append((shown, [Stratum(*counts, *n)]))
    table, tests = _changes(rows, options)
    empty = pl.DataFrame(
        schema={"country": pl.String, "n_before": pl.Int64, "n_after": pl.Int64, "used": pl.Boolean}
    )
    return EditionComparison(
        *names,
        table,
        _overall(table, NAN),
        empty,
        tests,
        unit,
        (*first.notes, *second.notes, *notes),
        options,
        (first.path, second.path),
    )


def _totals(
    first: Edition, second: Edition, names: tuple[str, str], options: EditionOptions
) -> tuple[list[float], str, list[str]]:
    """Of how many each count is, what they are, and what is assumed."""
    editions = (first, second)
    if options.respondents:
        if len(options.respondents) != 2:
            raise UserError("--respondents must be given twice: for the first table, then for the second.")
        note = (
            "The tables only count. Assumed: all respondents (--respondents) could have said every association, each "
            "of them counts once, and nobody is in both tables."
        )
        return [float(n) for n in options.respondents], "respondents", [note]
    known = [edition.counts["total"].null_count() == 0 for edition in editions]
    if all(known):
        unit = "raters" if all(edition.people is None for edition in editions) else "respondents"
        note = f"Numbers of {unit} are those of the tables. Assumed: nobody is in both."
        return [max(edition.counts["total"].to_list(), default=0.0) for edition in editions], unit, [note]
    if any(known):
        lacking = names[known.index(False)]
        raise UserError(
            f"{lacking} does not say how many respondents there were, the other table does. Give both numbers with "
            "--respondents N --respondents N."
        )
    sums = [float(edition.counts["count"].sum()) for edition in editions]
    note = (
        "The tables do not say how many respondents there were. Shares are of all mentions "
        f"({sums[0]:.0f} in {names[0]}, {sums[1]:.0f} in {names[1]}), and mentions count as independent. They are not "
        "where one person makes several: intervals are too narrow then. Give the numbers with --respondents N "
        "--respondents N."
    )
    return sums, "mentions", [note]


def _changes(
    rows: Sequence[tuple[Mapping[str, object], list[Stratum]]], options: EditionOptions
) -> tuple[pl.DataFrame, int]:
    """The table of changes and the number of tests corrected for."""
    alpha = significance(options.confidence)
    changes = [share_change(strata, options.seed) for _, strata in rows]
    able, tests = able_to_reject([change.least_p for change in changes], alpha)
    simultaneous = 1 - alpha / tests
    made = []
    for (shown, strata), change, can in zip(rows, changes, able, strict=True):
        interval = change_interval(strata, change.p_value if can else NAN, simultaneous)
        adjusted = min(change.p_value * tests, 1.0) if can else NAN
        difference = change.after - change.before
        decision = decide(
            difference, 0.0, change.p_value, adjusted, alpha=alpha, untestable="" if can else TOO_FEW
        )
        n_before, n_after = sum(s.before for s in strata), sum(s.after for s in strata)
        status = KEPT if n_before and n_after else LOST if n_before else NEW
        missing = {LOST: change.lost_by_chance, NEW: change.new_by_chance}.get(status)
        made.append(
            {
                **{name: shown[name] for name in SHOWN},
                "status": status,
                "n_before": n_before,
                "n_after": n_after,
                "total_before": sum(s.n_before for s in strata),
                "total_after": sum(s.n_after for s in strata),
                "share_before": change.before,
                "share_after": change.after,
                "difference": difference,
                **asdict(interval),
                "p_value": change.p_value,
                "p_adjusted": adjusted,
                **asdict(decision),
                "missing_by_chance": missing,
                "lost_by_chance": change.lost_by_chance,
                "new_by_chance": change.new_by_chance,
            }
        )
    table = (
        pl.DataFrame(made, infer_schema_length=None)
        .select(*CHANGE_COLUMNS)
        .filter(pl.col("n_before") + pl.col("n_after") > 0)
    )
    clear = pl.col("verdict").is_in(["above", "below"])
    order = table.sort(
        ~clear, "p_value", -pl.col("difference").abs(), "identity", "attribute", maintain_order=True
    )
    return order.fill_nan(None), tests


def _overall(table: pl.DataFrame, p_value: float) -> Overall:
    statuses = dict(table["status"].value_counts().iter_rows())
    new, lost = (float(table[name].sum()) for name in ("new_by_chance", "lost_by_chance"))
    kept, alone, gone = (int(statuses.get(status, 0)) for status in (KEPT, NEW, LOST))
    return Overall(kept, alone, gone, table.height - new - lost, new, lost, p_value)


_BLOCK = 20_000_000


def _fewer_kept(people: pl.DataFrame, options: EditionOptions) -> float:
    """How often as few associations are kept when respondents are divided at random, within countries.

    Who said several associations stays one person, so this holds for all associations together. Where the same
    respondents answered twice, both answers of a person are exchanged instead.
    """
    answers = people.select("country", "respondent", "later").unique(maintain_order=True)
    place = pl.struct("respondent", "later")
    codes = {tuple(key.values()): code for code, key in enumerate(answers.select(place).to_series())}
    columns = people.select(*KEY).unique(maintain_order=True).with_row_index("column")
    keyed = people.join(columns, on=KEY)
    said = np.zeros((answers.height, columns.height), dtype=np.float32)
    who = [codes[pair] for pair in keyed.select("respondent", "later").iter_rows()]
    said[who, keyed["column"].to_numpy()] = 1
    later = answers["later"].to_numpy().astype(np.float32)
    strata = answers["respondent" if options.paired else "country"].rank("dense").to_numpy().astype(int)
    totals = said.sum(axis=0)

    def kept(labels: np.ndarray) -> np.ndarray:
        after = labels @ said
        both: np.ndarray = ((after > 0) & (after < totals)).sum(axis=1)
        return both

    observed = int(kept(later[None])[0])
    rng = np.random.default_rng(options.seed)
    reached, left, height = 0, options.draws, max(1, _BLOCK // max(1, columns.height))
    while left:
        number = min(left, height)
        # Labels in random order within each stratum.
        shuffled = np.argsort(rng.random((number, answers.height)) + strata, axis=1)
        labels = np.empty((number, answers.height), dtype=np.float32)
        np.put_along_axis(
            labels, shuffled, np.broadcast_to(later[np.argsort(strata, kind="stable")], labels.shape), 1
        )
        reached += int((kept(labels) <= observed).sum())
        left -= number
    return (reached + 1) / (options.draws + 1)
