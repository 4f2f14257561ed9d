"""Items that two runs measured, as one table; every measure of `gate` and `compare` is cut from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.runs.instrument import Measure, Measured
from endoxa.schema import ALL
from endoxa.study.compare.contrast import FEWEST_UNITS
from endoxa.study.compare.decision import Values
from endoxa.study.compare.measures import Paired
from endoxa.study.compare.runs import Side

OTHER = "_other"
"""Behind the names of columns of the second run."""
NAN = float("nan")
NO_ITEMS = pl.DataFrame(
    schema=dict.fromkeys(("item_id", "rule", "axis", "identity", "before", "after", "direction"), pl.String)
)
"""Of instruments whose items do not change sides: a test, or an association of stories."""


def _as_it_is(cell: Paired, _rows: pl.DataFrame) -> Paired:
    return cell


@dataclass(frozen=True, slots=True)
class Items:
    """What two runs measured of the same items, a row for each rule, item and repeat.

    Attributes:
        frame: columns `rule`, `item_id`, `axis`, `identity`, codes of units, and `same`: the score or answer is that of
            the other run. Of each measure there is its name, and with `OTHER` its value in the other run: null where it
            does not ask about the item, NaN where the run has no value.
        measures: those of the instrument.
        units: columns of the two kinds of units, whose names are nouns.
        changed: makes the table of items that changed sides.
        notes: what is to be said about the pairing.
        noun: what an axis is called.
        alone: how many rows only one of the runs has, by run.
        alone_axes: an axis is a test by itself, and all together are none.
        finished: completes a cell from its rows.
    """

    frame: pl.DataFrame
    measures: Sequence[Measure]
    units: tuple[str, str]
    changed: Callable[[], pl.DataFrame] = NO_ITEMS.clone
    notes: Sequence[str] = ()
    noun: str = "axis"
    alone: tuple[int, int] = (0, 0)
    alone_axes: bool = False
    finished: Callable[[Paired, pl.DataFrame], Paired] = _as_it_is

    @property
    def rules(self) -> list[str]:
        """Rules, protocols or kinds, in order."""
        return self.frame["rule"].unique(maintain_order=True).to_list()

    @property
    def axes(self) -> list[str]:
        """Axes by name; association tests in their order."""
        names = self.frame["axis"].drop_nulls().unique(maintain_order=True)
        return (names if self.alone_axes else names.sort()).to_list()

    @property
    def wholes(self) -> list[str]:
        """What is compared as a whole: all items together, or every test."""
        return self.axes if self.alone_axes else [ALL]

    def chosen_axes(self, named: Sequence[str]) -> list[str]:
        """The axes named, or all items and then every axis, where there are several.

        Raises:
            UserError: there is no such axis.
        """
        names = list(dict.fromkeys((*self.wholes, *self.axes)))
        for axis in named:
            if axis not in names:
                raise UserError(f"--axis {axis}: no such {self.noun}. Expected one of: {', '.join(names)}.")
        return list(named) or (names if len(self.axes) > 1 else self.wholes)

    def of(self, rule: str, axis: str = ALL) -> pl.DataFrame:
        """The rows under a rule, on an axis or on all."""
        rows = self.frame.filter(rule=rule)
        return rows if axis == ALL else rows.filter(axis=axis)

    def cell(self, measure: Measure, rows: pl.DataFrame, rule: str, axis: str = ALL) -> Paired:
        """One measure on some of the rows: those that both runs have a value for."""
        columns = [measure.name, f"{measure.name}{OTHER}"]
        first, *others = measure.units or self.units
        posed = rows.drop_nulls(columns)
        both_kinds = pl.col("aligned").n_unique().over(measure.within or first) == 2
        posed = posed.filter(both_kinds) if measure.within else posed
        joint = posed.drop_nans(columns)
        joint = joint.filter(both_kinds) if measure.within else joint
        if measure.instead and joint[first].n_unique() < FEWEST_UNITS:
            first, others = measure.instead, []
        weights, reach = (
            _weights(joint, measure.within) if measure.within and joint.height else (1.0, measure.reach)
        )
        baseline, candidate = (weights * joint[name].to_numpy().astype(float) for name in columns)
        values = Values(
            baseline,
            candidate,
            joint[first].to_numpy(),
            directed=measure.neutral is None,
            reach=reach,
            sum_reach=2 * reach if measure.within else reach,
            attribute=joint[others[0]].to_numpy() if others and not joint[others[0]].null_count() else None,
        )
        cell = Paired(
            measure,
            rule,
            axis,
            values if joint.height else None,
            left_out=posed.height - joint.height,
            identical=bool(joint.height and joint["same"].all() and np.array_equal(baseline, candidate)),
            units=(first, others[0] if others else self.units[1]),
        )
        return self.finished(cell, joint)

    def parts(self, rule: str) -> Iterator[tuple[str, str, pl.DataFrame]]:
        """Axis, identity and rows: of every axis, and of every identity, where there are several."""
        rows = self.of(rule)
        if len(self.axes) > 1 and not self.alone_axes:
            yield from ((axis, ALL, rows.filter(axis=axis)) for axis in self.axes)
        named = rows.filter(pl.col("identity").fill_null("") != "")
        groups = list(named.group_by("axis", "identity", maintain_order=True))
        if len(groups) > 1:
            yield from ((str(axis), str(identity), part) for (axis, identity), part in groups)


def _weights(rows: pl.DataFrame, unit: str) -> tuple[np.ndarray, float]:
    """Weights of rows whose sum over `aligned` and others is their difference within units; and the largest.

    Within a unit with n1 rows that are aligned and n0 others, the difference of their means counts n1 n0 / (n1 + n0).
    """
    aligned = rows["aligned"].to_numpy()
    _, code = np.unique(rows[unit].to_numpy(), return_inverse=True)
    ones, zeros = np.bincount(code, aligned), np.bincount(code, ~aligned)
    weight = ones * zeros / (ones + zeros)
    each = np.where(aligned, -(weight / ones)[code], (weight / zeros)[code])
    each *= len(each) / weight.sum()
    return each, float(np.abs(each).max())


def codes(names: pl.Expr) -> pl.Expr:
    """A number for each name, from 0."""
    return names.rank("dense").cast(pl.Int64) - 1


def both(columns: Callable[[str], Mapping[str, pl.Expr]]) -> dict[str, pl.Expr]:
    """Columns of both runs, made from the ending of the names of what they are made of."""
    return {f"{name}{end}": value for end in ("", OTHER) for name, value in columns(end).items()}


def same_answers() -> pl.Expr:
    """Whether an answer came, and is the same in both runs: two that were never answered are not alike."""
    alike = pl.col("answer").eq_missing(pl.col(f"answer{OTHER}")) & (pl.col("answer") != "")
    return alike.fill_null(value=False).alias("same")


def changed_items(
    frame: pl.DataFrame,
    shown: Mapping[str, str],
    *,
    about: Sequence[str] = (),
    moved: Sequence[str] = ("outcome",),
) -> pl.DataFrame:
    """The items that changed sides, and whether towards the stereotype or away from it.

    Args:
        frame: of `Items`, with `outcome` and `lean` of both runs.
        shown: further columns, by their names in the table.
        about: columns of the items themselves.
        moved: columns of which one differs between the runs.
    """
    present = [pl.col(f"outcome{end}").is_not_null() for end in ("", OTHER)]
    differs = [pl.col(name).ne_missing(pl.col(f"{name}{OTHER}")) for name in moved]
    lean = pl.col(f"lean{OTHER}") - pl.col("lean")
    direction = pl.when(lean > 0).then(pl.lit("towards")).when(lean < 0).then(pl.lit("away"))
    names = [name for name in ("item_id", "repeat", "rule", "axis", "identity") if name in frame.columns]
    return frame.filter(*present, pl.any_horizontal(differs)).select(
        *names,
        *about,
        before="outcome",
        after=f"outcome{OTHER}",
        **shown,
        direction=direction.otherwise(pl.lit("neither")),
    )


def declared_items(sides: tuple[Side, Side], rules: Sequence[str], declaration: Measured) -> Items:
    """Answers of two runs of an instrument that declares how they are read.

    Raises:
        UserError: the runs have no rule in common, or hold different items.
    """
    defaults = {
        **dict.fromkeys(("rule", "axis"), pl.lit(ALL)),
        "identity": pl.col(declaration.units[0]),
        "outcome": pl.col("answer"),
        "lean": pl.col(declaration.measures[0].name),
    }
    tables = []
    for side in sides:
        table = declaration.answers(side.run.folder, side.model)
        lacking = {name: value for name, value in defaults.items() if name not in table.columns}
        tables.append(table.with_columns(**lacking))
    common, notes = common_rules([set(table["rule"]) for table in tables], rules, declaration.rule)
    keys = ["item_id", *declaration.keys]
    joined = pl.concat(joined_rule(tables, rule, keys) for rule in common)
    frame = joined.with_columns(same_answers(), *(codes(pl.col(name)) for name in declaration.units))
    shown = {"answer_before": "answer", "answer_after": f"answer{OTHER}"}
    return Items(frame, declaration.measures, declaration.units, partial(changed_items, frame, shown), notes)


def joined_rule(tables: Sequence[pl.DataFrame], rule: str, keys: Sequence[str]) -> pl.DataFrame:
    """The rows of both runs under a rule, side by side.

    Raises:
        UserError: the runs hold different items.
    """
    baseline, other = (table.filter(rule=rule) for table in tables)
    require_same_ids([table.select(pl.concat_str(keys, separator=" #")) for table in (baseline, other)])
    return baseline.join(other, on=["rule", *keys], suffix=OTHER).sort(keys)


def common_rules(names: Sequence[set[str]], wanted: Sequence[str], noun: str) -> tuple[list[str], list[str]]:
    """Rules of both runs, or those wanted; and a note on those of one run only.

    Raises:
        UserError: the runs have none in common, or one of them lacks one that was named.
    """
    shared = sorted(names[0] & names[1])
    for name in wanted:
        if name not in shared:
            raise UserError(
                f"--rule {name}: not a {noun} of both runs. The baseline has {', '.join(sorted(names[0]))}, the "
                f"candidate {', '.join(sorted(names[1]))}."
            )
    if not shared:
        raise UserError(
            f"Baseline and candidate have no {noun} in common: {', '.join(sorted(names[0]))} and "
            f"{', '.join(sorted(names[1]))}. Run both with the same one."
        )
    lone = sorted(names[0] ^ names[1])
    alone = [f"Not compared, because only one run has it: {noun} {', '.join(lone)}."]
    return list(wanted) or shared, alone if lone and not wanted else []


def alone_sentence(alone: tuple[int, int], noun: str) -> str:
    """Why two runs of which one has items that the other lacks cannot be gated."""
    return (
        f"Baseline and candidate hold different items: {alone[0]} {noun} are in the baseline only and {alone[1]} "
        "in the candidate only. Run both on the same file with the same --limit, --language and --repeats."
    )


def require_same_ids(tables: Sequence[pl.DataFrame]) -> None:
    """Refuse two runs that hold other items, by the first column of each table.

    Raises:
        UserError: an item is in one of them only.
    """
    baseline, other = (set(table.to_series()) for table in tables)
    lone = sorted(baseline ^ other)
    if lone:
        where = "baseline" if lone[0] in baseline else "candidate"
        raise UserError(
            f"Baseline and candidate hold different items: {len(lone)} are in one of them only, for example "
            f"'{lone[0]}' in the {where}. Run both on the same file with the same --limit and --language."
        )
