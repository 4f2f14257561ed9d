"""Two runs of questions: changes, price, and the questions whose answer changed."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from endoxa.instruments.questions.items.of_run import items_of_run
from endoxa.report.inputs import Run
from endoxa.schema import ALL
from endoxa.study.compare.changes import Change
from endoxa.study.compare.contrasts import Choices, Estimates
from endoxa.study.compare.estimates import COST, change_of, fact, price_of_answers
from endoxa.study.gate.measures import OF_QUESTIONS, same_answers
from endoxa.study.gate.questions import paired_answers, questions_cell
from endoxa.study.gate.runs import Side

STEREOTYPED, ANTI = "stereotyped", "anti-stereotyped"


def compare_questions(sides: tuple[Side, Side], choices: Choices) -> Estimates:
    """What changed between two runs of the same questions."""
    by_protocol, notes = paired_answers(sides, choices.rules)
    changes: list[Change] = []
    parts: list[Change] = []
    for protocol, joined in by_protocol.items():
        cells = [questions_cell(measure, protocol, ALL, joined) for measure in OF_QUESTIONS]
        present = [cell for cell in cells if cell.values is not None or cell.left_out]
        changes += [change_of(cell, choices.confidence) for cell in present]
        changes += price_of_answers(joined, protocol, choices.confidence)
        parts += _parts(joined, protocol, choices.confidence)
        notes += choices.left_out(present)
    costs = [_cost(side) for side in sides]
    if None not in costs:
        changes.append(fact(COST, *costs))  # type: ignore[arg-type]
    identical = all(same_answers(joined["answer"], joined["answer_other"]) for joined in by_protocol.values())
    return Estimates(
        tuple(changes),
        tuple(parts),
        _changed(by_protocol, sides[0].run),
        tuple(notes),
        identical,
    )


def _cost(side: Side) -> float | None:
    usage = side.run.facts.get("usage")
    used = usage.get(side.name) if isinstance(usage, dict) else None
    dollars = used.get("cost_usd") if isinstance(used, dict) else None
    return float(dollars) if isinstance(dollars, int | float) else None


def _parts(joined: pl.DataFrame, protocol: str, confidence: float) -> Iterator[Change]:
    """Measures of bias by category and by stereotyped group, those of a single one left out."""
    biased = [measure for measure in OF_QUESTIONS if measure.neutral is not None]
    groups: list[tuple[str, str, pl.DataFrame]] = []
    categories = joined["category"].unique().sort().to_list()
    if len(categories) > 1:
        groups += [(name, ALL, joined.filter(category=name)) for name in categories]
    if "identity" in joined.columns:
        named = joined.filter(pl.col("identity").fill_null("") != "")
        for (category, identity), part in named.group_by("category", "identity", maintain_order=True):
            groups.append((str(category), str(identity), part))
    for axis, identity, part in groups:
        for measure in biased:
            cell = questions_cell(measure, protocol, axis, part)
            if cell.values is not None:
                yield change_of(cell, confidence, identity)


def _changed(by_protocol: dict[str, pl.DataFrame], run: Run) -> pl.DataFrame:
    """The questions whose outcome or choice is another one, with their texts where the data are still there."""
    frames = [
        joined.filter(
            ~pl.col("choice").eq_missing(pl.col("choice_other"))
            | (pl.col("outcome") != pl.col("outcome_other"))
        ).select(
            "item_id",
            "repeat",
            rule=pl.lit(protocol),
            axis="category",
            identity=pl.col("identity") if "identity" in joined.columns else pl.lit(""),
            context_condition="context_condition",
            before="outcome",
            after="outcome_other",
            choice_before="choice",
            choice_after="choice_other",
            right="label",
            answer_before="answer",
            answer_after="answer_other",
            direction=pl.when(_towards())
            .then(pl.lit("towards"))
            .when(_away())
            .then(pl.lit("away"))
            .otherwise(pl.lit("neither")),
        )
        for protocol, joined in by_protocol.items()
    ]
    changed = pl.concat(frames, how="vertical_relaxed")
    texts = _texts(run, set(changed["item_id"]))
    return changed if texts is None else changed.join(texts, on="item_id", how="left", maintain_order="left")


def _towards() -> pl.Expr:
    return _lean("outcome_other") > _lean("outcome")


def _away() -> pl.Expr:
    return _lean("outcome_other") < _lean("outcome")


def _lean(outcome: str) -> pl.Expr:
    return pl.col(outcome).replace_strict({STEREOTYPED: 1, ANTI: -1}, default=0, return_dtype=pl.Int64)


def _texts(run: Run, wanted: set[str]) -> pl.DataFrame | None:
    """Context, question and options of these items; None where the file is gone or is another one by now."""
    items, _ = items_of_run(run, wanted)
    rows = [
        {
            "item_id": name,
            "context": item.context,
            "question": item.question,
            **{f"option_{place}": text for place, text in enumerate(item.options)},
        }
        for name, item in items.items()
    ]
    return pl.DataFrame(rows) if rows else None
