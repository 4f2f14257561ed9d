"""Two runs of choices: how bias and answers changed, and the items whose outcome changed."""

from __future__ import annotations

import polars as pl

from endoxa.schema import ALL
from endoxa.study.compare.changes import Change
from endoxa.study.compare.contrasts import Choices, Estimates
from endoxa.study.compare.estimates import change_of
from endoxa.study.gate.choices import choices_cell, paired_choices
from endoxa.study.gate.measures import CHOICE_SCORE, OF_CHOICES, same_answers
from endoxa.study.gate.runs import Side


def compare_choices(sides: tuple[Side, Side], choices: Choices) -> Estimates:
    """What changed between two runs of the same inferences, decisions or word lists."""
    by_kind, notes = paired_choices(sides, choices.rules)
    changes: list[Change] = []
    parts: list[Change] = []
    for kind, joined in by_kind.items():
        cells = [choices_cell(measure, kind, ALL, joined) for measure in OF_CHOICES]
        changes += [change_of(cell, choices.confidence) for cell in cells]
        notes += choices.left_out(cells)
        for (axis, identity), part in joined.group_by("axis", "identity", maintain_order=True):
            cell = choices_cell(CHOICE_SCORE, kind, str(axis), part)
            if cell.values is not None:
                parts.append(change_of(cell, choices.confidence, str(identity)))
    changed = [_changed(kind, joined) for kind, joined in by_kind.items()]
    identical = all(same_answers(joined["answer"], joined["answer_other"]) for joined in by_kind.values())
    return Estimates(tuple(changes), tuple(parts), pl.concat(changed), tuple(notes), identical)


def _changed(kind: str, joined: pl.DataFrame) -> pl.DataFrame:
    """The answers whose outcome is another one."""
    moved = pl.col("score_other") - pl.col("score")
    return joined.filter(pl.col("outcome") != pl.col("outcome_other")).select(
        "item_id",
        "repeat",
        rule=pl.lit(kind),
        axis="axis",
        identity="identity",
        before="outcome",
        after="outcome_other",
        answer_before="answer",
        answer_after="answer_other",
        direction=pl.when(moved > 0)
        .then(pl.lit("towards"))
        .when(moved < 0)
        .then(pl.lit("away"))
        .otherwise(pl.lit("neither")),
    )
