"""What changed in the thoughts between two runs of the same questions, and at what price: effort, prompts, versions.

Answers are paired by question, repeat and protocol; only thoughts that ended in both runs count, except for cut-offs
and tokens. A difference per answer is a mean over templates and groups, with Student's interval and test of both kinds
of units; where few answers changed, the score test of the gate (`study.gate.contrast`) counts as well: the larger
p-value, and the outer ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.questions.estimates.estimates import lean_parts
from endoxa.instruments.questions.estimates.inference import Units
from endoxa.instruments.questions.thoughts.coded import coded, holds_thoughts
from endoxa.instruments.questions.thoughts.estimates import SHARES, cell_of_thoughts
from endoxa.schema import ALL
from endoxa.stats.intervals import NAN
from endoxa.stats.verdicts import NO_QUESTION, UNTESTED
from endoxa.study.compare.changes import Change, judged, paired_test
from endoxa.study.gate.contrast import FEWEST_UNITS

KEY = ("data", "protocol", "item_id", "repeat")
OTHER = "_other"
PRICE = ("cut_off", "thought_tokens")
Kind = Literal["bias", "price"]


def changes(
    runs: Sequence[Path], *, models: Sequence[str | None] = (), confidence: float = 0.95
) -> tuple[Change, ...]:
    """Changes of every measure of thoughts from the first run to the second, corrected over all of them.

    Measures end in the kind of contexts ("thoughts_bias_ambig"); shares of right (wrong) answers are over answers that
    are right (wrong) in both runs.

    Args:
        runs: two finished runs of `endoxa probe qa` on the same questions.
        models: the model of each run, where it holds several.
        confidence: of the intervals.

    Returns:
        Nothing where a run has no thoughts.

    Raises:
        UserError: not two runs, several models of which none was named, or no question in common.
    """
    if len(runs) != 2:
        raise UserError(f"Thoughts of two runs are compared; {len(runs)} were given.")
    if not all(holds_thoughts(run) for run in runs):
        return ()
    wanted = tuple(models) or (None, None)
    before, after = (_of_model(coded(run), run, model) for run, model in zip(runs, wanted, strict=True))
    results = changes_of(before, after, confidence=confidence)
    if not results:
        raise UserError(f"The thoughts of '{runs[0]}' and '{runs[1]}' are about no question in common.")
    return results


def changes_of(before: pl.DataFrame, after: pl.DataFrame, *, confidence: float = 0.95) -> tuple[Change, ...]:
    """The same from coded thoughts of one model each (`instruments.questions.thoughts.coded`)."""
    joined = before.join(after, on=KEY, suffix=OTHER).sort(KEY)
    cells = joined.group_by("protocol", "context_condition", maintain_order=True)
    results = [
        change
        for (protocol, condition), cell in cells
        for change in _of_cell(cell, str(protocol), str(condition), confidence)
    ]
    return judged(results, confidence)


def _of_model(codes: pl.DataFrame, run: Path, model: str | None) -> pl.DataFrame:
    names = codes["model"].unique(maintain_order=True).to_list()
    if model is None and len(names) > 1:
        raise UserError(f"'{run}' holds thoughts of several models: {', '.join(names)}. Name one.")
    return codes.filter(model=model or names[0])


def _of_cell(cell: pl.DataFrame, protocol: str, condition: str, confidence: float) -> Iterator[Change]:
    finished = cell.filter(pl.col("cut_off") == 0, pl.col(f"cut_off{OTHER}") == 0)
    for name, argued in (("answers_bias", False), ("thoughts_bias", True)):
        yield from _lean(finished, f"{name}_{condition}", protocol, argued=argued, confidence=confidence)
    for name, (among, counted) in SHARES.items():
        sides = [_side(finished, suffix) for suffix in ("", OTHER)]
        members = [
            side.select(pl.lit(True, dtype=pl.Boolean).and_(among).fill_null(False)).to_series()
            for side in sides
        ]
        chosen = members[0] & members[1]
        if not chosen.any():
            continue
        values = [
            _numbers(side.filter(chosen).select(counted.fill_null(False)).to_series()) for side in sides
        ]
        yield _change(f"{name}_{condition}", protocol, values, Units.of(sides[0].filter(chosen)), confidence)
    for name in PRICE:
        columns = [cell[f"{name}{suffix}"] for suffix in ("", OTHER)]
        present = columns[0].is_not_null() & columns[1].is_not_null()
        if present.any():
            values = [_numbers(column.filter(present)) for column in columns]
            reach = None if name == "thought_tokens" else 1.0
            units = Units.of(cell.filter(present))
            yield _change(
                f"{name}_{condition}", protocol, values, units, confidence, reach=reach, kind="price"
            )


def _numbers(column: pl.Series) -> np.ndarray:
    return column.cast(pl.Float64).to_numpy()


def _side(joined: pl.DataFrame, suffix: str) -> pl.DataFrame:
    """The columns of one run under their names; what belongs to the question is the first run's."""
    if not suffix:
        return joined.select(pl.exclude(f"^.*{OTHER}$"))
    of_answer = [name.removesuffix(OTHER) for name in joined.columns if name.endswith(OTHER)]
    return joined.select(*KEY, **{name: pl.col(f"{name}{OTHER}") for name in of_answer})


def _lean(
    finished: pl.DataFrame, name: str, protocol: str, *, argued: bool, confidence: float
) -> Iterator[Change]:
    column = "argued" if argued else "choice"
    read = finished.filter(pl.col(column).is_not_null(), pl.col(f"{column}{OTHER}").is_not_null())
    if read.is_empty():
        return
    cells = [cell_of_thoughts(_side(read, suffix), argued=argued) for suffix in ("", OTHER)]
    (before, _, units), (after, _, _) = (lean_parts(cell) for cell in cells)
    if len(before):
        reach = max(2.0, float(np.abs(after - before).max()))
        yield _change(name, protocol, [before, after], units, confidence, reach=reach)


def _change(
    measure: str,
    rule: str,
    values: Sequence[np.ndarray],
    units: Units,
    confidence: float,
    *,
    reach: float | None = 1.0,
    kind: Kind = "bias",
) -> Change:
    """The change of a mean, before correction.

    Args:
        measure: its name.
        rule: the protocol.
        values: of each answer, in both runs.
        units: of the answers.
        confidence: of the interval.
        reach: largest difference of one answer; None where nothing bounds it.
        kind: a measure of bias, or a price.
    """
    before, after = values
    difference = after - before
    result = paired_test(difference, (units.first, units.second), confidence, reach=reach)
    number, low, high, p_value = units.counts[0], result.interval.low, result.interval.high, result.p_value
    if number < FEWEST_UNITS:
        low = high = p_value = NAN
    second = units.counts[1]
    return Change(
        measure,
        rule,
        ALL,
        ALL,
        float(before.mean()),
        float(after.mean()),
        float(difference.mean()),
        low,
        high,
        p_value,
        NAN,
        UNTESTED if np.isnan(p_value) else NO_QUESTION,
        len(before),
        number,
        f"{units.kinds.first[1]} x {second} {units.kinds.second[1]}" if second else units.kinds.first[1],
        kind,
    )
